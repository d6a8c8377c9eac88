import type { BlockingEdge } from "../../../pynenc/records.ts";
import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import type { Sync } from "../calls/sync.ts";
import { text } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

/** Which invocation waits for which, latest wait first. */
export function blockingReads(
  handle: Queries,
  tables: AppTables,
): Sync<Pick<OrchestratorReads, "blockingEdges" | "countBlockingEdges">> {
  const edges = tables.readable("orchestrator", "blocking_edges");

  return {
    blockingEdges({ limit, offset }, id) {
      if (!edges.exists) return [];
      const selected = id === undefined ? "ORDER BY rowid DESC" : "WHERE waiter_id = ? OR waited_id = ?";
      return handle
        .all(
          `SELECT waiter_id, waited_id FROM ${edges.sql} ${selected} LIMIT ? OFFSET ?`,
          ...(id === undefined ? [] : [id, id]),
          limit,
          offset,
        )
        .map((row): BlockingEdge => ({ waiter_id: text(row.waiter_id), waited_id: text(row.waited_id) }));
    },

    countBlockingEdges: () => (edges.exists ? handle.number(`SELECT count(*) FROM ${edges.sql}`) : 0),
  };
}
