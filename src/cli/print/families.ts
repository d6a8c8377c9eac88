/** Prints what led to what as a tree: one line per node, with its full id. */
import type { FamilyMark, FamilyPicture, FamilyRow, TraceTree, TraceTreeNode } from "../../api/causes.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { EDGE_WORDS, howLed } from "../../presentation/edge-words.ts";
import { count, durationPhrase, visibleLine } from "../../presentation/text.ts";
import { KIND_WORDS } from "../../presentation/thing-links.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import { durationMeaning, elapsedOfRow } from "../../services/model/invocation-life.ts";
import { branchLines } from "./branches.ts";
import type { Paint } from "./colour.ts";
import { withoutStatus } from "./text.ts";
import { time } from "./zone.ts";

/** A causal chain. */
export function traceLines({ roots }: TraceTree, paint: Paint): string[] {
  return branchLines(roots, paint, {
    text: (node) => nodeOfTrace(node, paint),
    below: (node) => node.children,
    remark: (node) => (node.children.length === 0 ? omitted(node) : null),
  });
}

/** A family over time. Events and runs are listed below the invocation that they belong to. */
export function pictureLines({ rows, as_of }: FamilyPicture, paint: Paint): string[] {
  const below = rowsBy(rows, (row) => row.above_id);
  return branchLines<FamilyRow | FamilyMark>(below.get(null) ?? [], paint, {
    text: (node) => ("marks" in node ? rowOfPicture(node, as_of, paint) : markOfPicture(node, paint)),
    below: (node) => ("marks" in node ? [...node.marks, ...(below.get(node.id) ?? [])] : []),
  });
}

function nodeOfTrace(node: TraceTreeNode, paint: Paint): string {
  const { kind, id, by, repeat, invocation, event, trigger_run: run } = node;
  let known: string[] = [];
  if (repeat) known = [];
  else if (invocation !== null) known = invocationWords(invocation, paint);
  else if (event !== null) known = [paint.bold(visibleLine(event.event_code)), time(event.timestamp)];
  else if (run !== null) known = [`of ${visibleLine(run.task_id_key)}`, time(run.executed_at ?? run.claimed_at)];
  const unknown = repeat ? paint.dim("(shown elsewhere)") : "(not stored)";
  const rest = node.children.length > 0 ? omitted(node) : null;
  return joined([
    dimmed(by.map((edge) => EDGE_WORDS[edge]).join(", "), paint),
    KIND_WORDS[kind],
    ...known,
    visibleLine(id),
    known.length === 0 ? unknown : "",
    rest === null ? "" : paint.dim(`(${rest})`),
  ]);
}

function omitted({ repeats_omitted: n }: TraceTreeNode): string | null {
  return n === 0 ? null : `and ${count(n)} more shown elsewhere`;
}

function rowOfPicture(row: FamilyRow, asOf: string, paint: Paint): string {
  const { kind, id, by, awaited, invocation, effects_left_out: n, effects_counted } = row;
  const known =
    invocation === null
      ? [KIND_WORDS[kind], ...(kind === "invocation" ? [paint.dim("(not stored)")] : [])]
      : invocationWords(invocation, paint, elapsedWords(invocation, asOf));
  return joined([
    dimmed(awaited ? "waits for" : howLed(by), paint),
    ...known,
    visibleLine(id),
    focusMark(row, paint),
    n === 0 ? "" : `(${count(n)}${effects_counted ? "" : " or more"} of what it led to left out)`,
  ]);
}

function elapsedWords(invocation: InvocationRow, asOf: string): string {
  const seconds = elapsedOfRow(invocation, epochFromIso(asOf) ?? 0);
  const { status, duration_at_least } = invocation;
  return seconds === null ? "" : durationPhrase(seconds, durationMeaning(status, duration_at_least));
}

/** What is missing, and how to get it. */
export function pictureRemarks({ above_id, truncated, notes }: FamilyPicture): string[] {
  return [
    ...(above_id === null ? [] : [`There are more ancestors: monitor tree ${above_id}`]),
    ...(truncated && above_id === null
      ? ["A part of the family is not shown: raise --limit, or use --expand with an id."]
      : []),
    ...notes,
  ];
}

function markOfPicture(mark: FamilyMark, paint: Paint): string {
  const { kind, id, label, at } = mark;
  const when = at === null ? "" : time(at);
  return joined([paint.dim(KIND_WORDS[kind]), visibleLine(label), when, visibleLine(id), focusMark(mark, paint)]);
}

type Named = Pick<InvocationRow, "task_id_key" | "status" | "status_source" | "registered_at">;

function invocationWords(row: Named, paint: Paint, elapsed = ""): string[] {
  const { task_id_key, status, status_source, registered_at } = row;
  return [
    paint.bold(visibleLine(task_id_key ?? "unknown task")),
    status_source === "none" ? withoutStatus(task_id_key) : paint.status(status, visibleLine(status)),
    elapsed,
    registered_at === null ? "" : time(registered_at),
  ];
}

function focusMark({ focus }: { focus: boolean }, paint: Paint): string {
  return focus ? paint.bold("(this one)") : "";
}

function dimmed(text: string, paint: Paint): string {
  return text === "" ? "" : paint.dim(text);
}

function joined(words: readonly string[]): string {
  return words.filter((word) => word !== "").join(" ");
}
