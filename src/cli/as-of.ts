/** `--at`: shows a thing as it was at an instant in the past. */
import { NotFoundError } from "../errors.ts";
import { isoFromEpoch } from "../pynenc/time.ts";
import { appAsOf } from "../services/app/as-of.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import { pastInstant } from "../services/input/time-bounds.ts";
import { type Flags, inFlagWords } from "./flags.ts";
import type { Output } from "./print/output.ts";
import { time } from "./print/zone.ts";

/** Runs `fn` with the app as of `--at`, or as it is now, and prints which. @throws InvalidInputError */
export async function asOf<T>(
  flags: Flags,
  app: OpenedApp,
  out: Output,
  fn: (then: OpenedApp) => Promise<T>,
): Promise<T> {
  if (flags.at === undefined) return fn(app);
  const at = await inFlagWords({ at: "at" }, async () => pastInstant(String(flags.at), app.now()));
  const then = time(isoFromEpoch(at));
  try {
    const found = await fn(appAsOf(app, at));
    out.say(`As of ${then}, from the status history.`);
    return found;
  } catch (error) {
    if (!(error instanceof NotFoundError) || error.hint !== null) throw error;
    throw new NotFoundError(error.kind, error.id, `Nothing is known about it as of ${then}.`);
  }
}
