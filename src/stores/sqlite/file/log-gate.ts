/**
 * Lets a writer start SQLite's write-ahead log over. It can do so only while nobody reads from the log, so snapshots that overlap all the time make the
 * log grow without end, however short each of them is. The monitor never writes and never checkpoints: it only stays out of the way for a moment.
 */

/** Writers copy the log into the database by themselves from 4 MB on; one of this size could not be started over for a while. */
export const LARGE_LOG_BYTES = 8_000_000;

/** How long new snapshots are held back for those that run, at most. */
const DRAIN_MS = 1_000;

/** How long there is no snapshot then, at most: a writer has to copy the log and to begin another transaction. */
const QUIET_MS = 500;

/** Interval of checking whether that has happened. */
const LOOK_MS = 10;

/** Between two looks at the log while snapshots come and go. */
const REST_MS = 250;

/** Delay after a pause without effect: a snapshot took long, or there was no write. */
const REST_AFTER_FAILURE_MS = 5_000;

/** Every snapshot enters and leaves. */
export class LogGate {
  readonly #usedBytes: () => number;
  #inside = 0;
  /** While new snapshots are held back. */
  #closed: Promise<void> | null = null;
  #whenEmpty: (() => void) | null = null;
  #nextLook = Number.NEGATIVE_INFINITY;

  /** @param usedBytes of the log. */
  constructor(usedBytes: () => number) {
    this.#usedBytes = usedBytes;
  }

  /** Comes back when a snapshot may begin: at once, but for rare moments. `leave` has to follow. */
  async enter(): Promise<void> {
    if (this.#closed === null && this.#isDue()) {
      this.#closed = this.#stayOut().finally(() => {
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
    if (now < this.#nextLook) return false;
    this.#nextLook = now + REST_MS;
    return this.#isLarge();
  }

  #isLarge(): boolean {
    return this.#usedBytes() >= LARGE_LOG_BYTES;
  }

  async #stayOut(): Promise<void> {
    const startedOver = (await this.#emptied()) && (await this.#startedOver());
    this.#nextLook = performance.now() + (startedOver ? REST_MS : REST_AFTER_FAILURE_MS);
  }

  /** False when a snapshot takes too long to wait for. */
  #emptied(): Promise<boolean> {
    if (this.#inside === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (empty: boolean) => {
        clearTimeout(late);
        this.#whenEmpty = null;
        resolve(empty);
      };
      const late = setTimeout(() => settle(false), DRAIN_MS);
      this.#whenEmpty = () => settle(true);
    });
  }

  async #startedOver(): Promise<boolean> {
    for (let waited = 0; waited < QUIET_MS; waited += LOOK_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (!this.#isLarge()) return true;
    }
    return false;
  }
}
