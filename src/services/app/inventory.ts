/**
 * Which invocations an app has: those with a status in the orchestrator, and forgotten ones, of which only the definition is left. No index lists
 * the forgotten ones, so one pass scans all definitions, newest first and in small steps, and caches them. After that only two totals are compared, and
 * another pass is needed only if they do not add up.
 */
import { totalOf } from "../../pynenc/groups.ts";
import type { Cursor } from "../../stores/ports/common.ts";
import type { ForgottenStep } from "../../stores/ports/forgotten.ts";
import type { StatusFilter } from "../../stores/ports/orchestrator.ts";
import type { AppReads, AppStore } from "../../stores/ports/store.ts";
import { ForgottenColumns, type RegistrationPosition, Vocabulary } from "./forgotten-columns.ts";

export interface Inventory {
  /** Invocations with a status in the orchestrator, by status as stored. */
  kept: Readonly<Record<string, number>>;
  /** Definitions in the state backend. */
  defined: number;
  forgotten: Forgotten;
}

/** The known forgotten invocations, newest registration first. */
export class Forgotten {
  readonly #columns: ForgottenColumns;
  readonly #length: number;
  /** Every definition was checked. Otherwise there may be more, all of them registered before `reached`. */
  readonly complete: boolean;
  /** Definitions were checked back to this position in registration order. */
  readonly reached: number;

  constructor(columns: ForgottenColumns, complete: boolean, reached: number) {
    this.#columns = columns;
    this.#length = columns.length;
    this.complete = complete;
    this.reached = complete ? Number.NEGATIVE_INFINITY : reached;
  }

  get size(): number {
    return this.#length;
  }

  /** By task and last status. */
  shares(): { task_id_key: string; status: string; count: number }[] {
    return this.#columns.shares(this.#length);
  }

  matching(filter: StatusFilter): ForgottenMatches {
    return new ForgottenMatches(this.#columns, this.#columns.matching(filter, this.#length));
  }
}

/** Forgotten invocations that meet a filter, newest registration first. */
export class ForgottenMatches {
  readonly #columns: ForgottenColumns;
  readonly #positions: Uint32Array;

  constructor(columns: ForgottenColumns, positions: Uint32Array) {
    this.#columns = columns;
    this.#positions = positions;
  }

  get length(): number {
    return this.#positions.length;
  }

