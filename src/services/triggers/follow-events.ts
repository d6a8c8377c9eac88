/** `monitor events --follow`: prints each event once, as it is recorded. */
import type { EventRow } from "../../api/events.ts";
import { InvalidInputError } from "../../errors.ts";
import type { EventSummary } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { EventFilter, EventPosition } from "../../stores/ports/trigger.ts";
import { type FollowClock, type Followed, following, Seen } from "../app/following.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { eventRows } from "./events.ts";

/** Events written late, because of a slow clock, are found if they are at most this many seconds older than the newest one, and within this many events. */
const LATE_SECONDS = 120;
const LATE_EVENTS = 20_000;

/** How often to check for late events. */
const LATE_CHECK_MS = 10_000;

/** Events per read. */
const PAGE = 500;

/**
 * Events that match the filter from now on, oldest first. Whether an event met a condition or triggered something is reported as of the time it is
 * found, which may be before that happens.
 *
 * @throws InvalidInputError for a filter by time or by effects; StoreUnreachableError
 */
export function followEvents(
  app: OpenedApp,
  filter: EventFilter,
  clock: FollowClock,
): AsyncGenerator<Followed<EventRow>> {
  for (const parameter of ["from", "to", "matched", "triggered"] as const) {
    if (filter[parameter] === undefined) continue;
    const accepted = "not with --follow, which begins now and prints events as they are recorded";
    throw new InvalidInputError([{ parameter, value: String(filter[parameter]), accepted }]);
  }
  const events = new EventFollower(filter);
  const step = () =>
    app.store.read(async (reads) => ({ rows: await eventRows(reads, await events.next(reads)), notes: [] }));
  return following(app, clock, step, LATE_CHECK_MS);
}

class EventFollower {
  readonly #filter: EventFilter;
  readonly #seen = new Seen(2 * LATE_EVENTS);
  #newest: EpochSeconds = Number.NEGATIVE_INFINITY;
  #begun = false;
  #lateCheckedAt = Number.NEGATIVE_INFINITY;

  constructor(filter: EventFilter) {
    this.#filter = filter;
  }

  async next(reads: AppReads): Promise<EventSummary[]> {
    if (!this.#begun) {
      const [newest] = await reads.trigger.listEvents(this.#filter, { limit: 1, offset: 0 });
      this.#newest = newest?.timestamp ?? Number.NEGATIVE_INFINITY;
      await this.#unseen(reads, true);
      this.#begun = true;
      return [];
    }
    const look = performance.now() - this.#lateCheckedAt >= LATE_CHECK_MS;
    if (look) this.#lateCheckedAt = performance.now();
    return (await this.#unseen(reads, look)).toReversed();
  }

  /** Newest first. @param late continue beyond a full page that has nothing new. */
  async #unseen(reads: AppReads, late: boolean): Promise<EventSummary[]> {
    const found: EventSummary[] = [];
    const from = this.#newest === Number.NEGATIVE_INFINITY ? {} : { from: this.#newest - LATE_SECONDS };
    let after: EventPosition | undefined;
    for (let scanned = 0; scanned < LATE_EVENTS; scanned += PAGE) {
      const page = await reads.trigger.listEvents(
        { ...this.#filter, ...from },
        { limit: PAGE, offset: 0 },
        "newest",
        after,
      );
      const added = page.filter((event) => this.#seen.add(event.event_id));
      found.push(...added);
      after = page.at(-1);
      if (page.length < PAGE || (added.length === 0 && !late)) break;
    }
    const [newest] = found;
    if (newest !== undefined) this.#newest = Math.max(this.#newest, newest.timestamp);
    return found;
  }
}
