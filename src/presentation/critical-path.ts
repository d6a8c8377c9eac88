/** Words of critical paths. */
import type { CriticalPath, PathLink, PathPhase } from "../api/model/critical-path.ts";

export const PATH_PHASE_WORDS: Readonly<Record<PathPhase, string>> = {
  queued: "queued",
  pending: "pending",
  running: "running",
  paused: "paused",
  waiting: "waiting",
  clock_skew: "clock skew",
  not_known: "not known",
};

/** Why an invocation is on the path. */
export const PATH_LINK_WORDS: Readonly<Record<PathLink, string>> = {
  pause: "its caller was paused until it ended",
  edge: "its caller waits for it",
  run: "it ran within its caller, which may have waited",
};

/** Shares that pages and commands list; the rest is in the JSON. */
export const PATH_SHARES = 12;

/** Whether the path has more to say than the phases of its own invocation. */
export function pathTellsMore({ shares, complete }: CriticalPath): boolean {
  return (
    !complete || shares.some(({ link, phase }) => link !== null || phase === "clock_skew" || phase === "not_known")
  );
}
