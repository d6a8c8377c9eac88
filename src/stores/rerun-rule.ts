/** Which calls are registered again and as what, before anything is written: one rule for every kind of store (storage-format.md 7.4). */
import type { InvocationRecord } from "../pynenc/records.ts";
import type { Registration } from "../pynenc/registration.ts";
import { type KnownControl, type RerunFacts, rerunRegistration } from "../pynenc/rerun.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { referencesIn } from "../pynenc/values.ts";
import type { MessageRoute, Rerun, RerunRefusal, RerunRequest } from "./ports/actions.ts";

/** An invocation whose call may be registered again. */
export interface Original {
  record: InvocationRecord;
  /** Null if the stored arguments are not a readable map. */
  stored: ReadonlyMap<string, string> | null;
}

/** Facts about a task, read once for all of its calls. */
export interface TaskFacts extends RerunFacts {
  control: KnownControl;
  waiting_of_task: string | null;
}

/** A new invocation. */
export interface PlannedRegistration extends Registration {
  /** The invocation whose call it repeats. */
  original: string;
  /** Arguments for the index for concurrency control. */
  stored: ReadonlyMap<string, string>;
  route: MessageRoute | null;
}

/** What is known about the store. */
export interface RerunKnowledge {
  originals: ReadonlyMap<string, Original>;
  factsOf(task: string): TaskFacts;
  /** Those of the references whose values are missing. */
  missingAmong(references: readonly string[]): string[];
  /** The newest invocation of a call with status registered, or null. Not asked of tasks without such a control. */
  waitingOf(call_id_key: string): string | null;
  /** The store has an index of arguments for concurrency control. */
  indexes: boolean;
  routeOf(task: string): MessageRoute | null;
  /** Generates the id of a new invocation; null in a preview. */
  newId: (() => string) | null;
  /** When an invocation is registered. @param previous the invocation planned before it. */
  instantAfter(previous: EpochSeconds): EpochSeconds;
}

/** Answers for all ids, and the invocations to register; none in a preview. */
export function decideReruns(
  invocationIds: readonly string[],
  { caller, force }: Pick<RerunRequest, "caller" | "force">,
  known: RerunKnowledge,
): { answers: Rerun[]; registrations: PlannedRegistration[] } {
  const registrations: PlannedRegistration[] = [];
  /** Calls of this list that were, or in a preview would be, registered: for the rest of the list they count as waiting. */
  const taken = new Map<string, string>();
  let last: EpochSeconds = 0;

  function refusalOf({ record, stored }: Original): RerunRefusal | null {
    if (stored === null) return { kind: "unreadable" };
    const references = known.missingAmong(referencesIn(stored.values()));
    if (references.length > 0) return { kind: "dangling", references };
    if (force || known.factsOf(record.task_id_key).control === "none_at_registration") return null;
    const invocation_id = taken.get(record.call_id_key) ?? known.waitingOf(record.call_id_key);
    return invocation_id === null ? null : { kind: "duplicate", invocation_id };
  }

  const answers = invocationIds.map((invocation_id): Rerun => {
    const original = known.originals.get(invocation_id);
    const refused = { new_invocation_id: null, own_workflow: false, indexed_arguments: 0, route: null };
    if (original === undefined) {
      const unknown = { control: "unknown", waiting_of_task: null, refusal: { kind: "unknown" } } as const;
      return { invocation_id, task_id_key: null, ...refused, ...unknown };
    }
    const { record, stored } = original;
    const { task_id_key } = record;
    const facts = known.factsOf(task_id_key);
    const { control, waiting_of_task } = facts;
    const refusal = refusalOf(original);
    if (refusal !== null || stored === null) {
      return { invocation_id, task_id_key, ...refused, control, waiting_of_task, refusal };
    }
    const defines_workflow = facts.defines_workflow || record.workflow_id === invocation_id;
    const id = known.newId?.() ?? null;
    const route = known.routeOf(task_id_key);
    if (id !== null) {
      last = known.instantAfter(last);
      const made = rerunRegistration(record, id, caller.runner_id, last, { ...facts, defines_workflow });
      registrations.push({ ...made, original: invocation_id, stored, route });
    }
    taken.set(record.call_id_key, id ?? invocation_id);
    return {
      invocation_id,
      task_id_key,
      new_invocation_id: id,
      refusal: null,
      own_workflow: facts.workflow_required || defines_workflow,
      indexed_arguments: known.indexes ? stored.size : 0,
      control,
      waiting_of_task,
      route,
    };
  });
  return { answers, registrations };
}
