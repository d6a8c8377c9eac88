/** Counts and durations of an app by time, task, runner and kind of failure, folded from its history. Entries may arrive in any order. */
import type { SignsOfLife } from "../pynenc/life.ts";
import type { HistoryRecord } from "../pynenc/records.ts";
import type { RowPrint } from "../pynenc/row-prints.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { Buckets, HOUR, ONE_SLICE, type SavedBuckets, type TimeSpan } from "./buckets.ts";
import { type EntryFacts, exampleOf, factsOf, type RunExample } from "./facts.ts";
import { type Member, Members } from "./members.ts";
import { Occupancy, type SavedOccupancy } from "./occupancy.ts";
import { binOf } from "./quantile-bins.ts";
import {
  BUILDS_ON,
  BUSY_SECONDS,
  CONTINUED,
  DIGEST,
  entering,
  enteringOfLeaving,
  FIRST_SEEN,
  isEntering,
  isLeaving,
  LAST_SEEN,
  LONGEST_RUN,
  LONGEST_WAIT,
  leaving,
  merged,
  PAUSED_SECONDS,
  ROWS,
  RUN_BINS,
  WAIT_BINS,
} from "./slots.ts";
import { type SavedSamples, SuccessSamples } from "./success-samples.ts";

/** Why an invocation failed. Failures are grouped by it. */
export interface FailureCause {
  type: string;
  /** With its variable parts replaced. */
  message: string;
}

/** An invocation with history entries to fold in. */
export interface FoldedHistory {
  /** Null if no definition is stored. */
  task_id_key: string | null;
  /** From its first entry, in the order of `inOrder`; later entries may be missing. */
  history: readonly HistoryRecord[];
  /** Signs of life of the runners from which a recovery took the invocation. */
  signs: SignsOfLife;
  /** The cause of the last failure, if its exception is stored. */
  cause: FailureCause | null;
}

/** A group of failures over all that is folded in. */
export interface FailuresEver {
  failed: number;
  retries: number;
  /** Null if there are none. */
  first_seen: EpochSeconds | null;
  last_seen: EpochSeconds | null;
}

/** Example invocations kept per group: the ones that failed last. */
const EXAMPLES = 20;

/** Plain data to restore a rollup from. */
export interface SavedRollup {
  members: readonly Member[];
  buckets: SavedBuckets;
  inStatus: ReadonlyMap<number, number>;
  examples: ReadonlyMap<number, readonly RunExample[]>;
  successes: SavedSamples;
  occupancy: SavedOccupancy;
}

/** A group without failures. */
export const NEVER: FailuresEver = { failed: 0, retries: 0, first_seen: null, last_seen: null };

export class Rollup {
  readonly members: Members;
  readonly buckets: Buckets;
  readonly occupancy: Occupancy;
  /** Invocations in each status according to the folded entries: entered minus left, by the slot of `entering`. */
  readonly #inStatus: Map<number, number>;
  /** The member for all tasks together. */
  readonly #all: number;
  readonly #examples: Map<number, readonly RunExample[]>;
  readonly #successes: SuccessSamples;
  /** By member. Computed when it is first needed, because adding up all buckets takes a while. */
  #ever: Map<number, FailuresEver> | null = null;

  /** @param saved what to restore; without it the rollup is empty. */
  constructor(saved?: SavedRollup) {
    this.members = new Members(saved?.members);
    this.buckets = new Buckets(saved?.buckets);
    this.occupancy = new Occupancy(saved?.occupancy);
    this.#inStatus = new Map(saved?.inStatus);
    this.#all = this.members.numberOf({ kind: "all", name: null });
    this.#examples = new Map(saved?.examples);
    this.#successes = new SuccessSamples(saved?.successes);
  }

  saved(): SavedRollup {
    return {
      members: this.members.all,
      buckets: this.buckets.saved(),
      inStatus: this.#inStatus,
      examples: this.#examples,
      successes: this.#successes.saved(),
      occupancy: this.occupancy.saved(),
    };
  }

