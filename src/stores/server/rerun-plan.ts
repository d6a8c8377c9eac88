/** Reads what decides which calls a server registers again, and as what (storage-format.md 7.4). */
import type { HistoryRecord, InvocationRecord, RunnerContextRecord } from "../../pynenc/records.ts";
import { REGISTERED } from "../../pynenc/registration.ts";
import { type EarlierCall, knownControl } from "../../pynenc/rerun.ts";
import { argumentsMap, referencesIn } from "../../pynenc/values.ts";
import type { Rerun, RerunRequest } from "../ports/actions.ts";
import type { ClientDataReads } from "../ports/client-data.ts";
import type { OrchestratorReads, StatusFilter } from "../ports/orchestrator.ts";
import type { StateBackendReads } from "../ports/state-backend.ts";
import {
  decideReruns,
  type Original,
  type PlannedRegistration,
  type RerunKnowledge,
  type TaskFacts,
} from "../rerun-rule.ts";
import { VALUE_BYTES } from "../value-limit.ts";

/** Number of newest invocations of a task read to infer its options, which are set in code and not stored (storage-format.md 7.4). */
export const NEWEST_CALLS = 100;

/** No limit: arguments are copied unchanged, whatever their size. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A call with its first argument: pynenc indexes all arguments of a call or none. */
export interface CallWithArgument {
  record: InvocationRecord;
  argument: readonly [name: string, value: string];
}

/** What a plan needs to know from the store. */
export interface RerunReads {
  orchestrator: Pick<OrchestratorReads, "listInvocations" | "statusesByIds">;
  state_backend: Pick<StateBackendReads, "invocationsByIds" | "runnerContexts">;
  client_data_store: Pick<ClientDataReads, "valuesByKeys">;
  /** The newest `NEWEST_CALLS` invocations of each task; without an index, those among the newest `LOOKED_THROUGH` registrations. */
  newestOf(tasks: readonly string[]): Promise<string[][]>;
  /** Tasks of which a workflow run has started. */
  startedAmong(tasks: readonly string[]): Promise<ReadonlySet<string>>;
  /** Invocations whose arguments are in the index for concurrency control. */
  indexedAmong(calls: readonly CallWithArgument[]): Promise<ReadonlySet<string>>;
  /** The first entry of each history. */
  firstEntries(
    ids: readonly string[],
  ): Promise<Pick<HistoryRecord, "invocation_id" | "status" | "runner_context_id">[]>;
}

export interface PlanOptions extends Pick<RerunKnowledge, "routeOf" | "newId" | "instantAfter"> {
  /** The layout gives workflows only to the tasks that define one: since 0.2.4. */
  newer: boolean;
}

/** Answers for all ids, and the invocations to register; none in a preview. */
export async function planReruns(
  reads: RerunReads,
  invocationIds: readonly string[],
  { caller, force, workflow_tasks = [] }: RerunRequest,
  { newer, ...options }: PlanOptions,
): Promise<{ answers: Rerun[]; registrations: PlannedRegistration[] }> {
  const originals = await originalsOf(reads, invocationIds, UNLIMITED);
  const [factsByTask, missing] = await Promise.all([
    learnFacts(reads, [...originals.values()], newer, workflow_tasks),
    missingReferences(reads, [...originals.values()]),
  ]);
  const unknown = {
    workflow_required: !newer,
    defines_workflow: false,
    control: "unknown",
    waiting_of_task: null,
  } as const;
  const factsOf = (task: string): TaskFacts => factsByTask.get(task) ?? unknown;
  const reusable = [...originals.values()].flatMap(({ record: { task_id_key, call_id_key } }) =>
    force || factsOf(task_id_key).control === "none_at_registration" ? [] : [call_id_key],
  );
  const waiting = await waitingCalls(reads, new Set(reusable));
  return decideReruns(
    invocationIds,
    { caller, force },
    {
      originals,
      factsOf,
      missingAmong: (references) => references.filter((reference) => missing.has(reference)),
      waitingOf: (call) => waiting.get(call) ?? null,
      indexes: true,
      ...options,
    },
  );
}

/** @param argumentBytes larger arguments are not read as a map. */
async function originalsOf(
  { state_backend }: RerunReads,
  ids: readonly string[],
  argumentBytes: number,
): Promise<Map<string, Original>> {
  const records = await state_backend.invocationsByIds(ids, argumentBytes);
  return new Map(
    records.map((record) => [record.invocation_id, { record, stored: argumentsMap(record.serialized_arguments) }]),
  );
}

