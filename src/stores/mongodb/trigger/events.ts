/** Events and what they started (storage-format.md 5.3). */
import { parseEvent } from "../../../pynenc/json-records.ts";
import { withoutLargeMember } from "../../../pynenc/large-document.ts";
import type { EventRecord, EventSummary, TriggeredInvocation } from "../../../pynenc/records.ts";
import { type EventColumns, eventRecord, largePayload } from "../../../pynenc/trigger-records.ts";
import type { EventFilter, EventReads } from "../../ports/trigger.ts";
import { limited } from "../../server/row-limit.ts";
import { LIST_BYTES, VALUE_BYTES } from "../../value-limit.ts";
import { instant, text, textOrNull, texts } from "../collections/fields.ts";
import { recordsEvents } from "../collections/present.ts";
import { atOrAfter, atOrBefore, distinctTexts, findIn, findPerValue } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document, Filter } from "../server/db.ts";
import { continuedAfter } from "./continued-after.ts";

/** An array with a text in it. */
const SOME = { $gt: "" };

export function eventReads(reading: MongoReading): EventReads {
  const events = reading.of("trigger", "events");
  const runs = reading.of("trigger", "trigger_runs");

  return {
    async eventCounters() {
      if (!(await recordsEvents(reading))) return null;
      const [recorded, matched, triggered, codes, trigger_runs] = await Promise.all([
        events.count({}),
        events.count({ matched: true }),
        events.count({ triggered_invocation_ids: SOME }),
        distinctTexts(events, "event_code"),
        runs.count({}),
      ]);
      return { recorded, matched, triggered, codes: codes.length, trigger_runs };
    },

    async listEvents(filter, { limit, offset }, order = "newest", after) {
      const from =
        after === undefined
          ? { where: conditionsOf(filter), skip: 0 }
          : await continuedAfter(
              events,
              conditionsOf(filter),
              { time: "timestamp", id: "event_id" },
              atOrAfter(after.timestamp),
              after.event_id,
            );
      const sort = { timestamp: order === "newest" ? -1 : 1 } as const;
      return (await events.find(from.where, { sort, skip: from.skip + offset, limit })).map(eventSummary);
    },

    countEvents: (filters, cap) => Promise.all(filters.map((filter) => events.count(conditionsOf(filter), cap))),

    eventCodes: async (limit) => (await distinctTexts(events, "event_code")).slice(0, limit),

    eventsByIds: async (eventIds, payloadBytes = VALUE_BYTES) =>
      (await findIn(events, "event_id", eventIds)).map((stored) => eventOf(stored, payloadBytes)),

    eventsEmittedBy: (invocationIds, limit) =>
      findPerValue(events, "emitted_by_invocation_id", invocationIds, limit, { sort: { timestamp: 1 } }, (stored) => [
        { of: text(stored.emitted_by_invocation_id), row: eventSummary(stored) },
      ]),

    async triggeredBy(eventIds, limit) {
      const stored = await findIn(events, "event_id", eventIds, { only: { event_id: 1, triggered_invocation_ids: 1 } });
      const links = limited(
        stored.flatMap((event) =>
          texts(event.triggered_invocation_ids).map((invocation_id) => ({
            event_id: text(event.event_id),
            invocation_id,
          })),
        ),
        limit,
        (link) => link.event_id,
      );
      // An invocation is started by a single run.
      const started = await findIn(
        runs,
        "triggered_invocation_id",
        links.map(({ invocation_id }) => invocation_id),
        { only: { trigger_run_id: 1, triggered_invocation_id: 1 } },
      );
      const runOf = new Map(started.map((run) => [text(run.triggered_invocation_id), text(run.trigger_run_id)]));
      return links.map(
        (link): TriggeredInvocation => ({
          ...link,
          trigger_run_id: runOf.get(link.invocation_id) ?? null,
          linked_at: null,
        }),
      );
    },
  };
}

function conditionsOf({ event_code, from, to, matched, triggered }: EventFilter): Filter {
  const time = {
    ...(from === undefined ? {} : { $gte: atOrAfter(from) }),
    ...(to === undefined ? {} : { $lte: atOrBefore(to) }),
  };
  return {
    ...(event_code === undefined ? {} : { event_code }),
    ...(from === undefined && to === undefined ? {} : { timestamp: time }),
    // One that was never matched may lack the member.
    ...(matched === undefined ? {} : { matched: matched ? true : { $ne: true } }),
    ...(triggered === undefined ? {} : { triggered_invocation_ids: triggered ? SOME : { $not: SOME } }),
  };
}

/** @param payloadBytes the payload is left out of larger records. */
function eventOf(stored: Document, payloadBytes: number): EventRecord {
  const json = text(stored.payload_json);
  const large = largePayload(json, payloadBytes);
  const rest = large === undefined ? undefined : withoutLargeMember(json, json, json.length, "payload")?.json;
  return eventRecord(columnsOf(stored), parseEvent(rest ?? json), large);
}

function eventSummary(stored: Document): EventSummary {
  return {
    ...columnsOf(stored),
    matched_conditions: eventOf(stored, LIST_BYTES).matched_condition_ids.length,
    triggered: texts(stored.triggered_invocation_ids).length > 0,
  };
}

/** The time has milliseconds; the record's own may have more, by which nothing is sorted. */
function columnsOf(stored: Document): EventColumns {
  return {
    event_id: text(stored.event_id),
    event_code: text(stored.event_code),
    timestamp: instant(stored.timestamp),
    emitted_by_invocation_id: textOrNull(stored.emitted_by_invocation_id),
    emitted_by_task_id: textOrNull(stored.emitted_by_task_id),
    emitted_by_runner_context_id: textOrNull(stored.emitted_by_runner_context_id),
  };
}