  /**
   * Counts the entries of one invocation.
   *
   * @param isNew selects the entries to count (default: all). The others only provide the preceding statuses.
   * @param onCounted called for each counted entry.
   */
  fold(
    { task_id_key, history, signs, cause }: FoldedHistory,
    isNew: (entry: HistoryRecord) => boolean = () => true,
    onCounted: (fact: EntryFacts) => void = () => undefined,
  ): void {
    const task = this.members.numberOf({ kind: "task", name: task_id_key });
    const counted = history.map(isNew);
    const runnerNumber = (name: string) => this.members.numberOf({ kind: "runner", name });
    this.occupancy.count(task, runnerNumber, history, counted);
    const facts = factsOf(history, signs);
    const oldest = history.reduce((least, entry) => Math.min(least, entry.written_at), Number.POSITIVE_INFINITY);
    const failed = cause === null ? undefined : facts.findLast(({ entry }) => entry.status === "failed");
    for (const [index, fact] of facts.entries()) {
      if (counted[index] !== true) continue;
      this.#count(fact, task);
      const { written_at } = fact.entry;
      if (oldest < Math.floor(written_at / HOUR) * HOUR) this.buckets.at(written_at).add(this.#all, BUILDS_ON, oldest);
      onCounted(fact);
      if (fact.entry.status === "success") this.#successes.add(task, exampleOf(fact));
      if (fact.entry.status === "failed" || fact.entry.status === "retry") {
        this.#countFailure(fact, task_id_key, fact === failed ? cause : null);
      }
    }
  }

  /** Remembers which stored rows were read, to notice later whether they are still the same (history-check.ts). */
  witness(prints: readonly RowPrint[]): void {
    for (const { written_at, print } of prints) {
      const bucket = this.buckets.at(written_at);
      bucket.add(this.#all, ROWS, 1);
      bucket.add(this.#all, DIGEST, print);
    }
  }

  /** Reports the time of the newest entry (`Buckets.advance`). */
  advance(newest: EpochSeconds): void {
    this.buckets.advance(newest);
    this.occupancy.advance(newest);
  }

  /** Adds up the minutes of hours (`Buckets.sumHours`). @returns whether hours are left. */
  sumHours(milliseconds: number): boolean {
    return this.buckets.sumHours(milliseconds) || this.occupancy.sumHours(milliseconds);
  }

  /** Invocations in a status now, according to the folded entries. */
  inStatus(status: string): number {
    return this.#inStatus.get(entering(status)) ?? 0;
  }

  /** Drops the counts of the buckets that overlap a span. */
  drop(span: TimeSpan): void {
    const undo = (_: EpochSeconds, member: number, slot: number, number: number) => {
      const kind = this.members.at(member)?.kind;
      if (kind === "task" && isEntering(slot)) this.#move(slot, -number);
      if (kind === "all" && isLeaving(slot)) this.#move(enteringOfLeaving(slot), number);
    };
    this.buckets.forEach(span, undo, ONE_SLICE);
    this.buckets.drop(span);
    this.occupancy.drop(span);
    this.#ever = null;
  }

  /** All failures that are folded in, by group. */
  failuresEver(): ReadonlyMap<number, FailuresEver> {
    if (this.#ever === null) {
      this.#ever = new Map();
      const add = (_: EpochSeconds, member: number, slot: number, number: number) => {
        if (this.members.at(member)?.kind === "failure") this.#addEver(member, slot, number);
      };
      this.buckets.forEach({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }, add, ONE_SLICE);
    }
    return this.#ever;
  }

  #addEver(group: number, slot: number, number: number): void {
    if (this.#ever === null) return;
    const { failed, retries, first_seen, last_seen } = this.#ever.get(group) ?? NEVER;
    this.#ever.set(group, {
      failed: failed + (slot === entering("failed") ? number : 0),
      retries: retries + (slot === entering("retry") ? number : 0),
      first_seen: slot === FIRST_SEEN ? merged(slot, first_seen ?? number, number) : first_seen,
      last_seen: slot === LAST_SEEN ? merged(slot, last_seen ?? number, number) : last_seen,
    });
  }

  /** The newest failures of a group, newest first. */
  examplesOf(member: number): readonly RunExample[] {
    return this.#examples.get(member) ?? [];
  }

  /** A random sample of the successes of a task in the hours that overlap a span. */
  successesOf(task_id_key: string, span: TimeSpan, most: number): RunExample[] {
    const task = this.members.known({ kind: "task", name: task_id_key });
    return task === undefined ? [] : this.#successes.of(task, span, most);
  }

  #count({ entry, left, continued, waited, ran, paused, busy, runner_id }: EntryFacts, task: number): void {
    // Stores look entries up by when they were written, so buckets use that time too.
    const bucket = this.buckets.at(entry.written_at);
    bucket.add(task, entering(entry.status), 1);
    this.#move(entering(entry.status), 1);
    if (left !== null) {
      bucket.add(this.#all, leaving(left), 1);
      this.#move(entering(left), -1);
    }
    if (continued) bucket.add(task, CONTINUED, 1);
    if (waited !== null) {
      bucket.add(task, WAIT_BINS + binOf(waited), 1);
      bucket.add(task, LONGEST_WAIT, Math.max(0, waited));
    }
    if (ran !== null) this.#countRun(bucket, task, ran);
    if (paused !== null) bucket.add(task, PAUSED_SECONDS, paused);
    if (busy !== null) bucket.add(task, BUSY_SECONDS, busy);
    const writer = this.members.numberOf({ kind: "writer", name: entry.runner_context_id });
    bucket.add(writer, entering(entry.status), 1);
    if (runner_id === null) return;
    const runner = this.members.numberOf({ kind: "runner", name: runner_id });
    bucket.add(runner, entering(entry.status), 1);
    if (continued) bucket.add(runner, CONTINUED, 1);
    if (ran !== null) this.#countRun(bucket, runner, ran);
    if (busy !== null) bucket.add(runner, BUSY_SECONDS, busy);
  }

  #countRun(bucket: ReturnType<Buckets["at"]>, member: number, ran: number): void {
    bucket.add(member, RUN_BINS + binOf(ran), 1);
    bucket.add(member, LONGEST_RUN, Math.max(0, ran));
  }

