import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import type { RedisReading } from "../keys/reading.ts";
import { blockingReads } from "./blocking.ts";
import { executionReads } from "./executions.ts";
import { heartbeatReads } from "./heartbeats.ts";
import { invocationCounts } from "./invocation-counts.ts";
import { invocationList } from "./invocation-list.ts";
import { overdueReads } from "./overdue.ts";
import { statusRecords } from "./status-records.ts";

/**
 * Current statuses, heartbeats, blocking edges and atomic-service executions (storage-format.md 9.2). Created for each read, so that data several
 * methods need is read only once.
 */
export function orchestratorReads(reading: RedisReading): OrchestratorReads {
  return {
    ...invocationCounts(reading),
    ...invocationList(reading),
    ...heartbeatReads(reading),
    ...blockingReads(reading),
    ...overdueReads(reading),
    ...executionReads(reading),
    statusesByIds: (invocationIds) => statusRecords(reading, invocationIds),
  };
}
