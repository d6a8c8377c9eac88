import { StoreUnreachableError } from "../errors.ts";
import type { Rerun } from "./ports/actions.ts";

/**
 * Calls were registered, but another store keeps the queue and some of their messages are not in it: nobody executes them. What was
 * registered stays.
 */
export class UnqueuedError extends StoreUnreachableError {
  /** What the action would have answered. */
  readonly reruns: readonly Rerun[];
  readonly invocation_ids: readonly string[];
  /** What kept the messages from the queue, as a sentence. */
  readonly why: string;

  /** @param invocationIds those that are registered without a message. @param cause why. */
  constructor(reruns: readonly Rerun[], invocationIds: readonly string[], cause: StoreUnreachableError) {
    const one = invocationIds.length === 1;
    super(
      cause.reason,
      `Registered, but without a message in the queue, so no runner executes ${one ? "it" : "them"}: ${invocationIds.join(", ")}. ${cause.message}`,
      `When the queue is available again, register ${one ? "its call" : "their calls"} again, with force if a task has concurrency control.`,
      { cause },
    );
    this.reruns = reruns;
    this.invocation_ids = invocationIds;
    this.why = cause.message;
  }
}
