/** Events (storage-format.md 5.3) and the invocations they started, in the keys of plugins for pynenc 0.2.4 and later. */
import { isDeepStrictEqual } from "node:util";
import { parseEvent } from "../../../pynenc/json-records.ts";
import { objectOrNull, parsedJson } from "../../../pynenc/plain-json.ts";
import type { EventRecord, EventSummary, TriggeredInvocation } from "../../../pynenc/records.ts";
import { statusInfo } from "../../../pynenc/statuses.ts";
import type { EpochSeconds } from "../../../pynenc/time.ts";
import { eventFromJson, largePayload } from "../../../pynenc/trigger-records.ts";
import type { Slice } from "../../ports/common.ts";
import type { EventFilter, EventPosition, EventReads } from "../../ports/trigger.ts";
import { inChunks } from "../../server/chunks.ts";
import { limited, maxPerId } from "../../server/row-limit.ts";
import { VALUE_BYTES } from "../../value-limit.ts";
import { firstSigns } from "../keys/layout-signs.ts";
import type { RedisReading } from "../keys/reading.ts";
import type { Command } from "../server/connection.ts";
import { numberOf, textsOf } from "../server/db.ts";
import { type BoundedDocument, boundedDocuments } from "../server/documents.ts";
import { TimeIndex } from "../server/time-index.ts";
import { stateBackendReads } from "../state-backend/state-backend.ts";

/** Event records read per step; each includes its payload. */
const RECORDS = 1_000;

/** Ids checked per step when only counting. */
const COUNTED = 10_000;

/** Limit of codes read; if there are more, some are missing. */
const MAX_CODES = 10_000;

/** Limit of events searched for those emitted by given invocations. */
const MAX_SEARCHED = 5_000;

/** Up to this many time spans are searched without counting their events. */
const FEW_SPANS = 4;

/** Seconds by which an event may be outside the history of its emitter, which another thread writes. */
const LEEWAY = 1;

/** A condition that the chosen index does not cover. Returns for each id, in order, whether it matches. */
type Check = (ids: readonly string[]) => Promise<boolean[]>;

