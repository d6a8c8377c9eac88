/** One event and its trigger runs, in the JSON format of pynenc's own monitor. */
import type { EventApi, EventTriggerRuns } from "../../api/events.ts";
import { NotFoundError } from "../../errors.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { eventObjects, triggerRunObjects } from "../model/event-objects.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { invocationSummary } from "../model/invocation-summary.ts";
import { knownEvent } from "./known-event.ts";

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
