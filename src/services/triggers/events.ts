/** Events: the filtered list and its export. */
import type { EventList, EventListFilter, EventRow } from "../../api/events.ts";
import type { EventSummary } from "../../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type { TimeSpan } from "../../rollups/buckets.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { EventFilter } from "../../stores/ports/trigger.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { choice, integer, pageNumber, parseInput, type RawInput, text } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { TIME_BOUNDS, timeBounds } from "../input/time-bounds.ts";
import { type ExportFormat, exportLines } from "../model/export-lines.ts";
import { eventCounts } from "./event-counts.ts";
import { whyUnrecorded } from "./known-event.ts";

const ANSWERS = ["all", "yes", "no"] as const;
export type Answer = (typeof ANSWERS)[number];

export interface EventListInput {
  filter: EventListFilter;
  /** The same for the store. */
  conditions: EventFilter;
  page: { number: number; size: number };
}

export const MAX_PAGE_SIZE = 200;

/** Events are counted up to here; beyond, the total is "more than". */
const COUNT_CAP = 10_000;

/** Codes offered for choice: an app that makes codes up as it goes has too many. */
const CODES_OFFERED = 300;

/** Triggered invocations named in a line. */
const TRIGGERED_NAMED = 3;

/** Links from the events of one page or batch to invocations. */
const LINKS_PER_READ = 20_000;

const EXPORT_BATCH = 500;

const FILTER_SHAPE = {
  event_code: text,
  ...TIME_BOUNDS,
  matched: choice(ANSWERS, "all"),
  triggered: choice(ANSWERS, "all"),
} as const;

/** @throws InvalidInputError */
export function parseEventInput(raw: RawInput, now: EpochSeconds): EventListInput {
  const input = parseInput({ ...FILTER_SHAPE, page: pageNumber, limit: integer(1, MAX_PAGE_SIZE, 25) }, raw);
  const { event_code, matched, triggered } = input;
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
  };
}

/**
 * A page of events, newest first.
 *
 * @param withCounts for a page: it has a chart.
 */
export async function listEvents(app: OpenedApp, input: EventListInput, withCounts = false): Promise<EventList> {
  const codes = await app.memo("event codes", (reads) => reads.trigger.eventCodes(CODES_OFFERED + 1));
  return app.store.read(async (reads) => {
    const unrecorded = await whyUnrecorded(reads);
    const { filter, conditions, page: wanted } = input;
    if (unrecorded !== null) {
      return { unrecorded, events: [], page: pageOf([], wanted).page, filter, codes: [], over_time: null };
    }
    const [listed, total] = await Promise.all([
      reads.trigger.listEvents(conditions, sliceOf(wanted)),
      reads.trigger.countEvents(conditions, COUNT_CAP + 1),
    ]);
    const capped = total > COUNT_CAP;
    const { rows, page } = pageOf(listed, wanted, Math.min(total, COUNT_CAP), capped);
    const drawn = withCounts && total > 0 && !capped;
    return {
      unrecorded,
      events: await eventRows(reads, rows),
      page,
      filter,
      codes: codes.length > CODES_OFFERED ? null : codes,
      over_time: drawn
        ? await eventCounts(reads, conditions, await spanOf(reads, conditions, app.now()), COUNT_CAP)
        : null,
    };
  });
}

/** From the first of the events, where no beginning is asked for, to the present. */
async function spanOf(reads: AppReads, filter: EventFilter, now: EpochSeconds): Promise<TimeSpan> {
  const [first] =
    filter.from === undefined ? await reads.trigger.listEventsForward(filter, { limit: 1, offset: 0 }) : [];
  const from = filter.from ?? first?.timestamp ?? now;
  // The clock of an emitter may be ahead.
  const [last] = filter.to === undefined ? await reads.trigger.listEvents(filter, { limit: 1, offset: 0 }) : [];
  return { from, to: filter.to ?? Math.max(from, now, last?.timestamp ?? now) };
}

async function eventRows(reads: AppReads, events: readonly EventSummary[]): Promise<EventRow[]> {
  const triggered = events.filter((event) => event.triggered).map((event) => event.event_id);
  const started = new Map<string, string[]>(triggered.map((id) => [id, []]));
  for (const link of await reads.trigger.triggeredBy(triggered, LINKS_PER_READ)) {
    started.get(link.event_id)?.push(link.invocation_id);
  }
  return events.map((event) => {
    const ids = started.get(event.event_id) ?? [];
    return {
      event_id: event.event_id,
      event_code: event.event_code,
      timestamp: isoFromEpoch(event.timestamp),
      matched: event.matched_conditions > 0,
      matched_conditions: event.matched_conditions,
      triggered: event.triggered,
      triggered_invocation_ids: ids.slice(0, TRIGGERED_NAMED),
      triggered_invocations_count: ids.length,
      emitted_by_invocation_id: event.emitted_by_invocation_id,
      emitted_by_task_id: event.emitted_by_task_id,
      emitted_by_runner_context_id: event.emitted_by_runner_context_id,
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

/** All events that meet a filter, newest first. */
export function exportEvents(app: OpenedApp, filter: EventFilter, format: ExportFormat): AsyncGenerator<string> {
  return exportLines(eventBatches(app, filter), EXPORT_COLUMNS, format);
}

/** Each batch takes a snapshot of its own: an export of any length holds neither memory nor a read transaction. */
async function* eventBatches(app: OpenedApp, filter: EventFilter): AsyncGenerator<EventRow[]> {
  let after: EventSummary | undefined;
  do {
    const batch = await app.store.read(async (reads) => {
      const listed = await reads.trigger.listEvents(filter, { limit: EXPORT_BATCH, offset: 0 }, after);
      after = listed.length < EXPORT_BATCH ? undefined : listed.at(-1);
      return eventRows(reads, listed);
    });
    if (batch.length > 0) yield batch;
  } while (after !== undefined);
}
