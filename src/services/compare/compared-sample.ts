/**
 * Chooses which invocations of a range are compared: all if there are few, otherwise a sample spread evenly over its history. Every invocation whose
 * latest status change is in the range is equally likely to be in the sample, so a selection can be compared with the rest by it.
 */

import type { HistoryRecord } from "../../pynenc/records.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { invocationTotals } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { isLedByStatus, NO_FILTER, needsHistory } from "../model/invocation-filter.ts";
import { InvocationWalk, leadingStatuses } from "../model/invocation-walk.ts";

/** Maximum size of a sample. */
export const SAMPLE = 3_000;

/** Maximum number of invocations compared per side. A selection of up to this size is compared in full if an index finds it. */
export const WHOLE = 2_000;

/** Invocations read in one snapshot. */
export const BATCH = 500;

/** The sample is taken from this many slices of a range. Then: the slices read in one snapshot. */
const SLICES = 400;
const BATCH_OF_SLICES = 40;

/** Maximum number of history entries read. */
const ENTRIES = 20_000;

/** Maximum number of candidates that a walk checks for a selection that an index finds. */
const SCAN_LIMIT = 5_000;

/** Times closer than this, in seconds, are equal: they are stored in microseconds. */
const SAME_TIME = 5e-7;

/** Seconds since 1970, both ends included; null is open. */
export interface Range {
  from: number | null;
  to: number | null;
}

/** Invocations drawn for a comparison. */
export interface Drawn {
  ids: readonly string[];
  /** How many there are in all, exact or estimated; null if not known. */
  total: number | null;
  /** `ids` are only some of them. */
  sample: boolean;
}

/**
 * Divides items into batches, each spread evenly over all of them. Always yields the first batch, and none after `until`: of a slow store, an even part
 * is examined.
 *
 * @param until instant on the clock of `performance.now()`.
 */
export function* spreadBatches<T>(all: readonly T[], size: number, until: number): Generator<T[]> {
  const batches = Math.ceil(all.length / size);
  for (let batch = 0; batch < batches; batch++) {
    if (batch > 0 && performance.now() >= until) return;
    yield all.filter((_, i) => i % batches === batch);
  }
}

/**
 * All invocations of a range, or a sample of them.
 *
 * @param until instant on the clock of `performance.now()` after which nothing more is read: of a slow store, fewer are drawn.
 */
export async function drawnFrom(app: OpenedApp, range: Range, until: number): Promise<Drawn> {
  const few = await allOf(app, range, until);
  return few ?? spreadOver(app, range, until);
}

/** All invocations of the range; null if there are more than a sample takes, or too many entries to read. */
async function allOf(app: OpenedApp, { from, to }: Range, until: number): Promise<Drawn | null> {
  const open = from === null && to === null;
  if (open && (await invocationTotals(app)).invocations > SAMPLE) return null;
  if (!open) {
    const window = { ...(from !== null && { from }), ...(to !== null && { to }) };
    const { entries } = await app.store.read((reads) => reads.state_backend.countHistory(window));
    if (entries > ENTRIES) return null;
  }
  const ids = await walked(app, { ...NO_FILTER, from, to }, SAMPLE, ENTRIES, until);
  return ids === null ? null : { ids, total: ids.length, sample: false };
}

/** All matches of a filter; null if there are more than `most`, or if finding them takes too many candidates or too long. */
async function walked(
  app: OpenedApp,
  filter: InvocationFilter,
  most: number,
  candidates: number,
  until: number,
): Promise<string[] | null> {
  const inventory = await app.inventory();
  const walk = new InvocationWalk(filter, () => inventory);
  const ids: string[] = [];
  while (!walk.done) {
    if (ids.length > most || walk.scanned >= candidates || performance.now() >= until) return null;
    const found = await app.store.read((reads) => walk.next(reads, BATCH, candidates - walk.scanned));
    ids.push(...found);
  }
  return ids.length > most ? null : ids;
}

/**
 * A sample of a range. Reads the same share of many slices of the range, so that every entry is as likely to be read as any other. An invocation is in
 * the sample if its last entry is among those read: each invocation has exactly one, however often it was retried.
 */
async function spreadOver(app: OpenedApp, range: Range, until: number): Promise<Drawn> {
  const span = await app.store.read((reads) => reads.state_backend.historySpan());
  const [from, to] = [range.from ?? span?.first ?? 0, range.to ?? span?.last ?? 0];
  if (span === null || from >= to) return newestOf(app, range);
  const { entries } = await app.store.read((reads) => reads.state_backend.countHistory({ from, to }));
  const ids = new Set<string>();
  let read = 0;
  for (const windows of spreadBatches(partsOf(from, to, Math.min(1, ENTRIES / entries)), BATCH_OF_SLICES, until)) {
    const last = await app.store.read(async (reads) => {
      const found = (await reads.state_backend.historyWithin(windows, ENTRIES)).flat();
      read += found.length;
      return lastEntries(reads, found);
    });
    for (const id of last) ids.add(id);
    // Bursts may lie in what was chosen.
    if (read > 2 * ENTRIES) break;
  }
  // Without a range, the exact number is known.
  const open = range.from === null && range.to === null;
  const counted = read === 0 ? null : Math.round((ids.size * entries) / read);
  const total = open ? (await invocationTotals(app)).invocations : counted;
  return { ids: thinned([...ids], SAMPLE), total, sample: true };
}

