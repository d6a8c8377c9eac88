/**
 * Finds which invocations may have taken the slot of one that concurrency control stopped. Neither the limit nor the holder of the slot is stored, but the
 * rule is known: pynenc looks for pending and running invocations of the same task, with any arguments, equal arguments or equal key arguments
 * (storage-format.md 2.2). Candidates are the invocations that, by their rows, were in these statuses at that time.
 */
import type { SlotHold, SlotHolder } from "../../api/model/slot-holds.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import { historiesInOrder, inOrder } from "../../pynenc/life.ts";
import { coarse, counted } from "../../pynenc/numbers.ts";
import type { HistoryRecord, InvocationRecord, InvocationStatusRecord } from "../../pynenc/records.ts";
import { STATUSES } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import { argumentsMap } from "../../pynenc/values.ts";
import type { AppReads } from "../../stores/ports/store.ts";

/** The alternating statuses of an invocation that is held back. */
export const HELD_STATUSES: readonly string[] = ["concurrency_controlled", "rerouted"];

/** Statuses in which an invocation takes a slot. */
const IN_SLOT = ["pending", "running"];

/** Statuses of invocations that may have been in a slot before. */
const MAY_HAVE_RUN = STATUSES.map(({ name }) => name).filter(
  (name) => name !== "registered" && name !== "concurrency_controlled_final" && !HELD_STATUSES.includes(name),
);

/** Invocations of the task checked for one instant. */
const CHECKED = 100;

/** Holders named in a sentence. */
const NAMED = 3;

/** First entries of a history that is too long to be read. */
const HEAD = 20;

type Stopped = Pick<InvocationStatusRecord, "invocation_id" | "task_id_key" | "call_id_key">;

/** How long an invocation has been held back since it was last taken or registered. */
export interface Hold {
  /** The entry of the first hold. If not all holds were read, the first one in the whole history. */
  first: HistoryRecord;
  /** When it was held back, as far as entries were read, oldest first. */
  times: readonly EpochSeconds[];
  /** All holds were read. */
  complete: boolean;
}

/** Null if the invocation is not held back. Two reads at most. @param most maximum number of entries read from the end of its history. */
export async function holdOf(reads: AppReads, invocationId: string, most: number): Promise<Hold | null> {
  const tail = inOrder(await reads.state_backend.historyOf([invocationId], most, "latest"));
  const other = tail.findLastIndex(({ status }) => !HELD_STATUSES.includes(status));
  const held = tail.slice(other + 1).filter(({ status }) => status === "concurrency_controlled");
  const [first] = held;
  if (first === undefined) return null;
  const times = held.map(({ timestamp }) => timestamp);
  if (other >= 0 || tail.length < most) return { first, times, complete: true };
  const head = inOrder(await reads.state_backend.historyOf([invocationId], HEAD));
  return { first: head.find(({ status }) => status === "concurrency_controlled") ?? first, times, complete: false };
}

/** Limit of history entries read of an invocation that is held back, and of all candidates together. */
const ENTRIES = 5_000;

/** Null if the invocation is not held back now and was not dropped. @param history at least its last entries, oldest first. */
export async function slotHold(
  reads: AppReads,
  stopped: InvocationStatusRecord,
  history: readonly HistoryRecord[],
  now: EpochSeconds,
): Promise<SlotHold | null> {
  const { status, invocation_id } = stopped;
  if (HELD_STATUSES.includes(status)) {
    const hold = await holdOf(reads, invocation_id, ENTRIES);
    return hold === null ? null : heldSlot(reads, stopped, hold, now);
  }
  const dropped = history.findLast((entry) => entry.status === "concurrency_controlled_final");
  return status !== dropped?.status ? null : droppedSlot(reads, stopped, dropped);
}

/** The candidates for an invocation that is held back now. */
export async function heldSlot(reads: AppReads, stopped: Stopped, hold: Hold, now: EpochSeconds): Promise<SlotHold> {
  const [then, present] = await Promise.all([
    candidatesAt(reads, stopped, hold.first.timestamp),
    reads.orchestrator.listInvocations(
      { task_id_key: stopped.task_id_key, statuses: IN_SLOT },
      { limit: CHECKED, offset: 0 },
    ),
  ]);
  const holders = await fitting(reads, stopped, then, present);
  const since = hold.first.timestamp;
  const times = hold.times.length;
  const often = `${hold.complete ? "" : "at least "}${counted(times, "time")}`;
  const words = `Concurrency control has held it back ${often} in ${coarse(Math.max(0, now - since))}.`;
  return {
    since: isoFromEpoch(since),
    times,
    times_exact: hold.complete,
    holders,
    sentences: [words, holderWords(holders, "when it was first held back"), LIMITS],
  };
}

/** The candidates for an invocation that was dropped. @param dropped its history entry that says so. */
async function droppedSlot(reads: AppReads, stopped: Stopped, dropped: HistoryRecord): Promise<SlotHold> {
  const holders = await fitting(reads, stopped, await candidatesAt(reads, stopped, dropped.timestamp), []);
  return {
    since: isoFromEpoch(dropped.timestamp),
    times: 1,
    times_exact: true,
    holders,
    sentences: [holderWords(holders, "at that moment"), LIMITS],
  };
}

