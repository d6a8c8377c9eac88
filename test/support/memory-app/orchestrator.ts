import type { ExecutionRecord, InvocationStatusRecord } from "../../../src/pynenc/records.ts";
import type { RunnerIdMatch, Slice } from "../../../src/stores/ports/common.ts";
import type {
  ExecutionFilter,
  OrchestratorReads,
  StatusFilter,
  StatusRow,
} from "../../../src/stores/ports/orchestrator.ts";
import type { Sync } from "../../../src/stores/sqlite/calls/sync.ts";
import { behind, counted, type MemoryRows, ofAny, sliceOf, sortedBy, unique } from "./rows.ts";

/** Newest registrations of a task that stand for its latest change, as in the real stores. */
const NEWEST_OF_TASK = 20;

export function orchestratorReads({
  statuses,
  heartbeats,
  edges,
  executions,
  ids_indexed,
}: MemoryRows): Sync<OrchestratorReads> {
  const newestFirst = [...statuses].reverse();
  const active = (since: number | undefined) =>
    heartbeats.filter(({ last_heartbeat }) => since === undefined || last_heartbeat >= since);
  const listedExecutions = (filter: ExecutionFilter = {}) =>
    sortedBy(
      executions.filter((run) => executionMeets(run, filter)),
      (run) => -run.start_time,
      (run) => run.atomic_service_run_id,
    );
  const listInvocations = (filter: StatusFilter, slice: Slice, after?: string) =>
    sliceOf(
      behind(newestFirst, (row) => row.invocation_id, after).filter((row) => statusMeets(row, filter)),
      slice,
    ).map((row): StatusRow => ({ ...row, cursor: row.invocation_id }));
  const isIndexed = ({ id_prefix }: StatusFilter) => ids_indexed || id_prefix === undefined;
  return {
    countByStatus: () => counted(statuses, (row) => row.status),
    countByTaskAndStatus: () =>
      unique(statuses.map((row) => row.task_id_key)).flatMap((task_id_key) =>
        Object.entries(
          counted(
            statuses.filter((row) => row.task_id_key === task_id_key),
            (row) => row.status,
          ),
        ).map(([status, count]) => ({ task_id_key, status, count })),
      ),
    taskKeys: () => unique(statuses.map((row) => row.task_id_key)).sort(),
    lastActivityOfTasks: (keys) =>
      Object.fromEntries(
        keys.flatMap((key) => {
          const newest = newestFirst.filter((row) => row.task_id_key === key).slice(0, NEWEST_OF_TASK);
          return newest.length === 0 ? [] : [[key, Math.max(...newest.map((row) => row.status_timestamp))]];
        }),
      ),
    statusesByIds: (ids) => statuses.filter(ofAny(ids)),
    listInvocations,
    isIndexed,
    scanInvocations: (filter, limit, scanLimit, after) => {
      if (isIndexed(filter)) {
        const found = listInvocations(filter, { limit, offset: 0 }, after);
        return { rows: found, scanned: found.length, stopped: null };
      }
      const rows: StatusRow[] = [];
      let scanned = 0;
      for (const row of behind(newestFirst, (one) => one.invocation_id, after)) {
        scanned++;
        const place = { invocation_id: row.invocation_id, cursor: row.invocation_id };
        if (statusMeets(row, filter)) rows.push({ ...row, cursor: place.cursor });
        if (rows.length >= limit) break;
        if (scanned >= scanLimit) return { rows, scanned, stopped: place };
      }
      return { rows, scanned, stopped: null };
    },
    countInvocations: (filter, cap) => Math.min(cap, statuses.filter((row) => statusMeets(row, filter)).length),
    heartbeats: (slice, activeSince) =>
      sliceOf(
        sortedBy(
          active(activeSince),
          (beat) => -beat.last_heartbeat,
          (beat) => beat.runner_id,
        ),
        slice,
      ),
    countHeartbeats: (activeSince) => active(activeSince).length,
    consumers: (activeSince) => {
      const lists = new Map<string, { queues: readonly string[] | null; runners: number }>();
      for (const { consumed_queues: queues } of active(activeSince)) {
        const known = lists.get(JSON.stringify(queues)) ?? { queues, runners: 0 };
        lists.set(JSON.stringify(queues), { ...known, runners: known.runners + 1 });
      }
      return [...lists].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    },
    heartbeatsByIds: (ids) => heartbeats.filter((beat) => ids.includes(beat.runner_id)),
    runnerIdsLike: (parts, place, limit) =>
      matchingRunnerIds(
        heartbeats.map((beat) => beat.runner_id),
        parts,
        place,
        limit,
      ),
    blockingEdges: (slice) => sliceOf([...edges].reverse(), slice),
    countBlockingEdges: () => edges.length,
    blockingEdgesOf: (id, limit) =>
      edges.filter((edge) => edge.waiter_id === id || edge.waited_id === id).slice(0, limit),
    pendingSince: (before, limit) =>
      sortedBy(
        statuses.filter((row) => row.status === "pending" && row.status_timestamp <= before),
        (row) => row.status_timestamp,
      ).slice(0, limit),
    ownedByDeadRunner: (words, deadBefore, each) => {
      const alive = active(deadBefore).map((beat) => beat.runner_id);
      const lost = statuses.filter((row) => row.status_runner_id !== null && !alive.includes(row.status_runner_id));
      return words.flatMap((word) =>
        sortedBy(
          lost.filter((row) => row.status === word),
          (row) => row.status_timestamp,
        ).slice(0, each),
      );
    },
    countExecutionsByStatus: () => counted(executions, (run) => run.status),
    executions: (slice, filter) => sliceOf(listedExecutions(filter), slice),
    countExecutions: (filter, cap = Number.MAX_SAFE_INTEGER) => Math.min(cap, listedExecutions(filter).length),
    executionsByIds: (ids) => executions.filter((run) => ids.includes(run.atomic_service_run_id)),
  };
}

/** Also of the state backend, whose contexts have such ids too. */
export function matchingRunnerIds(
  runnerIds: readonly string[],
  parts: readonly string[],
  place: "beginning" | "anywhere",
  limit: number,
): RunnerIdMatch[] {
  return parts.flatMap((part) =>
    runnerIds
      .filter((id) => (place === "beginning" ? id.startsWith(part) : id.includes(part)))
      .slice(0, limit)
      .map((runner_id) => ({ part, runner_id })),
  );
}

function statusMeets(row: InvocationStatusRecord, filter: StatusFilter): boolean {
  return (
    (filter.statuses === undefined || filter.statuses.includes(row.status)) &&
    (filter.task_id_key === undefined || filter.task_id_key === row.task_id_key) &&
    (filter.call_id_key === undefined || filter.call_id_key === row.call_id_key) &&
    row.invocation_id.startsWith(filter.id_prefix ?? "")
  );
}

function executionMeets(run: ExecutionRecord, filter: ExecutionFilter): boolean {
  return (
    (filter.from === undefined || run.end_time === null || run.end_time >= filter.from) &&
    (filter.to === undefined || run.start_time <= filter.to) &&
    (filter.runner_id === undefined || run.runner_id === filter.runner_id) &&
    (filter.status === undefined || run.status === filter.status) &&
    run.atomic_service_run_id.startsWith(filter.id_prefix ?? "") &&
    (filter.min_seconds === undefined || (run.end_time !== null && run.end_time - run.start_time >= filter.min_seconds))
  );
}
