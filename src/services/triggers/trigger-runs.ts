/** Trigger runs: what met a trigger's conditions, and what the trigger then started. */
import { InvalidInputError, NotFoundError } from "../../errors.ts";
import { CONTEXT_KINDS, type ContextKind, contextClass, contextKind } from "../../pynenc/context-summary.ts";
import { isCoreTask } from "../../pynenc/identifiers.ts";
import { grouped } from "../../pynenc/numbers.ts";
import type { EventRecord, ParticipantRecord, TriggerRunRecord } from "../../pynenc/records.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { AppReads, TriggerRunFilter } from "../../stores/ports.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { choice, instant, integer, pageNumber, parseInput, type RawInput, text } from "../input/input.ts";
import { type PageInfo, pageOf, sliceOf } from "../input/paging.ts";
import { type EventObject, eventObjects, type TriggerRunObject, triggerRunObject } from "../model/event-objects.ts";
import { type InvocationRow, invocationRows } from "../model/invocation-rows.ts";
import { type InvocationSummary, invocationSummary } from "../model/invocation-summary.ts";
import { causesOf, type RunCause } from "../model/run-causes.ts";
import { type RunnerName, runnerNames } from "../model/runner-names.ts";
import { valueReader } from "../model/stored-values.ts";
import { runTimeline, type TimelineAddresses, type TimelineQuery } from "../model/timeline-links.ts";
import {
  type ConditionView,
  type ContextView,
  conditionView,
  contextItems,
  contextView,
  readValidCondition,
  type StoredContext,
  snapshotContext,
  storedStrings,
  type ViewItem,
} from "./condition-views.ts";

/** One line of a list of trigger runs. */
export interface TriggerRunRow {
  trigger_run_id: string;
  trigger_id: string;
  /** The trigger is registered now, so it has a page. */
  trigger_registered: boolean;
  task_id_key: string;
  logic_value: string;
  claimed_at: string | null;
  executed_at: string | null;
  /** The first few. */
  causes: RunCause[];
  causes_count: number;
  /** What the run started. */
  triggered_invocation: InvocationRow | null;
}

export interface TriggerRunFilterInput {
  task: string | null;
  trigger: string | null;
  start: string | null;
  end: string | null;
  kind: ContextKind | null;
}

export interface TriggerRunList {
  /** False where the layout records no trigger runs (before 0.2.4): then nothing is known, which is not "none". */
  events_recorded: boolean;
  trigger_runs: TriggerRunRow[];
  page: PageInfo;
  filter: TriggerRunFilterInput;
  /** Tasks that triggers start, for the filter. */
  task_id_keys: string[];
  /** How far the search came, where older runs were not looked at. */
  notes: string[];
}

const MAX_PAGE_SIZE = 200;

const SHAPE = {
  task: text,
  trigger: text,
  start: instant,
  end: instant,
  kind: choice(["", ...CONTEXT_KINDS], ""),
  page: pageNumber,
  page_size: integer(1, MAX_PAGE_SIZE, 25),
};

/** The newest runs that are looked at where a filter is on. */
const LOOK_LIMIT = 10_000;

/** Enough to count any store. */
const ALL = 1_000_000_000;

const CAUSES_IN_ROW = 3;

