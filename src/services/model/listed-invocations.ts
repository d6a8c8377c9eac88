/**
 * Lists invocations by status, task, call and id prefix, newest registration first. Merges those that the orchestrator keeps with those that it has
 * forgotten. The orchestrator lists its own; the forgotten ones come from the inventory.
 */
import { grouped } from "../../pynenc/numbers.ts";
import type { Cursor, Slice } from "../../stores/ports/common.ts";
import { LOOKED_THROUGH, type StatusFilter, type StatusRow, type StatusScan } from "../../stores/ports/orchestrator.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { RegistrationPosition } from "../app/forgotten-columns.ts";
import type { ForgottenMatches, Inventory } from "../app/inventory.ts";

export interface ListedInvocations {
  invocation_ids: string[];
  /** False if forgotten invocations may still be missing here. */
  certain: boolean;
}

/** Note on a list that may be incomplete while the store is being scanned. */
export const STILL_SCANNING =
  "Still searching for invocations without a status: some may be missing here. Try again in a moment.";

/** Hint for "not found" errors: the object may not have been scanned yet. Null after a complete scan. */
export function notFoundHint({ forgotten }: Inventory): string | null {
  return forgotten.complete ? null : STILL_SCANNING;
}

/** What a bounded list or number (`isBounded`) was made from. */
export const AMONG_NEWEST = `among the newest ${grouped(LOOKED_THROUGH)} registrations`;

/** @param found "No call", "The invocations listed are those". */
export function notOlder(found: string): string {
  return `${found} ${AMONG_NEWEST}; older ones were not searched.`;
}

/** Whether the beginning of a list, or a count, may lack older matches: no index serves the filter, and the store has more than is looked through. */
export async function isBounded(
  { orchestrator }: Pick<AppReads, "orchestrator">,
  filter: StatusFilter,
): Promise<boolean> {
  if (await orchestrator.isIndexed(filter)) return false;
  return (await orchestrator.countInvocations({}, LOOKED_THROUGH + 1)) > LOOKED_THROUGH;
}

/** Slices before this offset are read sequentially; later ones are found by binary search. */
const READ_FROM_START = 1_000;

/** Rows read to find the position of one, because some may have no definition. */
const PROBED = 10;

/** An invocation that the orchestrator keeps. */
interface Kept extends RegistrationPosition {
  cursor: Cursor;
}

/**
 * A slice of the list.
 *
 * @param readFromStart slices before this offset are read sequentially; the start of a later one is found by binary search.
 */
export async function sliceOfInvocations(
  reads: AppReads,
  inventory: Inventory,
  filter: StatusFilter,
  { limit, offset }: Slice,
  readFromStart = READ_FROM_START,
): Promise<ListedInvocations> {
  const forgotten = inventory.forgotten.matching(filter);
  if (forgotten.length === 0 && inventory.forgotten.complete) {
    const rows = await reads.orchestrator.listInvocations(filter, { limit, offset });
    return { invocation_ids: rows.map((row) => row.invocation_id), certain: true };
  }
  const skipped = offset < readFromStart ? 0 : await forgottenBefore(reads, forgotten, filter, offset);
  const start = offset < readFromStart ? { kept: 0, forgotten: 0 } : { kept: offset - skipped, forgotten: skipped };
  const passed = offset - start.kept - start.forgotten;
  const kept = await keptRows(reads, filter, { limit: passed + limit, offset: start.kept });
  const merged = merge(kept, forgotten.slice(start.forgotten, passed + limit), passed + limit);
  const rows = merged.slice(passed);
  return {
    invocation_ids: rows.map((row) => row.invocation_id),
    certain: inventory.forgotten.complete || isPassed(inventory, rows, limit),
  };
}

/** Registrations scanned per call if no index supports the id prefix. */
const REGISTRATION_SCAN = 100_000;

