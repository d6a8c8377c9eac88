import { WAITING_STATUSES } from "../pynenc/statuses.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import type { RequeueRefusal } from "./ports/actions.ts";

/**
 * Seconds a status must be unchanged before its invocation counts as one without a message. pynenc writes the status, notifies the triggers and sends
 * the message last; a runner takes the message first and then writes the next status. Each step takes milliseconds, so this leaves room for a slow
 * store and differing clocks.
 */
export const REQUEUE_GRACE_SECONDS = 60;

/** Facts that decide whether an invocation gets a message. */
export interface RequeueFacts {
  /** Null if none is stored. */
  status: { word: string; since: EpochSeconds } | null;
  /** A definition is stored. */
  defined: boolean;
  /** The queue has a message for the invocation. */
  queued: boolean;
}

/** Why an invocation gets no message, or null if it gets one. The same rule for all stores, previews and actions. */
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

/**
 * Seconds after which an invocation in such a status is not on its way any more (storage-format.md 7.8). A runner that stops puts it back in the next
 * step, concurrency control after it has looked through the queue, and the recovery after it has taken over everything that is due.
 */
const GRACE_SECONDS: Readonly<Record<string, number>> = {
  killed: REQUEUE_GRACE_SECONDS,
  concurrency_controlled: 300,
  pending_recovery: 300,
  running_recovery: 300,
};

/** A status that is missing beside a history has been purged, because it is written before that. Only files of their own may be read moments apart. */
const PURGED_GRACE_SECONDS = 1;

/** Seconds that an invocation may be in a status which pynenc leaves in the same step. */
export function graceOf(status: string): number {
  return GRACE_SECONDS[status] ?? PURGED_GRACE_SECONDS;
}