/** A page of runs, the latest written first. @throws InvalidInputError */
export async function listTriggerRuns(app: OpenedApp, raw: RawInput): Promise<TriggerRunList> {
  const input = parseInput(SHAPE, raw);
  const { start, end } = input;
  if (start !== undefined && end !== undefined && start > end) {
    const accepted = `a time before end ${JSON.stringify(raw.end?.at(-1) ?? "")}`;
    throw new InvalidInputError([{ parameter: "start", value: raw.start?.at(-1) ?? "", accepted }]);
  }
  const wanted = { number: input.page, size: input.page_size };
  const kind = CONTEXT_KINDS.find((known) => known === input.kind) ?? null;
  const filter: TriggerRunFilter = {
    ...(input.task !== undefined && { task_id_key: input.task }),
    ...(input.trigger !== undefined && { trigger_id: input.trigger }),
    ...(start !== undefined && { from: start }),
    ...(end !== undefined && { to: end }),
    ...(kind !== null && { context_type: contextClass(kind) }),
  };
  const unfiltered = Object.keys(filter).length === 0;
  const all = unfiltered ? await app.memo("trigger runs", (reads) => reads.trigger.countTriggerRuns({}, ALL)) : null;
  const tasks = await app.memo("triggered tasks", (reads) => reads.trigger.triggeredTasks());
  return app.store.read(async (reads) => {
    const { events: recorded } = await reads.layout.capabilities();
    const found =
      all === null
        ? await reads.trigger.searchTriggerRuns(filter, sliceOf(wanted), LOOK_LIMIT)
        : { runs: await reads.trigger.listTriggerRuns({}, sliceOf(wanted)), matching: all, looked: all, whole: true };
    // Where runs were passed over and older ones were not looked at, the matches that were found say nothing of their number.
    const isKnown = recorded && (found.whole || found.matching === found.looked);
    const { rows, page } = pageOf(found.runs, wanted, isKnown ? found.matching : null, isKnown && !found.whole);
    return {
      events_recorded: recorded,
      trigger_runs: await triggerRunRows(reads, rows),
      page,
      filter: {
        task: input.task ?? null,
        trigger: input.trigger ?? null,
        start: isoOrNull(start),
        end: isoOrNull(end),
        kind,
      },
      task_id_keys: tasks.flatMap((task) => (task.triggers > 0 ? [task.task_id_key] : [])).sort(),
      notes: found.whole || isKnown || page.has_next ? [] : [reachOf(found.looked)],
    };
  });
}

function reachOf(looked: number): string {
  return `The newest ${grouped(looked)} trigger runs were looked at; older ones may match too. To look further back, end the time range earlier.`;
}

/** Rows in the order of the records. Four batched reads whatever their number. */
export async function triggerRunRows(reads: AppReads, records: readonly TriggerRunRecord[]): Promise<TriggerRunRow[]> {
  if (records.length === 0) return [];
  const [triggers, invocations] = await Promise.all([
    reads.trigger.triggersByIds([...new Set(records.map((record) => record.trigger_id))]),
    invocationRows(reads, [...new Set(records.flatMap((record) => record.triggered_invocation_id ?? []))]),
  ]);
  const registered = new Set(triggers.map((trigger) => trigger.trigger_id));
  const invocationById = new Map(invocations.map((row) => [row.invocation_id, row]));
  return records.map((record) => {
    const causes = causesOf(record);
    return {
      trigger_run_id: record.trigger_run_id,
      trigger_id: record.trigger_id,
      trigger_registered: registered.has(record.trigger_id),
      task_id_key: record.task_id_key,
      logic_value: record.logic_value,
      claimed_at: isoOrNull(record.claimed_at),
      executed_at: isoOrNull(record.executed_at),
      causes: causes.slice(0, CAUSES_IN_ROW),
      causes_count: causes.length,
      triggered_invocation: invocationById.get(record.triggered_invocation_id ?? "") ?? null,
    };
  });
}

/** A participant with the condition that was met and the context that met it. */
export interface ParticipantView {
  condition: ConditionView | null;
  context: ContextView;
  valid_condition_id: string | null;
  /** The valid condition is still stored, so it has a page; mostly it is cleared once its triggers ran. */
  valid_condition_retained: boolean;
  /** The invocation whose status, result or exception met the condition. */
  source: InvocationRow | null;
  /** The event is still stored, so it has a page. */
  event_stored: boolean;
}