/** References of these calls whose values are missing. */
async function missingReferences(
  { client_data_store }: RerunReads,
  originals: readonly Original[],
): Promise<ReadonlySet<string>> {
  const references = new Set(originals.flatMap(({ stored }) => (stored === null ? [] : referencesIn(stored.values()))));
  const present = await client_data_store.valuesByKeys([...references], 0);
  for (const { data_key } of present) references.delete(data_key);
  return references;
}

/** The newest invocation with status registered for each of these calls, if any. */
async function waitingCalls(reads: RerunReads, callKeys: ReadonlySet<string>): Promise<Map<string, string>> {
  const found = await Promise.all(
    [...callKeys].map(async (call_id_key) => [call_id_key, await waitingOf(reads, { call_id_key })] as const),
  );
  return new Map(found.flatMap(([call, id]) => (id === null ? [] : [[call, id] as const])));
}

/** The newest invocation with status registered that matches the filter, or null. */
async function waitingOf({ orchestrator }: RerunReads, filter: StatusFilter): Promise<string | null> {
  const [waiting] = await orchestrator.listInvocations({ ...filter, statuses: [REGISTERED] }, { limit: 1, offset: 0 });
  return waiting?.invocation_id ?? null;
}

async function learnFacts(
  reads: RerunReads,
  originals: readonly Original[],
  newer: boolean,
  workflowTasks: readonly string[],
): Promise<ReadonlyMap<string, TaskFacts>> {
  const tasks = [...new Set(originals.map(({ record }) => record.task_id_key))];
  const [newest, started] = await Promise.all([reads.newestOf(tasks), reads.startedAmong(tasks)]);
  const idsByTask = new Map(tasks.map((task, i) => [task, [...(newest[i] ?? [])]]));
  const known = await originalsOf(reads, newest.flat(), VALUE_BYTES);
  // Includes the originals: a long list of reruns can displace all others from the newest.
  for (const { record } of originals) idsByTask.get(record.task_id_key)?.push(record.invocation_id);
  const calls = await earlierCalls(reads, [...known.values(), ...originals]);
  const facts = tasks.map(async (task): Promise<[string, TaskFacts]> => {
    const control = knownControl((idsByTask.get(task) ?? []).flatMap((id) => calls.get(id) ?? []));
    return [
      task,
      {
        // Until 0.2.3 every root is its own workflow; newer records show it by another member too (storage-format.md 9.3).
        workflow_required: !newer,
        // A workflow task that never ran is found by its definitions only (storage-format.md 3.4).
        defines_workflow:
          started.has(task) ||
          workflowTasks.includes(task) ||
          [...known.values()].some(
            ({ record }) =>
              record.task_id_key === task &&
              record.workflow_id === record.invocation_id &&
              record.workflow_type_key === task,
          ),
        control,
        waiting_of_task: control === "none_at_registration" ? null : await waitingOf(reads, { task_id_key: task }),
      },
    ];
  });
  return new Map(await Promise.all(facts));
}

/** Facts about calls that have a status: an auto-purge also removes the index entries of what it removes. */
async function earlierCalls(
  reads: RerunReads,
  originals: readonly Original[],
): Promise<ReadonlyMap<string, EarlierCall>> {
  const ids = originals.map(({ record }) => record.invocation_id);
  const withStatus = new Set((await reads.orchestrator.statusesByIds(ids)).map(({ invocation_id }) => invocation_id));
  const calls = originals.flatMap(({ record, stored }) => {
    const [argument] = stored ?? [];
    return argument === undefined || !withStatus.has(record.invocation_id) ? [] : [{ record, argument }];
  });
  const [indexed, registrars] = await Promise.all([
    reads.indexedAmong(calls),
    registrarsOf(
      reads,
      calls.map(({ record }) => record.invocation_id),
    ),
  ]);
  return new Map(
    calls.map(({ record: { invocation_id, call_id_key } }) => [
      invocation_id,
      { call_id_key, indexed: indexed.has(invocation_id), registrar: registrars.get(invocation_id) ?? null },
    ]),
  );
}

/** Who registered each of these invocations, if stored. */
async function registrarsOf(
  reads: RerunReads,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RunnerContextRecord>> {
  const registered = (await reads.firstEntries(ids)).filter(({ status }) => status === REGISTERED);
  const runnerIds = new Set(registered.flatMap(({ runner_context_id }) => runner_context_id ?? []));
  const contexts = new Map(
    (await reads.state_backend.runnerContexts([...runnerIds])).map((context) => [context.runner_id, context]),
  );
  return new Map(
    registered.flatMap(({ invocation_id, runner_context_id }) => {
      const context = contexts.get(runner_context_id ?? "");
      return context === undefined ? [] : [[invocation_id, context] as const];
    }),
  );
}
