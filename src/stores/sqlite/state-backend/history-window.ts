/** History within time windows. */
import { ENDS_OF_WORK, type RunnerRole } from "../../../pynenc/history-roles.ts";
import { pythonString } from "../../../pynenc/python-dump.ts";
import type { HistoryWindow, HistoryWindowReads } from "../../ports/state-backend.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { numberOrNull, text } from "../tables/columns.ts";
import type { Queries, Values } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";
import { type RowidOrder, type RowidRange, rowidOrder, rowidRanges, timesOf } from "../tables/time-window.ts";
import { historyColumns, historyPrints, historyRecord } from "./history.ts";
import { countHistory } from "./history-count.ts";

/** All rowids, and none. */
const WHOLE: RowidRange = { first: Number.MIN_SAFE_INTEGER, last: Number.MAX_SAFE_INTEGER };
const NO_ROWS: RowidRange = { first: 1, last: 0 };

export function historyWindowReads(handle: Queries, tables: AppTables): Sync<HistoryWindowReads> {
  const history = tables.readable("state_backend", "history");
  /** Looked up once for all windows of a snapshot: a page may ask for many. Null while the table is missing or empty. */
  let known: RowidOrder | null = null;
  const order = (windows: readonly HistoryWindow[] = []): RowidOrder | null => {
    known ??= history.exists ? rowidOrder(handle, history.sql, "history_timestamp", timesOf(windows)) : null;
    return known;
  };

  const rangesOf = (windows: readonly HistoryWindow[]): RowidRange[] => {
    // Without an end, the order is not needed.
    if (windows.every(({ from, to }) => from === undefined && to === undefined)) return windows.map(() => WHOLE);
    const rowids = order(windows);
    return rowids === null ? [] : rowidRanges(rowids, windows);
  };

  /** Rows of each window, `limit` at most. */
  const rowsWithin = (windows: readonly HistoryWindow[], limit: number, end: "earliest" | "latest"): Row[][] => {
    if (!history.exists || windows.length === 0) return windows.map(() => []);
    const ranges = rangesOf(windows);
    const ofWindow = `SELECT * FROM (SELECT ? AS window, h.rowid AS rowid, ${historyColumns("h")} FROM ${history.sql} h
       WHERE h.rowid BETWEEN ? AND ? AND history_timestamp >= ? AND history_timestamp <= ?
       ORDER BY h.rowid ${end === "earliest" ? "ASC" : "DESC"} LIMIT ?)`;
    const rows = handle.all(
      windows.map(() => ofWindow).join(" UNION ALL "),
      ...windows.flatMap(({ from = Number.MIN_SAFE_INTEGER, to = Number.MAX_SAFE_INTEGER }, at) => {
        const { first, last } = ranges[at] ?? NO_ROWS;
        return [at, first, last, from, to, limit];
      }),
    );
    rows.sort((a, b) => Number(a.history_timestamp) - Number(b.history_timestamp) || Number(a.rowid) - Number(b.rowid));
    return windows.map((_, at) => rows.filter(({ window }) => window === at));
  };
  const rowsBetween = (window: HistoryWindow, limit: number, end: "earliest" | "latest") =>
    rowsWithin([window], limit, end)[0] ?? [];

  return {
    listActive({ from, to, by }, limit, scanLimit, after) {
      const rowids = order();
      if (rowids === null) return { rows: [], scanned: 0, exhausted: true, last_cursor: null };
      const [range = rowids] = rowidRanges(rowids, [{ from, to }]);
      const last = after === undefined ? range.last : Math.min(range.last, (Number(after) || 0) - 1);
      const first = Math.max(range.first, last - scanLimit + 1);
      const inWindow = (alias: string) => [
        ...(from === undefined ? [] : [`${alias}.history_timestamp >= ?`]),
        ...(to === undefined ? [] : [`${alias}.history_timestamp <= ?`]),
        ...(by === undefined ? [] : [roleCondition(alias, by.role)]),
      ];
      const windowValues: Values = [
        ...(from === undefined ? [] : [from]),
        ...(to === undefined ? [] : [to]),
        ...(by === undefined ? [] : roleValues(by)),
      ];
      // An invocation is listed at its latest entry in the window; an entry is skipped if there is a later one.
      const later = [
        "l.invocation_id = h.invocation_id",
        "(l.history_timestamp > h.history_timestamp OR (l.history_timestamp = h.history_timestamp AND l.rowid > h.rowid))",
        ...inWindow("l"),
      ].join(" AND ");
      const rows = handle
        .all(
          `SELECT h.rowid AS cursor, h.invocation_id FROM ${history.sql} h
           WHERE ${["h.rowid BETWEEN ? AND ?", ...inWindow("h")].join(" AND ")}
             AND NOT EXISTS (SELECT 1 FROM ${history.sql} l WHERE ${later})
           ORDER BY h.rowid DESC LIMIT ?`,
          first,
          last,
          ...windowValues,
          ...windowValues,
          limit,
        )
        .map((row) => ({ invocation_id: text(row.invocation_id), cursor: String(row.cursor) }));
      const reached = rows.length === limit ? Number(rows.at(-1)?.cursor) : first;
      return {
        rows,
        scanned: Math.max(0, last - reached + 1),
        exhausted: rows.length < limit && first <= range.first,
        last_cursor: String(reached),
      };
    },

    historyBetween: (window, limit, end) => rowsBetween(window, limit, end).map(historyRecord),

    historyWithin: (windows, each) => rowsWithin(windows, each, "earliest").map((rows) => rows.map(historyRecord)),

    printedBetween(window, limit) {
      const rows = rowsBetween(window, limit, "latest");
      return { entries: rows.map(historyRecord), prints: historyPrints(rows) };
    },

    printsBetween: (window, limit) => historyPrints(rowsBetween(window, limit, "latest")),

    countHistory: (window) => countHistory(handle, history.sql, order(), window),

    historySpan() {
      if (!history.exists) return null;
      // Rowids grow with time, so the first and last times are near the ends of the table, except for slight disorder of neighbouring rows.
      const end = (which: string, direction: string) =>
        `(SELECT ${which}(t) FROM (SELECT history_timestamp AS t FROM ${history.sql} ORDER BY rowid ${direction} LIMIT 200))`;
      const ends = handle.get(`SELECT ${end("min", "ASC")} AS first, ${end("max", "DESC")} AS last`);
      const [first, last] = [numberOrNull(ends?.first), numberOrNull(ends?.last)];
      return first === null || last === null ? null : { first, last };
    },
  };
}

/**
 * `hasRole` as SQL; its parameters are `roleValues`. The id is only inside the JSON: a text search rules out nearly every row before parsing, and
 * malformed JSON does not match instead of failing the query.
 */
function roleCondition(entry: string, role: RunnerRole["role"]): string {
  const isWriter = `json_extract(${entry}.history_json, '$.runner_context_id') = ?`;
  const isOwner = `json_extract(${entry}.history_json, '$.status_record.runner_id') = ?`;
  const ends = ENDS_OF_WORK.map((status) => `'${status}'`).join(", ");
  const [registered, met] =
    role === "registrar"
      ? ["<>", isWriter]
      : ["=", `(${isOwner} OR (${entry}.history_status IN (${ends}) AND ${isWriter}))`];
  return `CASE WHEN ${entry}.history_status ${registered} 'registered' OR instr(${entry}.history_json, ?) = 0 THEN 0
    WHEN json_valid(${entry}.history_json) THEN ${met} ELSE 0 END`;
}

function roleValues({ role, runner_id }: RunnerRole): Values {
  const quoted = pythonString(runner_id);
  return role === "registrar" ? [quoted, runner_id] : [quoted, runner_id, runner_id];
}
