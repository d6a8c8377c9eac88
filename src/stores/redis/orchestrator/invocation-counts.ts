/** Counts of invocations by status and task, and the list of tasks. */
import { STATUSES } from "../../../pynenc/statuses.ts";
import type { StatusCountReads } from "../../ports/orchestrator.ts";
import { inChunks } from "../../server/chunks.ts";
import type { AppKeys } from "../keys/keys.ts";
import type { RedisReading } from "../keys/reading.ts";
import { textsOf } from "../server/db.ts";
import { membersInSteps } from "../server/members.ts";
import { sizesOf } from "../server/sets.ts";
import { likelyTasks } from "./likely-tasks.ts";
import { calledTasks, foundStatuses } from "./status-records.ts";

/** Up to this many registrations every status is read; beyond that, sizes of sets are used, which may be off by a few. */
export const EXACT_UP_TO = 5_000;

/** Newest registrations of a task that are read to find its latest change. */
const NEWEST = 20;

/** Tasks per round trip: with their newest invocations ten thousand values. */
const TASKS_AT_ONCE = 500;

/** Apps that had more than `EXACT_UP_TO` registrations. */
const large = new WeakSet<AppKeys>();

/** Number of invocations of a task in a status. */
interface Share {
  task_id_key: string;
  status: string;
  count: number;
}

/**
 * Up to `EXACT_UP_TO` registrations, the statuses themselves are counted. Beyond that, counts are sizes of the sets that pynenc keeps per status and
 * per task. These miss an invocation that is in no set, and count one twice that concurrent transitions left in two sets (storage-format.md 9.2). A
 * task's set may also contain invocations without a status, left by a killed runner.
 */
export function invocationCounts(reading: RedisReading): StatusCountReads {
  const { keys } = reading;
  const db = reading.db("orchestrator");
  const all = keys.key("orchestrator", "all_invocations_by_time");

  /** Counts of all invocations that have a status, by task and status; null if there are too many. */
  async function everyShare(): Promise<Share[] | null> {
    const ids = await everyId();
    if (ids === null) return null;
    const found = await foundStatuses(reading, ids);
    const called = await calledTasks(
      reading,
      found.map(({ invocation_id }) => invocation_id),
    );
    const tally = new Tally();
    for (const [i, { current }] of found.entries()) tally.add(called[i]?.task_id_key ?? "", current.status);
    return tally.shares();
  }

  /** Null if there are too many. Their number is asked for first only where there were too many before. */
  async function everyId(): Promise<string[] | null> {
    if (large.has(keys) && (await db.number("ZCARD", all)) > EXACT_UP_TO) return null;
    const ids = await db.texts("ZREVRANGE", all, "0", String(EXACT_UP_TO));
    if (ids.length <= EXACT_UP_TO) return ids;
    large.add(keys);
    return null;
  }

  /** Most frequent first. */
  async function sizesOfStatuses(): Promise<{ status: string; count: number }[]> {
    const counted = async (words: readonly string[]) => {
      const sizes = await sizesOf(
        db,
        words.map((word) => keys.key("orchestrator", "status", word)),
      );
      return words.map((status, i) => ({ status, count: sizes[i] ?? 0 }));
    };
    const known = STATUSES.map(({ name }) => name);
    const [found, registrations] = await Promise.all([counted(known), db.number("ZCARD", all)]);
    // Other status sets are only searched if invocations are missing.
    if (found.reduce((sum, { count }) => sum + count, 0) < registrations) {
      const { names } = await reading.catalogue.names("statuses", async () => []);
      found.push(...(await counted(names.filter((name) => !known.includes(name)))));
    }
    return found.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  }

  const setOf = (task: string) => keys.key("orchestrator", "task", task);
  const namesOfTasks = async () => (await reading.catalogue.names("tasks", () => likelyTasks(reading), true)).names;

  /** Tasks with registered invocations that were not purged. */
  async function sizesOfTasks(): Promise<{ task_id_key: string; count: number }[]> {
    const names = await namesOfTasks();
    const sizes = await sizesOf(db, names.map(setOf));
    return names.map((task_id_key, i) => ({ task_id_key, count: sizes[i] ?? 0 })).filter(({ count }) => count > 0);
  }

  /** Reads the tasks of all members of the rarer statuses; the remaining invocations of each task have the most frequent status. */
  async function sharesBySets(): Promise<Share[]> {
    const [most, ...others] = await sizesOfStatuses();
    if (most === undefined) return [];
    const tally = new Tally();
    const addMembers = async ({ status }: { status: string }) => {
      for await (const ids of membersInSteps(db, [keys.key("orchestrator", "status", status)])) {
        for (const { task_id_key } of await calledTasks(reading, ids)) tally.add(task_id_key, status);
      }
    };
    const [sizes] = await Promise.all([sizesOfTasks(), ...others.map(addMembers)]);
    const remainders = sizes.map(({ task_id_key, count }) => ({
      task_id_key,
      status: most.status,
      count: count - tally.ofTask(task_id_key),
    }));
    return [...remainders.filter(({ count }) => count > 0), ...tally.shares()];
  }

  return {
    async countByStatus() {
      const sizes = large.has(keys) ? sizesOfStatuses() : null;
      const [ids] = await Promise.all([everyId(), sizes]);
      if (ids === null) {
        return Object.fromEntries((await (sizes ?? sizesOfStatuses())).map(({ status, count }) => [status, count]));
      }
      const counts = new Map<string, number>();
      for (const { current } of await foundStatuses(reading, ids)) {
        counts.set(current.status, (counts.get(current.status) ?? 0) + 1);
      }
      return Object.fromEntries(counts);
    },

    countByTaskAndStatus: async () => (await everyShare()) ?? sharesBySets(),

    async taskKeys() {
      const named = large.has(keys) ? namesOfTasks() : null;
      const [shares] = await Promise.all([everyShare(), named]);
      if (shares !== null) return [...new Set(shares.map(({ task_id_key }) => task_id_key))].sort();
      const names = await (named ?? namesOfTasks());
      const present = new Set(await db.existing(names.map(setOf)));
      return names.filter((task) => present.has(setOf(task))).sort();
    },

    async lastActivityOfTasks(taskIdKeys) {
      const latest = new Map<string, number>();
      for (const tasks of inChunks(taskIdKeys, TASKS_AT_ONCE)) {
        const newest = await db.exchange(
          tasks.map((task) => {
            const index = keys.key("orchestrator", "task_invocations_by_time", task);
            return ["ZREVRANGE", index, "0", String(NEWEST - 1)];
          }),
        );
        const taskOf = new Map(tasks.flatMap((task, i) => textsOf(newest[i]).map((id) => [id, task] as const)));
        for (const { invocation_id, current } of await foundStatuses(reading, [...taskOf.keys()])) {
          const task = taskOf.get(invocation_id) ?? "";
          latest.set(task, Math.max(latest.get(task) ?? Number.NEGATIVE_INFINITY, current.timestamp));
        }
      }
      return Object.fromEntries(latest);
    },
  };
}

class Tally {
  readonly #tasks = new Map<string, Map<string, number>>();

  add(task: string, status: string): void {
    const statuses = this.#tasks.get(task) ?? new Map<string, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.#tasks.set(task, statuses);
  }

  ofTask(task: string): number {
    return [...(this.#tasks.get(task)?.values() ?? [])].reduce((sum, n) => sum + n, 0);
  }

  shares(): Share[] {
    return [...this.#tasks].flatMap(([task_id_key, statuses]) =>
      [...statuses].map(([status, count]) => ({ task_id_key, status, count })),
    );
  }
}
