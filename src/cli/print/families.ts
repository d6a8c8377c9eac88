/** Prints what led to what as a tree: one line per node, with its full id. */
import type {
  FamilyMark,
  FamilyNode,
  FamilyPicture,
  FamilyRow,
  FamilyTree,
  TraceTree,
  TraceTreeNode,
} from "../../api/causes.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { EDGE_WORDS, FAMILY_EDGE_WORDS } from "../../presentation/edge-words.ts";
import { count, durationPhrase, visibleLine } from "../../presentation/text.ts";
import { KIND_WORDS } from "../../presentation/thing-links.ts";
import { rowsBy } from "../../pynenc/groups.ts";
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

/** A family of invocations. */
export function familyLines({ nodes }: FamilyTree, paint: Paint): string[] {
  const below = rowsBy(nodes, (node) => node.parent_id);
  return branchLines(below.get(null) ?? [], paint, {
    text: (node) => nodeOfFamily(node, paint),
    below: (node) => below.get(node.invocation_id) ?? [],
  });
}

/** A family over time. Events and runs are listed below the invocation that they belong to. */
export function pictureLines({ rows }: FamilyPicture, paint: Paint): string[] {
  const below = rowsBy(rows, (row) => row.above_id);
  return branchLines<FamilyRow | FamilyMark>(below.get(null) ?? [], paint, {
    text: (node) => ("marks" in node ? rowOfPicture(node, paint) : markOfPicture(node, paint)),
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

function nodeOfFamily(node: FamilyNode, paint: Paint): string {
  const { edge_kind, duration_seconds: seconds, children_left_out: n, children_counted } = node;
  const elapsed = seconds === null ? "" : durationPhrase(seconds, node.duration_meaning);
  return joined([
    edge_kind === null ? "" : paint.dim(FAMILY_EDGE_WORDS[edge_kind].before),
    ...invocationWords(node, paint, elapsed),
    visibleLine(node.invocation_id),
    focusMark(node, paint),
    n === 0 ? "" : `(${count(n)}${children_counted ? "" : " or more"} ${n === 1 ? "child" : "children"} left out)`,
  ]);
}

function rowOfPicture(row: FamilyRow, paint: Paint): string {
  const { kind, id, invocation } = row;
  if (invocation === null) return `${KIND_WORDS[kind]} ${visibleLine(id)}`;
  return joined([...invocationWords(invocation, paint), visibleLine(id), focusMark(row, paint)]);
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
