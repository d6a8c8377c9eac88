/** Turns histories into bars and points. A continuous stay of an invocation on one runner is a strand. */
import type { Afterwards, TimelineInvocation } from "../api/timeline.ts";
import { type EpochSeconds, epochFromIso } from "../pynenc/time.ts";
import type { HistoryStep, HistoryWindow } from "./model.ts";

/** Statuses that last and keep a runner busy are bars. All others are points: while queued, an invocation belongs to no runner. */
export const LASTING_STATUSES: readonly string[] = ["pending", "running", "paused", "resumed"];

/** A run has the colour of its outcome. */
const OUTCOMES: readonly string[] = ["success", "failed", "retry", "killed", "running_recovery", "pending_recovery"];

export function isLasting(status: string): boolean {
  return LASTING_STATUSES.includes(status);
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
  /** The runner of the strand had died. */
  dead: boolean;
}

export interface Point {
  status: string;
  at: EpochSeconds;
}

/** Consecutive statuses of one invocation on one runner. */
export interface Strand {
  invocation_id: string;
  /** Of its lane, which may be a cause. */
  task_id_key: string | null;
  runner_id: string | null;
  segments: Segment[];
  points: Point[];
  from: EpochSeconds;
  to: EpochSeconds;
}

/** The strands of one invocation, in the order of its entries. Entries before the window only determine its initial status. */
export function strandsOf(invocation: TimelineInvocation, window: HistoryWindow): Strand[] {
  const entries = entriesOf(invocation);
  const strands: Strand[] = [];
  let open: Strand | null = null;
  entries.forEach((entry, index) => {
    const next = entries[index + 1];
    const inside = entry.at >= window.start && entry.at <= window.end;
    const segments = isLasting(entry.status) ? segmentsOf(entry, next, invocation.afterwards, window) : [];
    if (!inside && segments.length === 0) {
      open = null;
      return;
    }
    if (open === null || open.runner_id !== entry.runner_id) {
      const from = Math.max(entry.at, window.start);
      open = {
        invocation_id: invocation.invocation_id,
        task_id_key: invocation.origin ?? invocation.task_id_key,
        runner_id: entry.runner_id,
        segments: [],
        points: [],
        from,
        to: from,
      };
      strands.push(open);
    }
    if (inside && segments.length === 0) open.points.push({ status: entry.status, at: entry.at });
    open.segments.push(...segments);
    open.to = Math.max(open.to, segments.at(-1)?.to ?? entry.at);
    // After a point, no runner holds the invocation, so a new strand follows.
    if (segments.length === 0) open = null;
  });
  return strands;
}

function entriesOf({ entries }: TimelineInvocation): HistoryStep[] {
  return entries.flatMap(({ timestamp, status, runner_id, dead_from }) => {
    const at = epochFromIso(timestamp);
    const died = dead_from === undefined ? null : epochFromIso(dead_from);
    return at === null ? [] : [{ at, status, runner_id, ...(died !== null && { dead_from: died }) }];
  });
}

/** The parts that are inside the window: what it was, and what remained of it after its runner had died. */
function segmentsOf(
  entry: HistoryStep,
  next: HistoryStep | undefined,
  afterwards: Afterwards,
  window: HistoryWindow,
): Segment[] {
  const last = next === undefined;
  const ongoing = last && afterwards === "ongoing";
  // Anything ongoing is drawn up to now, even if the window extends further.
  const until = Math.max(entry.at, next?.at ?? (ongoing ? Math.min(window.end, window.now) : window.end));
  const outcome = next !== undefined && OUTCOMES.includes(next.status) ? next.status : null;
  const ended = last ? null : until;
  const part = (began: EpochSeconds, end: EpochSeconds | null, to: EpochSeconds, dead: boolean): Segment[] => {
    const [from, within] = [Math.max(began, window.start), Math.min(to, window.end)];
    if (within < from || began > window.end) return [];
    return [
      { status: entry.status, outcome, began, ended: end, from, to: within, ongoing: ongoing && end === null, dead },
    ];
  };
  const { at, dead_from: died } = entry;
  if (died === undefined) return part(at, ended, until, false);
  return [...(died > at ? part(at, died, died, false) : []), ...part(died, ended, until, true)];
}
