/** Events: the filtered list and its export. */

import type { EventList, EventListFilter, EventRow } from "../../api/events.ts";
import type { EVENT_ANSWERS } from "../../api/words.ts";
import { eventFilter, eventsInput } from "../../inputs/triggers.ts";
import { eventConditionId } from "../../pynenc/identifiers.ts";
import type { EventSummary } from "../../pynenc/records.ts";
import { type EpochSeconds, isoOrNull } from "../../pynenc/time.ts";
import type { TimeSpan } from "../../rollups/buckets.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { EventFilter, EventPosition } from "../../stores/ports/trigger.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { cursorsIn, pageOf, sliceOf } from "../input/paging.ts";
import { timeBounds } from "../input/time-bounds.ts";
import { type ExportFormat, exportLines } from "../model/export-lines.ts";
import { missing, type UnknownName } from "../model/known-names.ts";
import { eventCounts } from "./event-counts.ts";
import { eventMarker } from "./event-markers.ts";
import { whyUnrecorded } from "./known-event.ts";

export type Answer = (typeof EVENT_ANSWERS)[number];

export interface EventListInput {
  filter: EventListFilter;
  /** The filter in the form that the store takes. */
  conditions: EventFilter;
  /** Position after which the page starts; null for an invalid cursor. Absent if pages are numbered. */
  after?: EventPosition | null;
  page: { number: number; size: number };
}

/** Maximum number of events counted; beyond it the total is "more than". */
const COUNT_CAP = 10_000;

/** Maximum number of codes offered. An app that generates codes has too many to list. */
const CODES_OFFERED = 300;

/** Number of triggered invocations named per row. */
const TRIGGERED_NAMED = 3;

/** Maximum links from the events of a page or batch to invocations. */
const LINKS_PER_READ = 20_000;

const EXPORT_BATCH = 500;

/** @param takes purpose: only lists accept a cursor. @throws InvalidInputError */
export function parseEventInput(raw: RawInput, now: EpochSeconds, takes: "filter" | "list" = "filter"): EventListInput {
  const input = { after: [], ...parseInput(takes === "list" ? eventsInput : eventFilter, raw) };
  const { event_code, matched, triggered } = input;
  const cursor = cursorsIn(input.after, input.page > 1 ? "page" : null).at(-1);
  const bounds = timeBounds(input, raw, now);
  return {
    filter: {
      event_code: event_code ?? null,
      from: isoOrNull(bounds.from),
      to: isoOrNull(bounds.to),
      matched,
      triggered,
    },
    conditions: {
      ...(event_code === undefined ? {} : { event_code }),
      ...bounds,
      ...(matched === "all" ? {} : { matched: matched === "yes" }),
      ...(triggered === "all" ? {} : { triggered: triggered === "yes" }),
    },
    page: { number: input.page, size: input.limit },
    ...(cursor !== undefined && { after: positionIn(cursor) }),
  };
}

/** `seconds:id` of the last event of a page. */
function cursorOf({ timestamp, event_id }: EventPosition): string {
  return `${timestamp}:${event_id}`;
}

function positionIn(text: string): EventPosition | null {
  const [, seconds = "", event_id = ""] = /^(-?\d+(?:\.\d+)?):(.*)$/s.exec(text) ?? [];
  return seconds === "" ? null : { timestamp: Number(seconds), event_id };
}

/**
 * A page of events, newest first.
 *
 * @param withCounts for pages, which have a chart.
 */
export async function listEvents(app: OpenedApp, input: EventListInput, withCounts = false): Promise<EventList> {
  const codes = await app.memo("event codes", (reads) => reads.trigger.eventCodes(CODES_OFFERED + 1));
  return app.store.read(async (reads) => {
    const unrecorded = await whyUnrecorded(reads);
    const { filter, conditions, page: wanted, after } = input;
    if (unrecorded !== null) {
      return {
        unrecorded,
        events: [],
        page: pageOf([], wanted).page,
        older: null,
        filter,
        codes: [],
        notes: [],
        over_time: null,
      };
    }
    const [listed, [total = null]] = await Promise.all([
      after === null ? [] : reads.trigger.listEvents(conditions, sliceOf(wanted), "newest", after),
      // Beyond a cursor, the total is not needed.
      after === undefined ? reads.trigger.countEvents([conditions], COUNT_CAP + 1) : [],
    ]);
    const capped = total !== null && total > COUNT_CAP;
    const { rows, page } = pageOf(listed, wanted, total === null ? null : Math.min(total, COUNT_CAP), capped);
    const last = page.has_next ? rows.at(-1) : undefined;
    const drawn = withCounts && total !== null && total > 0 && !capped;
    return {
      unrecorded,
      events: await eventRows(reads, rows),
      page,
      older: last === undefined ? null : cursorOf(last),
      filter,
      codes: codes.length > CODES_OFFERED ? null : codes,
      notes:
        rows.length > 0 ? [] : (await unknownCode(reads, filter.event_code, codes)).map(({ sentence }) => sentence),
      over_time: drawn
        ? await eventCounts(reads, conditions, await spanOf(reads, conditions, app.now()), COUNT_CAP)
        : null,
    };
  });
}

