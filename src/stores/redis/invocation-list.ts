/** Invocations by filter, newest registration first. */
import { parseCallKey } from "../../pynenc/identifiers.ts";
import type { Cursor, OrchestratorReads, StatusFilter } from "../ports.ts";
import { inChunks, numberOf, numberOrNull } from "./db.ts";
import { EXACT_UP_TO } from "./invocation-counts.ts";
import { globEscape } from "./keys.ts";
import { membersOf, newestFirst, type Place, placesInOrder, placesLike } from "./members.ts";
import type { RedisReading } from "./reading.ts";
import { calledTasks, type FoundStatus, foundStatuses, recordsOf } from "./status-records.ts";

/** Candidates that are looked at in one round trip. */
const STEP = 10_000;

/** Candidates that are looked at first where not all of them match. */
const FIRST_STEP = 1_000;

/** Sets up to this size are read at once. */
const SMALL_SET = 1_000;

/** So many places of an index are walked in the time that a member of a set takes, whose place has to be asked for. */
const WALKED_PER_MEMBER = 2;

/** So many ids the server compares with a pattern in the time that a place takes to be walked. */
const COMPARED_PER_PLACE = 20;

const WHOLE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where matches are looked for. */
interface Sources {
  /** All registrations by time, or those of a task. */
  index: string;
  /** Sets that hold every match, if they are smaller than the index. */
  sets: readonly string[] | null;
  /** Places of the index that are walked before the sets, or all ids by their beginning, are asked instead. */
  patience: number;
}

type Found = FoundStatus & Place;

/**
 * What the index of registrations lacks is in no list, as in pynenc's own. What has no status is in none either: pynenc's auto purge
 * leaves such ids in the index by the thousand.
 *
 * The index is walked newest first and each candidate judged by its status. Where matches are rare that would take long, so the walk is
 * given up when it has cost as much as reading the sets of the status or the call, or a search by pattern, will; that then goes on from
 * where the walk stood. So no distribution of the data makes it cost much more than twice the better way.
 */
