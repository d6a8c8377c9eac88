import type { AtomicRun, ServiceTriggerRun } from "../../api/runners.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { atomicRun } from "../../services/runners/atomic-run.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, idColumn, runnerText, seconds, statusColumn, taskColumn, timeColumn } from "../print/text.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** One run of the atomic service with the trigger runs that it executed. */
export const serviceRunDetails: Detail<AtomicRun> = { load: atomicRun, print };

function print(model: AtomicRun, now: number, out: Output): void {
  const { execution, trigger_runs: runs } = model;
  out.lines([out.paint.bold("Run of the atomic service"), "", ...facts(overview(model), out)]);
  if (execution === null) out.say("Its record was removed; trigger runs still name it.");
  if (runs.length === 0) return;
  out.lines(heading(`Trigger runs (${count(runs.length)}${model.trigger_runs_truncated ? "+" : ""})`, out));
  out.table(runColumns(now, out), runs, "  ");
}

function overview({ atomic_service_run_id, execution, runner, runner_active }: AtomicRun): [string, string | null][] {
  const stuck =
    execution?.stuck === "runner_dead" ? " (stuck: its runner is considered dead)" : " (stuck: running too long)";
  return [
    ["Service run", visibleLine(atomic_service_run_id)],
    ["Status", execution === null ? null : `${visibleLine(execution.status)}${execution.stuck === null ? "" : stuck}`],
    ["Reason", execution === null ? null : visibleLine(execution.reason)],
    ["Start", execution === null ? null : time(execution.start_time)],
    ["End", execution?.end_time == null ? null : time(execution.end_time)],
    ["Took", execution?.seconds == null ? null : seconds(execution.seconds)],
    ["Runner", runner === null ? null : `${runnerText(runner)}${runner_active ? "" : " (not active)"}`],
    ["Gave way to", execution?.prior_run == null ? null : visibleLine(execution.prior_run.atomic_service_run_id)],
  ];
}

function runColumns(now: number, out: Output): Column<ServiceTriggerRun>[] {
  return [
    idColumn("TRIGGER RUN", (run) => run.trigger_run_id),
    taskColumn((run) => run.task_id_key),
    timeColumn("EXECUTED", (run) => run.executed_at ?? run.claimed_at, now),
    idColumn("INVOCATION", (run) => run.triggered_invocation?.invocation_id),
    statusColumn((run) => run.triggered_invocation?.status, out),
  ];
}
