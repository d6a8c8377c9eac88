/** Since when, and how often, an invocation's failure happens. */
import type { InvocationDetail } from "../../api/invocations.ts";
import { grouped } from "../../pynenc/numbers.ts";
import { type EpochSeconds, utcText } from "../../pynenc/time.ts";
import type { RollupReads } from "../../rollups/reads.ts";
import { ifUnreachable, type OpenedApp, within } from "../app/opened-app.ts";
import { failureCause } from "../model/invocation-rows.ts";

/** Failures of a task, by exception and kind of message; null if they were not read in time. */
export type KnownFailures = Awaited<ReturnType<RollupReads["failures"]>> | null;

/** Around the time of the failure by its status: by another clock it may have been written earlier or later. */
const DAY = 86_400;

/**
 * Those of the task, of kinds that happened at about the time. Not inside `store.read`.
 *
 * @param patience milliseconds
 */
export async function readFailures(
  { rollups }: OpenedApp,
  task_id_key: string,
  at: EpochSeconds,
  patience: number,
): Promise<KnownFailures> {
  if (rollups === null) return null;
  // What was read after half the patience is said.
  const span = { from: at - DAY, to: at + DAY, whole: true, patience: patience / 2 };
  return within(patience, rollups.failures(span, 1, { task_id_key })).catch(ifUnreachable);
}

/** A sentence about all failures of its task with the same exception and kind of message; none if it did not fail, or its cause is not stored. */
export function failuresAlike(
  { task_id_key, status, exception }: Pick<InvocationDetail, "task_id_key" | "status" | "exception">,
  known: KnownFailures,
): string[] {
  if (status !== "failed" || exception === null) return [];
  const { error_name, message } = exception.exception;
  const cause = failureCause({ type: error_name, message });
  const group = known?.groups.find((one) => one.type === cause.type && one.message === cause.message);
  const { failed = 0, first_seen = null } = group?.ever ?? {};
  if (failed === 0 || first_seen === null) return [];
  const alike = `of ${task_id_key} like this`;
  const whole = known?.reach.whole === true;
  const rest = whole ? "" : " (older history not read yet)";
  return [
    failed === 1
      ? `No other ${whole ? "" : "known "}failure of ${task_id_key} has this exception and message${rest}.`
      : `One of ${whole ? "" : "at least "}${grouped(failed)} stored failures ${alike}, the first ${whole ? "" : "known "}at ${utcText(first_seen)}${rest}.`,
  ];
}
