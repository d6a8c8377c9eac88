/** Workflow runs and their members (storage-format.md 9.2). */
import { parseWorkflowRun } from "../../../pynenc/json-documents.ts";
import type { WorkflowRunRecord } from "../../../pynenc/records.ts";
import type { WorkflowMemberCount, WorkflowReads, WorkflowTypeCount } from "../../ports/state-backend.ts";
import type { RedisReading } from "../keys/reading.ts";
import { recordsOf } from "../keys/records.ts";
import type { Command } from "../server/connection.ts";
import { textsOf } from "../server/db.ts";
import { among, membersOf, sizesOf } from "../server/sets.ts";
import { registeredEntries } from "./history-window.ts";
import { indexReach, inOrder, membersInOrder, type Registered, timeIndex, walkIndex } from "./registered.ts";

/** Up to this many runs are sorted if the newest invocations do not contain enough runs. */
const SORTED_RUNS = 5_000;

/** Minimum of invocations read before runs are sorted instead. */
const FIRST_SCAN = 1_000;

/** Limits of the invocations read in the first step. */
const SMALLEST_STEP = 50;
const LARGEST_STEP = 5_000;

/** Defined members of one run that are compared with the started ones. */
const COMPARED_MEMBERS = 2_000;

/** Limit of members searched for sub-workflows, which are not indexed. */
const SUB_WORKFLOW_SCAN_LIMIT = 100_000;

export function workflowReads(reading: RedisReading): WorkflowReads {
  const db = reading.db("state_backend");
  const membersKey = (workflowId: string) => startedKey(reading, workflowId);
  const membersOfRun = (workflowId: string) =>
    membersInOrder(
      reading,
      { db, set: membersKey(workflowId), index: timeIndex(reading), ancestor: workflowId },
      "oldest",
    );

  return {
    workflowTypes: () => workflowTypes(reading),

    async workflowRuns({ limit, offset }, filter = {}) {
      const runs = await ("workflow_ids" in filter
        ? runsOf(reading, filter.workflow_ids)
        : newestRuns(reading, filter.workflow_type_key, offset + limit));
      return runs.slice(offset, offset + limit);
    },

    async subWorkflows(workflowId, limit) {
      const found: WorkflowRunRecord[] = [];
      let scanned = 0;
      for await (const some of membersOfRun(workflowId)) {
        const runs = await runsOf(
          reading,
          some.map((row) => row.invocation_id),
        );
        found.push(...runs.filter((run) => run.parent_workflow_id === workflowId));
        scanned += some.length;
        if (found.length >= limit || scanned >= SUB_WORKFLOW_SCAN_LIMIT) break;
      }
      return found.slice(0, limit);
    },

    async workflowMembers(workflowId, { limit, offset }) {
      const ids: string[] = [];
      for await (const some of membersOfRun(workflowId)) {
        for (const { invocation_id } of some) ids.push(invocation_id);
        if (ids.length >= offset + limit) return ids.slice(offset, offset + limit);
      }
      const [others] = await othersOf(reading, [workflowId]);
      const ordered = await inOrder(reading, others?.ids ?? [], "oldest");
      return [...ids, ...ordered.map((row) => row.invocation_id)].slice(offset, offset + limit);
    },

    async countWorkflowMembers(workflowIds) {
      const ids = [...new Set(workflowIds)];
      const [sizes, others] = await Promise.all([sizesOf(db, ids.map(membersKey)), othersOf(reading, ids)]);
      const counts = ids.map((id, i): [string, WorkflowMemberCount] => {
        const { ids: found = [], all = true } = others[i] ?? {};
        return [id, { members: (sizes[i] ?? 0) + found.length, exact: all }];
      });
      return Object.fromEntries(counts.filter(([, { members }]) => members > 0));
    },
  };
}

/** Set of invocations that started inside the run. Recursive calls of its own task are never added (storage-format.md 9.2). */
function startedKey(reading: RedisReading, workflowId: string): string {
  return reading.keys.key("state_backend", "workflow", workflowId, "sub_invocations");
}

/**
 * For each run, the members that only their definition assigns to it; `all` is false if there may be more. For a large run, only the first members of
 * its set are compared, in the server's order.
 */
