import type { Dashboard } from "../../api/health.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { eventCounters, invocationTotals, statusCounts } from "../app/counts.ts";
import type { Inventory } from "../app/inventory.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { STILL_SCANNING, sliceOfInvocations } from "../model/listed-invocations.ts";
import { listedQueues, queuesOf } from "../model/queue-health.ts";
import { queueLength } from "../model/queue-length.ts";
import { runnerCounts } from "../model/runner-counts.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { storeFacts } from "../model/store-facts.ts";
import { taskKeys } from "../model/task-keys.ts";
import { type RecentRows, recent } from "../stats/recent.ts";
import { appVerdicts } from "../verdicts/app-verdicts.ts";
import { PAGE_PATIENCE } from "../verdicts/read-trends.ts";
import type { WithFoundVerdicts } from "../verdicts/verdicts.ts";

/** Number of invocations listed. */
const NEWEST = 8;

/**
 * @param raw optional range of recent activity: `from`, `to`, `range`.
 * @param rows numbers of tasks and failures listed.
 * @throws InvalidInputError
 */
export async function dashboard(
  app: OpenedApp,
  raw: RawInput = {},
  rows: RecentRows = {},
): Promise<WithFoundVerdicts<Dashboard>> {
  const [happened, statuses, totals, events, tasks, verdictsIn] = await Promise.all([
    recent(app, raw, rows),
    statusCounts(app),
    invocationTotals(app),
    eventCounters(app),
    taskKeys(app),
    appVerdicts(app, PAGE_PATIENCE),
  ]);
  const inventory = await app.inventory();
  const [facts, queue, { queues, named, note }, runners, { verdicts, not_looked_at }, newest] = await app.store.read(
    (reads) =>
      Promise.all([
        storeFacts(app, reads),
        queueLength(reads),
        queuesOf(app, reads),
        deadBefore(app, reads).then((dead) => runnerCounts(reads, dead)),
        verdictsIn(reads),
        newestInvocations(reads, inventory),
      ]),
  );
  return {
    ...facts,
    overview: {
      queued_messages: queue.messages,
      active_runners: runners.active,
      known_runners: runners.known,
      known_runners_capped: runners.known_capped,
      registered_tasks: tasks.length,
      ...listedQueues(queues),
      named_queues: named,
      queue_note: note,
      invocations: totals.invocations,
      forgotten: totals.forgotten,
      complete: totals.complete,
    },
    statuses,
    events,
    verdicts,
    not_looked_at,
    ...newest,
    ...happened,
  };
}

async function newestInvocations(
  reads: AppReads,
  inventory: Inventory,
): Promise<Pick<Dashboard, "newest" | "newest_note">> {
  const { invocation_ids, certain } = await sliceOfInvocations(reads, inventory, {}, { limit: NEWEST, offset: 0 });
  return { newest: await invocationRows(reads, invocation_ids), newest_note: certain ? null : STILL_SCANNING };
}
