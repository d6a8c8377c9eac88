/** Conditions on invocations that no index can answer. They are checked on batches of candidates. */
import { fnmatch } from "../../pynenc/fnmatch.ts";
import { folded } from "../../pynenc/folded.ts";
import { parseTaskKey } from "../../pynenc/identifiers.ts";
import { historiesInOrder, type LifePhase, lifeStretches, secondsIn } from "../../pynenc/life.ts";
import type { InvocationRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { statusInfo, WAITING_STATUSES } from "../../pynenc/statuses.ts";
import { messageKind } from "../../rollups/failure-message.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { argumentTexts, SEARCHED } from "./argument-texts.ts";
import type { InvocationCondition } from "./filter-type.ts";
import { MESSAGE_READ, oneLine } from "./invocation-rows.ts";
import { deadBeforeAfter } from "./runner-liveness.ts";
import { runnersAhead, signsOfLife } from "./signs-of-life.ts";
import { exceptionNames, exceptionReader } from "./stored-values.ts";

export type ConditionField = InvocationCondition["field"];

/** What is known about a candidate without further reads. */
export interface Candidate {
  invocation_id: string;
  status: InvocationStatusRecord | undefined;
  definition: InvocationRecord | undefined;
  /** The status, by the same rule as in lists. */
  word: string;
}

/** History entries read for one batch of candidates. */
const HISTORY_READ = 50_000;

/** Checks one condition on one candidate. Null means not known, which meets neither the condition nor its negation. */
type Test = (candidate: Candidate) => boolean | null;

/**
 * Candidates that meet all conditions, in the order given. A value that is not known (the retries of an invocation that the orchestrator has
 * forgotten, the run time of one without a history) meets no condition, negated or not.
 */
export async function meetingAll(
  reads: AppReads,
  conditions: readonly InvocationCondition[],
  candidates: readonly Candidate[],
): Promise<Candidate[]> {
  // Check cheap conditions first, so that the expensive ones need fewer reads.
  const ordered = [...conditions].sort((a, b) => COST[a.field] - COST[b.field]);
  let left = [...candidates];
  for (const condition of ordered) {
    if (left.length === 0) break;
    const test = await TESTS[condition.field](reads, condition, left);
    left = left.filter((candidate) => {
      const met = test(candidate);
      return met !== null && met !== condition.negated;
    });
  }
  return left;
}

const COST: Readonly<Record<ConditionField, number>> = {
  id: 0,
  task: 0,
  status: 0,
  call: 0,
  workflow: 0,
  type: 0,
  parent: 0,
  is: 0,
  retries: 0,
  has: 1,
  exception: 2,
  error: 2,
  arg: 3,
  text: 3,
  run: 4,
  wait: 4,
};

type MakeTest = (
  reads: AppReads,
  condition: InvocationCondition,
  candidates: readonly Candidate[],
) => Test | Promise<Test>;

const TESTS: Readonly<Record<ConditionField, MakeTest>> = {
  id: equals(({ invocation_id }) => invocation_id),
  task: (_, { values }) => {
    return (candidate) => {
      const key = taskOf(candidate);
      return key === null ? null : values.some((value) => meetsTask(key, String(value)));
    };
  },
  status: equals(({ word }) => word),
  call: equals(({ status, definition }) => status?.call_id_key ?? definition?.call_id_key),
  workflow: equals(({ definition }) => member(definition, "workflow_id")),
  type: equals(({ definition }) => member(definition, "workflow_type_key")),
  parent: equals(({ definition }) => member(definition, "parent_invocation_id")),
  is: (_, { values }) => {
    return ({ word }) =>
      values.some((value) => (value === "final" ? statusInfo(word).final : WAITING_STATUSES.includes(word)));
  },
  retries: (_, condition) => {
    return ({ status }) => (status === undefined ? null : compares(condition, status.retry_count));
  },
  has: async (reads, { values }, candidates) => {
    const ids = candidates.map((one) => one.invocation_id);
    const sets = await Promise.all(values.map((value) => HAVING[value as Having](reads, candidates, ids)));
    return ({ invocation_id }) => sets.some((set) => set.has(invocation_id));
  },
  exception: async (reads, { values }, candidates) => {
    const names = await exceptionNames(reads, failedAmong(candidates));
    return ({ invocation_id }) => values.includes(names.get(invocation_id) ?? "");
  },
  error: async (reads, { values }, candidates) => {
    const stored = await reads.state_backend.exceptionsOf(failedAmong(candidates), SEARCHED);
    const show = await exceptionReader(
      reads,
      stored.map((row) => row.stored),
      SEARCHED,
    );
    const texts = new Map(
      stored.map((row) => {
        const { error_name, type, message } = show(row.stored, row).exception;
        // The message is found both as it is stored and as failure groups show it.
        const parts = [error_name, type ?? "", message ?? "", messageKind(oneLine(message ?? "", MESSAGE_READ))];
        return [row.invocation_id, parts.join("\n")];
      }),
    );
    return ({ invocation_id }) => contains(texts.get(invocation_id) ?? "", values);
  },
  arg: async (reads, { values, path }, candidates) => {
    const texts = await argumentTexts(reads, candidates, path);
    if (path !== null) {
      const wanted = values.map((value) => String(value).normalize());
      return ({ invocation_id }) => matchIfKnown(texts.get(invocation_id), (text) => wanted.includes(text.normalize()));
    }
    return ({ invocation_id }) => matchIfKnown(texts.get(invocation_id), (text) => contains(text, values));
  },
  text: async (reads, { values }, candidates) => {
    const texts = await argumentTexts(reads, candidates, null);
    return (candidate) =>
      contains(`${candidate.invocation_id}\n${taskOf(candidate) ?? ""}`, values) ||
      matchIfKnown(texts.get(candidate.invocation_id), (text) => contains(text, values));
  },
  run: lasting(["running"]),
  wait: lasting(["queued", "pending"]),
};

const HAVING = {
  children: async (reads: AppReads, _: readonly Candidate[], ids: readonly string[]) => {
    const children = await reads.state_backend.childrenOf(ids, { each: 1 });
    return new Set(children.map((row) => row.parent_invocation_id));
  },
  error: async (reads: AppReads, candidates: readonly Candidate[]) => {
    const stored = await reads.state_backend.exceptionsOf(failedAmong(candidates), 0);
    return new Set(stored.map((row) => row.invocation_id));
  },
  parent: async (_: AppReads, candidates: readonly Candidate[]) => {
    const children = candidates.filter(({ definition }) => (definition?.parent_invocation_id ?? null) !== null);
    return new Set(children.map((one) => one.invocation_id));
  },
};

/** Only exceptions of failed invocations count, as in every list: one may be stored shortly before the status, and outlive a recovery. */
function failedAmong(candidates: readonly Candidate[]): string[] {
  return candidates.filter(({ word }) => word === "failed").map((one) => one.invocation_id);
}

type Having = keyof typeof HAVING;

/** Values of `has:`. */
export const HAVING_WORDS = Object.keys(HAVING);

function equals(read: (candidate: Candidate) => string | undefined): MakeTest {
  return (_, { values }) => {
    return (candidate) => {
      const value = read(candidate);
      return value === undefined ? null : values.includes(value);
    };
  };
}

/** Empty if the definition has none; undefined if there is no definition. */
function member(
  definition: InvocationRecord | undefined,
  name: "workflow_id" | "workflow_type_key" | "parent_invocation_id",
): string | undefined {
  return definition === undefined ? undefined : (definition[name] ?? "");
}

function taskOf({ status, definition }: Candidate): string | null {
  return status?.task_id_key ?? definition?.task_id_key ?? null;
}

/** Accepts a full key, a pattern with `*`, or the function name alone. */
function meetsTask(key: string, wanted: string): boolean {
  return key === wanted || fnmatch(key, wanted) || parseTaskKey(key)?.func === wanted;
}

/** Compares the time spent in these phases, by the histories. Null without a history, or if the length of a phase is not known. */
function lasting(phases: readonly LifePhase[]): MakeTest {
  return async (reads, condition, candidates) => {
    const ids = candidates.map((one) => one.invocation_id);
    const { as_of, silence_seconds } = condition;
    const [entries, ahead] = await Promise.all([
      reads.state_backend.historyOf(ids, HISTORY_READ),
      runnersAhead(reads, as_of),
    ]);
    const histories = historiesInOrder(entries);
    const signs = await signsOfLife(
      reads,
      histories.values(),
      silence_seconds === undefined ? null : () => deadBeforeAfter(reads, silence_seconds, as_of),
    );
    return ({ invocation_id }) => {
      const history = histories.get(invocation_id);
      if (history === undefined) return null;
      const seconds = secondsIn(lifeStretches(history, as_of, { ...signs, ahead }), phases);
      return seconds === null ? null : compares(condition, seconds);
    };
  };
}

function compares({ comparison, values }: InvocationCondition, actual: number): boolean {
  return values.some((value) => {
    const wanted = Number(value);
    if (comparison === ">") return actual > wanted;
    if (comparison === ">=") return actual >= wanted;
    if (comparison === "<") return actual < wanted;
    if (comparison === "<=") return actual <= wanted;
    return actual === wanted;
  });
}

/** Null if the texts are not known. */
function matchIfKnown(texts: readonly string[] | undefined, meets: (text: string) => boolean): boolean | null {
  return texts === undefined ? null : texts.some(meets);
}

function contains(text: string, values: readonly (string | number)[]): boolean {
  const own = folded(text);
  return values.some((value) => own.includes(folded(String(value))));
}
