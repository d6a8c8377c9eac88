/** The actions, done to the rows. A preview does them to a copy. */
import { randomUUID } from "node:crypto";
import { RefusedError } from "../../../src/errors.ts";
import type { ExecutionRecord, InvocationRecord } from "../../../src/pynenc/records.ts";
import { REGISTERED } from "../../../src/pynenc/registration.ts";
import { knownControl, rerunRegistration } from "../../../src/pynenc/rerun.ts";
import { knownStatus, statusInfo } from "../../../src/pynenc/statuses.ts";
import type { EpochSeconds } from "../../../src/pynenc/time.ts";
import { argumentsMap, referencesIn } from "../../../src/pynenc/values.ts";
import { noEventsRecorded } from "../../../src/stores/no-events.ts";
import {
  type Actions,
  DEFAULT_ROUTING,
  type EventPurge,
  type EventRetention,
  type MessageRoute,
  type OrchestratorPurge,
  type OrchestratorRetention,
  type Requeue,
  type RequeueRequest,
  type Rerun,
  type RerunRefusal,
  type RerunRequest,
} from "../../../src/stores/ports/actions.ts";
import { requeueRefusal } from "../../../src/stores/requeue-rule.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { rowCounts, TABLES } from "./figures.ts";
import { type MemoryRows, sortedBy } from "./rows.ts";

export function actionsOn(rows: MemoryRows, now: () => EpochSeconds): Sync<Actions> {
  return {
    purge(components) {
      const counts = rowCounts(rows, components);
      for (const { component, rows: table } of TABLES) if (components.includes(component)) rows[table].length = 0;
      return counts;
    },
    purgeQueue: (queueName) => ({
      component: "broker",
      name: "message_queue",
      rows: erase(rows.messages, (message) => message.queue_name === queueName),
      exact: true,
    }),
    autoPurgeOrchestrator: (retention) => autoPurgeOrchestrator(rows, retention),
    autoPurgeEvents: (retention) => autoPurgeEvents(rows, retention),
    rerun: (ids, request) => rerun(rows, ids, request, now),
    requeue: (ids, request) => requeue(rows, ids, request, now),
    sweepQueue() {
      const known = ({ invocation_id }: { invocation_id: string }) =>
        rows.statuses.some((row) => row.invocation_id === invocation_id) &&
        rows.definitions.some((row) => row.invocation_id === invocation_id);
      return rows.capabilities.queue_peek ? erase(rows.messages, (message) => !known(message)) : 0;
    },
  };
}

/** Removes rows; answers how many. */
function erase<T>(rows: T[], goes: (row: T) => boolean): number {
  const kept = rows.filter((row) => !goes(row));
  const erased = rows.length - kept.length;
  rows.splice(0, rows.length, ...kept);
  return erased;
}

function autoPurgeOrchestrator(
  rows: MemoryRows,
  { final_until, executions_before, max_executions, with_open_parents }: OrchestratorRetention,
): OrchestratorPurge {
  const final = rows.statuses
    .filter(
      ({ status, auto_purge_timestamp: since }) => statusInfo(status).final && since !== null && since <= final_until,
    )
    .map((row) => row.invocation_id);
  // Messages that can only be counted keep nobody.
  const queued = new Set(rows.capabilities.queue_peek ? rows.messages.map((message) => message.invocation_id) : []);
  const old = new Set(final.filter((id) => !queued.has(id)));
  const lastOf = (id: string) =>
    sortedBy(
      rows.history.filter((entry) => entry.invocation_id === id),
      (entry) => entry.written_at,
      (entry) => entry.timestamp,
    ).at(-1)?.status;
  const isOpen = (id: string) =>
    !statusInfo(knownStatus(rows.statuses.find((row) => row.invocation_id === id)?.status, lastOf(id))).final;
  const ofOpenParents = new Set(
    rows.definitions.flatMap(({ invocation_id, parent_invocation_id: parent }) =>
      parent !== null && old.has(invocation_id) && isOpen(parent) ? [invocation_id] : [],
    ),
  );
  const due = with_open_parents ? old : new Set([...old].filter((id) => !ofOpenParents.has(id)));
  const referenced = new Set(rows.runs.map((run) => run.atomic_service_run_id));
  const isReferenced = (run: ExecutionRecord) => referenced.has(run.atomic_service_run_id);
  const isOld = (run: ExecutionRecord) =>
    executions_before !== null && run.status !== "running" && run.end_time !== null && run.end_time < executions_before;
  const executions_kept = rows.executions.filter((run) => isOld(run) && isReferenced(run)).length;
  const executions_by_age = erase(rows.executions, (run) => isOld(run) && !isReferenced(run));
  const excess = max_executions === 0 ? 0 : Math.max(0, rows.executions.length - max_executions);
  const surplus = sortedBy(
    rows.executions.filter((run) => run.status !== "running" && !isReferenced(run)),
    (run) => run.start_time,
  ).slice(0, excess);
  return {
    blocking_edges: erase(rows.edges, (edge) => due.has(edge.waited_id)),
    invocation_args: erase(rows.indexed_arguments, (row) => due.has(row.invocation_id)),
    invocations: erase(rows.statuses, (row) => due.has(row.invocation_id)),
    invocations_kept: final.length - old.size,
    invocations_of_open_parents: ofOpenParents.size,
    leaked_index_entries: 0,
    executions_by_age,
    executions_by_capacity: erase(rows.executions, (run) => surplus.includes(run)),
    executions_kept,
    exact: true,
  };
}

