/** `from`, `to` and `range`: the part of the past that a list is restricted to. */
import * as z from "zod";
import { InvalidInputError, quote } from "../../errors.ts";
import { lazily } from "../../pynenc/lazily.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { type Field, type RawInput, type Read, text } from "./input.ts";
import { LENGTH_FORMS, lengthOf, MOMENT_FORMS, type Moment, momentOf } from "./moment.ts";

const moment: Field<Moment | undefined> = lazily(() =>
  text().transform((value, context): Moment | undefined => {
    if (value === undefined) return undefined;
    const read = momentOf(value);
    if (read !== null) return read;
    context.addIssue({ code: "custom", message: MOMENT_FORMS });
    return z.NEVER;
  }),
);

/** Seconds up to now. `custom` is what the form sends where a beginning and an end stand in its other fields. */
const length: Field<number | undefined> = lazily(() =>
  text().transform((value, context): number | undefined => {
    if (value === undefined || value.toLowerCase() === "custom") return undefined;
    const read = lengthOf(value);
    if (read !== null) return read;
    context.addIssue({ code: "custom", message: LENGTH_FORMS });
    return z.NEVER;
  }),
);

/** The parameters; lists of what has a time add them to their own. */
export const TIME_BOUNDS = { from: moment, to: moment, range: length } as const;

export interface TimeBounds {
  from?: EpochSeconds;
  to?: EpochSeconds;
}

/** Bounds as of now; `range` counts from now where `from` is not given. @throws InvalidInputError when the end comes before the beginning. */
export function timeBounds(input: Read<typeof TIME_BOUNDS>, raw: RawInput, now: EpochSeconds): TimeBounds {
  const from = input.from?.(now) ?? (input.range === undefined ? undefined : now - input.range);
  const to = input.to?.(now);
  if (from !== undefined && to !== undefined && from > to) {
    const [parameter, value] = input.from === undefined ? ["range", raw.range] : ["from", raw.from];
    const accepted = `a time before the end, ${quote(raw.to?.at(-1) ?? "")}`;
    throw new InvalidInputError([{ parameter, value: value?.at(-1) ?? "", accepted }]);
  }
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
