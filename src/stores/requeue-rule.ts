import { WAITING_STATUSES } from "../pynenc/statuses.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import type { RequeueRefusal } from "./ports/actions.ts";

/**
 * Seconds that a status must have stood still before its invocation counts as one without a message. pynenc writes the status first, tells
 * the triggers about it and sends the message last; a runner takes the message first and writes the next status then. Each of these takes
 * milliseconds, so this leaves room for a slow store and for clocks that differ.
 */
export const REQUEUE_GRACE_SECONDS = 60;

/** What decides whether an invocation gets a message. */
export interface RequeueFacts {
  /** Null where none is stored. */
  status: { word: string; since: EpochSeconds } | null;
  /** A definition is stored. */
  defined: boolean;
  /** The queue has a message for it. */
  queued: boolean;
}

/** Why an invocation gets no message, or null when it gets one: the one rule of all stores, for the preview and for the action. */
export function requeueRefusal(
  { status, defined, queued }: RequeueFacts,
  settledUntil: EpochSeconds,
): RequeueRefusal | null {
  if (status === null) return defined ? { kind: "without_records", missing: "status" } : { kind: "unknown" };
  if (!WAITING_STATUSES.includes(status.word)) return { kind: "not_waiting", status: status.word };
  if (queued) return { kind: "queued" };
  if (!defined) return { kind: "without_records", missing: "definition" };
  return status.since > settledUntil ? { kind: "unsettled", since: status.since } : null;
}
