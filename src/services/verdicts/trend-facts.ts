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
  /** Number of times that one of its invocations was put into the queue. */
  queued: number;
  /** Number of times that one of its invocations was taken from the queue. */
  taken: number;
  /** Durations of attempts that ended, in seconds. */
  run: DurationSummary;
}

/** By task; tasks without a stored definition are left out. */
export type Period = ReadonlyMap<string, TaskFigures>;

/** A period before the last hour with which that is compared. */
export type ComparedPeriod = "day" | "week" | "hour_before";

/** A group of similar failures and retries, in the last hour and in the period with which its task is compared. */
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

/** Details of a task whose failures or retries have increased. */
export interface TaskRise {
  groups: readonly GroupRise[];
  /** The period of `failed_before` and `retries_before`. */
  than: ComparedPeriod;
  /** The first failure of the stretch with the higher share, and the first retry; null if there is none, or it is older than a day. */
  failing_since: EpochSeconds | null;
  retrying_since: EpochSeconds | null;
}

/** A task whose runs have become slower. */
export interface Slower {
  task_id_key: string;
  /** Medians, in seconds. */
  now: number;
  before: number;
  /** In the last hour. */
  runs: number;
  than: ComparedPeriod;
  /** When the first run of the slower stretch ended; null if that is not known, or longer ago than a day. */
  since: EpochSeconds | null;
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
  /** Slowest first, by how many times. */
  slower: readonly Slower[];
  /** There may be more of them. */
  slower_capped: boolean;
  /** The beginning of the quarter of an hour, by the clock, since which the queue has been growing; null if it is not, or for longer than a day. */
  growing_since: EpochSeconds | null;
  /** Null also if it is not quiet, and for a history of less than a day. */
  silence: Silence | null;
}
