/** Links from other pages to the timeline; window and selection follow behaviour.md 4.2. */
import type { TimelineQuery } from "../../api/model/common.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { TriggerRunObject } from "../../api/model/trigger-objects.ts";
import { type EpochSeconds, epochFromIso } from "../../pynenc/time.ts";
import { NEARBY_SECONDS, paddedWindow, windowQuery } from "./timeline-window.ts";

/** More ids would make the URL too long for some programs. */
const IDS = 200;

/**
 * Window for an invocation: its life, the known members of its family, and what started it if that was shortly before. Null without a history.
 */
export function invocationTimeline(
  invocationId: string,
  instants: readonly (EpochSeconds | null)[],
  family: readonly string[] = [],
  origins: readonly (string | null)[] = [],
): TimelineQuery | null {
  const nearby = origins.flatMap(read).filter((at) => instants.some((own) => isNear(own, at)));
  const window = paddedWindow([...instants, ...nearby]);
  if (window === null) return null;
  return { ...windowQuery(window), selected: invocationId, ...scope([invocationId, ...family]) };
}

type Lived = Pick<InvocationRow, "registered_at" | "status_at">;

/** Window for a trigger run, its causes and what it started. Null if none of these has a time. */
export function runTimeline(
  run: TriggerRunObject,
  invocations: ReadonlyMap<string, Lived>,
  eventTimes: readonly string[],
): TimelineQuery | null {
  const started = run.triggered_invocation_id;
  const life = invocations.get(started ?? "");
  const own = [
    run.claimed_at,
    run.executed_at,
    life?.registered_at,
    life?.status_at,
    ...run.participants.map((participant) => participant.context_timestamp),
  ].flatMap(read);
  const nearby = eventTimes.flatMap(read).filter((at) => own.some((other) => isNear(other, at)));
  const window = paddedWindow([...own, ...nearby]);
  if (window === null) return null;
  const [event] = run.event_ids;
  return {
    ...windowQuery(window),
    ...(started === null ? {} : { selected: started }),
    ...scope([...(started === null ? [] : [started]), ...run.source_invocation_ids]),
    ...(event === undefined ? {} : { focus_event: event }),
  };
}

/** Window for an event, its emitter and what it started. */
export function eventTimeline(
  event: { event_id: string; timestamp: string; emitted_by_invocation_id: string | null },
  emitter: Lived | null,
  started: readonly (Lived & { invocation_id: string })[],
): TimelineQuery | null {
  const at = read(event.timestamp);
  const nearby = started
    .flatMap(({ registered_at }) => read(registered_at))
    .filter((other) => at.some((own) => isNear(own, other)));
  const window = paddedWindow([...at, ...nearby, ...read(emitter?.registered_at), ...read(emitter?.status_at)]);
  if (window === null) return null;
  const emitterId = event.emitted_by_invocation_id;
  return {
    ...windowQuery(window),
    ...(emitterId === null ? {} : { selected: emitterId }),
    ...scope([...(emitterId === null ? [] : [emitterId]), ...started.map((row) => row.invocation_id)]),
    focus_event: event.event_id,
  };
}

/** Window for the invocations of a list, from the first registration to the last change. Null if none of them has a time. */
export function listTimeline(rows: readonly (Lived & { invocation_id: string })[]): TimelineQuery | null {
  const window = paddedWindow(rows.flatMap((row) => [...read(row.registered_at), ...read(row.status_at)]));
  return window === null ? null : { ...windowQuery(window), ...scope(rows.map((row) => row.invocation_id)) };
}

/** Window for a run of the atomic service. Shows everything in it, because the run has no invocation of its own. */
export function serviceRunTimeline(start: string, end: string | null): TimelineQuery | null {
  const window = paddedWindow([...read(start), ...read(end)]);
  return window === null ? null : windowQuery(window);
}

/** Restricts the timeline to these ids, unless there are too many or one contains a comma. */
function scope(ids: readonly string[]): { inv_ids?: string } {
  const unique = [...new Set(ids)];
  const linkable = unique.length > 0 && unique.length <= IDS && unique.every((id) => id !== "" && !id.includes(","));
  return linkable ? { inv_ids: unique.join(",") } : {};
}

function read(iso: string | null | undefined): EpochSeconds[] {
  const at = epochFromIso(iso ?? "");
  return at === null ? [] : [at];
}

function isNear(one: EpochSeconds | null, other: EpochSeconds): boolean {
  return one !== null && Math.abs(one - other) <= NEARBY_SECONDS;
}
