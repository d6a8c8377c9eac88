import type { ParticipantView } from "../../api/conditions.ts";
import type { TriggerRunDetail } from "../../api/trigger-runs.ts";
import { NOTHING, visible, visibleLine } from "../../presentation/text.ts";
import { triggerRunDetail } from "../../services/triggers/trigger-run-detail.ts";
import { contextFacts, contextValues } from "../print/contexts.ts";
import { printInvocations } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import { facts, heading, indented, runnerText, wrapped } from "../print/text.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** Everything about one trigger run. */
export const triggerRunDetails: Detail<TriggerRunDetail> = { load: triggerRunDetail, print };

function print(detail: TriggerRunDetail, now: number, out: Output): void {
  out.lines([out.paint.bold(visibleLine(detail.task_id_key)), "", ...facts(overview(detail), out)]);
  if (detail.notes.length > 0) {
    const room = out.width === null ? null : out.width - 6;
    out.lines(["", ...detail.notes.flatMap((note) => wrapped(`Note: ${visible(note)}`, room))]);
  }
  detail.participant_views.forEach((view, index) => {
    const title = detail.participant_views.length === 1 ? "What met the condition" : `Participant ${index + 1}`;
    out.lines([
      ...heading(title, out),
      ...indented(facts(participantFacts(view), out)),
      ...contextValues(view.context, out),
    ]);
  });
  if (detail.conditions.length > 0) {
    const lines = detail.conditions.map((condition) => visibleLine(condition.sentence ?? condition.condition_id));
    out.lines([...heading("Conditions", out), ...indented(lines)]);
  }
  printInvocations("Source invocations", detail.sources, now, out);
  const events = [
    ...detail.events.map((event) => `${event.event_id}  ${event.event_code}  ${time(event.timestamp)}`),
    ...detail.events_gone.map((id) => `${id}  not stored`),
  ];
  if (events.length > 0) out.lines([...heading("Events", out), ...indented(events.map(visibleLine))]);
}

function overview(detail: TriggerRunDetail): [string, string | null][] {
  const { triggered_invocation: started, trigger_registered } = detail;
  const text = (value: string | null) => (value === null ? null : visibleLine(value));
  return [
    ["Trigger run", visibleLine(detail.trigger_run_id)],
    ["Trigger", `${visibleLine(detail.trigger_id)}${trigger_registered ? "" : " (not registered)"}`],
    ["Logic", visibleLine(detail.logic_value)],
    ["Claimed", detail.claimed_at === null ? null : time(detail.claimed_at)],
    ["Executed", detail.executed_at === null ? null : time(detail.executed_at)],
    ["Started", started === null ? NOTHING : visibleLine(`${started.invocation_id}  ${started.status}`)],
    ["Service run", text(detail.atomic_service_run_id)],
    ["By runner", detail.atomic_service_runner === null ? null : runnerText(detail.atomic_service_runner)],
  ];
}

function participantFacts({ condition, context, valid_condition_id, valid_condition_retained }: ParticipantView) {
  const text = (value: string | null) => (value === null ? null : visibleLine(value));
  const valid = valid_condition_id === null ? null : visibleLine(valid_condition_id);
  const rows: [string, string | null][] = [
    ["Condition", text(condition?.sentence ?? condition?.condition_id ?? null)],
    ["Valid condition", valid === null ? null : `${valid}${valid_condition_retained ? "" : " (cleared)"}`],
    ...contextFacts(context),
  ];
  return rows;
}
