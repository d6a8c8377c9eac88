import type { TriggerReads } from "../../ports/trigger.ts";
import type { RedisReading } from "../keys/reading.ts";
import { eventReads } from "./events.ts";
import { triggerDefinitionReads } from "./trigger-definitions.ts";
import { triggerRunReads } from "./trigger-runs.ts";

/** Trigger definitions, events and trigger runs (storage-format.md 9.2, chapter 5). */
export function triggerReads(reading: RedisReading): TriggerReads {
  return { ...triggerDefinitionReads(reading), ...eventReads(reading), ...triggerRunReads(reading) };
}
