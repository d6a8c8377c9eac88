/** Events: the filtered list with its export, one event with what it met and caused, and markers for time lines. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { TimelineEvent } from "../../api/timeline.ts";
import type {
  EventApi,
  EventConditionView,
  EventDetail,
  EventList,
  EventListFilter,
  EventMarkers,
  EventRow,
  EventTriggerRuns,
} from "../../api/triggers.ts";
import { InvalidInputError, NotFoundError } from "../../errors.ts";
import { describeCondition } from "../../pynenc/conditions.ts";
import type { EventRecord, EventSummary } from "../../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type { AppReads, EventFilter } from "../../stores/ports.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { trace } from "../causes/trace.ts";
import { traceTree } from "../causes/trace-tree.ts";
import { choice, integer, pageNumber, parseInput, type RawInput, text } from "../input/input.ts";
import { MOMENT_FORMS } from "../input/moment.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { TIME_BOUNDS, timeBounds } from "../input/time-bounds.ts";
import { byExecution, eventObjects, triggerRunObjects } from "../model/event-objects.ts";
import { type ExportFormat, exportLines } from "../model/export-lines.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { invocationSummary } from "../model/invocation-summary.ts";
import { runnerNames } from "../model/runner-names.ts";
import { valueReader } from "../model/stored-values.ts";
import { eventTimeline } from "../model/timeline-links.ts";
import { pendingByIds } from "./pending-conditions.ts";

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

/** A page of events, newest first. */
export async function listEvents(app: OpenedApp, input: EventListInput): Promise<EventList> {
  const codes = await app.memo("event codes", (reads) => reads.trigger.eventCodes(CODES_OFFERED + 1));
  return app.store.read(async (reads) => {
    const unrecorded = await whyUnrecorded(reads);
    const { filter, conditions, page: wanted } = input;
    if (unrecorded !== null) return { unrecorded, events: [], page: pageOf([], wanted).page, filter, codes: [] };
    const [listed, total] = await Promise.all([
      reads.trigger.listEvents(conditions, sliceOf(wanted)),
      reads.trigger.countEvents(conditions, COUNT_CAP + 1),
    ]);
    const capped = total > COUNT_CAP;
    const { rows, page } = pageOf(listed, wanted, Math.min(total, COUNT_CAP), capped);
    return {
      unrecorded,
      events: await eventRows(reads, rows),
      page,
      filter,
      codes: codes.length > CODES_OFFERED ? null : codes,
    };
  });
}

