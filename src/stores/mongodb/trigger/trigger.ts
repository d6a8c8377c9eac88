import type { TriggerReads } from "../../ports/trigger.ts";
import type { MongoReading } from "../collections/reading.ts";
import { eventReads } from "./events.ts";
import { triggerDefinitionReads } from "./trigger-definitions.ts";
import { triggerRunReads } from "./trigger-runs.ts";

/** Trigger definitions, events and trigger runs. */
export function triggerReads(reading: MongoReading): TriggerReads {
  return { ...triggerDefinitionReads(reading), ...eventReads(reading), ...triggerRunReads(reading) };
}
