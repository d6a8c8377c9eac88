import type { BlockingEdge } from "../../../pynenc/records.ts";
import type { OrchestratorReads } from "../../ports/orchestrator.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { text } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

/** Which invocation waits for which, latest wait first. */
export function blockingReads(
  handle: Queries,
  tables: AppTables,
): Sync<Pick<OrchestratorReads, "blockingEdges" | "countBlockingEdges" | "blockingEdgesOf">> {
  const edges = tables.readable("orchestrator", "blocking_edges");

  return {
    blockingEdges({ limit, offset }) {
      if (!edges.exists) return [];
      return handle
        .all(`SELECT waiter_id, waited_id FROM ${edges.sql} ORDER BY rowid DESC LIMIT ? OFFSET ?`, limit, offset)
        .map(blockingEdge);
    },

    countBlockingEdges: () => (edges.exists ? handle.number(`SELECT count(*) FROM ${edges.sql}`) : 0),

    blockingEdgesOf(invocationId, limit) {
      if (!edges.exists) return [];
      return handle
        .all(
          `SELECT waiter_id, waited_id FROM ${edges.sql} WHERE waiter_id = ? OR waited_id = ? LIMIT ?`,
          invocationId,
          invocationId,
          limit,
        )
        .map(blockingEdge);
    },
  };
}

function blockingEdge(row: Row): BlockingEdge {
  return { waiter_id: text(row.waiter_id), waited_id: text(row.waited_id) };
}
