/**
 * When each runner may run the atomic service: a cycle is divided into one slot per eligible runner, in the order of their first
 * heartbeats (storage-format.md 6.2). Pure arithmetic on epoch seconds.
 */

import { ascending } from "./order.ts";
import type { EpochSeconds } from "./time.ts";

/** Why a runner may or may not start now. Only `assigned` may start. */
export type SlotReason =
  | "assigned"
  | "not_assigned_slot"
  | "no_stable_runners"
  | "scheduled_runner_in_grace"
  | "slot_window_invalid"
  | "late_start";

export interface SlotRules {
  interval_seconds: number;
  /** Kept free at the end of each slot. */
  spread_seconds: number;
  /** Minimum age of a runner before it takes its turn; 0 means none. */
  stabilization_seconds: number;
  /** Part of the window in which a runner may still start; outside (0, 1) it restricts nothing. */
  max_start_fraction: number;
  /**
   * If the margin is as long as the slot: since 0.2.4 no runner may start; before, half the slot was used (storage-format.md 6.2). Grace and late start
   * do not exist before 0.2.4.
   */
  version: "0.2.3" | "0.2.4";
}

export interface SlotRunner {
  runner_id: string;
  /** Time of its first heartbeat. */
  creation_timestamp: EpochSeconds;
}

/** From `start` (inclusive) to `end` (exclusive). */
export interface SlotSpan {
  start: EpochSeconds;
  end: EpochSeconds;
}

export interface RunnerSlot {
  runner_id: string;
  /** From 0, in the order of the first heartbeats. */
  position: number;
  /** Its share of the cycle. Slots have no gaps and do not overlap. */
  slot: SlotSpan;
  /** The part of the slot in which it may start; null if the margin leaves nothing. */
  window: SlotSpan | null;
  /** Whether now is in its slot. */
  assigned: boolean;
  /** Younger than the stabilization time. */
  in_grace: boolean;
  /** What pynenc would decide if the runner checked now whether it may run the service. */
  reason: SlotReason;
}

export interface SlotPlan {
  cycle: SlotSpan;
  /** Length of a slot; null without runners. */
  slot_seconds: number | null;
  /** In the order of their slots. */
  runners: RunnerSlot[];
  /** The runner whose slot is now; null without runners. */
  owner: RunnerSlot | null;
  /** The margin is as long as a slot, so no runner can ever start. */
  every_window_invalid: boolean;
}

/** @param eligible runners that are alive and take part, in any order. */
export function slotPlan(now: EpochSeconds, rules: SlotRules, eligible: readonly SlotRunner[]): SlotPlan {
  const cycle = cycleAt(now, rules);
  const ordered = inSlotOrder(eligible);
  const total = ordered.length;
  if (total === 0) return { cycle, slot_seconds: null, runners: [], owner: null, every_window_invalid: false };
  const runners = ordered.map((_, position) => slotAt(now, rules, ordered, position));
  return {
    cycle,
    slot_seconds: rules.interval_seconds / total,
    runners,
    owner: runners.find((runner) => runner.assigned) ?? null,
    every_window_invalid: runners.every((runner) => runner.window === null),
  };
}

/** Runners in the order of their slots, oldest first. */
export function inSlotOrder<Runner extends SlotRunner>(eligible: readonly Runner[]): Runner[] {
  return [...eligible].sort(byFirstHeartbeat);
}

/**
 * The slot of one runner, and what pynenc would decide if the runner checked at this instant.
 *
 * @param ordered every eligible runner, as `inSlotOrder` returns them
 * @param position of the runner among them, from 0
 */
export function slotAt(
  now: EpochSeconds,
  rules: SlotRules,
  ordered: readonly SlotRunner[],
  position: number,
): RunnerSlot {
  const { start, end } = cycleAt(now, rules);
  const total = ordered.length;
  const length = rules.interval_seconds / total;
  const current = Math.min(Math.max(0, Math.floor((now - start) / length)), total - 1);
  const slot = {
    start: start + position * length,
    // The last slot ends with the cycle, regardless of rounding.
    end: position === total - 1 ? end : start + (position + 1) * length,
  };
  const inGrace = (runner: SlotRunner | undefined) =>
    runner !== undefined &&
    rules.version !== "0.2.3" &&
    rules.stabilization_seconds > 0 &&
    now - runner.creation_timestamp < rules.stabilization_seconds;
  const runner = ordered[position];
  const placement = {
    runner_id: runner?.runner_id ?? "",
    position,
    slot,
    window: startWindow(slot, total, rules),
    assigned: position === current,
    in_grace: inGrace(runner),
  };
  return { ...placement, reason: reasonOf(placement, now, total, inGrace(ordered[current]), rules) };
}

function cycleAt(now: EpochSeconds, { interval_seconds: interval }: SlotRules): SlotSpan {
  const start = Math.floor(now / interval) * interval;
  return { start, end: start + interval };
}

/** The largest number of runners with which a start is still possible; null if there is no limit. */
export function maxRunners({ interval_seconds, spread_seconds, version }: SlotRules): number | null {
  if (version === "0.2.3" || spread_seconds <= 0) return null;
  // A single runner ignores the margin; others need interval / N > margin. Rounding can put the quotient one too high or too low.
  const about = Math.max(1, Math.ceil(interval_seconds / spread_seconds) - 1);
  if (interval_seconds / (about + 1) > spread_seconds) return about + 1;
  return about > 1 && interval_seconds / about <= spread_seconds ? about - 1 : about;
}

function byFirstHeartbeat(a: SlotRunner, b: SlotRunner): number {
  return a.creation_timestamp - b.creation_timestamp || ascending(a.runner_id, b.runner_id);
}

function startWindow(slot: SlotSpan, total: number, { interval_seconds, spread_seconds, version }: SlotRules) {
  if (total === 1) return slot;
  const length = interval_seconds / total;
  if (length > spread_seconds) return { start: slot.start, end: slot.end - spread_seconds };
  return version === "0.2.3" ? { start: slot.start, end: slot.start + length / 2 } : null;
}

function reasonOf(
  { window, assigned }: Omit<RunnerSlot, "reason">,
  now: EpochSeconds,
  total: number,
  waitsForGrace: boolean,
  { max_start_fraction, version }: SlotRules,
): SlotReason {
  if (window === null) return "slot_window_invalid";
  if (waitsForGrace) return "scheduled_runner_in_grace";
  // Because of rounding, the window can disagree with the slot's number about whether now is inside.
  if (total > 1 && (!assigned || now < window.start || now >= window.end)) return "not_assigned_slot";
  const limited = version !== "0.2.3" && max_start_fraction > 0 && max_start_fraction < 1;
  const used = (now - window.start) / (window.end - window.start);
  return limited && used > max_start_fraction ? "late_start" : "assigned";
}
