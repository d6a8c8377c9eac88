/**
 * Folds an app's history into a rollup: new entries as they arrive, and the past from the newest entry to the oldest, so that the last hour is
 * complete long before the first day is.
 */
import type { HistoryRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, MICROSECOND } from "../../pynenc/time.ts";
import { Arrivals } from "../../rollups/arrivals.ts";
import { HOUR, MINUTE, type TimeSpan } from "../../rollups/buckets.ts";
import { messageKind } from "../../rollups/failure-message.ts";
import { entriesBetween, type Figures, figuresBy } from "../../rollups/figures.ts";
import type { Reach } from "../../rollups/reads.ts";
import { type FailureCause, Rollup, type SavedRollup } from "../../rollups/rollup.ts";
import type { Cursor } from "../../stores/ports/common.ts";
import type { HistoryStretch } from "../../stores/ports/state-backend.ts";
import type { AppReads, AppStore } from "../../stores/ports/store.ts";
import { byStatusTime } from "../model/invocation-life.ts";
import { exceptionLines, MESSAGE_READ } from "../model/invocation-rows.ts";

/** Entries that are read in one snapshot: some tens of milliseconds. */
const STRETCH = 4_000;

/** Histories looked up in one call, and the most entries that call returns. */
const HISTORIES = 500;
const ENTRIES = 50_000;

/** Invocations whose task is cached: those that are not final come up again. */
const TASKS_REMEMBERED = 20_000;

/** Before 0.2.4, entries were written a little out of order (storage-format.md 0.2). */
const DISORDER = 30;
const DISORDERED_ENTRIES = 200;

/** How many of the latest minutes are searched for entries that arrived late. */
const LATE_MINUTES = 120;

/** Seconds between two counts of everything: the clock of a host may stay wrong. */
const COUNT_AGAIN = 3_600;

/**
 * Seconds between two looks whether entries are gone that were counted, which neither end of the history tells: each is at one hour, from the newest
 * to the oldest and over again. A look that takes long is followed by so many times longer a pause.
 */
const LOOK_FOR_GONE = 60;
const PAUSE_AFTER_LOOK = 100;
/** Hours without entries that are passed over at once. */
const EMPTY_HOURS = 1_000;

/** Seconds after which new entries may have been missed: a few polls. */
const CURRENT = 10;

/** What was folded of a history, and where to go on. */
export interface SavedFold {
  rollup: SavedRollup;
  front: Cursor;
  back: Cursor | null;
  since: EpochSeconds | null;
  newest: EpochSeconds;
  /** Of the whole history: when its first entry was written. */
  first: EpochSeconds;
}

export class Follower {
  readonly #store: AppStore;
  readonly #now: () => EpochSeconds;
  #rollup = new Rollup();
  /** What has been written since the first time that everything was read: what a saved fold lacks is of the past. */
  readonly arrivals = new Arrivals();
  #arriving = false;
  /** After a purge, what is stored and not read yet has all arrived since. */
  #arrivedBefore = false;
  /** Behind the newest entry that is folded; null until the first step. */
  #front: Cursor | null = null;
  /** Before the oldest; null when there is nothing before it. */
  #back: Cursor | null = null;
  #since: EpochSeconds | null = Number.POSITIVE_INFINITY;
  /** Time of the newest entry. */
  #newest: EpochSeconds = Number.NEGATIVE_INFINITY;
  /** When the first entry of the history was written, as of its beginning to be read; null where there was none. */
  #first: EpochSeconds | null = null;
  #caughtUp = false;
  /** When everything that was new had been folded; null until then. */
  #caughtUpAt: EpochSeconds | null = null;
  #purgedAt: EpochSeconds | null = null;
  /** Late entries were not found in the latest minutes: count everything again once the whole history has been read. */
  #countAgain = false;
  #countedAgainAt: EpochSeconds = Number.NEGATIVE_INFINITY;
  /** When to look next for entries that are gone, and at which hour since the epoch; null is the newest. */
  #nextLook: EpochSeconds = Number.NEGATIVE_INFINITY;
  #checkedHour: number | null = null;
  /** Entries that arrived late and are not counted yet. */
  #late = 0;
  readonly #tasks = new Map<string, string | null>();

  readonly #stretch: number;

  /** @param stretch entries that are read at once. */
  constructor(store: AppStore, now: () => EpochSeconds, stretch = STRETCH) {
    this.#store = store;
    this.#now = now;
    this.#stretch = stretch;
  }

