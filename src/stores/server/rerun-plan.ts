/** Decides which calls a server registers again and as what, before anything is written (storage-format.md 7.4). */
import type { HistoryRecord, InvocationRecord, RunnerContextRecord } from "../../pynenc/records.ts";
import { REGISTERED, type Registration } from "../../pynenc/registration.ts";
import {
  type EarlierCall,
  type KnownControl,
  knownControl,
  type RerunFacts,
  rerunRegistration,
} from "../../pynenc/rerun.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { argumentsMap, referencesIn } from "../../pynenc/values.ts";
import type { MessageRoute, Rerun, RerunRefusal, RerunRequest } from "../ports/actions.ts";
import type { ClientDataReads } from "../ports/client-data.ts";
import type { OrchestratorReads, StatusFilter } from "../ports/orchestrator.ts";
import type { StateBackendReads } from "../ports/state-backend.ts";
import { VALUE_BYTES } from "../value-limit.ts";

/** Number of newest invocations of a task read to infer its options, which are set in code and not stored (storage-format.md 7.4). */
export const NEWEST_CALLS = 100;

/** No limit: arguments are copied unchanged, whatever their size. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** An invocation whose call may be registered again. */
export interface Original {
  record: InvocationRecord;
  /** Null if the stored arguments are not a readable map. */
  stored: ReadonlyMap<string, string> | null;
}

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

export interface PlanOptions {
  /** The layout gives workflows only to the tasks that define one: since 0.2.4. */
  newer: boolean;
  routeOf(task: string): MessageRoute | null;
  /** Generates the id of a new invocation; null in a preview. */
  newId: (() => string) | null;
  /** When an invocation is registered. @param previous the invocation planned before it. */
  instantAfter(previous: EpochSeconds): EpochSeconds;
}

/** A new invocation. */
export interface PlannedRegistration extends Registration {
  /** The invocation whose call it repeats. */
  original: string;
  /** Arguments for the index for concurrency control. */
  stored: ReadonlyMap<string, string>;
  route: MessageRoute | null;
}

/** Facts about a task, read once for all of its calls. */
interface TaskFacts extends RerunFacts {
  control: KnownControl;
  waiting_of_task: string | null;
}

/** Answers for all ids, and the invocations to register; none in a preview. */
export async function planReruns(
  reads: RerunReads,
  invocationIds: readonly string[],
  { caller, force, workflow_tasks = [] }: RerunRequest,
  { newer, routeOf, newId, instantAfter }: PlanOptions,
): Promise<{ answers: Rerun[]; registrations: PlannedRegistration[] }> {
  const originals = await originalsOf(reads, invocationIds, UNLIMITED);
  const [factsByTask, missing] = await Promise.all([
    learnFacts(reads, [...originals.values()], newer, workflow_tasks),
    missingReferences(reads, [...originals.values()]),
  ]);
  const factsOf = ({ record }: Original): TaskFacts =>
    factsByTask.get(record.task_id_key) ?? {
      workflow_required: !newer,
      defines_workflow: false,
      control: "unknown",
      waiting_of_task: null,
    };
  const mayReuse = (original: Original) => !force && factsOf(original).control !== "none_at_registration";
  const reusable = [...originals.values()].filter(mayReuse).map(({ record }) => record.call_id_key);
  const waiting = await waitingCalls(reads, new Set(reusable));

  function refusalOf(original: Original): RerunRefusal | null {
    if (original.stored === null) return { kind: "unreadable" };
    const references = referencesIn(original.stored.values()).filter((reference) => missing.has(reference));
    if (references.length > 0) return { kind: "dangling", references };
    const invocation_id = waiting.get(original.record.call_id_key);
    return invocation_id === undefined || !mayReuse(original) ? null : { kind: "duplicate", invocation_id };
  }

  const registrations: PlannedRegistration[] = [];
  let last: EpochSeconds = 0;
  const answers = invocationIds.map((invocation_id): Rerun => {
    const original = originals.get(invocation_id);
    const refused = { new_invocation_id: null, own_workflow: false, indexed_arguments: 0, route: null };
    if (original === undefined) {
      const unknown = { control: "unknown", waiting_of_task: null, refusal: { kind: "unknown" } } as const;
      return { invocation_id, task_id_key: null, ...refused, ...unknown };
    }
    const { record, stored } = original;
    const { task_id_key } = record;
    const facts = factsOf(original);
    const { control, waiting_of_task } = facts;
    const refusal = refusalOf(original);
    if (refusal !== null || stored === null) {
      return { invocation_id, task_id_key, ...refused, control, waiting_of_task, refusal };
    }
    const definesWorkflow = facts.defines_workflow || record.workflow_id === invocation_id;
    const id = newId?.() ?? null;
    const route = routeOf(task_id_key);
    if (id !== null) {
      last = instantAfter(last);
      const made = rerunRegistration(record, id, caller.runner_id, last, {
        ...facts,
        defines_workflow: definesWorkflow,
      });
      registrations.push({ ...made, original: invocation_id, stored, route });
    }
    // For the rest of the list it counts as waiting.
    waiting.set(record.call_id_key, id ?? invocation_id);
    return {
      invocation_id,
      task_id_key,
      new_invocation_id: id,
      refusal: null,
      own_workflow: facts.workflow_required || definesWorkflow,
      indexed_arguments: stored.size,
      control,
      waiting_of_task,
      route,
    };
  });
  return { answers, registrations };
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
