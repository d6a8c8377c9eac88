/** Slows whoever guesses: after a few wrong tries, an address has to wait longer and longer. */
import { isIPv6 } from "node:net";

/** Wrong tries that cost nothing: people mistype. */
const FREE = 5;

/** Seconds of the first wait, which doubles, and of the longest. */
const FIRST_WAIT = 1;
const LONGEST_WAIT = 60;

/** Seconds without a wrong try after which an address begins anew. */
const FORGOTTEN = 900;

/** Addresses that are remembered; the ones that tried longest ago go first. */
const ADDRESSES = 1_000;

interface Tried {
  wrong: number;
  /** Milliseconds. */
  last: number;
  until: number;
}

export class Tries {
  readonly #clock: () => number;
  readonly #tried = new Map<string, Tried>();

  /** @param clock milliseconds that never go back. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Seconds until the address may try again; 0 if it may now. */
  waitOf(address: string): number {
    const tried = this.#tried.get(netOf(address));
    return tried === undefined ? 0 : Math.max(0, Math.ceil((tried.until - this.#clock()) / 1_000));
  }

  wrong(address: string): void {
    const net = netOf(address);
    const now = this.#clock();
    const known = this.#tried.get(net);
    const wrong = known === undefined || now - known.last > FORGOTTEN * 1_000 ? 1 : known.wrong + 1;
    const wait = wrong <= FREE ? 0 : Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (wrong - FREE - 1));
    // Set anew, so that the first one in the map is the one that tried longest ago.
    this.#tried.delete(net);
    this.#tried.set(net, { wrong, last: now, until: now + wait * 1_000 });
    for (const oldest of this.#tried.keys()) {
      if (this.#tried.size <= ADDRESSES) break;
      this.#tried.delete(oldest);
    }
  }

  right(address: string): void {
    this.#tried.delete(netOf(address));
  }

  get size(): number {
    return this.#tried.size;
  }
}

/** One machine has all IPv6 addresses of a network of 64 bits. */
function netOf(address: string): string {
  const plain = address.split("%")[0]?.toLowerCase() ?? "";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [before = "", after = ""] = plain.split("::");
  const [first, last] = [before, after].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
  const zeros = plain.includes("::") ? Math.max(0, 8 - first.length - last.length) : 0;
  return [...first, ...Array.from({ length: zeros }, () => "0"), ...last].slice(0, 4).join(":");
}
