/** History within time windows, from the index of every entry of every invocation by time (storage-format.md 9.2). */
import { hasRole, type RunnerRole } from "../../../pynenc/history-roles.ts";
import { pythonString } from "../../../pynenc/python-dump.ts";
import type { HistoryRecord } from "../../../pynenc/records.ts";
import { printOf, type RowPrint } from "../../../pynenc/row-prints.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import type { Cursor } from "../../ports/common.ts";
import type {
  HistoryFilter,
  HistoryWindow,
  HistoryWindowReads,
  ListedId,
  PrintedHistory,
} from "../../ports/state-backend.ts";
import { inChunks } from "../../server/chunks.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command } from "../server/connection.ts";
import { scoredOf, textsOf } from "../server/db.ts";
import { byScore, type ScoredMember } from "../server/sorted-set.ts";
import { historyRecord, historyTails } from "./history.ts";

/** Entries read per command: about two megabytes. */
const STEP = 5_000;

/** First step of a walk that may find enough at once. */
const FIRST_STEP = 200;

/** Less than the microsecond resolution of times. */
const SAME_TIME = 5e-7;

export function historyWindowReads(reading: RedisReading): HistoryWindowReads {
  const db = reading.db("state_backend");
  const index = reading.keys.key("state_backend", "history_by_timestamp");

  const membersBetween = (
    window: HistoryWindow,
    limit: number,
    end: "earliest" | "latest",
    scores: readonly string[],
  ): Command[] => {
    const { low, high } = boundsOf(window);
    const [command, from, to] = end === "earliest" ? ["ZRANGEBYSCORE", low, high] : ["ZREVRANGEBYSCORE", high, low];
    const commands: Command[] = [];
    for (let skipped = 0; skipped < limit; skipped += STEP) {
      const size = Math.min(STEP, limit - skipped);
      commands.push([command, index, from, to, ...scores, "LIMIT", String(skipped), String(size)]);
    }
    return commands;
  };

  /** The latest of a window, oldest first. */
  const scoredBetween = async (window: HistoryWindow, limit: number) =>
    (await db.exchange(membersBetween(window, limit, "latest", ["WITHSCORES"]))).flatMap(scoredOf).reverse();

  return {
    async listActive(filter, limit, scanLimit, after) {
      const rows: ListedId[] = [];
      const seen = new Set<string>();
      const largest = Math.min(STEP, scanLimit);
      const walk = byScore(db, index, {
        direction: "down",
        low: filter.from,
        high: filter.to,
        after: positionOf(after),
        step: filter.by === undefined ? Math.min(largest, Math.max(FIRST_STEP, limit * 2)) : largest,
        largest,
      });
      let scanned = 0;
      let last_cursor: Cursor | null = null;
      for await (const step of walk) {
        const within = step.slice(0, scanLimit - scanned);
        const candidates = candidatesOf(within, filter.by, seen);
        for (const some of inChunks(candidates, Math.max(FIRST_STEP, limit))) {
          const returned = after === undefined ? null : await returnedBefore(reading, filter, some);
          for (const { invocation_id, scored, index } of some) {
            if (returned?.has(invocation_id)) continue;
            last_cursor = cursorOf(scored);
            rows.push({ invocation_id, cursor: last_cursor });
            if (rows.length === limit) return { rows, scanned: scanned + index + 1, exhausted: false, last_cursor };
          }
        }
        scanned += within.length;
        const last = within.at(-1);
        if (last !== undefined) last_cursor = cursorOf(last);
        if (scanned >= scanLimit) return { rows, scanned, exhausted: false, last_cursor };
      }
      return { rows, scanned, exhausted: true, last_cursor };
    },

    async historyBetween(window, limit, end) {
      const replies = await db.exchange(membersBetween(window, limit, end, []));
      const members = replies.flatMap(textsOf);
      if (end === "latest") members.reverse();
      return members.flatMap((member) => recordOf(member) ?? []);
    },

    async historyWithin(windows, each) {
      const commands = windows.map((window) => membersBetween(window, each, "earliest", []));
      const replies = await db.exchange(commands.flat());
      return commands.map(({ length }) =>
        replies
          .splice(0, length)
          .flatMap(textsOf)
          .flatMap((member) => recordOf(member) ?? []),
      );
    },

    printedBetween: async (window, limit) => printedHistory(await scoredBetween(window, limit)),

    printsBetween: async (window, limit) => printsOf(await scoredBetween(window, limit)),

    async countHistory(window) {
      const { low, high } = boundsOf(window);
      return { entries: await db.number("ZCOUNT", index, low, high), exact: true };
    },

    async historySpan() {
      const replies = await db.exchange([
        ["ZRANGE", index, "0", "0", "WITHSCORES"],
        ["ZREVRANGE", index, "0", "0", "WITHSCORES"],
      ]);
      const [first, last] = replies.map((reply) => scoredOf(reply)[0]?.score);
      return first === undefined || last === undefined ? null : { first, last };
    },
  };
}

