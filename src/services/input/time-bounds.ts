/** `from`, `to` and `range`: the time range of a list. */
import { InvalidInputError, quote } from "../../errors.ts";
import { at, TIME_RANGE } from "../../inputs/common.ts";
import { required } from "../../inputs/parameter.ts";
import { type EpochSeconds, INSTANT_BOUNDS, isWithinBounds } from "../../pynenc/time.ts";
import { parseInput, type RawInput, type Read } from "./input.ts";
import type { Moment } from "./moment.ts";

/** The instant of a parameter. @throws InvalidInputError if it is none that may be asked for. */
function resolved(parameter: string, moment: Moment, raw: RawInput, now: EpochSeconds): EpochSeconds {
  const instant = moment(now);
  if (instant !== null) return instant;
  const value = raw[parameter]?.at(-1) ?? "";
  throw new InvalidInputError([{ parameter, value, accepted: `expected a time ${INSTANT_BOUNDS}` }]);
}

/** The other end of `range`. @throws InvalidInputError if it is none that may be asked for. */
export function rangeEnd(end: EpochSeconds, raw: RawInput): EpochSeconds {
  if (isWithinBounds(end)) return end;
  const value = raw.range?.at(-1) ?? "";
  const accepted = `expected a length of time whose other end is ${INSTANT_BOUNDS}`;
  throw new InvalidInputError([{ parameter: "range", value, accepted }]);
}

/** The instant of `at`. @throws InvalidInputError if it is in the future. */
export function instantOf(at: Moment, raw: RawInput, now: EpochSeconds): EpochSeconds {
  const instant = resolved("at", at, raw, now);
  if (instant <= now) return instant;
  throw new InvalidInputError([
    {
      parameter: "at",
      value: raw.at?.at(-1) ?? "",
      accepted: "a time in the past: the future is not known",
    },
  ]);
}

/** The instant in a text. @throws InvalidInputError */
export function pastInstant(text: string, now: EpochSeconds): EpochSeconds {
  const raw = { at: [text] };
  return instantOf(parseInput({ at: required(at) }, raw).at, raw, now);
}

/** `from`, `to` and `range` as they were read. */
export type TimeRange = Read<typeof TIME_RANGE>;

export interface TimeBounds {
  from?: EpochSeconds;
  to?: EpochSeconds;
}

/** Bounds relative to now; without `from`, `range` counts back from now. @throws InvalidInputError if the end is before the start. */
export function timeBounds(input: TimeRange, raw: RawInput, now: EpochSeconds): TimeBounds {
  const start = input.from && resolved("from", input.from, raw, now);
  const from = start ?? (input.range === undefined ? undefined : rangeEnd(now - input.range, raw));
  const to = input.to && resolved("to", input.to, raw, now);
  if (from !== undefined && to !== undefined && from > to) {
    const [parameter, value] = input.from === undefined ? ["range", raw.range] : ["from", raw.from];
    const accepted = `it is later than the end, ${quote(raw.to?.at(-1) ?? "")}; were the two swapped?`;
    throw new InvalidInputError([{ parameter, value: value?.at(-1) ?? "", accepted }]);
  }
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/**
 * The time range among other parameters: as given, and its bounds relative to now. Empty if absent or invalid, because pages that filter by it
 * report the error themselves.
 */
export function timeRange(raw: RawInput, now: EpochSeconds): { given: RawInput; bounds: TimeBounds } {
  const given = Object.fromEntries(
    Object.keys(TIME_RANGE).flatMap((name) =>
      raw[name]?.some((value) => value.trim() !== "") ? [[name, raw[name]]] : [],
    ),
  );
  try {
    const bounds = timeBounds(parseInput(TIME_RANGE, given), given, now);
    return Object.keys(bounds).length === 0 ? { given: {}, bounds } : { given, bounds };
  } catch (error) {
    if (error instanceof InvalidInputError) return { given: {}, bounds: {} };
    throw error;
  }
}
