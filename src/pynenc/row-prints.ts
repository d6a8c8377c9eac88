/** Prints of stored rows: rows that were counted are compared by them with the rows that are stored later. */
import type { EpochSeconds } from "./time.ts";

/** A stored row without its content. */
export interface RowPrint {
  written_at: EpochSeconds;
  /** Differs, almost certainly, if any part of the row differs; an integer below `PRINTS`. */
  print: number;
}

/** The sum of two prints is an exact integer. */
export const PRINTS = 2 ** 52;

const TIME = new Float64Array(1);
const TIME_WORDS = new Uint32Array(TIME.buffer);

/** @param texts all columns of the row except its time. */
export function printOf(written_at: EpochSeconds, texts: readonly string[]): number {
  TIME[0] = written_at;
  let [low = 0, high = 0] = TIME_WORDS;
  for (const text of texts) {
    const { length } = text;
    low ^= length;
    // Eight characters at a time, in two numbers: a million invocations have gigabytes of history.
    let at = 0;
    for (; at + 8 <= length; at += 8) {
      low = mixed(low ^ fourCharacters(text, at));
      high = mixed(high ^ fourCharacters(text, at + 4));
    }
    for (; at < length; at++) low = mixed(low ^ text.charCodeAt(at));
  }
  low = mixed(low ^ (high >>> 16));
  high = mixed(high ^ (low >>> 13));
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}

function fourCharacters(text: string, at: number): number {
  return (
    text.charCodeAt(at) ^
    (text.charCodeAt(at + 1) << 8) ^
    (text.charCodeAt(at + 2) << 16) ^
    (text.charCodeAt(at + 3) << 24)
  );
}

/** A different number for each number. */
function mixed(number: number): number {
  const product = Math.imul(number, 0x9e3779b1);
  return product ^ (product >>> 15);
}