/** A sentence where the store cannot know events: they are not missing, they were never written. Null where it can. */
export async function whyUnrecorded(reads: AppReads): Promise<string | null> {
  const { events, components } = await reads.layout.capabilities();
  if (events) return null;
  if (!components.trigger) {
    return "This store has no trigger data: the app keeps its triggers in memory or in another store.";
  }
  const { label } = await reads.layout.report();
  return `pynenc records events and trigger runs since 0.2.4, and this store has the layout of ${label}.`;
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
      triggered_invocations: ids.length,
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
  "triggered_invocations",
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

const RUNS_SHOWN = 100;
const TRIGGERED_SHOWN = 50;
const TRIGGERED_COUNTED = 1_000;
/** Nodes of the chains on a page; the JSON has all. */
const TREE_NODES = 300;
/** Conditions that one event met; those registered for a code are a handful. */
const PENDING_LOOKED = 100;
/** Definitions looked through for conditions of a code: registered by the app's own modules, so there are tens, not thousands. */
const TRIGGERS_LOOKED = 2_000;

/** @throws NotFoundError */
export async function eventDetail(app: OpenedApp, id: string): Promise<EventDetail> {
  const watched = await watchedConditions(app);
  const detail = await app.store.read(async (reads) => {
    const event = await knownEvent(reads, id);
    const [summary, runLinks, started, definitions, pending] = await Promise.all([
      summaryOf(reads, event),
      reads.trigger.triggerRunsOf("event", [id], RUNS_SHOWN + 1),
      reads.trigger.triggeredBy([id], TRIGGERED_COUNTED + 1),
      reads.trigger.conditionsByIds(event.matched_condition_ids),
      pendingByIds(reads, event.valid_condition_ids.slice(0, PENDING_LOOKED)),
    ]);
    const emitterId = event.emitted_by_invocation_id;
    const runnerId = event.emitted_by_runner_context_id;
    const shownIds = started.slice(0, TRIGGERED_SHOWN).map((link) => link.invocation_id);
    const [runs, rows, names, show] = await Promise.all([
      triggerRunObjects(
        reads,
        runLinks.slice(0, RUNS_SHOWN).map((link) => link.trigger_run_id),
      ),
      invocationRows(reads, [...new Set([...shownIds, ...(emitterId === null ? [] : [emitterId])])]),
      runnerNames(reads, runnerId === null ? [] : [runnerId]),
      valueReader(reads, Object.values(event.payload ?? {})),
    ]);
    const rowById = new Map(rows.map((row) => [row.invocation_id, row]));
    const stored = new Map(definitions.map((row) => [row.condition_id, row.condition_json]));
    const valid = new Set(pending.map((row) => row.valid_condition_id));
    const conditions = conditionViews(event, stored, valid, watched);
    const emitter = emitterId === null ? null : (rowById.get(emitterId) ?? null);
    return {
      event_id: event.event_id,
      event_code: event.event_code,
      timestamp: isoFromEpoch(event.timestamp),
      matched: (summary?.matched_conditions ?? event.matched_condition_ids.length) > 0,
      triggered: started.length > 0,
      emitted_by_invocation_id: emitterId,
      emitted_by_task_id: event.emitted_by_task_id,
      emitted_by_runner_context_id: runnerId,
      emitter,
      emitter_runner: runnerId === null ? null : (names.get(runnerId) ?? null),
      payload: Object.entries(event.payload ?? {}).map(([name, value]) => ({ name, value: show(value) })),
      payload_too_large: event.whole_size ?? null,
      conditions,
      trigger_runs: runs.sort(byExecution),
      trigger_runs_truncated: runLinks.length > RUNS_SHOWN,
      triggered_invocations: shownIds.flatMap((other) => rowById.get(other) ?? []),
      triggered_invocations_count: Math.min(started.length, TRIGGERED_COUNTED),
      triggered_invocations_capped: started.length > TRIGGERED_COUNTED,
      timeline: eventTimeline(
        { event_id: id, timestamp: isoFromEpoch(event.timestamp), emitted_by_invocation_id: emitterId },
        emitter,
        shownIds.flatMap((other) => rowById.get(other) ?? []),
      ),
      pending,
      notes: notesOn(event, summary, emitter),
    };
  });
  const [caused, led_to_it] = await Promise.all([
    trace(app, "event", id, { direction: "down", limit: TREE_NODES }),
    detail.emitter === null ? null : trace(app, "event", id, { direction: "up", limit: TREE_NODES }),
  ]);
  return { ...detail, caused: traceTree(caused), led_to_it: led_to_it === null ? null : traceTree(led_to_it) };
}

async function knownEvent(reads: AppReads, id: string): Promise<EventRecord> {
  const [event] = await reads.trigger.eventsByIds([id]);
  if (event === undefined) throw new NotFoundError("event", id, await whyUnrecorded(reads));
  return event;
}

/** The line of the list, whose count of conditions also speaks when the record itself is unreadable. */
async function summaryOf(reads: AppReads, event: EventRecord): Promise<EventSummary | undefined> {
  const at = { event_code: event.event_code, from: event.timestamp, to: event.timestamp };
  const listed = await reads.trigger.listEvents(at, { limit: 100, offset: 0 });
  return listed.find((row) => row.event_id === event.event_id);
}

interface WatchedCondition {
  condition_id: string;
  event_code: string;
  sentence: string;
}

/** EventConditions of the triggers that are registered now. */
function watchedConditions(app: OpenedApp): Promise<WatchedCondition[]> {
  return app.memo("watched event conditions", async (reads) => {
    const triggers = await reads.trigger.listTriggers({ limit: TRIGGERS_LOOKED, offset: 0 });
    const ids = [...new Set(triggers.flatMap((trigger) => trigger.condition_ids))];
    const conditions = await reads.trigger.conditionsByIds(ids);
    return conditions.flatMap(({ condition_id, condition_json }) => {
      const { event_code, sentence } = describeCondition(condition_json);
      return event_code === null ? [] : [{ condition_id, event_code, sentence }];
    });
  });
}

function conditionViews(
  event: EventRecord,
  definitions: ReadonlyMap<string, string>,
  retained: ReadonlySet<string>,
  watched: readonly WatchedCondition[],
): EventConditionView[] {
  const met = event.matched_condition_ids.map((condition_id, index): EventConditionView => {
    const json = definitions.get(condition_id);
    const valid_condition_id = event.valid_condition_ids[index] ?? null;
    return {
      condition_id,
      matched: true,
      valid_condition_id,
      valid_condition_retained: valid_condition_id !== null && retained.has(valid_condition_id),
      known: json !== undefined,
      sentence: json === undefined ? condition_id : describeCondition(json).sentence,
    };
  });
  const others = watched
    .filter((row) => row.event_code === event.event_code && !event.matched_condition_ids.includes(row.condition_id))
    .map(({ condition_id, sentence }) => ({
      condition_id,
      matched: false,
      valid_condition_id: null,
      valid_condition_retained: false,
      known: true,
      sentence,
    }));
  return [...met, ...others];
}

function notesOn(event: EventRecord, summary: EventSummary | undefined, emitter: InvocationRow | null): string[] {
  const notes: string[] = [];
  const met = summary?.matched_conditions ?? 0;
  if (met > event.matched_condition_ids.length) {
    notes.push(
      `The event met ${met} ${met === 1 ? "condition" : "conditions"}, but its stored record names ${event.matched_condition_ids.length === 0 ? "none" : `only ${event.matched_condition_ids.length}`} of them: it is damaged or has another layout.`,
    );
  }
  if (emitter !== null && emitter.status_source === "none" && emitter.task_id_key === null) {
    notes.push("The invocation that emitted the event is not in this store.");
  }
  return notes;
}

const RUNS_IN_JSON = 1_000;

/** `/events/{id}/api`. @throws NotFoundError */
export function eventApi(app: OpenedApp, id: string): Promise<EventApi> {
  return app.store.read(async (reads) => {
    await knownEvent(reads, id);
    const [objects, runs] = await Promise.all([eventObjects(reads, [id]), runsOfEvent(reads, id)]);
    const [event] = objects;
    if (event === undefined) throw new NotFoundError("event", id);
    const named = [
      event.emitted_by_invocation_id,
      ...event.triggered_invocation_ids,
      ...runs.trigger_runs.flatMap((run) => [run.triggered_invocation_id, ...run.source_invocation_ids]),
    ];
    const rows = await invocationRows(reads, [...new Set(named.filter((other) => other !== null))]);
    const summaries = rows.map((row) => [row.invocation_id, invocationSummary(row)] as const);
    return { event, ...runs, invocation_summaries: Object.fromEntries(summaries) };
  });
}

/** `/events/{id}/trigger-runs`. @throws NotFoundError */
export function eventTriggerRuns(app: OpenedApp, id: string): Promise<EventTriggerRuns> {
  return app.store.read(async (reads) => {
    await knownEvent(reads, id);
    return runsOfEvent(reads, id);
  });
}

async function runsOfEvent(reads: AppReads, id: string) {
  const links = await reads.trigger.triggerRunsOf("event", [id], RUNS_IN_JSON + 1);
  const ids = links.slice(0, RUNS_IN_JSON).map((link) => link.trigger_run_id);
  return { trigger_runs: await triggerRunObjects(reads, ids), trigger_runs_truncated: links.length > RUNS_IN_JSON };
}

const STATES = ["all", "matched", "unmatched", "triggered", "untriggered"] as const;
const STATE_FILTERS: Readonly<Record<(typeof STATES)[number], EventFilter>> = {
  all: {},
  matched: { matched: true },
  unmatched: { matched: false },
  triggered: { triggered: true },
  untriggered: { triggered: false },
};
const MARKERS_COUNTED = 1_000_000;

/** Events of a window, oldest first. @throws InvalidInputError */
export async function eventMarkers(app: OpenedApp, raw: RawInput): Promise<EventMarkers> {
  const input = parseInput(
    {
      ...TIME_BOUNDS,
      event_code: text,
      state: choice(STATES, "all"),
      limit: integer(1, 5_000, 1_000),
      offset: integer(0, 1_000_000_000, 0),
    },
    raw,
  );
  const { event_code, state, limit, offset } = input;
  const now = app.now();
  // A range ends now; without one both ends have to be given.
  const bounds = timeBounds(input, raw, now);
  const { from, to = input.range === undefined ? undefined : now } = bounds;
  if (from === undefined || to === undefined) {
    const missing = [from === undefined ? "from" : null, to === undefined ? "to" : null].filter((m) => m !== null);
    const accepted = `from and to (or range) are required: ${MOMENT_FORMS}`;
    throw new InvalidInputError(missing.map((parameter) => ({ parameter, value: "", accepted })));
  }
  const filter = { ...(event_code === undefined ? {} : { event_code }), from, to, ...STATE_FILTERS[state] };
  return app.store.read(async (reads) => {
    const unrecorded = await whyUnrecorded(reads);
    if (unrecorded !== null) return { unrecorded, markers: [], total: null, truncated: false };
    const [listed, total] = await Promise.all([
      reads.trigger.listEventsForward(filter, { limit: limit + 1, offset }),
      reads.trigger.countEvents(filter, MARKERS_COUNTED),
    ]);
    return { unrecorded, markers: listed.slice(0, limit).map(eventMarker), total, truncated: listed.length > limit };
  });
}

/** An event on a time line. */
export function eventMarker(event: EventSummary): TimelineEvent {
  return {
    event_id: event.event_id,
    event_code: event.event_code,
    timestamp: isoFromEpoch(event.timestamp),
    matched: event.matched_conditions > 0,
    triggered: event.triggered,
    emitted_by_invocation_id: event.emitted_by_invocation_id,
    emitted_by_runner_context_id: event.emitted_by_runner_context_id,
  };
}