/** The code, if no event at all has it and no condition names it. */
async function unknownCode(reads: AppReads, code: string | null, codes: readonly string[]): Promise<UnknownName[]> {
  if (code === null) return [];
  const [known = 0] = await reads.trigger.countEvents([{ event_code: code }], 1);
  if (known > 0) return [];
  const conditions = { kind: "condition" as const, beginning: eventConditionId(code, ""), ending: "" };
  const [named] = await reads.ids.matching([conditions], 1);
  if (named === undefined || named.ids.length > 0 || !named.complete) return [];
  return missing("event code", [code], codes);
}

/** The code of a filter, if events are recorded and none has it. */
export function unknownEventCode(app: OpenedApp, { event_code }: EventFilter): Promise<UnknownName[]> {
  if (event_code === undefined) return Promise.resolve([]);
  return app.store.read(async (reads) =>
    (await whyUnrecorded(reads)) === null
      ? unknownCode(reads, event_code, await reads.trigger.eventCodes(CODES_OFFERED))
      : [],
  );
}

/** From the first event (unless a start is given) to now. */
async function spanOf(reads: AppReads, filter: EventFilter, now: EpochSeconds): Promise<TimeSpan> {
  const one = { limit: 1, offset: 0 };
  const [[first], [last]] = await Promise.all([
    filter.from === undefined ? reads.trigger.listEvents(filter, one, "oldest") : [],
    // The emitter's clock may be ahead.
    filter.to === undefined ? reads.trigger.listEvents(filter, one) : [],
  ]);
  const from = filter.from ?? first?.timestamp ?? now;
  return { from, to: filter.to ?? Math.max(from, now, last?.timestamp ?? now) };
}

export async function eventRows(reads: AppReads, events: readonly EventSummary[]): Promise<EventRow[]> {
  const triggered = events.filter((event) => event.triggered).map((event) => event.event_id);
  const started = new Map<string, string[]>(triggered.map((id) => [id, []]));
  for (const link of await reads.trigger.triggeredBy(triggered, LINKS_PER_READ)) {
    started.get(link.event_id)?.push(link.invocation_id);
  }
  const named = [...started.values()].flatMap((ids) => ids.slice(0, TRIGGERED_NAMED));
  const defined = named.length === 0 ? [] : await reads.state_backend.tasksOf([...new Set(named)]);
  const taskOf = new Map(defined.map((one) => [one.invocation_id, one.task_id_key]));
  return events.map((event) => {
    const ids = started.get(event.event_id) ?? [];
    const first = ids.slice(0, TRIGGERED_NAMED);
    return {
      ...eventMarker(event),
      matched_conditions: event.matched_conditions,
      triggered_invocation_ids: first,
      triggered_task_id_keys: first.map((id) => taskOf.get(id) ?? null),
      triggered_invocations_count: ids.length,
      emitted_by_task_id: event.emitted_by_task_id,
    };
  });
}

const EXPORT_COLUMNS = [
  "event_id",
  "event_code",
  "timestamp",
  "matched_conditions",
  "triggered_invocations_count",
  "emitted_by_invocation_id",
  "emitted_by_task_id",
  "emitted_by_runner_context_id",
] as const satisfies readonly (keyof EventRow)[];

/** All events that match a filter, newest first. */
export function exportEvents(app: OpenedApp, filter: EventFilter, format: ExportFormat): AsyncGenerator<string> {
  return exportLines(eventBatches(app, filter), EXPORT_COLUMNS, format);
}

/** Each batch reads its own snapshot, so that an export of any length keeps neither memory nor a read transaction. */
async function* eventBatches(app: OpenedApp, filter: EventFilter): AsyncGenerator<EventRow[]> {
  let after: EventPosition | undefined;
  do {
    const batch = await app.store.read(async (reads) => {
      const listed = await reads.trigger.listEvents(filter, { limit: EXPORT_BATCH, offset: 0 }, "newest", after);
      after = listed.length < EXPORT_BATCH ? undefined : listed.at(-1);
      return eventRows(reads, listed);
    });
    if (batch.length > 0) yield batch;
  } while (after !== undefined);
}
