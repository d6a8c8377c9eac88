/**
 * What a timeline is made of: the input of the geometry and, as it stands, the JSON twin of the page. Instants are ISO 8601 text with six
 * digits and `+00:00`, so that a twin that was saved can be drawn again.
 */

/** One status change. */
export interface TimelineEntry {
  timestamp: string;
  /** Any word; see `statusInfo`. */
  status: string;
  /** Runner context that made the change; null where the stored entry does not tell. */
  runner_id: string | null;
}

/**
 * What is known about an invocation behind its last entry. `ongoing`: it is in that status now. `continues`: a later change lies behind the
 * window.
 */
export type Afterwards = "ongoing" | "continues";

export interface TimelineInvocation {
  invocation_id: string;
  task_id_key: string | null;
  parent_invocation_id: string | null;
  /** The event that its definition names as its cause. */
  parent_event_id: string | null;
  /** It defines a workflow run (storage-format.md 1.3). */
  workflow_root: boolean;
  /** By time. The first may lie before the window: the status that the invocation was in when the window began. */
  entries: TimelineEntry[];
  afterwards: Afterwards;
}

export interface TimelineRunner {
  runner_id: string;
  /** Null where no context is stored under the id (storage-format.md 7.2). */
  runner_cls: string | null;
  hostname: string | null;
  pid: number | null;
  thread_id: number | null;
  parent_runner_id: string | null;
}

export interface TimelineEvent {
  event_id: string;
  event_code: string;
  timestamp: string;
  matched: boolean;
  triggered: boolean;
  emitted_by_invocation_id: string | null;
  emitted_by_runner_context_id: string | null;
}

/** What took part in a trigger run. */
export interface TimelineCause {
  /** event, status, result, exception or cron; null for a context class that is not known. */
  kind: "event" | "status" | "result" | "exception" | "cron" | null;
  event_id: string | null;
  source_invocation_id: string | null;
  timestamp: string | null;
}

export interface TimelineTriggerRun {
  trigger_run_id: string;
  /** The task that was started. */
  task_id_key: string;
  claimed_at: string | null;
  executed_at: string | null;
  triggered_invocation_id: string | null;
  atomic_service_run_id: string | null;
  atomic_service_runner_id: string | null;
  causes: TimelineCause[];
}

/** A run of the atomic service. */
export interface TimelineServiceRun {
  atomic_service_run_id: string;
  runner_id: string;
  start: string;
  /** Null while it runs. */
  end: string | null;
  status: string;
}

/** Status changes that are not drawn one by one, counted by runner, status and slice of the window. */
export interface TimelineDensity {
  /**
   * False: every status change was looked at. True: `totals` count all of them, and how they divide among runners and statuses was estimated
   * from `sampled` of them, evenly spread over the window.
   */
  estimated: boolean;
  sampled: number;
  /** Number of slices, all of one length. */
  slices: number;
  /** Changes in each slice. */
  totals: number[];
  /** For each slice, `counts` add up to `totals`. */
  rows: { runner_id: string | null; status: string; counts: number[] }[];
}

/** How many distinct invocations were registered, pending or running in each slice. */
export interface TimelineOccupancy {
  /** The categories that are counted together: registered, pending, running. */
  categories: string[];
  slices: number;
  /** Distinct invocations in each slice, each counted once. */
  totals: number[];
  /** The tasks with the most, then `null` for all others together. */
  tasks: { task_id_key: string | null; counts: number[] }[];
}

export interface DrawnCount {
  total: number;
  capped: boolean;
  drawn: number;
}

/** How many of how many are drawn. */
export interface TimelineCounts {
  /** Status changes in the window, and those of them that are drawn one by one. */
  changes: { total: number; drawn: number; exact: boolean };
  /** Invocations with a status in the window; null where they were not counted. */
  invocations: { total: number | null; drawn: number };
  /** Each `total` is a lower bound where it was `capped`: counting stopped there. */
  events: DrawnCount;
  trigger_runs: DrawnCount;
  atomic_service_runs: DrawnCount;
  /** Entries drawn in lanes of runners without a stored context. */
  unknown_runner_entries: number;
}

/** What of it has a place in the drawing. */
export type DrawnData = Omit<TimelineData, "counts" | "occupancy">;

export interface TimelineData {
  start: string;
  end: string;
  /** The present: bars of what goes on end here. */
  now: string;
  invocations: TimelineInvocation[];
  runners: TimelineRunner[];
  events: TimelineEvent[];
  trigger_runs: TimelineTriggerRun[];
  atomic_service_runs: TimelineServiceRun[];
  /** Null when every status change is drawn. */
  density: TimelineDensity | null;
  /** Null where the window holds too much to follow each invocation. */
  occupancy: TimelineOccupancy | null;
  counts: TimelineCounts;
}
