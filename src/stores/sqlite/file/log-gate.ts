/**
 * Lets a writer restart SQLite's write-ahead log. It can do so only while no connection reads from the log, so constantly overlapping snapshots make the log
 * grow without limit, however short each is. The monitor never writes or checkpoints: it only pauses its reads for a moment.
 */

/** Writers checkpoint the log automatically from 4 MB on, so a log of this size could not be restarted for a while. */
export const LARGE_LOG_BYTES = 8_000_000;

/** Longest wait of new snapshots for running ones to end. A log that has grown since the last try is worth one for each `LARGE_LOG_BYTES` of it. */
const DRAIN_MS = 1_000;

/** A read takes at most 20 s, so a longer wait is of no use. */
const MOST_URGENT = 20;

/** Longest time without snapshots after that: a writer has to checkpoint the log and start another transaction. */
const QUIET_MS = 500;

/** Interval of the checks whether that has happened. */
const CHECK_MS = 10;

/** Interval of the checks of the log size during normal operation. */
const CHECK_INTERVAL_MS = 250;

/** Delay after a pause without effect, because a snapshot took long or there was no write. Shorter where the wait is longer. */
const RETRY_AFTER_FAILURE_MS = 5_000;

/** Every snapshot calls `enter` and `leave`. */
export class LogGate {
  readonly #usedBytes: () => number;
  #inside = 0;
  /** Set while new snapshots are held back. */
  #closed: Promise<void> | null = null;
  #whenEmpty: (() => void) | null = null;
  #nextCheck = Number.NEGATIVE_INFINITY;
  /** Size of the log at the last try. */
  #bytesBefore = Number.POSITIVE_INFINITY;

  /** @param usedBytes returns the used bytes of the log. */
  constructor(usedBytes: () => number) {
    this.#usedBytes = usedBytes;
  }

  /** Resolves when a snapshot may begin, nearly always at once. Must be followed by `leave`. */
  async enter(): Promise<void> {
    if (this.#closed === null && this.#isDue()) {
      this.#closed = this.#pauseReads().finally(() => {
        this.#closed = null;
      });
    }
    if (this.#closed !== null) await this.#closed;
    this.#inside++;
  }

  leave(): void {
    this.#inside--;
    if (this.#inside === 0) this.#whenEmpty?.();
  }

  #isDue(): boolean {
    const now = performance.now();
    if (now < this.#nextCheck) return false;
    this.#nextCheck = now + CHECK_INTERVAL_MS;
    return this.#isLarge();
  }

  #isLarge(): boolean {
    return this.#usedBytes() >= LARGE_LOG_BYTES;
  }

  async #pauseReads(): Promise<void> {
    const bytes = this.#usedBytes();
    // On a busy machine snapshots last longer, and the log grows until one of these waits is long enough.
    const urgency = bytes > this.#bytesBefore ? Math.min(MOST_URGENT, bytes / LARGE_LOG_BYTES) : 1;
    this.#bytesBefore = bytes;
    const restarted = (await this.#emptied(DRAIN_MS * urgency)) && (await this.#restarted());
    this.#nextCheck = performance.now() + (restarted ? CHECK_INTERVAL_MS : RETRY_AFTER_FAILURE_MS / urgency);
  }

  /** False if a running snapshot takes too long. */
  #emptied(patience: number): Promise<boolean> {
    if (this.#inside === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (empty: boolean) => {
        clearTimeout(late);
        this.#whenEmpty = null;
        resolve(empty);
      };
      const late = setTimeout(() => settle(false), patience);
      this.#whenEmpty = () => settle(true);
    });
  }

  async #restarted(): Promise<boolean> {
    for (let waited = 0; waited < QUIET_MS; waited += CHECK_MS) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
      if (!this.#isLarge()) return true;
    }
    return false;
  }
}
