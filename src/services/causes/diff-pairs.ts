/** Pairs of invocations that are worth comparing, so that nobody has to know an id. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { ascending } from "../../pynenc/order.ts";
import { epochFromIso } from "../../pynenc/time.ts";
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

/**
 * Successes of the same task to compare with one that is chosen: of one that did not succeed those registered nearest to it, else those whose time
 * differs most from its own. Three batched reads.
 */
export function pairsOf(app: OpenedApp, id: string): Promise<DiffPair[]> {
  return app.store.read(async (reads) => {
    const [a] = await invocationRows(reads, [id]);
    if (a === undefined || a.task_id_key === null) return [];
    const { task_id_key } = a;
    const newest = await reads.orchestrator.listInvocations(
      { task_id_key, statuses: ["success"] },
      { limit: SUCCEEDED_READ, offset: 0 },
    );
    const others = newest.flatMap(({ invocation_id }) => (invocation_id === id ? [] : [invocation_id]));
    const rows = others.length === 0 ? [] : await invocationRows(reads, others);
    const apart = ({ registered_at, duration_seconds }: InvocationRow): number =>
      a.status === "success"
        ? -Math.abs((duration_seconds ?? 0) - (a.duration_seconds ?? 0))
        : Math.abs((epochFromIso(registered_at ?? "") ?? 0) - (epochFromIso(a.registered_at ?? "") ?? 0));
    const nearest = rows.sort((one, other) => apart(one) - apart(other)).slice(0, LISTED);
    return nearest.map((b) => ({ task_id_key, a, b }));
  });
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
