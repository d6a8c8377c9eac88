/** Lists of invocations: filtered pages and exports. For a single invocation see invocation-detail.ts. */
import type { FilterChoices, InvocationList } from "../../api/invocations.ts";
import type { PageInfo } from "../../api/model/common.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { quote } from "../../errors.ts";
import { invocationIdOf } from "../../pynenc/keys.ts";
import { grouped } from "../../pynenc/numbers.ts";
import { isKnownStatus } from "../../pynenc/statuses.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Cursor } from "../../stores/ports/common.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { readsAsOf } from "../app/as-of.ts";
import {
  countByStatus,
  countByTaskAndStatus,
  invocationTotals,
  statusCounts,
  workflowTypeCounts,
} from "../app/counts.ts";
import type { Inventory } from "../app/inventory.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { type InvocationFilter, shownFilter } from "../model/filter-type.ts";
import {
  type Extent,
  type InvocationListInput,
  isStatusFilterOnly,
  isUnfiltered,
  needsHistory,
  onlyParentOf,
  parseInvocationInput,
  refusePresentFilters,
} from "../model/invocation-filter.ts";
import { textTermNotes } from "../model/invocation-query.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { InvocationWalk, statusFilterOf, type WalkProgress } from "../model/invocation-walk.ts";
import { invocationsAfter, STILL_SCANNING, sliceOfInvocations } from "../model/listed-invocations.ts";
import { taskKeys } from "../model/task-keys.ts";
import { listTimeline } from "../model/timeline-links.ts";
import { NAMED } from "../verdicts/finding.ts";
import { resolvedParameters } from "./resolved-parameters.ts";
import { type InvocationSort, readSort, sortedInvocations } from "./sorted.ts";
import { unknownNames } from "./unknown-names.ts";

export async function filterChoices(app: OpenedApp): Promise<FilterChoices> {
  const [statuses, task_id_keys, types] = await Promise.all([
    statusCounts(app),
    taskKeys(app),
    workflowTypeCounts(app),
  ]);
  return { statuses, task_id_keys, workflow_type_keys: types.map((type) => type.workflow_type_key) };
}

/** Candidates that a page may read if no index answers the full filter. */
const SCAN_LIMIT = 100_000;

/** Candidates that a page may read if arguments, exception or history of each must be read too. */
const CONDITIONS_SCAN_LIMIT = 5_000;

/** Cap when counting rows; a larger total is shown as "more than". */
const COUNT_CAP = 10_000;

/** Input of a list of invocations. */
export interface ListRequest extends Omit<InvocationListInput, "sort" | "after"> {
  /** See `InvocationListInput`. If absent or empty, the list starts with the newest. */
  after?: readonly string[];
  /** Null for the default order. */
  sort?: InvocationSort | null;
}

/**
 * @param takes see `parseInvocationInput`.
 * @throws InvalidInputError
 */
export async function readInvocationInput(
  app: OpenedApp,
  given: RawInput,
  takes: Extent = "filter",
): Promise<ListRequest> {
  const { raw, storedStatuses, ...queried } = await resolvedParameters(app, given);
  const { filter, page, sort, after } = parseInvocationInput(raw, storedStatuses, app.now(), takes);
  return { filter: { ...filter, ...queried }, page, after, sort: readSort(sort ?? undefined) };
}

/**
 * One page. Filters by status, task, call and id, and the children of one invocation, are answered from indexes at any page; other filters are
 * evaluated candidate by candidate.
 *
 * @param scanLimit candidates read before the search stops and says so.
 * @param onProgress called while candidates are evaluated.
 */
