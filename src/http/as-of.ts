/** `at` in the query of a page: the app as it was at an instant in the past. */
import { asOf as foundAsOf } from "../services/app/as-of.ts";
import type { OpenedApp } from "../services/app/opened-app.ts";
import type { RawInput } from "../services/input/input.ts";
import { pastInstant } from "../services/input/time-bounds.ts";

/** What `find` finds as of `at`, or now. @throws InvalidInputError */
export async function asOf<T>(app: OpenedApp, { at }: RawInput, find: (then: OpenedApp) => Promise<T>): Promise<T> {
  const given = at?.at(-1)?.trim() ?? "";
  return given === "" ? find(app) : foundAsOf(app, pastInstant(given, app.now()), find);
}
