/**
 * Finds the invocations of a workflow run. The table of members lists those that started inside it, including roots of sub-workflows, but neither
 * recursive calls of the workflow's own task nor invocations that have not started. Definitions contain the run of every invocation but have no index
 * on it. A child inherits the run of its caller (storage-format.md 1.3), so they are found by following the index on the caller down from the root.
 */
import type { Slice } from "../../ports/common.ts";
import type { WorkflowMemberCount } from "../../ports/state-backend.ts";
import { number, text } from "../tables/columns.ts";
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
  const skip = Math.max(0, offset - (countStarted(handle, tables, [workflowId]).get(workflowId) ?? 0));
  const ids = otherMembers(handle, tables, [workflowId]).get(workflowId)?.ids ?? [];
  return [...started, ...ids.slice(skip, skip + limit - started.length)];
}

export function countWorkflowMembers(
  handle: Queries,
  tables: MemberTables,
  workflowIds: readonly string[],
): Record<string, WorkflowMemberCount> {
  const ids = [...new Set(workflowIds)];
  const started = countStarted(handle, tables, ids);
  const others = otherMembers(handle, tables, ids);
  return Object.fromEntries(
    ids.flatMap((id) => {
      const other = others.get(id);
      const members = (started.get(id) ?? 0) + (other?.ids.length ?? 0);
      return members === 0 ? [] : [[id, { members, exact: other?.all ?? true }]];
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

function countStarted(
  handle: Queries,
  { members }: MemberTables,
  workflowIds: readonly string[],
): ReadonlyMap<string, number> {
  if (members === null || workflowIds.length === 0) return new Map();
  const rows = handle.all(
    `SELECT parent_workflow_id AS id, count(*) AS n FROM ${members}
     WHERE parent_workflow_id IN (SELECT value FROM json_each(?)) GROUP BY parent_workflow_id`,
    JSON.stringify(workflowIds),
  );
  return new Map(rows.map((row) => [text(row.id), number(row.n)]));
}

/** Members of one run not listed in the table. */
interface OtherMembers {
  /** In order of registration. */
  ids: string[];
  /** False if there may be more. */
  all: boolean;
}

/** Of all runs at once, one query for each generation. */
function otherMembers(
  handle: Queries,
  { members, invocations }: MemberTables,
  workflowIds: readonly string[],
): ReadonlyMap<string, OtherMembers> {
  if (invocations === null) return new Map();
  const named =
    members === null
      ? "0"
      : `EXISTS (SELECT 1 FROM ${members} m WHERE m.parent_workflow_id = i.workflow_id AND m.sub_invocation_id = i.invocation_id)`;
  const runs = new Map(
    workflowIds.map((id) => [id, { seen: new Set([id]), others: [] as { id: string; rowid: number }[], all: true }]),
  );
  const roomOf = (run: string) => SCAN_LIMIT - ((runs.get(run)?.seen.size ?? SCAN_LIMIT + 1) - 1);
  let callers = workflowIds.map((id) => [id, id]);
  for (let generation = 0; callers.length > 0; generation++) {
    const searched = [...new Set(callers.map(([, run = ""]) => run))];
    for (const run of searched) {
      const known = runs.get(run);
      if (known !== undefined && (generation === GENERATIONS || roomOf(run) <= 0)) known.all = false;
    }
    const open = callers.filter(([, run = ""]) => runs.get(run)?.all === true);
    if (open.length === 0) break;
    const room = searched.reduce((sum, run) => sum + Math.max(0, roomOf(run)), 0);
    const found = handle.all<{ id: unknown; run: unknown; rowid: number; named: number }>(
      `SELECT i.invocation_id AS id, i.workflow_id AS run, i.rowid AS rowid, ${named} AS named FROM json_each(?) j
       CROSS JOIN ${invocations} i ON i.parent_invocation_id = json_extract(j.value, '$[0]')
       WHERE i.workflow_id = json_extract(j.value, '$[1]') LIMIT ?`,
      JSON.stringify(open),
      room,
    );
    callers = [];
    for (const { id: stored, run: storedRun, rowid, named: isNamed } of found) {
      const [id, run] = [text(stored), text(storedRun)];
      const known = runs.get(run);
      if (known === undefined || known.seen.has(id)) continue;
      if (roomOf(run) <= 0) {
        known.all = false;
        continue;
      }
      known.seen.add(id);
      callers.push([id, run]);
      if (isNamed === 0) known.others.push({ id, rowid });
    }
  }
  return new Map([...runs].map(([id, { others, all }]) => [id, { ids: inOrder(others), all }]));
}

function inOrder(members: readonly { id: string; rowid: number }[]): string[] {
  return [...members].sort((a, b) => a.rowid - b.rowid).map((member) => member.id);
}
