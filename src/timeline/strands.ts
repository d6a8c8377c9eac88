/** Turns histories into bars and points. A continuous stay of an invocation on one runner is a strand. */
import type { Afterwards, TimelineInvocation } from "../api/timeline.ts";
import { type EpochSeconds, epochFromIso } from "../pynenc/time.ts";

/** Statuses that last and keep a runner busy are bars. All others are points: while queued, an invocation belongs to no runner. */
export const LASTING_STATUSES: readonly string[] = ["pending", "running", "paused", "resumed"];

/** A run has the colour of its outcome. */
const OUTCOMES: readonly string[] = ["success", "failed", "retry", "killed", "running_recovery", "pending_recovery"];

export function isLasting(status: string): boolean {
  return LASTING_STATUSES.includes(status);
}

/** A parsed history entry. */
interface Entry {
  at: EpochSeconds;
  status: string;
  runner_id: string | null;
}

export interface Segment {
  status: string;
  /** The status that ended a run; null if the run continues or another lasting status followed. */
  outcome: string | null;
  /** Actual start and end. The end is null if it continues or ends after the window. */
  began: EpochSeconds;
  ended: EpochSeconds | null;
  /** Clipped to the window. */
  from: EpochSeconds;
  to: EpochSeconds;
  ongoing: boolean;
}

export interface Point {
  status: string;
  at: EpochSeconds;
}

/** Consecutive statuses of one invocation on one runner. */
export interface Strand {
  invocation_id: string;
  task_id_key: string | null;
  runner_id: string | null;
  segments: Segment[];
  points: Point[];
  from: EpochSeconds;
  to: EpochSeconds;
}

export interface Window {
  start: EpochSeconds;
  end: EpochSeconds;
  now: EpochSeconds;
}

/** The strands of one invocation, by time. Entries before the window only determine its initial status. */
export function strandsOf(invocation: TimelineInvocation, window: Window): Strand[] {
  const entries = entriesOf(invocation);
  const strands: Strand[] = [];
  let open: Strand | null = null;
  entries.forEach((entry, index) => {
    const next = entries[index + 1];
    const inside = entry.at >= window.start && entry.at <= window.end;
    const segment = isLasting(entry.status) ? segmentOf(entry, next, invocation.afterwards, window) : null;
    if (!inside && segment === null) {
      open = null;
      return;
    }
    if (open === null || open.runner_id !== entry.runner_id) {
      const from = Math.max(entry.at, window.start);
      open = {
        invocation_id: invocation.invocation_id,
        task_id_key: invocation.task_id_key,
        runner_id: entry.runner_id,
        segments: [],
        points: [],
        from,
        to: from,
      };
      strands.push(open);
    }
    if (inside && segment === null) open.points.push({ status: entry.status, at: entry.at });
    if (segment !== null) open.segments.push(segment);
    open.to = Math.max(open.to, segment?.to ?? entry.at);
    // After a point nobody holds the invocation, so a new strand follows.
    if (segment === null) open = null;
  });
  return strands;
}

function entriesOf({ entries }: TimelineInvocation): Entry[] {
  return entries.flatMap(({ timestamp, status, runner_id }) => {
    const at = epochFromIso(timestamp);
    return at === null ? [] : [{ at, status, runner_id }];
  });
}

/** Null if no part of it is inside the window. */
function segmentOf(entry: Entry, next: Entry | undefined, afterwards: Afterwards, window: Window): Segment | null {
  const last = next === undefined;
  const ongoing = last && afterwards === "ongoing";
  // Anything ongoing is drawn up to now, even if the window extends further.
  const until = next?.at ?? (ongoing ? Math.max(entry.at, Math.min(window.end, window.now)) : window.end);
  const from = Math.max(entry.at, window.start);
  const to = Math.min(until, window.end);
  if (to < from || entry.at > window.end) return null;
  const outcome = next !== undefined && OUTCOMES.includes(next.status) ? next.status : null;
  return { status: entry.status, outcome, began: entry.at, ended: next?.at ?? null, from, to, ongoing };
}
