/** Slows down guessing: after a few wrong tries, an address has to wait longer and longer. */
import { isIPv6 } from "node:net";

/** Wrong tries without a wait, because people mistype. */
const FREE = 5;

/** The first wait in seconds, which doubles with each try, and the longest. */
const FIRST_WAIT = 1;
const LONGEST_WAIT = 60;

/** Seconds without a wrong try after which an address starts afresh. */
const FORGOTTEN = 900;

/** Maximum number of remembered addresses; those with the oldest tries are dropped first. */
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

  /** @param clock milliseconds of a monotonic clock. */
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
    // Re-inserted, so that the first entry of the map is the one with the oldest try.
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

/** One machine can use all IPv6 addresses of a /64 network. */
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