export interface TriggerRunDetail extends TriggerRunObject {
  trigger_registered: boolean;
  core: boolean;
  atomic_service_runner: RunnerName | null;
  triggered_invocation: InvocationRow | null;
  /** What led to it and what it started, on a time line; null when none of it has a time. */
  timeline: TimelineQuery | null;
  sources: InvocationRow[];
  /** Without their payloads: those that took part show them in their contexts, cut. */
  events: Omit<EventObject, "payload" | "payload_too_large">[];
  /** Events that took part and are not stored any more. */
  events_gone: string[];
  participant_views: ParticipantView[];
  /** Conditions of a record without participants; empty otherwise. */
  conditions: ConditionView[];
  /** More took part than `SHOWN` of a kind. */
  truncated: boolean;
  /** What is special about this run, in words. */
  notes: string[];
}

/** Participants, events and invocations of one run that are read and shown. */
const SHOWN = 200;

type LoadedRun = Omit<TriggerRunDetail, "events"> & { events: EventObject[] };

/** @throws NotFoundError */
export async function triggerRunDetail(app: OpenedApp, id: string): Promise<TriggerRunDetail> {
  const run = await loadedRun(app, id);
  return { ...run, events: run.events.map(({ payload: _payload, payload_too_large: _size, ...event }) => event) };
}

function loadedRun(app: OpenedApp, id: string): Promise<LoadedRun> {
  return app.store.read(async (reads) => {
    const [record] = await reads.trigger.triggerRunsByIds([id]);
    if (record === undefined) throw new NotFoundError("trigger run", id, await absence(reads));
    return described(reads, bounded(record), record);
  });
}

async function absence(reads: AppReads): Promise<string> {
  const { events } = await reads.layout.capabilities();
  return events
    ? "Trigger runs are removed with the events they belong to, by age and by number, and by a purge."
    : "This layout is older than 0.2.4 and records no trigger runs.";
}

/** The record with as much of its lists as is shown. */
function bounded(record: TriggerRunRecord): TriggerRunRecord {
  const participants = record.participants.slice(0, SHOWN);
  const named = (ids: readonly string[], more: readonly (string | null)[]) =>
    [...new Set([...ids, ...more.filter((id) => id !== null)])].slice(0, SHOWN);
  return {
    ...record,
    participants,
    condition_ids: named(
      record.condition_ids,
      participants.map((p) => p.condition_id),
    ),
    valid_condition_ids: named(
      record.valid_condition_ids,
      participants.map((p) => p.valid_condition_id),
    ),
    event_ids: named(
      record.event_ids,
      participants.map((p) => p.event_id),
    ),
    source_invocation_ids: named(
      record.source_invocation_ids,
      participants.map((p) => p.source_invocation_id),
    ),
  };
}

