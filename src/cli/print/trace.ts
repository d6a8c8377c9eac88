/** Prints a causal chain. */
import type { TraceTree, TraceTreeNode } from "../../api/causes.ts";
import { count, visibleLine } from "../../presentation/text.ts";
import { EDGE_WORDS } from "../../services/causes/trace-text.ts";
import { branchLines } from "./branches.ts";
import type { Paint } from "./colour.ts";
import { withoutStatus } from "./text.ts";
import { time } from "./zone.ts";

/** One line per node in the order of the tree, with its full id at the end. */
export function treeLines(tree: TraceTree, paint: Paint): string[] {
  return branchLines(tree.roots, paint, {
    text: (node) => nodeText(node, paint),
    below: (node) => node.children,
    remark: (node) => (node.repeats_omitted > 0 && node.children.length === 0 ? omitted(node) : null),
  });
}

function omitted({ repeats_omitted }: TraceTreeNode): string {
  return `and ${count(repeats_omitted)} more shown elsewhere`;
}

const KINDS = { invocation: "invocation", event: "event", trigger_run: "trigger run" } as const;

function nodeText(node: TraceTreeNode, paint: Paint): string {
  const { invocation, event, trigger_run: run } = node;
  const how = node.by.map((kind) => EDGE_WORDS[kind]).join(", ");
  const words = [how === "" ? "" : paint.dim(how), KINDS[node.kind]];
  if (node.repeat) {
    words.push(visibleLine(node.id), paint.dim("(shown elsewhere)"));
  } else if (invocation !== null) {
    const { task_id_key, status, status_source } = invocation;
    words.push(paint.bold(visibleLine(task_id_key ?? "unknown task")));
    words.push(status_source === "none" ? withoutStatus(task_id_key) : paint.status(status, visibleLine(status)));
    words.push(invocation.registered_at === null ? "" : time(invocation.registered_at), visibleLine(node.id));
  } else if (event !== null) {
    words.push(paint.bold(visibleLine(event.event_code)), time(event.timestamp), visibleLine(node.id));
  } else if (run !== null) {
    words.push(`of ${visibleLine(run.task_id_key)}`, time(run.executed_at ?? run.claimed_at), visibleLine(node.id));
  } else words.push(visibleLine(node.id), "(not stored)");
  if (node.repeats_omitted > 0 && node.children.length > 0) words.push(paint.dim(`(${omitted(node)})`));
  return words.filter((word) => word !== "").join(" ");
}
