/**
 * Reads the history in the order of its time index, from any cursor in either direction. Entries are ordered by their own times, not by insertion, so
 * an entry from a host whose clock is behind appears late. A cursor remembers the entries within `OVERLAP` before it and the number of earlier
 * entries.
 */
import { createHash } from "node:crypto";
import type { Cursor } from "../../ports/common.ts";
import type { HistoryStretch, StateBackendReads } from "../../ports/state-backend.ts";
import type { RedisReading } from "../keys/reading.ts";
import { numberOf, scoredOf } from "../server/db.ts";
import { byScore } from "../server/sorted-set.ts";
import { cursorOf, positionOf, printedHistory, printsOf } from "./history-window.ts";

/** Seconds before the newest known entry within which new entries do not count as late. */
const OVERLAP = 2;

/** Entries read per command: about two megabytes. */
const STEP = 5_000;

/** A position between known and future entries. */
interface Front {
  /** Time of the newest known entry; null if there is none. */
  newest: number | null;
  /** Fingerprints of the known entries within `OVERLAP` before it. */
  near: string[];
  /** Number of entries before these. */
  before: number;
}

type Scored = { member: string; score: number };

export function historyStretchReads(
  reading: RedisReading,
): Pick<StateBackendReads, "historyEnd" | "historyFrom" | "printsBefore"> {
  const db = reading.db("state_backend");
  const index = reading.keys.key("state_backend", "history_by_timestamp");
  const countBefore = async (score: number) => db.number("ZCOUNT", index, "-inf", `(${score}`);
  /** Members from a score on, and the number of those before it: one round trip. */
  const membersFrom = async (score: number, limit: number) => {
    const [members, before] = await db.exchange([
      ["ZRANGEBYSCORE", index, String(score), "+inf", "WITHSCORES", "LIMIT", "0", String(limit)],
      ["ZCOUNT", index, "-inf", `(${score}`],
    ]);
    return { members: scoredOf(members), before: numberOf(before) };
  };

  const newer = async (cursor: Cursor, limit: number): Promise<HistoryStretch> => {
    const front = JSON.parse(cursor) as Front;
    const nothing = { entries: [], prints: [], cursor, exhausted: true, lost: false, late: 0 };
    const from = front.newest === null ? Number.NEGATIVE_INFINITY : front.newest - OVERLAP;
    const wanted = Math.min(limit, STEP) + front.near.length;
    const { members, before } = await membersFrom(from, wanted);
    const near = new Set(front.near);
    const fresh = members.filter(({ member }) => !near.has(fingerprintOf(member)));
    const passedNear = members.length < wanted || (members.at(-1)?.score ?? 0) > (front.newest ?? 0);
    if (before < front.before || (passedNear && members.length - fresh.length < near.size)) {
      return { ...nothing, lost: true };
    }
    const next = frontOf(members, before);
    return {
      ...nothing,
      ...printedHistory(fresh),
      cursor: JSON.stringify(members.length === 0 ? { ...front, before } : next),
      exhausted: members.length < wanted,
      late: before - front.before,
    };
  };

  const membersBefore = async (cursor: Cursor, limit: number) => {
    const front = cursor.startsWith("{") ? (JSON.parse(cursor) as Front) : null;
    if (front !== null && front.newest === null) return { members: [], cursor, exhausted: true };
    const near = new Set(front?.near);
    const step = Math.min(limit, STEP);
    const walk = byScore(db, index, {
      direction: "down",
      high: front?.newest ?? undefined,
      after: front === null ? positionOf(cursor) : undefined,
      step,
      largest: step,
    });
    const { value: scored = [] } = await walk.next();
    const last = scored.at(-1);
    // Entries that have appeared among the newest since then count as newer, whatever their time.
    const since = front?.newest == null ? Number.POSITIVE_INFINITY : front.newest - OVERLAP;
    const members = scored.filter(({ member, score }) => score < since || near.has(fingerprintOf(member)));
    return {
      members: members.reverse(),
      cursor: last === undefined ? cursor : cursorOf(last),
      exhausted: scored.length < step,
    };
  };

  return {
    async historyEnd() {
      const [newest] = scoredOf(await db.ask("ZREVRANGE", index, "0", "0", "WITHSCORES"));
      if (newest === undefined) return JSON.stringify({ newest: null, near: [], before: 0 } satisfies Front);
      const from = newest.score - OVERLAP;
      const near: string[] = [];
      for await (const step of byScore(db, index, {
        direction: "up",
        low: from,
        high: newest.score,
        step: STEP,
        largest: STEP,
      })) {
        near.push(...step.map(({ member }) => fingerprintOf(member)));
      }
      return JSON.stringify({ newest: newest.score, near, before: await countBefore(from) } satisfies Front);
    },

    async historyFrom(cursor, direction, limit) {
      if (direction === "newer") return newer(cursor, limit);
      const { members, ...reached } = await membersBefore(cursor, limit);
      return { ...reached, ...printedHistory(members), lost: false, late: 0 };
    },

    async printsBefore(cursor, limit) {
      const { members, ...reached } = await membersBefore(cursor, limit);
      return { ...reached, prints: printsOf(members) };
    },
  };
}

/** @param members known entries by time, starting `OVERLAP` before the last cursor. @param before number of entries before them. */
function frontOf(members: readonly Scored[], before: number): Front {
  const newest = members.at(-1)?.score ?? null;
  const from = newest === null ? Number.NEGATIVE_INFINITY : newest - OVERLAP;
  const near = members.filter(({ score }) => score >= from);
  return {
    newest,
    near: near.map(({ member }) => fingerprintOf(member)),
    before: before + members.length - near.length,
  };
}

/** Identifies an entry in a few bytes; a member contains the complete entry. */
function fingerprintOf(member: string): string {
  return createHash("sha1").update(member).digest("base64url").slice(0, 16);
}
