/** Waits for the answers of one server: those that are late fail, and all of them if the server turns out to hang. */
import { StoreUnreachableError } from "../../errors.ts";

/** An answer that takes longer than this triggers a check whether the server is hung. */
const HANG_CHECK_AFTER_MS = 2_000;

/** Timeout of that check. With the time before it, users see the error within three seconds. */
export const HANG_CHECK_TIMEOUT_MS = 600;

/** How long a hung server is not retried, because one page sends several commands. */
const HUNG_RETRY_MS = 300;

export class AnswerWatch {
  readonly #location: string;
  readonly #check: () => Promise<boolean>;
  /** The hang check in progress, shared by all callers. */
  #checking: Promise<boolean> | null = null;
  /** Closed for good: abandoned commands must not reopen a connection, or the process would not exit. */
  #closed: StoreUnreachableError | null = null;
  /** Set if the server was found hung; `until` is on the monotonic clock. */
  #hung: { until: number; error: StoreUnreachableError } | null = null;
  /** Rejects pending answers. */
  readonly #pending = new Set<(error: Error) => void>();

  /** @param check whether the server responds to a second connection. */
  constructor(location: string, check: () => Promise<boolean>) {
    this.#location = location;
    this.#check = check;
  }

  /** Why no connection should be opened now, or null. */
  get refusal(): StoreUnreachableError | null {
    if (this.#closed !== null) return this.#closed;
    return this.#hung !== null && performance.now() < this.#hung.until ? this.#hung.error : null;
  }

  /**
   * @param seconds timeout; sooner if the server does not respond to a second connection either.
   * @param drop closes the connection, because its answer is not read any more.
   */
  async inTime<T>(answer: Promise<T>, seconds: number, drop: () => void): Promise<T> {
    let abort: (error: Error) => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = (error) => {
        reject(error);
        drop();
      };
    });
    const late = `${this.#location} did not answer within ${seconds} s.`;
    const timer = setTimeout(
      () => abort(new StoreUnreachableError("timeout", late, "Try again in a moment.")),
      seconds * 1000,
    );
    const hangCheck = setTimeout(async () => {
      // The answer may have arrived in the meantime.
      if ((await this.#isResponding()) || !this.#pending.has(abort)) return;
      const waited = (HANG_CHECK_AFTER_MS + HANG_CHECK_TIMEOUT_MS) / 1000;
      const error = new StoreUnreachableError(
        "timeout",
        `${this.#location} does not respond: no answer within ${waited} s, not even to a second connection.`,
        "It may be stopped, or busy with one long command. Try again in a moment.",
      );
      this.#hung = { until: performance.now() + HUNG_RETRY_MS, error };
      abort(error);
    }, HANG_CHECK_AFTER_MS);
    this.#pending.add(abort);
    try {
      return await Promise.race([answer, aborted]);
    } finally {
      clearTimeout(timer);
      clearTimeout(hangCheck);
      this.#pending.delete(abort);
    }
  }

  /** Fails what is pending: the server may never answer. */
  close(): void {
    this.#closed = new StoreUnreachableError("failed", `The connection to ${this.#location} was closed.`);
    for (const abort of this.#pending) abort(this.#closed);
  }

  #isResponding(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }
}
