/**
 * Which invocations belong to a run of a workflow. The table of members names those that started inside it, roots of sub-workflows among
 * them, but neither recursive calls of the workflow's own task nor what has not started. Definitions name the run of every invocation, but
 * no index leads from a run to them: a child inherits the run of its caller (storage-format.md 1.3), so they are found downwards from the root, by
 * the index on the caller.
 */
import type { Slice } from "../../ports/common.ts";
import type { WorkflowMemberCount } from "../../ports/state-backend.ts";
import { text } from "../tables/columns.ts";
import type { Queries } from "../tables/queries.ts";

/** Members of one run among which others are looked for. */
const SCAN_LIMIT = 2_000;

/** Generations that are followed: each is a query. */
const GENERATIONS = 200;

interface MemberTables {
  /** Of the state backend; null where the file lacks them. */
  members: string | null;
  invocations: string | null;
}

/** First those that the table names, in the order of their start, then the others in the order of their registration. */
export function workflowMembers(
  handle: Queries,
  tables: MemberTables,
  workflowId: string,
  { limit, offset }: Slice,
): string[] {
  const started = startedMembers(handle, tables, workflowId, limit, offset);
  if (started.length === limit) return started;
  const behind = Math.max(0, offset - countStarted(handle, tables, workflowId));
  const { ids } = otherMembers(handle, tables, workflowId);
  return [...started, ...ids.slice(behind, behind + limit - started.length)];
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

/** Members that the table does not name, in the order of their registration; `all` unless there may be more. */
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
