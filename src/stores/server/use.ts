/** Counts and limits the load that all threads of this process put on one server, so that monitoring does not slow down the app that uses it. */

/** Limits per second. */
export interface UseLimits {
  commands: number;
  bytes: number;
}

/** Average per second over the last minute, or since the start if that was later. */
export interface UseRates {
  commands: number;
  bytes: number;
}

/** Allowed burst after a pause, in seconds' worth of the limit. */
const BURST_SECONDS = 2;

/** Seconds of history kept, and seconds that rates cover. */
const REMEMBERED = 64;
const MINUTE = 60;

const SECOND_US = 1_000_000;

/** Cells of the shared memory. */
const DEBTS = { commands: 0, bytes: 1 } as const;
type Kind = keyof typeof DEBTS;

export class ServerUse {
  readonly limits: UseLimits;
  /** Pass it to another thread to count and limit both together. */
  readonly shared: SharedArrayBuffer;
  /**
   * Time at which everything sent so far would have been sent at the allowed rate, in microseconds of the clock shared by all threads. In the past if
   * less was sent.
   */
  readonly #clearedAt: BigInt64Array;
  /** Ring buffers indexed by second modulo REMEMBERED: the second of each slot, and the counts within it. */
  readonly #seconds: Int32Array;
  readonly #counts: Readonly<Record<Kind, Int32Array>>;
  readonly #clock: () => number;
  readonly #startedAt: number;

  /** @param clock microseconds; the same clock in all threads. */
  constructor(limits: UseLimits, shared?: SharedArrayBuffer, clock: () => number = microseconds) {
    this.limits = limits;
    this.#clock = clock;
    const debts = 2 * BigInt64Array.BYTES_PER_ELEMENT;
    const column = REMEMBERED * Int32Array.BYTES_PER_ELEMENT;
    this.shared = shared ?? new SharedArrayBuffer(debts + 3 * column);
    this.#clearedAt = new BigInt64Array(this.shared, 0, 2);
    this.#seconds = new Int32Array(this.shared, debts, REMEMBERED);
    this.#counts = {
      commands: new Int32Array(this.shared, debts + column, REMEMBERED),
      bytes: new Int32Array(this.shared, debts + 2 * column, REMEMBERED),
    };
    this.#startedAt = clock();
  }

  /** Commands that may be sent at once. */
  get maxAtOnce(): number {
    return Math.max(1, Math.floor(this.limits.commands * BURST_SECONDS));
  }

  /** Reserves capacity for some commands. Returns the milliseconds to wait. */
  reserve(commands: number): number {
    // Bytes are only known after the replies arrive, so this waits for the debt of earlier replies.
    return Math.max(this.#addDebt("commands", commands), this.#addDebt("bytes", 0));
  }

  /** Returns unused capacity. */
  release(commands: number): void {
    this.#addDebt("commands", -commands);
  }

  /** Records sent commands and received bytes. Commands sent without a reservation delay those that reserve. */
  count({ commands, bytes, reserved }: { commands: number; bytes: number; reserved: number }): void {
    this.#addDebt("commands", commands - reserved);
    this.#addDebt("bytes", bytes);
    const slot = this.#slot();
    Atomics.add(this.#counts.commands, slot, commands);
    Atomics.add(this.#counts.bytes, slot, Math.min(bytes, 2 ** 30));
  }

  get rates(): UseRates {
    const now = this.#clock();
    const last = Math.floor(now / SECOND_US);
    const sum = { commands: 0, bytes: 0 };
    for (const [slot, second] of this.#seconds.entries()) {
      if (second <= last - MINUTE || second > last) continue;
      sum.commands += this.#counts.commands[slot] ?? 0;
      sum.bytes += this.#counts.bytes[slot] ?? 0;
    }
    const seconds = Math.min(MINUTE, Math.max(1, (now - this.#startedAt) / SECOND_US));
    return { commands: sum.commands / seconds, bytes: sum.bytes / seconds };
  }

  /** Adds to the debt. Returns the milliseconds until the rate limit allows more. */
  #addDebt(kind: Kind, amount: number): number {
    const cell = DEBTS[kind];
    const cost = BigInt(Math.round((amount * SECOND_US) / this.limits[kind]));
    const now = BigInt(Math.floor(this.#clock()));
    for (;;) {
      const clearedAt = Atomics.load(this.#clearedAt, cell);
      const next = (clearedAt > now ? clearedAt : now) + cost;
      if (Atomics.compareExchange(this.#clearedAt, cell, clearedAt, next) !== clearedAt) continue;
      return Math.max(0, Number(next - now) - BURST_SECONDS * SECOND_US) / 1000;
    }
  }

  #slot(): number {
    const second = Math.floor(this.#clock() / SECOND_US);
    const slot = second % REMEMBERED;
    const known = Atomics.load(this.#seconds, slot);
    if (known !== second && Atomics.compareExchange(this.#seconds, slot, known, second) === known) {
      for (const counts of Object.values(this.#counts)) Atomics.store(counts, slot, 0);
    }
    return slot;
  }
}

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
