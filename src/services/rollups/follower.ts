/**
 * Folds an app's history into a rollup: new entries as they arrive, and the past from the newest entry to the oldest, so that recent hours are complete
 * first.
 */
import { historiesInOrder, inOrder } from "../../pynenc/life.ts";
import type { HistoryRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, MICROSECOND } from "../../pynenc/time.ts";
import { Arrivals } from "../../rollups/arrivals.ts";
import { HOUR, hoursUntil, MINUTE, type TimeSpan } from "../../rollups/buckets.ts";
import { entriesBetween, type Figures, figuresBy } from "../../rollups/figures.ts";
import { DISORDER, HistoryCheck, readSince, rowsIn, takeFrom } from "../../rollups/history-check.ts";
import type { Reach, RequestedSpan } from "../../rollups/reads.ts";
import { type FailureCause, Rollup, type SavedRollup } from "../../rollups/rollup.ts";
import type { Cursor } from "../../stores/ports/common.ts";
import type { HistoryStretch, PrintedHistory } from "../../stores/ports/state-backend.ts";
import type { AppReads, AppStore } from "../../stores/ports/store.ts";
import { exceptionLines, failureCause, MESSAGE_READ } from "../model/invocation-rows.ts";
import { signsOfLife } from "../model/signs-of-life.ts";

/** Entries read per snapshot, which takes tens of milliseconds. */
const STRETCH = 4_000;

/** Histories read per call, and the limit of entries that the call returns. */
const HISTORIES = 500;
const ENTRIES = 50_000;

/** Invocations whose task is cached, because unfinished ones recur. */
const TASKS_CACHED = 20_000;

/** Number of the latest minutes searched for late entries. */
const LATE_MINUTES = 120;

/** Minimum seconds between two full recounts, because the clock of a host may stay wrong. */
const COUNT_AGAIN = 3_600;

/**
 * Whether what was counted is still what is stored is checked all the time, from the newest entry to the oldest, then again: deleted, restored and
 * rewritten rows leave the ends of the history unchanged. Seconds between two stretches, and before the check starts over. After a slow stretch, the
 * pause is this many times as long.
 */
const CHECK_PAUSE = 6;
const NEXT_CHECK = 60;
const CHECK_PAUSE_FACTOR = 100;

/** Seconds for which the rollup counts as current after the last check: a few polls. */
const CURRENT = 10;

/** A check of what was counted, how far it has read, and what `stateOf` gave before it began. */
interface Check {
  rows: HistoryCheck;
  cursor: Cursor;
  state: string | null;
}

/** A folded history, of which nothing old is missing, and the cursor to continue from. */
export interface SavedFold {
  rollup: SavedRollup;
  front: Cursor;
  newest: EpochSeconds;
  /** When the first entry of the full history was written. */
  first: EpochSeconds;
  /** What `stateOf` gave both before and after all of it was read or compared; null if it has changed in between, or is not known. */
  state: string | null;
}

