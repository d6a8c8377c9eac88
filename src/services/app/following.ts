/** What commands share that print what is new for as long as they run. */
import type { OpenedApp } from "./opened-app.ts";

/** How often the store is asked whether it changed. */
const POLL_MS = 500;

/** What was found since the last time. */
export interface Followed<Row> {
  rows: Row[];
  /** Sentences about what may be missing. */
  notes: string[];
  /** There is more to read now. */
  more?: boolean;
}

export interface FollowClock {
  /** Milliseconds. It may end early. */
  sleep(milliseconds: number): Promise<void>;
  /** Nobody wants more. */
  readonly stopped: AbortSignal;
}

/**
 * Runs `step` at first and whenever the store changed, and at least so often, until somebody stops it.
 *
 * @param atLeastMs also where the store did not change
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

/** Keys of what was found lately, in the order of time as far as that goes: bounded by forgetting the oldest. */
export class Seen {
  readonly #keys = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether it is new. */
  add(key: string): boolean {
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    if (this.#keys.size > this.#most) {
      const [oldest] = this.#keys;
      if (oldest !== undefined) this.#keys.delete(oldest);
    }
    return true;
  }
}
