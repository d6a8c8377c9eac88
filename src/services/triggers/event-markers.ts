/** Events as markers on a timeline. */

import type { EventMarkers } from "../../api/events.ts";
import type { TimelineEvent } from "../../api/timeline.ts";
import type { EVENT_STATES } from "../../api/words.ts";
import { InvalidInputError } from "../../errors.ts";
import { eventMarkersInput } from "../../inputs/triggers.ts";
import type { EventSummary } from "../../pynenc/records.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { EventFilter } from "../../stores/ports/trigger.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { momentForms } from "../input/moment.ts";
import { timeBounds } from "../input/time-bounds.ts";
import { whyUnrecorded } from "./known-event.ts";

const STATE_FILTERS: Readonly<Record<(typeof EVENT_STATES)[number], EventFilter>> = {
  all: {},
  matched: { matched: true },
  unmatched: { matched: false },
  triggered: { triggered: true },
  untriggered: { triggered: false },
};
const MARKERS_COUNTED = 1_000_000;

/** Events of a window, oldest first. @throws InvalidInputError */
export async function eventMarkers(app: OpenedApp, raw: RawInput): Promise<EventMarkers> {
  const input = parseInput(eventMarkersInput, raw);
  const { event_code, state, limit, offset } = input;
  const now = app.now();
  // A relative range ends now; without one, both ends are required.
  const bounds = timeBounds(input, raw, now);
  const { from, to = input.range === undefined ? undefined : now } = bounds;
  if (from === undefined || to === undefined) {
    const missing = [from === undefined ? "from" : null, to === undefined ? "to" : null].filter((m) => m !== null);
    const accepted = `from and to (or range) are required: ${momentForms()}`;
    throw new InvalidInputError(missing.map((parameter) => ({ parameter, value: "", accepted })));
  }
  const filter = { ...(event_code === undefined ? {} : { event_code }), from, to, ...STATE_FILTERS[state] };
  return app.store.read(async (reads) => {
    const unrecorded = await whyUnrecorded(reads);
    if (unrecorded !== null) return { unrecorded, markers: [], total: null, truncated: false };
    const [listed, [total = 0]] = await Promise.all([
      reads.trigger.listEvents(filter, { limit: limit + 1, offset }, "oldest"),
      reads.trigger.countEvents([filter], MARKERS_COUNTED),
    ]);
    return { unrecorded, markers: listed.slice(0, limit).map(eventMarker), total, truncated: listed.length > limit };
  });
}

/** An event on a timeline. */
export function eventMarker(event: EventSummary): TimelineEvent {
  return {
    event_id: event.event_id,
    event_code: event.event_code,
    timestamp: isoFromEpoch(event.timestamp),
    matched: event.matched_conditions > 0,
    triggered: event.triggered,
    emitted_by_invocation_id: event.emitted_by_invocation_id,
    emitted_by_task_id: event.emitted_by_task_id,
    emitted_by_runner_context_id: event.emitted_by_runner_context_id,
  };
}
