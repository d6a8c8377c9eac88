import type { HistoryEntry, InvocationDetail, PhaseDuration } from "../../api/invocations.ts";
import { ACROSS_CLOCKS, PATH_PHASE_WORDS, pathTellsMore, phaseTime } from "../../presentation/critical-path.ts";
import { count, ELAPSED_LABELS, NOTHING, shortId, visible, visibleLine } from "../../presentation/text.ts";
import { invocationDetail } from "../../services/invocations/invocation-detail.ts";
import { COMMAND_PATIENCE } from "../../services/verdicts/read-trends.ts";
import { callLines } from "../print/call.ts";
import { printPath } from "../print/critical-path.ts";
import { printInvocations, rowDetails } from "../print/invocations.ts";
import type { Output } from "../print/output.ts";
import type { Column } from "../print/table.ts";
import { facts, heading, indented, runnerText, seconds, statusColumn, wrapped } from "../print/text.ts";
import { time } from "../print/zone.ts";
import type { Detail } from "./detail.ts";

/** Everything about one invocation. */
export const invocationDetails: Detail<InvocationDetail> = {
  load: (app, id) => invocationDetail(app, id, COMMAND_PATIENCE),
  print,
  thing: (detail) => ({ kind: "invocation", detail }),
};

function print(detail: InvocationDetail, now: number, out: Output): void {
  const { paint } = out;
  out.lines([`${paint.bold(visibleLine(detail.task_id_key ?? "unknown task"))}  ${coloured(detail.status, out)}`, ""]);
  out.lines(answerLines(detail, out));
  out.lines(facts(overview(detail), out));
  if (detail.notes.length > 0) {
    const room = out.width === null ? null : out.width - 6;
    out.lines(["", ...detail.notes.flatMap((note) => indented(wrapped(`Note: ${visible(note)}`, room), ""))]);
  }
  out.lines(callLines(detail, out));
  if (detail.phases === null) out.say("Phases are not known because the history is too long to read in full.");
  else if (detail.phases.length > 0) {
    out.lines(heading("Phases", out));
    out.table(PHASE_COLUMNS, detail.phases, "  ");
  }
  if (detail.critical_path !== null && pathTellsMore(detail.critical_path)) printPath(detail.critical_path, out);
  if (detail.history.length > 0) {
    out.lines(heading("History", out));
    out.table(historyColumns(out), detail.history, "  ");
    const gap = detail.history_gap;
    if (gap !== null) {
      const last = count(detail.history.length - gap.after);
      out.say(
        `The first ${count(gap.after)} and the last ${last} of ${count(detail.history_count)} entries are shown.`,
      );
    }
  }
  related("Parent", detail.parent === null ? [] : [detail.parent], null);
  related("Children", detail.children, detail.children_count);
  related("Waiting for", detail.waits_for, null);
  related("Waited for by", detail.waited_by, null);
  related("Recorded as waiting for (left over)", detail.stale_waits_for, null);
  related("Recorded as waited for by (left over)", detail.stale_waited_by, null);
  out.lines(triggerLines(detail, out));

  function related(title: string, rows: InvocationDetail["children"], total: number | null): void {
    printInvocations(total === null ? title : `${title} (${count(total)})`, rows, now, out);
    if (total !== null && total > rows.length) {
      out.say(
        `The newest ${count(rows.length)} children are shown; all of them: monitor invocations --parent ${detail.invocation_id}`,
      );
    }
  }
}

/** Why it failed, or what it waits for. */
function answerLines({ answer }: InvocationDetail, out: Output): string[] {
  if (answer === null) return [];
  const { sentence, details, label, invocation } = answer;
  const beside = invocation === null || label === null ? [] : [`${label}: ${inOneLine(invocation)}`];
  return [...[sentence, ...beside, ...details].flatMap((text) => wrapped(visibleLine(text), out.width)), ""];
}

function inOneLine(row: InvocationDetail["children"][number]): string {
  const { invocation_id, task_id_key, status, exception } = row;
  const why = exception === null ? "" : ` with ${rowDetails(row)}`;
  return `${invocation_id} ${task_id_key ?? "unknown task"}, ${status}${why}`;
}

function coloured(status: string, out: Output): string {
  return out.paint.status(status, visibleLine(status));
}

