/**
 * `at` in the query of a page: the app as it was at an instant in the past. In a browser it is a mode: links stay in it, and pages that only know the
 * present say so (`Page.past`). For other clients it is a parameter of some addresses, and the others refuse it.
 */
import { InvalidInputError } from "../errors.ts";
import { TIME_RANGE } from "../inputs/common.ts";
import { type EpochSeconds, isoFromEpoch } from "../pynenc/time.ts";
import { QUESTIONS } from "../questions/all.ts";
import { asOf as foundAsOf } from "../services/app/as-of.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { type RawInput, restOf } from "../services/input/input.ts";
import { pastInstant, timeRange } from "../services/input/time-bounds.ts";

/** Maximum milliseconds a page of the past waits for exact counts. */
export const PAST_PATIENCE = 200;

/** What `find` finds as of `at`, or now. @throws InvalidInputError */
export async function asOf<T>(app: OpenedApp, query: RawInput, find: (then: OpenedApp) => Promise<T>): Promise<T> {
  const at = given(query, app.now());
  return at === null ? find(app) : foundAsOf(app, at, find);
}

/** The instant that a browser asks for; null for the present, and for what is no instant of the past, which pages refuse. */
export function instantAsked(query: RawInput, now: EpochSeconds): EpochSeconds | null {
  try {
    return given(query, now);
  } catch (error) {
    if (error instanceof InvalidInputError) return null;
    throw error;
  }
}

/** @throws InvalidInputError if `at` is no instant of the past. */
export function refuseOtherInstants(query: RawInput, now: EpochSeconds): void {
  given(query, now);
}

function given({ at }: RawInput, now: EpochSeconds): EpochSeconds | null {
  const text = at?.at(-1)?.trim() ?? "";
  return text === "" ? null : pastInstant(text, now);
}

/** The query of a page in the past: its range of time counts back from the instant and ends there. One that begins later is moved before it. */
export function untilThen(query: RawInput, at: EpochSeconds): RawInput {
  const { from, to } = timeRange(query, at).bounds;
  const end = Math.min(to ?? at, at);
  const start = from !== undefined && from >= end ? end - Math.max((to ?? from) - from, 0) : from;
  return {
    ...restOf(query, TIME_RANGE),
    ...(start !== undefined && { from: [isoFromEpoch(start)] }),
    to: [isoFromEpoch(end)],
  };
}

const ADDRESSES = QUESTIONS.flatMap(({ input, addresses }) =>
  addresses.map(({ path, forms, input: own = input }) => ({
    path,
    html: forms.includes("text/html"),
    at: "at" in own,
  })),
);

/** Whether the service behind an address has a parameter `at`. */
export function takesInstant(path: string): boolean {
  return ADDRESSES.some((address) => address.path === path && address.at);
}

/** Whether an address is a page or part of one, which in the past still has to answer. Files of the present are refused. */
export function isPage(path: string): boolean {
  return ADDRESSES.some((address) => address.path === path && address.html);
}
