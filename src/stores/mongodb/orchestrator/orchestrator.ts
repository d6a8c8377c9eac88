import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import type { MongoReading } from "../collections/reading.ts";
import { blockingReads } from "./blocking.ts";
import { executionReads } from "./executions.ts";
import { heartbeatReads } from "./heartbeats.ts";
import { invocationCounts } from "./invocation-counts.ts";
import { invocationList } from "./invocation-list.ts";
import { overdueReads } from "./overdue.ts";
import { statusReads } from "./status-records.ts";

/** Current statuses, heartbeats, blocking edges and atomic-service executions. */
export function orchestratorReads(reading: MongoReading): OrchestratorReads {
  return {
    ...invocationCounts(reading),
    ...invocationList(reading),
    ...statusReads(reading),
    ...heartbeatReads(reading),
    ...blockingReads(reading),
    ...overdueReads(reading),
    ...executionReads(reading),
  };
}