/** One step through the list. */
export interface ListedStep extends ListedInvocations {
  /** Cursor after each of them. */
  cursors: Cursor[];
  /** Cursor after everything scanned; null at the end. */
  next: Cursor | null;
  /** Number of rows, or of registrations if those had to be scanned. */
  scanned: number;
}

/**
 * The next `size` invocations after a cursor from an earlier answer to the same filter. Each step may use its own snapshot. Fewer rows do not mean the
 * end; only a null `next` does.
 */
export async function invocationsAfter(
  reads: AppReads,
  inventory: Inventory,
  filter: StatusFilter,
  size: number,
  after: Cursor | undefined,
  scanLimit = REGISTRATION_SCAN,
): Promise<ListedStep> {
  const from = positionOf(after);
  const forgotten = inventory.forgotten.matching(filter);
  const start = from === null ? 0 : positionAfter(forgotten, from);
  const found = await keptAfter(reads, filter, size, scanLimit, from);
  const stop = found.stopped === null ? null : await stopOf(reads, found.stopped, found.kept, from);
  const others = forgotten.slice(start, size).filter((row) => stop === null || row.order > stop.order);
  const rows = merge(found.kept, others, size);
  let lastKept = from?.kept ?? null;
  const cursors = rows.map((row) => {
    if ("cursor" in row) lastKept = row.cursor;
    return cursorAt({
      kept: lastKept,
      order: row.order,
      invocation_id: "cursor" in row ? "" : row.invocation_id,
    });
  });
  return {
    invocation_ids: rows.map((row) => row.invocation_id),
    cursors,
    next: stop === null || rows.length >= size ? nextOf(cursors, size) : cursorAt(stop),
    scanned: Math.max(found.scanned, rows.length),
    certain: inventory.forgotten.complete || isPassed(inventory, rows, size),
  };
}

interface FoundKept {
  kept: Kept[];
  scanned: number;
  stopped: StatusScan["stopped"];
}

async function keptAfter(
  reads: AppReads,
  filter: StatusFilter,
  size: number,
  scanLimit: number,
  from: ListPosition | null,
): Promise<FoundKept> {
  const scan = async (limit: number, after: Cursor | undefined): Promise<FoundKept> => {
    const { rows, scanned, stopped } = await reads.orchestrator.scanInvocations(filter, size, limit, after);
    return { kept: await withOrder(reads, rows), scanned, stopped };
  };
  if (from === null || from.kept !== null) return scan(scanLimit, from?.kept ?? undefined);
  // The list had no kept invocation so far. Skip those registered after its last row: they are new.
  const kept: Kept[] = [];
  let scanned = 0;
  for (let after: Cursor | undefined; ; ) {
    const step = await scan(Math.max(1, scanLimit - scanned), after);
    kept.push(...step.kept.filter((row) => row.order <= from.order));
    scanned += step.scanned;
    if (step.stopped !== null || kept.length >= size || step.kept.length < size) {
      return { kept: kept.slice(0, size), scanned, stopped: kept.length >= size ? null : step.stopped };
    }
    after = step.kept.at(-1)?.cursor;
  }
}

/** Where the list continues after the scan for kept invocations stopped early. Older forgotten ones come after it. */
async function stopOf(
  reads: AppReads,
  { invocation_id, cursor }: NonNullable<StatusScan["stopped"]>,
  kept: readonly Kept[],
  from: ListPosition | null,
): Promise<ListPosition> {
  const orders = await reads.forgotten.orderOf([invocation_id]);
  // Without a definition it has no position of its own, so use that of the row before it.
  const order = orders[invocation_id] ?? kept.at(-1)?.order ?? Number.MAX_VALUE;
  return from !== null && order >= from.order ? { ...from, kept: cursor } : { kept: cursor, order, invocation_id: "" };
}

function nextOf(cursors: readonly Cursor[], size: number): Cursor | null {
  return cursors.length < size ? null : (cursors.at(-1) ?? null);
}

/** A position in both lists: after the last kept row listed, and after the last row of the merged list. */
interface ListPosition extends RegistrationPosition {
  /** Null if none was listed. */
  kept: Cursor | null;
  /** Empty if the last row is a kept one, because those sort first among equals. */
  invocation_id: string;
}