export class Follower {
  readonly #store: AppStore;
  readonly #now: () => EpochSeconds;
  #rollup = new Rollup();
  /** Entries written since the follower first caught up. Entries missing in a saved fold count as past. */
  readonly arrivals = new Arrivals();
  #arriving = false;
  /** After a purge, all stored entries that were not read yet are new arrivals. */
  #arrivedBefore = false;
  /** Cursor after the newest folded entry; null until the first step. */
  #front: Cursor | null = null;
  /** Cursor before the oldest folded entry; null if there is nothing before it. */
  #back: Cursor | null = null;
  #since: EpochSeconds | null = Number.POSITIVE_INFINITY;
  /** When the oldest row was written that was read back to, and whether there is a newer one before it in the order of storage. */
  #lowest: EpochSeconds = Number.POSITIVE_INFINITY;
  #disordered = false;
  /** Time of the newest entry. */
  #newest: EpochSeconds = Number.NEGATIVE_INFINITY;
  /** When the first entry of the history was written, as of the start of reading; null if there was none. */
  #first: EpochSeconds | null = null;
  #caughtUp = false;
  /** When all new entries had last been folded; null until then. */
  #caughtUpAt: EpochSeconds | null = null;
  #purgedAt: EpochSeconds | null = null;
  /** Some late entries were not found in the latest minutes: recount everything after the full history has been read. */
  #countAgain = false;
  #countedAgainAt: EpochSeconds = Number.NEGATIVE_INFINITY;
  /** The check that is under way; null before the next one. */
  #check: Check | null = null;
  #nextCheck: EpochSeconds = Number.NEGATIVE_INFINITY;
  /** What was counted is from an earlier run, and the first check has not been completed. */
  #resumed = false;
  /** Hours since the epoch that were compared before their turn, and have the rows that were counted. */
  readonly #matching = new Set<number>();
  /** What `stateOf` gave before all that is counted was read or compared last. */
  #state: string | null = null;
  /** How often counting has begun. */
  #begun = 0;
  /** Entries that arrived late and are not counted yet. */
  #late = 0;
  readonly #tasks = new Map<string, string | null>();

  readonly #stretch: number;
  readonly #stateOf: () => string | null;

  /**
   * @param stretch entries read per snapshot.
   * @param stateOf see `storedState`; by default nothing is known.
   */
  constructor(store: AppStore, now: () => EpochSeconds, stretch = STRETCH, stateOf: () => string | null = () => null) {
    this.#store = store;
    this.#now = now;
    this.#stretch = stretch;
    this.#stateOf = stateOf;
  }