  /**
   * Goes on from what was saved, if it was folded from the history that is stored now: the entry that was the newest is where it was, and the oldest
   * one too.
   *
   * @returns whether it does; otherwise nothing has changed.
   * @throws StoreUnreachableError
   */
  async resume({ rollup, front, back, since, newest, first }: SavedFold): Promise<boolean> {
    return this.#store.read(async (reads) => {
      const { lost } = await reads.state_backend.historyFrom(front, "newer", 1);
      if (lost || (await reads.state_backend.historySpan())?.first !== first) return false;
      this.#rollup = new Rollup(rollup);
      this.#front = front;
      this.#back = back;
      this.#since = since;
      this.#newest = newest;
      this.#first = first;
      return true;
    });
  }

  /** Which part of the history is folded: another text after every step that has folded something. */
  get foldedRange(): string {
    return `${this.#front} ${this.#back}`;
  }

  /** For `resume`; null while nothing is folded, and where what is folded is not what is stored. */
  saved(): SavedFold | null {
    const [front, first] = [this.#front, this.#first];
    const uncounted = this.#countAgain || this.#late > 0;
    const differs = this.#purgedAt !== null || uncounted || this.#newest === Number.NEGATIVE_INFINITY;
    if (front === null || first === null || differs) return null;
    const [back, since, newest] = [this.#back, this.#since, this.#newest];
    return { rollup: this.#rollup.saved(), front, back, since, newest, first };
  }

  get rollup(): Rollup {
    return this.#rollup;
  }

  get reach(): Reach {
    // Late entries that were not found may belong anywhere.
    const whole = this.#front !== null && this.#back === null && !this.#countAgain;
    const since = this.#since === Number.POSITIVE_INFINITY || this.#countAgain ? null : this.#since;
    const at = this.#caughtUpAt;
    const until = at !== null && this.#caughtUp && this.#now() - at <= CURRENT ? Number.POSITIVE_INFINITY : at;
    return { since, whole, until, purged_at: this.#purgedAt };
  }

  /** The store is as it was at the last step: nothing new was written since. */
  confirm(): void {
    if (this.#caughtUp) this.#caughtUpAt = this.#now();
  }

  /** Everything that was new at the last step is folded. */
  get caughtUp(): boolean {
    return this.#caughtUp;
  }

  /** The next step looks whether entries are gone, also where nothing new was written. */
  get isToLook(): boolean {
    // What was counted before a purge is gone, and known to be.
    return this.#back === null && this.#purgedAt === null && this.#now() >= this.#nextLook;
  }

  /** Everything since this instant is folded. */
  reaches(from: EpochSeconds): boolean {
    const { since, whole } = this.reach;
    return whole || (since !== null && since <= from);
  }

  /**
   * Reads one stretch of what is new, or else one of what is old.
   *
   * @returns whether there is more to read now.
   * @throws StoreUnreachableError
   */
  async step(): Promise<boolean> {
    return this.#store.read(async (reads) => {
      if (this.#front === null) await this.#begin(reads);
      const newer = await reads.state_backend.historyFrom(this.#front ?? "", "newer", this.#stretch);
      if (newer.lost) {
        await this.#beginAgain(reads);
        return true;
      }
      await this.#fold(reads, newer.entries, this.#arriving);
      this.#front = newer.cursor;
      if (this.#first === null && newer.entries.length > 0) {
        this.#first = (await reads.state_backend.historySpan())?.first ?? null;
      }
      this.#late += newer.late;
      if (this.#late > 0) await this.#foldLate(reads);
      this.#caughtUp = newer.exhausted;
      this.#arriving ||= newer.exhausted;
      this.confirm();
      if (!newer.exhausted) return true;
      await this.#lookForGone(reads);
      if (this.#back === null && this.#countAgain && this.#now() - this.#countedAgainAt >= COUNT_AGAIN) {
        this.#countedAgainAt = this.#now();
        this.#rollup = new Rollup();
        this.#purgedAt = null;
        this.#arrivedBefore = false;
        await this.#begin(reads);
      }
      if (this.#back === null) return false;
      await this.#foldOlder(reads, await reads.state_backend.historyFrom(this.#back, "older", this.#stretch));
      return this.#back !== null;
    });
  }

  async #begin(reads: AppReads): Promise<void> {
    this.#front = await reads.state_backend.historyEnd();
    this.#first = (await reads.state_backend.historySpan())?.first ?? null;
    this.#back = this.#front;
    this.#since = Number.POSITIVE_INFINITY;
    this.#late = 0;
    this.#countAgain = false;
  }

  /** Rows that somebody deleted in the midst of the history leave both of its ends as they are. */
  async #lookForGone(reads: AppReads): Promise<void> {
    if (!this.isToLook) return;
    const begun = performance.now();
    const span = this.#hourToLookAt();
    if (span !== null) {
      const { entries, exact } = await reads.state_backend.countHistory({ from: span.from, to: span.to - MICROSECOND });
      // More may be: entries are written while this is asked.
      this.#countAgain ||= exact && entries < entriesBetween(this.#rollup, span);
    }
    const took = (performance.now() - begun) / 1_000;
    this.#nextLook = this.#now() + Math.max(LOOK_FOR_GONE, took * PAUSE_AFTER_LOOK);
  }

  /** The next older hour in which something was counted; null when the newest one comes next. */
  #hourToLookAt(): TimeSpan | null {
    const oldest = Math.floor((this.#first ?? 0) / HOUR);
    let hour = this.#checkedHour ?? Math.floor(this.#newest / HOUR) + 1;
    for (let passed = 0; passed < EMPTY_HOURS && --hour >= oldest; passed++) {
      const span = { from: hour * HOUR, to: (hour + 1) * HOUR };
      if (entriesBetween(this.#rollup, span) === 0) continue;
      this.#checkedHour = hour;
      return span;
    }
    this.#checkedHour = hour >= oldest ? hour : null;
    return null;
  }

  /** After a purge the counts stay, since what is stored now came later. Otherwise the entries are those of another store. */
  async #beginAgain(reads: AppReads): Promise<void> {
    const span = await reads.state_backend.historySpan();
    if (this.#newest > Number.NEGATIVE_INFINITY && (span === null || span.first > this.#newest))
      this.#purgedAt = this.#now();
    else {
      this.#rollup = new Rollup();
      this.#newest = Number.NEGATIVE_INFINITY;
      this.#purgedAt = null;
    }
    this.#arrivedBefore = this.#arriving && this.#purgedAt !== null;
    this.#tasks.clear();
    await this.#begin(reads);
  }

  async #foldOlder(reads: AppReads, { entries, cursor, exhausted }: HistoryStretch): Promise<void> {
    await this.#fold(reads, entries, this.#arrivedBefore);
    this.#back = exhausted ? null : cursor;
    this.#arrivedBefore &&= !exhausted;
    const oldest = entries.slice(0, DISORDERED_ENTRIES).map((entry) => entry.written_at);
    const newest = entries.reduce((latest, entry) => Math.max(latest, entry.written_at), Number.NEGATIVE_INFINITY);
    // If entries are not in time order, nothing is known about the unread ones.
    if (this.#since !== null && newest > this.#since + DISORDER) this.#since = null;
    if (this.#since !== null && oldest.length > 0) this.#since = Math.max(...oldest);
  }

  /** Counts the minutes again that have more entries than were counted. */
  async #foldLate(reads: AppReads): Promise<void> {
    let missing = this.#late;
    // A clock that is ahead makes every other entry late: those are of the present.
    const last = Math.floor(Math.min(this.#newest, this.#now() + MINUTE) / MINUTE);
    for (let minute = last; minute > last - LATE_MINUTES && missing > 0; minute--) {
      const span = { from: minute * MINUTE, to: (minute + 1) * MINUTE };
      // Of this one a part is not read yet, and would be counted twice.
      if (this.#back !== null && span.from <= (this.#since ?? Number.POSITIVE_INFINITY)) break;
      const window = { from: span.from, to: span.to - MICROSECOND };
      const { entries: stored } = await reads.state_backend.countHistory(window);
      const counted = entriesBetween(this.#rollup, span);
      if (stored <= counted) continue;
      await this.#foldAgain(reads, await reads.state_backend.historyBetween(window, stored, "latest"), span);
      missing -= stored - counted;
    }
    this.#late = 0;
    this.#countAgain ||= missing > 0;
  }

  /** Counts these instead of what was counted in a span: what they have more has arrived late. */
  async #foldAgain(reads: AppReads, entries: readonly HistoryRecord[], span: TimeSpan): Promise<void> {
    const before = tasksIn(this.#rollup, span);
    await this.#fold(reads, entries, false, span);
    if (!this.#arriving) return;
    for (const [task, figures] of tasksIn(this.#rollup, span)) {
      this.arrivals.addDifference(task, before.get(task), figures);
    }
  }

  /**
   * Counts entries, after all that this needs has been read.
   *
   * @param arriving they have just been written.
   * @param instead of what was counted in this span.
   */
  async #fold(
    reads: AppReads,
    entries: readonly HistoryRecord[],
    arriving: boolean,
    instead?: TimeSpan,
  ): Promise<void> {
    if (entries.length === 0) return;
    const groups = byInvocation(entries);
    const begun = [...groups].filter(([, group]) => group[0]?.status !== "registered").map(([id]) => id);
    const failed = [...groups].filter(([, group]) => group.some(({ status }) => status === "failed")).map(([id]) => id);
    const [tasks, histories, causes] = await Promise.all([
      this.#tasksOf(reads, [...groups.keys()]),
      wholeHistories(reads, begun, groups, entries[0]?.written_at ?? 0),
      causesOf(reads, failed),
    ]);
    for (const { written_at } of entries) this.#newest = Math.max(this.#newest, written_at);
    // An entry written by a clock that is far ahead must not age the present.
    this.#rollup.advance(Math.min(this.#newest, this.#now()));
    if (instead !== undefined) this.#rollup.drop(instead);
    for (const [id, group] of groups) {
      const whole = histories.get(id);
      const task_id_key = tasks.get(id) ?? null;
      const fold = { task_id_key, history: whole ?? group, cause: causes.get(id) ?? null };
      const signs = whole === undefined ? null : new Set(group.map(signOf));
      this.#rollup.fold(
        fold,
        (entry) => signs === null || signs.has(signOf(entry)),
        (fact) => {
          if (arriving) this.arrivals.add(task_id_key, fact);
        },
      );
    }
  }

  async #tasksOf(reads: AppReads, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const unknown = ids.filter((id) => !this.#tasks.has(id));
    const definitions = unknown.length === 0 ? [] : await reads.state_backend.tasksOf(unknown);
    const found = new Map(definitions.map((row) => [row.invocation_id, row.task_id_key]));
    const tasks = new Map(ids.map((id) => [id, this.#tasks.get(id) ?? found.get(id) ?? null]));
    // An invocation whose definition is not stored yet may get one.
    for (const [id, task] of found) this.#tasks.set(id, task);
    for (const id of this.#tasks.keys()) {
      if (this.#tasks.size <= TASKS_REMEMBERED) break;
      this.#tasks.delete(id);
    }
    return tasks;
  }
}

function tasksIn(rollup: Rollup, span: TimeSpan): Map<string | null, Figures> {
  return figuresBy(rollup, span, (member) => (member.kind === "task" ? member.name : undefined));
}

/** Entries of each invocation, in the order in which their statuses were entered. */
function byInvocation(entries: readonly HistoryRecord[]): Map<string, HistoryRecord[]> {
  const groups = new Map<string, HistoryRecord[]>();
  for (const entry of entries) {
    const group = groups.get(entry.invocation_id);
    if (group === undefined) groups.set(entry.invocation_id, [entry]);
    else group.push(entry);
  }
  for (const [id, group] of groups) if (group.length > 1) groups.set(id, byStatusTime(group));
  return groups;
}

/**
 * The histories of invocations that began before these entries: whole, or of very long ones these entries and the last one before an instant.
 */
async function wholeHistories(
  reads: AppReads,
  ids: readonly string[],
  groups: ReadonlyMap<string, readonly HistoryRecord[]>,
  before: EpochSeconds,
): Promise<ReadonlyMap<string, HistoryRecord[]>> {
  const whole = new Map<string, HistoryRecord[]>();
  for (let at = 0; at < ids.length; at += HISTORIES) {
    const some = ids.slice(at, at + HISTORIES);
    const stored = await reads.state_backend.historyOf(some, ENTRIES);
    // Where entries are left out, what an entry follows is not known but for the last one.
    const cut = stored.length >= ENTRIES;
    const found = byInvocation(cut ? await reads.state_backend.lastEntriesBefore(some, before) : stored);
    for (const id of some) {
      const history = found.get(id) ?? [];
      const known = new Set(history.map(signOf));
      // What has been written since is there too.
      const missing = (groups.get(id) ?? []).filter((entry) => !known.has(signOf(entry)));
      whole.set(id, missing.length === 0 ? history : byStatusTime([...history, ...missing]));
    }
  }
  return whole;
}

async function causesOf(reads: AppReads, ids: readonly string[]): Promise<ReadonlyMap<string, FailureCause>> {
  if (ids.length === 0) return new Map();
  const lines = await exceptionLines(reads, ids, MESSAGE_READ);
  return new Map([...lines].map(([id, { type, message }]) => [id, { type, message: messageKind(message ?? "") }]));
}

function signOf({ written_at, timestamp, status }: HistoryRecord): string {
  return `${written_at} ${timestamp} ${status}`;
}
