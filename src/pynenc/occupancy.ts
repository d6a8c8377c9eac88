/**
 * How many invocations are registered, pending or running in a time bucket: one rule for charts, JSON and stored counts. A bucket includes its start
 * and excludes its end. Stored counts have an invocation once in each group it was in at any time within the bucket.
 */
import { WAITING_STATUSES } from "./statuses.ts";
import type { EpochSeconds } from "./time.ts";

/**
 * Statuses by group: what waits in the queue, what a runner has taken, and what it executes. Paused, killed and final ones are in none, nor are those that
 * pynenc leaves in the same step (`PASSING_STATUSES`): what recovery has taken from a runner no longer runs.
 */
const STATUSES_OF = {
  registered: WAITING_STATUSES,
  pending: ["pending"],
  running: ["running", "resumed"],
} as const;

/** Statuses in which an invocation takes a place of its runner. */
export const RUNNING_STATUSES: readonly string[] = STATUSES_OF.running;

/** Of what a runner has taken and not finished, what it executes first of all. */
export function mainlyHeld<Held extends { status: string }>(held: readonly Held[]): Held | undefined {
  return held.find(({ status }) => RUNNING_STATUSES.includes(status)) ?? held[0];
}

/** How many of these active runners are busy: each that runs an invocation. What is only paused or picked up keeps none busy. */
export function busyAmong(
  active: readonly { runner_id: string }[],
  held: readonly { runner_id: string | null; status: string }[],
): number {
  const running = new Set(held.flatMap((one) => (RUNNING_STATUSES.includes(one.status) ? one.runner_id : [])));
  return active.filter(({ runner_id }) => running.has(runner_id)).length;
}

/** What a runner does: `export_year`, `place_order paused +2` or `idle`. Not escaped yet. */
export function heldWords(held: readonly { status: string; task_id_key: string }[]): string {
  const main = mainlyHeld(held);
  if (main === undefined) return "idle";
  const status = RUNNING_STATUSES.includes(main.status) ? "" : ` ${main.status}`;
  const more = held.length > 1 ? ` +${held.length - 1}` : "";
  return `${main.task_id_key.slice(main.task_id_key.lastIndexOf(".") + 1)}${status}${more}`;
}

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
 * Bucket lengths in seconds. Buckets start at multiples of their length since the epoch, so that different windows share the same buckets. From one
 * minute on, all are multiples of a minute; from one hour on, multiples of an hour.
 */
export const OCCUPANCY_STEPS: readonly number[] = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600,
  7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
];
const LONGEST_STEP = OCCUPANCY_STEPS.at(-1) ?? 0;

/** Preferred bucket length for windows up to a length, in seconds (behaviour.md 6). */
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
const MIN_BUCKETS = 168;
const MAX_BUCKETS = 240;

/** Bucket length for a window, both in seconds: the preferred one, or the next longer one of `OCCUPANCY_STEPS`. */
export function occupancyStep(window: number): number {
  const [, suitable] = SUITABLE.find(([longest]) => window <= longest) ?? [0, LONGEST_STEP];
  const wanted = Math.max(Math.min(suitable, window / MIN_BUCKETS), window / MAX_BUCKETS);
  return stepFor(wanted);
}

/** The shortest bucket length of at least so many seconds. */
export function stepFor(seconds: number): number {
  return OCCUPANCY_STEPS.find((step) => step >= seconds) ?? LONGEST_STEP;
}

/** Times are stored in microseconds, so integers of microseconds need no rounding. */
const MICRO = 1e6;

export function micros(seconds: number): number {
  return Math.round(seconds * MICRO);
}

/** A time span in one group, in microseconds. */
export interface Presence {
  from: number;
  /** When it left the group, or the end of counting. */
  to: number;
}

/** The number of the bucket that contains an instant. */
export function bucketOf(at: number, step: number): number {
  return Math.floor(at / step);
}

/** The last bucket that a presence touches, all in microseconds. A presence that ends at the start of a bucket is not in it, unless it also began there. */
export function lastBucket({ from, to }: Presence, step: number): number {
  return Math.max(bucketOf(from, step), Math.ceil(to / step) - 1);
}

/** Start and end of the buckets of a window. */
export function occupancySpan({ from, to }: { from: EpochSeconds; to: EpochSeconds }, step: number) {
  const length = micros(step);
  const first = bucketOf(micros(from), length);
  const end = Math.max(first + 1, Math.ceil(micros(to) / length));
  return { from: (first * length) / MICRO, to: (end * length) / MICRO, buckets: end - first };
}

/** An invocation's change from one group to another. */
export interface GroupChange {
  /** The group it left, and the time span it was there. */
  left: { group: OccupancyGroup; presence: Presence } | null;
  /** The group it entered, when (in microseconds), and its previous time span there. */
  entered: { group: OccupancyGroup; at: number; before: Presence | null } | null;
}

/**
 * @param history of one invocation, in the order in which statuses were entered.
 * @param visit called for each entry that changes the group, with its index.
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
