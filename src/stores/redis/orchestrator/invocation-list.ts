/** Invocations by filter, newest registration first. */
import { parseCallKey } from "../../../pynenc/identifiers.ts";
import type { InvocationStatusRecord } from "../../../pynenc/records.ts";
import { STATUSES } from "../../../pynenc/statuses.ts";
import type { Cursor, Slice } from "../../ports/common.ts";
import type { InvocationListReads, StatusFilter, StatusRow } from "../../ports/orchestrator.ts";
import { inChunks } from "../../server/chunks.ts";
import { globEscape } from "../keys/keys.ts";
import type { RedisReading } from "../keys/reading.ts";
import { numberOf, scoredOf } from "../server/db.ts";
import { entriesInOrder, type IndexEntry, membersInSteps, newestFirst } from "../server/members.ts";
import { EXACT_UP_TO } from "./invocation-counts.ts";
import { calledTasks, type FoundStatus, foundStatuses, recordsOf, statusRecords } from "./status-records.ts";

/** Candidates read per round trip. */
const STEP = 10_000;

/** Candidates read in the first step if not all of them match. */
const FIRST_STEP = 1_000;

/** Sets up to this size are read at once. */
const SMALL_SET = 1_000;

/** Index entries read in the time it takes to look up one set member, which needs a separate command. */
const ENTRIES_PER_MEMBER = 2;

/** Walk up to this many times as far as needed to find evenly distributed matches. */
const SKEW_FACTOR = 8;

/** Sets up to this size are used to find ids by prefix: the server filters this many members quickly. */
const MAX_FILTERED_SET = 10_000;

const FULL_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where to search for matches. */
interface Sources {
  /** All registrations by time, or those of a task. */
  index: string;
  /** Number of entries in the index. */
  total: number;
  /** Sets that contain every match, if they are smaller than the index. */
  sets: readonly string[] | null;
  /** Number of members of these sets, or of entries in the index if there are none. */
  size: number;
}

interface Found extends FoundStatus, IndexEntry {
  /** If it has been read already. */
  record?: InvocationStatusRecord;
}

/**
 * Lists only invocations that are in the index of registrations, as pynenc does, and that have a status: pynenc's auto-purge leaves thousands of ids
 * without a status in the index.
 *
 * Walks the index newest first and checks the status of each candidate. If matches are rare, that takes long, so once the walk has cost as much as
 * reading the sets of the status or the call would, it continues with those sets from its current position. So it never costs much more than twice
 * the better method, however the data is distributed. No index finds ids by prefix; use `scanInvocations` for these.
 */
