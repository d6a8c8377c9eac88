import type { Verdict } from "../../api/verdicts.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import { evidenceWords } from "../../presentation/thing-links.ts";
import { furtherEvidence } from "../../presentation/verdict-steps.ts";
import { severityColour } from "./colour.ts";
import type { Output } from "./output.ts";
import { sentence as asSentence, indented } from "./text.ts";
import { wrapped } from "./wrapped.ts";
import { time } from "./zone.ts";

/** How many pieces of evidence are printed for each verdict. */
const EVIDENCE_PRINTED = 5;

/** Each verdict in its sentence. */
export function verdictHeads(verdicts: readonly Verdict[], out: Output): string[] {
  return verdicts.flatMap(({ severity, sentence, since, muted_until: muted }) => {
    if (muted !== null) return [out.paint.dim(`muted until ${time(muted)}: ${visible(sentence)}`)];
    const colour = severityColour(severity, out.paint);
    return wrapped(
      `${colour(`${severity}:`)} ${visible(sentence)}${since === null ? "" : out.paint.dim(` (since ${time(since)})`)}`,
      out.width,
    );
  });
}

/** Each verdict with its evidence and helpful commands. */
export function verdictLines(verdicts: readonly Verdict[], out: Output): string[] {
  return verdicts.flatMap((verdict) => {
    const { detail, evidence, next, muted_until: muted } = verdict;
    const head = verdictHeads([verdict], out);
    if (muted !== null) return head;
    const shown = evidence.slice(0, EVIDENCE_PRINTED);
    const further = furtherEvidence(verdict, EVIDENCE_PRINTED);
    // Muting is explained in the help; repeating it for each verdict would hide the commands that help.
    const commands = next.flatMap(({ command }) =>
      command === null || command.startsWith("monitor mute") ? [] : command,
    );
    return [
      ...head,
      ...(detail === "" ? [] : indented(wrapped(visible(detail), out.width === null ? null : out.width - 2))),
      ...indented(
        shown.map((one) => `${visibleLine(one.id)}  ${out.paint.dim(evidenceWords(one))}`),
        "    ",
      ),
      ...(further === null ? [] : [`    ${further}`]),
      ...indented(commands.map((command) => `${out.paint.dim("$")} ${visibleLine(command)}`)),
    ];
  });
}

/** What could not be examined, if anything. */
export function notCheckedLines(parts: readonly string[], out: Output): string[] {
  return parts.length === 0 ? [] : wrapped(asSentence(`Not checked: ${parts.join("; ")}`), out.width);
}