const LIMITS =
  "Which limit the task has (one at a time, or one per arguments or keys), and which invocation took the slot, is not stored.";

/** Invocations of the task that were pending or running at an instant, among those registered before this one. */
async function candidatesAt(reads: AppReads, stopped: Stopped, at: EpochSeconds): Promise<string[]> {
  const { task_id_key, invocation_id } = stopped;
  const [own] = await reads.orchestrator.listInvocations(
    { task_id_key, id_prefix: invocation_id },
    { limit: 1, offset: 0 },
  );
  if (own === undefined) return [];
  const rows = await reads.orchestrator.listInvocations(
    { task_id_key, statuses: MAY_HAVE_RUN },
    { limit: CHECKED, offset: 0 },
    own.cursor,
  );
  if (rows.length === 0) return [];
  const entries = await reads.state_backend.historyOf(rows.map(invocationIdOf), ENTRIES);
  return [...historiesInOrder(entries)].flatMap(([id, history]) => {
    const status = history.findLast((entry) => entry.timestamp <= at)?.status;
    return status !== undefined && IN_SLOT.includes(status) ? [id] : [];
  });
}

/**
 * The candidates that fit best: those with equal arguments, else those that share some, because one of these may be the key; else all of them, if
 * they may have been the only one of the task.
 */
async function fitting(
  reads: AppReads,
  stopped: Stopped,
  then: readonly string[],
  present: readonly InvocationStatusRecord[],
): Promise<SlotHolder[]> {
  const running = new Set(present.map(invocationIdOf));
  const ids = [...new Set([...then, ...running])].filter((id) => id !== stopped.invocation_id);
  if (ids.length === 0) return [];
  const definitions = await reads.state_backend.invocationsByIds([stopped.invocation_id, ...ids]);
  const definitionOf = new Map(definitions.map((one) => [one.invocation_id, one]));
  const own = argumentsOf(definitionOf.get(stopped.invocation_id));
  const found = ids.map((invocation_id): SlotHolder => {
    const definition = definitionOf.get(invocation_id);
    const equal = definition?.call_id_key === stopped.call_id_key;
    const others = argumentsOf(definition);
    const shared = [...own].flatMap(([name, value]) => (others.get(name) === value ? [name] : []));
    const part = shared.length > 0 ? "some_arguments" : "task";
    return {
      invocation_id,
      task_id_key: stopped.task_id_key,
      ran_then: then.includes(invocation_id),
      runs_now: running.has(invocation_id),
      shares: equal ? "all_arguments" : part,
      shared_arguments: shared,
    };
  });
  const best = (["all_arguments", "some_arguments", "task"] as const)
    .map((shares) => found.filter((holder) => holder.shares === shares))
    .find((holders) => holders.length > 0);
  return best ?? [];
}

/** Empty if the arguments were not read in full. */
function argumentsOf(definition: InvocationRecord | undefined): ReadonlyMap<string, string> {
  if (definition === undefined || definition.whole_size !== undefined) return new Map();
  return argumentsMap(definition.serialized_arguments) ?? new Map();
}

function holderWords(holders: readonly SlotHolder[], moment: string): string {
  const [first, ...others] = holders;
  if (first === undefined) return `No other invocation of its task is known to have been pending or running ${moment}.`;
  if (others.length > 0) {
    const named = holders.slice(0, NAMED).map(({ invocation_id }) => invocation_id.slice(0, 8));
    const more = holders.length > NAMED ? ` and ${holders.length - NAMED} more` : "";
    const of = { all_arguments: " with equal arguments", some_arguments: " with some equal arguments", task: "" };
    return `${holders.length} invocations of the same task${of[first.shares]} were pending or running ${moment}${holders.some(({ runs_now }) => runs_now) ? ", or are now" : ""}: ${named.join(", ")}${more}. One of them probably ${holders.some(({ runs_now }) => runs_now) ? "holds" : "held"} its slot.`;
  }
  const { ran_then: then, runs_now: now, shares, shared_arguments: shared } = first;
  const before = `was pending or running ${moment}${now ? " and is still" : ""}`;
  const when = then || !now ? before : "is pending or running now";
  const equal = {
    all_arguments: ", with equal arguments,",
    some_arguments: `, with equal ${shared.slice(0, NAMED).join(", ")},`,
    task: "",
  };
  return `${first.invocation_id.slice(0, 8)} of the same task${equal[shares]} ${when}: it probably ${now ? "holds" : "held"} its slot.`;
}

/** Its role in the evidence of a verdict. @param all the candidates. */
export function holderRole({ runs_now: now }: SlotHolder, all: readonly SlotHolder[]): string {
  if (all.length > 1) return now ? "may hold its slot" : "may have held its slot";
  return now ? "probably holds its slot" : "probably held its slot";
}
