/** Histories of invocations: one list of JSON entries each, in the order of writing, which may differ slightly from the order of time. */
import { parseHistoryEntry } from "../../../pynenc/json-records.ts";
import type { HistoryRecord } from "../../../pynenc/records.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import { historySpans } from "../../history-spans.ts";
import type { HistoryReads, HistorySpan } from "../../ports/state-backend.ts";
import { inChunks } from "../../server/chunks.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command } from "../server/connection.ts";
import { textsOf } from "../server/db.ts";

/** Histories requested per round trip: about five thousand entries. */
const BATCH = 1_000;

/** Entries read at each end of a history to find the first and the last; nearly always the complete history. */
const END = 16;

/** Entries read in the first step of a walk from the end of a history, and in later steps. */
const TAIL = 32;
const TAIL_STEP = 1_000;

/** Parses an entry of a list or of the time index; null if it has no status or no time. */
export function historyRecord(invocation_id: string, json: string): HistoryRecord | null {
  const entry = parseHistoryEntry(json);
  if (entry === null || entry.status === null || entry.written_at === null) return null;
  const { status, written_at } = entry;
  // Without a spread, as in `parseHistoryEntry`.
  return {
    invocation_id,
    timestamp: entry.timestamp ?? written_at,
    written_at,
    status,
    status_runner_id: entry.status_runner_id,
    runner_context_id: entry.runner_context_id,
    registered_by_inv_id: entry.registered_by_inv_id,
  };
}

export function historyReads(reading: RedisReading): HistoryReads {
  return {
    async historyOf(invocationIds, limit, end = "earliest") {
      let entries: HistoryRecord[] = [];
      if (limit <= 0) return entries;
      const [from, to] = end === "earliest" ? [0, limit] : [-limit, undefined];
      for (const some of inChunks([...new Set(invocationIds)], BATCH)) {
        for (const history of await slices(reading, some, from, (to ?? 0) - 1)) entries.push(...history.entries);
        // Only those of this end are needed, so drop the rest now.
        if (entries.length > limit) {
          const kept = new Set([...entries].sort(byWriting).slice(from, to));
          entries = entries.filter((entry) => kept.has(entry));
        }
      }
      return entries;
    },

    countHistoryOf: (invocationId) =>
      reading.db("state_backend").number("LLEN", reading.keys.key("state_backend", "history", invocationId)),

    async historySpanOf(invocationIds) {
      const ids = [...new Set(invocationIds)];
      const spans: HistorySpan[] = [];
      for (const some of inChunks(ids, BATCH)) {
        const heads = await slices(reading, some, 0, END - 1);
        const longer = some.filter((_, i) => heads[i]?.read === END);
        const tails = await slices(reading, longer, -END, -1);
        const tailOf = new Map(longer.map((id, i) => [id, tails[i]?.entries ?? []]));
        const ends = some.flatMap((id, i) => [...(heads[i]?.entries ?? []), ...(tailOf.get(id) ?? [])]);
        spans.push(...historySpans(ends));
      }
      return spans;
    },

    async lastEntriesBefore(invocationIds, before) {
      const ids = [...new Set(invocationIds)];
      const last: HistoryRecord[] = [];
      for (const some of inChunks(ids, BATCH)) {
        const tails = await historyTails(reading, some, () => before);
        for (const entries of tails.values()) {
          const entry = entries.findLast(({ written_at }) => written_at < before);
          if (entry !== undefined) last.push(entry);
        }
      }
      return last;
    },
  };
}

/** The last entries of each history in order of writing, back to an entry older than `until`, or all. One round trip unless a history is very long. */
export async function historyTails(
  reading: RedisReading,
  invocationIds: readonly string[],
  until: (invocationId: string) => EpochSeconds,
): Promise<Map<string, HistoryRecord[]>> {
  const tails = new Map<string, HistoryRecord[]>();
  let open = [...invocationIds];
  for (let known = 0, step = TAIL; open.length > 0; known += step, step = TAIL_STEP) {
    const further = await slices(reading, open, -known - step, -known - 1);
    const next: string[] = [];
    for (const [i, id] of open.entries()) {
      const { entries = [], read = 0 } = further[i] ?? {};
      const tail = [...entries, ...(tails.get(id) ?? [])].sort(byWriting);
      tails.set(id, tail);
      if (read === step && (tail[0]?.written_at ?? Number.POSITIVE_INFINITY) >= until(id)) next.push(id);
    }
    open = next;
  }
  return tails;
}

/** The first written entry of each invocation that has a history. One round trip per thousand invocations. */
export async function firstEntries(reading: RedisReading, invocationIds: readonly string[]): Promise<HistoryRecord[]> {
  const first: HistoryRecord[] = [];
  for (const some of inChunks(invocationIds, BATCH)) {
    for (const { entries } of await slices(reading, some, 0, 0)) first.push(...entries);
  }
  return first;
}

/** A range of each of these histories, and the number of list elements read. */
async function slices(
  reading: RedisReading,
  ids: readonly string[],
  start: number,
  stop: number,
): Promise<{ entries: HistoryRecord[]; read: number }[]> {
  const replies = await reading
    .db("state_backend")
    .exchange(
      ids.map(
        (id): Command => ["LRANGE", reading.keys.key("state_backend", "history", id), String(start), String(stop)],
      ),
    );
  return ids.map((id, i) => {
    const texts = textsOf(replies[i]);
    return { entries: texts.flatMap((json) => historyRecord(id, json) ?? []), read: texts.length };
  });
}

/** The sort is stable, so equal times keep the order of the list. */
function byWriting(a: HistoryRecord, b: HistoryRecord): number {
  return a.written_at - b.written_at;
}
