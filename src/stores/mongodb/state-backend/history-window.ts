/** History within time windows. */
import { hasRole, type RunnerRole } from "../../../pynenc/history-roles.ts";
import { pythonString } from "../../../pynenc/python-dump.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { Cursor } from "../../ports/common.ts";
import type { HistoryFilter, HistoryWindow, HistoryWindowReads, ListedId } from "../../ports/state-backend.ts";
import { text } from "../collections/fields.ts";
import { atOrAfter, atOrBefore, containing, findIn } from "../collections/queries.ts";
import type { CollectionReads, MongoReading } from "../collections/reading.ts";
import { matchesIn } from "../collections/remembered-matches.ts";
import { cursorAt, EARLIEST, LATEST, nextByTime, type Place, placeAt, placeOf } from "../collections/time-order.ts";
import type { Document, Filter } from "../server/db.ts";
import { historyPrints, historyRecord, inWrittenOrder, writtenAt } from "./history.ts";

export const TIME = "history_timestamp";

/** Entries read per step of a walk: about two megabytes. */
const STEP = 5_000;

/** First step of a walk that may find enough at once. */
const FIRST_STEP = 200;

/** Most entries of a runner in a step. Several may be of the instant at which it ends. */
const NAMED = 100_000;

/** Entries of a window that are counted one by one. */
const COUNTED = 100_000;

/** Slices in which the entries of a larger window are estimated. */
const ESTIMATED_SLICES = 32;

/** Entries of a slice that are counted; the number of more is estimated. */
const COUNTED_IN_SLICE = 5_000;

/** Neighbouring entries whose distance says how many there are. */
const RUN = 32;

/** Runs of neighbours by which the number of entries in a slice is estimated. */
const RUNS = 4;

