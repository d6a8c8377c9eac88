/** Parameters of the timeline: one definition for the page, its exports, the JSON and the command. */

import type { TimelineOptions } from "../../api/timeline.ts";
import { InvalidInputError } from "../../errors.ts";
import { timelineInput } from "../../inputs/timeline.ts";
import { OCCUPANCY_GROUPS } from "../../pynenc/occupancy.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { instantOf, rangeEnd, timeBounds } from "../input/time-bounds.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { FILTER_IDS, invocationFilter, isUnfiltered } from "../model/invocation-filter.ts";
import type { IdParameters } from "../model/resolve-ids.ts";
import type { TimeWindow } from "../model/timeline-window.ts";

export interface TimelineInput {
  /** Null when neither dates nor a preset were given: then the selection or the focus decides, else the last minutes. */
  window: TimeWindow | null;
  /** The window ends now because no end was given. */
  until_now: boolean;
  /** The preset that the window is, when it is one. */
  preset: string | null;
  /** Without its time: the window is that of the timeline. */
  filter: InvocationFilter;
  /** A filter restricts the invocations of the window. */
  filtered: boolean;
  options: TimelineOptions;
  /** The earlier instant whose state is shown; null for now. */
  at: EpochSeconds | null;
  form: TimelineForm;
}

/** What it becomes: a drawing, in which only so many marks can be told apart; data, with each change; or counts alone. */
export type TimelineForm = "drawing" | "data" | "counts";

/** Shown where nothing says which window. */
export const DEFAULT_RANGE = { text: "5m", seconds: 300 };

/** Shorter windows hold no two instants that pynenc could tell apart. */
const LEAST_SECONDS = 0.002;

/** Parameters that take full or shortened ids. */
export const TIMELINE_IDS: IdParameters = {
  ...FILTER_IDS,
  open: ["runner"],
  selected: ["invocation"],
  focus_event: ["event"],
};

/**
 * @param storedStatuses as for the list of invocations.
 * @throws InvalidInputError
 */
export function parseTimelineInput(raw: RawInput, storedStatuses: readonly string[], now: EpochSeconds): TimelineInput {
  const input = parseInput(timelineInput, raw);
  const { range: length } = input;
  const at = input.at === undefined ? null : instantOf(input.at, raw, now);
  // A length counts from the other end here where one is given: only the two times must be in order.
  const { from, to } = timeBounds({ ...input, range: undefined }, raw, now);
  const present = at ?? now;
  const filter = invocationFilter(input, {}, storedStatuses);
  const timed = from !== undefined || to !== undefined;
  const window = timed || length !== undefined ? windowOf(from, to, length, present, raw) : null;
  return {
    window,
    until_now: to === undefined && at === null && window?.end === now,
    preset: length === undefined || timed || at !== null ? null : (raw.range?.at(-1) ?? "").trim(),
    filter,
    filtered: !isUnfiltered(filter),
    options: {
      group: input.group,
      collapse_external: input.collapse_external,
      show_system: input.show_system,
      show_atomic_service: input.show_atomic_service,
      limit: input.limit,
      open: input.open ?? [],
      selected: input.selected ?? null,
      focus_event: input.focus_event ?? null,
      categories: categories(input.histogram_status),
    },
    at,
    form: "data",
  };
}

/** One time alone counts from there for the length that is given; a beginning alone without one, until now. @throws InvalidInputError */
function windowOf(
  start: EpochSeconds | undefined,
  end: EpochSeconds | undefined,
  length: number | undefined,
  now: EpochSeconds,
  raw: RawInput,
): TimeWindow {
  const away = (at: EpochSeconds, sign: 1 | -1) =>
    length === undefined ? at + sign * DEFAULT_RANGE.seconds : rangeEnd(at + sign * length, raw);
  if (start !== undefined && end !== undefined) return atLeast({ start, end });
  if (start !== undefined) return atLeast({ start, end: length !== undefined || start >= now ? away(start, 1) : now });
  const until = end ?? now;
  return { start: away(until, -1), end: until };
}

/** A window of no length is widened on both sides. */
function atLeast(window: TimeWindow): TimeWindow {
  const missing = LEAST_SECONDS - (window.end - window.start);
  return missing <= 0 ? window : { start: window.start - missing / 2, end: window.end + missing / 2 };
}

/** A comma list of categories; without it those that keep a runner busy or are about to. */
function categories(given: string | undefined): string[] {
  if (given === undefined) return ["pending", "running"];
  const words = given
    .toLowerCase()
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const known: readonly string[] = OCCUPANCY_GROUPS;
  const unknown = words.filter((word) => !known.includes(word));
  if (unknown.length > 0) {
    const accepted = `expected one or more of ${known.join(", ")}`;
    throw new InvalidInputError([{ parameter: "histogram_status", value: unknown.join(", "), accepted }]);
  }
  return known.filter((category) => words.includes(category));
}
