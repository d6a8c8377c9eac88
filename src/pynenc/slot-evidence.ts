/**
 * Checks whether recorded runs of the atomic service fit the assumed rules. An app's timing is known only from settings, which the runners may see
 * differently than this program; each recorded run shows what a runner really decided. Pure arithmetic on epoch seconds.
 */
import { inSlotOrder, type SlotRules, type SlotRunner, slotAt } from "./atomic-slots.ts";
import type { EpochSeconds } from "./time.ts";

/** A run that a runner started, or tried to start while another one was running. */
export interface ServiceStart {
  runner_id: string;
  start_time: EpochSeconds;
}

export interface AssumedTiming {
  rules: SlotRules;
  /** How often each runner checks whether it is its turn. */
  check_interval_seconds: number;
}

export interface SlotEvidence {
  /** Number of runs that could be compared with the slots. */
  compared: number;
  /** Number of these that started when the rules would not have allowed it. */
  outside: number;
  /** The shortest time in seconds between two recorded runs of one runner id; null if there are no two. */
  shortest_repeat_seconds: number | null;
  /** Two runs of some runner id were closer than its check interval. */
  too_often: boolean;
  /** The runners use different rules. */
  contradicted: boolean;
}

/** A start is recorded slightly after the decision. */
const WRITTEN_AFTER_SECONDS = 1;

/** Tolerance: a check may be slightly early, and a machine's clock may be adjusted. */
const EARLY = 0.9;

/** Share of runs outside of their slots above which it is not a coincidence. */
const SHARE_OUTSIDE = 0.1;

/**
 * @param starts recorded runs in any order; runs of non-members are ignored
 * @param members eligible runners that are alive now
 * @param since instant since which exactly these members took part; earlier runs had other slots
 */
export function slotEvidence(
  starts: readonly ServiceStart[],
  members: readonly SlotRunner[],
  { rules, check_interval_seconds }: AssumedTiming,
  since: EpochSeconds,
): SlotEvidence {
  const ordered = inSlotOrder(members);
  const positions = new Map(ordered.map((runner, position) => [runner.runner_id, position]));
  const ofMembers = starts.flatMap(({ runner_id, start_time }) => {
    const position = positions.get(runner_id);
    return position === undefined || !Number.isFinite(start_time) ? [] : [{ runner_id, position, start_time }];
  });
  const comparable = ofMembers.filter((start) => start.start_time >= since);
  const outside = comparable.filter(({ position, start_time }) => {
    const decided = start_time - WRITTEN_AFTER_SECONDS;
    const slots = [start_time, decided].map((instant) => slotAt(instant, rules, ordered, position));
    // A window may be shorter than the delay of recording and be between the two instants.
    const opened = slots.some(
      ({ window, in_grace }) => window !== null && !in_grace && decided < window.start && window.start <= start_time,
    );
    return !opened && slots.every(({ reason }) => reason !== "assigned");
  }).length;
  const shortest_repeat_seconds = shortestRepeat(ofMembers);
  const too_often = shortest_repeat_seconds !== null && shortest_repeat_seconds < check_interval_seconds * EARLY;
  return {
    compared: comparable.length,
    outside,
    shortest_repeat_seconds,
    too_often,
    contradicted: too_often || outside > comparable.length * SHARE_OUTSIDE,
  };
}

function shortestRepeat(starts: readonly ServiceStart[]): number | null {
  const byTime = [...starts].sort((a, b) => a.start_time - b.start_time);
  const last = new Map<string, EpochSeconds>();
  let shortest: number | null = null;
  for (const { runner_id, start_time } of byTime) {
    const earlier = last.get(runner_id);
    if (earlier !== undefined && (shortest === null || start_time - earlier < shortest))
      shortest = start_time - earlier;
    last.set(runner_id, start_time);
  }
  return shortest;
}