  #move(slot: number, by: number): void {
    this.#inStatus.set(slot, (this.#inStatus.get(slot) ?? 0) + by);
  }

  #countFailure(fact: EntryFacts, task_id_key: string | null, cause: FailureCause | null): void {
    const { entry } = fact;
    const { type, message } = cause ?? { type: null, message: null };
    const group = this.members.numberOf({ kind: "failure", task_id_key, type, message });
    const bucket = this.buckets.at(entry.written_at);
    bucket.add(group, entering(entry.status), 1);
    bucket.add(group, FIRST_SEEN, entry.timestamp);
    this.#addEver(group, entering(entry.status), 1);
    this.#addEver(group, FIRST_SEEN, entry.timestamp);
    bucket.add(group, LAST_SEEN, entry.timestamp);
    this.#addEver(group, LAST_SEEN, entry.timestamp);
    this.#showExample(group, exampleOf(fact));
  }

  /** Of an invocation that failed several times, only the last failure is kept. */
  #showExample(group: number, example: RunExample): void {
    const known = this.examplesOf(group);
    const same = known.find((one) => one.invocation_id === example.invocation_id);
    if (same !== undefined && same.at >= example.at) return;
    const examples = [...known.filter((one) => one !== same), example].sort((one, other) => other.at - one.at);
    this.#examples.set(group, examples.slice(0, EXAMPLES));
  }
}
