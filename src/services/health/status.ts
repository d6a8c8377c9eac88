/** The state of an app in one small document: the output of `monitor status`, also polled by scripts. */
import type { StatusReport } from "../../api/health.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { eventCounters, invocationTotals, statusCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { listedQueues, oldestWaiting, queuesOf } from "../model/queue-health.ts";
import { runnerCounts } from "../model/runner-counts.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { appVerdicts } from "../verdicts/app-verdicts.ts";
import { COMMAND_PATIENCE } from "../verdicts/read-trends.ts";
import type { WithFoundVerdicts } from "../verdicts/verdicts.ts";

/** @param patience maximum milliseconds for figures over time, on which some verdicts depend. */
export async function statusReport(
  app: OpenedApp,
  patience: number = COMMAND_PATIENCE,
): Promise<WithFoundVerdicts<StatusReport>> {
  const [statuses, totals, events, verdictsIn] = await Promise.all([
    statusCounts(app),
    invocationTotals(app),
    eventCounters(app),
    appVerdicts(app, patience),
  ]);
  const [layout, { queue, queues, note }, runners, { verdicts, not_looked_at }] = await app.store.read((reads) =>
    Promise.all([
      reads.layout.report(),
      queueState(app, reads),
      deadBefore(app, reads).then((dead) => runnerCounts(reads, dead)),
      verdictsIn(reads),
    ]),
  );
  return {
    app_id: app.app_id,
    location: app.store.location,
    layout,
    as_of: isoFromEpoch(app.now()),
    invocations: totals.invocations,
    forgotten_invocations: totals.forgotten,
    invocations_complete: totals.complete,
    statuses: Object.fromEntries(statuses.map((row) => [row.status, row.count])),
    queue,
    ...listedQueues(queues),
    queue_note: note,
    runners,
    events,
    verdicts,
    not_looked_at,
  };
}

/** All queues together, and each of them. */
export async function queueState(app: OpenedApp, reads: AppReads) {
  const { messages, queues, note } = await queuesOf(app, reads);
  const oldest = oldestWaiting(queues);
  const queue: StatusReport["queue"] = {
    messages,
    waiting: messages === null ? null : queues.reduce((sum, one) => sum + one.waiting, 0),
    oldest_queued_at: oldest?.oldest_queued_at ?? null,
    oldest_seconds: oldest?.oldest_seconds ?? null,
  };
  return { queue, queues, note };
}