export function invocationList(reading: RedisReading): Pick<OrchestratorReads, "listInvocations" | "countInvocations"> {
  const { keys } = reading;
  const db = reading.db("orchestrator");

  async function sourcesOf({ statuses, task_id_key, call_id_key, id_prefix }: StatusFilter): Promise<Sources> {
    const task = task_id_key ?? parseCallKey(call_id_key ?? "")?.task_id_key;
    const index =
      task === undefined
        ? keys.key("orchestrator", "all_invocations_by_time")
        : keys.key("orchestrator", "task_invocations_by_time", task);
    const ofStatuses = (statuses ?? []).map((status) => keys.key("orchestrator", "status", status));
    const ofCall = call_id_key === undefined ? [] : [keys.key("orchestrator", "call_to_invocation", call_id_key)];
    const sizes = await db.exchange([["ZCARD", index], ...[...ofStatuses, ...ofCall].map((set) => ["SCARD", set])]);
    const [total = 0, ...members] = sizes.map(numberOf);
    const sum = (some: readonly number[]) => some.reduce((all, n) => all + n, 0);
    const [smallest] = [
      { sets: ofStatuses, size: sum(members.slice(0, ofStatuses.length)) },
      { sets: ofCall, size: sum(members.slice(ofStatuses.length)) },
    ]
      .filter(({ sets, size }) => sets.length > 0 && size < total)
      .sort((a, b) => a.size - b.size);
    return { index, sets: smallest?.sets ?? null, patience: patience(total, smallest?.size ?? null, id_prefix) };
  }

  /** Matches in their order, step by step; the first step looks at `first` candidates. */
  async function* matches(filter: StatusFilter, after: Place | null, first: number): AsyncGenerator<Found[]> {
    const { id_prefix = "" } = filter;
    const sources = await sourcesOf(filter);
    if (WHOLE_ID.test(id_prefix)) {
      yield meeting(filter, behind(after, await placed(sources.index, [id_prefix])));
      return;
    }
    let last = after;
    let walked = 0;
    if (sources.patience > 0) {
      for await (const places of placesInOrder(db, sources.index, after, first)) {
        yield meeting(filter, places);
        walked += places.length;
        last = places.at(-1) ?? last;
        if (walked >= sources.patience) break;
      }
    }
    if (walked < sources.patience) return;
    const rest = behind(last, await candidates(sources, id_prefix));
    for (let start = 0, size = first; start < rest.length; start += size, size = Math.min(size * 4, STEP)) {
      yield meeting(filter, rest.slice(start, start + size));
    }
  }

  /** Every place that may match, in no order. */
  async function candidates({ index, sets }: Sources, idPrefix: string): Promise<Place[]> {
    const pattern = `${globEscape(idPrefix)}*`;
    const found = new Map<string, Place>();
    if (sets === null) {
      for await (const places of placesLike(db, index, pattern)) {
        for (const place of places) found.set(place.id, place);
      }
      return [...found.values()];
    }
    const ids = new Set<string>();
    for await (const some of membersOf(db, sets, pattern)) for (const id of some) ids.add(id);
    return placed(index, [...ids]);
  }

  /** The places of these ids, without those that the index lacks. */
  async function placed(index: string, ids: readonly string[]): Promise<Place[]> {
    const places: Place[] = [];
    for (const some of inChunks(ids, STEP)) {
      const scores = await db.exchange(some.map((id) => ["ZSCORE", index, id]));
      for (const [i, id] of some.entries()) {
        const time = numberOrNull(scores[i]);
        if (time !== null) places.push({ id, time });
      }
    }
    return places;
  }

  /** Those that meet the filter, in their order. */
  async function meeting(filter: StatusFilter, places: readonly Place[]): Promise<Found[]> {
    const { statuses, task_id_key, call_id_key, id_prefix = "" } = filter;
    const named = new Map(places.flatMap((place) => (place.id.startsWith(id_prefix) ? [[place.id, place]] : [])));
    const inStatus = (await foundStatuses(reading, [...named.keys()])).flatMap((found): Found[] => {
      const place = named.get(found.invocation_id);
      const wanted = statuses === undefined || statuses.includes(found.current.status);
      return wanted && place !== undefined ? [{ ...found, ...place }] : [];
    });
    // The index of a task is believed; the set of a call may be that of another task than the filter's.
    if (call_id_key === undefined) return inStatus;
    const called = await calledTasks(
      reading,
      inStatus.map((found) => found.invocation_id),
    );
    return inStatus.filter((_, i) => {
      const task = called[i];
      return task?.call_id_key === call_id_key && (task_id_key ?? task.task_id_key) === task.task_id_key;
    });
  }

  async function firstMatches(filter: StatusFilter, after: Place | null, limit: number): Promise<Found[]> {
    if (limit <= 0 || filter.statuses?.length === 0) return [];
    const restricted = (filter.statuses ?? filter.call_id_key ?? filter.id_prefix) !== undefined;
    const found: Found[] = [];
    for await (const some of matches(filter, after, restricted ? Math.max(limit, FIRST_STEP) : limit)) {
      found.push(...some);
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  return {
    async listInvocations(filter, { limit, offset }, after) {
      const found = await firstMatches(filter, after === undefined ? null : placeOf(after), offset + limit);
      const rows = found.slice(offset);
      const records = await recordsOf(reading, rows);
      return rows.map((row, i) => ({ ...(records[i] as (typeof records)[number]), cursor: cursorOf(row) }));
    },

    countInvocations: async (filter, cap) => (await firstMatches(filter, null, cap)).length,
  };
}

/** How many places are walked for as long as the other way takes: see `invocationList`. */
function patience(total: number, inSets: number | null, idPrefix: string | undefined): number {
  if (total <= EXACT_UP_TO) return Number.POSITIVE_INFINITY;
  if (inSets !== null && inSets <= SMALL_SET) return 0;
  if (idPrefix !== undefined) return (inSets ?? total) / COMPARED_PER_PLACE;
  return inSets === null ? Number.POSITIVE_INFINITY : inSets * WALKED_PER_MEMBER;
}

/** In their order, without what comes before `after` or is it. */
function behind(after: Place | null, places: readonly Place[]): Place[] {
  return places.filter((place) => after === null || newestFirst(after, place) < 0).sort(newestFirst);
}

function cursorOf({ time, id }: Place): Cursor {
  return `${time}:${id}`;
}

function placeOf(cursor: Cursor): Place {
  const colon = cursor.indexOf(":");
  return { time: Number(cursor.slice(0, colon)), id: cursor.slice(colon + 1) };
}
