/**
 * Finds the invocations of a workflow run. The table of members lists those that started inside it, including roots of sub-workflows, but neither
 * recursive calls of the workflow's own task nor invocations that have not started. Definitions contain the run of every invocation but have no index
 * on it. A child inherits the run of its caller (storage-format.md 1.3), so they are found by following the index on the caller down from the root.
 */
import type { Slice } from "../../ports/common.ts";
import type { WorkflowMemberCount } from "../../ports/state-backend.ts";
import { text } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";

/** Limit of members of one run searched for others. */
const SCAN_LIMIT = 2_000;

/** Limit of generations followed, each with one query. */
const GENERATIONS = 200;

interface MemberTables {
  /** Tables of the state backend; null if the file lacks them. */
  members: string | null;
  invocations: string | null;
}

/** First the members listed in the table, in order of start, then the others in order of registration. */
export function workflowMembers(
  handle: Queries,
  tables: MemberTables,
  workflowId: string,
  { limit, offset }: Slice,
): string[] {
  const started = startedMembers(handle, tables, workflowId, limit, offset);
  if (started.length === limit) return started;
  const skip = Math.max(0, offset - countStarted(handle, tables, workflowId));
  const { ids } = otherMembers(handle, tables, workflowId);
  return [...started, ...ids.slice(skip, skip + limit - started.length)];
}

export function countWorkflowMembers(
  handle: Queries,
  tables: MemberTables,
  workflowIds: readonly string[],
): Record<string, WorkflowMemberCount> {
  return Object.fromEntries(
    [...new Set(workflowIds)].flatMap((id) => {
      const { ids, all } = otherMembers(handle, tables, id);
      const members = countStarted(handle, tables, id) + ids.length;
      return members === 0 ? [] : [[id, { members, exact: all }]];
    }),
  );
}

function startedMembers(
  handle: Queries,
  { members }: MemberTables,
  workflowId: string,
  limit: number,
  offset: number,
): string[] {
  if (members === null) return [];
  return handle
    .all(
      `SELECT sub_invocation_id AS id FROM ${members} WHERE parent_workflow_id = ? ORDER BY rowid LIMIT ? OFFSET ?`,
      workflowId,
      limit,
      offset,
    )
    .map((row) => text(row.id));
}

function countStarted(handle: Queries, { members }: MemberTables, workflowId: string): number {
  return members === null
    ? 0
    : handle.number(`SELECT count(*) FROM ${members} WHERE parent_workflow_id = ?`, workflowId);
}

/** Members not listed in the table, in order of registration; `all` is false if there may be more. */
function otherMembers(
  handle: Queries,
  { members, invocations }: MemberTables,
  workflowId: string,
): { ids: string[]; all: boolean } {
  if (invocations === null) return { ids: [], all: true };
  const named =
    members === null
      ? "0"
      : `EXISTS (SELECT 1 FROM ${members} m WHERE m.parent_workflow_id = i.workflow_id AND m.sub_invocation_id = i.invocation_id)`;
  const seen = new Set([workflowId]);
  const others: { id: string; rowid: number }[] = [];
  let callers = [workflowId];
  for (let generation = 0; callers.length > 0; generation++) {
    const room = SCAN_LIMIT - (seen.size - 1);
    if (generation === GENERATIONS || room <= 0) return { ids: inOrder(others), all: false };
    const found = handle.all<{ id: unknown; rowid: number; named: number }>(
      `SELECT i.invocation_id AS id, i.rowid AS rowid, ${named} AS named FROM json_each(?) j
       CROSS JOIN ${invocations} i ON i.parent_invocation_id = j.value WHERE i.workflow_id = ? LIMIT ?`,
      JSON.stringify(callers),
      workflowId,
      room,
    );
    callers = [];
    for (const { id: stored, rowid, named: isNamed } of found) {
      const id = text(stored);
      if (seen.has(id)) continue;
      seen.add(id);
      callers.push(id);
      if (isNamed === 0) others.push({ id, rowid });
    }
  }
  return { ids: inOrder(others), all: true };
}

function inOrder(members: readonly { id: string; rowid: number }[]): string[] {
  return [...members].sort((a, b) => a.rowid - b.rowid).map((member) => member.id);
}
