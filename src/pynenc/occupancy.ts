/**
 * How many invocations are registered, pending or running in a bucket of time: one rule for charts, JSON and the counts that are kept. A bucket holds
 * its first instant and not its last, and counts an invocation once in each group in which it was at any time of it.
 */
import type { EpochSeconds } from "./time.ts";

/** Statuses by group. Those that are paused, killed or final are in none. */
const STATUSES_OF = {
  registered: ["registered", "rerouted", "concurrency_controlled"],
  pending: ["pending", "pending_recovery", "retry"],
  running: ["running", "running_recovery", "resumed"],
} as const;

export type OccupancyGroup = keyof typeof STATUSES_OF;

export const OCCUPANCY_GROUPS = Object.keys(STATUSES_OF) as OccupancyGroup[];

const GROUP_OF: ReadonlyMap<string, OccupancyGroup> = new Map(
  OCCUPANCY_GROUPS.flatMap((group) => STATUSES_OF[group].map((status) => [status, group] as const)),
);

/** Null for a status in none of the groups. */
export function occupancyGroup(status: string): OccupancyGroup | null {
  return GROUP_OF.get(status) ?? null;
}

/**
 * Lengths of buckets in seconds. Buckets begin at multiples of their length since the epoch, so that those of two windows are the same. From one minute
 * on all are whole minutes, from one hour on whole hours.
 */
export const OCCUPANCY_STEPS: readonly number[] = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600,
  7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
];
const LONGEST_STEP = OCCUPANCY_STEPS.at(-1) ?? 0;

/** What a bucket should last in windows of at most so many seconds (behaviour.md 6). */
const SUITABLE: readonly [window: number, step: number][] = [
  [5, 0.25],
  [30, 0.5],
  [60, 1],
  [900, 5],
  [3_600, 15],
  [10_800, 60],
  [43_200, 300],
  [259_200, 1_800],
  [Number.POSITIVE_INFINITY, 3_600],
];
const FEWEST_BUCKETS = 168;
const MOST_BUCKETS = 240;

/** The length of the buckets of a window, both in seconds: that of the rule, or the next longer one of `OCCUPANCY_STEPS`. */
export function occupancyStep(window: number): number {
  const [, suitable] = SUITABLE.find(([longest]) => window <= longest) ?? [0, LONGEST_STEP];
  const wanted = Math.max(Math.min(suitable, window / FEWEST_BUCKETS), window / MOST_BUCKETS);
  return OCCUPANCY_STEPS.find((step) => step >= wanted) ?? LONGEST_STEP;
}

/** Times are stored in microseconds: in whole numbers of them nothing is rounded. */
const MICRO = 1e6;

export function micros(seconds: number): number {
  return Math.round(seconds * MICRO);
}

/** A stretch of time in one group, in microseconds. */
export interface Presence {
  from: number;
  /** When it left the group, or went on to be counted. */
  to: number;
}

/** The number of the bucket that holds an instant. */
export function bucketOf(at: number, step: number): number {
  return Math.floor(at / step);
}

/** The last bucket that a presence touches: what ends where a bucket begins is not in it, unless it began there too. All in microseconds. */
export function lastBucket({ from, to }: Presence, step: number): number {
  return Math.max(bucketOf(from, step), Math.ceil(to / step) - 1);
}

/** Where the buckets of a window begin and end. */
export function occupancySpan({ from, to }: { from: EpochSeconds; to: EpochSeconds }, step: number) {
  const length = micros(step);
  const first = bucketOf(micros(from), length);
  const end = Math.max(first + 1, Math.ceil(micros(to) / length));
  return { from: (first * length) / MICRO, to: (end * length) / MICRO, buckets: end - first };
}

/** Every stretch of time that an invocation spends in a group; it lasts, where nothing follows. In the order of their beginning. */
export function presences(
  history: readonly { status: string; timestamp: EpochSeconds }[],
): (Presence & { group: OccupancyGroup })[] {
  const found: (Presence & { group: OccupancyGroup })[] = [];
  let open: Presence | null = null;
  eachGroupChange(history, (_, { left, entered }) => {
    if (left !== null && open !== null) open.to = left.presence.to;
    open = null;
    if (entered === null) return;
    const presence = { group: entered.group, from: entered.at, to: Number.POSITIVE_INFINITY };
    found.push(presence);
    open = presence;
  });
  return found;
}

/** A change of the group of an invocation. */
export interface GroupChange {
  /** The group that it left, and since when until then it had been there. */
  left: { group: OccupancyGroup; presence: Presence } | null;
  /** The group that it entered, when, in microseconds, and the last time that it was there before. */
  entered: { group: OccupancyGroup; at: number; before: Presence | null } | null;
}

/**
 * @param history of one invocation, in the order in which statuses were entered.
 * @param visit is told the place of each entry that changes the group.
 */
export function eachGroupChange(
  history: readonly { status: string; timestamp: EpochSeconds }[],
  visit: (index: number, change: GroupChange) => void,
): void {
  const last: Partial<Record<OccupancyGroup, Presence>> = {};
  let group: OccupancyGroup | null = null;
  history.forEach(({ status, timestamp }, index) => {
    const next = occupancyGroup(status);
    if (next === group) return;
    const at = micros(timestamp);
    const presence = group === null ? undefined : last[group];
    if (presence !== undefined) presence.to = at;
    visit(index, {
      left: group === null || presence === undefined ? null : { group, presence },
      entered: next === null ? null : { group: next, at, before: last[next] ?? null },
    });
    if (next !== null) last[next] = { from: at, to: at };
    group = next;
  });
}
