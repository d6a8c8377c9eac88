/** One event: the conditions it met, its effects and its causes. */

import type { EventConditionView, EventCounts, EventDetail } from "../../api/events.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { describeCondition } from "../../pynenc/conditions.ts";
import { invocationIdOf, triggerRunIdOf } from "../../pynenc/keys.ts";
import type { EventRecord, EventSummary } from "../../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { trace } from "../causes/trace.ts";
import { traceTree } from "../causes/trace-tree.ts";
import { byExecution, triggerRunObjects } from "../model/event-objects.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { pendingByIds } from "../model/pending-conditions.ts";
import { runnerNames } from "../model/runner-names.ts";
import { valueReader } from "../model/stored-values.ts";
import { eventTimeline } from "../model/timeline-links.ts";
import { eventCounts } from "./event-counts.ts";
import { knownEvent } from "./known-event.ts";

const RUNS_SHOWN = 100;
const TRIGGERED_SHOWN = 50;
const TRIGGERED_COUNTED = 1_000;
/** Maximum nodes of the chains on a page; the JSON has all. */
const TREE_NODES = 300;
/** Maximum conditions met by one event. Only a handful are registered per code. */
const MAX_PENDING = 100;
/** Maximum trigger definitions searched for conditions of a code. The app's own modules register them, so there are tens, not thousands. */
const MAX_TRIGGERS = 2_000;

/** Seconds around the event in which others of the same code are counted, and the maximum count. */
const AROUND = 12 * 3_600;
const COUNTED_AROUND = 10_000;

/** An event without its chains: pages draw those as a family over time. */
export type EventFacts = Omit<EventDetail, "caused" | "led_to_it">;

/**
 * @param withCounts include counts of events around it, for a chart.
 * @throws NotFoundError
 */
export async function eventDetail(app: OpenedApp, id: string, withCounts = false): Promise<EventDetail> {
  const detail = await eventFacts(app, id, withCounts);
  const [caused, led_to_it] = await Promise.all([
    trace(app, "event", id, { direction: "down", limit: TREE_NODES }),
    detail.emitter === null ? null : trace(app, "event", id, { direction: "up", limit: TREE_NODES }),
  ]);
  return { ...detail, caused: traceTree(caused), led_to_it: led_to_it === null ? null : traceTree(led_to_it) };
}

/** Parameters and errors as for `eventDetail`. */
export async function eventFacts(app: OpenedApp, id: string, withCounts = false): Promise<EventFacts> {
  const watched = await watchedConditions(app);
  return app.store.read(async (reads) => {
    const event = await knownEvent(reads, id);
    const [summary, runLinks, started, definitions, pending] = await Promise.all([
      summaryOf(reads, event),
      reads.trigger.triggerRunsOf("event", [id], RUNS_SHOWN + 1),
      reads.trigger.triggeredBy([id], TRIGGERED_COUNTED + 1),
      reads.trigger.conditionsByIds(event.matched_condition_ids),
      pendingByIds(reads, event.valid_condition_ids.slice(0, MAX_PENDING)),
    ]);
    const emitterId = event.emitted_by_invocation_id;
    const runnerId = event.emitted_by_runner_context_id;
    const shownIds = started.slice(0, TRIGGERED_SHOWN).map(invocationIdOf);
    const [runs, rows, names, show] = await Promise.all([
      triggerRunObjects(reads, runLinks.slice(0, RUNS_SHOWN).map(triggerRunIdOf)),
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
      around: withCounts ? await countsAround(reads, event, app.now()) : null,
      notes: notesOn(event, summary, emitter),
    };
  });
}

async function countsAround(
  reads: AppReads,
  { event_code, timestamp }: EventRecord,
  now: EpochSeconds,
): Promise<EventCounts | null> {
  const span = { from: timestamp - AROUND, to: Math.max(timestamp, Math.min(timestamp + AROUND, now)) };
  const [around = 0] = await reads.trigger.countEvents([{ event_code, ...span }], COUNTED_AROUND + 1);
  if (around > COUNTED_AROUND) return null;
  const [first] = await reads.trigger.listEvents({ event_code, ...span }, { limit: 1, offset: 0 }, "oldest");
  return eventCounts(reads, { event_code }, { ...span, from: first?.timestamp ?? timestamp }, COUNTED_AROUND);
}

/** The entry from the list: its number of conditions is known even if the record is unreadable. */
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

/** EventConditions of the currently registered triggers. */
function watchedConditions(app: OpenedApp): Promise<WatchedCondition[]> {
  return app.memo("watched event conditions", async (reads) => {
    const triggers = await reads.trigger.triggers({}, { limit: MAX_TRIGGERS, offset: 0 });
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
      `The event met ${met} ${met === 1 ? "condition" : "conditions"}, but its record names ${event.matched_condition_ids.length === 0 ? "none" : `only ${event.matched_condition_ids.length}`} of them.`,
    );
  }
  if (emitter !== null && emitter.status_source === "none" && emitter.task_id_key === null) {
    notes.push("The invocation that emitted the event is not in this store.");
  }
  return notes;
}