export function historyWindowReads(reading: MongoReading): HistoryWindowReads {
  const history = reading.of("state_backend", "history");

  /** Entries of the milliseconds at both ends of a window may be outside of it; as many more are read. */
  const documentsBetween = async (window: HistoryWindow, limit: number, end: "earliest" | "latest") => {
    const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = window;
    const walk = { time: TIME, direction: end === "earliest" ? "up" : "down", ...boundsOf(window) } as const;
    for (let outside = 0; ; ) {
      const found = await nextByTime(history, walk, limit + outside);
      const within = found.filter((stored) => writtenAt(stored) >= from && writtenAt(stored) <= to);
      const dropped = found.length - within.length;
      if (dropped > outside && found.length === limit + outside) outside = dropped;
      else return inWrittenOrder(within.slice(0, limit));
    }
  };

  /** Entries that name a runner, whose id is nowhere but in the JSON, among the next ones of a walk. */
  const namedIn = async (key: string, high: Date, wanted: number, low: Date, runner: string): Promise<Step> => {
    const range = { $gte: low, $lte: high };
    const last = await history.findOne(
      { [TIME]: range },
      { sort: { [TIME]: -1 }, skip: wanted - 1, only: { [TIME]: 1 } },
    );
    const oldest = last?.[TIME];
    const span = { low: oldest instanceof Date ? oldest : low, high };
    const condition = { history_json: containing(pythonString(runner)) };
    const [documents, entries] = await Promise.all([
      matchesIn(reading, history, { key, time: TIME, ties: -1, ...span, condition, limit: NAMED }),
      history.count({ [TIME]: { $gte: span.low, $lte: high } }),
    ]);
    // All entries of its last instant are in the step.
    return { documents, entries, end: last === null ? null : { at: span.low.getTime() - 1, id: null } };
  };
  /** Pages ask for several roles of a runner, which are in the same entries. */
  const steps = new Map<string, Promise<Step>>();
  const stepOf = async (
    filter: HistoryFilter,
    place: Place | undefined,
    wanted: number,
    key: string,
  ): Promise<Step> => {
    const { low, high } = boundsOf(filter);
    if (filter.by === undefined) {
      const documents = await nextByTime(history, { time: TIME, direction: "down", low, high, after: place }, wanted);
      const last = documents.at(-1);
      const end = last === undefined || documents.length < wanted ? null : placeOf(last, TIME);
      return { documents, entries: documents.length, end };
    }
    const { runner_id } = filter.by;
    const from = place === undefined ? (high ?? LATEST) : new Date(place.at);
    const named = `named ${JSON.stringify([runner_id, key])}`;
    const asked = JSON.stringify([named, from, wanted, low]);
    const step = steps.get(asked) ?? namedIn(named, from, wanted, low ?? EARLIEST, runner_id);
    steps.set(asked, step);
    const { documents, ...rest } = await step;
    return { ...rest, documents: documents.filter((stored) => isBeyond(stored, place)) };
  };

  return {
    async listActive(filter, limit, scanLimit, after) {
      const rows: ListedId[] = [];
      const seen = new Set<string>();
      let place = placeAt(after);
      let scanned = 0;
      for (
        let step = filter.by === undefined ? Math.max(FIRST_STEP, limit * 2) : STEP;
        scanned < scanLimit;
        step = STEP
      ) {
        const wanted = Math.min(step, scanLimit - scanned);
        const { documents, entries, end } = await stepOf(filter, place, wanted, `${after ?? ""} ${scanned}`);
        const candidates = candidatesOf(documents, filter.by, seen);
        const returned = after === undefined ? null : await returnedBefore(history, filter, candidates);
        for (const stored of candidates) {
          if (returned?.has(text(stored.invocation_id))) continue;
          const cursor = cursorAt(placeOf(stored, TIME));
          rows.push({ invocation_id: text(stored.invocation_id), cursor });
          if (rows.length === limit) {
            const before = Math.ceil((entries * (documents.indexOf(stored) + 1)) / documents.length);
            return { rows, scanned: scanned + before, exhausted: false, last_cursor: cursor };
          }
        }
        scanned += entries;
        if (end === null) return { rows, scanned, exhausted: true, last_cursor: cursorOrNull(place) };
        place = end;
      }
      return { rows, scanned, exhausted: false, last_cursor: cursorOrNull(place) };
    },

    historyBetween: async (window, limit, end) => (await documentsBetween(window, limit, end)).map(historyRecord),

    historyWithin: (windows, each) =>
      Promise.all(windows.map(async (window) => (await documentsBetween(window, each, "earliest")).map(historyRecord))),

    async printedBetween(window, limit) {
      const found = await documentsBetween(window, limit, "latest");
      return { entries: found.map(historyRecord), prints: historyPrints(found) };
    },

    printsBetween: async (window, limit) => historyPrints(await documentsBetween(window, limit, "latest")),

    async countHistory(window) {
      const where = inWindow(window);
      // The server's catalogue has the number of all documents.
      if (window.from === undefined && window.to === undefined)
        return { entries: await history.count({}), exact: true };
      const entries = await history.count(where, COUNTED);
      if (entries < COUNTED) return { entries, exact: true };
      const span = await spanOf(history, where);
      if (span === null) return { entries: 0, exact: true };
      const slices = slicesOf(span.first, span.last, ESTIMATED_SLICES);
      const counts = await Promise.all(slices.map((slice) => entriesIn(history, slice)));
      return { entries: Math.max(COUNTED, sumOf(counts.map((count) => count.entries))), exact: false };
    },

    historySpan: () => spanOf(history, {}),
  };
}

/** A window without its end. */
interface Slice {
  from: EpochSeconds;
  to: EpochSeconds;
  /** The end is part of the last slice. */
  last: boolean;
}

function slicesOf(from: EpochSeconds, to: EpochSeconds, count: number): Slice[] {
  const edge = (i: number) => from + ((to - from) * i) / count;
  return Array.from({ length: count }, (_, i) => ({ from: edge(i), to: edge(i + 1), last: i + 1 === count }));
}

function inSlice({ from, to, last }: Slice): Filter {
  return { [TIME]: { $gte: atOrAfter(from), ...(last ? { $lte: atOrBefore(to) } : { $lt: atOrAfter(to) }) } };
}

