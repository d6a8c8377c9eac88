/** Pairs of invocations that are worth comparing, so that nobody has to know an id. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { ascending } from "../../pynenc/order.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { invocationRows } from "../model/invocation-rows.ts";

/** Newest invocations of each outcome that are looked at. */
const FAILED_READ = 50;
const SUCCEEDED_READ = 200;

/** Pairs of each kind. */
const LISTED = 5;

/** How much longer the slow one of a pair takes at least. */
const TIMES = 2;

export interface DiffPairs {
  /** The newest failure of a task and the last success registered before it. */
  failed: DiffPair[];
  /** The slowest and the fastest of the newest successes of a task, which took at least twice as long. */
  slow: DiffPair[];
}

export interface DiffPair {
  task_id_key: string;
  a: InvocationRow;
  b: InvocationRow;
}

/** Three batched reads of the newest invocations, at most one pair of each kind per task. */
export async function diffPairs(app: OpenedApp): Promise<DiffPairs> {
  const [failed, succeeded] = await app.store.read(async (reads) => {
    const newest = (status: string, limit: number) =>
      reads.orchestrator.listInvocations({ statuses: [status] }, { limit, offset: 0 });
    const lists = await Promise.all([newest("failed", FAILED_READ), newest("success", SUCCEEDED_READ)]);
    const ids = lists.flat().map((row) => row.invocation_id);
    const rows = ids.length === 0 ? [] : await invocationRows(reads, ids);
    return [rows.slice(0, lists[0].length), rows.slice(lists[0].length)];
  });
  const good = rowsBy(succeeded, taskOf);
  const slow = [...good].flatMap(([task_id_key, rows]): DiffPair[] => {
    const timed = rows
      .filter(({ duration_seconds }) => duration_seconds !== null)
      .sort((a, b) => (a.duration_seconds ?? 0) - (b.duration_seconds ?? 0));
    const [b, a] = [timed[0], timed.at(-1)];
    if (a === undefined || b === undefined || timesAsLong(a, b) < TIMES) return [];
    return [{ task_id_key, a, b }];
  });
  const bad = [...rowsBy(failed, taskOf)].flatMap(([task_id_key, rows]): DiffPair[] => {
    const [a] = newestFirst(rows);
    const b = newestFirst(good.get(task_id_key) ?? []).find((row) => since(row) < since(a));
    return a === undefined || b === undefined ? [] : [{ task_id_key, a, b }];
  });
  return {
    failed: bad.slice(0, LISTED),
    slow: slow.sort((one, other) => timesAsLong(other.a, other.b) - timesAsLong(one.a, one.b)).slice(0, LISTED),
  };
}

function taskOf({ task_id_key }: InvocationRow): string | undefined {
  return task_id_key ?? undefined;
}

function since(row: InvocationRow | undefined): string {
  return row?.registered_at ?? "";
}

function newestFirst(rows: readonly InvocationRow[]): InvocationRow[] {
  return rows.filter((row) => row.registered_at !== null).sort((a, b) => ascending(since(b), since(a)));
}

function timesAsLong(a: InvocationRow, b: InvocationRow): number {
  return (a.duration_seconds ?? 0) / Math.max(b.duration_seconds ?? 0, Number.EPSILON);
}
