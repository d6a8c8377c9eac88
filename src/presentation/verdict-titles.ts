/** What a kind of verdict is called where no current verdict of it says more. */
import type { AppVerdictCode } from "../api/verdicts.ts";

const TITLES: Readonly<Record<AppVerdictCode, string>> = {
  unreachable_queue: "Queue cannot be reached",
  layout_trouble: "Tables of two versions of pynenc, or missing ones",
  wait_cycle: "Invocations that wait for each other",
  deadlocked_pool: "Deadlocked workers",
  unconsumed_queue: "Messages that no runner takes",
  undeclared_queue: "Messages in an undeclared queue",
  stuck_atomic_service: "Atomic service stuck",
  running_on_dead_runner: "Running on a silent runner",
  paused_on_dead_runner: "Paused on a silent runner",
  waiting_in_no_queue: "Waiting without a message",
  left_behind: "Left behind, only a rerun helps",
  waits_for_ended: "Waiting for what has ended",
  no_service_runner: "No runner takes turns in the atomic service",
  invalid_slots: "No time for the atomic service",
  starved_atomic_service: "Atomic service does not run",
  no_triggers: "No trigger registered",
  no_recovery: "No recovery registered",
  stuck_pending: "Picked up but not started",
  condition_not_claimed: "Trigger not run although its condition is met",
  schedule_overdue: "Schedule overdue",
  held_by_concurrency: "Held back by concurrency control",
  purge_before_read: "Auto-purge due before the result is read",
  retries_exhausted: "Failures after all retries",
  failure_rate_up: "More failures than before",
  retry_storm: "More retries than before",
  slow_run: "Runs longer than usual",
  task_slower: "Task slower than before",
  queue_grows: "Queue grows",
  old_message: "Long wait in a queue",
  app_silent: "Nothing happens in the app",
  message_without_invocation: "Messages without an invocation",
  clock_skew: "Clocks disagree",
};

/** The title of a kind; its code if the kind is not known, as in a mute of another version. */
export function verdictTitle(code: string): string {
  return Object.hasOwn(TITLES, code) ? TITLES[code as AppVerdictCode] : code;
}