export async function listInvocations(
  app: OpenedApp,
  { filter, page, after = [], sort = null }: ListRequest,
  scanLimit = filter.conditions.length === 0 ? SCAN_LIMIT : CONDITIONS_SCAN_LIMIT,
  onProgress?: WalkProgress,
): Promise<InvocationList> {
  if (sort !== null) return sortedPage(app, filter, page, sort, onProgress);
  const inventory = await app.inventory();
  const total = await knownTotal(app, filter);
  const list = await app.store.read(async (reads) => {
    const cursor = after.at(-1);
    const limits = { scanLimit, onProgress };
    if (cursor !== undefined) return walkedPage(reads, inventory, filter, page, limits, cursor);
    if (isStatusFilterOnly(filter) && (await reads.orchestrator.isIndexed(statusFilterOf(filter)))) {
      return indexedPage(reads, inventory, filter, page, total);
    }
    const parent = onlyParentOf(filter);
    if (parent !== null) return childrenPage(reads, filter, parent, page);
    return walkedPage(reads, inventory, filter, page, limits);
  });
  if (list.invocations.length > 0) return list;
  const unknown = (await unknownNames(app, filter)).map(({ sentence }) => sentence);
  return { ...list, notes: [...list.notes, ...unknown, ...statusesMeant(filter), ...textTermNotes(filter.query)] };
}

/** A word alone is searched in arguments, also if it is a status. */
function statusesMeant({ query }: InvocationFilter): string[] {
  return query.flatMap((term) => {
    const status = term.toLowerCase();
    return isKnownStatus(status)
      ? [`${quote(term)} was searched in arguments. For invocations in this status: status:${status}`]
      : [];
  });
}

async function sortedPage(
  app: OpenedApp,
  filter: InvocationFilter,
  page: { number: number; size: number },
  sort: InvocationSort,
  onProgress?: WalkProgress,
): Promise<InvocationList> {
  const { rows: all, incomplete } = await sortedInvocations(app, await app.inventory(), filter, sort, onProgress);
  const { rows, page: info } = pageOf(all.slice(sliceOf(page).offset), page, all.length, incomplete);
  const notes = incomplete ? [STILL_SCANNING] : [];
  return {
    invocations: rows,
    page: info,
    older: null,
    filter: shownFilter(filter),
    timeline: listTimeline(rows),
    notes,
  };
}

/**
 * One page as of an instant of the past: what had changed until then, latest first, with the statuses of then.
 *
 * @throws InvalidInputError also for filters that ask for the present.
 */
export async function invocationsAt(app: OpenedApp, raw: RawInput, at: EpochSeconds): Promise<InvocationList> {
  const { filter, page, after = [] } = await readInvocationInput(app, { ...raw, sort: undefined }, "list");
  refusePresentFilters({ filter, at });
  const list = await listInvocations(app, { filter: { ...filter, to: Math.min(filter.to ?? at, at) }, page, after });
  const ids = list.invocations.map(invocationIdOf);
  const rows = await app.store.read((reads) => invocationRows(readsAsOf(reads, at), ids));
  return { ...list, invocations: rows };
}

/** The cursor after the last row of a page; null if no page follows. */
function olderThan(page: PageInfo, cursors: readonly Cursor[]): Cursor | null {
  return page.has_next ? (cursors[page.size - 1] ?? null) : null;
}

/** The total if known counts contain it; otherwise null. */
async function knownTotal(app: OpenedApp, filter: InvocationFilter): Promise<number | null> {
  if (isUnfiltered(filter)) return (await invocationTotals(app)).invocations;
  if (!isStatusFilterOnly(filter) || filter.call_id_key !== null || filter.id_prefix !== null) return null;
  const wanted = (status: string) => filter.statuses.length === 0 || filter.statuses.includes(status);
  if (filter.task_id_key === null) {
    const counts = await countByStatus(app);
    return Object.entries(counts).reduce((sum, [status, n]) => sum + (wanted(status) ? n : 0), 0);
  }
  const counts = await countByTaskAndStatus(app);
  if (counts === null) return null;
  return counts.reduce(
    (sum, row) => sum + (row.task_id_key === filter.task_id_key && wanted(row.status) ? row.count : 0),
    0,
  );
}

async function indexedPage(
  reads: AppReads,
  inventory: Inventory,
  filter: InvocationFilter,
  page: { number: number; size: number },
  known: number | null,
): Promise<InvocationList> {
  const conditions = statusFilterOf(filter);
  // Only the first page can have cursors without reading the rows before it.
  const { limit } = sliceOf(page);
  const { invocation_ids, certain, cursors } =
    page.number === 1
      ? await invocationsAfter(reads, inventory, conditions, limit, undefined)
      : { ...(await sliceOfInvocations(reads, inventory, conditions, sliceOf(page))), cursors: [] };
  const counted = known === null ? await reads.orchestrator.countInvocations(conditions, COUNT_CAP) : 0;
  const total = known ?? counted + inventory.forgotten.matching(conditions).length;
  const capped = (known === null && counted === COUNT_CAP) || !inventory.forgotten.complete;
  const { rows, page: info } = pageOf(invocation_ids, page, total, capped);
  const invocations = await invocationRows(reads, rows);
  const notes = certain ? [] : [STILL_SCANNING];
  const older = olderThan(info, cursors);
  return { invocations, page: info, older, filter: shownFilter(filter), timeline: listTimeline(invocations), notes };
}

