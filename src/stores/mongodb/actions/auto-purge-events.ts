import { parseEvent, parseTriggerRun } from "../../../pynenc/json-records.ts";
import { noEventsRecorded } from "../../no-events.ts";
import type { EventPurge, EventRetention } from "../../ports/actions.ts";
import { type EventPurgeSteps, purgeEvents, STEP } from "../../server/auto-purge.ts";
import { text, texts } from "../collections/fields.ts";
import { recordsEvents } from "../collections/present.ts";
import { atOrAfter, findIn } from "../collections/queries.ts";
import type { MongoReading } from "../collections/reading.ts";
import type { Document } from "../server/db.ts";
import type { Changes } from "./changes.ts";
import { inOrder } from "./in-order.ts";

/** Ids read per step. */
const READ_STEP = 5_000;

const ORDERS = {
  events: { collection: "events", by: "timestamp", id: "event_id" },
  runs: { collection: "trigger_runs", by: "sort_time", id: "trigger_run_id" },
} as const;

/** A tenth of a second: a run is executed after its time for sorting was written, or at it. */
const SORT_LEEWAY = 0.1;

/** @throws RefusedError for a layout that records no events. */
export async function autoPurgeEvents(
  reading: MongoReading,
  changes: Changes,
  retention: EventRetention,
): Promise<EventPurge> {
  if (!(await recordsEvents(reading))) throw noEventsRecorded();
  const of = (kind: keyof typeof ORDERS) => reading.of("trigger", ORDERS[kind].collection);
  const steps: EventPurgeSteps = {
    async *older(kind, before) {
      const { by, id } = ORDERS[kind];
      const events = kind === "events";
      const until = { [by]: { $lt: atOrAfter(events ? before : before + SORT_LEEWAY) } };
      const order = { ...ORDERS[kind], only: events ? [] : ["payload_json"], step: events ? READ_STEP : STEP };
      for await (const some of inOrder(of(kind), until, order)) {
        // The record of a run has the exact time.
        const old = events ? some : some.filter(({ payload_json }) => executedAt(text(payload_json)) < before);
        yield old.map((stored) => text(stored[id]));
      }
    },
    count: (kind) => of(kind).count({}),
    async *oldest(kind) {
      for await (const some of inOrder(of(kind), {}, { ...ORDERS[kind], step: READ_STEP })) {
        yield some.map((stored) => text(stored[ORDERS[kind].id]));
      }
    },
    async runsOf(events) {
      const found = await findIn(of("runs"), "event_ids", events, { only: { trigger_run_id: 1 } });
      return found.map(({ trigger_run_id }) => text(trigger_run_id));
    },
    async remove(kind, { ids, byRule }) {
      const { collection, id } = ORDERS[kind];
      const rows = (await findIn(of(kind), id, ids)).map(kind === "events" ? rowsOfEvent : rowsOfRun);
      const removed: number[] = [];
      for (const some of byRule) removed.push(await changes.remove("trigger", collection, { [id]: { $in: some } }));
      return { byRule: removed, rows: [0, 1].map((at) => rows.reduce((sum, one) => sum + (one[at] ?? 0), 0)) };
    },
  };
  return purgeEvents(steps, retention);
}

/** Never, for a run that was not executed. */
function executedAt(json: string): number {
  return parseTriggerRun(json)?.executed_at ?? Number.POSITIVE_INFINITY;
}

function rowsOfEvent({ payload_json, triggered_invocation_ids }: Document): number[] {
  return [parseEvent(text(payload_json))?.matched_condition_ids.length ?? 0, texts(triggered_invocation_ids).length];
}

function rowsOfRun({ payload_json }: Document): number[] {
  return [parseTriggerRun(text(payload_json))?.participants.length ?? 0];
}
