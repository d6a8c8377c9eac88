import type { TriggerReads } from "../../ports/trigger.ts";
import type { Sync } from "../calls/sync.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";
import { eventReads } from "./events.ts";
import { triggerDefinitionReads } from "./trigger-definitions.ts";
import { triggerRunReads } from "./trigger-runs.ts";

/** Trigger definitions, events and trigger runs (storage-format.md 3.6, chapter 5). */
export function triggerReads(handle: Queries, tables: AppTables): Sync<TriggerReads> {
  return {
    ...triggerDefinitionReads(handle, tables),
    ...eventReads(handle, tables),
    ...triggerRunReads(handle, tables),
  };
}
