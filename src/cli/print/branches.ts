/** Prints trees with branch characters. */
import { count } from "../../presentation/text.ts";
import type { Paint } from "./colour.ts";

/** Deeper nodes are not indented further; their depth is printed instead. */
const DEEPEST_INDENT = 30;

export interface Branching<Node> {
  /** Ready to print. */
  text(node: Node): string;
  below(node: Node): readonly Node[];
  /** An extra line, printed like a child of the node. */
  remark?(node: Node): string | null;
}

interface Line<Node> {
  node: Node;
  depth: number;
  /** Branch characters of its ancestors. */
  above: string;
  last: boolean;
}

/** One line per node in the order of the tree. Not recursive, because chains can be long. */
export function branchLines<Node>(roots: readonly Node[], paint: Paint, tree: Branching<Node>): string[] {
  const lines: string[] = [];
  const open: Line<Node>[] = roots.map((node) => ({ node, depth: 0, above: "", last: true })).reverse();
  for (let line = open.pop(); line !== undefined; line = open.pop()) {
    const { node, depth, above, last } = line;
    const indents = depth > 0 && depth <= DEEPEST_INDENT;
    const join = last ? "└─ " : "├─ ";
    const branch = depth === 0 ? "" : join;
    const deep = depth > DEEPEST_INDENT ? `(depth ${count(depth)}) ` : "";
    lines.push(paint.dim(above + branch + deep) + tree.text(node));
    const below = indents ? above + (last ? "   " : "│  ") : above;
    const remark = tree.remark?.(node) ?? null;
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
