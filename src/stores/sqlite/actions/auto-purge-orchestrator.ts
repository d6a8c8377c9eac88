import { FINAL_STATUSES, knownStatus, statusInfo } from "../../../pynenc/statuses.ts";
import { dueExecutions } from "../../due-executions.ts";
import type { OrchestratorPurge, OrchestratorRetention } from "../../ports/actions.ts";
import type { Bind } from "../file/connection.ts";
import { executionReads } from "../orchestrator/executions.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";
import { number, text } from "../tables/columns.ts";
import type { TableOf } from "../tables/tables.ts";
import { type Access, type ComponentAccess, freshTable } from "./changes.ts";

/** Parents checked per query. */
const STEP = 5_000;

/** Removes final invocations and executions that are old enough (storage-format.md 6.4, 7.3). Definitions, history and results are kept. */
export function autoPurgeOrchestrator(access: Access, retention: OrchestratorRetention): OrchestratorPurge {
  return {
    ...purgeInvocations(access, retention),
    // In SQLite, indexes have no entries without a row.
    leaked_index_entries: 0,
    exact: true,
    ...purgeExecutions(access("orchestrator"), access("trigger"), retention),
  };
}

function purgeInvocations(
  access: Access,
  { final_until, with_open_parents }: OrchestratorRetention,
): Pick<
  OrchestratorPurge,
  "invocations" | "invocation_args" | "blocking_edges" | "invocations_kept" | "invocations_of_open_parents"
> {
  const [orchestrator, state] = [access("orchestrator"), access("state_backend")];
  const { changes, tables } = orchestrator;
  if (!tables.has("orchestrator", "invocations", "auto_purge_timestamp"))
    return {
      invocations: 0,
      invocation_args: 0,
      blocking_edges: 0,
      invocations_kept: 0,
      invocations_of_open_parents: 0,
    };
  const invocations = tables.sql("orchestrator", "invocations");
  // The timestamp is set when an invocation becomes final, and it stays final. The status is checked anyway, because others must never be removed.
  const final = "i.auto_purge_timestamp <= ? AND i.status IN (SELECT value FROM json_each(?))";
  const values = [final_until, JSON.stringify(FINAL_STATUSES)];
  freshTable(changes, "due_in_queue", "id TEXT PRIMARY KEY");
  const invocations_kept = markInQueue(orchestrator, access("broker"), `${invocations} AS i WHERE ${final}`, values);
  const old = `${final} AND i.invocation_id NOT IN (SELECT id FROM temp.due_in_queue)`;
  freshTable(changes, "of_open_parents", "id TEXT PRIMARY KEY");
  const invocations_of_open_parents = markOfOpenParents(orchestrator, state, old, values);
  const due = with_open_parents ? old : `${old} AND i.invocation_id NOT IN (SELECT id FROM temp.of_open_parents)`;
  // Looked up per row while the invocations still exist: sorting a list of a million due ids would take longer.
  const eraseOf = (table: TableOf<"orchestrator">, column: string) => {
    if (!tables.has("orchestrator", table)) return 0;
    const name = tables.sql("orchestrator", table);
    const isDue = `EXISTS (SELECT 1 FROM ${invocations} i WHERE i.invocation_id = t.${column} AND ${due})`;
    return changes.erase(`${name} AS t WHERE ${isDue}`, ...values);
  };
  const blocking_edges = eraseOf("blocking_edges", "waited_id");
  const invocation_args = eraseOf("invocation_args", "invocation_id");
  const erased = changes.erase(`${invocations} AS i WHERE ${due}`, ...values);
  changes.scratch("DROP TABLE temp.of_open_parents");
  changes.scratch("DROP TABLE temp.due_in_queue");
  return { invocations: erased, invocation_args, blocking_edges, invocations_kept, invocations_of_open_parents };
}

/**
 * Writes into `temp.due_in_queue` the due invocations that still have a message, and returns their number: a runner that takes a message without a
 * status may stop working. Blocking control leaves such messages, because it runs awaited invocations without taking their message. The queue may be
 * in another file, so ids are passed in steps instead of joined.
 *
 * @param due FROM clause that selects due invocations as `i`.
 */
