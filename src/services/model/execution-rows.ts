/** Recorded runs of the atomic service as shown on pages, and which of them are stuck (storage-format.md 6). */
import type { ExecutionRow, ServiceRunRow, StuckReason } from "../../api/runners.ts";
import type { ExecutionRecord, HeartbeatRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { runnerNames } from "./runner-names.ts";

/** A run normally takes milliseconds. One that takes this long has lost its runner (storage-format.md 6.3). */
export const STUCK_SERVICE_SECONDS = 300;

/** Limit of running runs shown; normally there is at most one. */
export const RUNNING_SHOWN = 5;

/** Rows for these runs in the order given. Three batched reads. */
export async function executionRows(
  reads: AppReads,
  runs: readonly ExecutionRecord[],
  dead: EpochSeconds,
  now: EpochSeconds,
): Promise<ExecutionRow[]> {
  const ids = [...new Set(runs.map((run) => run.runner_id))];
  const [names, heartbeats] = await Promise.all([runnerNames(reads, ids), reads.orchestrator.heartbeatsByIds(ids)]);
  const active = activeAmong(heartbeats, dead);
  return runs.flatMap((run) => {
    const runner = names.get(run.runner_id);
    if (runner === undefined) return [];
    return [
      {
        ...serviceRunRow(run),
        runner_id: run.runner_id,
        runner,
        runner_active: active.has(run.runner_id),
        prior_run: priorRun(run.reason),
        stuck: stuckReason(run, active, now),
      },
    ];
  });
}

/** A run without its runner. */
export function serviceRunRow(run: ExecutionRecord): ServiceRunRow {
  return {
    atomic_service_run_id: run.atomic_service_run_id,
    start_time: isoFromEpoch(run.start_time),
    end_time: isoOrNull(run.end_time),
    duration_seconds: run.end_time === null ? null : run.end_time - run.start_time,
    status: run.status,
    reason: run.reason,
  };
}

/** Runners whose heartbeat is not older than `dead`. */
export function activeAmong(heartbeats: readonly HeartbeatRecord[], dead: number): ReadonlySet<string> {
  return new Set(heartbeats.flatMap((one) => (one.last_heartbeat >= dead ? [one.runner_id] : [])));
}

/** `prior_running:<run id> runner:<runner id>` (storage-format.md 6.1). */
function priorRun(reason: string): ExecutionRow["prior_run"] {
  const match = /^prior_running:(\S+) runner:(\S+)$/.exec(reason);
  return match === null ? null : { atomic_service_run_id: match[1] ?? "", runner_id: match[2] ?? "" };
}

function stuckReason(run: ExecutionRecord, active: ReadonlySet<string>, now: number): StuckReason | null {
  if (run.status !== "running") return null;
  if (!active.has(run.runner_id)) return "runner_dead";
  return now - run.start_time > STUCK_SERVICE_SECONDS ? "too_long" : null;
}

/** Runs that block all later ones: recorded as running on a silent runner, or running too long. At most five. */
export async function stuckServiceRuns(reads: AppReads, dead: number, now: number): Promise<ExecutionRecord[]> {
  const running = await reads.orchestrator.executions({ limit: RUNNING_SHOWN, offset: 0 }, { status: "running" });
  if (running.length === 0) return [];
  const heartbeats = await reads.orchestrator.heartbeatsByIds(running.map((run) => run.runner_id));
  const active = activeAmong(heartbeats, dead);
  return running.filter((run) => stuckReason(run, active, now) !== null);
}