  /** At most `count` from a position on. */
  slice(from: number, count: number): RegistrationPosition[] {
    return [...this.#positions.subarray(from, from + count)].map((position) => ({
      invocation_id: this.#columns.idAt(position),
      order: this.#columns.orderAt(position),
    }));
  }

  /** Number of matches before this position. */
  positionOf(position: RegistrationPosition): number {
    const end = this.#columns.positionOf(position);
    let [low, high] = [0, this.#positions.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#positions[middle] ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Limits, in definitions. */
export interface InventoryLimits {
  /** Definitions read per step of a full pass, which takes about ten milliseconds. */
  step: number;
  /**
   * The latest registrations, which are checked again after every change: a definition is written moments before its status and would look
   * forgotten in between.
   */
  young: number;
  /** When there are more young ones than this, the older of them become settled. */
  most_young: number;
  /** Callers always wait for a pass over at most this many. */
  wait_up_to: number;
  /**
   * If there are more definitions than this, and exactly as many statuses, none is assumed to be forgotten: only purges of both components could
   * leave equal numbers of forgotten ones and of statuses without a definition.
   */
  trusted_above: number;
}

const INVENTORY_LIMITS: InventoryLimits = {
  step: 2_000,
  young: 500,
  most_young: 5_000,
  wait_up_to: 20_000,
  trusted_above: 20_000,
};

/** A figure that took longer than this is reused for ten times as long, even if the store changes. See versioned-memo.ts. */
const CHEAP_MS = 25;
const REUSE_FOR_COSTS = 10;

export interface InventoryOptions {
  /** Milliseconds a caller waits for a full pass; then the answer is what is known so far. */
  patience: number;
  /** Continue when no request waits. */
  background: boolean;
  /** Smaller in tests. */
  steps?: InventoryLimits;
}

interface Counts {
  kept: Readonly<Record<string, number>>;
  defined: number;
}

/** A pass over all definitions in progress. */
interface Pass {
  found: ForgottenColumns;
  after: Cursor | undefined;
  reached: number;
  scanned: number;
  /** Milliseconds that it has taken so far. */
  cost: number;
  /** Forgotten ones known before; after finding `missing` more the pass can end. */
  known: ForgottenColumns;
  missing: number;
  /** Definitions minus statuses when it began: if that changes, the pass may have missed something. */
  difference: number;
}

/** What is known about the definitions that are no longer young. */
interface Settled {
  columns: ForgottenColumns;
  /** Definitions from this position on are young. */
  youngFrom: number;
  /** The invocation at this position. If its definition is gone, positions started over after a purge. Null in a store without definitions. */
  anchor: string | null;
  /** Statuses without a definition: assumed not to change until the totals say otherwise. Null if not known. */
  orphans: number | null;
}

export class InventoryScanner {
  readonly #store: AppStore;
  readonly #options: InventoryOptions;
  readonly #steps: InventoryLimits;
  readonly #clock: () => number;
  readonly #vocabulary = new Vocabulary();
  readonly #none = new ForgottenColumns(this.#vocabulary);
  #inventory: Inventory | null = null;
  #settled: Settled | null = null;
  #pass: Pass | null = null;
  #working: Promise<void> | null = null;
  /** Called after each step. */
  #watching: (() => void)[] = [];
  #waitUntil = 0;
  #waitingForAll = 0;
  /** Number of counts so far. */
  #counts = 0;
  #token: string | null = null;
  #counted = { at: Number.NEGATIVE_INFINITY, cost: 0 };
  #passed = { at: Number.NEGATIVE_INFINITY, cost: 0 };
  #stopped = false;

  constructor(store: AppStore, options: InventoryOptions, clock: () => number = () => performance.now()) {
    this.#store = store;
    this.#options = options;
    this.#steps = options.steps ?? INVENTORY_LIMITS;
    this.#clock = clock;
  }

  /** What was published last; null before. */
  get known(): Inventory | null {
    return this.#inventory;
  }

  /** What is known after a short wait. Not inside `store.read`. @param version of the store */
  inventory(version?: Promise<string>): Promise<Inventory> {
    return this.#current(() => this.#isEnough(), version);
  }

  /**
   * Waits for a full pass, because exports and actions must not miss anything. During purges, no pass may be certain, so it waits for a few passes at
   * most. Not inside `store.read`.
   */
  async completeInventory(): Promise<Inventory> {
    this.#waitingForAll++;
    try {
      const token = await this.#store.version();
      const before = this.#counts;
      // A pass that is already running may have begun before the latest change of the store.
      const isAfter = () => this.#token === token || this.#counts > before;
      let inventory = await this.#current(() => false);
      for (let passes = 1; passes < 4 && !(inventory.forgotten.complete && isAfter()); passes++) {
        inventory = await this.#current(() => false);
      }
      return inventory;
    } finally {
      this.#waitingForAll--;
    }
  }

  async #current(isEnough: () => boolean, version = this.#store.version()): Promise<Inventory> {
    const token = await version;
    if (this.#working === null && (this.#pass !== null || this.#isStale(token))) {
      // Counted from the start of the pass: a page asks several times and must not wait for a long pass each time.
      this.#waitUntil = this.#clock() + this.#options.patience;
      this.#working = this.#work(token).finally(() => {
        this.#working = null;
      });
      // The error is for those who wait; there may be none left.
      this.#working.catch(() => undefined);
    }
    while (this.#working !== null && !isEnough()) {
      const stepped = new Promise<void>((resolve) => this.#watching.push(resolve));
      await Promise.race([this.#working, stepped]);
    }
    // The error of another caller, who received it.
    if (this.#inventory === null) return this.#current(isEnough);
    return this.#inventory;
  }

  /** Stops background work. */
  stop(): void {
    this.#stopped = true;
  }

  /** This process changed the store: drop the counts, even expensive ones. */
  expire(): void {
    this.#token = null;
    this.#counted.cost = 0;
    this.#passed.cost = 0;
  }

  #isStale(token: string): boolean {
    if (this.#inventory === null) return true;
    return token !== this.#token && (this.#isDue(this.#counted) || this.#waitingForAll > 0);
  }

  #isDue({ at, cost }: { at: number; cost: number }): boolean {
    return cost <= CHEAP_MS || this.#clock() - at >= cost * REUSE_FOR_COSTS;
  }

  /** Callers always wait for a pass over a small store, even on a busy machine. */
  #isEnough(): boolean {
    const scanned = this.#pass === null ? 0 : this.#pass.scanned;
    return scanned >= this.#steps.wait_up_to && this.#clock() >= this.#waitUntil;
  }

  async #work(token: string): Promise<void> {
    try {
      if (this.#pass === null) await this.#count(token);
      while (this.#pass !== null && !this.#stopped) {
        await this.#step(this.#pass);
        for (const stepped of this.#watching.splice(0)) stepped();
        if (!this.#options.background && this.#waitingForAll === 0 && this.#isEnough()) break;
      }
    } catch (error) {
      // When it can be read again, it may be a different store.
      this.#pass = null;
      this.#settled = null;
      this.#inventory = null;
      throw error;
    }
  }

  /** Counts, checks the latest registrations, and returns whether that explains the totals. */
  async #count(token: string): Promise<void> {
    const startedAt = this.#clock();
    this.#counts++;
    const { settled, counts, latest } = await this.#store.read(async (reads) => {
      const [settled, counts, newest] = await Promise.all([
        this.#stillSettled(reads),
        countsOf(reads),
        reads.forgotten.scan(this.#steps.young),
      ]);
      return { settled, counts, latest: await latestOf(reads, newest, settled?.youngFrom ?? null, this.#steps) };
    });
    this.#token = token;
    this.#counted = { at: this.#clock(), cost: this.#clock() - startedAt };
    const difference = counts.defined - keptOf(counts);
    if (settled === null) {
      if (difference === 0 && counts.defined > this.#steps.trusted_above) {
        this.#settled = { columns: this.#none, ...youngOf(latest), orphans: 0 };
        this.#publish(counts, ForgottenColumns.of(this.#vocabulary, latest.rows), null);
      } else this.#begin(counts, { known: this.#none, missing: Number.POSITIVE_INFINITY, difference }, latest);
      return;
    }
    const young = latest.rows.filter((row) => row.order >= settled.youngFrom);
    const known =
      young.length === 0 ? settled.columns : ForgottenColumns.of(this.#vocabulary, young).mergedWith(settled.columns);
    const expected = settled.orphans === null ? null : difference + settled.orphans;
    if (expected === known.length) {
      if (latest.scanned > this.#steps.most_young) {
        this.#settled = { ...settled, columns: known.before(latest.youngFrom), ...youngOf(latest) };
      }
      this.#publish(counts, known, null);
    } else if (!this.#isDue(this.#passed) && this.#waitingForAll === 0) {
      // Too soon for another pass: answer with what is known, and that there may be more.
      this.#token = null;
      this.#publish(counts, known, Number.POSITIVE_INFINITY);
    } else if (expected !== null && expected > known.length) {
      this.#begin(counts, { known, missing: expected - known.length, difference }, latest);
    } else this.#begin(counts, { known: this.#none, missing: Number.POSITIVE_INFINITY, difference }, latest);
  }

  /** Null if nothing is settled, or if the store was replaced by another one. */
  async #stillSettled(reads: AppReads): Promise<Settled | null> {
    const settled = this.#settled;
    if (settled === null || settled.anchor === null) return null;
    const { columns, anchor } = settled;
    const some = columns.length === 0 ? [] : [0, columns.length >>> 1, columns.length - 1];
    const orders = await reads.forgotten.orderOf([anchor, ...some.map((at) => columns.idAt(at))]);
    const isThere =
      orders[anchor] !== undefined && some.every((at) => orders[columns.idAt(at)] === columns.orderAt(at));
    return isThere ? settled : null;
  }

  #begin(counts: Counts, start: Pick<Pass, "known" | "missing" | "difference">, latest: Latest): void {
    const pass = {
      ...start,
      found: new ForgottenColumns(this.#vocabulary),
      after: undefined,
      reached: Number.POSITIVE_INFINITY,
      scanned: 0,
      cost: 0,
    };
    this.#settled = { columns: this.#none, ...youngOf(latest), orphans: null };
    this.#take(pass, latest);
    pass.scanned = latest.scanned;
    this.#publishPass(counts, pass);
    if (latest.next === null) this.#end(counts, pass, true);
    else this.#pass = pass;
  }

  async #step(pass: Pass): Promise<void> {
    const startedAt = this.#clock();
    const { ends, whole, counts, scanned } = await this.#store.read(async (reads) => {
      const step = await reads.forgotten.scan(this.#steps.step, pass.after);
      this.#take(pass, step);
      const ends = step.next === null || pass.missing <= 0;
      // A long pass must not hold up the totals.
      const counts = ends || this.#isDue(this.#counted) ? await this.#countedNow(reads) : null;
      return { ends, whole: step.next === null, counts, scanned: step.scanned };
    });
    pass.scanned += scanned;
    pass.cost += this.#clock() - startedAt;
    const known = counts ?? this.#inventory;
    if (ends && counts !== null) this.#end(counts, pass, whole);
    // Merging what was known before with what is new takes longer than a step.
    else if (known !== null) this.#publishPass(known, pass, pass.known.length === 0);
  }

  async #countedNow(reads: AppReads): Promise<Counts> {
    const startedAt = this.#clock();
    const counts = await countsOf(reads);
    this.#counted = { at: this.#clock(), cost: this.#clock() - startedAt };
    return counts;
  }

  #take(pass: Pass, step: Pick<ForgottenStep, "rows" | "next" | "reached">): void {
    for (const row of step.rows) {
      if (!pass.known.has(row)) pass.missing--;
      pass.found.push(row);
    }
    pass.after = step.next ?? undefined;
    pass.reached = step.reached;
  }

  /** @param whole every definition was checked, so earlier knowledge is replaced. */
  #end(counts: Counts, pass: Pass, whole: boolean): void {
    this.#pass = null;
    this.#passed = { at: this.#clock(), cost: pass.cost };
    const found = pass.found.sorted();
    const columns = whole ? found : found.mergedWith(pass.known);
    const difference = counts.defined - keptOf(counts);
    const quiet = difference === pass.difference;
    const young = {
      youngFrom: this.#settled?.youngFrom ?? Number.POSITIVE_INFINITY,
      anchor: this.#settled?.anchor ?? null,
    };
    this.#settled = {
      columns: columns.before(young.youngFrom),
      ...young,
      orphans: quiet ? columns.length - difference : null,
    };
    // Otherwise something was purged meanwhile, perhaps in the part already checked: the next caller starts another pass.
    if (!quiet) this.#token = null;
    this.#publish(counts, columns, quiet ? null : Number.POSITIVE_INFINITY);
  }

  /** @param anew false while what was published is still valid. */
  #publishPass(counts: Counts, pass: Pass, anew = true): void {
    if (!anew && this.#inventory !== null) {
      this.#inventory = { ...this.#inventory, ...counts, forgotten: this.#inventory.forgotten };
      return;
    }
    const columns = pass.known.length === 0 ? pass.found : pass.found.sorted().mergedWith(pass.known);
    this.#publish(counts, columns, pass.reached);
  }

  /** @param reached null if every definition was checked. */
  #publish({ kept, defined }: Counts, columns: ForgottenColumns, reached: number | null): void {
    this.#inventory = { kept, defined, forgotten: new Forgotten(columns, reached === null, reached ?? 0) };
  }
}

