import type { ForgottenInvocation, ForgottenReads } from "../../ports/forgotten.ts";
import type { StateBackendReads } from "../../ports/state-backend.ts";
import type { Sync } from "../calls/sync.ts";
import { number, text, textOrNull } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

/** One component's file and its tables. */
interface TableSource {
  queries: Queries;
  tables: AppTables;
}

interface DefinitionRow {
  order: number;
  invocation_id: string;
  task_id_key: string;
  call_id_key: string;
  last_status: string | null;
  /** Several history entries have the latest time. */
  tied: boolean;
}

/**
 * Definitions without a status. The rowid of a definition is its position, because rows are only appended. The last status comes from the primary key
 * of the history, without reading rows, unless several entries have the latest time.
 *
 * @param historySpanOf decides which of these is the last.
 */
export function forgottenReads(
  state: TableSource,
  orchestrator: TableSource,
  historySpanOf: Sync<StateBackendReads>["historySpanOf"],
): Sync<ForgottenReads> {
  const { queries } = state;
  const definitions = state.tables.has("state_backend", "invocations")
    ? state.tables.sql("state_backend", "invocations")
    : null;
  const history = state.tables.has("state_backend", "history") ? state.tables.sql("state_backend", "history") : null;
  const lastStatus =
    history === null
      ? "NULL"
      : `(SELECT history_status FROM ${history} h WHERE h.invocation_id = i.invocation_id ORDER BY history_timestamp DESC LIMIT 1)`;
  const tied =
    history === null
      ? "0"
      : `(SELECT count(*) FROM ${history} h WHERE h.invocation_id = i.invocation_id AND h.history_timestamp =
          (SELECT max(history_timestamp) FROM ${history} l WHERE l.invocation_id = i.invocation_id)) > 1`;
  const statuses = orchestrator.tables.has("orchestrator", "invocations")
    ? orchestrator.tables.sql("orchestrator", "invocations")
    : null;
  const sameFile = orchestrator.queries === queries;
  const hasNoStatus =
    sameFile && statuses !== null
      ? `AND NOT EXISTS (SELECT 1 FROM ${statuses} o WHERE o.invocation_id = i.invocation_id)`
      : "";

  /** Statuses in another file cannot be joined, so they are queried per step. */
  function withoutStatus(rows: DefinitionRow[]): DefinitionRow[] {
    if (sameFile || statuses === null) return rows;
    const kept = new Set(
      orchestrator.queries
        .all(
          `SELECT invocation_id AS id FROM ${statuses} WHERE invocation_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(rows.map((row) => row.invocation_id)),
        )
        .map((row) => text(row.id)),
    );
    return rows.filter((row) => !kept.has(row.invocation_id));
  }

  function withTiesBroken(rows: readonly DefinitionRow[]): ForgottenInvocation[] {
    const spans = historySpanOf(rows.flatMap((row) => (row.tied ? [row.invocation_id] : [])));
    const lastOf = new Map(spans.map((span) => [span.invocation_id, span.last.status]));
    return rows.map(({ tied: _, ...row }) => ({
      ...row,
      last_status: lastOf.get(row.invocation_id) ?? row.last_status,
    }));
  }

  return {
    scan(scanLimit, after) {
      const nothing = { rows: [], scanned: 0, next: null, reached: Number.NEGATIVE_INFINITY, last: null };
      if (definitions === null) return nothing;
      const before = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after);
      // Row numbers may have gaps, so the last one of the step is queried, not computed. With a single min(), SQLite returns the other columns from the row
      // that has the minimum.
      const last = queries.get<{ low: number | null; n: number; id: unknown }>(
        `SELECT min(r) AS low, count(*) AS n, id FROM (
           SELECT rowid AS r, invocation_id AS id FROM ${definitions} WHERE rowid < ? ORDER BY rowid DESC LIMIT ?)`,
        before,
        scanLimit,
      );
      if (last?.low == null) return nothing;
      const rows = queries
        .all(
          `SELECT i.rowid AS "order", i.invocation_id, i.task_id_key, i.call_id_key, ${lastStatus} AS last_status,
             ${tied} AS tied
           FROM ${definitions} i WHERE i.rowid < ? AND i.rowid >= ? ${hasNoStatus} ORDER BY i.rowid DESC`,
          before,
          last.low,
        )
        .map(
          (row): DefinitionRow => ({
            order: number(row.order),
            invocation_id: text(row.invocation_id),
            task_id_key: text(row.task_id_key),
            call_id_key: text(row.call_id_key),
            last_status: textOrNull(row.last_status),
            tied: number(row.tied) === 1,
          }),
        );
      return {
        rows: withTiesBroken(withoutStatus(rows)),
        scanned: last.n,
        next: last.n < scanLimit ? null : String(last.low),
        reached: last.low,
        last: textOrNull(last.id),
      };
    },

    orderOf(invocationIds) {
      if (definitions === null || invocationIds.length === 0) return {};
      const rows = queries.all(
        `SELECT invocation_id, rowid AS "order" FROM ${definitions} WHERE invocation_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(invocationIds),
      );
      return Object.fromEntries(rows.map((row) => [text(row.invocation_id), number(row.order)]));
    },
  };
}
