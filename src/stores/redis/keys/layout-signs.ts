/** Detects the layout of an app's keys (storage-format.md 0.3, 9.2), which contain no version. */
import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import { TAIL_BYTES } from "../../value-limit.ts";
import type { Reply } from "../server/connection.ts";
import { boundedDocuments } from "../server/documents.ts";
import { collectionsOf } from "./families.ts";
import { oncePerRead, type RedisReading } from "./reading.ts";

/** Newest invocations and runners checked; several, because some may be incomplete. */
const SCAN_LIMIT = 10;

export interface LayoutSigns {
  /** The app is registered or has at least one collection. */
  present: boolean;
  /** It is registered but has written nothing yet, so its layout is unknown. */
  blank: boolean;
  /** Events and trigger runs are recorded, unless there is evidence against it. */
  events: boolean;
  /** Atomic-service executions are recorded, unless there is evidence against it. */
  executions: boolean;
  /** Heartbeats contain when their runner last ran the atomic service. */
  last_service: boolean;
  /** Heartbeats contain the queues their runner consumes. */
  consumed_queues: boolean;
}

/** Keys exist only once they have a value, so definitions may be the only sign of a newer layout. Two or three round trips. */
export const layoutSigns = oncePerRead(async (reading): Promise<LayoutSigns> => {
  const [{ registered, written, events, executions }, heartbeats] = await Promise.all([
    firstSigns(reading),
    fieldsOfHeartbeats(reading),
  ]);
  const carry = (field: number) =>
    heartbeats.some((fields) => Array.isArray(fields) && typeof fields[field] === "string");
  return {
    present: registered || written,
    blank: registered && !written,
    events,
    executions,
    last_service: carry(0),
    consumed_queues: carry(1),
  };
});

/** What the names of keys, and if need be definitions, show. */
export const firstSigns = oncePerRead(async (reading) => {
  const { keys } = reading;
  const [orchestrator, trigger] = [reading.db("orchestrator"), reading.db("trigger")];
  const [registered, invocations, runners, hasEvents, hasExecutions] = await Promise.all([
    reading.registered(),
    newestInvocations(reading),
    newestRunners(reading),
    trigger.number(
      "EXISTS",
      ...["evts_by_time", "evts_codes", "truns_by_time"].map((name) => keys.key("trigger", name)),
    ),
    orchestrator.number(
      "EXISTS",
      ...["atomic_service_executions", "atomic_service_active_execution"].map((name) => keys.key("orchestrator", name)),
    ),
  ]);
  const [parentEvents, written] = await Promise.all([
    hasEvents > 0 && hasExecutions > 0 ? false : namesParentEvents(reading),
    invocations.length + runners.length + hasEvents + hasExecutions > 0 ? true : hasCollections(reading),
  ]);
  const either = parentEvents || (registered && !written);
  return { registered, written, events: hasEvents > 0 || either, executions: hasExecutions > 0 || either };
});

const newestRunners = oncePerRead((reading) => newest(reading, "runner_heartbeats"));
const newestInvocations = oncePerRead((reading) => newest(reading, "all_invocations_by_time"));

function newest(reading: RedisReading, index: string): Promise<string[]> {
  return reading
    .db("orchestrator")
    .texts("ZREVRANGE", reading.keys.key("orchestrator", index), "0", String(SCAN_LIMIT - 1));
}

async function fieldsOfHeartbeats(reading: RedisReading): Promise<Reply[]> {
  const runners = await newestRunners(reading);
  const key = (id: string) => reading.keys.key("orchestrator", "runner_heartbeat", id);
  return reading
    .db("orchestrator")
    .exchange(runners.map((id) => ["HMGET", key(id), "last_service_start", "consumed_queues"]));
}

/** Whether new definitions name the event that started them. */
export const namesParentEvents = oncePerRead(async (reading): Promise<boolean> => {
  const invocations = await newestInvocations(reading);
  const definitions = await boundedDocuments(
    reading.db("state_backend"),
    invocations.map((id) => reading.keys.key("state_backend", "invocation", id)),
    TAIL_BYTES,
    "serialized_arguments",
  );
  return definitions.some((document) =>
    Object.hasOwn(objectOrNull(parsedJson(document?.json ?? "")) ?? {}, "parent_event_id"),
  );
});

/** Whether the app has at least one collection. */
async function hasCollections(reading: RedisReading): Promise<boolean> {
  const found = await Promise.all(
    collectionsOf(reading.keys).map(({ component, key }) => reading.db(component).number("EXISTS", key)),
  );
  return found.some((number) => number > 0);
}
