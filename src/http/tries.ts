/** Slows down guessing: after a few wrong tries, an address has to wait longer and longer. */
import { isIP, isIPv6 } from "node:net";
import { isLoopback } from "../config/reachable-host.ts";

/** Wrong tries without a wait, because people mistype. */
const FREE = 5;

/** The first wait in seconds, which doubles with each try, and the longest. */
const FIRST_WAIT = 1;
const LONGEST_WAIT = 60;

/** Seconds without a wrong try after which an address starts afresh. */
const FORGOTTEN = 900;

/** Maximum number of remembered addresses; those with the oldest tries are dropped first. */
const ADDRESSES = 1_000;

export interface Tried {
  wrong: number;
  /** Made while the address had to wait. */
  ignored: number;
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

  /** Counts a try of an address that has to wait. */
  ignored(address: string): void {
    const tried = this.#tried.get(netOf(address));
    if (tried !== undefined) tried.ignored++;
  }

  /** Counts a wrong try. @returns all those of the address */
  wrong(address: string): Readonly<Tried> {
    const net = netOf(address);
    const now = this.#clock();
    const known = this.#tried.get(net);
    const fresh = known === undefined || now - known.last > FORGOTTEN * 1_000;
    const wrong = fresh ? 1 : known.wrong + 1;
    const wait = wrong <= FREE ? 0 : Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (wrong - FREE - 1));
    // Re-inserted, so that the first entry of the map is the one with the oldest try.
    this.#tried.delete(net);
    const tried = { wrong, ignored: fresh ? 0 : known.ignored, last: now, until: now + wait * 1_000 };
    this.#tried.set(net, tried);
    for (const oldest of this.#tried.keys()) {
      if (this.#tried.size <= ADDRESSES) break;
      this.#tried.delete(oldest);
    }
    return tried;
  }

  right(address: string): void {
    this.#tried.delete(netOf(address));
  }

  get size(): number {
    return this.#tried.size;
  }
}

/** One machine can use all IPv6 addresses of a /64 network, and all its loopback addresses. */
function netOf(address: string): string {
  const given = address.split("%")[0]?.toLowerCase() ?? "";
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(given)?.[1] ?? given;
  if (isIP(plain) !== 0 && isLoopback(plain)) return "loopback";
  if (!isIPv6(plain)) return plain;
  const [before = "", after = ""] = plain.split("::");
  const [first, last] = [before, after].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
  const zeros = plain.includes("::") ? Math.max(0, 8 - first.length - last.length) : 0;
  return [...first, ...Array.from({ length: zeros }, () => "0"), ...last].slice(0, 4).join(":");
}
