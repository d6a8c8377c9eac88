/**
 * Which invocations of a range are compared: all if they are few, else a sample that is spread evenly over its history. Every invocation whose
 * latest status change lies in the range is as likely to be in it as any other, so that a selection and its rest can be compared by it.
 */

import type { HistoryRecord } from "../../pynenc/records.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { invocationTotals } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { isLedByStatus, NO_FILTER, needsHistory } from "../model/invocation-filter.ts";
import { InvocationWalk, leadingStatuses } from "../model/invocation-walk.ts";

/** Most invocations of a range that are drawn. */
export const SAMPLE = 3_000;

/** Those of a selection that are taken whole where an index leads to them. */
export const WHOLE = 2_000;

/** Invocations read in one snapshot. */
export const BATCH = 500;

/** Slices of a range from whose beginnings the sample is taken, and those read in one snapshot. */
const SLICES = 50;
const BATCH_OF_SLICES = 10;

/** History entries that are read at most. */
const ENTRIES = 20_000;

/** Entries of which it is estimated how many are read for one invocation. */
const SURVEYED = 800;

/** Candidates that a walk looks at for a selection of which an index knows something. */
const SCAN_LIMIT = 5_000;

/** Less than the microsecond in which times are stored. */
const SAME_TIME = 5e-7;

/** Seconds since 1970, both ends included; null is open. */
export interface Range {
  from: number | null;
  to: number | null;
}

export interface Drawn {
  ids: readonly string[];
  /** Invocations that there are, at least about; null where not known. */
  total: number | null;
  /** These are not all. */
  sample: boolean;
}

/**
 * Batches that each spread over all of them. The first is always given and no other after `until`, so that a slow store is examined in part, evenly.
 *
 * @param until as of `performance.now()`.
 */
export function* spreadBatches<T>(all: readonly T[], size: number, until: number): Generator<T[]> {
  const batches = Math.ceil(all.length / size);
  for (let batch = 0; batch < batches; batch++) {
    if (batch > 0 && performance.now() >= until) return;
    yield all.filter((_, i) => i % batches === batch);
  }
}

/**
 * Invocations of a range.
 *
 * @param until as of `performance.now()`: of a slow store fewer are drawn.
 */
export async function drawnFrom(app: OpenedApp, range: Range, until: number): Promise<Drawn> {
  const few = await allOf(app, range, until);
  return few ?? spreadOver(app, range, until);
}

/** All of the range, where they are no more than a sample; otherwise null. */
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

/** All matches of a filter; null where there are more than `most`, or where finding them takes more candidates or time than that. */
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
 * Entries are read from the beginning of every slice of the range, the more the more it holds. An invocation is in the sample if its last entry is
 * among them: there is one of each, however often it was tried again.
 */
async function spreadOver(app: OpenedApp, range: Range, until: number): Promise<Drawn> {
  const span = await app.store.read((reads) => reads.state_backend.historySpan());
  const [from, to] = [range.from ?? span?.first ?? 0, range.to ?? span?.last ?? 0];
  if (span === null || from >= to) return newestOf(app, range);
  const { entries, plan } = await app.store.read((reads) => planOf(reads, from, to));
  const ids = new Set<string>();
  let read = 0;
  for (const steps of spreadBatches(plan, BATCH_OF_SLICES, until)) {
    const last = await app.store.read(async (reads) => {
      const found = await Promise.all(
        steps.map((step) =>
          reads.state_backend.historyBetween({ from: step.from, to: step.to }, step.entries, "earliest"),
        ),
      );
      const all = found.flat();
      read += all.length;
      return lastEntries(reads, all);
    });
    for (const id of last) ids.add(id);
  }
  // Of all that is stored the number is known.
  const open = range.from === null && range.to === null;
  const counted = read === 0 ? null : Math.round((ids.size * entries) / read);
  const total = open ? (await invocationTotals(app)).invocations : counted;
  return { ids: thinned([...ids], SAMPLE), total, sample: true };
}

/** Without a history it is not known when invocations changed: takes those registered last. */
async function newestOf(app: OpenedApp, range: Range): Promise<Drawn> {
  const inventory = await app.inventory();
  const walk = new InvocationWalk({ ...NO_FILTER, ...range }, () => inventory);
  const ids = await app.store.read((reads) => walk.next(reads, SAMPLE, ENTRIES));
  return { ids, total: null, sample: !walk.done };
}

/** How many entries to read from where. */
async function planOf(
  reads: AppReads,
  from: number,
  to: number,
): Promise<{ entries: number; plan: { from: number; to: number; entries: number }[] }> {
  const { slices } = await reads.state_backend.surveyHistory({ from, to }, SLICES, SURVEYED);
  const entries = slices.reduce((sum, slice) => sum + slice.entries, 0);
  const met = slices.flatMap(({ shares }) => shares);
  const surveyed = met.reduce((sum, share) => sum + share.met, 0);
  const ended = met.reduce((sum, { status, met: n }) => sum + (statusInfo(status).final ? n : 0), 0);
  const share = Math.min(1, ENTRIES / entries, (SAMPLE * surveyed) / Math.max(1, ended) / entries);
  const length = (to - from) / SLICES;
  const plan = slices.flatMap((slice, i) =>
    slice.entries === 0
      ? []
      : [
          {
            from: from + i * length,
            to: from + (i + 1) * length,
            entries: Math.max(1, Math.round(slice.entries * share)),
          },
        ],
  );
  return { entries, plan };
}

/** Invocations whose last entry is among these. A final status is the last one; for others the orchestrator knows whether it is. */
async function lastEntries(reads: AppReads, entries: readonly HistoryRecord[]): Promise<string[]> {
  const latest = new Map(entries.map((entry) => [entry.invocation_id, entry]));
  const open = [...latest.values()].filter(({ status }) => !statusInfo(status).final);
  const statuses = await reads.orchestrator.statusesByIds(open.map((entry) => entry.invocation_id));
  const passed = new Set(open.map((entry) => entry.invocation_id));
  for (const { invocation_id, status, status_timestamp } of statuses) {
    const entry = latest.get(invocation_id);
    if (entry?.status === status && status_timestamp <= entry.timestamp + SAME_TIME) passed.delete(invocation_id);
  }
  return [...latest.keys()].filter((id) => !passed.has(id));
}

/** At most this number of them, evenly spread. */
export function thinned(ids: readonly string[], most: number): string[] {
  if (ids.length <= most) return [...ids];
  return Array.from({ length: most }, (_, i) => ids[Math.floor((i * ids.length) / most)] ?? "");
}

/** Those of the invocations that meet the filter, whatever its range or within it, and those that were examined in time. */
export async function meeting(
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
 * All invocations of a selection, whatever its range, where an index leads to few enough: of a rare one a sample of everything has hardly any.
 * Otherwise null.
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
