/** Shared by commands that print new rows until they are stopped. */
import type { OpenedApp } from "./opened-app.ts";

/** Interval for checking whether the store changed. */
const POLL_MS = 500;

/** What is new since the last step. */
export interface Followed<Row> {
  rows: Row[];
  /** Sentences about what may be missing. */
  notes: string[];
  /** There is more to read now. */
  more?: boolean;
}

export interface FollowClock {
  /** Milliseconds. It may return early. */
  sleep(milliseconds: number): Promise<void>;
  /** Aborted when following should stop. */
  readonly stopped: AbortSignal;
}

/**
 * Runs `step` at the start, whenever the store changed, and at least every `atLeastMs`, until it is stopped.
 *
 * @throws StoreUnreachableError
 */
export async function* following<Row>(
  app: OpenedApp,
  { sleep, stopped }: FollowClock,
  step: () => Promise<Followed<Row>>,
  atLeastMs = Number.POSITIVE_INFINITY,
): AsyncGenerator<Followed<Row>> {
  let token: string | null = null;
  let waited = 0;
  while (!stopped.aborted) {
    const current = await app.store.version();
    if (current !== token || waited >= atLeastMs) {
      token = current;
      waited = 0;
      let more = true;
      while (more && !stopped.aborted) {
        const found = await step();
        if (found.rows.length > 0 || found.notes.length > 0) yield found;
        more = found.more === true;
      }
    }
    await sleep(POLL_MS);
    waited += POLL_MS;
  }
}

/** A bounded set of recently seen keys. It drops the oldest ones. */
export class Seen {
  readonly #keys = new Set<string>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True if the key is new. */
  add(key: string): boolean {
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    if (this.#keys.size > this.#limit) {
      const [oldest] = this.#keys;
      if (oldest !== undefined) this.#keys.delete(oldest);
    }
    return true;
  }
}
