/**
 * Whether recorded runs of the atomic service fit the rules that were assumed. An app's timing is known only from settings, which this
 * program may see otherwise than the runners do; each recorded run shows what a runner really decided. Pure arithmetic on epoch seconds.
 */
import { inSlotOrder, type SlotRules, type SlotRunner, slotAt } from "./atomic-slots.ts";
import type { EpochSeconds } from "./time.ts";

/** A run that a runner began, or was about to when another one was in the way. */
export interface ServiceStart {
  runner_id: string;
  start_time: EpochSeconds;
}

export interface AssumedTiming {
  rules: SlotRules;
  /** How often each runner asks whether it is its turn. */
  check_interval_seconds: number;
}

export interface SlotEvidence {
  /** Runs that could be compared with the slots. */
  compared: number;
  /** Of these, begun when the rules would not have allowed it. */
  outside: number;
  /** The shortest time between two recorded runs under one runner id, seconds; null where no two are recorded. */
  shortest_repeat_seconds: number | null;
  /** Under some runner id a run was recorded sooner after another than that runner would have asked. */
  too_often: boolean;
  /** The rules are not those of the runners. */
  contradicted: boolean;
}

/** A start is written down a moment after the decision. */
const WRITTEN_AFTER_SECONDS = 1;

/** A check may come a little early, and the clock of a machine may be set. */
const EARLY = 0.9;

/** So many runs outside of their slots are no accident. */
const SHARE_OUTSIDE = 0.1;

/**
 * @param starts recorded runs in any order; those of others than the members are left out
 * @param members eligible runners that are alive now
 * @param since instant from which on exactly these took part: earlier runs followed other slots
 */
export function slotEvidence(
  starts: readonly ServiceStart[],
  members: readonly SlotRunner[],
  { rules, check_interval_seconds }: AssumedTiming,
  since: EpochSeconds,
): SlotEvidence {
  const ordered = inSlotOrder(members);
  const places = new Map(ordered.map((runner, position) => [runner.runner_id, position]));
  const ofMembers = starts.flatMap(({ runner_id, start_time }) => {
    const position = places.get(runner_id);
    return position === undefined || !Number.isFinite(start_time) ? [] : [{ runner_id, position, start_time }];
  });
  const comparable = ofMembers.filter((start) => start.start_time >= since);
  const outside = comparable.filter(({ position, start_time }) => {
    const decided = start_time - WRITTEN_AFTER_SECONDS;
    const slots = [start_time, decided].map((instant) => slotAt(instant, rules, ordered, position));
    // A window may be shorter than the moment that writing takes, and lie between the two instants.
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
