import type { CycleView, TurnRow } from "../../../src/api/runners.ts";
import { instant } from "../../../src/presentation/text.ts";

const WIDTH = 1000;
/** More slots than this cannot be distinguished. */
const SLOTS_DRAWN = 100;

/** The cycle with a slot per runner: the part in which its runner may start is filled, and a line marks the present. */
export function CycleBar({ cycle, now: iso, runners }: { cycle: CycleView; now: string; runners: readonly TurnRow[] }) {
  const start = Date.parse(cycle.cycle_start);
  const length = cycle.interval_seconds * 1000;
  const at = (instantOf: string) => Math.min(WIDTH, Math.max(0, ((Date.parse(instantOf) - start) / length) * WIDTH));
  const now = at(iso);
  const slots = runners
    .slice(0, SLOTS_DRAWN)
    .flatMap(({ runner_id, slot }) => (slot === null ? [] : [{ runner_id, ...slot }]));
  return (
    <svg
      class="cycle-bar"
      viewBox={`0 0 ${WIDTH} 16`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`The cycle from ${instant(cycle.cycle_start)} to ${instant(cycle.cycle_end)} with a slot for each runner`}
    >
      <rect class="share-ground" y="2" width={WIDTH} height="12" />
      {slots.map((slot) =>
        slot.window_start === null || slot.window_end === null ? null : (
          <rect
            key={slot.runner_id}
            class={slot.owns_slot ? "slot slot-owner" : "slot"}
            x={at(slot.window_start).toFixed(1)}
            y="2"
            width={Math.max(1, at(slot.window_end) - at(slot.window_start)).toFixed(1)}
            height="12"
          />
        ),
      )}
      {slots.slice(1).map((slot) => (
        <rect
          key={`edge ${slot.runner_id}`}
          class="slot-edge"
          x={at(slot.slot_start).toFixed(1)}
          y="2"
          width="1"
          height="12"
        />
      ))}
      <rect class="slot-now" x={Math.min(WIDTH - 2, now).toFixed(1)} width="2" height="16" />
    </svg>
  );
}