function cursorAt({ kept, order, invocation_id }: ListPosition): Cursor {
  return JSON.stringify([kept, Number.isFinite(order) ? order : null, invocation_id]);
}

/** Null at the start. An invalid cursor has nothing after it. */
function positionOf(cursor: Cursor | undefined): ListPosition | null {
  if (cursor === undefined) return null;
  const [kept, order, invocation_id] = partsOf(cursor);
  return {
    kept: typeof kept === "string" ? kept : null,
    order: typeof order === "number" ? order : Number.NEGATIVE_INFINITY,
    invocation_id: typeof invocation_id === "string" ? invocation_id : "",
  };
}

function partsOf(cursor: Cursor): unknown[] {
  try {
    const parts: unknown = JSON.parse(cursor);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function positionAfter(matches: ForgottenMatches, row: RegistrationPosition): number {
  const position = matches.positionOf(row);
  const [here] = matches.slice(position, 1);
  return here?.invocation_id === row.invocation_id ? position + 1 : position;
}

/**
 * Rows that the orchestrator keeps, with their positions. A row without a definition gets the position of the next older row that has one, or comes
 * last: a purge of the state backend removes all older definitions, so no forgotten invocation is older than it. Rows written at the same
 * moment may be in different order in the two components; the orchestrator's order wins.
 */
async function keptRows(reads: AppReads, filter: StatusFilter, slice: Slice): Promise<Kept[]> {
  return withOrder(reads, await reads.orchestrator.listInvocations(filter, slice));
}

async function withOrder(reads: AppReads, rows: readonly StatusRow[]): Promise<Kept[]> {
  const orders = await reads.forgotten.orderOf(rows.map((row) => row.invocation_id));
  let next = Number.NEGATIVE_INFINITY;
  const ordered = rows.map((): number => 0);
  for (let at = rows.length - 1; at >= 0; at--) {
    next = Math.max(next, orders[rows[at]?.invocation_id ?? ""] ?? next);
    ordered[at] = next;
  }
  return rows.map(({ invocation_id, cursor }, at) => ({ invocation_id, cursor, order: ordered[at] ?? next }));
}

/** Kept rows come first among equals. */
function merge(
  kept: readonly Kept[],
  forgotten: readonly RegistrationPosition[],
  limit: number,
): (Kept | RegistrationPosition)[] {
  const merged: (Kept | RegistrationPosition)[] = [];
  for (let k = 0, f = 0; merged.length < limit; ) {
    const [keptRow, forgottenRow] = [kept[k], forgotten[f]];
    const isKeptNext = keptRow !== undefined && (forgottenRow === undefined || keptRow.order >= forgottenRow.order);
    const next = isKeptNext ? keptRow : forgottenRow;
    if (next === undefined) break;
    if (isKeptNext) k++;
    else f++;
    merged.push(next);
  }
  return merged;
}

/** How many of the first `offset` rows of the merged list are forgotten ones, by binary search. */
async function forgottenBefore(
  reads: AppReads,
  forgotten: ForgottenMatches,
  filter: StatusFilter,
  offset: number,
): Promise<number> {
  let [low, high] = [0, Math.min(offset, forgotten.length)];
  while (low < high) {
    const middle = (low + high) >>> 1;
    // With `middle` forgotten rows before `offset`, the others are kept rows, and the last of them must come before the next forgotten row.
    const [last] = await keptRows(reads, filter, { limit: PROBED, offset: offset - middle - 1 });
    const [next] = forgotten.slice(middle, 1);
    if (last !== undefined && (next === undefined || last.order >= next.order)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether the inventory has scanned everything down to the last of these rows. */
function isPassed(inventory: Inventory, rows: readonly RegistrationPosition[], limit: number): boolean {
  const last = rows.at(-1);
  return last !== undefined && rows.length >= limit && last.order >= inventory.forgotten.reached;
}