  /**
   * Continues from a saved fold if it seems to belong to the stored history, that is, if the newest folded entry and the first entry of the history are
   * unchanged. What is between them is compared by the next steps, and out of reach until then, unless nothing at all has been written since.
   *
   * @returns whether it does; otherwise the follower is unchanged; also if the fold has hours where this one would have minutes.
   * @throws StoreUnreachableError
   */
  async resume({ rollup, front, newest, first, state }: SavedFold): Promise<boolean> {
    let restored: Rollup;
    try {
      if (rollup.buckets.hoursUntil > hoursUntil(Math.min(newest, this.#now()))) return false;
      restored = new Rollup(rollup);
    } catch {
      // No follower saved that.
      return false;
    }
    const unchanged = state !== null && this.#stateOf() === state;
    return this.#store.read(async (reads) => {
      const { lost } = await reads.state_backend.historyFrom(front, "newer", 1);
      if (lost || (await reads.state_backend.historySpan())?.first !== first) return false;
      this.#rollup = restored;
      this.#front = front;
      this.#newest = newest;
      this.#first = first;
      this.#resumed = !unchanged;
      this.#state = unchanged ? state : null;
      if (unchanged) this.#nextCheck = this.#now() + NEXT_CHECK;
      return true;
    });
  }

  /** Identifies what has been folded. It changes with every step that folds something, or finds out as of which state of the store that was. */
  get foldedRange(): string {
    return `${this.#begun} ${this.#front} ${this.#back} ${this.#state}`;
  }

  /**
   * For `resume`; null if not everything is folded, or if the fold does not match the stored history. Of a part it could not be checked later whether it
   * still matches, because its entries may depend on rows before it.
   */
  saved(): SavedFold | null {
    const [front, first] = [this.#front, this.#first];
    const uncounted = this.#countAgain || this.#late > 0;
    const differs = this.#purgedAt !== null || uncounted || this.#newest === Number.NEGATIVE_INFINITY;
    if (front === null || first === null || this.#back !== null || differs) return null;
    const state = this.#stateOf() === this.#state ? this.#state : null;
    return { rollup: this.#rollup.saved(), front, newest: this.#newest, first, state };
  }

  get rollup(): Rollup {
    return this.#rollup;
  }

  get reach(): Reach {
    // Late entries that were not found may belong anywhere.
    const whole = this.#front !== null && this.#back === null && !this.#countAgain && !this.#resumed;
    const checking = this.#resumed && !this.#countAgain;
    const compared = checking ? (this.#check?.rows.since ?? null) : this.#since;
    const read = this.#countAgain ? null : compared;
    // Infinite before the first entry, and in the future while the present hour has not been compared.
    const since = read !== null && read > Math.max(this.#now(), this.#newest + MICROSECOND) ? null : read;
    const until = this.#now() <= this.currentUntil ? Number.POSITIVE_INFINITY : this.#caughtUpAt;
    return {
      since,
      whole,
      until,
      purged_at: this.#purgedAt,
      checking,
    };
  }

  /** Until when the fold counts as current unless a later look at the store extends it; 0 if new entries may be unread. */
  get currentUntil(): EpochSeconds {
    return this.#caughtUp && this.#caughtUpAt !== null ? this.#caughtUpAt + CURRENT : 0;
  }

  /** Call this if the store has not changed since the last step. */
  confirm(): void {
    if (this.#caughtUp) this.#caughtUpAt = this.#now();
  }

  /** All entries that existed at the last step and are newer than its start are folded. */
  get caughtUp(): boolean {
    return this.#caughtUp;
  }

  /** The next step should continue the check of what was counted, even if nothing new was written. */
  get isCheckDue(): boolean {
    // After a purge, the counted entries are known to be gone.
    return this.#back === null && this.#purgedAt === null && !this.#countAgain && this.#now() >= this.#nextCheck;
  }

  /** All that a question needs is folded and compared. */
  answers({ whole = false, ...span }: RequestedSpan): boolean {
    return this.#caughtUp && (whole ? this.reach.whole : this.covers(this.#rollup.buckets.aligned(span)));
  }

  /** All entries of a span are folded, and those of an earlier run were compared with what is stored, with all rows that their counts depend on. */
  covers(span: TimeSpan): boolean {
    const { since, whole, checking } = this.reach;
    if (whole || (since !== null && since <= span.from)) return true;
    return checking && this.#check !== null && this.#unmatched(this.#check.rows, span) === null;
  }

  /**
   * Reads one batch of new entries, otherwise one of old entries, after those of an earlier run have been checked.
   *
   * @param wanted entries of an earlier run that are checked first; by default from the newest to the oldest.
   * @returns whether there is more to read.
   * @throws StoreUnreachableError
   */
  async step(wanted?: TimeSpan): Promise<boolean> {
    // As of before the snapshot, so that a write in between is not taken for an earlier one.
    const state = this.#stateOf();
    return this.#store.read(async (reads) => {
      if (this.#front === null) await this.#start(reads, state);
      const newer = await reads.state_backend.historyFrom(this.#front ?? "", "newer", this.#stretch);
      if (newer.lost) {
        await this.#restart(reads, state);
        return true;
      }
      await this.#fold(reads, newer, { arriving: this.#arriving, newer: true });
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
      if (this.#back === null && this.#countAgain && this.#now() - this.#countedAgainAt >= COUNT_AGAIN) {
        this.#countedAgainAt = this.#now();
        this.#rollup = new Rollup();
        this.#purgedAt = null;
        this.#arrivedBefore = false;
        await this.#start(reads, state);
      }
      if (this.#resumed) {
        const hour = wanted === undefined ? null : this.#hourBeforeItsTurn(this.#checked(state).rows, wanted);
        if (hour === null) await this.#checkStretch(reads, state);
        else await this.#checkHour(reads, hour);
        return true;
      }
      if (this.#back === null) {
        if (this.isCheckDue) await this.#checkStretch(reads, state);
        return false;
      }
      await this.#foldOlder(reads, await reads.state_backend.historyFrom(this.#back, "older", this.#stretch));
      return this.#back !== null;
    });
  }

  /** @param state what `stateOf` gave before the snapshot. */
  async #start(reads: AppReads, state: string | null): Promise<void> {
    // Both before anything is changed: either may fail.
    const [front, span] = [await reads.state_backend.historyEnd(), await reads.state_backend.historySpan()];
    this.#front = front;
    this.#first = span?.first ?? null;
    this.#back = front;
    this.#state = state;
    this.#since = Number.POSITIVE_INFINITY;
    this.#lowest = Number.POSITIVE_INFINITY;
    this.#disordered = false;
    this.#late = 0;
    this.#countAgain = false;
    this.#check = null;
    this.#resumed = false;
    this.#matching.clear();
    this.#begun++;
  }

  /** The check that is under way, or a new one. All new entries have been folded. */
  #checked(state: string | null): Check {
    this.#check ??= { rows: new HistoryCheck(this.#rollup), cursor: this.#front ?? "", state };
    return this.#check;
  }

  /** Compares one stretch of what was counted with what is stored. */
  async #checkStretch(reads: AppReads, state: string | null): Promise<void> {
    const begun = performance.now();
    const check = this.#checked(state);
    const { rows } = check;
    const { prints, cursor, exhausted: last } = await reads.state_backend.printsBefore(check.cursor, this.#stretch);
    rows.take(prints, last);
    check.cursor = cursor;
    this.#countAgain ||= rows.differs;
    if (last || rows.differs) this.#check = null;
    if (last && !rows.differs) {
      this.#resumed = false;
      this.#state = check.state;
    }
    const took = (performance.now() - begun) / 1_000;
    this.#nextCheck = this.#now() + Math.max(last ? NEXT_CHECK : CHECK_PAUSE, took * CHECK_PAUSE_FACTOR);
  }

  /** The newest hour that the counts of a span depend on and that has not been compared; null if there is none. */
  #unmatched(rows: HistoryCheck, span: TimeSpan): number | null {
    const { from, to } = rows.dependsOn({ ...span, to: Math.min(span.to, Math.max(this.#newest, this.#now())) });
    const matching = rows.matching ?? Number.POSITIVE_INFINITY;
    for (let hour = Math.min(to, matching) / HOUR - 1; hour * HOUR >= from; hour--) {
      if (!this.#matching.has(hour)) return hour;
    }
    return null;
  }

  /** The next hour to compare for a span; null if it is about to be its turn, or there is none. New entries may arrive in the present hour. */
  #hourBeforeItsTurn(rows: HistoryCheck, span: TimeSpan): number | null {
    const turn = Math.min(rows.matching ?? Number.POSITIVE_INFINITY, this.#newest);
    return span.to + HOUR > turn ? null : this.#unmatched(rows, span);
  }

  /** Compares the rows of one hour. */
  async #checkHour(reads: AppReads, hour: number): Promise<void> {
    const span = { from: hour * HOUR, to: (hour + 1) * HOUR };
    const left = rowsIn(this.#rollup, span);
    const length = Math.max(1, Math.floor((HOUR * this.#stretch) / Math.max(left.rows, this.#stretch)));
    for (let { from } = span; from < span.to && left.rows >= 0; from += length) {
      const window = { from, to: Math.min(from + length, span.to) - MICROSECOND };
      takeFrom(left, await reads.state_backend.printsBetween(window, left.rows + 1));
    }
    if (left.rows === 0 && left.digest === 0) this.#matching.add(hour);
    else this.#countAgain = true;
  }

  /**
   * Handles a lost cursor. After a purge the counts are kept, because all stored entries are newer, unless nothing is left to check those of an earlier
   * run against. Otherwise the store was replaced.
   */
  async #restart(reads: AppReads, state: string | null): Promise<void> {
    const span = await reads.state_backend.historySpan();
    const counted = this.#newest > Number.NEGATIVE_INFINITY && !this.#resumed;
    if (counted && (span === null || span.first > this.#newest)) this.#purgedAt = this.#now();
    else {
      this.#rollup = new Rollup();
      this.#newest = Number.NEGATIVE_INFINITY;
      this.#purgedAt = null;
    }
    this.#arrivedBefore = this.#arriving && this.#purgedAt !== null;
    this.#tasks.clear();
    await this.#start(reads, state);
  }

  async #foldOlder(reads: AppReads, stretch: HistoryStretch): Promise<void> {
    const { prints, cursor, exhausted } = stretch;
    const times = prints.map(({ written_at }) => written_at);
    this.#disordered ||= times.some((time) => time > this.#lowest + DISORDER);
    this.#lowest = times.reduce((least, time) => Math.min(least, time), this.#lowest);
    await this.#fold(reads, stretch, { arriving: this.#arrivedBefore });
    this.#back = exhausted ? null : cursor;
    this.#arrivedBefore &&= !exhausted;
    this.#since = readSince(this.#since, times);
    if (exhausted) this.#nextCheck = this.#now() + NEXT_CHECK;
  }

  /** Recounts minutes that have more entries than were counted. */
  async #foldLate(reads: AppReads): Promise<void> {
    let missing = this.#late;
    // If a clock is ahead, entries from all other hosts appear late, but belong to the present.
    const last = Math.floor(Math.min(this.#newest, this.#now() + MINUTE) / MINUTE);
    for (let minute = last; minute > last - LATE_MINUTES && missing > 0; minute--) {
      const span = { from: minute * MINUTE, to: (minute + 1) * MINUTE };
      // Part of this minute has not been read yet and would be counted twice.
      if (this.#back !== null && span.from <= (this.#since ?? Number.POSITIVE_INFINITY)) break;
      const window = { from: span.from, to: span.to - MICROSECOND };
      const { entries: stored } = await reads.state_backend.countHistory(window);
      const counted = entriesBetween(this.#rollup, span);
      if (stored <= counted) continue;
      await this.#foldAgain(reads, await reads.state_backend.printedBetween(window, stored), span);
      missing -= stored - counted;
    }
    this.#late = 0;
    this.#countAgain ||= missing > 0;
  }

  /** Replaces the counts of a span by these entries. The additional ones have arrived late. */
  async #foldAgain(reads: AppReads, history: PrintedHistory, span: TimeSpan): Promise<void> {
    const [before, rows] = [tasksIn(this.#rollup, span), rowsIn(this.#rollup, span)];
    await this.#fold(reads, history, { instead: span });
    const shifted = this.#check?.rows.shift(span, rows, rowsIn(this.#rollup, span)) ?? true;
    if (!shifted) this.#check = null;
    if (!this.#arriving) return;
    for (const [task, figures] of tasksIn(this.#rollup, span)) {
      this.arrivals.addDifference(task, before.get(task), figures);
    }
  }

  /**
   * Counts entries, after reading everything needed for it.
   *
   * @param how `arriving`: they have just been written. `newer`: they are newer than all that were counted, as far as the store knows. `instead`: they
   * replace the counts of this span.
   */
  async #fold(
    reads: AppReads,
    { entries, prints }: PrintedHistory,
    { arriving = false, newer = false, instead }: { arriving?: boolean; newer?: boolean; instead?: TimeSpan },
  ): Promise<void> {
    if (prints.length === 0) return;
    const groups = historiesInOrder(entries);
    const old = Math.min(this.#newest, this.#now() - DISORDER);
    /** Invocations with entries that come late, as those do that were deleted and restored. */
    const late = new Set(newer ? entries.flatMap((one) => (one.written_at <= old ? one.invocation_id : [])) : []);
    // If the first one in the order of storage is not that of the registration, others are stored before it.
    const first = new Map(entries.toReversed().map((entry) => [entry.invocation_id, entry.status]));
    const begun = [...groups.keys()].filter((id) => first.get(id) !== "registered" || this.#disordered || late.has(id));
    const failed = [...groups].filter(([, group]) => group.some(({ status }) => status === "failed")).map(([id]) => id);
    const [tasks, histories, causes] = await Promise.all([
      this.#tasksOf(reads, [...groups.keys()]),
      fullHistories(reads, begun, groups, entries[0]?.written_at ?? 0),
      causesOf(reads, failed),
    ]);
    const recovered = [...groups].flatMap(([id, group]) =>
      group.some(({ status }) => status === "running_recovery") ? [histories.get(id) ?? group] : [],
    );
    const life = await signsOfLife(reads, recovered, null);
    for (const { written_at } of entries) this.#newest = Math.max(this.#newest, written_at);
    // An entry from a clock that is far ahead must not make present entries look old.
    this.#rollup.advance(Math.min(this.#newest, this.#now()));
    if (instead !== undefined) this.#rollup.drop(instead);
    this.#rollup.witness(prints);
    for (const [id, group] of groups) {
      const whole = histories.get(id);
      const task_id_key = tasks.get(id) ?? null;
      const fold = { task_id_key, history: whole ?? group, signs: life, cause: causes.get(id) ?? null };
      const signs = whole === undefined ? null : new Set(group.map(signOf));
      // What follows them was counted without them.
      if (late.has(id)) this.#countAgain ||= hasOthersAfter(fold.history, signs);
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
    // Cache only found tasks: a missing definition may be stored later.
    for (const [id, task] of found) this.#tasks.set(id, task);
    for (const id of this.#tasks.keys()) {
      if (this.#tasks.size <= TASKS_CACHED) break;
      this.#tasks.delete(id);
    }
    return tasks;
  }
}

function tasksIn(rollup: Rollup, span: TimeSpan): Map<string | null, Figures> {
  return figuresBy(rollup, span, (member) => (member.kind === "task" ? member.name : undefined));
}

/**
 * Histories of invocations that began before these entries: complete, or for very long ones, these entries and the last one before an instant.
 */
async function fullHistories(
  reads: AppReads,
  ids: readonly string[],
  groups: ReadonlyMap<string, readonly HistoryRecord[]>,
  before: EpochSeconds,
): Promise<ReadonlyMap<string, HistoryRecord[]>> {
  const whole = new Map<string, HistoryRecord[]>();
  for (let at = 0; at < ids.length; at += HISTORIES) {
    const some = ids.slice(at, at + HISTORIES);
    const stored = await reads.state_backend.historyOf(some, ENTRIES);
    // If entries were cut off, only the last entry before these is reliable.
    const cut = stored.length >= ENTRIES;
    const found = historiesInOrder(cut ? await reads.state_backend.lastEntriesBefore(some, before) : stored);
    for (const id of some) {
      const history = found.get(id) ?? [];
      const known = new Set(history.map(signOf));
      // Add the entries that this read did not return.
      const missing = (groups.get(id) ?? []).filter((entry) => !known.has(signOf(entry)));
      whole.set(id, missing.length === 0 ? history : inOrder([...history, ...missing]));
    }
  }
  return whole;
}

async function causesOf(reads: AppReads, ids: readonly string[]): Promise<ReadonlyMap<string, FailureCause>> {
  if (ids.length === 0) return new Map();
  const lines = await exceptionLines(reads, ids, MESSAGE_READ);
  return new Map([...lines].map(([id, line]) => [id, failureCause(line)]));
}

/** Whether other entries follow any of these. */
function hasOthersAfter(history: readonly HistoryRecord[], signs: ReadonlySet<string> | null): boolean {
  const others = history.map((entry) => signs?.has(signOf(entry)) === false);
  return others.lastIndexOf(true) > others.indexOf(false);
}

function signOf({ written_at, timestamp, status }: HistoryRecord): string {
  return `${written_at} ${timestamp} ${status}`;
}
