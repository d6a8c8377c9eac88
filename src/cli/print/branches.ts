/** Trees as lines that are joined by branches. */
import { count } from "../../presentation/text.ts";
import type { Paint } from "./colour.ts";

/** Deeper nodes are not moved further to the right; they say how deep they are. */
const DEEPEST_INDENT = 30;

export interface Branching<Node> {
  /** Ready to be shown. */
  text(node: Node): string;
  below(node: Node): readonly Node[];
  /** A line of its own, as if it stood below the node. */
  remark(node: Node): string | null;
}

interface Line<Node> {
  node: Node;
  depth: number;
  /** Of the lines of what stands above. */
  above: string;
  last: boolean;
}

/** One line per node in the order of the tree. Without recursion: chains can be long. */
export function branchLines<Node>(roots: readonly Node[], paint: Paint, tree: Branching<Node>): string[] {
  const lines: string[] = [];
  const open: Line<Node>[] = roots.map((node) => ({ node, depth: 0, above: "", last: true })).reverse();
  for (let line = open.pop(); line !== undefined; line = open.pop()) {
    const { node, depth, above, last } = line;
    const indents = depth > 0 && depth <= DEEPEST_INDENT;
    const branch = depth === 0 ? "" : last ? "└─ " : "├─ ";
    const deep = depth > DEEPEST_INDENT ? `(depth ${count(depth)}) ` : "";
    lines.push(paint.dim(above + branch + deep) + tree.text(node));
    const below = indents ? above + (last ? "   " : "│  ") : above;
    const remark = tree.remark(node);
    if (remark !== null) lines.push(below + remark);
    const children = tree.below(node).map((child, index, all) => ({
      node: child,
      depth: depth + 1,
      above: below,
      last: index === all.length - 1,
    }));
    open.push(...children.reverse());
  }
  return lines;
}