/** The golden ratio: multiples of it fall evenly between whole numbers, and never in step with a schedule. */
const EVENLY = (Math.sqrt(5) - 1) / 2;

/** A part of each slice of a range, elsewhere in each. @param share of its length */
function partsOf(from: number, to: number, share: number): { from: number; to: number }[] {
  const length = (to - from) / SLICES;
  return Array.from({ length: SLICES }, (_, slice) => {
    const begin = from + (slice + ((slice * EVENLY) % 1) * (1 - share)) * length;
    return { from: begin, to: begin + share * length };
  });
}

/** The newest registrations: without a history, it is not known when invocations changed. */
async function newestOf(app: OpenedApp, range: Range): Promise<Drawn> {
  const inventory = await app.inventory();
  const walk = new InvocationWalk({ ...NO_FILTER, ...range }, () => inventory);
  const ids = await app.store.read((reads) => walk.next(reads, SAMPLE, ENTRIES));
  return { ids, total: null, sample: !walk.done };
}

/** Invocations whose last entry is among these. A final status is always the last; for others, the orchestrator's status shows whether it is. */
async function lastEntries(reads: AppReads, entries: readonly HistoryRecord[]): Promise<string[]> {
  const latest = new Map(entries.map((entry) => [entry.invocation_id, entry]));
  const open = [...latest.values()].filter(({ status }) => !statusInfo(status).final);
  const statuses = await reads.orchestrator.statusesByIds(open.map((entry) => entry.invocation_id));
  const superseded = new Set(open.map((entry) => entry.invocation_id));
  for (const { invocation_id, status, status_timestamp } of statuses) {
    const entry = latest.get(invocation_id);
    if (entry?.status === status && status_timestamp <= entry.timestamp + SAME_TIME) superseded.delete(invocation_id);
  }
  return [...latest.keys()].filter((id) => !superseded.has(id));
}

/** At most `most` of the ids, evenly spread. */
export function thinned(ids: readonly string[], most: number): string[] {
  if (ids.length <= most) return [...ids];
  return Array.from({ length: most }, (_, i) => ids[Math.floor((i * ids.length) / most)] ?? "");
}

/**
 * Which of these invocations meet a filter, and which of them were checked before `until`.
 *
 * @param when whether they have to meet the time range of the filter too.
 */
export async function matchesAmong(
  app: OpenedApp,
  filter: InvocationFilter,
  ids: readonly string[],
  until: number,
  when: "any time" | "its range" = "any time",
): Promise<{ met: ReadonlySet<string>; examined: string[] }> {
  // A former status only counts within the range.
  const ranged = when === "its range" || needsHistory(filter);
  const applied = ranged ? filter : { ...filter, from: null, to: null };
  const requested = new Set(filter.invocation_ids);
  const met = new Set<string>();
  const examined: string[] = [];
  const inventory = await app.inventory();
  for (const batch of spreadBatches(ids, BATCH, until)) {
    examined.push(...batch);
    const invocation_ids = requested.size === 0 ? batch : batch.filter((id) => requested.has(id));
    if (invocation_ids.length === 0) continue;
    const walk = new InvocationWalk({ ...applied, invocation_ids }, () => inventory);
    const found = await app.store.read((reads) => walk.next(reads, BATCH, BATCH));
    for (const id of found) met.add(id);
  }
  return { met, examined };
}

/**
 * All invocations of a selection, whatever its time range, if an index finds them and they are few; otherwise null. A sample of everything would contain
 * hardly any invocation of a rare selection.
 */
export async function wholeSelection(
  app: OpenedApp,
  filter: InvocationFilter,
  until: number,
): Promise<string[] | null> {
  const anytime = needsHistory(filter) ? filter : { ...filter, from: null, to: null };
  const { parent_invocation_id, workflow_id, invocation_ids } = filter;
  if (isLedByStatus(anytime)) {
    const wanted = leadingStatuses(anytime);
    if (Object.keys(wanted).length === 0) return null;
    const found = await app.store.read((reads) => reads.orchestrator.countInvocations(wanted, SCAN_LIMIT + 1));
    return found > SCAN_LIMIT ? null : walked(app, anytime, WHOLE, 2 * SCAN_LIMIT, until);
  }
  if (parent_invocation_id === null && workflow_id === null && invocation_ids.length === 0) return null;
  return walked(app, anytime, WHOLE, SCAN_LIMIT, until);
}
