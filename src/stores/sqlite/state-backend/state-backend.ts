import { ENDS_OF_WORK, type RunnerRole } from "../../../pynenc/history-roles.ts";
import { parseAppInfo, parseHistory, parseStatusTime } from "../../../pynenc/json-records.ts";
import { pythonString } from "../../../pynenc/python-dump.ts";
import type {
  AppInfoRecord,
  HistoryRecord,
  InvocationRecord,
  RunnerContextRecord,
  StoredValueRecord,
  WorkflowDataRecord,
  WorkflowRunRecord,
} from "../../../pynenc/records.ts";
import { historySpans } from "../../history-spans.ts";
import type { DefinitionFilter, ListedId, StateBackendReads } from "../../ports.ts";
import { PREVIEW_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import type { Sync } from "../calls/sync.ts";
import { matchingRunnerIds } from "../orchestrator/runner-ids.ts";
import { bounded, boundedText, number, numberOrNull, text, textOrNull } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import { limitedPerId } from "../tables/row-limit.ts";
import type { AppTables } from "../tables/tables.ts";
import { type RowidRange, rowidRange } from "../tables/time-window.ts";
import { countHistory, surveyHistory } from "./history-survey.ts";
import { countWorkflowMembers, workflowMembers } from "./workflow-members.ts";

type Row = Record<string, unknown>;
type Values = (string | number)[];

/** Definitions, history, results, runner contexts and workflows (storage-format.md 3.4). */
export function stateBackendReads(handle: Queries, tables: AppTables): Sync<StateBackendReads> {
  const table = (name: Parameters<typeof tables.sql<"state_backend">>[1]) => ({
    exists: tables.has("state_backend", name),
    sql: tables.sql("state_backend", name),
  });
  const invocations = table("invocations");
  const history = table("history");
  const contexts = table("runner_contexts");
  const workflows = table("workflows");
  const members = table("workflow_sub_invocations");
  const memberTables = {
    members: members.exists ? members.sql : null,
    invocations: invocations.exists ? invocations.sql : null,
  };
  const workflowData = table("workflow_data");
  const appInfo = table("app_info");
  const invocationColumns = [
    "invocation_id",
    "call_id_key",
    "task_id_key",
    "arguments_id",
    "parent_invocation_id",
    ...(tables.has("state_backend", "invocations", "parent_event_id") ? ["parent_event_id"] : []),
    "workflow_id",
    "workflow_type_key",
    "parent_workflow_id",
  ].join(", ");

  function storedOf(name: "results" | "exceptions", column: string, invocationIds: readonly string[]) {
    const { exists, sql } = table(name);
    if (!exists || invocationIds.length === 0) return [];
    return handle
      .all(
        `SELECT invocation_id, ${bounded(column, VALUE_BYTES, "stored")} FROM ${sql}
         WHERE invocation_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(invocationIds),
      )
      .map((row): StoredValueRecord => {
        const { text: stored, ...mark } = boundedText(row, "stored");
        return { invocation_id: text(row.invocation_id), stored, ...mark };
      });
  }

  /** Only the parent is indexed; the other conditions look at the definitions of the range one by one, from the newest on. */
  function definedRows(filter: DefinitionFilter, limit: number, offset: number, range?: RowidRange): ListedId[] {
    if (!invocations.exists) return [];
    const where: string[] = [];
    const values: Values = [];
    for (const column of ["parent_invocation_id", "workflow_id", "workflow_type_key"] as const) {
      const wanted = filter[column];
      if (wanted === undefined) continue;
      where.push(`${column} = ?`);
      values.push(wanted);
    }
    if (range !== undefined) {
      where.push("rowid BETWEEN ? AND ?");
      values.push(range.first, range.last);
    }
    return handle
      .all(
        `SELECT rowid AS cursor, invocation_id FROM ${invocations.sql}
         ${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""} ORDER BY rowid DESC LIMIT ? OFFSET ?`,
        ...values,
        limit,
        offset,
      )
      .map((row) => ({ invocation_id: text(row.invocation_id), cursor: String(row.cursor) }));
  }

  return {
    appInfo(): AppInfoRecord | null {
      if (!appInfo.exists) return null;
      const row = handle.get(`SELECT app_info_json FROM ${appInfo.sql} LIMIT 1`);
      return row === undefined ? null : parseAppInfo(text(row.app_info_json));
    },

    invocationsByIds(invocationIds, argumentBytes = PREVIEW_BYTES) {
      if (!invocations.exists || invocationIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${invocationColumns}, ${bounded("serialized_arguments", argumentBytes, "serialized_arguments")} FROM ${invocations.sql} WHERE invocation_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(invocationIds),
        )
        .map(invocationRecord);
    },

    historyOf(invocationIds, limit) {
      if (!history.exists || invocationIds.length === 0) return [];
      return handle
        .all(
          `SELECT h.* FROM json_each(?) j CROSS JOIN ${history.sql} h ON h.invocation_id = j.value
           ORDER BY h.history_timestamp, h.rowid LIMIT ?`,
          JSON.stringify(invocationIds),
          limit,
        )
        .map(historyRecord);
    },

    historyEndOf(invocationId, limit) {
      if (!history.exists) return [];
      return handle
        .all(
          `SELECT h.* FROM ${history.sql} h WHERE h.invocation_id = ?
           ORDER BY h.history_timestamp DESC, h.rowid DESC LIMIT ?`,
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
      const end = (which: "min" | "max") =>
        `(SELECT ${which}(history_timestamp) FROM ${history.sql} WHERE invocation_id = j.value)`;
      const ids = [...new Set(invocationIds)];
      const ends = handle
        .all(
          `SELECT j.key AS place, h.history_timestamp, h.history_status, h.history_json
           FROM json_each(?) j CROSS JOIN ${history.sql} h
             ON h.invocation_id = j.value AND h.history_timestamp IN (${end("min")}, ${end("max")})
           ORDER BY h.history_timestamp, h.rowid`,
          JSON.stringify(ids),
        )
        .map((row) => {
          const written_at = number(row.history_timestamp);
          const timestamp = parseStatusTime(text(row.history_json)) ?? written_at;
          return {
            invocation_id: ids[number(row.place)] ?? "",
            status: text(row.history_status),
            timestamp,
            written_at,
          };
        });
      return historySpans(ends);
    },

    listActive({ from, to, by }, limit, scanLimit, after) {
      const nothing = { rows: [], scanned: 0, exhausted: true, last_cursor: null };
      if (!history.exists) return nothing;
      const range = rowidRange(handle, history.sql, "history_timestamp", from, to);
      if (range === null) return nothing;
      const last = after === undefined ? range.last : Math.min(range.last, Number(after) - 1);
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
      // The entry that stands for an invocation is its latest one in the window; earlier ones are skipped by looking for a later one.
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

    listDefined: (filter, { limit, offset }) => definedRows(filter, limit, offset),

    scanDefined(filter, limit, scanLimit, after) {
      const before = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after);
      if (filter.parent_invocation_id !== undefined || (filter.workflow_id ?? filter.workflow_type_key) === undefined) {
        const rows = definedRows(filter, limit, 0, { first: 0, last: before - 1 });
        const last_cursor = rows.at(-1)?.cursor ?? after ?? null;
        return { rows, scanned: rows.length, exhausted: rows.length < limit, last_cursor };
      }
      const nothing = { rows: [], scanned: 0, exhausted: true, last_cursor: after ?? null };
      if (!invocations.exists) return nothing;
      const end = (order: "ASC" | "DESC") =>
        handle.get(
          `SELECT rowid AS id FROM ${invocations.sql} WHERE rowid < ? ORDER BY rowid ${order} LIMIT 1`,
          before,
        );
      const [oldest, newest] = [end("ASC"), end("DESC")];
      if (oldest === undefined || newest === undefined) return nothing;
      const last = number(newest.id);
      const first = Math.max(number(oldest.id), last - scanLimit + 1);
      const rows = definedRows(filter, limit, 0, { first, last });
      const reached = rows.length === limit ? Number(rows.at(-1)?.cursor) : first;
      return {
        rows,
        scanned: last - reached + 1,
        exhausted: reached <= number(oldest.id),
        last_cursor: String(reached),
      };
    },

    countDefined: () => (invocations.exists ? handle.number(`SELECT count(*) FROM ${invocations.sql}`) : 0),

    childrenOf(invocationIds, limit) {
      if (!invocations.exists || invocationIds.length === 0) return [];
      const found = limitedPerId({ table: invocations.sql, column: "parent_invocation_id", order: "k.rowid" }, limit);
      return handle
        .all(
          `SELECT i.invocation_id, i.parent_invocation_id FROM json_each(?) j
           CROSS JOIN ${invocations.sql} i ON ${found.on("i")} ORDER BY i.rowid LIMIT ?`,
          JSON.stringify(invocationIds),
          ...found.values,
        )
        .map((row) => ({
          invocation_id: text(row.invocation_id),
          parent_invocation_id: text(row.parent_invocation_id),
        }));
    },

    countChildren(invocationId) {
      if (!invocations.exists) return 0;
      return handle.number(`SELECT count(*) FROM ${invocations.sql} WHERE parent_invocation_id = ?`, invocationId);
    },

    invocationsOfEvents(eventIds, limit) {
      if (!tables.has("state_backend", "invocations", "parent_event_id") || eventIds.length === 0) return [];
      const found = limitedPerId({ table: invocations.sql, column: "parent_event_id", order: "k.rowid" }, limit);
      return handle
        .all(
          `SELECT i.invocation_id, i.parent_event_id FROM json_each(?) j
           CROSS JOIN ${invocations.sql} i ON ${found.on("i")} ORDER BY i.rowid LIMIT ?`,
          JSON.stringify(eventIds),
          ...found.values,
        )
        .map((row) => ({ invocation_id: text(row.invocation_id), parent_event_id: text(row.parent_event_id) }));
    },

    resultsOf: (invocationIds) => storedOf("results", "result_data", invocationIds),

    exceptionsOf: (invocationIds) => storedOf("exceptions", "exception_data", invocationIds),

    runnerContexts(runnerIds) {
      if (!contexts.exists || runnerIds.length === 0) return [];
      return handle
        .all(
          `SELECT * FROM ${contexts.sql} WHERE runner_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(runnerIds),
        )
        .map(runnerContextRecord);
    },

    runnerIdsLike: (parts, place, limit) =>
      contexts.exists ? matchingRunnerIds(handle, contexts.sql, parts, place, limit) : [],

    listRunnerContexts({ limit, offset }, parent) {
      if (!contexts.exists) return [];
      const where = parent === undefined ? "" : "WHERE parent_ctx_id = ?";
      return handle
        .all(
          `SELECT * FROM ${contexts.sql} ${where} ORDER BY rowid DESC LIMIT ? OFFSET ?`,
          ...(parent === undefined ? [] : [parent]),
          limit,
          offset,
        )
        .map(runnerContextRecord);
    },

    countRunnerContexts(runnerIds) {
      if (!contexts.exists) return 0;
      if (runnerIds === undefined) return handle.number(`SELECT count(*) FROM ${contexts.sql}`);
      return handle.number(
        `SELECT count(*) FROM ${contexts.sql} WHERE runner_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(runnerIds),
      );
    },

    workflowTypes() {
      if (!workflows.exists) return [];
      return handle
        .all(
          `SELECT workflow_type_key, count(*) AS runs FROM ${workflows.sql} GROUP BY workflow_type_key ORDER BY workflow_type_key`,
        )
        .map((row) => ({ workflow_type_key: text(row.workflow_type_key), runs: number(row.runs) }));
    },

    workflowRuns({ limit, offset }, workflowTypeKey) {
      if (!workflows.exists) return [];
      const where = workflowTypeKey === undefined ? "" : "WHERE workflow_type_key = ?";
      return handle
        .all(
          `SELECT * FROM ${workflows.sql} ${where} ORDER BY rowid DESC LIMIT ? OFFSET ?`,
          ...(workflowTypeKey === undefined ? [] : [workflowTypeKey]),
          limit,
          offset,
        )
        .map(workflowRunRecord);
    },

    workflowRunsByIds(workflowIds) {
      if (!workflows.exists || workflowIds.length === 0) return [];
      return handle
        .all(
          `SELECT * FROM ${workflows.sql} WHERE workflow_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(workflowIds),
        )
        .map(workflowRunRecord);
    },

    subWorkflows(workflowId, limit) {
      if (!workflows.exists) return [];
      return handle
        .all(`SELECT * FROM ${workflows.sql} WHERE parent_workflow_id = ? ORDER BY rowid LIMIT ?`, workflowId, limit)
        .map(workflowRunRecord);
    },

    workflowMembers: (workflowId, slice) => workflowMembers(handle, memberTables, workflowId, slice),

    countWorkflowMembers: (workflowIds) => countWorkflowMembers(handle, memberTables, workflowIds),

    workflowData(workflowId, { limit, offset }) {
      if (!workflowData.exists) return [];
      return handle
        .all(
          `SELECT data_key, ${bounded("data_value", VALUE_BYTES, "data_value")} FROM ${workflowData.sql} WHERE workflow_id = ? ORDER BY data_key LIMIT ? OFFSET ?`,
          workflowId,
          limit,
          offset,
        )
        .map((row): WorkflowDataRecord => {
          const { text: data_value, ...mark } = boundedText(row, "data_value");
          return { data_key: text(row.data_key), data_value, ...mark };
        });
    },

    countWorkflowData(workflowIds) {
      if (!workflowData.exists || workflowIds.length === 0) return {};
      const rows = handle.all<{ id: unknown; n: number }>(
        `SELECT workflow_id AS id, count(*) AS n FROM ${workflowData.sql} WHERE workflow_id IN (SELECT value FROM json_each(?)) GROUP BY workflow_id`,
        JSON.stringify(workflowIds),
      );
      return Object.fromEntries(rows.map((row) => [text(row.id), row.n]));
    },

    historyBetween({ from, to }, limit, end) {
      const range = history.exists ? rowidRange(handle, history.sql, "history_timestamp", from, to) : null;
      if (range === null) return [];
      return handle
        .all(
          `SELECT rowid, * FROM ${history.sql} WHERE rowid BETWEEN ? AND ? AND history_timestamp >= ? AND history_timestamp <= ?
           ORDER BY rowid ${end === "earliest" ? "ASC" : "DESC"} LIMIT ?`,
          range.first,
          range.last,
          from ?? Number.MIN_SAFE_INTEGER,
          to ?? Number.MAX_SAFE_INTEGER,
          limit,
        )
        .sort((a, b) => Number(a.history_timestamp) - Number(b.history_timestamp) || Number(a.rowid) - Number(b.rowid))
        .map(historyRecord);
    },

    countHistory: (window) =>
      history.exists ? countHistory(handle, history.sql, window) : { entries: 0, exact: true },

    lastEntriesBefore(invocationIds, before) {
      if (!history.exists || invocationIds.length === 0) return [];
      return handle
        .all(
          `SELECT h.* FROM json_each(?) j CROSS JOIN ${history.sql} h ON h.rowid =
             (SELECT l.rowid FROM ${history.sql} l WHERE l.invocation_id = j.value AND l.history_timestamp < ?
              ORDER BY l.history_timestamp DESC, l.rowid DESC LIMIT 1)`,
          JSON.stringify(invocationIds),
          before,
        )
        .map(historyRecord);
    },

    surveyHistory: (window, slices, sample) =>
      history.exists
        ? surveyHistory(handle, history.sql, window, slices, sample)
        : { slices: Array.from({ length: slices }, () => ({ entries: 0, shares: [] })), exact: true },

    historySpan() {
      if (!history.exists) return null;
      // Rowids grow with time, so the ends of the table are the ends of the span up to the disorder of neighbouring rows.
      const end = (direction: string) =>
        handle.get(
          `SELECT min(t) AS low, max(t) AS high FROM (SELECT history_timestamp AS t FROM ${history.sql} ORDER BY rowid ${direction} LIMIT 200)`,
        );
      const [first, last] = [numberOrNull(end("ASC")?.low), numberOrNull(end("DESC")?.high)];
      return first === null || last === null ? null : { first, last };
    },
  };
}

