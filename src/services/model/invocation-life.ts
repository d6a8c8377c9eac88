/** Status, times and duration of an invocation, from its status record and history: one rule for lists, pages, trees, exports and commands. */
import type { DurationMeaning, InvocationRow } from "../../api/model/invocation-rows.ts";
import { TOLERATED_SECONDS } from "../../pynenc/life.ts";
import type { InvocationStatusRecord } from "../../pynenc/records.ts";
import { knownStatus, type StatusInfo, statusInfo } from "../../pynenc/statuses.ts";
import { type EpochSeconds, epochFromIso, secondsBetween } from "../../pynenc/time.ts";
import type { HistorySpan } from "../../stores/ports/state-backend.ts";

export interface InvocationLife {
  status: string;
  info: StatusInfo;
  /** `history`: the orchestrator has no status, so the last history entry counts; `none`: not known. */
  status_source: "orchestrator" | "history" | "none";
  /** Null if the registration entry is not stored. */
  registeredAt: EpochSeconds | null;
  /** When the status was entered. */
  changedAt: EpochSeconds | null;
  /** From registration to the final status; null if either is not known, or if `clocksDisagree`. */
  durationSeconds: number | null;
  /** By the clocks of two hosts, it ended before it was registered. */
  clocksDisagree: boolean;
}

/**
 * The status is the one in the orchestrator. If an auto-purge or a purge removed it (storage-format.md 7.3), it is that of the last history entry.
 * If that is gone too, it is not known. Lists, counts, filters, details and actions all use this rule.
 */
export function lifeOf(status: InvocationStatusRecord | undefined, span: HistorySpan | undefined): InvocationLife {
  const word = knownStatus(status?.status, span?.last.status);
  const info = statusInfo(word);
  const changedAt = status?.status_timestamp ?? span?.last.timestamp ?? null;
  const sinceThen = word === "registered" ? changedAt : null;
  const registeredAt = span?.first.status === "registered" ? span.first.timestamp : sinceThen;
  const lasted =
    info.final && registeredAt !== null && changedAt !== null ? secondsBetween(registeredAt, changedAt) : null;
  const clocksDisagree = lasted !== null && lasted < -TOLERATED_SECONDS;
  const withoutStatus = span === undefined ? "none" : "history";
  return {
    status: word,
    info,
    status_source: status === undefined ? withoutStatus : "orchestrator",
    registeredAt,
    changedAt,
    durationSeconds: lasted === null || clocksDisagree ? null : Math.max(0, lasted),
    clocksDisagree,
  };
}

/**
 * What the time since registration means, judged by the status alone. pynenc enters `registered` once, as the first status, and
 * `concurrency_controlled_final` only from there (storage-format.md 2.2): such an invocation waits for its first run, or never ran. For other
 * statuses that are not final, it is not known how much of the time was spent running.
 *
 * @param atLeast the clocks of its hosts disagree, so only part of the time is known.
 */
export function durationMeaning(status: string, atLeast = false): DurationMeaning {
  if (atLeast) return "took_at_least";
  if (status === "registered") return "waiting";
  if (status === "concurrency_controlled_final") return "never_ran";
  return statusInfo(status).final ? "took" : "so_far";
}

/** From registration to the end, or until now; null if not known. An invocation without a status in the orchestrator is not running. */
export function durationSoFar(
  {
    info,
    status_source,
    registeredAt,
    durationSeconds,
  }: Pick<InvocationLife, "info" | "status_source" | "registeredAt" | "durationSeconds">,
  now: EpochSeconds,
): number | null {
  if (info.final) return durationSeconds;
  if (registeredAt === null || status_source !== "orchestrator") return null;
  const elapsed = secondsBetween(registeredAt, now);
  return elapsed === null ? null : Math.max(0, elapsed);
}

/** The same of a row of a list. */
export function elapsedOfRow(
  { status, status_source, registered_at, duration_seconds }: Omit<InvocationRow, "duration_at_least">,
  now: EpochSeconds,
): number | null {
  const registeredAt = registered_at === null ? null : epochFromIso(registered_at);
  const life = { info: statusInfo(status), status_source, registeredAt, durationSeconds: duration_seconds };
  return durationSoFar(life, now);
}

/** Entries are found by the time they were written, which on a busy machine may be this long after the status was entered. */
export const WRITTEN_LATE_SECONDS = 2;
