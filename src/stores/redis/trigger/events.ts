/** Events (storage-format.md 5.3) and what they started, in the keys of plugins for pynenc 0.2.4 and later. */
import { parseEvent } from "../../../pynenc/json-records.ts";
import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import type { EventRecord, EventSummary, TriggeredInvocation } from "../../../pynenc/records.ts";
import { statusInfo } from "../../../pynenc/statuses.ts";
import { type EpochSeconds, MICROSECOND } from "../../../pynenc/time.ts";
import { eventFromJson, largePayload } from "../../../pynenc/trigger-records.ts";
import type { Slice } from "../../ports/common.ts";
import type { EventFilter, EventPosition, EventReads } from "../../ports/trigger.ts";
import { VALUE_BYTES } from "../../value-limit.ts";
import { layoutSigns } from "../keys/layout-signs.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command } from "../server/connection.ts";
import { inChunks, numberOf, textsOf } from "../server/db.ts";
import { type BoundedDocument, boundedDocuments } from "../server/documents.ts";
import { limited, mostOfOne } from "../server/row-limit.ts";
import { TimeIndex } from "../server/time-index.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";

/** Events whose records are read in one step: each brings its payload. */
const RECORDS = 1_000;

/** Ids that are checked in one step where only their number is wanted. */
const COUNTED = 10_000;

/** Limit of codes read; beyond it some are left out. */
const MOST_CODES = 10_000;

/** Events of the time in which invocations ran that are searched for those that they emitted. */
const MOST_SEARCHED = 5_000;

/** Seconds by which an event may lie outside the history of its emitter, which is written from another thread. */
const LEEWAY = 1;

/** A restriction that an index does not imply. Answers which of these ids meet it, in their order. */
type Check = (ids: readonly string[]) => Promise<boolean[]>;

