/** What is called again when calls are registered again, if they run the same way: everything that they called, directly or not. */
import type { CalledAgain } from "../../api/reruns.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { GENERATIONS } from "./matching-families.ts";

/** Calls that are read; beyond this their number is a lower limit. */
const MAX_CALLS = 10_000;

/** Invocations read at a time. */
const BATCH = 500;

export interface Below extends CalledAgain {
  /** Calls below some of these invocations, each counted once; at least so many if `called_again_capped`. */
  of(ids: readonly string[]): number;
}

/** Only calls count, because it is not certain that a trigger fires again. Reads a generation at a time. */
export async function calledAgain(reads: AppReads, ids: readonly string[], most = MAX_CALLS): Promise<Below> {
  const children = new Map<string, string[]>();
  const below = new Set<string>();
  let unread = [...new Set(ids)];
  for (let generation = 0; unread.length > 0 && generation < GENERATIONS && below.size <= most; generation++) {
    const found: string[] = [];
    for (const parents of inBatches(unread)) {
      if (below.size > most) break;
      for (const parent of parents) children.set(parent, []);
      for (const call of await reads.state_backend.childrenOf(parents, most + 1 - below.size)) {
        if (below.has(call.invocation_id)) continue;
        below.add(call.invocation_id);
        children.get(call.parent_id)?.push(call.invocation_id);
        found.push(call.invocation_id);
      }
    }
    unread = found.filter((id) => !children.has(id));
  }
  const counted = [...below].slice(0, most);
  return {
    called_again: counted.length,
    called_again_capped: below.size > most || unread.length > 0,
    called_again_by_task: await byTask(reads, counted),
    of: (some) => sizeBelow(children, some),
  };
}

async function byTask(reads: AppReads, ids: readonly string[]): Promise<CalledAgain["called_again_by_task"]> {
  const tasks = new Map<string, CalledAgain["called_again_by_task"][number]>();
  for (const batch of inBatches(ids)) {
    const [definitions, statuses] = await Promise.all([
      reads.state_backend.invocationsByIds(batch),
      reads.orchestrator.statusesByIds(batch),
    ]);
    const succeeded = new Set(statuses.flatMap((row) => (row.status === "success" ? [row.invocation_id] : [])));
    for (const { invocation_id, task_id_key } of definitions) {
      const task = tasks.get(task_id_key) ?? { task_id_key, calls: 0, succeeded: 0 };
      tasks.set(task_id_key, task);
      task.calls++;
      if (succeeded.has(invocation_id)) task.succeeded++;
    }
  }
  return [...tasks.values()].sort((a, b) => b.succeeded - a.succeeded || b.calls - a.calls);
}

/** Damaged data may have cycles. */
function sizeBelow(children: ReadonlyMap<string, readonly string[]>, ids: readonly string[]): number {
  const seen = new Set<string>();
  for (let level = [...ids]; level.length > 0; ) {
    level = level.flatMap((one) => children.get(one) ?? []).filter((one) => !seen.has(one));
    for (const one of level) seen.add(one);
  }
  return seen.size;
}

function* inBatches(ids: readonly string[]): Generator<string[]> {
  for (let start = 0; start < ids.length; start += BATCH) yield ids.slice(start, start + BATCH);
}
