/** Detects the layout of an app's keys (storage-format.md 0.3, 9.2), which contain no version. */
import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import { TAIL_BYTES } from "../../value-limit.ts";
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
  const { keys } = reading;
  const [orchestrator, trigger] = [reading.db("orchestrator"), reading.db("trigger")];
  const [registered, invocations, runners, events, executions] = await Promise.all([
    reading.registered(),
    newestInvocations(reading),
    orchestrator.texts("ZREVRANGE", keys.key("orchestrator", "runner_heartbeats"), "0", String(SCAN_LIMIT - 1)),
    trigger.number(
      "EXISTS",
      ...["evts_by_time", "evts_codes", "truns_by_time"].map((name) => keys.key("trigger", name)),
    ),
    orchestrator.number(
      "EXISTS",
      ...["atomic_service_executions", "atomic_service_active_execution"].map((name) => keys.key("orchestrator", name)),
    ),
  ]);
  const [parent_event, heartbeats, written] = await Promise.all([
    events > 0 && executions > 0 ? false : namesParentEvents(reading),
    orchestrator.exchange(
      runners.map((id) => [
        "HMGET",
        keys.key("orchestrator", "runner_heartbeat", id),
        "last_service_start",
        "consumed_queues",
      ]),
    ),
    invocations.length + runners.length + events + executions > 0 ? true : hasCollections(reading),
  ]);
  const carry = (field: number) =>
    heartbeats.some((fields) => Array.isArray(fields) && typeof fields[field] === "string");
  const blank = registered && !written;
  return {
    present: registered || written,
    blank,
    events: events > 0 || parent_event || blank,
    executions: executions > 0 || parent_event || blank,
    last_service: carry(0),
    consumed_queues: carry(1),
  };
});

const newestInvocations = oncePerRead((reading) =>
  reading
    .db("orchestrator")
    .texts("ZREVRANGE", reading.keys.key("orchestrator", "all_invocations_by_time"), "0", String(SCAN_LIMIT - 1)),
);

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
