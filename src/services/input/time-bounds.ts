/** `from`, `to` and `range`: the time range of a list. */
import * as z from "zod";
import { InvalidInputError, quote } from "../../errors.ts";
import { lazily } from "../../pynenc/lazily.ts";
import { type EpochSeconds, INSTANT_BOUNDS, isWithinBounds } from "../../pynenc/time.ts";
import { type Field, parseInput, type RawInput, type Read, requiredText, text } from "./input.ts";
import { LENGTH_FORMS, lengthOf, type Moment, momentForms, momentOf } from "./moment.ts";

/** A time; undefined if absent. */
export const moment: Field<Moment | undefined> = lazily(() =>
  text().transform((value, context): Moment | undefined => {
    if (value === undefined) return undefined;
    const read = momentOf(value);
    if (read !== null) return read;
    context.addIssue({ code: "custom", message: momentForms() });
    return z.NEVER;
  }),
);

/** A required time. */
export const requiredMoment: Field<Moment> = lazily(() =>
  requiredText(momentForms())().transform((value, context): Moment => {
    const read = momentOf(value);
    if (read !== null) return read;
    context.addIssue({ code: "custom", message: momentForms() });
    return z.NEVER;
  }),
);

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
  return instantOf(parseInput({ at: requiredMoment }, raw).at, raw, now);
}

/** A length of time in seconds; undefined if absent. */
export const lengthOfTime: Field<number | undefined> = lazily(() => text().transform(readLength));

/** Seconds up to now. The form sends `custom` if its other fields contain a start and an end. */
const length: Field<number | undefined> = lazily(() =>
  text().transform((value, context) => readLength(value?.toLowerCase() === "custom" ? undefined : value, context)),
);

function readLength(value: string | undefined, context: z.core.$RefinementCtx): number | undefined {
  if (value === undefined) return undefined;
  const read = lengthOf(value);
  if (read !== null) return read;
  context.addIssue({ code: "custom", message: LENGTH_FORMS });
  return z.NEVER;
}

/** Parameters for lists of objects with a time. */
export const TIME_BOUNDS = { from: moment, to: moment, range: length } as const;

export interface TimeBounds {
  from?: EpochSeconds;
  to?: EpochSeconds;
}

/** Bounds relative to now; without `from`, `range` counts back from now. @throws InvalidInputError if the end is before the start. */
export function timeBounds(input: Read<typeof TIME_BOUNDS>, raw: RawInput, now: EpochSeconds): TimeBounds {
  const start = input.from && resolved("from", input.from, raw, now);
  const from = start ?? (input.range === undefined ? undefined : rangeEnd(now - input.range, raw));
  const to = input.to && resolved("to", input.to, raw, now);
  if (from !== undefined && to !== undefined && from > to) {
    const [parameter, value] = input.from === undefined ? ["range", raw.range] : ["from", raw.from];
    const accepted = `a time before the end, ${quote(raw.to?.at(-1) ?? "")}`;
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
    Object.keys(TIME_BOUNDS).flatMap((name) =>
      raw[name]?.some((value) => value.trim() !== "") ? [[name, raw[name]]] : [],
    ),
  );
  try {
    const bounds = timeBounds(parseInput(TIME_BOUNDS, given), given, now);
    return Object.keys(bounds).length === 0 ? { given: {}, bounds } : { given, bounds };
  } catch (error) {
    if (error instanceof InvalidInputError) return { given: {}, bounds: {} };
    throw error;
  }
}

/** Parameters without the time range. */
export function withoutTimeRange(raw: RawInput): RawInput {
  return Object.fromEntries(Object.entries(raw).filter(([name]) => !Object.hasOwn(TIME_BOUNDS, name)));
}
