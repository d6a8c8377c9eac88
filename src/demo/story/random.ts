import { createHash } from "node:crypto";

/**
 * A small seeded generator. The demo must write the same rows for the same seed and time, so nothing in this folder may use `Math.random` or the
 * system clock.
 */
export interface Random {
  /** A double in [0, 1). */
  next(): number;
  /** An integer, both ends inclusive. */
  int(low: number, high: number): number;
  /** A double in [low, high). */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** A UUID version 4, like pynenc's ids. */
  uuid(): string;
  /** A generator of its own for this name, always the same one: what is drawn from it does not depend on what else happened before. */
  of(name: string): Random;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Writers of one file share a seed but use separate streams, because equal random numbers would give equal ids. */
export type Stream = "story" | "live" | "bulk";

export function createRandom(seed: number, stream: Stream): Random {
  return generator(`shop ${seed} ${stream}`);
}

/** The sfc32 generator: fast, 128 bits of state, passes PractRand. */
function generator(name: string): Random {
  const start = createHash("sha256").update(name).digest();
  let [a = 0, b = 0, c = 0] = [0, 4, 8].map((at) => start.readInt32LE(at));
  let counter = 1;

  function bits(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
  const next = () => bits() / 2 ** 32;
  const int = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    int,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new RangeError("pick from an empty list");
      return items[int(0, items.length - 1)] as T;
    },
    uuid: () => uuidFromWords(bits(), bits(), bits(), bits()),
    of: (part) => generator(`${name}/${part}`),
  };
}

function uuidFromWords(w0: number, w1: number, w2: number, w3: number): string {
  const version = (w1 & 0xffff0fff) | 0x4000;
  const variant = (w2 & 0x3fffffff) | 0x80000000;
  return `${pair(w0 >>> 16)}${pair(w0)}-${pair(version >>> 16)}-${pair(version)}-${pair(variant >>> 16)}-${pair(variant)}${pair(w3 >>> 16)}${pair(w3)}`;
}

/** The low 16 bits as four hex digits. */
function pair(word: number): string {
  return `${HEX[(word >>> 8) & 0xff]}${HEX[word & 0xff]}`;
}
