/** Contexts of runners. */
import type { RunnerContextRecord } from "../../../pynenc/records.ts";
import { EXTERNAL_ID } from "../../../pynenc/rerun.ts";
import type { RunnerContextReads } from "../../ports/state-backend.ts";
import type { Sync } from "../calls/sync.ts";
import type { Row } from "../file/connection.ts";
import { numberOrNull, text, textOrNull } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

export function runnerContextReads(handle: Queries, tables: AppTables): Sync<RunnerContextReads> {
  const contexts = tables.readable("state_backend", "runner_contexts");

  return {
    runnerContexts(runnerIds) {
      if (!contexts.exists || runnerIds.length === 0) return [];
      return handle
        .all(
          `SELECT * FROM ${contexts.sql} WHERE runner_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(runnerIds),
        )
        .map(runnerContextRecord);
    },

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

    countRunnerContexts(of) {
      if (!contexts.exists) return 0;
      const count = `SELECT count(*) FROM ${contexts.sql}`;
      if (of === "all") return handle.number(count);
      if (of === "callers") return handle.number(`${count} WHERE runner_id GLOB ?`, `${EXTERNAL_ID}*`);
      return handle.number(`${count} WHERE runner_id IN (SELECT value FROM json_each(?))`, JSON.stringify(of));
    },
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
