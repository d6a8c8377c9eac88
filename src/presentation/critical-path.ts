/** Words of critical paths. */
import type { CriticalPath, PathPhase } from "../api/model/critical-path.ts";

export const PATH_PHASE_WORDS: Readonly<Record<PathPhase, string>> = {
  queued: "queued",
  pending: "pending",
  running: "running",
  paused: "paused",
  waiting: "waiting",
  clock_skew: "clock skew",
  not_known: "not known",
};

/** Shares that pages and commands list; the rest is in the JSON. */
export const PATH_SHARES = 12;

/** Whether the path has more to say than the phases of its own invocation. */
export function pathTellsMore({ shares, complete }: CriticalPath): boolean {
  return (
    !complete || shares.some(({ link, phase }) => link !== null || phase === "clock_skew" || phase === "not_known")
  );
}

/** What the rows leave open about the path; null where they tell all. */
export function pathRemark({ shares }: CriticalPath): string | null {
  if (!shares.some(({ link }) => link === "run")) return null;
  return "At least one caller went on running while what it called ran: whether it waited then is not stored.";
}
