/** Counts the invocations that match a filter, by status, task or exception. */
import type { GroupedBy, InvocationGroup, InvocationGroups } from "../../api/invocations.ts";
import { grouped } from "../../pynenc/numbers.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { countByTaskAndStatus, invocationTotals } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { queryValue } from "../input/query-text.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { isStatusFilterOnly, needsHistory } from "../model/invocation-filter.ts";
import { lifeOf } from "../model/invocation-life.ts";
import { InvocationWalk, type WalkProgress } from "../model/invocation-walk.ts";
import { STILL_SCANNING } from "../model/listed-invocations.ts";
import { exceptionNames } from "../model/stored-values.ts";

/** How many of the newest invocations are read if no index provides the counts. */
export interface GroupBudget {
  /** Limit of matches counted. */
  matches: number;
  /** Limit of candidates read to find them. */
  candidates: number;
  onProgress?: WalkProgress;
}

/** Matches read at a time, each time in its own snapshot. */
const BATCH = 500;

/** Limit of groups returned, largest first. */
const GROUPS_LISTED = 200;

/**
 * Groups of all matches of the filter, for each of these groupings, or of the newest matches if the budget runs out. By task and status, counts are
 * complete if an index can answer the filter. Only exceptions of failed invocations count.
 */
export async function groupInvocations(
  app: OpenedApp,
  filter: InvocationFilter,
  groupings: readonly GroupedBy[],
  budget: GroupBudget,
): Promise<InvocationGroups[]> {
  const known = await countedByIndex(app, filter, groupings);
  const walked = groupings.filter((by) => !known.has(by));
  const found = await countedByWalk(app, filter, walked, budget);
  return groupings.flatMap((by) => known.get(by) ?? found.get(by) ?? []);
}

type Tally = Map<string | null, InvocationGroup>;

/** Counts all groupings in one walk. */
async function countedByWalk(
  app: OpenedApp,
  filter: InvocationFilter,
  groupings: readonly GroupedBy[],
  budget: GroupBudget,
): Promise<Map<GroupedBy, InvocationGroups>> {
  const onlyFailed = groupings.every((by) => by === "exception");
  const walked = onlyFailed ? failedAmong(filter) : filter;
  const tallies = new Map(groupings.map((by): [GroupedBy, Tally] => [by, new Map()]));
  if (groupings.length === 0 || walked === null) return answers(tallies, { looked: 0, complete: true, notes: [] });
  const inventory = await app.inventory();
  const walk = new InvocationWalk(walked, () => inventory);
  let found = 0;
  while (!walk.done && found < budget.matches && walk.scanned < budget.candidates) {
    await app.store.read(async (reads) => {
      const wanted = Math.min(BATCH, budget.matches - found);
      const ids = await walk.next(reads, wanted, budget.candidates - walk.scanned, (scanned, more) =>
        budget.onProgress?.(scanned, found + more),
      );
      found += ids.length;
      const values = await valuesOf(reads, groupings, ids);
      for (const [by, rows] of values) for (const row of rows) count(tallies.get(by), by, row);
    });
  }
  const scanning = walk.incomplete ? [STILL_SCANNING] : [];
  const notes = walk.done
    ? scanning
    : [`Only the newest ${grouped(found)} matches are counted, of ${grouped(walk.scanned)} invocations searched.`];
  return answers(tallies, { looked: walk.scanned, complete: notes.length === 0, notes });
}

interface Counted {
  invocation_id: string | null;
  value: string | null;
}

function count(tally: Tally | undefined, by: GroupedBy, { invocation_id, value }: Counted, number = 1): void {
  const group = tally?.get(value) ?? {
    value,
    query: queryFor(by, value),
    invocations: 0,
    latest_invocation_id: invocation_id,
  };
  tally?.set(value, { ...group, invocations: group.invocations + number });
}

/** The query term that selects the group; null if there is none. */
function queryFor(by: GroupedBy, value: string | null): string | null {
  if (value === null || value === "") return null;
  return `${by}:${queryValue(value)}`;
}