export function eventReads(reading: RedisReading): EventReads {
  const db = reading.db("trigger");
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);
  /** Without payloads above a size in bytes. */
  const documentsOf = (ids: readonly string[], payloadBytes: number) =>
    boundedDocuments(
      db,
      ids.map((id) => key("evts_hash", id)),
      payloadBytes,
      "payload",
    );
  /** The index of triggered events loses one that was stored again after it had started something (storage-format.md 5.6); its list does not. */
  const hasStarted = (id: string): Command => ["EXISTS", key("evts_triggered_invocations", id)];

  async function timesOf(ids: readonly string[]): Promise<(EpochSeconds | null)[]> {
    return (await documentsOf(ids, 0)).map((document) =>
      document === null ? null : (parseEvent(document.json)?.timestamp ?? null),
    );
  }

  /** The narrowest index that holds every event of a filter, and what remains to be checked. */
  async function indexFor(filter: EventFilter): Promise<{ index: TimeIndex; checks: Check[] }> {
    const byCode = filter.event_code === undefined ? null : key("evts_by_code", filter.event_code);
    const matched = key("evts_matched");
    // Nothing starts an invocation without having met a condition.
    const meetsOne = filter.matched === true || (filter.triggered === true && filter.matched !== false);
    const candidates = [...(byCode === null ? [] : [byCode]), ...(meetsOne ? [matched] : [])];
    const sizes = candidates.length < 2 ? [] : await db.exchange(candidates.map((index) => ["ZCARD", index]));
    const [narrow = key("evts_by_time")] = candidates
      .map((index, i) => ({ index, size: numberOf(sizes[i]) }))
      .sort((a, b) => a.size - b.size)
      .map(({ index }) => index);
    const isIn =
      (index: string, wanted: boolean): Check =>
      async (ids) =>
        (await db.scores(index, ids)).map((score) => (score !== null) === wanted);
    const started =
      (wanted: boolean): Check =>
      async (ids) =>
        (await db.exchange(ids.map(hasStarted))).map((reply) => (reply === 1) === wanted);
    const checks = [
      ...(byCode === null || narrow === byCode ? [] : [isIn(byCode, true)]),
      ...(filter.matched === undefined || (filter.matched && narrow === matched)
        ? []
        : [isIn(matched, filter.matched)]),
      ...(filter.triggered === undefined ? [] : [started(filter.triggered)]),
    ];
    return { index: await TimeIndex.open(db, narrow, filter, timesOf), checks };
  }

  async function meeting(ids: readonly string[], checks: readonly Check[]): Promise<readonly string[]> {
    let left = ids;
    // One after the other: what one rules out need not be asked of the next.
    for (const check of checks) {
      const met = await check(left);
      left = left.filter((_, i) => met[i]);
    }
    return left;
  }

  async function countEvents(filter: EventFilter, cap: number): Promise<number> {
    const { index, checks } = await indexFor(filter);
    if (checks.length === 0) return Math.min(cap, index.size);
    let count = 0;
    for (let rank = 0; rank < index.size && count < cap; rank += COUNTED) {
      count += (await meeting(await index.backward(rank, COUNTED), checks)).length;
    }
    return Math.min(cap, count);
  }

  async function select(
    filter: EventFilter,
    slice: Slice,
    direction: "forward" | "backward",
    after?: EventPosition,
  ): Promise<EventSummary[]> {
    const { index, checks } = await indexFor(filter);
    const start = after === undefined ? 0 : await index.behind(after.event_id, after.timestamp);
    return index.rows({ direction, start, whole: checks.length === 0 }, slice, async (ids, enough) => {
      const rows: EventSummary[] = [];
      for (const some of inChunks(await meeting(ids, checks), enough)) {
        if (rows.length < enough) rows.push(...(await summaries(some)));
      }
      return rows;
    });
  }

  /** In the order of the ids; those without a readable record are left out. */
  async function summaries(ids: readonly string[]): Promise<EventSummary[]> {
    if (ids.length === 0) return [];
    const [documents, started] = await Promise.all([documentsOf(ids, 0), db.exchange(ids.map(hasStarted))]);
    return ids.flatMap((id, i) => {
      const document = documents[i] ?? null;
      const event = document === null ? null : eventFromJson(id, document.json);
      return event === null ? [] : [summaryOf(event, started[i] === 1)];
    });
  }

  /**
   * Stretches of time in which these invocations may have emitted something, as milliseconds; they do not overlap; the latest first. Nothing
   * indexes emitters, but who emits is running.
   */
  async function livesOf(invocationIds: readonly string[]): Promise<{ from: number; to: number }[]> {
    const spans = (await stateBackendReads(reading).historySpanOf(invocationIds))
      .map(({ first, last }) => ({
        from: (first.timestamp - LEEWAY) * 1000,
        to: statusInfo(last.status).final ? (last.written_at + LEEWAY) * 1000 : Number.POSITIVE_INFINITY,
      }))
      .sort((a, b) => a.from - b.from);
    const lives: { from: number; to: number }[] = [];
    for (const span of spans) {
      const last = lives.at(-1);
      if (last !== undefined && span.from <= last.to) last.to = Math.max(last.to, span.to);
      else lives.push(span);
    }
    return lives.reverse();
  }

  /** Events of those stretches, the latest first. */
  async function idsWithin(lives: readonly { from: number; to: number }[]): Promise<string[]> {
    const index = key("evts_by_time");
    const ends = lives.map(({ from, to }) => [score(to), score(from)] as const);
    const counts = await db.exchange(ends.map(([to, from]) => ["ZCOUNT", index, from, to]));
    let left = MOST_SEARCHED;
    const commands = ends.flatMap(([to, from], i): Command[] => {
      const count = Math.min(left, numberOf(counts[i]));
      left -= count;
      return count === 0 ? [] : [["ZREVRANGEBYSCORE", index, to, from, "LIMIT", "0", String(count)]];
    });
    return (await db.exchange(commands)).flatMap(textsOf);
  }

  return {
    async eventCounters() {
      const [{ events }, counts] = await Promise.all([
        layoutSigns(reading),
        db.exchange([
          ["ZCARD", key("evts_by_time")],
          ["ZCARD", key("evts_matched")],
          ["ZCARD", key("evts_triggered")],
          ["SCARD", key("evts_codes")],
          ["ZCARD", key("truns_by_time")],
        ]),
      ]);
      if (!events) return null;
      const [recorded = 0, matched = 0, triggered = 0, codes = 0, trigger_runs = 0] = counts.map(numberOf);
      return { recorded, matched, triggered, codes, trigger_runs };
    },

    listEvents: (filter, slice, after) => select(filter, slice, "backward", after),

    listEventsForward: (filter, slice) => select(filter, slice, "forward"),

    countEvents,

    countEventsBetween: (filter, instants, cap) =>
      Promise.all(
        instants
          .slice(1)
          .map((end, i) => countEvents({ ...filter, from: instants[i] ?? end, to: end - MICROSECOND }, cap)),
      ),

    async eventCodes(limit) {
      const codes = await db.texts("SRANDMEMBER", key("evts_codes"), String(MOST_CODES));
      return codes.sort().slice(0, limit);
    },

    async eventsByIds(eventIds, payloadBytes = VALUE_BYTES) {
      const records: EventRecord[] = [];
      for (const ids of inChunks([...new Set(eventIds)], RECORDS)) {
        for (const [i, document] of (await documentsOf(ids, payloadBytes)).entries()) {
          if (document === null) continue;
          const event = eventFromJson(ids[i] ?? "", document.json, leftOut(document, payloadBytes));
          if (event !== null) records.push(event);
        }
      }
      return records;
    },

    /** Among the latest 5,000 events of the time in which they ran: nothing indexes emitters. */
    async eventsEmittedBy(invocationIds, limit) {
      const wanted = new Set<unknown>(invocationIds);
      if (wanted.size === 0 || (await db.number("ZCARD", key("evts_by_time"))) === 0) return [];
      const emitted: EventRecord[] = [];
      for (const ids of inChunks(await idsWithin(await livesOf([...new Set(invocationIds)])), RECORDS)) {
        for (const [i, document] of (await documentsOf(ids, 0)).entries()) {
          if (document === null || !wanted.has(emitterIn(document.json))) continue;
          const event = eventFromJson(ids[i] ?? "", document.json);
          if (event !== null) emitted.push(event);
        }
      }
      const events = limited(emitted.reverse(), limit, (event) => event.emitted_by_invocation_id ?? "");
      const started = await db.exchange(events.map((event) => hasStarted(event.event_id)));
      return events.map((event, i) => summaryOf(event, started[i] === 1));
    },

    async triggeredBy(eventIds, limit) {
      const links: { event_id: string; invocation_id: string }[] = [];
      const most = String(mostOfOne(limit) - 1);
      for (const ids of inChunks([...new Set(eventIds)], RECORDS)) {
        if (typeof limit === "number" && links.length >= limit) break;
        const lists = await db.exchange(ids.map((id) => ["LRANGE", key("evts_triggered_invocations", id), "0", most]));
        for (const [i, event_id] of ids.entries()) {
          links.push(...textsOf(lists[i]).map((invocation_id) => ({ event_id, invocation_id })));
        }
      }
      const kept = limited(links, limit, (link) => link.event_id);
      // An invocation is started by one run.
      const runs = await db.exchange(
        kept.map(({ invocation_id }) => ["SRANDMEMBER", key("truns_for_invocation", invocation_id)]),
      );
      return kept.map((link, i): TriggeredInvocation => {
        const run = runs[i];
        return { ...link, trigger_run_id: typeof run === "string" ? run : null, linked_at: null };
      });
    },
  };
}

function summaryOf(
  { payload: _, whole_size: __, matched_condition_ids, valid_condition_ids: ___, ...event }: EventRecord,
  triggered: boolean,
) {
  return { ...event, matched_conditions: matched_condition_ids.length, triggered };
}

/** Bytes of a payload that is not handed out. */
function leftOut({ json, left_out }: BoundedDocument, payloadBytes: number): number | undefined {
  return left_out === null ? largePayload(json, payloadBytes) : left_out.size;
}

/** The emitter that a record names, before it is worth reading as a whole. */
function emitterIn(json: string): unknown {
  return objectOrNull(parsedJson(json))?.emitted_by_invocation_id;
}

function score(milliseconds: number): string {
  return milliseconds === Number.POSITIVE_INFINITY ? "+inf" : String(milliseconds);
}
