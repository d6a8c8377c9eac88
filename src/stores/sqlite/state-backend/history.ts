/** Histories of invocations. */
import { parseHistory, parseStatusTime } from "../../../pynenc/json-records.ts";
import type { HistoryRecord } from "../../../pynenc/records.ts";
import { printOf, type RowPrint } from "../../../pynenc/row-prints.ts";
import { FINAL_STATUSES } from "../../../pynenc/statuses.ts";
import { historySpans } from "../../history-spans.ts";
import type { HistoryReads } from "../../ports/state-backend.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { document, instant, number, text } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

/** Statuses that only the first or the last entry can have. */
const ENDS = ["registered", ...FINAL_STATUSES];

export function historyReads(handle: Queries, tables: AppTables): Sync<HistoryReads> {
  const history = tables.readable("state_backend", "history");
  const columns = historyColumns("h");

  return {
    historyOf(invocationIds, limit) {
      if (!history.exists || invocationIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${columns} FROM json_each(?) j CROSS JOIN ${history.sql} h ON h.invocation_id = j.value
           ORDER BY h.rowid LIMIT ?`,
          JSON.stringify(invocationIds),
          limit,
        )
        .map(historyRecord);
    },

    historyEndOf(invocationId, limit) {
      if (!history.exists) return [];
      return handle
        .all(
          `SELECT ${columns} FROM ${history.sql} h WHERE h.invocation_id = ?
           ORDER BY h.rowid DESC LIMIT ?`,
          invocationId,
          limit,
        )
        .map(historyRecord)
        .reverse();
    },

    countHistoryOf: (invocationId) =>
      history.exists ? handle.number(`SELECT count(*) FROM ${history.sql} WHERE invocation_id = ?`, invocationId) : 0,

    historySpanOf(invocationIds) {
      if (!history.exists || invocationIds.length === 0) return [];
      // All that `endsOf` may choose; the index on the invocation has all of these columns.
      const own = `FROM ${history.sql} WHERE invocation_id = j.value`;
      const candidates = [
        `SELECT rowid ${own} AND history_status IN (${ENDS.map((status) => `'${status}'`).join(", ")})`,
        `SELECT max(rowid) ${own}`,
        ...["ASC", "DESC"].map(
          (direction) =>
            `SELECT * FROM (SELECT rowid ${own} ORDER BY history_timestamp ${direction}, rowid ${direction} LIMIT 1)`,
        ),
      ];
      const ids = [...new Set(invocationIds)];
      const ends = handle
        .all(
          `SELECT j.key AS position, h.history_timestamp, h.history_status, ${document("h.history_json")} AS history_json
           FROM json_each(?) j CROSS JOIN ${history.sql} h ON h.rowid IN (${candidates.join(" UNION ALL ")})
           ORDER BY h.rowid`,
          JSON.stringify(ids),
        )
        .map((row) => {
          const written_at = instant(row.history_timestamp);
          const timestamp = parseStatusTime(text(row.history_json)) ?? written_at;
          return {
            invocation_id: ids[number(row.position)] ?? "",
            status: text(row.history_status),
            timestamp,
            written_at,
          };
        });
      return historySpans(ends);
    },

    lastEntriesBefore(invocationIds, before) {
      if (!history.exists || invocationIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${columns} FROM json_each(?) j CROSS JOIN ${history.sql} h ON h.rowid =
             (SELECT l.rowid FROM ${history.sql} l WHERE l.invocation_id = j.value AND l.history_timestamp < ?
              ORDER BY l.history_timestamp DESC, l.rowid DESC LIMIT 1)`,
          JSON.stringify(invocationIds),
          before,
        )
        .map(historyRecord);
    },
  };
}

/** Fingerprints of rows of the history table. */
export function historyPrints(rows: readonly Row[]): RowPrint[] {
  const prints: RowPrint[] = [];
  for (const row of rows) {
    const written_at = number(row.history_timestamp);
    const texts = [text(row.invocation_id), text(row.history_status), text(row.history_json)];
    if (Number.isFinite(written_at)) prints.push({ written_at, print: printOf(written_at, texts) });
  }
  return prints;
}

/** What `historyRecord` reads. */
export function historyColumns(table: string): string {
  const json = document(`${table}.history_json`);
  return `${table}.invocation_id, ${table}.history_timestamp, ${table}.history_status, ${json} AS history_json`;
}

/** A row of the history table. */
export function historyRecord(row: Row): HistoryRecord {
  const details = parseHistory(text(row.history_json));
  const written_at = instant(row.history_timestamp);
  return {
    invocation_id: text(row.invocation_id),
    timestamp: details?.timestamp ?? written_at,
    written_at,
    status: text(row.history_status),
    status_runner_id: details?.status_runner_id ?? null,
    runner_context_id: details?.runner_context_id ?? null,
    registered_by_inv_id: details?.registered_by_inv_id ?? null,
  };
}
