/** `monitor top`: the state of an app at a glance, including what each runner is running. */
import type { Top, Worker } from "../../api/health.ts";
import type { RunnerRow } from "../../api/runners.ts";
import { RUNNING_STATUSES } from "../../pynenc/occupancy.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { listRunners } from "../runners/runners.ts";
import type { RecentRows } from "../stats/recent.ts";
import type { WithFoundVerdicts } from "../verdicts/verdicts.ts";
import { dashboard } from "./dashboard.ts";

/** Maximum number of running invocations read. */
const MAX_RUNNING = 500;

/** Maximum number of active runners listed. */
const WORKERS = 100;

/**
 * @param raw as for `dashboard`.
 * @throws InvalidInputError
 */
export async function top(app: OpenedApp, raw: RawInput, rows: RecentRows): Promise<WithFoundVerdicts<Top>> {
  const [now, { runners }, { running, left_out }] = await Promise.all([
    dashboard(app, raw, rows),
    listRunners(app, { limit: [String(WORKERS)] }),
    app.store.read(runningByRunner),
  ]);
  const workers = runners.map((runner): Worker => ({ ...runner, running: running.get(runner.runner_id) ?? [] }));
  workers.sort((a, b) => b.running.length - a.running.length || byName(a, b));
  // Taken after the reads: otherwise anything that started during them would seem to start in the future.
  const as_of = isoFromEpoch(app.now());
  return { ...now, as_of, workers, running_left_out: left_out };
}

/** Keeps the order of rows stable while heartbeats arrive. */
function byName(a: RunnerRow, b: RunnerRow): number {
  return a.runner_id < b.runner_id ? -1 : 1;
}

async function runningByRunner(
  reads: AppReads,
): Promise<{ running: ReadonlyMap<string, Worker["running"]>; left_out: boolean }> {
  const rows = await reads.orchestrator.listInvocations(
    { statuses: RUNNING_STATUSES },
    { limit: MAX_RUNNING + 1, offset: 0 },
  );
  const running = new Map<string, Worker["running"]>();
  const shown = rows.slice(0, MAX_RUNNING).sort((a, b) => a.status_timestamp - b.status_timestamp);
  for (const { invocation_id, task_id_key, status_runner_id, status_timestamp } of shown) {
    if (status_runner_id === null) continue;
    const own = running.get(status_runner_id) ?? [];
    own.push({ invocation_id, task_id_key, since: isoFromEpoch(status_timestamp) });
    running.set(status_runner_id, own);
  }
  return { running, left_out: rows.length > MAX_RUNNING };
}
