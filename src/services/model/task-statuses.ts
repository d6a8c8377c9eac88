import type { TaskStatusCount } from "../../api/tasks.ts";
import { STATUSES } from "../../pynenc/statuses.ts";
import type { TaskStatusShare } from "../app/counts.ts";

/** Counts by task, each in the order of an invocation's life. */
export function statusesByTask(counts: readonly TaskStatusShare[]): Map<string, TaskStatusCount[]> {
  const groups = new Map<string, TaskStatusCount[]>();
  for (const { task_id_key, status, count } of counts) {
    const group = groups.get(task_id_key) ?? [];
    group.push({ status, count });
    groups.set(task_id_key, group);
  }
  for (const group of groups.values()) group.sort((a, b) => lifeOrder(a.status) - lifeOrder(b.status));
  return groups;
}

function lifeOrder(status: string): number {
  const index = STATUSES.findIndex((s) => s.name === status);
  return index === -1 ? STATUSES.length : index;
}
