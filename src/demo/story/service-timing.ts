/** Timing of the atomic service in the example apps: the settings they publish, and which runner may start (storage-format.md 6.2). */
import { inSlotOrder, type SlotRules, type SlotRunner, slotPlan } from "../../pynenc/atomic-slots.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";

/** Far shorter than the defaults, so that triggers fire while someone is watching. */
export const SERVICE_SETTINGS = {
  atomic_service_interval_minutes: 1,
  atomic_service_spread_margin_minutes: 0.01,
  atomic_service_check_interval_minutes: 0.05,
  atomic_service_max_start_slot_fraction: 1,
} as const;

const RULES: SlotRules = {
  interval_seconds: SERVICE_SETTINGS.atomic_service_interval_minutes * 60,
  spread_seconds: SERVICE_SETTINGS.atomic_service_spread_margin_minutes * 60,
  stabilization_seconds: 0,
  max_start_fraction: SERVICE_SETTINGS.atomic_service_max_start_slot_fraction,
  version: "0.2.4",
};

/**
 * The runner that may start now; null during the margin between two turns.
 *
 * @param members runners that count as alive by their heartbeat, even if they are not
 */
export function runnerInTurn(now: EpochSeconds, members: readonly SlotRunner[]): string | null {
  const { owner } = slotPlan(now, RULES, inSlotOrder(members));
  return owner?.reason === "assigned" ? owner.runner_id : null;
}
