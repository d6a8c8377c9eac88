/** Registers calls again (storage-format.md 7.4): all rows of an invocation, or none. */
import type { RunnerContextRecord } from "../../../pynenc/records.ts";
import { REGISTERED } from "../../../pynenc/registration.ts";
import { type KnownControl, knownControl } from "../../../pynenc/rerun.ts";
import { argumentsMap } from "../../../pynenc/values.ts";
import type { Rerun, RerunRequest } from "../../ports/actions.ts";
import type { StatusFilter } from "../../ports/orchestrator.ts";
import { decideReruns, type TaskFacts } from "../../rerun-rule.ts";
import { clientDataReads } from "../client-data/client-data.ts";
import { orchestratorReads } from "../orchestrator/orchestrator.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";
import { text } from "../tables/columns.ts";
import type { Access } from "./changes.ts";
import { messagesOf } from "./messages.ts";
import { assertTables, type NeededTable } from "./needed-tables.ts";

/** Number of newest invocations of a task read to infer its options, which are set in code and not stored (storage-format.md 7.4). */
const NEWEST_CALLS = 1_000;

/** No limit: arguments are copied unchanged, whatever their size. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Number of these whose registrar is checked first. */
const FIRST_CALLS = 20;

/** Tables that a registration needs. */
const NEEDED: readonly NeededTable[] = [
  { component: "state_backend", table: "invocations" },
  { component: "state_backend", table: "history" },
  { component: "state_backend", table: "runner_contexts" },
  { component: "orchestrator", table: "invocations" },
  { component: "broker", table: "message_queue" },
];

/**
 * @param newId generates the id of a new invocation; null in a preview, which registers nothing.
 * @throws RefusedError if an involved component is in another store.
 */
export function rerun(
  access: Access,
  invocationIds: readonly string[],
  request: RerunRequest,
  newId: (() => string) | null,
): Rerun[] {
  const { at = null, enqueue = true, routing, workflow_tasks = [] } = request;
  assertTables(
    access,
    NEEDED.filter(({ component }) => enqueue || component !== "broker"),
    "Nothing was registered",
  );
  const state = access("state_backend");
  const orchestrator = access("orchestrator");
  const clientData = access("client_data_store");
  const messages = enqueue ? messagesOf(access, routing, at) : null;
  const indexes = orchestrator.tables.has("orchestrator", "invocation_args");
  const waitingOf = (filter: StatusFilter) =>
    orchestratorReads(orchestrator.changes, orchestrator.tables).listInvocations(
      { ...filter, statuses: [REGISTERED] },
      { limit: 1, offset: 0 },
    )[0]?.invocation_id ?? null;
  const originals = new Map(
    stateBackendReads(state.changes, state.tables)
      .invocationsByIds(invocationIds, UNLIMITED)
      .map((record) => [record.invocation_id, { record, stored: argumentsMap(record.serialized_arguments) }]),
  );
  const factsByTask = new Map<string, TaskFacts>();
  const { answers, registrations } = decideReruns(invocationIds, request, {
    originals,
    factsOf(task) {
      const known = factsByTask.get(task);
      if (known !== undefined) return known;
      const learned = learnFacts(access, task);
      const waiting_of_task = learned.control === "none_at_registration" ? null : waitingOf({ task_id_key: task });
      const defines_workflow = learned.defines_workflow || workflow_tasks.includes(task);
      const facts = { ...learned, defines_workflow, waiting_of_task };
      factsByTask.set(task, facts);
      return facts;
    },
    missingAmong(references) {
      if (references.length === 0) return [];
      const present = clientDataReads(clientData.changes, clientData.tables).valuesByKeys(references, 0);
      return references.filter((reference) => !present.some((value) => value.data_key === reference));
    },
    waitingOf: (call_id_key) => waitingOf({ call_id_key }),
    indexes,
    routeOf: (task) => messages?.routeOf(task) ?? null,
    newId,
    instantAfter: () => at ?? Date.now() / 1000,
  });
  for (const { invocation, status, history, stored, route } of registrations) {
    const { invocation_id } = invocation;
    // An event is never its parent, and layouts before 0.2.4 lack the column.
    const { parent_event_id: _, ...definition } = invocation;
    state.changes.insert(state.tables.sql("state_backend", "runner_contexts"), { ...request.caller }, "IGNORE");
    state.changes.insert(state.tables.sql("state_backend", "invocations"), { ...definition });
    orchestrator.changes.insert(orchestrator.tables.sql("orchestrator", "invocations"), { ...status });
    state.changes.insert(state.tables.sql("state_backend", "history"), {
      invocation_id,
      history_timestamp: history.timestamp,
      history_status: history.status,
      history_json: history.json,
    });
    for (const [arg_key, arg_value] of indexes ? stored : []) {
      const argument = { invocation_id, arg_key, arg_value };
      orchestrator.changes.insert(orchestrator.tables.sql("orchestrator", "invocation_args"), argument);
    }
    messages?.add(invocation_id, route);
  }
  return answers;
}

