/** One run of the atomic service with the trigger runs that it executed. */
import type { AtomicRun } from "../../api/runners.ts";
import { NotFoundError } from "../../errors.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { activeAmong, executionRows } from "../model/execution-rows.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { runnerNames } from "../model/runner-names.ts";
import { settingRows } from "../model/setting-rows.ts";
import { serviceRunTimeline } from "../model/timeline-links.ts";

const TRIGGER_RUNS_SHOWN = 200;

/** @throws NotFoundError if neither an execution nor a trigger run has this id. */
export async function atomicRun(app: OpenedApp, id: string): Promise<AtomicRun> {
  return app.store.read(async (reads) => {
    const dead = await deadBefore(app, reads);
    const [{ executions: recorded }, [execution], triggerRuns] = await Promise.all([
      reads.layout.capabilities(),
      reads.orchestrator.executions({ limit: 1, offset: 0 }, { ids: [id] }),
      // Every text contains the empty id, so do not search for it.
      id === ""
        ? Promise.resolve([])
        : reads.trigger.listTriggerRuns({ atomic_service_run_id: id }, { limit: TRIGGER_RUNS_SHOWN + 1, offset: 0 }),
    ]);
    if (execution === undefined && triggerRuns.length === 0) {
      throw new NotFoundError(
        "atomic service run",
        id,
        recorded
          ? "Runs are removed after atomic_service_execution_retention_minutes unless a trigger run refers to them."
          : "pynenc records each run since 0.2.4; this store is older.",
      );
    }
    const shown = triggerRuns.slice(0, TRIGGER_RUNS_SHOWN);
    const runnerId =
      execution?.runner_id ?? shown.find((run) => run.atomic_service_runner_id !== null)?.atomic_service_runner_id;
    const invocationIds = shown.flatMap((run) => run.triggered_invocation_id ?? []);
    const [rows, names, heartbeats, invocations] = await Promise.all([
      executionRows(reads, execution === undefined ? [] : [execution], dead, app.now()),
      runnerNames(reads, runnerId ? [runnerId] : []),
      reads.orchestrator.heartbeatsByIds(runnerId ? [runnerId] : []),
      invocationRows(reads, [...new Set(invocationIds)]),
    ]);
    const invocationById = new Map(invocations.map((row) => [row.invocation_id, row]));
    return {
      atomic_service_run_id: id,
      execution: rows[0] ?? null,
      timeline: rows[0] === undefined ? null : serviceRunTimeline(rows[0].start_time, rows[0].end_time),
      runner: runnerId ? (names.get(runnerId) ?? null) : null,
      runner_active: activeAmong(heartbeats, dead).size > 0,
      runner_last_heartbeat: isoOrNull(heartbeats[0]?.last_heartbeat),
      trigger_runs: shown.map((run) => ({
        trigger_run_id: run.trigger_run_id,
        trigger_id: run.trigger_id,
        task_id_key: run.task_id_key,
        claimed_at: isoOrNull(run.claimed_at),
        executed_at: isoOrNull(run.executed_at),
        triggered_invocation: invocationById.get(run.triggered_invocation_id ?? "") ?? null,
      })),
      trigger_runs_truncated: triggerRuns.length > TRIGGER_RUNS_SHOWN,
      settings: settingRows(app.settings, [
        "atomic_service_execution_retention_minutes",
        "atomic_service_execution_max_records",
      ]),
    };
  });
}
