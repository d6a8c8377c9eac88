import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import type { Sync } from "../calls/sync.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";
import { blockingReads } from "./blocking.ts";
import { executionReads } from "./executions.ts";
import { heartbeatReads } from "./heartbeats.ts";
import { invocationCounts } from "./invocation-counts.ts";
import { invocationList } from "./invocation-list.ts";
import { overdueReads } from "./overdue.ts";
import { statusReads } from "./status-records.ts";

/** Current statuses, heartbeats, blocking edges and atomic-service executions (storage-format.md 3.3). */
export function orchestratorReads(handle: Queries, tables: AppTables): Sync<OrchestratorReads> {
  return {
    ...invocationCounts(handle, tables),
    ...invocationList(handle, tables),
    ...statusReads(handle, tables),
    ...heartbeatReads(handle, tables),
    ...blockingReads(handle, tables),
    ...overdueReads(handle, tables),
    ...executionReads(handle, tables),
  };
}