function autoPurgeEvents(rows: MemoryRows, { before, max_events, max_trigger_runs }: EventRetention): EventPurge {
  if (!rows.capabilities.events) throw noEventsRecorded();
  const old = rows.events.filter((event) => event.timestamp < before);
  const surplus = sortedBy(
    rows.events.filter((event) => !old.includes(event)),
    (event) => -event.timestamp,
  ).slice(max_events === 0 ? Number.MAX_SAFE_INTEGER : max_events);
  const gone = new Set([...old, ...surplus].map((event) => event.event_id));
  const oldRuns = rows.runs.filter((run) => run.executed_at !== null && run.executed_at < before);
  const runsOfGone = rows.runs.filter(
    (run) => !oldRuns.includes(run) && run.participants.some((participant) => gone.has(participant.event_id ?? "")),
  );
  const surplusRuns = sortedBy(
    rows.runs.filter((run) => !oldRuns.includes(run) && !runsOfGone.includes(run)),
    (run) => -(run.executed_at ?? run.claimed_at ?? 0),
  ).slice(max_trigger_runs === 0 ? Number.MAX_SAFE_INTEGER : max_trigger_runs);
  const goneRuns = [...oldRuns, ...runsOfGone, ...surplusRuns];
  const counts = {
    events_by_age: old.length,
    events_by_capacity: surplus.length,
    trigger_runs_by_age: oldRuns.length,
    trigger_runs_of_events: runsOfGone.length,
    trigger_runs_by_capacity: surplusRuns.length,
    event_conditions: [...old, ...surplus].reduce((n, event) => n + event.matched_condition_ids.length, 0),
    event_triggered_invocations: erase(rows.links, (link) => gone.has(link.event_id)),
    trigger_run_conditions: goneRuns.reduce((n, run) => n + run.participants.length, 0),
  };
  erase(rows.events, (event) => gone.has(event.event_id));
  erase(rows.runs, (run) => goneRuns.includes(run));
  return counts;
}

function rerun(
  rows: MemoryRows,
  invocationIds: readonly string[],
  { caller, force, enqueue = true, routing, workflow_tasks = [] }: RerunRequest,
  now: () => EpochSeconds,
): Rerun[] {
  const { components } = rows.capabilities;
  if (!components.state_backend || !components.orchestrator || (enqueue && !components.broker))
    throw new RefusedError("Nothing was registered: a component of this app is not in this store.", null, 409);

  const learned = new Map<string, ReturnType<typeof factsOf>>();
  /** As they were before the list: what it registers tells nothing of a task. */
  function factsOfTask(task: string) {
    const known = learned.get(task);
    if (known !== undefined) return known;
    const facts = factsOf(rows, task);
    facts.defines_workflow ||= workflow_tasks.includes(task);
    learned.set(task, facts);
    return facts;
  }

  function refusalOf(original: InvocationRecord, stored: ReadonlyMap<string, string> | null): RerunRefusal | null {
    if (stored === null) return { kind: "unreadable" };
    const missing = referencesIn(stored.values()).filter(
      (reference) => !rows.values.some((value) => value.data_key === reference),
    );
    if (missing.length > 0) return { kind: "dangling", references: missing };
    if (force || factsOfTask(original.task_id_key).control === "none_at_registration") return null;
    const waiting = rows.statuses.findLast(
      (row) => row.call_id_key === original.call_id_key && row.status === REGISTERED,
    );
    return waiting === undefined ? null : { kind: "duplicate", invocation_id: waiting.invocation_id };
  }

  const routeOf = routes(rows, routing);

  return invocationIds.map((invocation_id): Rerun => {
    const original = rows.definitions.find((row) => row.invocation_id === invocation_id);
    const refused = { new_invocation_id: null, own_workflow: false, indexed_arguments: 0, route: null };
    if (original === undefined) {
      const unknown = { control: "unknown", waiting_of_task: null, refusal: { kind: "unknown" } } as const;
      return { invocation_id, task_id_key: null, ...refused, ...unknown };
    }
    const { task_id_key } = original;
    const facts = factsOfTask(task_id_key);
    const { control, waiting_of_task } = facts;
    const stored = argumentsMap(original.serialized_arguments);
    const refusal = refusalOf(original, stored);
    if (refusal !== null || stored === null)
      return { invocation_id, task_id_key, ...refused, control, waiting_of_task, refusal };
    const defines_workflow = facts.defines_workflow || original.workflow_id === invocation_id;
    const id = randomUUID();
    const made = rerunRegistration(original, id, caller.runner_id, now(), { ...facts, defines_workflow });
    if (!rows.contexts.some((context) => context.runner_id === caller.runner_id)) rows.contexts.push(caller);
    rows.definitions.push(made.invocation);
    rows.statuses.push(made.status);
    rows.history.push({
      invocation_id: id,
      timestamp: made.history.timestamp,
      written_at: made.history.timestamp,
      status: made.history.status,
      status_runner_id: caller.runner_id,
      runner_context_id: caller.runner_id,
      registered_by_inv_id: null,
    });
    for (const [arg_key, arg_value] of stored) rows.indexed_arguments.push({ invocation_id: id, arg_key, arg_value });
    const route = enqueue ? routeOf(task_id_key) : null;
    if (enqueue) addMessage(rows, id, made.history.timestamp, route);
    return {
      invocation_id,
      task_id_key,
      new_invocation_id: id,
      refusal: null,
      own_workflow: made.invocation.workflow_id === id,
      indexed_arguments: stored.size,
      control,
      waiting_of_task,
      route,
    };
  });
}