async function described(reads: AppReads, record: TriggerRunRecord, whole: TriggerRunRecord): Promise<LoadedRun> {
  const { participants, triggered_invocation_id: triggered, atomic_service_runner_id: serviceRunner } = record;
  const invocationIds = [...new Set([...record.source_invocation_ids, ...(triggered === null ? [] : [triggered])])];
  const [triggers, registered, retained, eventRecords, events, invocations, runners] = await Promise.all([
    reads.trigger.triggersByIds([record.trigger_id]),
    reads.trigger.conditionsByIds(record.condition_ids),
    reads.trigger.validConditionsByIds(record.valid_condition_ids),
    reads.trigger.eventsByIds(record.event_ids),
    eventObjects(reads, record.event_ids),
    invocationRows(reads, invocationIds),
    runnerNames(reads, serviceRunner === null ? [] : [serviceRunner]),
  ]);
  const conditionById = new Map(registered.map((row) => [row.condition_id, row]));
  const retainedById = new Map(retained.map((row) => [row.valid_condition_id, row.valid_condition_json]));
  const eventById = new Map(eventRecords.map((row) => [row.event_id, row]));
  const invocationById = new Map(invocations.map((row) => [row.invocation_id, row]));
  const met = participants.map((participant) => metBy(participant, retainedById, eventById));
  const show = await valueReader(
    reads,
    met.flatMap(({ context }) => storedStrings(context)),
  );
  return {
    ...triggerRunObject(record),
    trigger_registered: triggers.length > 0,
    core: isCoreTask(record.task_id_key),
    atomic_service_runner: runners.get(serviceRunner ?? "") ?? null,
    triggered_invocation: invocationById.get(triggered ?? "") ?? null,
    timeline: runTimeline(
      triggerRunObject(record),
      invocationById,
      events.map((event) => event.timestamp),
    ),
    sources: record.source_invocation_ids.flatMap((id) => invocationById.get(id) ?? []),
    events,
    events_gone: record.event_ids.filter((id) => !eventById.has(id)),
    participant_views: participants.map((participant, index) => {
      const { context, condition_json, live } = met[index] ?? metBy(participant, new Map(), new Map());
      const { condition_id, valid_condition_id, event_id, source_invocation_id } = participant;
      return {
        condition:
          condition_id === null ? null : conditionView(condition_id, conditionById.get(condition_id), condition_json),
        context: contextView(context, show),
        valid_condition_id,
        valid_condition_retained: live,
        source: invocationById.get(source_invocation_id ?? "") ?? null,
        event_stored: event_id !== null && eventById.has(event_id),
      };
    }),
    conditions:
      participants.length > 0 ? [] : record.condition_ids.map((id) => conditionView(id, conditionById.get(id))),
    truncated: isCut(whole),
    notes: notesOn(whole),
  };
}

function isCut(record: TriggerRunRecord): boolean {
  const { participants, event_ids, source_invocation_ids, condition_ids, valid_condition_ids } = record;
  return [participants, event_ids, source_invocation_ids, condition_ids, valid_condition_ids].some(
    (list) => list.length > SHOWN,
  );
}

interface Met {
  context: StoredContext;
  /** From the valid condition, when that is retained. */
  condition_json: string | null;
  live: boolean;
}

/** The context as the valid condition holds it, else as it can be put together from what is left. */
function metBy(
  participant: ParticipantRecord,
  retained: ReadonlyMap<string, string>,
  events: ReadonlyMap<string, EventRecord>,
): Met {
  const json = retained.get(participant.valid_condition_id ?? "");
  const snapshot = snapshotContext(participant, events.get(participant.event_id ?? ""));
  if (json === undefined) return { context: snapshot, condition_json: null, live: false };
  const { context, condition_json } = readValidCondition(json);
  return { context: isOf(participant, context) ? context : snapshot, condition_json, live: true };
}

/** All exceptions of one type share one id (storage-format.md 1.5): what is retained under it may have been made by a later failure. */
function isOf(participant: ParticipantRecord, context: StoredContext | null): context is StoredContext {
  if (context === null) return false;
  const { source_invocation_id: source } = participant;
  return source === null || context.view.invocation_id === null || context.view.invocation_id === source;
}

function notesOn(record: TriggerRunRecord): string[] {
  const notes: string[] = [];
  if (record.participants.some((p) => contextKind(p.context_type) === "exception")) {
    notes.push(
      "All runs of this trigger that exceptions of one type caused share one id, and only the latest is kept: earlier failures may have started invocations that no run names any more.",
    );
  }
  if (record.participants.length === 0) {
    notes.push("The record names no participants: which condition was met by what is not known.");
  }
  if (record.executed_at === null) notes.push("The run was claimed, and no execution is recorded.");
  else if (record.triggered_invocation_id === null) notes.push("The run names no invocation that it started.");
  if (isCut(record)) notes.push(`More than ${SHOWN} took part; the first ${SHOWN} are shown.`);
  return notes;
}

/** Builds the addresses that the JSON document carries; a service knows none. */
export interface RunAddresses extends TimelineAddresses {
  condition(conditionId: string): string;
  validCondition(validConditionId: string): string;
}

