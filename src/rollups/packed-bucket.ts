/**
 * The numbers of a bucket in few bytes. Most of them count something that happened once in a minute, and most keys are close to another: in
 * ascending order a key is its distance to the one before, and a count of one is not written.
 */
import { isCount } from "./slots.ts";

/** Bytes of a distance with its mark, and of a count, at most. */
const MOST_BYTES = 5 + 8;

const WHOLE = new Float64Array(1);
const BYTES_OF_WHOLE = new Uint8Array(WHOLE.buffer);

/** Where buckets are written before their length is known. */
let scratch = new Uint8Array(65_536);

/** @param numbers by key (slots.ts): counts are whole and not negative. */
export function packed(numbers: ReadonlyMap<number, number>): Uint8Array {
  if (scratch.length < numbers.size * MOST_BYTES) scratch = new Uint8Array(numbers.size * MOST_BYTES * 2);
  let at = 0;
  let before = 0;
  for (const key of Uint32Array.from(numbers.keys()).sort()) {
    const number = numbers.get(key) ?? 0;
    const once = number === 1 && isCount(key);
    at = putWhole(at, (key - before) * 2 + (once ? 0 : 1));
    before = key;
    if (once) continue;
    if (isCount(key)) at = putWhole(at, number);
    else {
      WHOLE[0] = number;
      scratch.set(BYTES_OF_WHOLE, at);
      at += BYTES_OF_WHOLE.length;
    }
  }
  return scratch.slice(0, at);
}

/** Calls `visit` for each number, in the order of their keys. */
export function eachPacked(bytes: Uint8Array, visit: (key: number, number: number) => void): void {
  let at = 0;
  let key = 0;
  /** Seven bits of each byte, the lowest first; the eighth says that there are more. */
  const whole = () => {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = bytes[at++] ?? 0;
      if (byte < 0x80) return value + byte * unit;
      value += (byte - 0x80) * unit;
      unit *= 0x80;
    }
  };
  while (at < bytes.length) {
    const step = whole();
    key += step >>> 1;
    if (step % 2 === 0) visit(key, 1);
    else if (isCount(key)) visit(key, whole());
    else {
      for (let i = 0; i < BYTES_OF_WHOLE.length; i++) BYTES_OF_WHOLE[i] = bytes[at + i] ?? 0;
      at += BYTES_OF_WHOLE.length;
      visit(key, WHOLE[0] ?? 0);
    }
  }
}

function putWhole(at: number, value: number): number {
  let left = value;
  let place = at;
  while (left >= 0x80) {
    scratch[place++] = (left % 0x80) + 0x80;
    left = Math.floor(left / 0x80);
  }
  scratch[place++] = left;
  return place;
}