function addMessage(
  rows: MemoryRows,
  invocation_id: string,
  queued_at: EpochSeconds,
  route: MessageRoute | null,
): void {
  const { queue_name = null, priority = null } = route ?? {};
  rows.messages.push({ invocation_id, queued_at, queue_name, priority });
}

function routes(rows: MemoryRows, { tasks, fallback } = DEFAULT_ROUTING): (task: string) => MessageRoute | null {
  return (task) => (rows.queue_layout.named ? (tasks[task] ?? fallback) : null);
}

function requeue(
  rows: MemoryRows,
  invocationIds: readonly string[],
  { settled_until, active_since, force, enqueue = true, routing }: RequeueRequest,
  now: () => EpochSeconds,
): Requeue[] {
  const runners = rows.heartbeats.filter((beat) => beat.last_heartbeat >= active_since).length;
  const listed = rows.capabilities.queue_peek;
  const proven = listed || force || (rows.messages.length === 0 && runners === 0);
  const unlisted = { kind: "unlisted", messages: rows.messages.length, runners } as const;
  const added = new Set<string>();
  const routeOf = routes(rows, routing);
  return invocationIds.map((invocation_id) => {
    const status = rows.statuses.find((row) => row.invocation_id === invocation_id);
    const refusal = requeueRefusal(
      {
        status: status === undefined ? null : { word: status.status, since: status.status_timestamp },
        defined: rows.definitions.some((row) => row.invocation_id === invocation_id),
        queued:
          added.has(invocation_id) || (listed && rows.messages.some((row) => row.invocation_id === invocation_id)),
      },
      settled_until,
    );
    if (refusal !== null || !proven) return { invocation_id, refusal: refusal ?? unlisted, route: null };
    added.add(invocation_id);
    const route = enqueue ? routeOf(status?.task_id_key ?? "") : null;
    if (enqueue) addMessage(rows, invocation_id, now(), route);
    return { invocation_id, refusal: null, route };
  });
}

/** How a task is set up, as far as its invocations tell. */
function factsOf(rows: MemoryRows, task: string) {
  const statuses = rows.statuses.filter((row) => row.task_id_key === task).reverse();
  const ofTask = new Set(statuses.map((row) => row.invocation_id));
  const control = knownControl(
    statuses.map(({ invocation_id, call_id_key }) => {
      const entry = rows.history.find((row) => row.invocation_id === invocation_id && row.status === REGISTERED);
      const registrar = rows.contexts.find((context) => context.runner_id === entry?.runner_context_id) ?? null;
      const indexed = rows.indexed_arguments.some((row) => row.invocation_id === invocation_id);
      return { call_id_key, indexed, registrar };
    }),
  );
  const waiting = statuses.find((row) => row.status === REGISTERED)?.invocation_id ?? null;
  return {
    workflow_required: rows.workflow_required,
    defines_workflow:
      rows.workflows.some((run) => run.workflow_type_key === task) ||
      rows.definitions.some(
        (row) =>
          ofTask.has(row.invocation_id) && row.workflow_id === row.invocation_id && row.workflow_type_key === task,
      ),
    control,
    waiting_of_task: control === "none_at_registration" ? null : waiting,
  };
}

/** A preview names what it would register by what it repeats. */
export function asPreview(reruns: readonly Rerun[]): Rerun[] {
  const originals = new Map(reruns.map((one) => [one.new_invocation_id, one.invocation_id]));
  return reruns.map((one) => ({
    ...one,
    new_invocation_id: null,
    refusal:
      one.refusal?.kind === "duplicate"
        ? { kind: "duplicate", invocation_id: originals.get(one.refusal.invocation_id) ?? one.refusal.invocation_id }
        : one.refusal,
  }));
}
