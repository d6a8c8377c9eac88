/** `at` in the query of a page: the app as it was at an instant in the past. */
import { appAsOf } from "../services/app/as-of.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import type { RawInput } from "../services/input/input.ts";
import { pastInstant } from "../services/input/time-bounds.ts";

/** The app as of `at`, or as it is now. @throws InvalidInputError */
export function asOf(app: OpenedApp, { at }: RawInput): OpenedApp {
  const given = at?.at(-1)?.trim() ?? "";
  return given === "" ? app : appAsOf(app, pastInstant(given, app.now()));
}
