/**
 * Some of the invocations that succeeded, by task and hour, to compare failures of about the same time with. Which ones are kept depends on their
 * ids alone, so that they are a fair sample in whatever order they are met.
 */
import { HOUR, type TimeSpan } from "./buckets.ts";
import type { RunExample } from "./facts.ts";

/** Of a task in an hour. */
const EACH = 8;
/** Of all tasks and hours: some megabytes. The oldest hours go first. */
const MOST = 20_000;

interface Sample extends RunExample {
  /** Places the id among others by chance. */
  draw: number;
}

/** By hour since the epoch, then by number of the task; those with the smallest draws, ascending. */
export type SavedSamples = ReadonlyMap<number, ReadonlyMap<number, readonly Sample[]>>;

export class SuccessSamples {
  readonly #hours: Map<number, Map<number, readonly Sample[]>>;
  #size = 0;

  constructor(saved: SavedSamples = new Map()) {
    this.#hours = new Map([...saved].map(([hour, tasks]) => [hour, new Map(tasks)]));
    for (const tasks of saved.values()) for (const samples of tasks.values()) this.#size += samples.length;
  }

  saved(): SavedSamples {
    return this.#hours;
  }

  /** @param task its number. */
  add(task: number, success: RunExample): void {
    const hour = Math.floor(success.at / HOUR);
    const tasks = this.#hours.get(hour) ?? new Map<number, readonly Sample[]>();
    this.#hours.set(hour, tasks);
    const known = tasks.get(task) ?? [];
    const draw = drawOf(success.invocation_id);
    if (known.length === EACH && draw >= (known.at(-1)?.draw ?? 0)) return;
    const others = known.filter((one) => one.invocation_id !== success.invocation_id);
    const samples = [...others, { ...success, draw }].sort(byDraw).slice(0, EACH);
    tasks.set(task, samples);
    this.#size += samples.length - known.length;
    if (this.#size > MOST) this.#forgetOldest();
  }

  /** Most hours read of a span. */
  of(task: number, { from, to }: TimeSpan, most: number): RunExample[] {
    const found: Sample[] = [];
    for (let hour = Math.floor(from / HOUR); hour * HOUR <= to; hour++) {
      found.push(...(this.#hours.get(hour)?.get(task) ?? []));
    }
    return found
      .sort(byDraw)
      .slice(0, most)
      .map(({ draw: _, ...success }) => success);
  }

  #forgetOldest(): void {
    const oldest = Math.min(...this.#hours.keys());
    for (const samples of this.#hours.get(oldest)?.values() ?? []) this.#size -= samples.length;
    this.#hours.delete(oldest);
  }
}

function byDraw(a: Sample, b: Sample): number {
  return a.draw - b.draw;
}

/** A number below 1 that says nothing about the text (FNV-1a). */
function drawOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  // The last characters have moved only the low bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  return ((hash ^ (hash >>> 12)) >>> 0) / 2 ** 32;
}
