/**
 * Reads the history in the order of insertion, from any cursor in either direction. Cursors contain rowids, which grow with insertion
 * (storage-format.md 3.8).
 */
import type { Cursor } from "../../ports/common.ts";
import type { StateBackendReads } from "../../ports/state-backend.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { number } from "../tables/columns.ts";
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
  const fingerprintOf = ({ invocation_id, history_timestamp, history_status }: Row) =>
    JSON.stringify([invocation_id, history_timestamp, history_status]);
  /** Rows before a position in ascending order, because operating systems read ahead: an uncached file takes four times as long in descending order. */
  const rowsBefore = (cursor: Cursor, limit: number) => {
    const rowid = Number(cursor.slice(0, cursor.indexOf(" ")));
    if (!history.exists) return { rows: [], cursor, exhausted: true };
    // Rowids may have gaps.
    const rows = handle.all(
      `SELECT h.rowid, ${columns} FROM ${history.sql} h
       WHERE rowid > (SELECT coalesce(max(rowid), 0) FROM ${history.sql} WHERE rowid <= ?) - ? AND rowid > 0 AND rowid <= ? ORDER BY rowid`,
      rowid,
      limit,
      rowid,
    );
    const before = Math.max(0, number(rows.at(-1)?.rowid ?? 0) - limit);
    return { rows, cursor: `${before} `, exhausted: before === 0 };
  };
  const cursorAfter = (row: Row | undefined) =>
    row === undefined ? "0 " : `${number(row.rowid)} ${fingerprintOf(row)}`;

  return {
    historyEnd() {
      if (!history.exists) return "0 ";
      return cursorAfter(handle.get(`SELECT h.rowid, ${columns} FROM ${history.sql} h ORDER BY rowid DESC LIMIT 1`));
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
      // With the row of the cursor, if there is one.
      const own = rowid > 0 ? 1 : 0;
      const read = handle.all(
        `SELECT h.rowid, ${columns} FROM ${history.sql} h WHERE rowid >= ? ORDER BY rowid LIMIT ?`,
        rowid + 1 - own,
        limit + own,
      );
      const rows = read.slice(own);
      const [known] = read;
      if (own > 0 && (known === undefined || number(known.rowid) !== rowid || fingerprintOf(known) !== sign))
        return { ...nothing, lost: true };
      const last = rows.at(-1);
      return {
        ...nothing,
        entries: rows.map(historyRecord),
        prints: historyPrints(rows),
        cursor: last === undefined ? cursor : cursorAfter(last),
        exhausted: rows.length < limit,
      };
    },

    printsBefore(cursor, limit) {
      const { rows, ...reached } = rowsBefore(cursor, limit);
      return { ...reached, prints: historyPrints(rows) };
    },
  };
}
