/** Fingerprints of stored rows: rows that were counted are compared by them with the rows that are stored later. */
import type { EpochSeconds } from "./time.ts";

/** A stored row without its content. */
export interface RowPrint {
  written_at: EpochSeconds;
  /** Differs, almost certainly, if any part of the row differs; an integer below `PRINTS`. */
  print: number;
}

/** The sum of two prints is an exact integer. */
export const PRINTS = 2 ** 52;

/** @param text the whole row. */
export function printOf(text: string): number {
  const { length } = text;
  let low = length;
  let high = ~length;
  // Two characters at a time: a million invocations have gigabytes of history.
  for (let at = 0; at < length; at += 2) {
    // Beyond the end, NaN counts as 0.
    const pair = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    low = Math.imul(low ^ pair, 0x9e3779b1);
    low ^= low >>> 15;
    high = Math.imul(high ^ pair, 0x85ebca6b);
    high ^= high >>> 13;
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}