/** The filter restricted to failed invocations; null if it excludes them. A filter by former statuses says nothing about the current one, so it is kept. */
function failedAmong(filter: InvocationFilter): InvocationFilter | null {
  if (needsHistory(filter)) return filter;
  if (filter.statuses.length > 0 && !filter.statuses.includes("failed")) return null;
  return { ...filter, statuses: ["failed"] };
}

/** Groups that an index can count. */
async function countedByIndex(
  app: OpenedApp,
  filter: InvocationFilter,
  groupings: readonly GroupedBy[],
): Promise<Map<GroupedBy, InvocationGroups>> {
  const { statuses, task_id_key, call_id_key, id_prefix } = filter;
  const indexed = isStatusFilterOnly(filter) && call_id_key === null && id_prefix === null;
  const answered = indexed ? groupings.filter((by) => by !== "exception") : [];
  const shares = answered.length === 0 ? null : await countByTaskAndStatus(app);
  if (shares === null) return new Map();
  const tallies = new Map(answered.map((by): [GroupedBy, Tally] => [by, new Map()]));
  for (const share of shares) {
    if (statuses.length > 0 && !statuses.includes(share.status)) continue;
    if (task_id_key !== null && task_id_key !== share.task_id_key) continue;
    for (const [by, tally] of tallies) {
      const value = by === "status" ? share.status : share.task_id_key;
      count(tally, by, { invocation_id: null, value }, share.count);
    }
  }
  const { complete } = await invocationTotals(app);
  return answers(tallies, { looked: 0, complete, notes: complete ? [] : [STILL_SCANNING] });
}

/** The group of each invocation. Only failed ones belong to an exception. */
async function valuesOf(
  reads: AppReads,
  groupings: readonly GroupedBy[],
  ids: readonly string[],
): Promise<[GroupedBy, Counted[]][]> {
  const statuses = await reads.orchestrator.statusesByIds(ids);
  const statusOf = new Map(statuses.map((row) => [row.invocation_id, row]));
  const forgotten = ids.filter((id) => !statusOf.has(id));
  const [definitions, spans] = await Promise.all([
    forgotten.length === 0 ? [] : reads.state_backend.invocationsByIds(forgotten),
    forgotten.length === 0 ? [] : reads.state_backend.historySpanOf(forgotten),
  ]);
  const taskOf = new Map([...definitions, ...statuses].map((row) => [row.invocation_id, row.task_id_key]));
  const spanOf = new Map(spans.map((span) => [span.invocation_id, span]));
  const wordOf = new Map(ids.map((id) => [id, lifeOf(statusOf.get(id), spanOf.get(id)).status]));
  const failed = groupings.includes("exception") ? ids.filter((id) => wordOf.get(id) === "failed") : [];
  const nameOf = await exceptionNames(reads, failed);
  const valued = { status: [ids, wordOf], task: [ids, taskOf], exception: [failed, nameOf] } as const;
  return groupings.map((by) => {
    const [counted, found] = valued[by];
    return [by, counted.map((invocation_id) => ({ invocation_id, value: found.get(invocation_id) ?? null }))];
  });
}

function answers(
  tallies: ReadonlyMap<GroupedBy, Tally>,
  how: Pick<InvocationGroups, "looked" | "complete" | "notes">,
): Map<GroupedBy, InvocationGroups> {
  return new Map([...tallies].map(([by, tally]) => [by, answer(by, tally, how)]));
}

/** Largest first, then by name. */
function answer(
  by: GroupedBy,
  tally: Tally,
  { looked, complete, notes }: Pick<InvocationGroups, "looked" | "complete" | "notes">,
): InvocationGroups {
  const groups = [...tally.values()].sort(
    (a, b) => b.invocations - a.invocations || ((a.value ?? "") < (b.value ?? "") ? -1 : 1),
  );
  return {
    by,
    groups: groups.slice(0, GROUPS_LISTED),
    groups_count: groups.length,
    invocations: groups.reduce((sum, group) => sum + group.invocations, 0),
    complete,
    looked,
    notes,
  };
}
