/**
 * Which invocations an app has: those of which the orchestrator keeps a status, and those that it has forgotten while their definition stays. The
 * latter are told by no index of the store, so that they are looked for once, the latest registration first and in small steps, and
 * remembered. What changes afterwards is told by two totals: only when these do not add up is looked for more.
 */
import type { AppReads, AppStore, Cursor, ForgottenStep, StatusFilter } from "../../stores/ports.ts";
import { ForgottenColumns, type RegistrationPosition, Vocabulary } from "./forgotten-columns.ts";

export interface Census {
  /** Invocations with a status in the orchestrator, by status as stored. */
  kept: Readonly<Record<string, number>>;
  /** Definitions in the state backend. */
  defined: number;
  forgotten: Forgotten;
}

/** The forgotten invocations as far as they are known, newest registration first. */
export class Forgotten {
  readonly #columns: ForgottenColumns;
  readonly #length: number;
  /** Every definition was looked at. Otherwise there may be more, all of them registered before `reached`. */
  readonly complete: boolean;
  /** Definitions were looked at back to this place in the order of registration. */
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

/** Those that meet a filter, newest registration first. */
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

  /** How many come before this place. */
  positionOf(place: RegistrationPosition): number {
    const end = this.#columns.positionOf(place);
    let [low, high] = [0, this.#positions.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#positions[middle] ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** How much is looked at, in definitions. */
export interface CensusSteps {
  /** In one step of a walk over all: some ten milliseconds of a reading thread. */
  step: number;
  /**
   * The latest registrations, which are looked at anew whenever something changed: a definition is written moments before its status, so that
   * it may seem forgotten.
   */
  young: number;
  /** So many young ones may there be before the older of them count as settled. */
  most_young: number;
  /** So many are waited for, however busy the machine is. */
  waited_for: number;
  /**
   * Where there are more than this, and exactly as many statuses, none is taken to be forgotten: as many forgotten ones as statuses without a
   * definition would take a purge of both components.
   */
  trusted_above: number;
}

const CENSUS_STEPS: CensusSteps = {
  step: 2_000,
  young: 500,
  most_young: 5_000,
  waited_for: 20_000,
  trusted_above: 20_000,
};

/** A figure that took longer than this is used for ten times as long, however often the store changes. As in versioned-memo.ts. */
const CHEAP_MS = 25;
const REUSE_FOR_COSTS = 10;

export interface CensusOptions {
  /** How long somebody who asks waits for a look at everything, in milliseconds; then the answer is what is known so far. */
  patience: number;
  /** Go on when nobody waits. */
  background: boolean;
  /** Smaller in tests. */
  steps?: CensusSteps;
}

interface Counts {
  kept: Readonly<Record<string, number>>;
  defined: number;
}

/** A look at all definitions that is under way. */
interface Pass {
  found: ForgottenColumns;
  after: Cursor | undefined;
  reached: number;
  looked: number;
  /** Milliseconds that it has taken so far. */
  cost: number;
  /** Forgotten ones that were known before; with `missing` of them found in addition the pass can end. */
  known: ForgottenColumns;
  missing: number;
  /** Definitions less statuses when it began: when that changes meanwhile, the pass may have missed something. */
  difference: number;
}

/** What is known of definitions that are no longer young. */
interface Settled {
  columns: ForgottenColumns;
  /** Young are those from this place on. */
  youngFrom: number;
  /** Statuses without a definition: taken not to change until the totals say otherwise. Null when they could not be told. */
  orphans: number | null;
}

export class CensusTaker {
  readonly #store: AppStore;
  readonly #options: CensusOptions;
  readonly #steps: CensusSteps;
  readonly #clock: () => number;
  readonly #vocabulary = new Vocabulary();
  readonly #none = new ForgottenColumns(this.#vocabulary);
  #census: Census | null = null;
  #settled: Settled | null = null;
  #pass: Pass | null = null;
  #working: Promise<void> | null = null;
  /** Called when a step has been made. */
  #watching: (() => void)[] = [];
  #waitUntil = 0;
  #waitingForAll = 0;
  /** How often was counted. */
  #counts = 0;
  #token: string | null = null;
  #counted = { at: Number.NEGATIVE_INFINITY, cost: 0 };
  #passed = { at: Number.NEGATIVE_INFINITY, cost: 0 };
  #stopped = false;

  constructor(store: AppStore, options: CensusOptions, clock: () => number = () => performance.now()) {
    this.#store = store;
    this.#options = options;
    this.#steps = options.steps ?? CENSUS_STEPS;
    this.#clock = clock;
  }

  /** As much as is known soon. Not inside `store.read`. */
  census(): Promise<Census> {
    return this.#ask(() => this.#isEnough());
  }

  /**
   * Waits until everything was looked at: nothing may be missing in what is exported or acted upon. Where purges go on all the time, that may never
   * be certain; then what three looks found is told. Not inside `store.read`.
   */
  async wholeCensus(): Promise<Census> {
    this.#waitingForAll++;
    try {
      const token = await this.#store.version();
      const before = this.#counts;
      // What goes on already may have begun before the store became what it is now.
      const isAfter = () => this.#token === token || this.#counts > before;
      let census = await this.#ask(() => false);
      for (let looks = 1; looks < 4 && !(census.forgotten.complete && isAfter()); looks++) {
        census = await this.#ask(() => false);
      }
      return census;
    } finally {
      this.#waitingForAll--;
    }
  }

  async #ask(isEnough: () => boolean): Promise<Census> {
    const token = await this.#store.version();
    if (this.#working === null && (this.#pass !== null || this.#isStale(token))) {
      // From the beginning of the work: a page asks several times, and must not wait for a long look each time.
      this.#waitUntil = this.#clock() + this.#options.patience;
      this.#working = this.#work(token).finally(() => {
        this.#working = null;
      });
      // It is told to whoever waits; nobody may be left.
      this.#working.catch(() => undefined);
    }
    while (this.#working !== null && !isEnough()) {
      const stepped = new Promise<void>((resolve) => this.#watching.push(resolve));
      await Promise.race([this.#working, stepped]);
    }
    // Of somebody who asked at the same time, and was told why.
    if (this.#census === null) return this.#ask(isEnough);
    return this.#census;
  }

  /** Ends what goes on in the background. */
  stop(): void {
    this.#stopped = true;
  }

  /** The store was changed by this process: what was counted holds no more, however long that took. */
  expire(): void {
    this.#token = null;
    this.#counted.cost = 0;
    this.#passed.cost = 0;
  }

  #isStale(token: string): boolean {
    if (this.#census === null) return true;
    return token !== this.#token && (this.#isDue(this.#counted) || this.#waitingForAll > 0);
  }

  #isDue({ at, cost }: { at: number; cost: number }): boolean {
    return cost <= CHEAP_MS || this.#clock() - at >= cost * REUSE_FOR_COSTS;
  }

  /** A look at a small store is always waited for, however busy the machine is. */
  #isEnough(): boolean {
    const looked = this.#pass === null ? 0 : this.#pass.looked;
    return looked >= this.#steps.waited_for && this.#clock() >= this.#waitUntil;
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
      // What is behind it may be another store when it can be read again.
      this.#pass = null;
      this.#settled = null;
      this.#census = null;
      throw error;
    }
  }

  /** Counts, looks at the latest registrations, and tells whether that explains everything. */
  async #count(token: string): Promise<void> {
    const startedAt = this.#clock();
    this.#counts++;
    const settled = await this.#stillSettled();
    const { counts, latest } = await this.#store.read(async (reads) => ({
      counts: await countsOf(reads),
      latest: await latestOf(reads, settled?.youngFrom ?? null, this.#steps),
    }));
    this.#token = token;
    this.#counted = { at: this.#clock(), cost: this.#clock() - startedAt };
    const difference = counts.defined - keptOf(counts);
    if (settled === null) {
      if (difference === 0 && counts.defined > this.#steps.trusted_above) {
        this.#settled = { columns: this.#none, youngFrom: latest.youngFrom, orphans: 0 };
        this.#publish(counts, ForgottenColumns.of(this.#vocabulary, latest.rows), null);
      } else this.#begin(counts, { known: this.#none, missing: Number.POSITIVE_INFINITY, difference }, latest);
      return;
    }
    const young = latest.rows.filter((row) => row.order >= settled.youngFrom);
    const known =
      young.length === 0 ? settled.columns : ForgottenColumns.of(this.#vocabulary, young).mergedWith(settled.columns);
    const expected = settled.orphans === null ? null : difference + settled.orphans;
    if (expected === known.length) {
      if (latest.looked > this.#steps.most_young) {
        this.#settled = { ...settled, columns: known.before(latest.youngFrom), youngFrom: latest.youngFrom };
      }
      this.#publish(counts, known, null);
    } else if (!this.#isDue(this.#passed) && this.#waitingForAll === 0) {
      // Not again so soon: what is known is told, and that there may be more.
      this.#token = null;
      this.#publish(counts, known, Number.POSITIVE_INFINITY);
    } else if (expected !== null && expected > known.length) {
      this.#begin(counts, { known, missing: expected - known.length, difference }, latest);
    } else this.#begin(counts, { known: this.#none, missing: Number.POSITIVE_INFINITY, difference }, latest);
  }

  /** Null when nothing is settled, or what was is of another store that has taken the place of this one. */
  async #stillSettled(): Promise<Settled | null> {
    const settled = this.#settled;
    if (settled === null || settled.columns.length === 0) return settled;
    const { columns } = settled;
    const some = [0, columns.length >>> 1, columns.length - 1];
    const orders = await this.#store.read((reads) => reads.forgotten.orderOf(some.map((at) => columns.idAt(at))));
    return some.every((at) => orders[columns.idAt(at)] === columns.orderAt(at)) ? settled : null;
  }

  #begin(counts: Counts, start: Pick<Pass, "known" | "missing" | "difference">, latest: Latest): void {
    const pass = {
      ...start,
      found: new ForgottenColumns(this.#vocabulary),
      after: undefined,
      reached: Number.POSITIVE_INFINITY,
      looked: 0,
      cost: 0,
    };
    this.#settled = { columns: this.#none, youngFrom: latest.youngFrom, orphans: null };
    this.#take(pass, latest);
    pass.looked = latest.looked;
    this.#publishPass(counts, pass);
    if (latest.next === null) this.#end(counts, pass, true);
    else this.#pass = pass;
  }

  async #step(pass: Pass): Promise<void> {
    const startedAt = this.#clock();
    const { ends, whole, counts, looked } = await this.#store.read(async (reads) => {
      const step = await reads.forgotten.scan(this.#steps.step, pass.after);
      this.#take(pass, step);
      const ends = step.next === null || pass.missing <= 0;
      // A long pass must not hold up the totals.
      const counts = ends || this.#isDue(this.#counted) ? await this.#countedNow(reads) : null;
      return { ends, whole: step.next === null, counts, looked: step.looked };
    });
    pass.looked += looked;
    pass.cost += this.#clock() - startedAt;
    const known = counts ?? this.#census;
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

  /** @param whole every definition was looked at, so that what was known before counts no more. */
  #end(counts: Counts, pass: Pass, whole: boolean): void {
    this.#pass = null;
    this.#passed = { at: this.#clock(), cost: pass.cost };
    const found = pass.found.sorted();
    const columns = whole ? found : found.mergedWith(pass.known);
    const difference = counts.defined - keptOf(counts);
    const quiet = difference === pass.difference;
    const youngFrom = this.#settled?.youngFrom ?? Number.POSITIVE_INFINITY;
    this.#settled = {
      columns: columns.before(youngFrom),
      youngFrom,
      orphans: quiet ? columns.length - difference : null,
    };
    // Otherwise something was purged meanwhile, perhaps behind the pass: the next one who asks looks again.
    if (!quiet) this.#token = null;
    this.#publish(counts, columns, quiet ? null : Number.POSITIVE_INFINITY);
  }

  /** @param anew false while what was published stays as good as it is. */
  #publishPass(counts: Counts, pass: Pass, anew = true): void {
    if (!anew && this.#census !== null) {
      this.#census = { ...this.#census, ...counts, forgotten: this.#census.forgotten };
      return;
    }
    const columns = pass.known.length === 0 ? pass.found : pass.found.sorted().mergedWith(pass.known);
    this.#publish(counts, columns, pass.reached);
  }

  /** @param reached null when every definition was looked at. */
  #publish({ kept, defined }: Counts, columns: ForgottenColumns, reached: number | null): void {
    this.#census = { kept, defined, forgotten: new Forgotten(columns, reached === null, reached ?? 0) };
  }
}

/** The latest registrations. */
interface Latest extends ForgottenStep {
  /** Place of the oldest that counts as young from now on. */
  youngFrom: number;
}

/** @param back where the young began so far: every definition from there on is looked at. */
async function latestOf(reads: AppReads, back: number | null, { young, step: size }: CensusSteps): Promise<Latest> {
  const first = await reads.forgotten.scan(young);
  const latest = { ...first, rows: [...first.rows], youngFrom: first.reached };
  while (back !== null && latest.next !== null && latest.reached > back) {
    const step = await reads.forgotten.scan(size, latest.next);
    latest.rows.push(...step.rows);
    latest.looked += step.looked;
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
  return Object.values(kept).reduce((sum, n) => sum + n, 0);
}
