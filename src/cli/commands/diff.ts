import type { Diff, DiffNode } from "../../api/diff.ts";
import { LAST_SUCCESS } from "../../inputs/causes.ts";
import { DIFFERENCE_WORDS, diffSentence, outcomeText, PHASE_COLUMNS, signedDuration } from "../../presentation/diff.ts";
import { NOTHING, visibleLine } from "../../presentation/text.ts";
import { diffOf, readDiffInput } from "../../services/causes/diff.ts";
import { conflict } from "../exported.ts";
import type { Flags } from "../flags.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { heading, indented } from "../print/text.ts";
import { wrapped } from "../print/wrapped.ts";
import { time } from "../print/zone.ts";
import { withApp } from "../session.ts";

/** `monitor diff <a> [b]`: two invocations or workflow runs side by side. */
export async function run(flags: Flags, [a = "", b = ""]: readonly string[]): Promise<void> {
  const last = flags.lastSuccess === true;
  if (last && b !== "") throw conflict("--last-success", "", "it replaces the second id; use one or the other");
  if (!last && b === "") throw conflict("[b]", "", "expected a second id, or --last-success");
  await withApp(flags, async (app, out) => {
    const found = await diffOf(app, await readDiffInput(app, { a: [a], b: [last ? LAST_SUCCESS : b] }));
    if (out.json) return out.document(found);
    print(found, out, app.now());
  });
}

function print(found: Diff, out: Output, now: number): void {
  const { nodes, notes } = found;
  const [top] = nodes;
  out.lines([...sides(found, top, out), "", ...wrapped(diffSentence(found), out.width)]);
  const shown = nodes.filter((node) => node.differs.length > 0);
  if (shown.length > 0) {
    out.lines(heading("What differs", out));
    out.lines(shown.flatMap((node) => nodeLines(node, out)));
  }
  const phases = top?.phases ?? [];
  printRows(PHASE_COLUMNS, phases, out, { title: "Times of the two", now });
  for (const note of notes) out.say(note);
}

function sides({ a, b, last_success }: Diff, top: DiffNode | undefined, out: Output): string[] {
  const side = (name: string, id: string, row: DiffNode["a"], remark: string) => {
    const when = row?.registered_at == null ? NOTHING : time(row.registered_at);
    const words = [visibleLine(id), visibleLine(row?.task_id_key ?? "unknown task"), when, outcomeText(row), remark];
    const [first = "", ...rest] = fittedWords(words, 3, out);
    return [`${out.paint.bold(name)}  ${first}`, ...indented(rest, "   ")];
  };
  return [
    ...side("A", a, top?.a ?? null, ""),
    ...side("B", b, top?.b ?? null, last_success ? out.paint.dim("(the last success before A)") : ""),
  ];
}

function nodeLines(node: DiffNode, out: Output): string[] {
  const { depth, differs, a, b, difference_seconds } = node;
  const id = depth === 0 ? "" : (a?.invocation_id ?? b?.invocation_id ?? "");
  const words = [
    out.paint.bold(visibleLine(node.task_id_key ?? "unknown task")),
    differs.map((kind) => DIFFERENCE_WORDS[kind]).join(", "),
    differs.includes("times") && difference_seconds !== null ? signedDuration(difference_seconds) : "",
    out.paint.dim(visibleLine(id)),
  ];
  const more = [
    ...(differs.includes("task") ? [`task: ${a?.task_id_key ?? NOTHING} / ${b?.task_id_key ?? NOTHING}`] : []),
    ...(differs.includes("outcome") ? [`A ${outcomeText(a)}`, `B ${outcomeText(b)}`] : []),
    ...node.arguments.map((one) => `${one.name}: ${one.a ?? "not given"} / ${one.b ?? "not given"}`),
  ];
  const indent = "  ".repeat(Math.min(depth, 10) + 1);
  const below = `${indent}    `;
  const [first = "", ...rest] = fittedWords(words, below.length, out);
  const details = more.flatMap((one) => fittedWords([visibleLine(one)], below.length, out));
  return [indent + first, ...indented([...rest, ...details], below)];
}

/** @param indent columns before them */
function fittedWords(words: readonly string[], indent: number, { width }: Output): string[] {
  const text = words.filter((word) => word !== "").join("  ");
  return wrapped(text, width === null ? null : width - indent);
}