interface ConditionBlock {
  available: boolean;
  kind: "TriggerCondition";
  type: string | null;
  id: string | null;
  id_short: string | null;
  /** Null when nothing can be shown there. */
  detail_url: string | null;
  sentence: string | null;
  items: ViewItem[];
}

/** `/trigger-runs/{id}/api`: the keys of the existing monitor (behaviour.md 3.8). @throws NotFoundError */
export async function triggerRunApi(app: OpenedApp, id: string, addresses: RunAddresses) {
  const detail = await loadedRun(app, id);
  const { participant_views, conditions, sources, triggered_invocation, events, notes, truncated, ...run } = detail;
  const {
    core: _core,
    events_gone: _gone,
    atomic_service_runner: _runner,
    trigger_registered,
    timeline,
    ...object
  } = run;
  const views = new Map<string, ConditionView>();
  for (const view of [...conditions, ...participant_views.flatMap((p) => p.condition ?? [])]) {
    views.set(view.condition_id, view);
  }
  return {
    ...object,
    participants: object.participants.map((participant, index) => {
      const view = participant_views[index];
      return view === undefined
        ? participant
        : { ...participant, ...participantBlocks(view, participant.context_summary, addresses) };
    }),
    show_participant_event_column: object.participants.some((p) => p.event_id !== null),
    show_participant_source_column: new Set(object.participants.flatMap((p) => p.source_invocation_id ?? [])).size > 1,
    condition_details: [...views.values()].map((view) => conditionBlock(view, addresses)),
    invocation_summaries: summariesOf(detail),
    events,
    timeline_url: timeline === null ? null : addresses.timeline(timeline),
    trigger_registered,
    truncated,
    notes,
  };
}

function participantBlocks(view: ParticipantView, summary: string, addresses: RunAddresses) {
  const { context, valid_condition_id: id, valid_condition_retained: live } = view;
  const items = contextItems(context);
  return {
    condition_view: conditionBlock(view.condition, addresses),
    context_view: {
      available: items.length > 0,
      kind: "ConditionContext",
      type: context.type,
      id,
      id_short: short(id),
      timestamp: context.timestamp,
      summary,
      source: context.source,
      items,
    },
    valid_condition_view: {
      id,
      id_short: short(id),
      available: live,
      source: context.source,
      detail_url: live && id !== null ? addresses.validCondition(id) : null,
    },
  };
}

function conditionBlock(view: ConditionView | null, addresses: RunAddresses): ConditionBlock {
  const id = view?.condition_id ?? null;
  return {
    available: view !== null && view.type !== null,
    kind: "TriggerCondition",
    type: view?.type ?? null,
    id,
    id_short: short(id),
    detail_url: view?.registered && id !== null ? addresses.condition(id) : null,
    sentence: view?.sentence ?? null,
    items: view?.items ?? [],
  };
}

/** `condition#tasks.add#su...c_no_args_ok`: as long as the existing monitor's short ids. */
function short(id: string | null): string | null {
  if (id === null) return null;
  const characters = Array.from(id);
  if (characters.length <= 37) return id;
  return `${characters.slice(0, 22).join("")}...${characters.slice(-12).join("")}`;
}

/** What an invocation that is gone was, is told by the words that the run kept. */
function summariesOf(detail: LoadedRun): Record<string, InvocationSummary> {
  const rows = [...detail.sources, ...(detail.triggered_invocation === null ? [] : [detail.triggered_invocation])];
  const told = new Map(detail.participant_views.map(({ context }) => [context.invocation_id, context]));
  const summaries = rows.map((row): [string, InvocationSummary] => {
    const summary = invocationSummary(row);
    const context = told.get(row.invocation_id);
    if (row.status_source !== "none" || row.task_id_key !== null || context === undefined) {
      return [row.invocation_id, summary];
    }
    const filled = { ...row, task_id_key: context.task_id_key, status: context.status ?? row.status };
    return [row.invocation_id, invocationSummary(filled)];
  });
  return Object.fromEntries(summaries);
}
