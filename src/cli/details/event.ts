import type { EventConditionView, EventDetail } from "../../api/events.ts";
import type { TriggerRunObject } from "../../api/model/trigger-objects.ts";
import { count, NOTHING, visible, visibleLine } from "../../presentation/text.ts";
import { eventDetail } from "../../services/triggers/event-detail.ts";
import { namedValueLines } from "../print/arguments.ts";
import { printInvocations } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import { pendingLines } from "../print/pending.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, idColumn, indented, runnerText, taskColumn, timeColumn, wrapped } from "../print/text.ts";
import { treeLines } from "../print/trace.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** Everything about one event. */
export const eventDetails: Detail<EventDetail> = {
  load: eventDetail,
  print,
  thing: (detail) => ({ kind: "event", detail }),
};

function print(detail: EventDetail, now: number, out: Output): void {
  out.lines([out.paint.bold(visibleLine(detail.event_code)), ""]);
  out.lines(facts(overview(detail), out));
  if (detail.notes.length > 0) {
    const room = out.width === null ? null : out.width - 6;
    out.lines(["", ...detail.notes.flatMap((note) => wrapped(`Note: ${visible(note)}`, room))]);
  }
  if (detail.payload_too_large !== null) {
    const large = `  ${count(detail.payload_too_large)} bytes: too large to show.`;
    out.lines([...heading("Payload", out), large]);
  }
  if (detail.payload.length > 0) out.lines([...heading("Payload", out), ...namedValueLines(detail.payload, out)]);
  if (detail.conditions.length > 0) {
    out.lines(heading("Conditions", out));
    out.table(CONDITION_COLUMNS, detail.conditions, "  ");
  }
  if (detail.pending.length > 0) {
    out.lines([...heading("Met conditions still stored", out), ...indented(pendingLines(detail.pending, out))]);
  }
  if (detail.trigger_runs.length > 0) {
    out.lines(heading("Trigger runs", out));
    out.table(runColumns(now), detail.trigger_runs, "  ");
    if (detail.trigger_runs_truncated) out.say(`Only ${count(detail.trigger_runs.length)} of its runs are shown.`);
  }
  const started = detail.triggered_invocations;
  if (started.length > 0) {
    const total = detail.triggered_invocations_count;
    const title = `Triggered invocations (${count(total)}${detail.triggered_invocations_capped ? "+" : ""})`;
    printInvocations(title, started, now, out);
    if (total > started.length) out.say(`The first ${count(started.length)} invocations are shown.`);
  }
  if (detail.caused.nodes > 1) {
    out.lines([...heading("What it caused", out), ...indented(treeLines(detail.caused, out.paint))]);
  }
  if (detail.led_to_it !== null) {
    out.lines([...heading("What led to it", out), ...indented(treeLines(detail.led_to_it, out.paint))]);
  }
  if (detail.caused.truncated || detail.led_to_it?.truncated) {
    out.say(`The chains are cut. To see all of them: monitor trace ${detail.event_id} --direction both`);
  }
}

function overview(detail: EventDetail): [string, string | null][] {
  const { emitter, emitter_runner: runner, emitted_by_task_id: task } = detail;
  const words = [
    detail.matched ? "met a condition" : "met no condition",
    ...(detail.triggered ? ["started an invocation"] : []),
    ...(detail.pending.some(({ triggers }) => triggers.some(({ state }) => state !== "ran"))
      ? ["a trigger is waiting"]
      : []),
  ];
  return [
    ["Event", visibleLine(detail.event_id)],
    ["Time", time(detail.timestamp)],
    ["Outcome", words.join(", ")],
    [
      "Emitted by",
      emitter === null ? "external" : visibleLine(`${emitter.invocation_id} ${emitter.task_id_key ?? ""}`),
    ],
    ["Task", task === null ? null : visibleLine(task)],
    ["Runner", runner === null ? null : runnerText(runner)],
  ];
}

const CONDITION_COLUMNS: readonly Column<EventConditionView>[] = [
  { title: "MATCHED", cell: (row) => (row.matched ? "yes" : "no") },
  { title: "CONDITION", cell: (row) => (row.known ? row.sentence : "(no definition stored)"), cut: "end", min: 20 },
  { title: "ID", cell: (row) => row.condition_id, cut: "middle", min: 13, optional: true },
];

function runColumns(now: number): Column<TriggerRunObject>[] {
  return [
    idColumn("TRIGGER RUN", (run) => run.trigger_run_id),
    taskColumn((run) => run.task_id_key),
    timeColumn("EXECUTED", (run) => run.executed_at ?? run.claimed_at, now),
    idColumn("INVOCATION", (run) => run.triggered_invocation_id ?? NOTHING),
  ];
}
