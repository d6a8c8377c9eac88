/**
 * A sample of successful invocations by task and hour, to compare with failures of about the same time. The choice depends only on the invocation id,
 * so the sample is fair in whatever order they arrive.
 */
import { HOUR, type TimeSpan } from "./buckets.ts";
import type { RunExample } from "./facts.ts";

/** Per task and hour. */
const MAX_PER_HOUR = 8;
/** For all tasks and hours: a few megabytes. The oldest hours are dropped first. */
const MAX_TOTAL = 20_000;

interface Sample extends RunExample {
  /** Pseudo-random rank of the id. */
  draw: number;
}

/** By hour since the epoch, then by task number. Each list holds the smallest draws, ascending. */
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

  /** @param task its member number. */
  add(task: number, success: RunExample): void {
    const hour = Math.floor(success.at / HOUR);
    const tasks = this.#hours.get(hour) ?? new Map<number, readonly Sample[]>();
    this.#hours.set(hour, tasks);
    const known = tasks.get(task) ?? [];
    const draw = drawOf(success.invocation_id);
    if (known.length === MAX_PER_HOUR && draw >= (known.at(-1)?.draw ?? 0)) return;
    const others = known.filter((one) => one.invocation_id !== success.invocation_id);
    const samples = [...others, { ...success, draw }].sort(byDraw).slice(0, MAX_PER_HOUR);
    tasks.set(task, samples);
    this.#size += samples.length - known.length;
    if (this.#size > MAX_TOTAL) this.#forgetOldest();
  }

  /** Samples of the hours that overlap a span, at most `most`. */
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

/** A number from 0 to 1, from a hash of the text (FNV-1a). */
function drawOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  // The last characters only affected the low bits: mix them.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  return ((hash ^ (hash >>> 12)) >>> 0) / 2 ** 32;
}
