import { validConditionId } from "../../../pynenc/identifiers.ts";
import { parseEvent, parseTriggerRun } from "../../../pynenc/json-records.ts";
import { withoutLargeMember } from "../../../pynenc/large-document.ts";
import type {
  ConditionRecord,
  EventSummary,
  TriggeredInvocation,
  TriggerRecord,
  TriggerRunRecord,
} from "../../../pynenc/records.ts";
import { epochFromIso } from "../../../pynenc/time.ts";
import { type EventColumns, eventRecord, largePayload, triggerRunRecord } from "../../../pynenc/trigger-records.ts";
import type {
  EventFilter,
  Slice,
  TriggerReads,
  TriggerRunFilter,
  ValidConditionOf,
  ValidConditionRow,
} from "../../ports.ts";
import { TAIL_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import type { Sync } from "../calls/sync.ts";
import { bounded, boundedText, number, numberOrNull, text, textOrNull } from "../tables/columns.ts";
import { distinctValues } from "../tables/distinct-values.ts";
import { idRange } from "../tables/id-range.ts";
import type { Queries } from "../tables/queries.ts";
import { limitedPerId } from "../tables/row-limit.ts";
import type { AppTables } from "../tables/tables.ts";

type Row = Record<string, unknown>;
type Values = (string | number)[];
type RunConditions = { [Name in keyof TriggerRunFilter]: TriggerRunFilter[Name] | undefined };

/** Where each way to a trigger run is indexed (storage-format.md 3.6). */
const RUN_LINKS = {
  event: { table: "trigger_run_conditions", column: "event_id" },
  source_invocation: { table: "trigger_run_conditions", column: "source_invocation_id" },
  valid_condition: { table: "trigger_run_conditions", column: "valid_condition_id" },
  triggered_invocation: { table: "trigger_runs", column: "triggered_invocation_id" },
} as const;

/** Trigger definitions, events and trigger runs (storage-format.md 3.6, chapter 5). */
export function triggerReads(handle: Queries, tables: AppTables): Sync<TriggerReads> {
  const table = (name: Parameters<typeof tables.sql<"trigger">>[1]) => ({
    exists: tables.has("trigger", name),
    sql: tables.sql("trigger", name),
  });
  const events = table("events");
  const matches = table("event_conditions");
  const links = table("event_triggered_invocations");
  const runs = table("trigger_runs");
  const triggers = table("triggers");
  const conditions = table("conditions");
  const conditionTriggers = table("condition_triggers");
  const sources = table("source_task_conditions");
  const valid = table("valid_conditions");
  const count = ({ exists, sql }: { exists: boolean; sql: string }) =>
    exists ? handle.number(`SELECT count(*) FROM ${sql}`) : 0;
  const runnerColumn = tables.has("trigger", "events", "emitted_by_runner_context_id")
    ? "e.emitted_by_runner_context_id"
    : "NULL AS emitted_by_runner_context_id";
  const isTriggered = links.exists ? `EXISTS (SELECT 1 FROM ${links.sql} l WHERE l.event_id = e.event_id)` : "0";
  const summaryColumns = `e.event_id, e.event_code, e.event_timestamp, e.matched_condition_count,
    ${isTriggered} AS triggered, e.emitted_by_invocation_id, e.emitted_by_task_id, ${runnerColumn}`;

  function eventConditions(filter: EventFilter, after?: EventSummary): { where: string; values: Values } {
    const parts: string[] = [];
    const values: Values = [];
    const restrict = (condition: string, ...given: Values) => {
      parts.push(condition);
      values.push(...given);
    };
    if (filter.event_code !== undefined) restrict("e.event_code = ?", filter.event_code);
    if (filter.from !== undefined) restrict("e.event_timestamp >= ?", filter.from);
    if (filter.to !== undefined) restrict("e.event_timestamp <= ?", filter.to);
    if (filter.matched !== undefined) restrict(`e.matched_condition_count ${filter.matched ? "> 0" : "= 0"}`);
    if (filter.triggered !== undefined) restrict(filter.triggered ? isTriggered : `NOT ${isTriggered}`);
    if (after !== undefined) restrict("(e.event_timestamp, e.event_id) < (?, ?)", after.timestamp, after.event_id);
    return { where: parts.length > 0 ? `WHERE ${parts.join(" AND ")}` : "", values };
  }

  function selectEvents(
    filter: EventFilter,
    order: "ASC" | "DESC",
    limit: number,
    offset: number,
    after?: EventSummary,
  ) {
    if (!events.exists) return [];
    const { where, values } = eventConditions(filter, after);
    const ordered = `ORDER BY e.event_timestamp ${order}, e.event_id ${order}`;
    // Rows are chosen before their columns are made: a page far down the list would look up the index of every row it skips.
    return handle
      .all(
        `SELECT ${summaryColumns}
         FROM (SELECT e.rowid AS chosen FROM ${events.sql} e ${where} ${ordered} LIMIT ? OFFSET ?) page
         CROSS JOIN ${events.sql} e ON e.rowid = page.chosen ${ordered}`,
        ...values,
        limit,
        offset,
      )
      .map(eventSummary);
  }

  /** Time is indexed within a task only; otherwise rowids stand for it, which grow with the writing of runs. */
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
    if (filter.trigger_id !== undefined) restrict("r.trigger_id = ?", filter.trigger_id);
    if (filter.from !== undefined || filter.to !== undefined) {
      // An index holds the times of execution beside the tasks: walking it alone is a twentieth of walking the rows. Runs that were claimed
      // and not executed are few.
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
      const participants = table("trigger_run_conditions");
      restrict(
        participants.exists
          ? `EXISTS (SELECT 1 FROM ${participants.sql} p WHERE p.trigger_run_id = r.trigger_run_id AND p.context_type = ?)`
          : "? IS NULL",
        filter.context_type,
      );
    }
    if (filter.atomic_service_run_id !== undefined) {
      // The id stands only inside the JSON; the text search rules out nearly every row before anything is parsed.
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
        `SELECT * FROM ${runs.sql} r ${where} ORDER BY ${runOrder(filter)} LIMIT ? OFFSET ?`,
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

  // The id of a valid condition begins with that of its condition, and is the primary key.
  const validOf = `${valid.sql} k WHERE k.valid_condition_id >= j.value ->> 'from' AND k.valid_condition_id < j.value ->> 'to'
    ORDER BY k.valid_condition_id`;
  /** Of a record that is not as pynenc writes it: SQLite reads it whole. */
  const withoutPayload = (row: Row) =>
    text(
      handle.get(
        `SELECT json_remove(event_json, '$.payload') AS json FROM ${events.sql} WHERE event_id = ? AND json_valid(event_json)`,
        text(row.event_id),
      )?.json,
    );
  const validJson = (column: string) => bounded(column, VALUE_BYTES, "json");
  const rangesOf = (conditionIds: readonly string[]) =>
    JSON.stringify(
      [...new Set(conditionIds)].map((condition_id) => ({
        condition_id,
        ...idRange(validConditionId(condition_id, "")),
      })),
    );

  /** Definitions with their conditions, from rows of the triggers table. */
  function withConditions(rows: readonly Row[]): TriggerRecord[] {
    const ids = rows.map((row) => text(row.trigger_id));
    const pairs =
      conditionTriggers.exists && ids.length > 0
        ? handle.all(
            `SELECT condition_id, trigger_id FROM ${conditionTriggers.sql}
             WHERE trigger_id IN (SELECT value FROM json_each(?)) ORDER BY condition_id`,
            JSON.stringify(ids),
          )
        : [];
    return rows.map((row) => ({
      trigger_id: text(row.trigger_id),
      task_id_key: text(row.task_id_key),
      logic_value: text(row.logic_value),
      argument_provider_json: textOrNull(row.argument_provider_json),
      condition_ids: pairs.filter((pair) => pair.trigger_id === row.trigger_id).map((pair) => text(pair.condition_id)),
    }));
  }

  return {
    eventCounters() {
      if (!events.exists || !runs.exists) return null;
      return {
        recorded: count(events),
        // Rows here are matches only (storage-format.md 3.6), and their primary key is a tenth of the events table.
        matched: matches.exists ? handle.number(`SELECT count(DISTINCT event_id) FROM ${matches.sql}`) : 0,
        triggered: links.exists ? handle.number(`SELECT count(DISTINCT event_id) FROM ${links.sql}`) : 0,
        codes: distinctValues(handle, events.sql, "event_code").length,
        trigger_runs: count(runs),
      };
    },

    triggeredTasks() {
      const started = triggers.exists
        ? handle.all(`SELECT task_id_key, count(*) AS n FROM ${triggers.sql} GROUP BY task_id_key`)
        : [];
      const watched = sources.exists ? handle.all(`SELECT DISTINCT task_id_key FROM ${sources.sql}`) : [];
      const counts = new Map(watched.map((row) => [text(row.task_id_key), 0]));
      for (const row of started) counts.set(text(row.task_id_key), number(row.n));
      return [...counts].map(([task_id_key, n]) => ({ task_id_key, triggers: n }));
    },

    countValidConditions: () => count(valid),

    countDefinitions: () => ({ triggers: count(triggers), conditions: count(conditions) }),

    listEvents: (filter, { limit, offset }, after) => selectEvents(filter, "DESC", limit, offset, after),

    listEventsForward: (filter, { limit, offset }) => selectEvents(filter, "ASC", limit, offset),

    countEvents(filter, cap) {
      if (!events.exists) return 0;
      const { where, values } = eventConditions(filter);
      return handle.number(`SELECT count(*) FROM (SELECT 1 FROM ${events.sql} e ${where} LIMIT ?)`, ...values, cap);
    },

    eventCodes: (limit) => (events.exists ? distinctValues(handle, events.sql, "event_code", limit) : []),

    eventsByIds(eventIds, payloadBytes = VALUE_BYTES) {
      if (!events.exists || eventIds.length === 0) return [];
      return handle
        .all(
          `SELECT e.event_id, e.event_code, e.event_timestamp, e.emitted_by_invocation_id, e.emitted_by_task_id, ${runnerColumn},
             ${bounded("e.event_json", Math.max(payloadBytes, TAIL_BYTES), "json")},
             CASE WHEN octet_length(e.event_json) > ${Math.max(payloadBytes, TAIL_BYTES)}
               THEN substr(CAST(e.event_json AS BLOB), -${TAIL_BYTES}) END AS tail
           FROM ${events.sql} e WHERE e.event_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(eventIds),
        )
        .map((row) => {
          const { text: json, whole_size } = boundedText(row, "json");
          if (whole_size === undefined) {
            return eventRecord(eventColumns(row), parseEvent(json), largePayload(json, payloadBytes));
          }
          const ends = withoutLargeMember(json, text(row.tail), whole_size, "payload");
          return eventRecord(
            eventColumns(row),
            parseEvent(ends?.json ?? withoutPayload(row)),
            ends?.size ?? whole_size,
          );
        });
    },

    eventsEmittedBy(invocationIds, limit) {
      if (!events.exists || invocationIds.length === 0) return [];
      const found = limitedPerId(
        { table: events.sql, column: "emitted_by_invocation_id", order: "k.event_timestamp, k.rowid" },
        limit,
      );
      return handle
        .all(
          `SELECT ${summaryColumns} FROM json_each(?) j
           CROSS JOIN ${events.sql} e ON ${found.on("e")}
           ORDER BY e.event_timestamp LIMIT ?`,
          JSON.stringify(invocationIds),
          ...found.values,
        )
        .map(eventSummary);
    },

    triggeredBy(eventIds, limit) {
      if (!links.exists || eventIds.length === 0) return [];
      const found = limitedPerId({ table: links.sql, column: "event_id", order: "k.linked_at, k.rowid" }, limit);
      return handle
        .all(
          `SELECT l.event_id, l.invocation_id, l.trigger_run_id, l.linked_at FROM json_each(?) j
           CROSS JOIN ${links.sql} l ON ${found.on("l")} ORDER BY l.linked_at LIMIT ?`,
          JSON.stringify(eventIds),
          ...found.values,
        )
        .map(
          (row): TriggeredInvocation => ({
            event_id: text(row.event_id),
            invocation_id: text(row.invocation_id),
            trigger_run_id: textOrNull(row.trigger_run_id),
            linked_at: numberOrNull(row.linked_at),
          }),
        );
    },

    triggerRunsByIds(triggerRunIds) {
      if (!runs.exists || triggerRunIds.length === 0) return [];
      return handle
        .all(
          `SELECT * FROM ${runs.sql} WHERE trigger_run_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(triggerRunIds),
        )
        .map(triggerRunOf);
    },

    triggerRunsOf(kind, ids, limit) {
      const { table: name, column } = RUN_LINKS[kind];
      const { exists, sql } = table(name);
      if (!exists || ids.length === 0) return [];
      // A run has a row for each participant, and several of them can be the same: runs are counted, not rows.
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

    searchTriggerRuns(filter, slice, lookLimit) {
      const { trigger_id, context_type, atomic_service_run_id, ...indexed } = filter;
      const others = { trigger_id, context_type, atomic_service_run_id };
      if (Object.values(others).every((wanted) => wanted === undefined)) {
        const matching = countRuns(indexed, lookLimit);
        return { runs: selectRuns(indexed, slice), matching, looked: matching, whole: matching < lookLimit };
      }
      const candidates = runIds(indexed, lookLimit + 1);
      const looked = candidates.slice(0, lookLimit);
      const { where, values } = runConditions(others);
      const matches =
        looked.length === 0
          ? []
          : handle
              .all(
                `SELECT r.rowid AS id FROM json_each(?) c CROSS JOIN ${runs.sql} r ON r.rowid = c.value ${where} ORDER BY c.key`,
                JSON.stringify(looked),
                ...values,
              )
              .map((row) => number(row.id));
      const shown = matches.slice(slice.offset, slice.offset + slice.limit);
      const records =
        shown.length === 0
          ? []
          : handle
              .all(
                `SELECT r.* FROM json_each(?) c CROSS JOIN ${runs.sql} r ON r.rowid = c.value ORDER BY c.key`,
                JSON.stringify(shown),
              )
              .map(triggerRunOf);
      const whole = candidates.length <= lookLimit;
      return { runs: records, matching: matches.length, looked: looked.length, whole };
    },

    triggersByIds(triggerIds) {
      if (!triggers.exists || triggerIds.length === 0) return [];
      return withConditions(
        handle.all(
          `SELECT * FROM ${triggers.sql} WHERE trigger_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(triggerIds),
        ),
      );
    },

    listTriggers({ limit, offset }) {
      if (!triggers.exists) return [];
      return withConditions(
        handle.all(`SELECT * FROM ${triggers.sql} ORDER BY task_id_key, trigger_id LIMIT ? OFFSET ?`, limit, offset),
      );
    },

    conditionsByIds(conditionIds) {
      if (!conditions.exists || conditionIds.length === 0) return [];
      return handle
        .all(
          `SELECT * FROM ${conditions.sql} WHERE condition_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(conditionIds),
        )
        .map(
          (row): ConditionRecord => ({
            condition_id: text(row.condition_id),
            condition_json: text(row.condition_json),
            last_cron_execution:
              typeof row.last_cron_execution === "string" ? epochFromIso(row.last_cron_execution) : null,
          }),
        );
    },

    triggersOfTasks(taskIdKeys, limit) {
      if (!triggers.exists || taskIdKeys.length === 0) return [];
      return withConditions(
        handle.all(
          `SELECT * FROM ${triggers.sql} WHERE task_id_key IN (SELECT value FROM json_each(?))
           ORDER BY task_id_key, trigger_id LIMIT ?`,
          JSON.stringify(taskIdKeys),
          limit,
        ),
      );
    },

    triggersOfConditions(conditionIds, limit) {
      if (!triggers.exists || !conditionTriggers.exists || conditionIds.length === 0) return [];
      return withConditions(
        handle.all(
          `SELECT DISTINCT t.* FROM ${conditionTriggers.sql} c JOIN ${triggers.sql} t ON t.trigger_id = c.trigger_id
           WHERE c.condition_id IN (SELECT value FROM json_each(?)) ORDER BY t.task_id_key, t.trigger_id LIMIT ?`,
          JSON.stringify(conditionIds),
          limit,
        ),
      );
    },

    validConditionsByIds(ids) {
      if (!valid.exists || ids.length === 0) return [];
      return handle
        .all(
          `SELECT valid_condition_id, ${validJson("valid_condition_json")} FROM ${valid.sql}
           WHERE valid_condition_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(ids),
        )
        .map(validConditionRow);
    },

    listValidConditions({ limit, offset }) {
      if (!valid.exists) return [];
      return handle
        .all(
          `SELECT valid_condition_id, ${validJson("valid_condition_json")} FROM ${valid.sql} ORDER BY rowid DESC LIMIT ? OFFSET ?`,
          limit,
          offset,
        )
        .map(validConditionRow);
    },

    validConditionsOf(conditionIds, each) {
      if (!valid.exists || conditionIds.length === 0) return [];
      return handle
        .all(
          `SELECT j.value ->> 'condition_id' AS condition_id, v.valid_condition_id, ${validJson("v.valid_condition_json")}
           FROM json_each(?) j CROSS JOIN ${valid.sql} v ON v.rowid IN (SELECT k.rowid FROM ${validOf} LIMIT ?)
           ORDER BY v.valid_condition_id`,
          rangesOf(conditionIds),
          each,
        )
        .map((row): ValidConditionOf => ({ condition_id: text(row.condition_id), ...validConditionRow(row) }));
    },

    countValidConditionsOf(conditionIds, cap) {
      if (!valid.exists || conditionIds.length === 0) return {};
      const rows = handle.all<{ condition_id: string; n: number }>(
        `SELECT j.value ->> 'condition_id' AS condition_id, (SELECT count(*) FROM (SELECT 1 FROM ${validOf} LIMIT ?)) AS n
         FROM json_each(?) j`,
        cap,
        rangesOf(conditionIds),
      );
      return Object.fromEntries(rows.flatMap((row) => (row.n > 0 ? [[row.condition_id, row.n]] : [])));
    },
  };
}

function validConditionRow(row: Row): ValidConditionRow {
  const { text: valid_condition_json, ...mark } = boundedText(row, "json");
  return { valid_condition_id: text(row.valid_condition_id), valid_condition_json, ...mark };
}

function eventSummary(row: Row): EventSummary {
  return {
    ...eventColumns(row),
    matched_conditions: number(row.matched_condition_count),
    triggered: row.triggered === 1,
  };
}

function eventColumns(row: Row): EventColumns {
  return {
    event_id: text(row.event_id),
    event_code: text(row.event_code),
    timestamp: number(row.event_timestamp),
    emitted_by_invocation_id: textOrNull(row.emitted_by_invocation_id),
    emitted_by_task_id: textOrNull(row.emitted_by_task_id),
    emitted_by_runner_context_id: textOrNull(row.emitted_by_runner_context_id),
  };
}

function triggerRunOf(row: Row): TriggerRunRecord {
  const columns = {
    trigger_run_id: text(row.trigger_run_id),
    trigger_id: text(row.trigger_id),
    task_id_key: text(row.task_id_key),
    logic_value: text(row.logic_value),
    claimed_at: numberOrNull(row.claimed_at),
    executed_at: numberOrNull(row.executed_at),
    triggered_invocation_id: textOrNull(row.triggered_invocation_id),
  };
  return triggerRunRecord(columns, parseTriggerRun(text(row.trigger_run_json)));
}
