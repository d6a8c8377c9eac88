/** Trigger runs (storage-format.md 5.5). */
import { parseTriggerRun } from "../../../pynenc/json-records.ts";
import type { TriggerRunRecord } from "../../../pynenc/records.ts";
import { triggerRunRecord } from "../../../pynenc/trigger-records.ts";
import type { Slice } from "../../ports/common.ts";
import type { TriggerRunFilter, TriggerRunReads } from "../../ports/trigger.ts";
import { LIST_BYTES } from "../../value-limit.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { document, instantOrNull, number, text, textOrNull } from "../tables/columns.ts";
import type { Queries, Values } from "../tables/queries.ts";
import { limitedPerId } from "../tables/row-limit.ts";
import type { AppTables } from "../tables/tables.ts";

type RunConditions = { [Name in keyof TriggerRunFilter]: TriggerRunFilter[Name] | undefined };

/** Index table and column for each kind of participant (storage-format.md 3.6). */
const RUN_LINKS = {
  event: { table: "trigger_run_conditions", column: "event_id" },
  source_invocation: { table: "trigger_run_conditions", column: "source_invocation_id" },
  valid_condition: { table: "trigger_run_conditions", column: "valid_condition_id" },
  triggered_invocation: { table: "trigger_runs", column: "triggered_invocation_id" },
} as const;

