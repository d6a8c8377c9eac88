/** What one history entry adds to the counts, given the entries of the same invocation that were entered before it. */
import type { HistoryRecord } from "../pynenc/records.ts";
import { WAITING_STATUSES } from "../pynenc/statuses.ts";
import { type EpochSeconds, secondsBetween } from "../pynenc/time.ts";

/** One attempt of an invocation: from `running` to the entry that ended it, including pauses. */
interface Attempt {
  started: EpochSeconds;
  /** Owner while it ran. */
  runner_id: string | null;
  paused: number;
}

/** What an entry adds. Durations are in seconds, and null if there is none or its start is not stored. */
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
  /** This entry ends a period in `running`. */
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
 * One for each entry, in the same order.
 *
 * @param history of one invocation from its first entry, ordered by when statuses were entered.
 */
export function factsOf(history: readonly HistoryRecord[]): EntryFacts[] {
  let previous: HistoryRecord | null = null;
  /** When it became available to runners, since the last attempt. */
  let ready: EpochSeconds | null = null;
  let attempt: Attempt | null = null;
  return history.map((entry) => {
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
    const inStatus = previous === null ? null : lasted(previous.timestamp, entry.timestamp);
    if (previous !== null && RUNNING.has(previous.status)) facts.busy = inStatus;
    if (previous?.status === "paused" && attempt !== null) {
      facts.paused = inStatus;
      attempt.paused += inStatus ?? 0;
    }
    if (RUNNING.has(entry.status)) {
      if (attempt === null) {
        facts.waited = ready === null ? null : lasted(ready, entry.timestamp);
        attempt = { started: entry.timestamp, runner_id: runnerSince(entry), paused: 0 };
        facts.runner_id = attempt.runner_id;
      }
    } else if (entry.status !== "paused") {
      if (attempt !== null && ENDS_OF_RUN.has(entry.status)) {
        facts.ran = lasted(attempt.started + attempt.paused, entry.timestamp);
      }
      if (attempt !== null) ready = null;
      attempt = null;
      if (WAITING.has(entry.status)) ready ??= entry.timestamp;
    }
    previous = entry;
    return facts;
  });
}

/** Null if a time is not stored or invalid. */
function lasted(from: EpochSeconds, to: EpochSeconds): number | null {
  const seconds = secondsBetween(from, to);
  return seconds === null ? null : Math.max(0, seconds);
}

/** The run that an entry ends. */
export function exampleOf({ entry, runner_id }: EntryFacts): RunExample {
  return { invocation_id: entry.invocation_id, at: entry.timestamp, runner_id };
}
