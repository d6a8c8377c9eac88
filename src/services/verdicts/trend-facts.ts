/** The input of detectors that compare with the past: figures over time (read by read-trends.ts). */
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { DurationSummary } from "../../rollups/reads.ts";

/** What happened to the invocations of one task during a period. */
export interface TaskFigures {
  finished: number;
  failed: number;
  /** Runs that began. */
  started: number;
  retries: number;
  /** Number of times one was put into the queue. */
  queued: number;
  /** Number of times one was taken from it. */
  taken: number;
  /** Durations of attempts that ended, in seconds. */
  run: DurationSummary;
}

/** By task; tasks without a stored definition are left out. */
export type Period = ReadonlyMap<string, TaskFigures>;

/** A group of similar failures and retries, in the last hour and the day before it. */
export interface GroupRise {
  type: string | null;
  message: string | null;
  failed: number;
  retries: number;
  failed_before: number;
  retries_before: number;
  /** From the last hour, newest first. */
  invocation_ids: readonly string[];
}

export interface Quarter {
  from: EpochSeconds;
  finished: number;
  failed: number;
  retries: number;
}

/** Details of a task whose failures or retries have increased. */
export interface TaskRise {
  groups: readonly GroupRise[];
  /** Quarters of an hour up to now, oldest first; the last two may be shorter. */
  quarters: readonly Quarter[];
}

/** Set if the history has been quiet lately. */
export interface Silence {
  last_entry: EpochSeconds;
  /** The longest gap between entries in the 24 hours before the last one, in full minutes. */
  longest_gap_seconds: number;
  entries: number;
}

/** Periods that have not been read are null. */
export interface TrendFacts {
  /** The end of the last full minute, where the recent periods end. */
  until: EpochSeconds;
  /** Where the day, the same hour and the week end, which may be some minutes earlier. */
  usual_until: EpochSeconds;
  hour: Period | null;
  /** The hour before that. */
  hour_before: Period | null;
  /** The same hour of the previous day. */
  same_hour: Period | null;
  /** The 24 hours before the last one. */
  day: Period | null;
  /** The 7 days before the last hour. */
  week: Period | null;
  /** The last 15 minutes, and the 15 minutes before. */
  quarter: Period | null;
  quarter_before: Period | null;
  rises: ReadonlyMap<string, TaskRise>;
  /** Null also if it is not quiet, and for a history of less than a day. */
  silence: Silence | null;
}
