/**
 * A compact encoding of the numbers of a bucket. Most of them count something that happened once in a minute, and most keys are close together: keys
 * are stored in ascending order as differences to the previous one, and a count of one is omitted.
 */
import { isCount } from "./slots.ts";

/** Maximum bytes of a key difference with its flag, and of a value. */
const MAX_BYTES = 5 + 8;

const DOUBLE = new Float64Array(1);
const BYTES_OF_DOUBLE = new Uint8Array(DOUBLE.buffer);

/** Packed buckets by their index, in one array: thousands of separate ones take long to read from a file. */
export interface JoinedBuckets {
  indexes: Float64Array;
  /** Where each of them ends. */
  ends: Float64Array;
  bytes: Uint8Array;
}

export function joined(buckets: ReadonlyMap<number, Uint8Array>): JoinedBuckets {
  let length = 0;
  const ends = Float64Array.from(buckets.values(), (bytes) => (length += bytes.length));
  const all = new Uint8Array(length);
  let begin = 0;
  for (const bytes of buckets.values()) {
    all.set(bytes, begin);
    begin += bytes.length;
  }
  return { indexes: Float64Array.from(buckets.keys()), ends, bytes: all };
}

export function separated({ indexes, ends, bytes }: JoinedBuckets): Map<number, Uint8Array> {
  // Copied, because it may be a part of what was read from a file.
  const own = bytes.slice();
  const buckets = new Map<number, Uint8Array>();
  for (const [n, index] of indexes.entries()) buckets.set(index, own.subarray(ends[n - 1] ?? 0, ends[n]));
  return buckets;
}

/** Buffer for writing buckets whose length is not known yet. */
let scratch = new Uint8Array(65_536);

/** @param numbers by key (slots.ts); counts are non-negative integers. */
export function packed(numbers: ReadonlyMap<number, number>): Uint8Array {
  if (scratch.length < numbers.size * MAX_BYTES) scratch = new Uint8Array(numbers.size * MAX_BYTES * 2);
  let at = 0;
  let before = 0;
  for (const key of sortedKeys(numbers)) {
    const number = numbers.get(key) ?? 0;
    const once = number === 1 && isCount(key);
    at = putInteger(at, (key - before) * 2 + (once ? 0 : 1));
    before = key;
    if (once) continue;
    if (isCount(key)) at = putInteger(at, number);
    else {
      DOUBLE[0] = number;
      scratch.set(BYTES_OF_DOUBLE, at);
      at += BYTES_OF_DOUBLE.length;
    }
  }
  return scratch.slice(0, at);
}

function sortedKeys(numbers: ReadonlyMap<number, number>): Uint32Array {
  const keys = new Uint32Array(numbers.size);
  let count = 0;
  for (const key of numbers.keys()) keys[count++] = key;
  return keys.sort();
}

/** Calls `visit` for each number, in key order. Pages over a week read millions: most differences and counts fit into one byte. */
export function eachPacked(bytes: Uint8Array, visit: (key: number, number: number) => void): void {
  const end = bytes.length;
  let at = 0;
  let key = 0;
  /** The rest of an integer after its first byte: seven bits per byte, lowest first; the eighth bit means that more follow. */
  const longInteger = (first: number) => {
    let value = first - 0x80;
    let unit = 0x80;
    for (;;) {
      const byte = bytes[at++] ?? 0;
      if (byte < 0x80) return value + byte * unit;
      value += (byte - 0x80) * unit;
      unit *= 0x80;
    }
  };
  while (at < end) {
    const first = bytes[at++] ?? 0;
    const step = first < 0x80 ? first : longInteger(first);
    key += step >>> 1;
    if ((step & 1) === 0) visit(key, 1);
    else if (isCount(key)) {
      const byte = bytes[at++] ?? 0;
      visit(key, byte < 0x80 ? byte : longInteger(byte));
    } else {
      for (let i = 0; i < BYTES_OF_DOUBLE.length; i++) BYTES_OF_DOUBLE[i] = bytes[at + i] ?? 0;
      at += BYTES_OF_DOUBLE.length;
      visit(key, DOUBLE[0] ?? 0);
    }
  }
}

function putInteger(at: number, value: number): number {
  let left = value;
  let offset = at;
  while (left >= 0x80) {
    scratch[offset++] = (left % 0x80) + 0x80;
    left = Math.floor(left / 0x80);
  }
  scratch[offset++] = left;
  return offset;
}
