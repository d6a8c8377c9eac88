/**
 * Reads the history in the order of insertion, from any cursor in either direction. Cursors contain rowids, which grow with insertion
 * (storage-format.md 3.8).
 */
import type { Cursor } from "../../ports/common.ts";
import type { StateBackendReads } from "../../ports/state-backend.ts";
import type { Sync } from "../calls/sync.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";
import { historyColumns, historyPrints, historyRecord } from "./history.ts";

export function historyStretchReads(
  handle: Queries,
  tables: AppTables,
): Sync<Pick<StateBackendReads, "historyEnd" | "historyFrom" | "printsBefore">> {
  const history = tables.readable("state_backend", "history");
  const columns = historyColumns("h");
  /** Distinguishes a row from another one that got the same rowid after a purge. */
  const fingerprintOf = (rowid: number) => {
    const row = handle.get(
      `SELECT invocation_id, history_timestamp, history_status FROM ${history.sql} WHERE rowid = ?`,
      rowid,
    );
    return row === undefined ? "" : JSON.stringify(Object.values(row));
  };
  /** Rows before a position in ascending order, because operating systems read ahead: an uncached file takes four times as long in descending order. */
  const rowsBefore = (cursor: Cursor, limit: number) => {
    const rowid = Number(cursor.slice(0, cursor.indexOf(" ")));
    if (!history.exists) return { rows: [], cursor, exhausted: true };
    // Rowids may have gaps.
    const last = handle.number(`SELECT coalesce(max(rowid), 0) FROM ${history.sql} WHERE rowid <= ?`, rowid);
    const before = Math.max(0, last - limit);
    const rows = handle.all(
      `SELECT h.rowid, ${columns} FROM ${history.sql} h WHERE rowid > ? AND rowid <= ? ORDER BY rowid`,
      before,
      last,
    );
    return { rows, cursor: `${before} `, exhausted: before === 0 };
  };
  const cursorAfter = (rowid: number) => `${rowid} ${rowid === 0 ? "" : fingerprintOf(rowid)}`;

  return {
    historyEnd() {
      if (!history.exists) return "0 ";
      return cursorAfter(handle.number(`SELECT coalesce(max(rowid), 0) FROM ${history.sql}`));
    },

    historyFrom(cursor, direction, limit) {
      const space = cursor.indexOf(" ");
      const [rowid, sign] = [Number(cursor.slice(0, space)), cursor.slice(space + 1)];
      const nothing = { entries: [], prints: [], cursor, exhausted: true, lost: false, late: 0 };
      if (direction === "older") {
        const { rows, ...reached } = rowsBefore(cursor, limit);
        return { ...nothing, ...reached, entries: rows.map(historyRecord), prints: historyPrints(rows) };
      }
      if (!history.exists) return { ...nothing, lost: rowid > 0 };
      if (rowid > 0 && fingerprintOf(rowid) !== sign) return { ...nothing, lost: true };
      const rows = handle.all(
        `SELECT h.rowid, ${columns} FROM ${history.sql} h WHERE rowid > ? ORDER BY rowid LIMIT ?`,
        rowid,
        limit,
      );
      const last = rows.at(-1);
      return {
        ...nothing,
        entries: rows.map(historyRecord),
        prints: historyPrints(rows),
        cursor: last === undefined ? cursor : cursorAfter(Number(last.rowid)),
        exhausted: rows.length < limit,
      };
    },

    printsBefore(cursor, limit) {
      const { rows, ...reached } = rowsBefore(cursor, limit);
      return { ...reached, prints: historyPrints(rows) };
    },
  };
}
