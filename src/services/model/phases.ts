import type { Phase, PhaseDuration } from "../../api/invocations.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";

const PHASE_OF_STATUS: Readonly<Record<string, Phase>> = {
  registered: "queued",
  rerouted: "queued",
  retry: "queued",
  pending: "pending",
  running: "running",
  resumed: "running",
  paused: "paused",
  concurrency_controlled: "waiting",
  pending_recovery: "waiting",
  running_recovery: "waiting",
  killed: "waiting",
};

/** The phase that a status starts; null for final and unknown statuses. */
export function phaseOf(status: string): Phase | null {
  return PHASE_OF_STATUS[status] ?? null;
}

/**
 * Time in each phase, from statuses in the order they were entered. Stretches are added up, because the span from the first to the last `running`
 * entry would include the time between two runs (storage-format.md 2.4). The last phase lasts until `now`; null means that its end is not known, and
 * then it is not counted.
 */
export function phaseDurations(
  entries: readonly { status: string; timestamp: EpochSeconds }[],
  now: EpochSeconds | null,
): PhaseDuration[] {
  const found = new Map<Phase, PhaseDuration>();
  let previous: Phase | null = null;
  entries.forEach((entry, index) => {
    const phase = phaseOf(entry.status);
    const next = entries[index + 1];
    const end = next?.timestamp ?? (now === null ? null : Math.max(now, entry.timestamp));
    if (phase !== null && end !== null) {
      const sum = found.get(phase) ?? { phase, seconds: 0, stretches: 0, ongoing: false };
      sum.seconds += end - entry.timestamp;
      if (phase !== previous) sum.stretches++;
      sum.ongoing ||= next === undefined;
      found.set(phase, sum);
    }
    previous = phase;
  });
  return [...found.values()];
}
