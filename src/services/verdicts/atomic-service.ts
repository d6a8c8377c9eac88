/** The atomic service does not run: a run blocks it, no runner takes or starts its turn, or the settings leave no time for it. */
import { runnerIdOf } from "../../pynenc/keys.ts";
import { counted, lasting } from "../../pynenc/numbers.ts";
import { utcText } from "../../pynenc/time.ts";
import type { AppFacts } from "./facts.ts";
import { earliest, evidence, type Finding } from "./finding.ts";

/** A run without an end, on a silent runner or running for too long. */
export function stuckAtomicService({ stuck_runs: stuck }: AppFacts): Finding | null {
  if (stuck.length === 0) return null;
  return {
    code: "stuck_atomic_service",
    severity: "error",
    sentence: "The atomic service is stuck",
    detail:
      "A service run has no recorded end. Until it stops counting as running, no other can start: no triggers, no recovery.",
    since: earliest(stuck.map((run) => run.start_time)),
    evidence: [
      ...evidence(
        "atomic_service_run",
        stuck.map((run) => run.atomic_service_run_id),
      ),
      ...evidence("runner", [...new Set(stuck.map(runnerIdOf))], "its runner"),
    ],
    count: stuck.length,
  };
}

/** Runners are active, but none of them may run it. */
export function noServiceRunner({ active, turns }: AppFacts): Finding | null {
  if (active === 0 || turns.members.length > 0) return null;
  return {
    code: "no_service_runner",
    severity: "warning",
    sentence: "No active runner runs the atomic service",
    detail: "Workers do not run it, and the runners that started them are silent. Neither triggers nor recovery run.",
    since: null,
    evidence: [],
    count: active,
  };
}

/** Runners take turns, but none has started a run for longer than any of them ever waited. */
export function starvedAtomicService({ starved, stuck_runs, service_lag, turns }: AppFacts): Finding | null {
  // A run that blocks all others has its own verdict.
  if (starved === null || stuck_runs.length > 0 || starved.late_seconds <= service_lag) return null;
  const { members, rules } = turns;
  const { since, last_run, longest_gap_seconds } = starved;
  const never = last_run === null || last_run.start_time < since;
  return {
    code: "starved_atomic_service",
    severity: "warning",
    sentence: `The atomic service does not start, although ${counted(members.length, "runner takes", "runners take")} turns`,
    detail: [
      longest_gap_seconds === null
        ? `By the settings it runs every ${lasting(rules.interval_seconds)}`
        : `Its latest recorded runs began at most ${lasting(longest_gap_seconds)} apart`,
      never
        ? `; none is recorded since ${utcText(since)}, when all of them could take a turn.`
        : `; the last one began at ${utcText(since)}.`,
      " Until the next run, no trigger runs and nothing is recovered.",
    ].join(""),
    since,
    evidence: [
      ...evidence("atomic_service_run", last_run === null ? [] : [last_run.atomic_service_run_id], "the last run"),
      ...evidence("runner", members.map(runnerIdOf), "takes turns"),
    ],
    count: members.length,
  };
}

/** The settings give no runner time to start, and no recorded run contradicts them. */
export function invalidSlots({ turns, no_slot }: AppFacts): Finding | null {
  const { plan, rules, members, assumed } = turns;
  if (no_slot === null || no_slot.contradicted) return null;
  const { since } = no_slot;
  return {
    code: "invalid_slots",
    severity: "warning",
    sentence: `The atomic service ${assumed ? "may be unable to" : "cannot"} run: with ${counted(members.length, "runner")} its slots are too short`,
    detail: [
      `${assumed ? "By pynenc's defaults, each" : "Each"} runner has ${lasting(plan.slot_seconds ?? 0)}, and atomic_service_spread_margin_minutes takes ${lasting(rules.spread_seconds)} of it, so none may start triggers and recovery.`,
      ...(since === null ? [] : [`No run is recorded since ${utcText(since)}.`]),
      ...(assumed ? ["The app may have other settings that this monitor does not see."] : []),
      "Raise atomic_service_interval_minutes or lower the margin.",
    ].join(" "),
    since,
    evidence: evidence("runner", members.map(runnerIdOf)),
    count: members.length,
  };
}