export function invocationList(reading: RedisReading): InvocationListReads {
  const { keys } = reading;
  const db = reading.db("orchestrator");

  function indexOf({ task_id_key, call_id_key }: StatusFilter): string {
    const task = task_id_key ?? parseCallKey(call_id_key ?? "")?.task_id_key;
    return task === undefined
      ? keys.key("orchestrator", "all_invocations_by_time")
      : keys.key("orchestrator", "task_invocations_by_time", task);
  }

  async function sourcesOf(filter: StatusFilter): Promise<Sources> {
    const { statuses = [], call_id_key } = filter;
    const index = indexOf(filter);
    const ofStatuses = statuses.map((status) => keys.key("orchestrator", "status", status));
    const ofCall = call_id_key === undefined ? [] : [keys.key("orchestrator", "call_to_invocation", call_id_key)];
    const sizes = await db.exchange([["ZCARD", index], ...[...ofStatuses, ...ofCall].map((set) => ["SCARD", set])]);
    const [total = 0, ...members] = sizes.map(numberOf);
    const [smallest] = [
      { sets: ofStatuses, size: sum(members.slice(0, ofStatuses.length)) },
      { sets: ofCall, size: sum(members.slice(ofStatuses.length)) },
    ]
      .filter(({ sets, size }) => sets.length > 0 && size < total)
      .sort((a, b) => a.size - b.size);
    return { index, total, ...(smallest ?? { sets: null, size: total }) };
  }

  /** Matches in order, in steps sized for `wanted` matches. */
  async function* matches(filter: StatusFilter, after: IndexEntry | null, wanted: number): AsyncGenerator<Found[]> {
    const { id_prefix = "" } = filter;
    // Without restrictions, only the index is walked, whatever its size.
    const sources = isRestricted(filter)
      ? await sourcesOf(filter)
      : { index: indexOf(filter), total: 0, sets: null, size: 0 };
    if (FULL_ID.test(id_prefix)) {
      yield matching(filter, entriesAfter(after, await entriesIn(sources.index, [id_prefix])));
      return;
    }
    const first = isRestricted(filter) ? Math.max(wanted, FIRST_STEP) : wanted;
    const walkLimit = walkLimitOf(sources, isFilteredByServer(sources, id_prefix), wanted);
    let last = after;
    let walked = 0;
    if (walkLimit > 0) {
      for await (const entries of entriesInOrder(db, sources.index, after, first)) {
        yield matching(filter, entries);
        walked += entries.length;
        last = entries.at(-1) ?? last;
        if (walked >= walkLimit) break;
      }
    }
    if (walked < walkLimit) return;
    const rest = entriesAfter(last, await candidates(sources, id_prefix));
    for (let start = 0, size = first; start < rest.length; start += size, size = Math.min(size * 4, STEP)) {
      yield matching(filter, rest.slice(start, start + size));
    }
  }

  /** Index entries of all set members that may match, unordered. */
  async function candidates({ index, sets }: Sources, idPrefix: string): Promise<IndexEntry[]> {
    const found = new Set<string>();
    const steps = membersInSteps(db, sets ?? [], `${globEscape(idPrefix)}*`);
    for await (const ids of steps) for (const id of ids) if (id.startsWith(idPrefix)) found.add(id);
    return entriesIn(index, [...found]);
  }

  /** Index entries of these ids, without those missing in the index. */
  async function entriesIn(index: string, ids: readonly string[]): Promise<IndexEntry[]> {
    const entries: IndexEntry[] = [];
    for (const some of inChunks(ids, STEP)) {
      const scores = await db.scores(index, some);
      for (const [i, id] of some.entries()) {
        const time = scores[i] ?? null;
        if (time !== null) entries.push({ id, time });
      }
    }
    return entries;
  }

  /** The entries that match the filter, in order. */
  async function matching(filter: StatusFilter, entries: readonly IndexEntry[]): Promise<Found[]> {
    const { id_prefix = "" } = filter;
    const named = new Map<string, IndexEntry>();
    for (const entry of entries) if (entry.id.startsWith(id_prefix)) named.set(entry.id, entry);
    if (!isRestricted(filter)) return everyOne([...named.values()]);
    const found = await calling(filter, await foundStatuses(reading, [...named.keys()], filter.statuses));
    return found.flatMap((status): Found[] => {
      const entry = named.get(status.invocation_id);
      return entry === undefined ? [] : [{ ...status, ...entry }];
    });
  }

  /** All of them will be listed or counted, so their records are read at once. */
  async function everyOne(entries: readonly IndexEntry[]): Promise<Found[]> {
    const records = await statusRecords(
      reading,
      entries.map(({ id }) => id),
    );
    const byId = new Map(records.map((record) => [record.invocation_id, record]));
    return entries.flatMap((entry): Found[] => {
      const record = byId.get(entry.id);
      if (record === undefined) return [];
      const { invocation_id, status, status_runner_id: runner_id, status_timestamp: timestamp } = record;
      return [{ ...entry, invocation_id, current: { status, runner_id, timestamp }, record }];
    });
  }

  /** The found invocations whose task and call match the filter. The index of a task is trusted; the set of a call is verified. */
  async function calling(
    { task_id_key, call_id_key }: StatusFilter,
    found: FoundStatus[],
    trusted = call_id_key === undefined,
  ): Promise<FoundStatus[]> {
    if (trusted) return found;
    const called = await calledTasks(
      reading,
      found.map(({ invocation_id }) => invocation_id),
    );
    return found.filter((_, i) => {
      const task = called[i];
      return (
        task !== undefined &&
        (task_id_key ?? task.task_id_key) === task.task_id_key &&
        (call_id_key ?? task.call_id_key) === task.call_id_key
      );
    });
  }

  /**
   * Turns an offset into a later start position and a smaller offset from there. Only checks which statuses exist, without reading them. If the index
   * holds no more ids than the status sets together, every id has a status and the position is simply its rank.
   */
  async function skipped(filter: StatusFilter, after: IndexEntry | null, offset: number) {
    if (isRestricted(filter) || offset < FIRST_STEP) return { after, offset };
    const { index, total } = await sourcesOf(filter);
    if (after === null && total > EXACT_UP_TO && (await withStatus(filter)) >= total) {
      const [last] = scoredOf(await db.ask("ZREVRANGE", index, String(offset - 1), String(offset - 1), "WITHSCORES"));
      return last === undefined ? null : { after: { id: last.member, time: last.score }, offset: 0 };
    }
    let last = after;
    let left = offset;
    while (left >= FIRST_STEP) {
      const entries = (await entriesInOrder(db, index, last, left).next()).value ?? [];
      const end = entries.at(-1);
      if (end === undefined) return null;
      const counts = await db.exchange(
        inChunks(entries, FIRST_STEP).map((some) => [
          "EXISTS",
          ...some.map(({ id }) => keys.key("orchestrator", "invocation_status", id)),
        ]),
      );
      left -= sum(counts.map(numberOf));
      last = end;
    }
    return { after: last, offset: left };
  }

  /** Number of invocations with a known status, of a task or of all, according to the sets. */
  async function withStatus({ task_id_key }: StatusFilter): Promise<number> {
    const sets =
      task_id_key === undefined
        ? STATUSES.map(({ name }) => keys.key("orchestrator", "status", name))
        : [keys.key("orchestrator", "task", task_id_key)];
    return sum((await db.exchange(sets.map((set) => ["SCARD", set]))).map(numberOf));
  }

  async function rowsOf(listed: readonly Found[]): Promise<StatusRow[]> {
    const known = listed.flatMap(({ record }) => record ?? []);
    const records = known.length === listed.length ? known : await recordsOf(reading, listed);
    return records.flatMap((record, i): StatusRow[] => {
      const row = listed[i];
      return row === undefined ? [] : [{ ...record, cursor: cursorOf(row) }];
    });
  }

  async function list(filter: StatusFilter, { limit, offset }: Slice, cursor?: Cursor): Promise<StatusRow[]> {
    if (limit <= 0 || filter.statuses?.length === 0) return [];
    const start = await skipped(filter, cursor === undefined ? null : positionOf(cursor), offset);
    const rows: Found[] = [];
    let skip = start?.offset ?? 0;
    for await (const found of start === null ? [] : matches(filter, start.after, skip + limit)) {
      rows.push(...found.slice(skip));
      skip = Math.max(0, skip - found.length);
      if (rows.length >= limit) break;
    }
    return rowsOf(rows.slice(0, limit));
  }

  async function isIndexed(filter: StatusFilter): Promise<boolean> {
    const { id_prefix = "" } = filter;
    if (id_prefix === "" || FULL_ID.test(id_prefix)) return true;
    const sources = await sourcesOf(filter);
    return sources.total <= EXACT_UP_TO || isFilteredByServer(sources, id_prefix);
  }

  return {
    listInvocations: list,
    isIndexed,

    async scanInvocations(filter, limit, scanLimit, cursor) {
      if (await isIndexed(filter)) {
        const rows = await list(filter, { limit, offset: 0 }, cursor);
        return { rows, scanned: rows.length, stopped: null };
      }
      const { index } = await sourcesOf(filter);
      const found: Found[] = [];
      let scanned = 0;
      let last: IndexEntry | undefined;
      for await (const entries of entriesInOrder(
        db,
        index,
        cursor === undefined ? null : positionOf(cursor),
        FIRST_STEP,
      )) {
        const some = entries.slice(0, scanLimit - scanned);
        found.push(...(await matching(filter, some)));
        scanned += some.length;
        last = some.at(-1);
        if (found.length >= limit || scanned >= scanLimit) break;
      }
      const stopped =
        found.length < limit && scanned >= scanLimit && last !== undefined
          ? { invocation_id: last.id, cursor: cursorOf(last) }
          : null;
      return { rows: await rowsOf(found.slice(0, limit)), scanned, stopped };
    },

    async countInvocations(filter, cap) {
      if (cap <= 0 || filter.statuses?.length === 0) return 0;
      const { total, sets } = await sourcesOf(filter);
      const found = new Set<string>();
      if (sets !== null && total > EXACT_UP_TO) {
        // Order does not matter here, so positions are not needed.
        for await (const ids of membersInSteps(db, sets, `${globEscape(filter.id_prefix ?? "")}*`)) {
          const inStatus = await foundStatuses(reading, ids, filter.statuses);
          const trusted = (filter.task_id_key ?? filter.call_id_key) === undefined;
          for (const { invocation_id } of await calling(filter, inStatus, trusted)) found.add(invocation_id);
          if (found.size >= cap) break;
        }
      } else {
        for await (const some of matches(filter, null, cap)) {
          for (const { id } of some) found.add(id);
          if (found.size >= cap) break;
        }
      }
      return Math.min(found.size, cap);
    },
  };
}

