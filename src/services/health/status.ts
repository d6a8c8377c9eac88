/** The state of an app in one small document: what `monitor status` prints and scripts poll. */
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { EventCounters } from "../../stores/ports.ts";
import { eventCounters, invocationTotals, statusCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { queueLength } from "../model/queue-length.ts";
import { type RunnerCounts, runnerCounts } from "../model/runner-counts.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import type { Problem } from "./problem.ts";
import { findProblems } from "./problems.ts";
import { listedQueues, oldestWaiting, type QueueHealth, queuesOf } from "./queue-health.ts";

export interface StatusReport {
  app_id: string;
  location: string;
  /** The label of the layout found: `0.3.0 to 0.3.1`. */
  layout: string;
  /** The present against which heartbeats and waits were judged. */
  as_of: string;
  /** Every invocation of which a status or a definition is stored. */
  invocations: number;
  /** Those of them without a status in the orchestrator: they count by the last entry of their history. */
  forgotten_invocations: number;
  /** False while a large store is still being looked through: there may be more of the forgotten ones. */
  invocations_complete: boolean;
  /** Every status of pynenc, zeros included, in the order of an invocation's life; then other words that are stored. */
  statuses: Record<string, number>;
  /** Numbers are null where the broker cannot be reached; `problems` says why. The oldest is null where messages cannot be looked at. */
  queue: {
    messages: number | null;
    waiting: number | null;
    oldest_queued_at: string | null;
    oldest_seconds: number | null;
  };
  /** As on the broker page; empty where the broker cannot be reached. */
  queues: QueueHealth[];
  more_queues: number;
  runners: RunnerCounts;
  /** Null where this layout records no events. */
  events: EventCounters | null;
  problems: Problem[];
}

export async function statusReport(app: OpenedApp): Promise<StatusReport> {
  const [statuses, totals, events] = await Promise.all([statusCounts(app), invocationTotals(app), eventCounters(app)]);
  const [layout, { messages }, { queues }, runners, problems] = await app.store.read((reads) =>
    Promise.all([
      reads.layout.report(),
      queueLength(reads),
      queuesOf(app, reads),
      deadBefore(app, reads).then((dead) => runnerCounts(reads, dead)),
      findProblems(app, reads),
    ]),
  );
  const oldest = oldestWaiting(queues);
  return {
    app_id: app.app_id,
    location: app.store.location,
    layout: layout.label,
    as_of: isoFromEpoch(app.now()),
    invocations: totals.invocations,
    forgotten_invocations: totals.forgotten,
    invocations_complete: totals.complete,
    statuses: Object.fromEntries(statuses.map((row) => [row.status, row.count])),
    queue: {
      messages,
      waiting: messages === null ? null : queues.reduce((sum, queue) => sum + queue.waiting, 0),
      oldest_queued_at: oldest?.oldest_queued_at ?? null,
      oldest_seconds: oldest?.oldest_age_seconds ?? null,
    },
    ...listedQueues(queues),
    runners,
    events,
    problems,
  };
}
