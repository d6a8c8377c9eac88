/** When runners of the example apps run the atomic service: settings that the apps publish, and who may start by them (storage-format.md 6.2). */
import { inSlotOrder, type SlotRules, type SlotRunner, slotPlan } from "../../pynenc/atomic-slots.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";

/** Far shorter than the defaults, so that triggers fire while somebody watches. */
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
 * The runner that may start now; null in the margin between two turns.
 *
 * @param members runners whose heartbeat counts as alive, whether they are or not
 */
export function runnerInTurn(now: EpochSeconds, members: readonly SlotRunner[]): string | null {
  const { owner } = slotPlan(now, RULES, inSlotOrder(members));
  return owner?.reason === "assigned" ? owner.runner_id : null;
}