/** Only definitions name the parent, so every child has one and no candidate needs further checks. */
async function childrenPage(
  reads: AppReads,
  filter: InvocationFilter,
  parent_invocation_id: string,
  page: { number: number; size: number },
): Promise<InvocationList> {
  const [children, total] = await Promise.all([
    reads.state_backend.listDefined({ parent_invocation_id }, sliceOf(page)),
    reads.state_backend.countDefined(parent_invocation_id),
  ]);
  const { rows, page: info } = pageOf(children, page, total);
  const invocations = await invocationRows(reads, rows.map(invocationIdOf));
  const cursors = children.map((row) => row.cursor);
  const older = olderThan(info, cursors);
  return {
    invocations,
    page: info,
    older,
    filter: shownFilter(filter),
    timeline: listTimeline(invocations),
    notes: [],
  };
}

async function walkedPage(
  reads: AppReads,
  inventory: Inventory,
  filter: InvocationFilter,
  page: { number: number; size: number },
  { scanLimit, onProgress }: { scanLimit: number; onProgress?: WalkProgress | undefined },
  after?: Cursor,
): Promise<InvocationList> {
  const walk = new InvocationWalk(filter, () => inventory, after);
  const { limit, offset } = sliceOf(page);
  const met = await walk.nextWithCursors(reads, offset + limit, scanLimit, onProgress);
  const found = met.map(invocationIdOf);
  const total = walk.done && after === undefined ? found.length : null;
  const { rows, page: info } = pageOf(found.slice(offset), page, total, walk.incomplete);
  const notes = orderNotes(filter);
  const cursors = met.slice(offset).map((row) => row.cursor);
  let older = olderThan(info, cursors);
  if (!walk.done && found.length < offset + limit) {
    older = walk.cursor;
    notes.push(`Searched ${grouped(walk.scanned)} invocations so far; older ones not yet.`);
  }
  if (walk.done && walk.incomplete) notes.push(STILL_SCANNING);
  // Conditions on ids come from `is:stuck`.
  if (filter.conditions.some(({ field, values }) => field === "id" && values.length >= NAMED)) {
    notes.push(`At most ${NAMED} stuck invocations per problem are listed; there may be more.`);
  }
  const invocations = await invocationRows(reads, rows);
  return { invocations, page: info, older, filter: shownFilter(filter), timeline: listTimeline(invocations), notes };
}

/** Lists are in registration order, except those read from the history, which are in the order of changes. */
function orderNotes(filter: InvocationFilter): string[] {
  if (filter.invocation_ids.length > 0 || filter.parent_invocation_id !== null) return [];
  if (filter.from !== null || filter.to !== null) {
    return ["Invocations that changed in this range, latest change first."];
  }
  if (filter.runner_id !== null) return ["Sorted by the latest change this runner made, newest first."];
  const defined = filter.workflow_id ?? filter.workflow_type_key ?? filter.registered_by;
  return needsHistory(filter) && defined === null ? ["Sorted by the latest status change, newest first."] : [];
}

/**
 * All rows of a filter, newest first, in batches. Each batch takes its own snapshot, so that long exports hold neither memory nor a read
 * transaction.
 */
export async function* exportInvocations(app: OpenedApp, filter: InvocationFilter): AsyncGenerator<InvocationRow[]> {
  let inventory = await app.completeInventory();
  const walk = new InvocationWalk(filter, () => inventory);
  while (!walk.done) {
    const rows = await app.store.read(async (reads) => invocationRows(reads, await walk.next(reads, 500, SCAN_LIMIT)));
    if (rows.length > 0) yield rows;
    // Invocations forgotten in the meantime are listed among the forgotten ones.
    inventory = await app.completeInventory();
  }
}
