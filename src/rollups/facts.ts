/** What one history entry adds to the counts, given the entries of the same invocation that were entered before it. */
import { deadSince, isAcrossClocks, type SignsOfLife, type TimedStep, timed } from "../pynenc/life.ts";
import type { HistoryRecord } from "../pynenc/records.ts";
import { WAITING_STATUSES } from "../pynenc/statuses.ts";
import type { EpochSeconds } from "../pynenc/time.ts";

/** One attempt of an invocation: from `running` to the entry that ended it, including pauses. */
interface Attempt {
  started: TimedStep<HistoryRecord>;
  /** Owner while it ran. */
  runner_id: string | null;
  paused: number;
}

/**
 * What an entry adds. Durations are in seconds, and null if there is none, if its start is not stored, or if it lies between the clocks of two hosts that
 * disagree.
 */
export interface EntryFacts {
  entry: HistoryRecord;
  /** The previous status; null for the first entry. */
  left: string | null;
  /** This entry continues an attempt after a pause. */
  continued: boolean;
  /** This entry starts an attempt: seconds since the invocation first became available for it. */
  waited: number | null;
  /** This entry ends an attempt with success, failure or a retry: time in `running`, without pauses. */
  ran: number | null;
  /** This entry ends a pause. */
  paused: number | null;
  /** This entry ends a period in `running`: time until then, or until the runner died; null also if that is not known. */
  busy: number | null;
  /** The runner of the attempt that this entry continues or ends. */
  runner_id: string | null;
}

/** The runner that runs an invocation from this `running` entry on; null if the entry names none. */
export function runnerSince({ status_runner_id, runner_context_id }: HistoryRecord): string | null {
  return status_runner_id ?? runner_context_id;
}

/** The end of a run, as an example of similar ones. */
export interface RunExample {
  invocation_id: string;
  at: EpochSeconds;
  runner_id: string | null;
}

const RUNNING: ReadonlySet<string> = new Set(["running", "resumed"]);
const WAITING: ReadonlySet<string> = new Set(WAITING_STATUSES);

/** Outcomes whose run time is representative of the task. Runs that were killed or recovered were cut short. */
const ENDS_OF_RUN: ReadonlySet<string> = new Set(["success", "failed", "retry"]);

/**
 * The facts about each entry, in the same order.
 *
 * @param history of one invocation from its first entry, in the order of `inOrder`.
 * @param signs signs of life of the runners from which a recovery took the invocation.
 */
export function factsOf(history: readonly HistoryRecord[], signs: SignsOfLife): EntryFacts[] {
  let before: TimedStep<HistoryRecord> | null = null;
  /** When the invocation first became available to runners since the last attempt. */
  let ready: TimedStep<HistoryRecord> | null = null;
  let attempt: Attempt | null = null;
  const lasted = (from: TimedStep<HistoryRecord>, to: TimedStep<HistoryRecord>): number | null =>
    Number.isNaN(to.at - from.at) || isAcrossClocks(from, to) ? null : to.at - from.at;
  return timed(history).map((step) => {
    const { entry } = step;
    const previous = before?.entry ?? null;
    const facts: EntryFacts = {
      entry,
      left: previous?.status ?? null,
      continued: attempt !== null && RUNNING.has(entry.status),
      waited: null,
      ran: null,
      paused: null,
      busy: null,
      runner_id: attempt?.runner_id ?? null,
    };
    const inStatus = before === null ? null : lasted(before, step);
    if (before !== null && RUNNING.has(before.entry.status)) {
      const dead = deadSince(before, entry.status, step.at, signs);
      if (dead === null) facts.busy = inStatus;
      else if (dead !== "not_known") facts.busy = dead - before.at;
    }
    if (previous?.status === "paused" && attempt !== null) {
      facts.paused = inStatus;
      attempt.paused += inStatus ?? 0;
    }
    if (RUNNING.has(entry.status)) {
      if (attempt === null) {
        facts.waited = ready === null ? null : lasted(ready, step);
        attempt = { started: step, runner_id: runnerSince(entry), paused: 0 };
        facts.runner_id = attempt.runner_id;
      }
    } else if (entry.status !== "paused") {
      if (attempt !== null && ENDS_OF_RUN.has(entry.status)) {
        const ran = lasted(attempt.started, step);
        facts.ran = ran === null ? null : Math.max(0, ran - attempt.paused);
      }
      if (attempt !== null) ready = null;
      attempt = null;
      if (WAITING.has(entry.status)) ready ??= step;
    }
    before = step;
    return facts;
  });
}

/** The run that an entry ends. */
export function exampleOf({ entry, runner_id }: EntryFacts): RunExample {
  return { invocation_id: entry.invocation_id, at: entry.timestamp, runner_id };
}