async function othersOf(
  reading: RedisReading,
  workflowIds: readonly string[],
): Promise<{ ids: string[]; all: boolean }[]> {
  const db = reading.db("state_backend");
  const definedKeys = workflowIds.map((id) => reading.keys.key("state_backend", "workflow", "invocations", id));
  const sizes = await sizesOf(db, definedKeys);
  const replies = await db.exchange(
    workflowIds.map((id, i): Command => {
      const key = definedKeys[i] ?? "";
      return (sizes[i] ?? 0) <= COMPARED_MEMBERS
        ? ["SDIFF", key, startedKey(reading, id)]
        : ["SSCAN", key, "0", "COUNT", String(COMPARED_MEMBERS)];
    }),
  );
  return Promise.all(
    workflowIds.map(async (id, i) => {
      const reply = replies[i];
      const complete = (sizes[i] ?? 0) <= COMPARED_MEMBERS;
      const found = textsOf(complete || !Array.isArray(reply) ? reply : reply[1]).filter((member) => member !== id);
      if (complete) return { ids: found, all: true };
      const started = await among(db, startedKey(reading, id), found);
      return { ids: found.filter((member) => !started.has(member)), all: false };
    }),
  );
}

/** Types with runs, in alphabetical order, or only this one. */
async function workflowTypes(reading: RedisReading, only?: string): Promise<WorkflowTypeCount[]> {
  const db = reading.db("state_backend");
  const types =
    only === undefined
      ? (await db.texts("SMEMBERS", reading.keys.key("state_backend", "workflow", "types"))).sort()
      : [only];
  const sizes = await sizesOf(
    db,
    types.map((type) => typeIndex(reading, type)),
  );
  return types
    .map((workflow_type_key, i) => ({ workflow_type_key, runs: sizes[i] ?? 0 }))
    .filter(({ runs }) => runs > 0);
}

function typeIndex(reading: RedisReading, type: string): string {
  return reading.keys.key("state_backend", "workflow", "type_index", type);
}

function runsOf(reading: RedisReading, workflowIds: readonly string[]): Promise<WorkflowRunRecord[]> {
  const keyOf = (id: string) => reading.keys.key("state_backend", "workflow", "run", id);
  return recordsOf(reading.db("state_backend"), workflowIds, keyOf, parseWorkflowRun);
}

/**
 * At least the first `end` runs, newest first. Start times of runs are not stored, so they are ordered by the registration of their root invocation,
 * which has the same id.
 */
async function newestRuns(reading: RedisReading, type: string | undefined, end: number): Promise<WorkflowRunRecord[]> {
  const db = reading.db("state_backend");
  const [types, registrations] = await Promise.all([
    workflowTypes(reading, type),
    reading.db("orchestrator").number("ZCARD", timeIndex(reading, type)),
  ]);
  const indexes = types.map((row) => typeIndex(reading, row.workflow_type_key));
  const total = types.reduce((sum, { runs }) => sum + runs, 0);
  const wanted = Math.min(end, total);
  if (wanted === 0) return [];
  // The cost of a walk depends on the invocations read, the cost of sorting on the number of runs. Walk until sorting is cheaper.
  const scanLimit = total > SORTED_RUNS ? Number.POSITIVE_INFINITY : Math.max(FIRST_SCAN, total);
  // So many that most likely enough of them are runs.
  const step = Math.min(LARGEST_STEP, Math.max(SMALLEST_STEP, Math.ceil((wanted * 2 * registrations) / total)));
  const index = walkIndex(reading, timeIndex(reading, type), { order: "newest", step });
  const walked = await runsAmong(reading, index, type, wanted, scanLimit);
  if (walked.length >= wanted) return walked;
  // Runs are rare among invocations, or the orchestrator was purged.
  if (total > SORTED_RUNS) {
    if ((await indexReach(reading)).complete) return walked;
    return runsAmong(reading, registeredEntries(reading), type, wanted, Number.POSITIVE_INFINITY);
  }
  const sets = await membersOf(db, indexes, SORTED_RUNS);
  const ids = await inOrder(
    reading,
    sets.flatMap((members) => members ?? []),
    "newest",
  );
  return runsOf(
    reading,
    ids.map((row) => row.invocation_id),
  );
}

/** Runs whose root is among these ids. Stops after `wanted` runs or `scanLimit` ids. */
async function runsAmong(
  reading: RedisReading,
  ids: AsyncIterable<readonly Registered[]>,
  type: string | undefined,
  wanted: number,
  scanLimit: number,
): Promise<WorkflowRunRecord[]> {
  const runs: WorkflowRunRecord[] = [];
  let scanned = 0;
  for await (const some of ids) {
    const found = await runsOf(
      reading,
      some.map((row) => row.invocation_id),
    );
    for (const run of found) if (type === undefined || run.workflow_type_key === type) runs.push(run);
    scanned += some.length;
    if (runs.length >= wanted || scanned >= scanLimit) break;
  }
  return runs;
}