function learnFacts(access: Access, task: string): Omit<TaskFacts, "waiting_of_task"> {
  const { changes, tables } = access("state_backend");
  const orchestrator = access("orchestrator");
  const newest = orchestrator.changes
    .all(
      `SELECT invocation_id, call_id_key FROM ${orchestrator.tables.sql("orchestrator", "invocations")}
       WHERE task_id_key = ? ORDER BY rowid DESC LIMIT ${NEWEST_CALLS}`,
      task,
    )
    .map((row) => ({ invocation_id: text(row.invocation_id), call_id_key: text(row.call_id_key) }));
  const ids = JSON.stringify(newest.map(({ invocation_id }) => invocation_id));
  const workflowColumn = tables.columns("state_backend", "invocations").find(({ name }) => name === "workflow_id");
  const started =
    tables.has("state_backend", "workflows") &&
    changes.get(
      `SELECT 1 AS one FROM ${tables.sql("state_backend", "workflows")} WHERE workflow_type_key = ? LIMIT 1`,
      task,
    ) !== undefined;
  return {
    workflow_required: workflowColumn?.not_null ?? false,
    // A workflow task that never ran is found by its definitions only (storage-format.md 3.4).
    defines_workflow:
      started ||
      changes.get(
        `SELECT 1 AS one FROM ${tables.sql("state_backend", "invocations")}
         WHERE invocation_id IN (SELECT value FROM json_each(?)) AND workflow_id = invocation_id AND workflow_type_key = ? LIMIT 1`,
        ids,
        task,
      ) !== undefined,
    control: controlOf(access, newest),
  };
}

/** The newest call usually suffices, and finding the registrars of a thousand calls in their histories would be slow. */
function controlOf(access: Access, newest: readonly { invocation_id: string; call_id_key: string }[]): KnownControl {
  for (const some of [newest.slice(0, FIRST_CALLS), newest.slice(FIRST_CALLS)]) {
    const ids = JSON.stringify(some.map(({ invocation_id }) => invocation_id));
    const registrars = registrarsOf(access, ids);
    const indexed = indexedAmong(access, ids);
    const control = knownControl(
      some.map(({ invocation_id, call_id_key }) => ({
        call_id_key,
        indexed: indexed.has(invocation_id),
        registrar: registrars.get(invocation_id) ?? null,
      })),
    );
    if (control !== "unknown") return control;
  }
  return "unknown";
}

/** Who registered each of these invocations, if stored. @param ids a JSON list. */
function registrarsOf(access: Access, ids: string): ReadonlyMap<string, RunnerContextRecord> {
  const { changes, tables } = access("state_backend");
  const registered = changes
    .all(
      `SELECT h.invocation_id,
         CASE WHEN json_valid(h.history_json) THEN json_extract(h.history_json, '$.runner_context_id') END AS runner_id
       FROM json_each(?) j CROSS JOIN ${tables.sql("state_backend", "history")} h ON h.invocation_id = j.value
       WHERE h.history_status = ?`,
      ids,
      REGISTERED,
    )
    .map((row) => ({ invocation_id: text(row.invocation_id), runner_id: text(row.runner_id) }));
  const runnerIds = [...new Set(registered.map(({ runner_id }) => runner_id))];
  const contexts = new Map(
    stateBackendReads(changes, tables)
      .runnerContexts(runnerIds)
      .map((context) => [context.runner_id, context]),
  );
  return new Map(
    registered.flatMap(({ invocation_id, runner_id }) => {
      const context = contexts.get(runner_id);
      return context === undefined ? [] : [[invocation_id, context] as const];
    }),
  );
}

/** Those of these invocations whose arguments are indexed. @param ids a JSON list. */
function indexedAmong(access: Access, ids: string): ReadonlySet<string> {
  const { changes, tables } = access("orchestrator");
  if (!tables.has("orchestrator", "invocation_args")) return new Set();
  return new Set(
    changes
      .all(
        `SELECT DISTINCT invocation_id FROM ${tables.sql("orchestrator", "invocation_args")}
         WHERE invocation_id IN (SELECT value FROM json_each(?))`,
        ids,
      )
      .map((row) => text(row.invocation_id)),
  );
}