export function triggerRunReads(handle: Queries, tables: AppTables): Sync<TriggerRunReads> {
  const runs = tables.readable("trigger", "trigger_runs");
  const columnsOf = (
    bytes: number,
  ) => `r.trigger_run_id, r.trigger_id, r.task_id_key, r.logic_value, r.claimed_at, r.executed_at, r.triggered_invocation_id,
    ${document("r.trigger_run_json", bytes)} AS trigger_run_json`;
  const columns = columnsOf(LIST_BYTES);

  /** Time is indexed only within a task; otherwise rowids are used, which grow with insertion. */
  const runOrder = (filter: TriggerRunFilter) =>
    filter.task_id_key === undefined ? "r.rowid DESC" : "r.executed_at DESC, r.rowid DESC";

  function runConditions(filter: RunConditions): { where: string; values: Values } {
    const parts: string[] = [];
    const values: Values = [];
    const restrict = (condition: string, ...given: Values) => {
      parts.push(condition);
      values.push(...given);
    };
    if (filter.task_id_key !== undefined) restrict("r.task_id_key = ?", filter.task_id_key);
    if (filter.after !== undefined) {
      const valueIn = (columns: string) => `(SELECT ${columns} FROM ${runs.sql} WHERE trigger_run_id = ?)`;
      // Follows `runOrder`, where runs that were only claimed come last.
      if (filter.task_id_key === undefined) restrict(`r.rowid < ${valueIn("rowid")}`, filter.after);
      else
        restrict(`(ifnull(r.executed_at, -1), r.rowid) < ${valueIn("ifnull(executed_at, -1), rowid")}`, filter.after);
    }
    if (filter.trigger_id !== undefined) restrict("r.trigger_id = ?", filter.trigger_id);
    if (filter.from !== undefined || filter.to !== undefined) {
      // An index contains execution times with the tasks; walking it alone costs a twentieth of walking the rows. Runs that were claimed but not executed are
      // few.
      const within = (column: string) => `${column} >= ? AND ${column} <= ?`;
      const bounds = [filter.from ?? Number.MIN_SAFE_INTEGER, filter.to ?? Number.MAX_SAFE_INTEGER];
      restrict(
        `r.rowid IN (
           SELECT rowid FROM ${runs.sql} WHERE ${within("executed_at")}
           UNION ALL
           SELECT rowid FROM ${runs.sql}
           WHERE rowid IN (SELECT rowid FROM ${runs.sql} WHERE executed_at IS NULL) AND ${within("claimed_at")})`,
        ...bounds,
        ...bounds,
      );
    }
    if (filter.context_type !== undefined) {
      const participants = tables.readable("trigger", "trigger_run_conditions");
      restrict(
        participants.exists
          ? `EXISTS (SELECT 1 FROM ${participants.sql} p WHERE p.trigger_run_id = r.trigger_run_id AND p.context_type = ?)`
          : "? IS NULL",
        filter.context_type,
      );
    }
    if (filter.atomic_service_run_id !== undefined) {
      // The id is only inside the JSON; a text search rules out nearly every row before parsing.
      restrict(
        `CASE WHEN instr(r.trigger_run_json, ?) = 0 THEN 0 WHEN json_valid(r.trigger_run_json)
         THEN json_extract(r.trigger_run_json, '$.atomic_service_run_id') = ? ELSE 0 END`,
        filter.atomic_service_run_id,
        filter.atomic_service_run_id,
      );
    }
    return { where: parts.length > 0 ? `WHERE ${parts.join(" AND ")}` : "", values };
  }

  function selectRuns(filter: TriggerRunFilter, { limit, offset }: Slice): TriggerRunRecord[] {
    if (!runs.exists) return [];
    const { where, values } = runConditions(filter);
    return handle
      .all(
        `SELECT ${columns} FROM ${runs.sql} r ${where} ORDER BY ${runOrder(filter)} LIMIT ? OFFSET ?`,
        ...values,
        limit,
        offset,
      )
      .map(triggerRunOf);
  }

  function countRuns(filter: TriggerRunFilter, cap: number): number {
    if (!runs.exists) return 0;
    const { where, values } = runConditions(filter);
    return handle.number(`SELECT count(*) FROM (SELECT 1 FROM ${runs.sql} r ${where} LIMIT ?)`, ...values, cap);
  }

  /** Rowids, newest first. */
  function runIds(filter: TriggerRunFilter, limit: number): number[] {
    if (!runs.exists) return [];
    const { where, values } = runConditions(filter);
    return handle
      .all(`SELECT r.rowid AS id FROM ${runs.sql} r ${where} ORDER BY ${runOrder(filter)} LIMIT ?`, ...values, limit)
      .map((row) => number(row.id));
  }

  return {
    triggerRunsByIds(triggerRunIds, bytes = LIST_BYTES) {
      if (!runs.exists || triggerRunIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${columnsOf(bytes)} FROM ${runs.sql} r WHERE trigger_run_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(triggerRunIds),
        )
        .map(triggerRunOf);
    },

    triggerRunsOf(kind, ids, limit) {
      const { table: name, column } = RUN_LINKS[kind];
      const { exists, sql } = tables.readable("trigger", name);
      if (!exists || ids.length === 0) return [];
      // A run has one row per participant, and several may refer to the same id, so count runs, not rows.
      const found = limitedPerId({ table: sql, column, order: "min(k.rowid)", distinct: "trigger_run_id" }, limit);
      return handle
        .all(
          `SELECT DISTINCT t.trigger_run_id, t.${column} AS "of" FROM json_each(?) j
           CROSS JOIN ${sql} t ON ${found.on("t")} LIMIT ?`,
          JSON.stringify(ids),
          ...found.values,
        )
        .map((row) => ({ trigger_run_id: text(row.trigger_run_id), of: text(row.of) }));
    },

    listTriggerRuns: selectRuns,

    countTriggerRuns: countRuns,

    searchTriggerRuns(filter, slice, scanLimit) {
      const { trigger_id, context_type, atomic_service_run_id, ...indexed } = filter;
      const others = { trigger_id, context_type, atomic_service_run_id };
      if (Object.values(others).every((wanted) => wanted === undefined)) {
        const matching = countRuns(indexed, scanLimit);
        return {
          runs: selectRuns(indexed, slice),
          matching,
          scanned: matching,
          complete: matching < scanLimit,
          last_scanned: null,
        };
      }
      const candidates = runIds(indexed, scanLimit + 1);
      const scanned = candidates.slice(0, scanLimit);
      const { where, values } = runConditions(others);
      const matches =
        scanned.length === 0
          ? []
          : handle
              .all(
                `SELECT r.rowid AS id FROM json_each(?) c CROSS JOIN ${runs.sql} r ON r.rowid = c.value ${where} ORDER BY c.key`,
                JSON.stringify(scanned),
                ...values,
              )
              .map((row) => number(row.id));
      const shown = matches.slice(slice.offset, slice.offset + slice.limit);
      const records =
        shown.length === 0
          ? []
          : handle
              .all(
                `SELECT ${columns} FROM json_each(?) c CROSS JOIN ${runs.sql} r ON r.rowid = c.value ORDER BY c.key`,
                JSON.stringify(shown),
              )
              .map(triggerRunOf);
      const complete = candidates.length <= scanLimit;
      const last = scanned.at(-1);
      const last_scanned =
        last === undefined
          ? null
          : text(handle.get(`SELECT trigger_run_id FROM ${runs.sql} WHERE rowid = ?`, last)?.trigger_run_id);
      return { runs: records, matching: matches.length, scanned: scanned.length, complete, last_scanned };
    },
  };
}

function triggerRunOf(row: Row): TriggerRunRecord {
  const columns = {
    trigger_run_id: text(row.trigger_run_id),
    trigger_id: text(row.trigger_id),
    task_id_key: text(row.task_id_key),
    logic_value: text(row.logic_value),
    claimed_at: instantOrNull(row.claimed_at),
    executed_at: instantOrNull(row.executed_at),
    triggered_invocation_id: textOrNull(row.triggered_invocation_id),
  };
  return triggerRunRecord(columns, parseTriggerRun(text(row.trigger_run_json)));
}
