/**
 * Histogram bins of durations. Quantiles read from them have a relative error of at most 1 %, however many durations were counted. Bin bounds grow by
 * a constant factor, the mapping of logarithmic quantile sketches (DDSketch, 2019): two sets of bins are merged by adding their counts.
 */

/** Half of the relative width of a bin. */
export const RELATIVE_ERROR = 0.01;

const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GROWTH = Math.log(GROWTH);

/** Stored times have microseconds. Shorter durations, and negative ones caused by a clock set back, go into the first bin. */
const SHORTEST = 1e-6;

/** The last bin begins beyond 200 days and holds everything longer. */
export const BINS = 1_536;

/** @param seconds duration. */
export function binOf(seconds: number): number {
  if (!(seconds > SHORTEST)) return 0;
  return Math.min(BINS - 1, Math.ceil(Math.log(seconds / SHORTEST) / LOG_GROWTH));
}

/** The duration in seconds that represents a bin. It differs from any duration in the bin by at most `RELATIVE_ERROR`. */
export function secondsOfBin(bin: number): number {
  return bin === 0 ? 0 : (SHORTEST * GROWTH ** bin * 2) / (GROWTH + 1);
}

/** Counts by bin, and the longest duration. */
export class QuantileBins {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #longest = 0;

  get total(): number {
    return this.#total;
  }

  add(bin: number, count: number): void {
    this.#counts.set(bin, (this.#counts.get(bin) ?? 0) + count);
    this.#total += count;
  }

  /** Reports the longest of some durations that were added. @param seconds not negative. */
  reach(seconds: number): void {
    this.#longest = Math.max(this.#longest, seconds);
  }

  /** Exact; null if there are no durations. */
  get longest(): number | null {
    return this.#total === 0 ? null : this.#longest;
  }

  /**
   * For each q, the smallest duration in seconds that at least that share of all durations does not exceed (nearest rank); null if there are none. Where
   * that is the longest one, as the 95th percentile of fewer than 20, it is exact.
   *
   * @param qs greater than 0, at most 1.
   */
  quantiles(qs: readonly number[]): (number | null)[] {
    const bins = this.filled();
    return qs.map((q) => {
      const rank = Math.ceil(q * this.#total);
      if (rank === this.#total) return this.longest;
      let upTo = 0;
      for (const { bin, count } of bins) {
        upTo += count;
        if (upTo >= rank) return Math.min(secondsOfBin(bin), this.#longest);
      }
      return null;
    });
  }

  /** Non-empty bins, ascending. */
  filled(): { bin: number; count: number }[] {
    return [...this.#counts].map(([bin, count]) => ({ bin, count })).sort((a, b) => a.bin - b.bin);
  }
}