/** The latest registrations. */
interface Latest extends ForgottenStep {
  /** Position of the oldest one that counts as young from now on. */
  youngFrom: number;
  /** Its invocation. */
  anchor: string | null;
}

function youngOf({ youngFrom, anchor }: Latest): Pick<Settled, "youngFrom" | "anchor"> {
  return { youngFrom, anchor };
}

/**
 * @param first the newest of them.
 * @param back where the young ones began so far: every definition from there on is checked.
 */
async function latestOf(
  reads: AppReads,
  first: ForgottenStep,
  back: number | null,
  { step: size }: InventoryLimits,
): Promise<Latest> {
  const latest = { ...first, rows: [...first.rows], youngFrom: first.reached, anchor: first.last };
  while (back !== null && latest.next !== null && latest.reached > back) {
    const step = await reads.forgotten.scan(size, latest.next);
    latest.rows.push(...step.rows);
    latest.scanned += step.scanned;
    latest.next = step.next;
    latest.reached = step.reached;
  }
  return latest;
}

async function countsOf(reads: AppReads): Promise<Counts> {
  const [kept, defined] = await Promise.all([reads.orchestrator.countByStatus(), reads.state_backend.countDefined()]);
  return { kept, defined };
}

function keptOf({ kept }: Counts): number {
  return totalOf(kept);
}
