/** Bounds how many requests are answered at once, so that their time and memory do not grow with the number of clients. */
import { AbandonedError, TooBusyError } from "../errors.ts";

export interface TurnLimits {
  /** Answers being made at the same time. More would only wait for each other inside the store, each holding what it has read so far in memory. */
  atOnce: number;
  /** Requests in line for a turn, first come, first served. Further ones are refused. */
  inLine: number;
}

const LIMITS: TurnLimits = { atOnce: 6, inLine: 200 };

export class Turns {
  readonly #limits: TurnLimits;
  readonly #line: (() => void)[] = [];
  #taken = 0;

  constructor(limits: TurnLimits = LIMITS) {
    this.#limits = limits;
  }

  /** @throws TooBusyError if the line is full; AbandonedError if the client leaves while it is in line: then `work` is not called. */
  async take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#taken < this.#limits.atOnce) this.#taken++;
    else await this.#waitInLine(signal);
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      // The next request in line takes over this turn.
      if (next === undefined) this.#taken--;
      else next();
    }
  }

  #waitInLine(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(new AbandonedError());
    if (this.#line.length >= this.#limits.inLine) {
      const { atOnce, inLine } = this.#limits;
      return Promise.reject(
        new TooBusyError(`${atOnce} requests are being answered and ${inLine} are waiting; try again in a moment.`),
      );
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.splice(this.#line.indexOf(start), 1);
        reject(new AbandonedError());
      };
      const start = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#line.push(start);
    });
  }
}
