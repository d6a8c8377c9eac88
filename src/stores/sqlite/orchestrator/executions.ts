import type { ExecutionRecord } from "../../../pynenc/records.ts";
import { isoFromEpoch, julianDayFromEpoch } from "../../../pynenc/time.ts";
import type { ExecutionFilter, ExecutionReads } from "../../ports/orchestrator.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { isoInstant, number, text } from "../tables/columns.ts";
import { idRange } from "../tables/id-range.ts";
import type { Queries, Values } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

const EXECUTION_COLUMNS = "atomic_service_run_id, runner_id, start_time, end_time, status, reason";

/** Runs of the atomic service. */
export function executionReads(handle: Queries, tables: AppTables): Sync<ExecutionReads> {
  const executions = tables.readable("orchestrator", "atomic_service_executions");

  return {
    executions({ limit, offset }, filter = {}) {
      if (!executions.exists || filter.ids?.length === 0) return [];
      const { where, values } = executionConditions(filter);
      return handle
        .all(
          `SELECT ${EXECUTION_COLUMNS} FROM ${executions.sql} ${where} ORDER BY start_time DESC, atomic_service_run_id LIMIT ? OFFSET ?`,
          ...values,
          limit,
          offset,
        )
        .map(executionRecord);
    },

    countExecutions(filter = {}, cap) {
      if (!executions.exists) return {};
      const { where, values } = executionConditions(filter);
      const counted = `SELECT status FROM ${executions.sql} ${where} ${cap === undefined ? "" : "LIMIT ?"}`;
      if (cap !== undefined) values.push(cap);
      const rows = handle.all(`SELECT status, count(*) AS n FROM (${counted}) GROUP BY status`, ...values);
      return Object.fromEntries(rows.map((row) => [text(row.status), number(row.n)]));
    },
  };
}

/** Ended runs longer than this are not found; a run takes seconds. */
const LONGEST_RUN_SECONDS = 86_400;

/**
 * About `atomic_service_execution_max_records` rows exist (1,000 by default) besides those that trigger runs refer to, so conditions without an index
 * are fine; a time window uses its index.
 */
function executionConditions(filter: ExecutionFilter): { where: string; values: Values } {
  const conditions: string[] = [];
  const values: Values = [];
  const restrict = (condition: string, ...given: Values) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (filter.ids !== undefined) {
    restrict("atomic_service_run_id IN (SELECT value FROM json_each(?))", JSON.stringify(filter.ids));
  }
  if (filter.runner_id !== undefined) restrict("runner_id = ?", filter.runner_id);
  if (filter.status !== undefined) restrict("status = ?", filter.status);
  if (filter.id_prefix !== undefined) {
    const { from, to } = idRange(filter.id_prefix);
    restrict("atomic_service_run_id >= ? AND atomic_service_run_id < ?", from, to);
  }
  // Python omits a zero fraction (storage-format.md 3.3), but texts with the same offset still sort by time, because "+" comes before ".".
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

function executionRecord(row: Row): ExecutionRecord {
  return {
    atomic_service_run_id: text(row.atomic_service_run_id),
    runner_id: text(row.runner_id),
    start_time: isoInstant(text(row.start_time)) ?? Number.NaN,
    end_time: isoInstant(row.end_time),
    status: text(row.status),
    reason: text(row.reason),
  };
}
