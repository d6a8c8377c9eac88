/** Figures shared by many pages. They are memoised: call these before `store.read`, never inside it. */

import type { InvocationTotals, StatusCount } from "../../api/model/common.ts";
import { totalOf } from "../../pynenc/groups.ts";
import { STATUSES, statusInfo } from "../../pynenc/statuses.ts";
import type { WorkflowTypeCount } from "../../stores/ports/state-backend.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { EventCounters } from "../../stores/ports/trigger.ts";
import type { Forgotten } from "./inventory.ts";
import type { OpenedApp } from "./opened-app.ts";

/** Counts for each of the 13 statuses, including zeros, then for any other statuses in the store. */
export async function statusCounts(app: OpenedApp): Promise<StatusCount[]> {
  const counts = await countByStatus(app);
  const words = [...new Set([...STATUSES.map((s) => s.name), ...Object.keys(counts).sort()])];
  return words.map((status) => {
    const { final, known } = statusInfo(status);
    return { status, count: counts[status] ?? 0, final, known };
  });
}

/** Number of invocations by status word (invocation-life.ts); absent words are zero. */
export async function countByStatus(app: OpenedApp): Promise<Record<string, number>> {
  const { kept, forgotten } = await app.inventory();
  const counts = new Map(Object.entries(kept));
  for (const { status, count } of forgotten.shares()) counts.set(status, (counts.get(status) ?? 0) + count);
  return Object.fromEntries(counts);
}

/** One entry per pair that occurs. Null while a large store is still being counted, so that pages do not wait. */
export async function countByTaskAndStatus(app: OpenedApp): Promise<TaskStatusShare[] | null> {
  const { kept, forgotten } = await app.inventory();
  const total = totalOf(kept);
  const counted = await (total > WAIT_UP_TO
    ? app.memoOrNull(TASK_COUNTS, countKept)
    : app.memo(TASK_COUNTS, countKept));
  return counted === null ? null : withForgotten(counted, forgotten);
}

const TASK_COUNTS = "task counts";

/** Up to this many statuses, callers wait for the count. */
const WAIT_UP_TO = 20_000;

const countKept = (reads: AppReads) => reads.orchestrator.countByTaskAndStatus();

function withForgotten(kept: readonly TaskStatusShare[], forgotten: Forgotten): TaskStatusShare[] {
  const shares = new Map<string, TaskStatusShare>();
  for (const { task_id_key, status, count } of [...kept, ...forgotten.shares()]) {
    const pair = JSON.stringify([task_id_key, status]);
    shares.set(pair, { task_id_key, status, count: count + (shares.get(pair)?.count ?? 0) });
  }
  return [...shares.values()];
}

export interface TaskStatusShare {
  task_id_key: string;
  status: string;
  count: number;
}

/** Statuses of atomic-service executions with their counts. */
export function executionCounts(app: OpenedApp): Promise<Record<string, number>> {
  return app.memo("execution counts", (reads) => reads.orchestrator.countExecutions());
}

/** Null if the layout does not record events. */
export function eventCounters(app: OpenedApp): Promise<EventCounters | null> {
  return app.memo("event counters", (reads) => reads.trigger.eventCounters());
}

export async function invocationTotals(app: OpenedApp): Promise<InvocationTotals> {
  const { kept, defined, forgotten } = await app.inventory();
  const with_status = totalOf(kept);
  return {
    invocations: with_status + forgotten.size,
    with_status,
    defined,
    forgotten: forgotten.size,
    complete: forgotten.complete,
  };
}

/** Workflow types with the number of their runs, by key. */
export function workflowTypeCounts(app: OpenedApp): Promise<WorkflowTypeCount[]> {
  return app.memo("workflow types", (reads) => reads.state_backend.workflowTypes());
}