function markInQueue(
  { changes }: ComponentAccess,
  broker: ComponentAccess,
  due: string,
  values: readonly Bind[],
): number {
  if (!broker.tables.has("broker", "message_queue")) return 0;
  const messages = broker.tables.name("broker", "message_queue");
  for (let after = 0; ; ) {
    const rows = broker.changes.all(
      `SELECT rowid AS id, invocation_id FROM ${messages} WHERE rowid > ? ORDER BY rowid LIMIT ?`,
      after,
      STEP,
    );
    changes.scratch(
      `INSERT OR IGNORE INTO temp.due_in_queue
       SELECT i.invocation_id FROM ${due} AND i.invocation_id IN (SELECT value FROM json_each(?))`,
      ...values,
      JSON.stringify(rows.map((row) => text(row.invocation_id))),
    );
    if (rows.length < STEP) return changes.number("SELECT count(*) FROM temp.due_in_queue");
    after = number(rows.at(-1)?.id);
  }
}

/**
 * Writes the children of parents that are not known to be final into `temp.of_open_parents`, and returns how many of them are due. Starts from the
 * parents, which are few and indexed, not from the due invocations. Definitions and histories may be in another file than statuses, so ids are passed
 * in steps instead of joined.
 *
 * @param due WHERE condition that an invocation `i` is due.
 */
function markOfOpenParents(
  orchestrator: ComponentAccess,
  state: ComponentAccess,
  due: string,
  values: readonly Bind[],
): number {
  if (!state.tables.has("state_backend", "invocations", "parent_invocation_id")) return 0;
  const { changes } = orchestrator;
  const definitions = state.tables.sql("state_backend", "invocations");
  for (let after = ""; ; ) {
    const parents = state.changes
      .all(
        `SELECT DISTINCT parent_invocation_id AS id FROM ${definitions} WHERE parent_invocation_id > ?
         ORDER BY parent_invocation_id LIMIT ?`,
        after,
        STEP,
      )
      .map((row) => text(row.id));
    const open = openAmong(parents, orchestrator, state);
    const children =
      open.length === 0
        ? []
        : state.changes.all(
            `SELECT invocation_id AS id FROM ${definitions} WHERE parent_invocation_id IN (SELECT value FROM json_each(?))`,
            JSON.stringify(open),
          );
    changes.scratch(
      "INSERT OR IGNORE INTO temp.of_open_parents SELECT value FROM json_each(?)",
      JSON.stringify(children.map((row) => text(row.id))),
    );
    const last = parents.at(-1);
    if (last === undefined || parents.length < STEP) break;
    after = last;
  }
  return changes.number(
    `SELECT count(*) FROM temp.of_open_parents o CROSS JOIN ${orchestrator.tables.sql("orchestrator", "invocations")} i
     ON i.invocation_id = o.id WHERE ${due}`,
    ...values,
  );
}

/** Those of these invocations that are not known to be final. */
function openAmong(ids: readonly string[], { changes, tables }: ComponentAccess, state: ComponentAccess): string[] {
  const kept = new Map(
    changes
      .all(
        `SELECT invocation_id AS id, status FROM ${tables.sql("orchestrator", "invocations")}
         WHERE invocation_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(ids),
      )
      .map((row) => [text(row.id), text(row.status)]),
  );
  const spans = stateBackendReads(state.changes, state.tables).historySpanOf(ids.filter((id) => !kept.has(id)));
  const last = new Map(spans.map((span) => [span.invocation_id, span.last.status]));
  return ids.filter((id) => !statusInfo(knownStatus(kept.get(id), last.get(id))).final);
}

function purgeExecutions(
  { changes, tables }: ComponentAccess,
  trigger: ComponentAccess,
  retention: OrchestratorRetention,
): Pick<OrchestratorPurge, "executions_by_age" | "executions_by_capacity" | "executions_kept"> {
  const executions = executionReads(changes, tables).executions({ limit: -1, offset: 0 });
  const possible = dueExecutions(executions, retention);
  const due =
    possible.by_age.length + possible.by_capacity.length === 0
      ? possible
      : dueExecutions(executions, retention, referencedIn(trigger));
  const erase = (ids: readonly string[]) =>
    ids.length === 0
      ? 0
      : changes.erase(
          `${tables.sql("orchestrator", "atomic_service_executions")}
           WHERE atomic_service_run_id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(ids),
        );
  return {
    executions_by_age: erase(due.by_age),
    executions_by_capacity: erase(due.by_capacity),
    executions_kept: due.kept,
  };
}

/** Executions that trigger runs refer to. These may be in another file, so ids are passed instead of joined. */
function referencedIn({ changes, tables }: ComponentAccess): ReadonlySet<string> {
  if (!tables.has("trigger", "trigger_runs")) return new Set();
  const ids = changes.all(
    `SELECT DISTINCT json_extract(trigger_run_json, '$.atomic_service_run_id') AS id
     FROM ${tables.sql("trigger", "trigger_runs")} WHERE json_valid(trigger_run_json)`,
  );
  return new Set(ids.map((row) => text(row.id)));
}
