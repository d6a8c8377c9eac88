/** Texts about phases and critical paths. */
import type { PhaseDuration } from "../api/invocations.ts";
import type { CriticalPath, PathPhase } from "../api/model/critical-path.ts";
import { duration } from "./text.ts";

export const PATH_PHASE_WORDS: Readonly<Record<PathPhase, string>> = {
  queued: "queued",
  pending: "pending",
  running: "running",
  paused: "paused",
  waiting: "to be requeued",
  dead_runner: "on a silent runner",
  clock_skew: "clock skew",
  not_known: "not known",
};

/** Marks a length that was measured between the clocks of two hosts that disagree. */
export const ACROSS_CLOCKS = "across two clocks";

/** How long a phase took: not known if a part of it was measured by two clocks that disagree. */
export function phaseTime({ duration_seconds: seconds, across_clocks }: PhaseDuration): string {
  return across_clocks ? "not known" : duration(seconds);
}

/** The heading of its phases and its critical path. */
export function whereTimeWent(ongoing: boolean): string {
  return ongoing ? "Where the time went so far" : "Where the time went";
}

/** How many shares pages and commands list; the JSON has all. */
export const PATH_SHARES = 12;

/** Whether the path says more than the phases of its own invocation do. */
export function pathTellsMore({ shares, complete }: CriticalPath): boolean {
  return (
    !complete || shares.some(({ link, phase }) => link !== null || phase === "clock_skew" || phase === "not_known")
  );
}

/** How the path counts a call during which its caller kept running; null if there is none. */
export function pathRemark({ shares }: CriticalPath): string | null {
  if (!shares.some(({ link }) => link === "run")) return null;
  return "While a called invocation ran, the time counts as its own; pynenc does not store whether the caller waited for it.";
}
