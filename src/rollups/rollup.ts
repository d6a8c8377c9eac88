/** Counts and durations of an app by time, task, runner and kind of failure, folded from its history in any order. */
import type { HistoryRecord } from "../pynenc/records.ts";
import type { EpochSeconds } from "../pynenc/time.ts";
import { Buckets, type SavedBuckets, type TimeSpan } from "./buckets.ts";
import { type EntryFacts, exampleOf, factsOf, type RunExample } from "./facts.ts";
import { type Member, Members } from "./members.ts";
import { Occupancy, type SavedOccupancy } from "./occupancy.ts";
import { binOf } from "./quantile-bins.ts";
import {
  BUSY_SECONDS,
  CONTINUED,
  entering,
  enteringOfLeaving,
  FIRST_SEEN,
  isEntering,
  LAST_SEEN,
  leaving,
  PAUSED_SECONDS,
  RUN_BINS,
  WAIT_BINS,
} from "./slots.ts";
import { type SavedSamples, SuccessSamples } from "./success-samples.ts";

/** Why an invocation failed: what a group of failures has in common. */
export interface FailureCause {
  type: string;
  /** With its variable parts replaced. */
  message: string;
}

/** An invocation of which some entries are folded. */
export interface FoldedHistory {
  /** Null where no definition is stored. */
  task_id_key: string | null;
  /** From its first entry on, in the order in which statuses were entered; entries that come later may be left out. */
  history: readonly HistoryRecord[];
  /** Of the last failure, when its exception is stored. */
  cause: FailureCause | null;
}

/** Invocations that are kept of each group: those that failed last. */
const EXAMPLES = 20;

/** Plain data from which a rollup can be made again. */
export interface SavedRollup {
  members: readonly Member[];
  buckets: SavedBuckets;
  inStatus: ReadonlyMap<number, number>;
  examples: ReadonlyMap<number, readonly RunExample[]>;
  successes: SavedSamples;
  occupancy: SavedOccupancy;
}

export class Rollup {
  readonly members: Members;
  readonly buckets: Buckets;
  readonly occupancy: Occupancy;
  /** Invocations in each status from the folded entries: those that entered it less those that left it, by the slot of `entering`. */
  readonly #inStatus: Map<number, number>;
  /** All tasks together. */
  readonly #all: number;
  readonly #examples: Map<number, readonly RunExample[]>;
  readonly #successes: SuccessSamples;

  /** Empty unless what was saved is given. */
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
   * Counts entries of one invocation.
   *
   * @param isNew which entries are counted, all by default; the others are only there for what came before.
   * @param onCounted called with each entry that is counted.
   */
  fold(
    { task_id_key, history, cause }: FoldedHistory,
    isNew: (entry: HistoryRecord) => boolean = () => true,
    onCounted: (fact: EntryFacts) => void = () => undefined,
  ): void {
    const task = this.members.numberOf({ kind: "task", name: task_id_key });
    const counted = history.map(isNew);
    const runnerNumber = (name: string) => this.members.numberOf({ kind: "runner", name });
    this.occupancy.count(task, runnerNumber, history, counted);
    const facts = factsOf(history);
    const failed = cause === null ? undefined : facts.findLast(({ entry }) => entry.status === "failed");
    for (const [index, fact] of facts.entries()) {
      if (counted[index] !== true) continue;
      this.#count(fact, task);
      onCounted(fact);
      if (fact.entry.status === "success") this.#successes.add(task, exampleOf(fact));
      if (fact.entry.status === "failed" || fact.entry.status === "retry") {
        this.#countFailure(fact, task_id_key, fact === failed ? cause : null);
      }
    }
  }

  /** Tells how new the newest entry is (`Buckets.advance`). */
  advance(newest: EpochSeconds): void {
    this.buckets.advance(newest);
    this.occupancy.advance(newest);
  }

  /** Invocations in a status now, from the folded entries. */
  inStatus(status: string): number {
    return this.#inStatus.get(entering(status)) ?? 0;
  }

  /** Forgets what was counted in the buckets that touch a span. */
  drop(span: TimeSpan): void {
    this.buckets.forEach(span, (_, member, slot, number) => {
      const kind = this.members.at(member)?.kind;
      if (kind === "task" && isEntering(slot)) this.#move(slot, -number);
      if (kind === "all") this.#move(enteringOfLeaving(slot), number);
    });
    this.buckets.drop(span);
    this.occupancy.drop(span);
  }

  /** The newest failures of a group, newest first. */
  examplesOf(member: number): readonly RunExample[] {
    return this.#examples.get(member) ?? [];
  }

  /** Some of the successes of a task in the hours that touch a span, drawn by chance. */
  successesOf(task_id_key: string, span: TimeSpan, most: number): RunExample[] {
    const task = this.members.known({ kind: "task", name: task_id_key });
    return task === undefined ? [] : this.#successes.of(task, span, most);
  }

  #count({ entry, left, continued, waited, ran, paused, busy, runner_id }: EntryFacts, task: number): void {
    // Stores find entries by when they were written: what a bucket counts is what they find in its span.
    const bucket = this.buckets.at(entry.written_at);
    bucket.add(task, entering(entry.status), 1);
    this.#move(entering(entry.status), 1);
    if (left !== null) {
      bucket.add(this.#all, leaving(left), 1);
      this.#move(entering(left), -1);
    }
    if (continued) bucket.add(task, CONTINUED, 1);
    if (waited !== null) bucket.add(task, WAIT_BINS + binOf(waited), 1);
    if (ran !== null) bucket.add(task, RUN_BINS + binOf(ran), 1);
    if (paused !== null) bucket.add(task, PAUSED_SECONDS, paused);
    if (busy !== null) bucket.add(task, BUSY_SECONDS, busy);
    const writer = this.members.numberOf({ kind: "writer", name: entry.runner_context_id });
    bucket.add(writer, entering(entry.status), 1);
    if (runner_id === null) return;
    const runner = this.members.numberOf({ kind: "runner", name: runner_id });
    bucket.add(runner, entering(entry.status), 1);
    if (ran !== null) bucket.add(runner, RUN_BINS + binOf(ran), 1);
    if (busy !== null) bucket.add(runner, BUSY_SECONDS, busy);
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
    bucket.add(group, LAST_SEEN, entry.timestamp);
    this.#showExample(group, exampleOf(fact));
  }

  /** Of an invocation that failed several times, the last time. */
  #showExample(group: number, example: RunExample): void {
    const known = this.examplesOf(group);
    const same = known.find((one) => one.invocation_id === example.invocation_id);
    if (same !== undefined && same.at >= example.at) return;
    const examples = [...known.filter((one) => one !== same), example].sort((one, other) => other.at - one.at);
    this.#examples.set(group, examples.slice(0, EXAMPLES));
  }
}
