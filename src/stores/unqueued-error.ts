import { errorOfStep, StoreUnreachableError } from "../errors.ts";
import type { Rerun } from "./ports/actions.ts";

/**
 * Calls were registered, but some of their messages did not reach the queue, which is in another store, so no runner executes them. The registrations
 * are kept.
 */
export class UnqueuedError extends StoreUnreachableError {
  /** The result the action would have returned. */
  readonly reruns: readonly Rerun[];
  readonly invocation_ids: readonly string[];
  /** Why the messages are not in the queue, as a sentence. */
  readonly why: string;

  /** @param invocationIds invocations registered without a message. @param cause the reason. */
  constructor(reruns: readonly Rerun[], invocationIds: readonly string[], cause: StoreUnreachableError) {
    const one = invocationIds.length === 1;
    const { reason } = errorOfStep(cause);
    super(
      cause.reason,
      `Registered, but without a message in the queue, so no runner executes ${one ? "it" : "them"}: ${invocationIds.join(", ")}. ${reason}`,
      `When the queue is available again, register ${one ? "its call" : "their calls"} again, with force if a task has concurrency control.`,
      { cause },
    );
    this.reruns = reruns;
    this.invocation_ids = invocationIds;
    this.why = reason;
  }
}
