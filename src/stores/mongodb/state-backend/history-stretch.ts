/**
 * Reads the history in the order of its time index, from any cursor in either direction. Entries are ordered by their own times, not by insertion, so
 * an entry from a host whose clock is behind appears late. A cursor remembers the entries within `OVERLAP` before it and how many there were in all.
 */
import type { Cursor } from "../../ports/common.ts";
import type { HistoryStretch, StateBackendReads } from "../../ports/state-backend.ts";
import { text } from "../collections/fields.ts";
import type { MongoReading } from "../collections/reading.ts";
import { cursorAt, nextByTime, placeAt, placeOf } from "../collections/time-order.ts";
import type { Document } from "../server/db.ts";
import { historyPrints, historyRecord } from "./history.ts";
import { TIME } from "./history-window.ts";

/** Milliseconds before the newest known entry within which new entries do not count as late. */
const OVERLAP = 2_000;

/** Entries read per command: about two megabytes. */
const STEP = 5_000;

/** A position between known and future entries. */
interface Front {
  /** Milliseconds of the newest known entry; null if there is none. */
  newest: number | null;
  /** `_id`s of the known entries within `OVERLAP` before it. */
  near: string[];
  /** Number of known entries, these included. */
  known: number;
}

export function historyStretchReads(
  reading: MongoReading,
): Pick<StateBackendReads, "historyEnd" | "historyFrom" | "printsBefore"> {
  const history = reading.of("state_backend", "history");

  const newer = async (cursor: Cursor, limit: number): Promise<HistoryStretch> => {
    const front = JSON.parse(cursor) as Front;
    const nothing = { entries: [], prints: [], cursor, exhausted: true, lost: false, late: 0 };
    // Before the entries are read: those inserted meanwhile must not count as late.
    const total = await history.count({});
    const wanted = Math.min(limit, STEP) + front.near.length;
    const low = front.newest === null ? undefined : new Date(front.newest - OVERLAP);
    const found = await nextByTime(history, { time: TIME, direction: "up", low }, wanted);
    const near = new Set(front.near);
    const fresh = found.filter((stored) => !near.has(text(stored._id)));
    const exhausted = found.length < wanted;
    const passedNear = exhausted || placeOf(found.at(-1) ?? {}, TIME).at > (front.newest ?? 0);
    if (total < front.known || (passedNear && found.length - fresh.length < near.size))
      return { ...nothing, lost: true };
    const late = exhausted ? Math.max(0, total - front.known - fresh.length) : 0;
    const next = { ...frontOf(found), known: front.known + fresh.length + late };
    return {
      ...nothing,
      entries: fresh.map(historyRecord),
      prints: historyPrints(fresh),
      cursor: JSON.stringify(found.length === 0 ? { ...front, known: next.known } : next),
      exhausted,
      late,
    };
  };

  const documentsBefore = async (cursor: Cursor, limit: number) => {
    const front = cursor.startsWith("{") ? (JSON.parse(cursor) as Front) : null;
    if (front !== null && front.newest === null) return { found: [], cursor, exhausted: true };
    const high = front?.newest == null ? undefined : new Date(front.newest);
    const after = front === null ? placeAt(cursor) : undefined;
    const wanted = Math.min(limit, STEP);
    const read = await nextByTime(history, { time: TIME, direction: "down", high, after }, wanted);
    const last = read.at(-1);
    // Entries that have appeared among the newest since then count as newer, whatever their time.
    const since = front?.newest == null ? Number.POSITIVE_INFINITY : front.newest - OVERLAP;
    const near = new Set(front?.near);
    const found = read.filter((stored) => placeOf(stored, TIME).at < since || near.has(text(stored._id)));
    return {
      found: found.reverse(),
      cursor: last === undefined ? cursor : cursorAt(placeOf(last, TIME)),
      exhausted: read.length < wanted,
    };
  };

  return {
    async historyEnd() {
      const [newest] = await nextByTime(history, { time: TIME, direction: "down", only: { [TIME]: 1 } }, 1);
      if (newest === undefined) return JSON.stringify({ newest: null, near: [], known: 0 } satisfies Front);
      const { at } = placeOf(newest, TIME);
      const walk = { time: TIME, direction: "up" as const, low: new Date(at - OVERLAP), high: new Date(at) };
      const near: Document[] = [];
      for (let after: ReturnType<typeof placeAt>; ; ) {
        const some = await nextByTime(history, { ...walk, after, only: { [TIME]: 1 } }, STEP);
        near.push(...some);
        const last = some.at(-1);
        if (last === undefined || some.length < STEP) break;
        after = placeOf(last, TIME);
      }
      // After the entries: those inserted meanwhile come with the next ones.
      return JSON.stringify({ ...frontOf(near), known: await history.count({}) } satisfies Front);
    },

    async historyFrom(cursor, direction, limit) {
      if (direction === "newer") return newer(cursor, limit);
      const { found, ...reached } = await documentsBefore(cursor, limit);
      return { ...reached, entries: found.map(historyRecord), prints: historyPrints(found), lost: false, late: 0 };
    },

    async printsBefore(cursor, limit) {
      const { found, ...reached } = await documentsBefore(cursor, limit);
      return { ...reached, prints: historyPrints(found) };
    },
  };
}

/** @param found known entries by time. */
function frontOf(found: readonly Document[]): Pick<Front, "newest" | "near"> {
  const last = found.at(-1);
  if (last === undefined) return { newest: null, near: [] };
  const newest = placeOf(last, TIME).at;
  const near = found.filter((stored) => placeOf(stored, TIME).at >= newest - OVERLAP);
  return { newest, near: near.map(({ _id }) => text(_id)) };
}
