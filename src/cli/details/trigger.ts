import type { TriggerRunDetail } from "../../api/trigger-runs.ts";
import type { TriggerDetail } from "../../api/triggers.ts";
import { pendingPart } from "../../presentation/facts/condition.ts";
import { triggerConditionsPart, triggerFacts, triggerOwnRunsPart } from "../../presentation/facts/trigger.ts";
import {
  participantFacts,
  participantTitle,
  triggerRunFacts,
  triggerRunParts,
} from "../../presentation/facts/trigger-run.ts";
import { visibleLine } from "../../presentation/text.ts";
import { triggerRunDetail } from "../../services/triggers/trigger-run-detail.ts";
import { triggerDetail } from "../../services/triggers/triggers.ts";
import { namedValueLines } from "../print/arguments.ts";
import { factLines, groupLines, noteLines, printPart } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading, indented } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** A registered trigger with its conditions and latest runs. */
export const triggerDetails: Detail<TriggerDetail> = {
  load: triggerDetail,
  print: printTrigger,
  thing: (detail) => ({ kind: "trigger", detail }),
};

function printTrigger(model: TriggerDetail, now: number, out: Output): void {
  const { argument_provider: provider, trigger_runs: runs, trigger_runs_count: total } = model;
  out.lines([out.paint.bold(`Trigger of ${visibleLine(model.task_id_key)}`), ""]);
  out.lines(factLines("trigger", model.trigger_id, triggerFacts(model), out));
  if (provider.arguments.length > 0)
    out.lines([...heading("Fixed arguments", out), ...namedValueLines(provider.arguments, out)]);
  printPart(triggerConditionsPart(model), out, now);
  printPart(
    pendingPart("Stored matches", model.pending, "What met conditions of this trigger, and is still stored"),
    out,
    now,
  );
  if (runs.length === 0) out.say(model.no_runs ?? "");
  printPart(triggerOwnRunsPart(model), out, now);
  if ((total ?? 0) > runs.length || model.trigger_runs_capped) {
    out.say(`All of them: monitor trigger-runs --trigger ${model.trigger_id}`);
  }
}

/** Everything about one trigger run. */
export const triggerRunDetails: Detail<TriggerRunDetail> = { load: triggerRunDetail, print: printTriggerRun };

function printTriggerRun(detail: TriggerRunDetail, now: number, out: Output): void {
  const facts = factLines("trigger_run", detail.trigger_run_id, triggerRunFacts(detail), out, ELSEWHERE);
  out.lines([out.paint.bold(visibleLine(detail.task_id_key)), "", ...facts, ...noteLines(detail.notes, out)]);
  detail.participant_views.forEach((view, index) => {
    const { condition, context } = participantFacts(view);
    const title = participantTitle(detail.participant_views.length, index);
    out.lines([...heading(title, out), ...groupLines([...condition, ...context], out)]);
  });
  if (detail.conditions.length > 0) {
    const lines = detail.conditions.map((condition) => visibleLine(condition.sentence ?? condition.condition_id));
    out.lines([...heading("Conditions", out), ...indented(lines)]);
  }
  for (const part of triggerRunParts(detail)) printPart(part, out, now);
}

/** Counts of what is listed below, and a link. */
const ELSEWHERE = ["task_id_key", "participants", "sources", "events", "others"];
