import type { Dashboard } from "../../api/health.ts";
import type { StatsFigures } from "../../api/stats.ts";
import { busyAmong, RUNNING_STATUSES } from "../../pynenc/occupancy.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
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
import { readTakers } from "../model/takers.ts";
import { taskKeys } from "../model/task-keys.ts";
import { figuresBefore, type RecentRows, recent } from "../stats/recent.ts";
import { appVerdicts } from "../verdicts/app-verdicts.ts";
import { PAGE_PATIENCE } from "../verdicts/read-trends.ts";
import type { FoundVerdict, WithFoundVerdicts } from "../verdicts/verdicts.ts";

/** Number of invocations listed. */
const NEWEST = 8;

/** What the page of `/` shows: less than its JSON, and what the JSON does not have. */
export interface Overview extends Pick<Dashboard, "statuses" | "not_looked_at" | "range" | "recent" | "recent_note"> {
  overview: Pick<
    Dashboard["overview"],
    "queued_messages" | "active_runners" | "queues" | "more_queues" | "queue_note" | "invocations" | "complete"
  >;
  /** Active runners that run something. */
  busy?: Busy;
  /** The figures of the range before, of the same length; null if they are not known. */
  before?: StatsFigures | null;
}

interface Busy {
  runners: number;
  /** There may be more. */
  capped: boolean;
  /** Active runners that can run something: a parent whose children do is none. Null where that is not known. */
  workers: number | null;
  /** Silent runners that something still runs on by its status. */
  silent: number;
}

/** Maximum number of running invocations whose runners are counted. */
const MAX_RUNNING = 500;

/**
 * @param raw as for `dashboard`.
 * @throws InvalidInputError
 */
export async function overviewPage(app: OpenedApp, raw: RawInput): Promise<Overview & { verdicts: FoundVerdict[] }> {
  const [happened, statuses, totals, verdictsIn] = await Promise.all([
    recent(app, raw),
    statusCounts(app),
    invocationTotals(app),
    appVerdicts(app, PAGE_PATIENCE),
  ]);
  const [before, [{ messages, queues, note }, runners, { verdicts, not_looked_at }]] = await Promise.all([
    figuresBefore(app, happened),
    app.store.read((reads) =>
      Promise.all([
        queuesOf(app, reads),
        deadBefore(app, reads).then((dead) => busyRunners(reads, dead)),
        verdictsIn(reads),
      ]),
    ),
  ]);
  return {
    overview: {
      queued_messages: messages,
      active_runners: runners.active,
      ...listedQueues(queues),
      queue_note: note,
      invocations: totals.invocations,
      complete: totals.complete,
    },
    busy: runners.busy,
    statuses,
    verdicts,
    not_looked_at,
    before,
    ...happened,
  };
}

/** @param dead runners with an older heartbeat are silent. */
async function busyRunners(reads: AppReads, dead: EpochSeconds): Promise<{ active: number; busy: Busy }> {
  const [takers, running] = await Promise.all([
    readTakers(reads, dead),
    reads.orchestrator.listInvocations({ statuses: RUNNING_STATUSES }, { limit: MAX_RUNNING + 1, offset: 0 }),
  ]);
  const held = running.map(({ status, status_runner_id: runner_id }) => ({ status, runner_id }));
  const owners = await reads.orchestrator.heartbeatsByIds([...new Set(held.flatMap((one) => one.runner_id ?? []))]);
  const active = owners.filter(({ last_heartbeat }) => last_heartbeat >= dead);
  return {
    active: takers?.active ?? (await reads.orchestrator.countHeartbeats(dead)),
    busy: {
      runners: busyAmong(active, held),
      capped: running.length > MAX_RUNNING,
      // How many processes a runner would start is not stored.
      workers: takers === null || takers.spawns ? null : takers.takers.length,
      silent: owners.length - active.length,
    },
  };
}

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
