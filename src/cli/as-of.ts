/** `--at`: shows a thing as it was at an instant in the past. */

import { at } from "../inputs/common.ts";
import { type EpochSeconds, isoFromEpoch } from "../pynenc/time.ts";
import { asOf as foundAsOf } from "../services/app/as-of.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { pastInstant } from "../services/input/time-bounds.ts";
import { type Flags, inFlagWords } from "./flags.ts";
import type { Output } from "./print/output.ts";
import { time } from "./print/zone.ts";

/** Runs `find` with the app as of `--at`, or as it is now, and prints which. @throws InvalidInputError */
export async function asOf<T>(
  flags: Flags,
  app: OpenedApp,
  out: Output,
  find: (then: OpenedApp) => Promise<T>,
): Promise<T> {
  const instant = await instantOf(flags, app);
  if (instant === null) return find(app);
  const found = await foundAsOf(app, instant, find);
  sayAsOf(isoFromEpoch(instant), out);
  return found;
}

/** The instant of `--at`; null for the present. @throws InvalidInputError */
export async function instantOf(flags: Flags, app: OpenedApp): Promise<EpochSeconds | null> {
  if (flags.at === undefined) return null;
  return inFlagWords({ at }, async () => pastInstant(String(flags.at), app.now()));
}

/** @param at null for the present */
export function sayAsOf(at: string | null, out: Output): void {
  if (at !== null) out.say(`As of ${time(at)}, from the status history.`);
}
