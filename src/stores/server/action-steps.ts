/** Actions of servers work in steps: what a failure leaves must be told. */
import { errorOfStep, RefusedError, StoreUnreachableError } from "../../errors.ts";
import type { ComponentName } from "../ports/common.ts";

export const REST_LEFT =
  "What is already deleted stays deleted, and nothing is half deleted. Repeat the action to delete the rest.";
export const PERHAPS_DONE = "It may have been registered anyway: check the newest invocations before you repeat it.";
export const SAFE_AGAIN = "Messages may be in the queue anyway. Repeat the action to add only those that are missing.";
const NOTHING_DONE = "Nothing was changed.";

/**
 * The order in which components are emptied. The queue is first, because a runner that takes a message without records stops (storage-format.md 9.4).
 * Data that others refer to is last.
 */
export const PURGE_ORDER: readonly ComponentName[] = [
  "broker",
  "orchestrator",
  "trigger",
  "client_data_store",
  "state_backend",
];

/**
 * Adds to an error what was done before it.
 *
 * @param afterwards sentence for the case that a step was done or may have been done.
 * @param isRejection whether a step that failed so had no effect.
 */
export async function doneInSteps<T>(
  afterwards: string,
  isRejection: (error: unknown) => boolean,
  act: (beforeStep: () => void) => Promise<T>,
): Promise<T> {
  let steps = 0;
  try {
    return await act(() => {
      steps++;
    });
  } catch (error) {
    const refused = error instanceof RefusedError || isRejection(error);
    const nothing = steps === 0 || (steps === 1 && refused);
    if (error instanceof RefusedError) {
      if (nothing) throw error;
      // The server became a replica in between.
      throw new StoreUnreachableError("failed", `${errorOfStep(error).reason} ${afterwards}`);
    }
    if (!(error instanceof StoreUnreachableError)) throw error;
    const message = `${error.message} ${nothing ? NOTHING_DONE : afterwards}`;
    throw new StoreUnreachableError(error.reason, message, error.hint, { cause: error });
  }
}
