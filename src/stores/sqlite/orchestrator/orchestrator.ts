import { parsedJson } from "../../../pynenc/plain-json.ts";
import type {
  BlockingEdge,
  ExecutionRecord,
  HeartbeatRecord,
  InvocationStatusRecord,
} from "../../../pynenc/records.ts";
import { epochFromIso, isoFromEpoch, julianDayFromEpoch } from "../../../pynenc/time.ts";
import type { ExecutionFilter, OrchestratorReads, StatusFilter, StatusRow } from "../../ports.ts";
import type { Sync } from "../calls/sync.ts";
import { number, numberOrNull, text, textOrNull } from "../tables/columns.ts";
import { distinctValues } from "../tables/distinct-values.ts";
import { idRange } from "../tables/id-range.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";
import { matchingRunnerIds } from "./runner-ids.ts";

/**
 * Below this many rows an index on the task is walked and its rows filtered by status; above it the status index leads. Both walks
 * then end early: a task with more rows than this is met often among the rows of any common status.
 */
const FEW_ROWS_OF_A_TASK = 5_000;

const STATUS_COLUMNS =
  "invocation_id, task_id_key, call_id_key, status, status_runner_id, status_timestamp, retry_count, auto_purge_timestamp";

const EXECUTION_COLUMNS = "atomic_service_run_id, runner_id, start_time, end_time, status, reason";

type Values = (string | number)[];

