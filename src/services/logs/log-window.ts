/** The time range of a log, used by its small timeline and by the link to the full one. */
import type { LogEntry } from "../../log-lines/model.ts";
import { type EpochSeconds, isWithinBounds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { TimeWindow } from "../model/timeline-window.ts";
import type { ResolvedReferences } from "./log-references.ts";

/** Added around the lines: a share of their span, but at least this many seconds. Events and invocations outside the lines get only the seconds. */
const MARGIN = { share: 0.1, seconds: 0.25 };

/** Maximum number of trigger runs whose causes are looked up. */
const RUNS_FOLLOWED = 2_000;

export interface LogWindow extends TimeWindow {
  /** Invocations that the lines name, then those that emitted named events. */
  invocation_ids: string[];
}

/**
 * From the first to the last line, extended to include every named event and trigger run, and every invocation that emitted such an event from its
 * first to its last status change. Lines without times are placed by what they name. Null if nothing has a time.
 */
export async function logWindow(
  reads: AppReads,
  entries: readonly LogEntry[],
  { events, trigger_runs, byKey }: ResolvedReferences,
): Promise<LogWindow | null> {
  const named = [...new Set([...byKey.values()].flatMap((one) => namedInvocation(one)))];
  const known = new Set(events.map((event) => event.event_id));
  const causes = [...new Set(trigger_runs.slice(0, RUNS_FOLLOWED).flatMap((run) => run.event_ids))];
  const caused = await reads.trigger.eventsByIds(
    causes.filter((id) => !known.has(id)),
    0,
  );
  const emitters = new Set([...events, ...caused].flatMap((event) => event.emitted_by_invocation_id ?? []));
  const lines = extent(entries.flatMap(({ timestamp }) => timestamp ?? []));
  const spans = await reads.state_backend.historySpanOf([...emitters, ...(lines === null ? named : [])]);
  const around = extent([
    ...[...events, ...caused].map((event) => event.timestamp),
    ...trigger_runs.flatMap((run) => [run.claimed_at ?? [], run.executed_at ?? []].flat()),
    ...spans.flatMap(({ first, last }) => [first.timestamp, last.timestamp]),
  ]);
  const bounds = union(lines && padded(lines, MARGIN.share), around && padded(around, 0));
  return bounds === null ? null : { ...bounds, invocation_ids: [...new Set([...named, ...emitters])] };
}

function namedInvocation({ kind, id, state }: { kind: string; id: string; state: string }): string[] {
  return (kind === "invocation" || kind === "workflow") && state === "known" ? [id] : [];
}

/** The window of all instants in the range that can be requested. A loop, because a log has more instants than a function can take arguments. */
function extent(instants: readonly EpochSeconds[]): TimeWindow | null {
  let window: TimeWindow | null = null;
  for (const at of instants) {
    if (!isWithinBounds(at)) continue;
    window =
      window === null ? { start: at, end: at } : { start: Math.min(window.start, at), end: Math.max(window.end, at) };
  }
  return window;
}

function padded({ start, end }: TimeWindow, share: number): TimeWindow {
  const margin = Math.max(MARGIN.seconds, (end - start) * share);
  return { start: start - margin, end: end + margin };
}

function union(a: TimeWindow | null, b: TimeWindow | null): TimeWindow | null {
  if (a === null || b === null) return a ?? b;
  return { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) };
}
