import type { TriggerRunDetail } from "../../api/trigger-runs.ts";
import {
  participantFacts,
  participantTitle,
  triggerRunFacts,
  triggerRunParts,
} from "../../presentation/facts/trigger-run.ts";
import { visibleLine } from "../../presentation/text.ts";
import { triggerRunDetail } from "../../services/triggers/trigger-run-detail.ts";
import { factLines, groupLines, noteLines, printPart } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading, indented } from "../print/text.ts";
import type { Detail } from "./detail.ts";

/** Everything about one trigger run. */
export const triggerRunDetails: Detail<TriggerRunDetail> = { load: triggerRunDetail, print };

function print(detail: TriggerRunDetail, now: number, out: Output): void {
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
