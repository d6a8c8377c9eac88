/**
 * Counts what was written to a history since monitoring began: totals that only grow, as monitoring systems collect them. History that was already
 * there is not included, and purged entries stay included.
 */
import type { EntryFacts } from "./facts.ts";
import type { Figures } from "./figures.ts";
import { type QuantileBins, secondsOfBin } from "./quantile-bins.ts";

/** Upper bounds in seconds of the duration ranges; the last range has none. */
export const DURATION_BOUNDS: readonly number[] = [
  0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400,
];

/** Number of tasks counted by name, in order of first arrival. The choice is permanent: a total that changed its name would look like a drop. */
export const TASKS_NAMED = 50;

/** Durations by range. */
export interface DurationCounts {
  /** One per range in `DURATION_BOUNDS`, plus one for anything longer. */
  counts: number[];
  /** Sum of all durations, in seconds. */
  sum: number;
}

export interface ArrivedOfTask {
  /** Null for all tasks beyond `TASKS_NAMED`, and for invocations without a definition. */
  task_id_key: string | null;
  /** Entries by the status they entered. */
  entered: Record<string, number>;
  wait: DurationCounts;
  run: DurationCounts;
}

export class Arrivals {
  readonly #tasks = new Map<string | null, ArrivedOfTask>();

  /** In order of first arrival. */
  get tasks(): readonly ArrivedOfTask[] {
    return [...this.#tasks.values()];
  }

  add(task: string | null, { entry, waited, ran }: EntryFacts): void {
    const counted = this.#of(task);
    counted.entered[entry.status] = (counted.entered[entry.status] ?? 0) + 1;
    if (waited !== null) count(counted.wait, waited, 1);
    if (ran !== null) count(counted.run, ran, 1);
  }

  /** Adds the increase between two sets of figures of a task. Durations are then exact to within 1 %. */
  addDifference(task: string | null, before: Figures | undefined, after: Figures): void {
    const counted = this.#of(task);
    for (const [status, number] of Object.entries(after.byStatus)) {
      const more = number - (before?.entered(status) ?? 0);
      if (more > 0) counted.entered[status] = (counted.entered[status] ?? 0) + more;
    }
    addBins(counted.wait, before?.wait, after.wait);
    addBins(counted.run, before?.run, after.run);
  }

  #of(task: string | null): ArrivedOfTask {
    const named = this.#tasks.size - (this.#tasks.has(null) ? 1 : 0);
    const task_id_key = task !== null && (this.#tasks.has(task) || named < TASKS_NAMED) ? task : null;
    const known = this.#tasks.get(task_id_key);
    if (known !== undefined) return known;
    // No prototype: a store may contain any text as a status.
    const counted = { task_id_key, entered: Object.create(null), wait: noDurations(), run: noDurations() };
    this.#tasks.set(task_id_key, counted);
    return counted;
  }
}

function noDurations(): DurationCounts {
  return { counts: [...DURATION_BOUNDS, Number.POSITIVE_INFINITY].map(() => 0), sum: 0 };
}

function count(durations: DurationCounts, seconds: number, times: number): void {
  const index = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
  const range = index === -1 ? DURATION_BOUNDS.length : index;
  durations.counts[range] = (durations.counts[range] ?? 0) + times;
  durations.sum += seconds * times;
}

function addBins(durations: DurationCounts, before: QuantileBins | undefined, after: QuantileBins): void {
  const known = new Map(before?.filled().map(({ bin, count: times }) => [bin, times]));
  for (const { bin, count: times } of after.filled()) {
    const more = times - (known.get(bin) ?? 0);
    if (more > 0) count(durations, secondsOfBin(bin), more);
  }
}
