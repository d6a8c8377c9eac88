/** Detects the layout of an app's keys (storage-format.md 0.3, 9.2), which contain no version. */
import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import { COMPONENTS } from "../../ports/common.ts";
import { TAIL_BYTES } from "../../value-limit.ts";
import { boundedDocuments } from "../server/documents.ts";
import { collectionsOf } from "./families.ts";
import type { RedisReading } from "./reading.ts";

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
  /** New definitions name the event that started them. */
  parent_event: boolean;
  /** Heartbeats contain when their runner last ran the atomic service. */
  last_service: boolean;
  /** Heartbeats contain the queues their runner consumes. */
  consumed_queues: boolean;
}

/** Keys exist only once they have a value, so definitions may be the only sign of a newer layout. Two round trips. */
export async function layoutSigns(reading: RedisReading): Promise<LayoutSigns> {
  const { keys } = reading;
  const [orchestrator, trigger] = [reading.db("orchestrator"), reading.db("trigger")];
  const newest = (index: string) =>
    orchestrator.texts("ZREVRANGE", keys.key("orchestrator", index), "0", String(SCAN_LIMIT - 1));
  const collections = collectionsOf(keys);
  const [registered, invocations, runners, events, executions, ...found] = await Promise.all([
    reading.registered(),
    newest("all_invocations_by_time"),
    newest("runner_heartbeats"),
    trigger.number(
      "EXISTS",
      ...["evts_by_time", "evts_codes", "truns_by_time"].map((name) => keys.key("trigger", name)),
    ),
    orchestrator.number(
      "EXISTS",
      ...["atomic_service_executions", "atomic_service_active_execution"].map((name) => keys.key("orchestrator", name)),
    ),
    ...COMPONENTS.map((component) => {
      const own = collections.filter((collection) => collection.component === component);
      return own.length === 0 ? 0 : reading.db(component).number("EXISTS", ...own.map(({ key }) => key));
    }),
  ]);
  const [definitions, heartbeats] = await Promise.all([
    boundedDocuments(
      reading.db("state_backend"),
      invocations.map((id) => keys.key("state_backend", "invocation", id)),
      TAIL_BYTES,
      "serialized_arguments",
    ),
    orchestrator.exchange(
      runners.map((id) => [
        "HMGET",
        keys.key("orchestrator", "runner_heartbeat", id),
        "last_service_start",
        "consumed_queues",
      ]),
    ),
  ]);
  const carry = (field: number) =>
    heartbeats.some((fields) => Array.isArray(fields) && typeof fields[field] === "string");
  const parent_event = definitions.some((document) => namesParentEvent(document?.json ?? null));
  const written = found.some((number) => number > 0);
  const blank = registered && !written;
  return {
    present: registered || written,
    blank,
    events: events > 0 || parent_event || blank,
    executions: executions > 0 || parent_event || blank,
    parent_event,
    last_service: carry(0),
    consumed_queues: carry(1),
  };
}

function namesParentEvent(definition: string | null): boolean {
  return Object.hasOwn(objectOrNull(parsedJson(definition ?? "")) ?? {}, "parent_event_id");
}
