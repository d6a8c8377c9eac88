/** Since when, and how often, an invocation's failure happens. */
import type { InvocationDetail } from "../../api/invocations.ts";
import { grouped } from "../../pynenc/numbers.ts";
import { epochFromIso, utcText } from "../../pynenc/time.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { failureCause } from "../model/invocation-rows.ts";

/**
 * A sentence about all failures of its task with the same exception and kind of message; none if it did not fail, its cause is not stored, or the
 * figures are not read in time. Not inside `store.read`.
 *
 * @param patience milliseconds
 */
export async function failuresAlike(
  { rollups }: OpenedApp,
  { task_id_key, status, exception, history }: InvocationDetail,
  patience: number,
): Promise<string[]> {
  const at = epochFromIso(history.findLast((entry) => entry.status === "failed")?.written_at ?? "");
  if (rollups === null || status !== "failed" || task_id_key === null || exception === null || at === null) return [];
  const { error_name, message } = exception.exception;
  const cause = failureCause({ type: error_name, message });
  // What was read after half the patience is said.
  const span = { from: at, to: at + 1, whole: true, patience: patience / 2 };
  const answer = await within(patience, rollups.failures(span, 1, { task_id_key })).catch(ifUnreachable);
  const group = answer?.groups.find((one) => one.type === cause.type && one.message === cause.message);
  const { failed = 0, first_seen = null } = group?.ever ?? {};
  if (failed === 0 || first_seen === null) return [];
  const alike = `of ${task_id_key} with this exception and kind of message`;
  const whole = answer?.reach.whole === true;
  const rest = whole ? "" : "; older history has not been read yet";
  return [
    failed === 1
      ? `It is the only ${whole ? "" : "known "}failure ${alike}${rest}.`
      : `It is one of ${whole ? "" : "at least "}${grouped(failed)} failures ${alike}, the first ${whole ? "" : "known "}at ${utcText(first_seen)}${rest}.`,
  ];
}
