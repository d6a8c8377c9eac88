/** Who reads from a server: until its deadline or its abort, and as fast as the limit on the server's load allows. */
import { AbandonedError, StoreUnreachableError } from "../../errors.ts";
import type { ServerUse } from "./use.ts";

export class Requester {
  readonly #location: string;
  readonly #deadline: number | null;
  readonly #signal: AbortSignal | undefined;

  /**
   * @param deadline time on the monotonic clock in milliseconds after which no command is sent; null for none.
   * @param signal no command is sent after it aborts.
   */
  constructor(location: string, deadline: number | null, signal?: AbortSignal) {
    this.#location = location;
    this.#deadline = deadline;
    this.#signal = signal;
  }

  /** Walks without a requester go on in the background. */
  get inBackground(): boolean {
    return this.#deadline === null;
  }

  /** Milliseconds until the deadline; null for none. */
  get remaining(): number | null {
    return this.#deadline === null ? null : this.#deadline - performance.now();
  }

  /** Waits for a shared promise until the deadline or the abort. @throws StoreUnreachableError, AbandonedError then. */
  async inTime<T>(shared: Promise<T>): Promise<T> {
    const { remaining } = this;
    const signal = this.#signal;
    if (remaining === null && signal === undefined) return shared;
    let timer: NodeJS.Timeout | undefined;
    let leave: () => void = () => undefined;
    const over = new Promise<never>((_, reject) => {
      leave = () => reject(new AbandonedError());
      if (signal?.aborted) leave();
      signal?.addEventListener("abort", leave, { once: true });
      if (remaining !== null) timer = setTimeout(() => reject(this.#timeoutError()), Math.max(0, remaining));
    });
    try {
      return await Promise.race([shared, over]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Sends commands once the limit allows it (`ServerUse`). */
  async send<T>(use: ServerUse | null, commands: number, send: () => Promise<T>): Promise<T> {
    this.#assertActive();
    if (use !== null) {
      try {
        await this.sleep(use.reserve(commands));
      } catch (error) {
        use.release(commands);
        throw error;
      }
    }
    return this.inTime(send());
  }

  async sleep(ms: number): Promise<void> {
    if (ms <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    try {
      await this.inTime(
        new Promise((resolve) => {
          timer = setTimeout(resolve, ms);
        }),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  #assertActive(): void {
    if (this.#signal?.aborted) throw new AbandonedError();
    if (this.#deadline !== null && performance.now() >= this.#deadline) throw this.#timeoutError();
  }

  #timeoutError(): StoreUnreachableError {
    return new StoreUnreachableError(
      "timeout",
      `Reading from ${this.#location} took too long.`,
      "Narrow the filter, or try again: what was found so far is kept.",
    );
  }
}