/** The entries of a slice, estimated from the distance of neighbours if there are many. */
async function entriesIn(history: CollectionReads, slice: Slice): Promise<{ entries: number; exact: boolean }> {
  const where = inSlice(slice);
  const entries = await history.count(where, COUNTED_IN_SLICE);
  if (entries < COUNTED_IN_SLICE) return { entries, exact: true };
  const seconds = slice.to - slice.from;
  const runs = await Promise.all(
    slicesOf(slice.from, slice.to, RUNS).map(async ({ from }) => {
      const some = await history.find(
        { [TIME]: { $gte: atOrAfter(from) } },
        { sort: { [TIME]: 1 }, limit: RUN, only: { [TIME]: 1 } },
      );
      const reached = some.at(-1)?.[TIME];
      const length = reached instanceof Date ? reached.getTime() / 1000 - from : seconds;
      return { entries: some.length, seconds: Math.max(length, 0.001) };
    }),
  );
  const rates = runs.map((run) => run.entries / run.seconds);
  return { entries: Math.max(entries, Math.round((sumOf(rates) / rates.length) * seconds)), exact: false };
}

/** Times of the first and the last of these entries. */
async function spanOf(
  history: CollectionReads,
  where: Filter,
): Promise<{ first: EpochSeconds; last: EpochSeconds } | null> {
  const ends = await Promise.all(
    ([1, -1] as const).map((direction) => history.findOne({ ...DATED, ...where }, { sort: { [TIME]: direction } })),
  );
  const [first, last] = ends.map((end) => (end === null ? null : writtenAt(end)));
  return first == null || last == null ? null : { first, last };
}

/** Leaves out what has no time. */
const DATED: Filter = { [TIME]: { $gte: new Date(0) } };

function boundsOf({ from, to }: HistoryWindow): { low: Date | undefined; high: Date | undefined } {
  return {
    low: from === undefined ? undefined : atOrBefore(from),
    high: to === undefined ? undefined : atOrBefore(to),
  };
}

function inWindow(window: HistoryWindow): Filter {
  const { low, high } = boundsOf(window);
  return { [TIME]: { ...(low === undefined ? {} : { $gte: low }), ...(high === undefined ? {} : { $lte: high }) } };
}

/** Whether an entry of the instant at which a walk continues comes after its place. */
function isBeyond(stored: Document, place: Place | undefined): boolean {
  const { at, id } = placeOf(stored, TIME);
  return place === undefined || at < place.at || place.id === null || String(id) < place.id;
}

/** Part of a walk over the history, newest first. */
interface Step {
  /** Of a walk for a runner, only those that name it. */
  documents: Document[];
  entries: number;
  /** Where the next part begins; null at the end of the walk. */
  end: Place | null;
}

/** The latest matching entry of each invocation. @param seen invocations the walk has already found; new ones are added. */
function candidatesOf(step: readonly Document[], by: RunnerRole | undefined, seen: Set<string>): Document[] {
  return step.filter((stored) => {
    const id = text(stored.invocation_id);
    if (seen.has(id) || (by !== undefined && !hasRole(historyRecord(stored), by))) return false;
    seen.add(id);
    return true;
  });
}

/** Invocations already returned by an earlier part of the same walk: they have a later matching entry. */
async function returnedBefore(
  history: CollectionReads,
  { to, by }: HistoryFilter,
  candidates: readonly Document[],
): Promise<ReadonlySet<string>> {
  const places = new Map(candidates.map((stored) => [text(stored.invocation_id), placeOf(stored, TIME)]));
  const earliest = Math.min(...[...places.values()].map(({ at }) => at));
  const where = { [TIME]: { $gte: new Date(earliest), ...(to === undefined ? {} : { $lte: atOrBefore(to) }) } };
  const later = places.size === 0 ? [] : await findIn(history, "invocation_id", [...places.keys()], { where });
  const returned = later.filter((stored) => {
    const place = places.get(text(stored.invocation_id));
    const own = placeOf(stored, TIME);
    if (place === undefined || (by !== undefined && !hasRole(historyRecord(stored), by))) return false;
    return own.at > place.at || (own.at === place.at && String(own.id) > String(place.id));
  });
  return new Set(returned.map((stored) => text(stored.invocation_id)));
}

function cursorOrNull(place: ReturnType<typeof placeAt>): Cursor | null {
  return place === undefined ? null : cursorAt(place);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
