import stringWidth from "fast-string-width";
import type { WhyAnswer, WhyLink } from "../../api/why.ts";
import { pathTellsMore, whereTimeWent } from "../../presentation/critical-path.ts";
import { PHASE_COLUMNS } from "../../presentation/facts/invocation-history.ts";
import { linksTo } from "../../presentation/links.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import { KIND_WORDS } from "../../presentation/thing-links.ts";
import { placedWhy } from "../../presentation/verdict-steps.ts";
import { nothingWrong } from "../../pynenc/nothing-wrong.ts";
import { why as answer } from "../../services/why/why.ts";
import type { Flags } from "../flags.ts";
import { printPath } from "../print/critical-path.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading, indented, sentence } from "../print/text.ts";
import { notCheckedLines, verdictLines } from "../print/verdicts.ts";
import { wrapped } from "../print/wrapped.ts";
import { time } from "../print/zone.ts";
import { withApp } from "../session.ts";

/** `monitor why [id...]`: the verdict on the app or on one thing, then what it follows from. */
export async function run(flags: Flags, words: readonly string[]): Promise<void> {
  await withApp(flags, async (app, out) => {
    const found = placedWhy(await linksTo(app), await answer(app, { id: [words.join(" ")] }));
    if (out.json) return out.document(found);
    print(found, app.now(), out);
  });
}

function print(answer: WhyAnswer, now: number, out: Output): void {
  const { subject, verdict, others, chain, phases, critical_path: path, looked_at, not_looked_at } = answer;
  if (subject.kind !== "app")
    out.lines([`${out.paint.bold(visibleLine(subject.label))}  ${visibleLine(subject.id)}`, ""]);
  if (verdict === null) out.lines([`${nothingWrong(not_looked_at)}.`, ""]);
  else out.lines(verdictLines([verdict], out));
  if (others.length > 0) out.lines([...heading("Also", out), ...verdictLines(others, out)]);
  if (chain.length > 0) out.lines([...heading("Cause", out), ...chain.flatMap((one) => linkLines(one, out))]);
  if (phases !== null) {
    const title = whereTimeWent(phases.some(({ ongoing }) => ongoing));
    printRows(PHASE_COLUMNS, phases, out, { title, now });
  }
  if (path !== null && pathTellsMore(path)) printPath(path, out);
  const missed = notCheckedLines(not_looked_at, out);
  if (verdict === null || subject.kind === "app")
    out.lines(["", ...wrapped(sentence(`Checked: ${looked_at.join(", ")}`), out.width), ...missed]);
  else if (missed.length > 0) out.lines(["", ...missed]);
}

function linkLines({ sentence: words, at, kind, id }: WhyLink, out: Output): string[] {
  const when = at === null ? "" : `${out.paint.dim(time(at))}  `;
  const text = `${when}${visible(words)}`;
  const about = id === null ? "" : `${visibleLine(id)}${kind === null ? "" : `  ${out.paint.dim(KIND_WORDS[kind])}`}`;
  const line = about === "" ? text : `${text}  ${about}`;
  if (out.width === null || stringWidth(line) <= out.width - 2) return [`  ${line}`];
  // As below a verdict: what it is about stands apart.
  return [...indented(wrapped(text, out.width - 2)), ...(about === "" ? [] : [`    ${about}`])];
}