/**
 * `hasRole` as a condition; its parameters are `roleValues`. The id stands only inside the JSON: a text search rules out nearly every row
 * before the JSON is parsed, and rows whose JSON is malformed do not count instead of failing the query.
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

function invocationRecord(row: Row): InvocationRecord {
  const { text: serialized_arguments, ...mark } = boundedText(row, "serialized_arguments");
  return {
    invocation_id: text(row.invocation_id),
    call_id_key: text(row.call_id_key),
    task_id_key: text(row.task_id_key),
    arguments_id: text(row.arguments_id),
    serialized_arguments,
    ...mark,
    parent_invocation_id: textOrNull(row.parent_invocation_id),
    parent_event_id: textOrNull(row.parent_event_id),
    workflow_id: textOrNull(row.workflow_id),
    workflow_type_key: textOrNull(row.workflow_type_key),
    parent_workflow_id: textOrNull(row.parent_workflow_id),
  };
}

function historyRecord(row: Row): HistoryRecord {
  const details = parseHistory(text(row.history_json));
  const written_at = number(row.history_timestamp);
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

function runnerContextRecord(row: Row): RunnerContextRecord {
  return {
    runner_id: text(row.runner_id),
    runner_cls: text(row.runner_cls),
    parent_ctx_id: textOrNull(row.parent_ctx_id),
    pid: numberOrNull(row.pid),
    hostname: text(row.hostname),
    thread_id: numberOrNull(row.thread_id),
  };
}

function workflowRunRecord(row: Row): WorkflowRunRecord {
  return {
    workflow_id: text(row.workflow_id),
    workflow_type_key: text(row.workflow_type_key),
    parent_workflow_id: textOrNull(row.parent_workflow_id),
  };
}
