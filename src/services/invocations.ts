/** The list of invocations: filtered pages and exports. Details of one invocation are in invocation-detail.ts. */
import { grouped } from "../pynenc/numbers.ts";
import type { AppReads } from "../stores/ports.ts";
import { countByStatus, countByTaskAndStatus, invocationTotals, type StatusCount, statusCounts } from "./counts.ts";
import type { RawInput } from "./input.ts";
import {
  type InvocationFilter,
  type InvocationListInput,
  isStatusFilterOnly,
  isUnfiltered,
  parseInvocationInput,
} from "./invocation-filter.ts";
import { type InvocationRow, invocationRows } from "./invocation-rows.ts";
import { InvocationWalk, statusFilterOf } from "./invocation-walk.ts";
import type { OpenedApp } from "./opened-app.ts";
import { type PageInfo, pageOf, sliceOf } from "./paging.ts";
import { taskKeys } from "./tasks.ts";
import { listTimeline, type TimelineQuery } from "./timeline-links.ts";
import { workflowTypeCounts } from "./workflows.ts";

export interface InvocationList {
  invocations: InvocationRow[];
  page: PageInfo;
  filter: InvocationFilter;
  /** The rows of this page on a time line; null when there are none. */
  timeline: TimelineQuery | null;
  /** What the list leaves out or how it is ordered, when that is not obvious. */
  notes: string[];
}

/** What the filter form offers. */
export interface FilterChoices {
  statuses: StatusCount[];
  task_id_keys: string[];
  workflow_type_keys: string[];
}

export async function filterChoices(app: OpenedApp): Promise<FilterChoices> {
  const [statuses, task_id_keys, types] = await Promise.all([
    statusCounts(app),
    taskKeys(app),
    workflowTypeCounts(app),
  ]);
  return { statuses, task_id_keys, workflow_type_keys: types.map((type) => type.workflow_type_key) };
}

/** Candidates that a page may look at when no index answers its whole filter. */
const LOOK_LIMIT = 100_000;

/** Rows are counted up to here; beyond, the total is "more than". */
const COUNT_CAP = 10_000;

/** @throws InvalidInputError */
export async function readInvocationInput(app: OpenedApp, raw: RawInput): Promise<InvocationListInput> {
  const counts = raw.status === undefined ? {} : await countByStatus(app);
  return parseInvocationInput(raw, Object.keys(counts), app.now());
}

export async function listInvocations(app: OpenedApp, { filter, page }: InvocationListInput): Promise<InvocationList> {
  const totals = await invocationTotals(app);
  const byDefinition = totals.defined > totals.with_status;
  const known = await knownTotal(app, filter, byDefinition, totals);
  const ordered = isStatusFilterOnly(filter) && !(isUnfiltered(filter) && byDefinition);
  return app.store.read((reads) =>
    ordered ? indexedPage(reads, filter, page, known) : walkedPage(reads, filter, page, byDefinition, known),
  );
}

/** Totals that counts already at hand tell; null otherwise. */
async function knownTotal(
  app: OpenedApp,
  filter: InvocationFilter,
  byDefinition: boolean,
  totals: { with_status: number; defined: number },
): Promise<number | null> {
  if (isUnfiltered(filter)) return byDefinition ? totals.defined : totals.with_status;
  if (!isStatusFilterOnly(filter) || filter.call_id_key !== null || filter.id_prefix !== null) return null;
  const wanted = (status: string) => filter.statuses.length === 0 || filter.statuses.includes(status);
  if (filter.task_id_key === null) {
    const counts = await countByStatus(app);
    return Object.entries(counts).reduce((sum, [status, n]) => sum + (wanted(status) ? n : 0), 0);
  }
  const counts = await countByTaskAndStatus(app);
  return counts.reduce(
    (sum, row) => sum + (row.task_id_key === filter.task_id_key && wanted(row.status) ? row.count : 0),
    0,
  );
}

async function indexedPage(
  reads: AppReads,
  filter: InvocationFilter,
  page: { number: number; size: number },
  known: number | null,
): Promise<InvocationList> {
  const conditions = statusFilterOf(filter);
  const listed = await reads.orchestrator.listInvocations(conditions, sliceOf(page));
  const total = known ?? (await reads.orchestrator.countInvocations(conditions, COUNT_CAP));
  const { rows, page: place } = pageOf(listed, page, total, known === null && total === COUNT_CAP);
  const invocations = await invocationRows(
    reads,
    rows.map((row) => row.invocation_id),
  );
  return { invocations, page: place, filter, timeline: listTimeline(invocations), notes: [] };
}

async function walkedPage(
  reads: AppReads,
  filter: InvocationFilter,
  page: { number: number; size: number },
  byDefinition: boolean,
  known: number | null,
): Promise<InvocationList> {
  const walk = new InvocationWalk(filter, byDefinition);
  const { limit, offset } = sliceOf(page);
  const found = await walk.next(reads, offset + limit, LOOK_LIMIT);
  const total = known ?? (walk.done ? found.length : null);
  const { rows, page: place } = pageOf(found.slice(offset), page, total);
  const notes: string[] = [];
  if (filter.from !== null || filter.to !== null) {
    notes.push("Invocations with a status change in the time range, the one with the latest change first.");
  }
  if (!walk.done && found.length < offset + limit) {
    notes.push(
      `The search stopped after ${grouped(walk.looked)} candidates; older ones were not looked at. Narrow the filter or the time range.`,
    );
  }
  const invocations = await invocationRows(reads, rows);
  return { invocations, page: place, filter, timeline: listTimeline(invocations), notes };
}

/**
 * All rows of a filter, newest first, in batches that each take a snapshot of their own: an export of any length holds neither memory nor a
 * read transaction.
 */
export async function* exportInvocations(app: OpenedApp, filter: InvocationFilter): AsyncGenerator<InvocationRow[]> {
  const totals = await invocationTotals(app);
  const walk = new InvocationWalk(filter, totals.defined > totals.with_status);
  while (!walk.done) {
    const rows = await app.store.read(async (reads) => invocationRows(reads, await walk.next(reads, 500, LOOK_LIMIT)));
    if (rows.length > 0) yield rows;
  }
}
