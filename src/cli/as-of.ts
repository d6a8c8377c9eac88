/** `--at`: shows a thing as it was at an instant in the past. */

import { at } from "../inputs/common.ts";
import { isoFromEpoch } from "../pynenc/time.ts";
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
  if (flags.at === undefined) return find(app);
  const instant = await inFlagWords({ at }, async () => pastInstant(String(flags.at), app.now()));
  const found = await foundAsOf(app, instant, find);
  out.say(`As of ${time(isoFromEpoch(instant))}, from the status history.`);
  return found;
}
