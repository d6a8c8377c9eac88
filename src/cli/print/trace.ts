/** A causal chain as lines for people. */
import { count, visibleLine } from "../../../templates/text.ts";
import { EDGE_WORDS } from "../../services/trace-text.ts";
import type { TraceTree, TraceTreeNode } from "../../services/trace-tree.ts";
import type { Paint } from "./colour.ts";
import { time } from "./text.ts";

/** Deeper nodes are not moved further to the right; they say how deep they are. */
const DEEPEST_INDENT = 30;

interface Line {
  node: TraceTreeNode;
  depth: number;
  /** Of the lines of what stands above. */
  above: string;
  last: boolean;
}

/** One line per node, whole ids at their ends, in the order of the tree. Without recursion: chains can be long. */
export function treeLines(tree: TraceTree, paint: Paint): string[] {
  const lines: string[] = [];
  const open: Line[] = tree.roots.map((node) => ({ node, depth: 0, above: "", last: true })).reverse();
  for (let line = open.pop(); line !== undefined; line = open.pop()) {
    const { node, depth, above, last } = line;
    const indents = depth > 0 && depth <= DEEPEST_INDENT;
    const branch = depth === 0 ? "" : last ? "└─ " : "├─ ";
    const deep = depth > DEEPEST_INDENT ? `(depth ${count(depth)}) ` : "";
    lines.push(paint.dim(above + branch + deep) + nodeText(node, paint));
    const below = indents ? above + (last ? "   " : "│  ") : above;
    if (node.repeats_omitted > 0 && node.children.length === 0) lines.push(below + omitted(node));
    const children = node.children.map((child, index) => ({
      node: child,
      depth: depth + 1,
      above: below,
      last: index === node.children.length - 1,
    }));
    open.push(...children.reverse());
  }
  return lines;
}

function omitted({ repeats_omitted }: TraceTreeNode): string {
  return `and ${count(repeats_omitted)} more that stand elsewhere`;
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
    words.push(status_source === "none" ? "(not stored)" : paint.status(status, visibleLine(status)));
    words.push(invocation.registered_at === null ? "" : time(invocation.registered_at), visibleLine(node.id));
  } else if (event !== null) {
    words.push(paint.bold(visibleLine(event.event_code)), time(event.timestamp), visibleLine(node.id));
  } else if (run !== null) {
    words.push(`of ${visibleLine(run.task_id_key)}`, time(run.executed_at ?? run.claimed_at), visibleLine(node.id));
  } else words.push(visibleLine(node.id), "(not stored)");
  if (node.repeats_omitted > 0 && node.children.length > 0) words.push(paint.dim(`(${omitted(node)})`));
  return words.filter((word) => word !== "").join(" ");
}