export function eventReads(reading: RedisReading): EventReads {
  const db = reading.db("trigger");
  const key = (...parts: string[]) => reading.keys.key("trigger", ...parts);
  /** Omits payloads above a size in bytes. */
  const documentsOf = (ids: readonly string[], payloadBytes: number) =>
    boundedDocuments(
      db,
      ids.map((id) => key("evts_hash", id)),
      payloadBytes,
      "payload",
    );
  /**
   * Which of these events have started something. An event stored again after that is lost from the index of triggered events (storage-format.md 5.6),
   * but not its list.
   */
  async function startedAmong(ids: readonly string[]): Promise<boolean[]> {
    const lists = ids.map((id) => key("evts_triggered_invocations", id));
    const present = new Set(await db.existing(lists));
    return lists.map((list) => present.has(list));
  }

  async function timesOf(ids: readonly string[]): Promise<(EpochSeconds | null)[]> {
    return (await documentsOf(ids, 0)).map((document) =>
      document === null ? null : (parseEvent(document.json)?.timestamp ?? null),
    );
  }

  /** The smallest index that contains every event of a filter, and the remaining checks. */
  async function indexFor(filter: EventFilter): Promise<{ index: TimeIndex; checks: Check[] }> {
    const byCode = filter.event_code === undefined ? null : key("evts_by_code", filter.event_code);
    const matched = key("evts_matched");
    // An event that starts an invocation has always satisfied a condition.
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
        (await startedAmong(ids)).map((has) => has === wanted);
    const checks = [
      ...(byCode === null || narrow === byCode ? [] : [isIn(byCode, true)]),
      ...(filter.matched === undefined || (filter.matched && narrow === matched)
        ? []
        : [isIn(matched, filter.matched)]),
      ...(filter.triggered === undefined ? [] : [started(filter.triggered)]),
    ];
    return { index: await TimeIndex.open(db, narrow, filter, timesOf), checks };
  }

  async function matching(ids: readonly string[], checks: readonly Check[]): Promise<readonly string[]> {
    let left = ids;
    // One after the other, so that later checks get fewer ids.
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
      count += (await matching(await index.backward(rank, COUNTED), checks)).length;
    }
    return Math.min(cap, count);
  }

  /** The counts of several time spans of the same events, each of which is read once; null if there are many, or other conditions differ. */
  async function countSpans(filters: readonly EventFilter[], cap: number): Promise<number[] | null> {
    const spans = filters.map(({ from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }) => ({ from, to }));
    const [conditions, ...others] = filters.map((filter) => ({ ...filter, from: undefined, to: undefined }));
    if (others.length === 0 || !others.every((other) => isDeepStrictEqual(other, conditions))) return null;
    const from = Math.min(...spans.map((span) => span.from));
    const to = Math.max(...spans.map((span) => span.to));
    const { index, checks } = await indexFor({ ...conditions, from, to });
    if (index.size > COUNTED) return null;
    const ids = await matching(await index.forward(0, index.size), checks);
    const scores = await db.scores(key("evts_by_time"), ids);
    // Scores may be rounded to milliseconds (`TimeIndex`), so near an end of a span the time in the record decides.
    const ends = spans.flatMap((span) => [span.from * 1000, span.to * 1000]);
    const near = ids.filter((_, i) => ends.some((end) => Math.abs(end - (scores[i] ?? end)) <= 1));
    const exact = new Map((await timesOf(near)).map((time, i) => [near[i], time]));
    const times = ids.map((id, i) => exact.get(id) ?? (exact.has(id) ? null : (scores[i] ?? 0) / 1000));
    return spans.map((span) => {
      const inside = times.filter((time) => time !== null && time >= span.from && time <= span.to);
      return Math.min(cap, inside.length);
    });
  }

  async function select(
    filter: EventFilter,
    slice: Slice,
    order: "newest" | "oldest" = "newest",
    after?: EventPosition,
  ): Promise<EventSummary[]> {
    const { index, checks } = await indexFor(filter);
    const start = after === undefined ? 0 : await index.ranksBefore(after.event_id, after.timestamp);
    const direction = order === "newest" ? "backward" : "forward";
    return index.rows({ direction, start, unfiltered: checks.length === 0 }, slice, async (ids, enough) => {
      const rows: EventSummary[] = [];
      for (const some of inChunks(await matching(ids, checks), enough)) {
        if (rows.length < enough) rows.push(...(await summaries(some)));
      }
      return rows;
    });
  }

  /** In the order of the ids, without those that have no readable record. */
  async function summaries(ids: readonly string[]): Promise<EventSummary[]> {
    if (ids.length === 0) return [];
    const [documents, started] = await Promise.all([documentsOf(ids, 0), startedAmong(ids)]);
    return ids.flatMap((id, i) => {
      const document = documents[i] ?? null;
      const event = document === null ? null : eventFromJson(id, document.json);
      return event === null ? [] : [summaryOf(event, started[i] === true)];
    });
  }

  /**
   * Time spans in which these invocations may have emitted events, in milliseconds, without overlap, latest first. Emitters are not indexed, but an
   * emitter must be running.
   */
  async function lifetimesOf(invocationIds: readonly string[]): Promise<{ from: number; to: number }[]> {
    const found = await stateBackendReads(reading).historySpanOf(invocationIds);
    // Their history is in another store.
    if (found.length === 0 && !(await reading.registered())) return [{ from: 0, to: Number.POSITIVE_INFINITY }];
    const spans = found
      .map(({ first, last }) => ({
        from: (first.timestamp - LEEWAY) * 1000,
        to: statusInfo(last.status).final ? (last.written_at + LEEWAY) * 1000 : Number.POSITIVE_INFINITY,
      }))
      .sort((a, b) => a.from - b.from);
    const lifetimes: { from: number; to: number }[] = [];
    for (const span of spans) {
      const last = lifetimes.at(-1);
      if (last !== undefined && span.from <= last.to) last.to = Math.max(last.to, span.to);
      else lifetimes.push(span);
    }
    return lifetimes.reverse();
  }

  /** Ids of events within these time spans, latest first. */
  async function idsWithin(lifetimes: readonly { from: number; to: number }[]): Promise<string[]> {
    const index = key("evts_by_time");
    const ends = lifetimes.map(({ from, to }) => [score(to), score(from)] as const);
    // Counting them first takes another round trip.
    const counts =
      ends.length <= FEW_SPANS ? [] : await db.exchange(ends.map(([to, from]) => ["ZCOUNT", index, from, to]));
    let left = MAX_SEARCHED;
    const commands = ends.flatMap(([to, from], i): Command[] => {
      const count = Math.min(left, numberOf(counts[i] ?? MAX_SEARCHED));
      if (counts.length > 0) left -= count;
      return count === 0 ? [] : [["ZREVRANGEBYSCORE", index, to, from, "LIMIT", "0", String(count)]];
    });
    return (await db.exchange(commands)).flatMap(textsOf).slice(0, MAX_SEARCHED);
  }

  return {
    async eventCounters() {
      const [{ events }, counts] = await Promise.all([
        firstSigns(reading),
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

    listEvents: select,

    countEvents: async (filters, cap) =>
      (await countSpans(filters, cap)) ?? Promise.all(filters.map((filter) => countEvents(filter, cap))),

    async eventCodes(limit) {
      const codes = await db.texts("SRANDMEMBER", key("evts_codes"), String(MAX_CODES));
      return codes.sort().slice(0, limit);
    },

    async eventsByIds(eventIds, payloadBytes = VALUE_BYTES) {
      const records: EventRecord[] = [];
      for (const ids of inChunks([...new Set(eventIds)], RECORDS)) {
        for (const [i, document] of (await documentsOf(ids, payloadBytes)).entries()) {
          if (document === null) continue;
          const event = eventFromJson(ids[i] ?? "", document.json, omittedBytes(document, payloadBytes));
          if (event !== null) records.push(event);
        }
      }
      return records;
    },

    /** Searches the latest 5,000 events from the time they ran, because emitters are not indexed. */
    async eventsEmittedBy(invocationIds, limit) {
      const wanted = new Set<unknown>(invocationIds);
      if (wanted.size === 0) return [];
      const [events, lifetimes] = await Promise.all([
        db.number("ZCARD", key("evts_by_time")),
        lifetimesOf([...new Set(invocationIds)]),
      ]);
      if (events === 0) return [];
      const emitted: EventRecord[] = [];
      for (const ids of inChunks(await idsWithin(lifetimes), RECORDS)) {
        for (const [i, document] of (await documentsOf(ids, 0)).entries()) {
          if (document === null || !wanted.has(emitterIn(document.json))) continue;
          const event = eventFromJson(ids[i] ?? "", document.json);
          if (event !== null) emitted.push(event);
        }
      }
      const kept = limited(emitted.reverse(), limit, (event) => event.emitted_by_invocation_id ?? "");
      const started = await startedAmong(kept.map((event) => event.event_id));
      return kept.map((event, i) => summaryOf(event, started[i] === true));
    },

    async triggeredBy(eventIds, limit) {
      const links: { event_id: string; invocation_id: string }[] = [];
      const max = String(maxPerId(limit) - 1);
      for (const ids of inChunks([...new Set(eventIds)], RECORDS)) {
        if (typeof limit === "number" && links.length >= limit) break;
        const lists = await db.exchange(ids.map((id) => ["LRANGE", key("evts_triggered_invocations", id), "0", max]));
        for (const [i, event_id] of ids.entries()) {
          links.push(...textsOf(lists[i]).map((invocation_id) => ({ event_id, invocation_id })));
        }
      }
      const kept = limited(links, limit, (link) => link.event_id);
      // An invocation is started by a single run.
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

/** Size of a payload that is omitted from the record. */
function omittedBytes({ json, left_out }: BoundedDocument, payloadBytes: number): number | undefined {
  return left_out === null ? largePayload(json, payloadBytes) : left_out.size;
}

/** Reads only the emitter, to avoid parsing the complete record. */
function emitterIn(json: string): unknown {
  return objectOrNull(parsedJson(json))?.emitted_by_invocation_id;
}

function score(milliseconds: number): string {
  return milliseconds === Number.POSITIVE_INFINITY ? "+inf" : String(milliseconds);
}