function overview(detail: InvocationDetail): [string, string | null][] {
  const { workflow } = detail;
  const text = (value: string | null) => (value === null ? null : visibleLine(value));
  return [
    ["Invocation", visibleLine(detail.invocation_id)],
    ["Call", text(detail.call_id_key)],
    ["Registered", detail.registered_at === null ? null : time(detail.registered_at)],
    [detail.final ? "Finished" : "Since", detail.status_at === null ? null : time(detail.status_at)],
    [ELAPSED_LABELS[detail.elapsed_meaning], detail.elapsed_seconds === null ? null : seconds(detail.elapsed_seconds)],
    ["Auto-purge", text(detail.auto_purge?.words ?? null)],
    ["Retries", (detail.retry_count ?? 0) === 0 ? null : count(detail.retry_count ?? 0)],
    ["Owner", detail.owner === null ? null : runnerText(detail.owner)],
    ["Queue", detail.queued ? "waiting in the queue" : null],
    ["Workflow", workflow === null ? null : workflowText(detail)],
    ["Parent workflow", text(workflow?.parent_workflow_id ?? null)],
    ["Parent event", text(detail.parent_event_id)],
  ];
}

function workflowText({ workflow, workflow_role }: InvocationDetail): string {
  const type = visibleLine(workflow?.workflow_type_key ?? "unknown type");
  return workflow_role === "root"
    ? `${type}, defined by this invocation`
    : `${type} ${visibleLine(workflow?.workflow_id ?? "")}`;
}

/** What started it and what it caused, through events and triggers; empty if nothing is recorded. */
function triggerLines(detail: InvocationDetail, out: Output): string[] {
  const { events_recorded, triggered_by, emitted_events: events, triggered_runs_caused: runs } = detail;
  if (!events_recorded) {
    return [...heading("Triggers", out), out.paint.dim("  This layout records neither events nor trigger runs.")];
  }
  const lines: string[] = [];
  if (triggered_by !== null) {
    const causes = triggered_by.participants.slice(0, TRIGGER_LINES).map((participant) => {
      const id = participant.event_id ?? participant.source_invocation_id ?? "";
      return visibleLine(`  ${participant.context_summary} ${id}`.trimEnd());
    });
    lines.push(...heading("Triggered by", out), `  ${visibleLine(triggered_by.trigger_run_id)}`, ...indented(causes));
  }
  if (events.length > 0) {
    lines.push(
      ...heading(`Events emitted (${count(events.length)}${detail.emitted_events_truncated ? "+" : ""})`, out),
    );
    for (const { event_id, event_code, triggered_invocation_ids: started } of events.slice(0, TRIGGER_LINES)) {
      const effect = started.length === 0 ? "" : ` started ${started.slice(0, 3).join(", ")}`;
      const more = started.length > 3 ? ` and ${count(started.length - 3)} more` : "";
      lines.push(visibleLine(`  ${event_id}  ${event_code}${effect}${more}`));
    }
    lines.push(...andMore(events.length, detail.emitted_events_truncated));
  }
  if (runs.length > 0) {
    lines.push(
      ...heading(`Trigger runs caused (${count(runs.length)}${detail.triggered_runs_truncated ? "+" : ""})`, out),
    );
    for (const { trigger_run_id, task_id_key, triggered_invocation_id: started } of runs.slice(0, TRIGGER_LINES)) {
      lines.push(visibleLine(`  ${trigger_run_id}  ${task_id_key}${started === null ? "" : ` started ${started}`}`));
    }
    lines.push(...andMore(runs.length, detail.triggered_runs_truncated));
  }
  return lines;
}

/** Lines printed of each kind; the JSON has the rest. */
const TRIGGER_LINES = 20;

function andMore(total: number, cut: boolean): string[] {
  return total > TRIGGER_LINES ? [`  and ${cut ? "at least " : ""}${count(total - TRIGGER_LINES)} more`] : [];
}

const PHASE_COLUMNS: readonly Column<PhaseDuration>[] = [
  { title: "PHASE", cell: (phase) => PATH_PHASE_WORDS[phase.phase] },
  { title: "TIME", align: "right", cell: phaseTime },
  {
    title: "",
    cell: (phase) =>
      [
        phase.stretches > 1 ? `${phase.stretches} times` : "",
        phase.ongoing ? "ongoing" : "",
        phase.across_clocks ? ACROSS_CLOCKS : "",
      ]
        .filter(Boolean)
        .join(", "),
  },
];

function historyColumns(out: Output): Column<HistoryEntry>[] {
  return [
    { title: "TIME", cell: (entry) => time(entry.timestamp) },
    {
      title: "AFTER",
      align: "right",
      cell: (entry) => (entry.across_clocks ? ACROSS_CLOCKS : seconds(entry.seconds_since_previous)),
    },
    statusColumn((entry) => entry.status, out),
    {
      title: "RUNNER",
      cell: (entry) => runnerText(entry.runner),
      narrow: (entry) => `${entry.runner?.runner_cls ?? ""} ${shortId(entry.runner?.runner_id ?? NOTHING)}`.trim(),
      cut: "middle",
      min: 13,
    },
    // Empty in every row: the column is then left out.
    {
      title: "",
      cell: (entry) => (entry.possible ? "" : { text: "not a pynenc transition", paint: out.paint.warning }),
    },
  ];
}