/** Whether a registration can have a status and yet not match. */
function isRestricted({ statuses, call_id_key, id_prefix }: StatusFilter): boolean {
  return (statuses ?? call_id_key ?? id_prefix) !== undefined;
}

/** Whether the server filters the sets by this prefix. */
function isFilteredByServer({ sets, size }: Sources, idPrefix: string): boolean {
  return idPrefix !== "" && sets !== null && size <= MAX_FILTERED_SET;
}

/** Entries to walk before switching to the sets; see `invocationList`. */
function walkLimitOf({ total, sets, size }: Sources, filteredByServer: boolean, wanted: number): number {
  if (total <= EXACT_UP_TO || sets === null) return Number.POSITIVE_INFINITY;
  if (filteredByServer || size <= SMALL_SET) return 0;
  // Evenly distributed matches are found long before; for others the walk is not worth it.
  return Math.min(size * ENTRIES_PER_MEMBER, (wanted * SKEW_FACTOR * total) / size);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, n) => all + n, 0);
}

/** Sorted, without entries up to and including `after`. */
function entriesAfter(after: IndexEntry | null, entries: readonly IndexEntry[]): IndexEntry[] {
  return entries.filter((entry) => after === null || newestFirst(after, entry) < 0).sort(newestFirst);
}

function cursorOf({ time, id }: IndexEntry): Cursor {
  return `${time}:${id}`;
}

function positionOf(cursor: Cursor): IndexEntry {
  const colon = cursor.indexOf(":");
  return { time: Number(cursor.slice(0, colon)) || 0, id: cursor.slice(colon + 1) };
}
