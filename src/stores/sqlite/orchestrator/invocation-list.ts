import type { Cursor, Slice } from "../../ports/common.ts";
import type { InvocationListReads, StatusFilter, StatusRow } from "../../ports/orchestrator.ts";
import type { Sync } from "../calls/sync.ts";
import { idRange } from "../tables/id-range.ts";
import type { Queries, Values } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";
import { STATUS_COLUMNS, statusRecord } from "./status-records.ts";

/**
 * For a task with fewer rows than this, its index is walked and its rows are filtered by status; otherwise the status index is walked. Both walks
 * then end early: a task with more rows than this appears often among the rows of any common status.
 */
const FEW_ROWS_OF_A_TASK = 5_000;

/** Invocations by filter, newest registration first. */
export function invocationList(handle: Queries, tables: AppTables): Sync<InvocationListReads> {
  const invocations = tables.readable("orchestrator", "invocations");

  /** Chooses the index for a filter, walked newest first, and the conditions checked on each row. */
  function statusWalk(filter: StatusFilter): { where: string[]; values: Values; perStatus: boolean } {
    const where: string[] = [];
    const values: Values = [];
    const statuses = filter.statuses ?? [];
    // A unary plus keeps SQLite from using the index of that column, which forces it to use the other one.
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
      `SELECT count(*) FROM (SELECT 1 FROM ${invocations.sql} WHERE task_id_key = ? LIMIT ${FEW_ROWS_OF_A_TASK})`,
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
    // Each has a walk of its own.
    const statuses = [...new Set(filter.statuses)];
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
      return {
        sql: `SELECT ${columns} FROM ${invocations.sql} ${condition} ORDER BY rowid DESC LIMIT ${limit}`,
        values,
      };
    }
    const one = `SELECT * FROM (SELECT ${columns} FROM ${invocations.sql} WHERE ${["status = ?", ...where].join(" AND ")} ORDER BY rowid DESC LIMIT ${limit})`;
    return {
      sql: `${statuses.map(() => one).join(" UNION ALL ")} ORDER BY cursor DESC LIMIT ${limit}`,
      values: statuses.flatMap((status) => [status, ...values]),
    };
  }

  function list(filter: StatusFilter, { limit, offset }: Slice, after?: Cursor): StatusRow[] {
    if (!invocations.exists || filter.statuses?.length === 0) return [];
    const { sql, values } = listingSql(filter, `rowid AS cursor, ${STATUS_COLUMNS}`, limit + offset, after);
    const rows =
      offset > 0
        ? handle.all(`SELECT * FROM (${sql}) LIMIT -1 OFFSET ?`, ...values, offset)
        : handle.all(sql, ...values);
    return rows.map((row): StatusRow => ({ ...statusRecord(row), cursor: String(row.cursor) }));
  }

  return {
    listInvocations: list,

    isIndexed: () => true,

    scanInvocations(filter, limit, _scanLimit, after) {
      const rows = list(filter, { limit, offset: 0 }, after);
      return { rows, scanned: rows.length, stopped: null };
    },

    countInvocations(filter, cap) {
      if (!invocations.exists || filter.statuses?.length === 0) return 0;
      const { sql, values } = listingSql(filter, "rowid AS cursor", cap);
      return handle.number(`SELECT count(*) FROM (${sql})`, ...values);
    },
  };
}
