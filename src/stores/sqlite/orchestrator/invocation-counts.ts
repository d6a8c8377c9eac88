import type { StatusCountReads } from "../../ports/orchestrator.ts";
import type { Sync } from "../calls/sync.ts";
import { instantOrNull, number, text } from "../tables/columns.ts";
import { distinctValues } from "../tables/distinct-values.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

/** Counts of invocations by status and task, and the list of tasks. */
export function invocationCounts(handle: Queries, tables: AppTables): Sync<StatusCountReads> {
  const invocations = tables.readable("orchestrator", "invocations");

  return {
    countByStatus() {
      if (!invocations.exists) return {};
      const rows = handle.all(`SELECT status, count(*) AS n FROM ${invocations.sql} GROUP BY status`);
      return Object.fromEntries(rows.map((row) => [text(row.status), number(row.n)]));
    },

    countByTaskAndStatus() {
      if (!invocations.exists) return [];
      return countByTaskAndStatus(handle, invocations.sql);
    },

    taskKeys: () => (invocations.exists ? distinctValues(handle, invocations.sql, "task_id_key") : []),

    lastActivityOfTasks(taskIdKeys) {
      if (!invocations.exists || taskIdKeys.length === 0) return {};
      // The latest change is taken from the newest 20 registrations of each task, because status times are not indexed.
      const rows = handle.all(
        `SELECT j.value AS task_id_key, (SELECT max(status_timestamp) FROM (
           SELECT status_timestamp FROM ${invocations.sql} WHERE task_id_key = j.value ORDER BY rowid DESC LIMIT 20)) AS latest
         FROM json_each(?) j`,
        JSON.stringify(taskIdKeys),
      );
      return Object.fromEntries(
        rows.flatMap((row) => {
          const latest = instantOrNull(row.latest);
          return latest === null ? [] : [[text(row.task_id_key), latest]];
        }),
      );
    },
  };
}

/**
 * Counts per task and status without visiting every row: counts per task come from the task index alone, counts per status from the status index
 * alone. Rows are visited only for the rarer statuses; the most frequent status gets the remainder of each task.
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
