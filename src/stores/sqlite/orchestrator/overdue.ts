import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import type { Sync } from "../calls/sync.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";
import { STATUS_COLUMNS, statusRecord } from "./status-records.ts";

/** Invocations that have been in a status too long. */
export function overdueReads(
  handle: Queries,
  tables: AppTables,
): Sync<Pick<OrchestratorReads, "pendingSince" | "ownedByDeadRunner">> {
  const invocations = tables.readable("orchestrator", "invocations");
  const heartbeats = tables.readable("orchestrator", "runner_heartbeats");

  return {
    pendingSince(before, limit) {
      if (!invocations.exists) return [];
      return handle
        .all(
          `SELECT ${STATUS_COLUMNS} FROM ${invocations.sql} WHERE status = 'pending' AND status_timestamp <= ?
           ORDER BY status_timestamp LIMIT ?`,
          before,
          limit,
        )
        .map(statusRecord);
    },

    ownedByDeadRunner(statuses, deadBefore, each) {
      // Without heartbeats it is not known which runners are alive.
      if (!invocations.exists || !heartbeats.exists || statuses.length === 0) return [];
      const ofStatus = `SELECT * FROM (SELECT ${STATUS_COLUMNS} FROM ${invocations.sql} i WHERE status = ? AND status_runner_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM ${heartbeats.sql} h WHERE h.runner_id = i.status_runner_id AND h.last_heartbeat >= ?)
           ORDER BY status_timestamp LIMIT ?)`;
      return handle
        .all(
          statuses.map(() => ofStatus).join(" UNION ALL "),
          ...statuses.flatMap((status) => [status, deadBefore, each]),
        )
        .map(statusRecord);
    },
  };
}