/** Entries with status `registered`, newest first: gives registration times that the orchestrator does not have. */
export async function* registeredEntries(
  reading: RedisReading,
  before?: EpochSeconds,
): AsyncGenerator<{ invocation_id: string; at: EpochSeconds }[], void, undefined> {
  const walk = byScore(reading.db("state_backend"), reading.keys.key("state_backend", "history_by_timestamp"), {
    direction: "down",
    high: before,
    step: FIRST_STEP,
    largest: STEP,
  });
  for await (const step of walk) {
    yield step.flatMap(({ member, score }) => {
      const entry = member.includes('"registered"') ? recordOf(member) : null;
      return entry?.status === "registered" ? [{ invocation_id: entry.invocation_id, at: score }] : [];
    });
  }
}

/** Splits `<invocation id>:<time>:<JSON>`; an id has no colon. */
function memberParts(member: string): { invocation_id: string; json: string } {
  const colon = member.indexOf(":");
  return { invocation_id: member.slice(0, colon), json: member.slice(member.indexOf(":", colon + 1) + 1) };
}

/** @param scored members of the index, oldest first. */
export function printedHistory(scored: readonly { member: string; score: number }[]): PrintedHistory {
  return { entries: scored.flatMap(({ member }) => recordOf(member) ?? []), prints: printsOf(scored) };
}

export function printsOf(scored: readonly { member: string; score: number }[]): RowPrint[] {
  return scored.flatMap(({ member, score }) =>
    Number.isFinite(score) ? { written_at: score, print: printOf(score, [member]) } : [],
  );
}

export function recordOf(member: string): HistoryRecord | null {
  const { invocation_id, json } = memberParts(member);
  return historyRecord(invocation_id, json);
}

function boundsOf({ from, to }: HistoryWindow): { low: string; high: string } {
  return { low: from === undefined ? "-inf" : String(from), high: to === undefined ? "+inf" : String(to) };
}

/** The latest matching entry of an invocation found by a walk. */
interface Candidate {
  invocation_id: string;
  scored: ScoredMember;
  /** Index within its step. */
  index: number;
}

/** @param seen invocations the walk has already found; new ones are added. */
function candidatesOf(step: readonly ScoredMember[], by: RunnerRole | undefined, seen: Set<string>): Candidate[] {
  // The runner is only inside the JSON. A text search rules out nearly every entry before parsing.
  const runner = by === undefined ? "" : pythonString(by.runner_id);
  return step.flatMap((scored, index) => {
    const { invocation_id, json } = memberParts(scored.member);
    if (seen.has(invocation_id) || !json.includes(runner)) return [];
    const entry = by === undefined ? null : historyRecord(invocation_id, json);
    if (by !== undefined && (entry === null || !hasRole(entry, by))) return [];
    seen.add(invocation_id);
    return [{ invocation_id, scored, index }];
  });
}

/** Invocations already returned by an earlier part of the same walk: they have a later matching entry. */
async function returnedBefore(
  reading: RedisReading,
  { to = Number.POSITIVE_INFINITY, by }: HistoryFilter,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> {
  const times = new Map(candidates.map(({ invocation_id, scored }) => [invocation_id, scored.score]));
  const timeOf = (id: string) => times.get(id) ?? 0;
  const tails = await historyTails(reading, [...times.keys()], timeOf);
  const returned = [...tails].filter(([id, entries]) =>
    entries.some(
      (entry) =>
        entry.written_at > timeOf(id) + SAME_TIME && entry.written_at <= to && (by === undefined || hasRole(entry, by)),
    ),
  );
  return new Set(returned.map(([id]) => id));
}

/** A cursor is a score and the number of members passed at that score. */
export function cursorOf({ score, passed }: ScoredMember): string {
  return `${score}:${passed}`;
}

export function positionOf(cursor: string | undefined): Pick<ScoredMember, "score" | "passed"> | undefined {
  if (cursor === undefined) return undefined;
  const [score, passed] = cursor.split(":").map(Number);
  return { score: score || 0, passed: passed || 0 };
}
