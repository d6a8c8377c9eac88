/** What the detectors that compare with before judge by: figures over time (read-trends.ts reads them). */
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { DurationSummary } from "../../rollups/reads.ts";

/** What happened to the invocations of one task in a stretch of time. */
export interface TaskFigures {
  finished: number;
  failed: number;
  /** Runs that began. */
  started: number;
  retries: number;
  /** Times that one was put into the queue. */
  queued: number;
  /** Times that one was taken out of it. */
  taken: number;
  /** Of attempts that ended, in seconds. */
  run: DurationSummary;
}

/** By task; those without a stored definition are left out. */
export type Period = ReadonlyMap<string, TaskFigures>;

/** Failures and retries with something in common, in the last hour and in the day before it. */
export interface GroupRise {
  type: string | null;
  message: string | null;
  failed: number;
  retries: number;
  failed_before: number;
  retries_before: number;
  /** Of the last hour, newest first. */
  invocation_ids: readonly string[];
}

export interface Quarter {
  from: EpochSeconds;
  finished: number;
  failed: number;
  retries: number;
}

/** More about a task whose failures or retries have become more. */
export interface TaskRise {
  groups: readonly GroupRise[];
  /** Quarters of an hour until now, oldest first; the last two may be shorter than the others. */
  quarters: readonly Quarter[];
}

/** The history has been quiet lately. */
export interface Silence {
  last_entry: EpochSeconds;
  /** The longest time without an entry in the 24 hours before the last one, in whole minutes. */
  longest_gap_seconds: number;
  entries: number;
}

/** Null is what has not been read. */
export interface TrendFacts {
  /** The end of the last whole minute, at which these end. */
  until: EpochSeconds;
  /** That of the day, the same hour and the week, which may be some minutes older. */
  usual_until: EpochSeconds;
  hour: Period | null;
  /** The one before that. */
  hour_before: Period | null;
  /** The same one of the day before. */
  same_hour: Period | null;
  /** The 24 hours before the last one. */
  day: Period | null;
  /** The 7 days before the last hour. */
  week: Period | null;
  /** The last 15 minutes, and those before. */
  quarter: Period | null;
  quarter_before: Period | null;
  rises: ReadonlyMap<string, TaskRise>;
  /** Null also while it is not quiet, and for a history of less than a day. */
  silence: Silence | null;
}
