import { rowsBy } from "../../../pynenc/groups.ts";
import { parseEvent, parseTriggerRun } from "../../../pynenc/json-records.ts";
import { noEventsRecorded } from "../../no-events.ts";
import type { EventPurge, EventRetention } from "../../ports/actions.ts";
import { inChunks } from "../../server/chunks.ts";
import { text, texts } from "../collections/fields.ts";
import { recordsEvents } from "../collections/present.ts";
import { atOrAfter, findIn } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Changes } from "./changes.ts";
import { inOrder } from "./in-order.ts";

/** Documents removed per step. */
const STEP = 500;

/** Ids read per step. */
const READ_STEP = 5_000;

const EVENTS = { collection: "events", by: "timestamp", id: "event_id" } as const;
const RUNS = { collection: "trigger_runs", by: "sort_time", id: "trigger_run_id" } as const;

type EventRule = "age" | "capacity";
type RunRule = EventRule | "event";

/** A tenth of a second: a run is executed after its time for sorting was written, or at it. */
const SORT_LEEWAY = 0.1;

/**
 * Removes events and trigger runs that are too old or too many, and with an event every run it took part in (storage-format.md 5.7). First decides
 * what to remove, in pynenc's order of rules. Runs are removed before events, so that a repeated action after an interruption finds the rest.
 *
 * @throws RefusedError for a layout that records no events.
 */
export async function autoPurgeEvents(
  reading: MongoReading,
  changes: Changes,
  { before, max_events, max_trigger_runs }: EventRetention,
): Promise<EventPurge> {
  if (!(await recordsEvents(reading))) throw noEventsRecorded();
  const events = new Map<string, EventRule>();
  const runs = new Map<string, RunRule>();
  const [ofEvents, ofRuns] = [reading.of("trigger", "events"), reading.of("trigger", "trigger_runs")];
  for await (const some of inOrder(ofEvents, { timestamp: { $lt: atOrAfter(before) } }, { ...EVENTS, step: READ_STEP }))
    for (const { event_id } of some) mark(events, text(event_id), "age");
  // The record has the exact time. A run that was claimed but never executed is removed by other rules only.
  const oldRuns = { sort_time: { $lt: atOrAfter(before + SORT_LEEWAY) } };
  for await (const some of inOrder(ofRuns, oldRuns, { ...RUNS, only: ["payload_json"], step: STEP })) {
    for (const { trigger_run_id, payload_json } of some) {
      const executed = parseTriggerRun(text(payload_json))?.executed_at ?? null;
      if (executed !== null && executed < before) mark(runs, text(trigger_run_id), "age");
    }
  }
  await markExcess(reading, EVENTS, max_events, events);
  for (const ids of inChunks([...events.keys()], STEP)) {
    const found = await findIn(ofRuns, "event_ids", ids, { only: { trigger_run_id: 1 } });
    for (const { trigger_run_id } of found) mark(runs, text(trigger_run_id), "event");
  }
  await markExcess(reading, RUNS, max_trigger_runs, runs);
  return { ...(await removeRuns(reading, changes, runs)), ...(await removeEvents(reading, changes, events)) };
}

/** The first rule that matches a document counts. */
function mark<Rule>(due: Map<string, Rule>, id: string, rule: Rule): void {
  if (!due.has(id)) due.set(id, rule);
}

/** Marks the oldest of the remaining ids that exceed the limit. 0 means no limit. */
async function markExcess(
  reading: MongoReading,
  order: typeof EVENTS | typeof RUNS,
  max: number,
  due: Map<string, EventRule | RunRule>,
): Promise<void> {
  if (max === 0) return;
  const collection = reading.of("trigger", order.collection);
  let excess = (await collection.count({})) - due.size - max;
  if (excess <= 0) return;
  for await (const some of inOrder(collection, {}, { ...order, step: READ_STEP })) {
    for (const stored of some) {
      const id = text(stored[order.id]);
      if (due.has(id)) continue;
      if (excess-- <= 0) return;
      mark(due, id, "capacity");
    }
  }
}

async function removeRuns(
  reading: MongoReading,
  changes: Changes,
  due: ReadonlyMap<string, RunRule>,
): Promise<
  Pick<
    EventPurge,
    "trigger_runs_by_age" | "trigger_runs_of_events" | "trigger_runs_by_capacity" | "trigger_run_conditions"
  >
> {
  let participants = 0;
  const removed = await removeByRule(reading, changes, RUNS, due, { age: 0, event: 0, capacity: 0 }, (stored) => {
    participants += parseTriggerRun(text(stored.payload_json))?.participants.length ?? 0;
  });
  return {
    trigger_runs_by_age: removed.age,
    trigger_runs_of_events: removed.event,
    trigger_runs_by_capacity: removed.capacity,
    trigger_run_conditions: participants,
  };
}

async function removeEvents(
  reading: MongoReading,
  changes: Changes,
  due: ReadonlyMap<string, EventRule>,
): Promise<
  Pick<EventPurge, "events_by_age" | "events_by_capacity" | "event_conditions" | "event_triggered_invocations">
> {
  let [conditions, invocations] = [0, 0];
  const removed = await removeByRule(reading, changes, EVENTS, due, { age: 0, capacity: 0 }, (stored) => {
    conditions += parseEvent(text(stored.payload_json))?.matched_condition_ids.length ?? 0;
    invocations += texts(stored.triggered_invocation_ids).length;
  });
  return {
    events_by_age: removed.age,
    events_by_capacity: removed.capacity,
    event_conditions: conditions,
    event_triggered_invocations: invocations,
  };
}

/** Removes these documents in steps and adds their number to the `counts` of their rules. @param count is called for each before it is removed. */
async function removeByRule<Rule extends string>(
  reading: MongoReading,
  changes: Changes,
  { collection, id }: typeof EVENTS | typeof RUNS,
  due: ReadonlyMap<string, Rule>,
  counts: Record<Rule, number>,
  count: (stored: Readonly<Record<string, unknown>>) => void,
): Promise<Record<Rule, number>> {
  for (const ids of inChunks([...due.keys()], STEP)) {
    for (const stored of await findIn(reading.of("trigger", collection), id, ids)) count(stored);
    for (const [rule, some] of rowsBy(ids, (one) => due.get(one))) {
      counts[rule] += await changes.remove("trigger", collection, { [id]: { $in: some } });
    }
  }
  return counts;
}
