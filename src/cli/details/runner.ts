import type { RunnerDetail, ServiceRunRow } from "../../api/runners.ts";
import { age, duration, visibleLine } from "../../presentation/text.ts";
import { silenceWords } from "../../services/model/runner-liveness.ts";
import { runnerDetail } from "../../services/runners/runners.ts";
import { printInvocations } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import { runnerColumns } from "../print/runners.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, idColumn, runnerText, seconds, timeColumn, wrapped } from "../print/text.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** One runner with what it worked on and registered. */
export const runnerDetails: Detail<RunnerDetail> = { load: runnerDetail, print };

function print(model: RunnerDetail, now: number, out: Output): void {
  const { runner, children, service_runs: runs } = model;
  const state = runner.active
    ? "active"
    : out.paint.dim(runner.last_heartbeat === null ? "no heartbeat" : "not active");
  out.lines([`${out.paint.bold(visibleLine(runner.name.runner_cls ?? "Runner"))}  ${state}`, ""]);
  out.lines(facts(overview(model), out));
  printInvocations("Worked on, latest first", model.invocations, now, out);
  if (model.invocations_note !== null) out.say(model.invocations_note);
  printInvocations("Registered by it, latest first", model.registered, now, out);
  if (model.registered_note !== null) out.say(model.registered_note);
  if (children.length > 0) {
    out.lines(heading("Runners that it started", out));
    out.table(runnerColumns(out, children), children, "  ");
    if (model.children_truncated) out.say(`The newest ${children.length} of them are shown.`);
  }
  if (runs !== null && runs.length > 0) {
    out.lines(heading("Its runs of the atomic service", out));
    out.table(serviceRunColumns(now), runs, "  ");
  }
  if (!runner.active && runner.last_heartbeat !== null) {
    out.say(...wrapped(`A runner is considered dead after ${silenceWords(model.silence)}.`, out.width));
  }
}

function overview({ runner, parent, thread_id, last_service }: RunnerDetail): [string, string | null][] {
  const { name, silent_seconds: silent, consumed_queues: queues } = runner;
  const eligible = runner.atomic_service_eligible;
  return [
    ["Runner", visibleLine(runner.runner_id)],
    ["Host", name.hostname === null ? null : visibleLine(name.hostname)],
    ["Process", name.pid === null ? null : String(name.pid)],
    ["Thread", thread_id === null ? null : String(thread_id)],
    ["Parent", parent === null && name.parent === null ? null : runnerText(parent?.name ?? name.parent)],
    ["Context", name.context_missing ? "none is stored: class, host and process are not known" : null],
    [
      "Last heartbeat",
      runner.last_heartbeat === null
        ? null
        : `${time(runner.last_heartbeat)}${silent === null ? "" : ` (${silent < 0 ? `clock ${duration(-silent)} ahead` : age(silent)})`}`,
    ],
    ["First heartbeat", runner.created_at === null ? null : time(runner.created_at)],
    ["Lifetime", runner.age_seconds === null ? null : duration(runner.age_seconds)],
    [
      "Takes from",
      queues === null ? null : queues.length === 0 ? "all declared queues" : visibleLine(queues.join(", ")),
    ],
    ["Atomic service", eligible === null ? null : eligible ? "takes turns" : "takes no turns"],
    ["Last service", last_service?.start_time == null ? null : time(last_service.start_time)],
  ];
}

function serviceRunColumns(now: number): Column<ServiceRunRow>[] {
  return [
    idColumn("SERVICE RUN", (run) => run.atomic_service_run_id),
    { title: "STATUS", cell: (run) => run.status },
    timeColumn("START", (run) => run.start_time, now),
    { title: "DURATION", align: "right", cell: (run) => seconds(run.seconds) },
    { title: "REASON", cell: (run) => run.reason, cut: "end", min: 12 },
  ];
}
