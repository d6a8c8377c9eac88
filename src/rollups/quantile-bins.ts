/**
 * Bins of durations from which quantiles are read with a relative error of at most 1 %, however many durations were counted. The bounds of bins
 * grow by a constant factor, the mapping of logarithmic quantile sketches (DDSketch, 2019): two sets of bins are merged by adding their counts.
 */

/** Half of the relative width of a bin. */
export const RELATIVE_ERROR = 0.01;

const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GROWTH = Math.log(GROWTH);

/** Stored times have microseconds. Anything shorter, and what a clock that went back makes negative, is in the first bin. */
const SHORTEST = 1e-6;

/** The last bin begins beyond 200 days and holds everything longer. */
export const BINS = 1_536;

/** @param seconds of a duration. */
export function binOf(seconds: number): number {
  if (!(seconds > SHORTEST)) return 0;
  return Math.min(BINS - 1, Math.ceil(Math.log(seconds / SHORTEST) / LOG_GROWTH));
}

/** The duration in seconds that a bin represents: none in the bin differs from it by more than `RELATIVE_ERROR`. */
export function secondsOfBin(bin: number): number {
  return bin === 0 ? 0 : (SHORTEST * GROWTH ** bin * 2) / (GROWTH + 1);
}

/** Counts by bin. */
export class QuantileBins {
  readonly #counts = new Map<number, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(bin: number, count: number): void {
    this.#counts.set(bin, (this.#counts.get(bin) ?? 0) + count);
    this.#total += count;
  }

  /**
   * For each q the shortest duration in seconds that at least this share of all does not exceed (nearest rank); null where there is none.
   *
   * @param qs above 0, up to 1.
   */
  quantiles(qs: readonly number[]): (number | null)[] {
    const bins = this.filled();
    return qs.map((q) => {
      const rank = Math.ceil(q * this.#total);
      let upTo = 0;
      for (const { bin, count } of bins) {
        upTo += count;
        if (upTo >= rank) return secondsOfBin(bin);
      }
      return null;
    });
  }

  /** Bins that hold something, in ascending order. */
  filled(): { bin: number; count: number }[] {
    return [...this.#counts].map(([bin, count]) => ({ bin, count })).sort((a, b) => a.bin - b.bin);
  }
}