/** Current statuses, heartbeats, blocking edges and atomic-service executions (storage-format.md 3.3). */
export function orchestratorReads(handle: Queries, tables: AppTables): Sync<OrchestratorReads> {
  const invocations = tables.sql("orchestrator", "invocations");
  const hasInvocations = tables.has("orchestrator", "invocations");
  const heartbeats = tables.sql("orchestrator", "runner_heartbeats");
  const hasHeartbeats = tables.has("orchestrator", "runner_heartbeats");
  const edges = tables.sql("orchestrator", "blocking_edges");
  const hasEdges = tables.has("orchestrator", "blocking_edges");
  const executions = tables.sql("orchestrator", "atomic_service_executions");
  const hasExecutions = tables.has("orchestrator", "atomic_service_executions");
  const heartbeatColumns = [
    "runner_id, creation_timestamp, last_heartbeat, allow_to_run_atomic_service",
    // Only layouts up to 0.2.3 have these, and those since 0.4 that.
    ...(tables.has("orchestrator", "runner_heartbeats", "last_service_start")
      ? ["last_service_start, last_service_end"]
      : []),
    ...(tables.has("orchestrator", "runner_heartbeats", "consumed_queues") ? ["consumed_queues"] : []),
  ].join(", ");

  /** The index that the filter's rows are walked by, newest first, and the conditions that are checked on each row. */
  function statusWalk(filter: StatusFilter): { where: string[]; values: Values; perStatus: boolean } {
    const where: string[] = [];
    const values: Values = [];
    const statuses = filter.statuses ?? [];
    // A unary plus keeps SQLite from using the index of that column, which pins the walk to the other one.
    let pinned = false;
    if (filter.call_id_key !== undefined) {
      where.push("call_id_key = ?");
      values.push(filter.call_id_key);
      pinned = true;
    }
    if (filter.id_prefix !== undefined) {
      const { from, to } = idRange(filter.id_prefix);
      where.push(pinned ? "+invocation_id >= ? AND +invocation_id < ?" : "invocation_id >= ? AND invocation_id < ?");
      values.push(from, to);
      pinned = true;
    }
    if (filter.task_id_key !== undefined) {
      const leads = !pinned && (statuses.length === 0 || countOfTask(filter.task_id_key) < FEW_ROWS_OF_A_TASK);
      where.push(leads ? "task_id_key = ?" : "+task_id_key = ?");
      values.push(filter.task_id_key);
      pinned ||= leads;
    }
    return { where, values, perStatus: !pinned && statuses.length > 0 };
  }

  function countOfTask(taskIdKey: string): number {
    return handle.number(
      `SELECT count(*) FROM (SELECT 1 FROM ${invocations} WHERE task_id_key = ? LIMIT ${FEW_ROWS_OF_A_TASK})`,
      taskIdKey,
    );
  }

  /**
   * SQL for the rows of a filter, newest registration first: the rowid of this table grows with registration, since a status change
   * is an UPDATE. One index walk for each status, merged, because an index on status is in rowid order only within one status.
   */
  function listingSql(
    filter: StatusFilter,
    columns: string,
    limit: number,
    after?: string,
  ): { sql: string; values: Values } {
    const walk = statusWalk(filter);
    const where = [...walk.where];
    const values = [...walk.values];
    const statuses = filter.statuses ?? [];
    if (after !== undefined) {
      where.push("rowid < ?");
      values.push(Number(after));
    }
    if (!walk.perStatus) {
      if (statuses.length > 0) {
        where.push("+status IN (SELECT value FROM json_each(?))");
        values.push(JSON.stringify(statuses));
      }
      const condition = where.length > 0 ? `WHERE ${where.join(" AND ")}` : "";
      return { sql: `SELECT ${columns} FROM ${invocations} ${condition} ORDER BY rowid DESC LIMIT ${limit}`, values };
    }
    const one = `SELECT * FROM (SELECT ${columns} FROM ${invocations} WHERE ${["status = ?", ...where].join(" AND ")} ORDER BY rowid DESC LIMIT ${limit})`;
    return {
      sql: `${statuses.map(() => one).join(" UNION ALL ")} ORDER BY cursor DESC LIMIT ${limit}`,
      values: statuses.flatMap((status) => [status, ...values]),
    };
  }

  return {
    countByStatus() {
      if (!hasInvocations) return {};
      const rows = handle.all(`SELECT status, count(*) AS n FROM ${invocations} GROUP BY status`);
      return Object.fromEntries(rows.map((row) => [text(row.status), number(row.n)]));
    },

    countByTaskAndStatus() {
      if (!hasInvocations) return [];
      return countByTaskAndStatus(handle, invocations);
    },

    taskKeys: () => (hasInvocations ? distinctValues(handle, invocations, "task_id_key") : []),

    lastActivityOfTasks(taskIdKeys) {
      if (!hasInvocations || taskIdKeys.length === 0) return {};
      // The newest 20 registrations of each task stand for its latest change: status times are not indexed.
      const rows = handle.all(
        `SELECT j.value AS task_id_key, (SELECT max(status_timestamp) FROM (
           SELECT status_timestamp FROM ${invocations} WHERE task_id_key = j.value ORDER BY rowid DESC LIMIT 20)) AS latest
         FROM json_each(?) j`,
        JSON.stringify(taskIdKeys),
      );
      return Object.fromEntries(
        rows.flatMap((row) => (row.latest === null ? [] : [[text(row.task_id_key), number(row.latest)]])),
      );
    },

    statusesByIds(invocationIds) {
      if (!hasInvocations || invocationIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${STATUS_COLUMNS} FROM ${invocations} WHERE invocation_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(invocationIds),
        )
        .map(statusRecord);
    },

    listInvocations(filter, { limit, offset }, after) {
      if (!hasInvocations || filter.statuses?.length === 0) return [];
      const { sql, values } = listingSql(filter, `rowid AS cursor, ${STATUS_COLUMNS}`, limit + offset, after);
      const rows =
        offset > 0
          ? handle.all(`SELECT * FROM (${sql}) LIMIT -1 OFFSET ?`, ...values, offset)
          : handle.all(sql, ...values);
      return rows.map((row): StatusRow => ({ ...statusRecord(row), cursor: String(row.cursor) }));
    },

    countInvocations(filter, cap) {
      if (!hasInvocations || filter.statuses?.length === 0) return 0;
      const { sql, values } = listingSql(filter, "rowid AS cursor", cap);
      return handle.number(`SELECT count(*) FROM (${sql})`, ...values);
    },

    heartbeats({ limit, offset }, activeSince) {
      if (!hasHeartbeats) return [];
      return handle
        .all(
          `SELECT ${heartbeatColumns} FROM ${heartbeats} WHERE last_heartbeat >= ?
           ORDER BY last_heartbeat DESC, runner_id LIMIT ? OFFSET ?`,
          activeSince ?? Number.MIN_SAFE_INTEGER,
          limit,
          offset,
        )
        .map(heartbeatRecord);
    },

    countHeartbeats(activeSince) {
      if (!hasHeartbeats) return 0;
      return handle.number(
        `SELECT count(*) FROM ${heartbeats} WHERE last_heartbeat >= ?`,
        activeSince ?? Number.MIN_SAFE_INTEGER,
      );
    },

    consumers(activeSince) {
      if (!hasHeartbeats) return null;
      const queues = tables.has("orchestrator", "runner_heartbeats", "consumed_queues") ? "consumed_queues" : "NULL";
      return handle
        .all(
          `SELECT ${queues} AS queues, count(*) AS n FROM ${heartbeats} WHERE last_heartbeat >= ? GROUP BY 1 ORDER BY 1`,
          activeSince,
        )
        .map((row) => ({ queues: queueNames(row.queues), runners: number(row.n) }));
    },

    heartbeatsByIds(runnerIds) {
      if (!hasHeartbeats || runnerIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${heartbeatColumns} FROM ${heartbeats} WHERE runner_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(runnerIds),
        )
        .map(heartbeatRecord);
    },

    runnerIdsLike: (parts, place, limit) =>
      hasHeartbeats ? matchingRunnerIds(handle, heartbeats, parts, place, limit) : [],

    blockingEdges({ limit, offset }) {
      if (!hasEdges) return [];
      return handle
        .all(`SELECT waiter_id, waited_id FROM ${edges} ORDER BY rowid DESC LIMIT ? OFFSET ?`, limit, offset)
        .map(blockingEdge);
    },

    countBlockingEdges: () => (hasEdges ? handle.number(`SELECT count(*) FROM ${edges}`) : 0),

    blockingEdgesOf(invocationId, limit) {
      if (!hasEdges) return [];
      return handle
        .all(
          `SELECT waiter_id, waited_id FROM ${edges} WHERE waiter_id = ? OR waited_id = ? LIMIT ?`,
          invocationId,
          invocationId,
          limit,
        )
        .map(blockingEdge);
    },

    pendingSince(before, limit) {
      if (!hasInvocations) return [];
      return handle
        .all(
          `SELECT ${STATUS_COLUMNS} FROM ${invocations} WHERE status = 'pending' AND status_timestamp <= ?
           ORDER BY status_timestamp LIMIT ?`,
          before,
          limit,
        )
        .map(statusRecord);
    },

    ownedByDeadRunner(status, deadBefore, limit) {
      // Without heartbeats nobody can tell who is alive.
      if (!hasInvocations || !hasHeartbeats) return [];
      return handle
        .all(
          `SELECT ${STATUS_COLUMNS} FROM ${invocations} i WHERE status = ? AND status_runner_id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM ${heartbeats} h WHERE h.runner_id = i.status_runner_id AND h.last_heartbeat >= ?)
           ORDER BY status_timestamp LIMIT ?`,
          status,
          deadBefore,
          limit,
        )
        .map(statusRecord);
    },

    countExecutionsByStatus() {
      if (!hasExecutions) return {};
      const rows = handle.all(`SELECT status, count(*) AS n FROM ${executions} GROUP BY status`);
      return Object.fromEntries(rows.map((row) => [text(row.status), number(row.n)]));
    },

    executions({ limit, offset }, filter = {}) {
      if (!hasExecutions) return [];
      const { where, values } = executionConditions(filter);
      return handle
        .all(
          `SELECT ${EXECUTION_COLUMNS} FROM ${executions} ${where} ORDER BY start_time DESC, atomic_service_run_id LIMIT ? OFFSET ?`,
          ...values,
          limit,
          offset,
        )
        .map(executionRecord);
    },

    countExecutions(filter = {}, cap = Number.MAX_SAFE_INTEGER) {
      if (!hasExecutions) return 0;
      const { where, values } = executionConditions(filter);
      return handle.number(`SELECT count(*) FROM (SELECT 1 FROM ${executions} ${where} LIMIT ?)`, ...values, cap);
    },

    executionsByIds(atomicServiceRunIds) {
      if (!hasExecutions || atomicServiceRunIds.length === 0) return [];
      return handle
        .all(
          `SELECT ${EXECUTION_COLUMNS} FROM ${executions} WHERE atomic_service_run_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(atomicServiceRunIds),
        )
        .map(executionRecord);
    },
  };
}

/**
 * Counts per task and status without visiting every row: the counts per task come from the task index alone, those per status from the
 * status index alone, and rows are only visited for the statuses other than the most frequent one, whose share is the remainder.
 */
function countByTaskAndStatus(
  handle: Queries,
  invocations: string,
): { task_id_key: string; status: string; count: number }[] {
  const byStatus = handle
    .all(`SELECT status, count(*) AS n FROM ${invocations} GROUP BY status ORDER BY n DESC`)
    .map((row) => ({ status: text(row.status), n: number(row.n) }));
  const most = byStatus[0];
  if (most === undefined) return [];
  const byTask = handle
    .all(`SELECT task_id_key, count(*) AS n FROM ${invocations} GROUP BY task_id_key`)
    .map((row) => ({ task_id_key: text(row.task_id_key), n: number(row.n) }));
  const others = handle
    .all(
      `SELECT task_id_key, status, count(*) AS n FROM ${invocations}
       WHERE status IN (SELECT value FROM json_each(?)) GROUP BY +task_id_key, +status`,
      JSON.stringify(byStatus.slice(1).map((row) => row.status)),
    )
    .map((row) => ({ task_id_key: text(row.task_id_key), status: text(row.status), n: number(row.n) }));
  const remainder = new Map(byTask.map((row) => [row.task_id_key, row.n]));
  for (const row of others) remainder.set(row.task_id_key, (remainder.get(row.task_id_key) ?? 0) - row.n);
  const shares = [...remainder].map(([task_id_key, n]) => ({ task_id_key, status: most.status, n }));
  return [...shares, ...others].flatMap(({ task_id_key, status, n }) =>
    n > 0 ? [{ task_id_key, status, count: n }] : [],
  );
}

/** A turn lasts seconds. What is recorded as ended and was longer than this is not looked for. */
const LONGEST_RUN_SECONDS = 86_400;

/**
 * About `atomic_service_execution_max_records` rows exist (1,000 by default) besides those that trigger runs refer to, so conditions without
 * an index are fine here; a window of time uses its index.
 */
function executionConditions(filter: ExecutionFilter): { where: string; values: Values } {
  const conditions: string[] = [];
  const values: Values = [];
  const restrict = (condition: string, ...given: Values) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (filter.runner_id !== undefined) restrict("runner_id = ?", filter.runner_id);
  if (filter.status !== undefined) restrict("status = ?", filter.status);
  if (filter.id_prefix !== undefined) {
    const { from, to } = idRange(filter.id_prefix);
    restrict("atomic_service_run_id >= ? AND atomic_service_run_id < ?", from, to);
  }
  // Python leaves out a fraction of zero (storage-format.md 3.3), but texts with the same offset sort as time all the same: "+" comes before ".".
  if (filter.to !== undefined) restrict("start_time <= ?", isoFromEpoch(filter.to));
  if (filter.from !== undefined) {
    const longAgo = isoFromEpoch(filter.from - LONGEST_RUN_SECONDS);
    restrict("(start_time >= ? OR status = 'running')", longAgo);
    restrict("(end_time IS NULL OR julianday(end_time) >= ?)", julianDayFromEpoch(filter.from));
  }
  if (filter.min_seconds !== undefined) {
    restrict("(julianday(end_time) - julianday(start_time)) * 86400 >= ?", filter.min_seconds);
  }
  return { where: conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "", values };
}

type Row = Record<string, unknown>;

function statusRecord(row: Row): InvocationStatusRecord {
  return {
    invocation_id: text(row.invocation_id),
    task_id_key: text(row.task_id_key),
    call_id_key: text(row.call_id_key),
    status: text(row.status),
    status_runner_id: textOrNull(row.status_runner_id),
    status_timestamp: number(row.status_timestamp),
    retry_count: number(row.retry_count),
    auto_purge_timestamp: numberOrNull(row.auto_purge_timestamp),
  };
}

function blockingEdge(row: Row): BlockingEdge {
  return { waiter_id: text(row.waiter_id), waited_id: text(row.waited_id) };
}

function heartbeatRecord(row: Row): HeartbeatRecord {
  return {
    runner_id: text(row.runner_id),
    creation_timestamp: number(row.creation_timestamp),
    last_heartbeat: number(row.last_heartbeat),
    allow_to_run_atomic_service: row.allow_to_run_atomic_service === 1,
    last_service_start: instantOrNull(row.last_service_start),
    last_service_end: instantOrNull(row.last_service_end),
    consumed_queues: queueNames(row.consumed_queues),
  };
}

/** A JSON list of names; what is something else is not known. */
function queueNames(stored: unknown): string[] | null {
  if (typeof stored !== "string") return null;
  const names = parsedJson(stored);
  return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : null;
}

function executionRecord(row: Row): ExecutionRecord {
  return {
    atomic_service_run_id: text(row.atomic_service_run_id),
    runner_id: text(row.runner_id),
    start_time: epochFromIso(text(row.start_time)) ?? Number.NaN,
    end_time: instantOrNull(row.end_time),
    status: text(row.status),
    reason: text(row.reason),
  };
}

function instantOrNull(value: unknown): number | null {
  return typeof value === "string" ? epochFromIso(value) : null;
}
