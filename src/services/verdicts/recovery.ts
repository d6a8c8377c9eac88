/** Runners are active, but no trigger is registered, or none for recovery (storage-format.md 7.2, 8). */
import { RECOVERY_TASKS } from "../../pynenc/identifiers.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { AppFacts } from "./facts.ts";
import { evidence, type Finding } from "./finding.ts";

export function recoveryNotRegistered({
  active,
  turns,
  unregistered,
  triggers,
  triggers_elsewhere,
}: AppFacts): Finding | null {
  // Without a runner that takes turns, registered triggers would not run either: that has its own verdict.
  if (active === 0 || turns.members.length === 0 || unregistered.length === 0) return null;
  const elsewhere = triggers_elsewhere
    ? " If the app keeps its triggers in memory, ignore this: trigger_cls was not found."
    : "";
  const remedy = "Runners register triggers only when they start: restart one.";
  if (triggers === 0) {
    return {
      code: "no_triggers",
      severity: "warning",
      sentence: `No trigger is registered, although ${counted(active, "runner is", "runners are")} active`,
      detail: `Events and schedules start nothing, and stuck invocations are not recovered. Usually the triggers were purged while runners were active. ${remedy}${elsewhere}`,
      since: null,
      evidence: [],
      count: active,
    };
  }
  return {
    code: "no_recovery",
    severity: "warning",
    sentence: `Recovery of ${unregistered.join(" and ")} invocations is not registered`,
    detail: `No trigger starts ${unregistered.map((status) => RECOVERY_TASKS[status]).join(" or ")}, so such invocations stay stuck when their runner ends. ${remedy}${elsewhere}`,
    since: null,
    evidence: evidence(
      "task",
      unregistered.map((status) => RECOVERY_TASKS[status]),
    ),
    count: unregistered.length,
  };
}
