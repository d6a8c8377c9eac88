/** Texts about critical paths. */
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

/** How many shares pages and commands list; the JSON has all. */
export const PATH_SHARES = 12;

/** Whether the path says more than the phases of its own invocation do. */
export function pathTellsMore({ shares, complete }: CriticalPath): boolean {
  return (
    !complete || shares.some(({ link, phase }) => link !== null || phase === "clock_skew" || phase === "not_known")
  );
}

/** What remains uncertain about the path; null if nothing does. */
export function pathRemark({ shares }: CriticalPath): string | null {
  if (!shares.some(({ link }) => link === "run")) return null;
  return "At least one caller kept running while the invocation it called ran; whether it waited during that time is not stored.";
}
