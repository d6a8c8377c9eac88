import type { InvocationDetail } from "../../api/invocations.ts";
import type { Verdict } from "../../api/verdicts.ts";
import { pathTellsMore, whereTimeWent } from "../../presentation/critical-path.ts";
import { childrenPart, detailsOf, invocationFacts, waitParts } from "../../presentation/facts/invocation.ts";
import { historyPart, PHASE_COLUMNS } from "../../presentation/facts/invocation-history.ts";
import { TRIGGERS_UNRECORDED, triggerParts } from "../../presentation/facts/invocation-triggers.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { saysSilent, unsaid } from "../../pynenc/sentences.ts";
import { detailWith, figuresBefore, invocationDetail } from "../../services/invocations/invocation-detail.ts";
import { COMMAND_PATIENCE } from "../../services/verdicts/read-trends.ts";
import { callLines } from "../print/call.ts";
import { printPath } from "../print/critical-path.ts";
import { factLines, noteLines, printInvocations, printPart, printRows, textOf } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading } from "../print/text.ts";
import { wrapped } from "../print/wrapped.ts";
import type { Detail } from "./detail.ts";

/** Everything about one invocation. */
export const invocationDetails: Detail<InvocationDetail> = {
  load: (app, id) => invocationDetail(app, id, COMMAND_PATIENCE),
  async prepare(app, id) {
    const figures = await figuresBefore(app, id, COMMAND_PATIENCE);
    return (one) => detailWith(one, id, figures);
  },
  print,
  thing: (detail) => ({ kind: "invocation", detail }),
};

function print(detail: InvocationDetail, now: number, out: Output, verdicts: readonly Verdict[] = []): void {
  const { paint } = out;
  out.lines([`${paint.bold(visibleLine(detail.task_id_key ?? "unknown task"))}  ${coloured(detail.status, out)}`, ""]);
  out.lines(answerLines(detail, verdicts, out));
  out.lines(factLines("invocation", detail.invocation_id, invocationFacts(detail), out, ["parent", "children"]));
  out.lines(noteLines(detail.notes, out));
  out.lines(callLines(detail, out));
  if (detail.phases === null) out.say("Phases are not known: the history is too long to read in full.");
  else printRows(PHASE_COLUMNS, detail.phases, out, { title: whereTimeWent(!detail.final), now });
  if (detail.critical_path !== null && pathTellsMore(detail.critical_path)) printPath(detail.critical_path, out);
  printPart(historyPart(detail), out, now);
  printInvocations("Parent", detail.parent === null ? [] : [detail.parent], now, out);
  for (const part of [...waitParts(detail), childrenPart(detail)]) printPart(part, out, now);
  if (detail.children_count > detail.children.length) {
    out.say(
      `The newest ${count(detail.children.length)} children are shown; all of them: monitor invocations --parent ${detail.invocation_id}`,
    );
  }
  if (!detail.events_recorded) out.lines([...heading("Triggers", out), out.paint.dim(`  ${TRIGGERS_UNRECORDED}`)]);
  for (const part of triggerParts(detail)) printPart(part, out, now);
}

/** Why it failed, or what it waits for. */
function answerLines({ answer, invocation_id }: InvocationDetail, verdicts: readonly Verdict[], out: Output): string[] {
  if (answer === null || saysSilent(verdicts, invocation_id)) return [];
  const { sentence, details, label, invocation } = answer;
  const beside = invocation === null || label === null ? [] : [`${label}: ${inOneLine(invocation)}`];
  return [
    ...[sentence, ...beside, ...unsaid(details, verdicts)].flatMap((text) => wrapped(visibleLine(text), out.width)),
    "",
  ];
}

function inOneLine(row: InvocationDetail["children"][number]): string {
  const { invocation_id, task_id_key, status, exception } = row;
  const why = exception === null ? "" : ` with ${visibleLine(textOf(detailsOf(row)))}`;
  return `${invocation_id} ${task_id_key ?? "unknown task"}, ${status}${why}`;
}

function coloured(status: string, out: Output): string {
  return out.paint.status(status, visibleLine(status));
}
