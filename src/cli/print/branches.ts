/** Prints trees with branch characters. */
import { count } from "../../presentation/text.ts";
import type { Output } from "./output.ts";
import { fittedLines, type Word } from "./words.ts";

/** Deeper nodes are not indented further; their depth is printed instead. */
const DEEPEST_INDENT = 30;

/** Columns of a terminal for each level that is indented: a third of its width is for branches. */
const COLUMNS_PER_LEVEL = 9;

export interface Branching<Node> {
  words(node: Node): readonly Word[];
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

/** One line per node in the order of the tree, fitted to the terminal. Not recursive, because chains can be long. */
export function branchLines<Node>(
  roots: readonly Node[],
  { paint, width }: Pick<Output, "paint" | "width">,
  tree: Branching<Node>,
): string[] {
  const deepest = width === null ? DEEPEST_INDENT : Math.min(DEEPEST_INDENT, Math.floor(width / COLUMNS_PER_LEVEL));
  const lines: Word[][] = [];
  const branch = (text: string): Word[] => (text === "" ? [] : [{ text, paint: paint.dim, joint: "" }]);
  const open: Line<Node>[] = roots.map((node) => ({ node, depth: 0, above: "", last: true })).reverse();
  for (let line = open.pop(); line !== undefined; line = open.pop()) {
    const { node, depth, above, last } = line;
    const indents = depth > 0 && depth <= deepest;
    const join = last ? "└─ " : "├─ ";
    const deep = depth > deepest ? `(depth ${count(depth)}) ` : "";
    lines.push([...branch(`${above}${depth === 0 ? "" : join}${deep}`), ...tree.words(node)]);
    const below = indents ? above + (last ? "   " : "│  ") : above;
    const remark = tree.remark?.(node) ?? null;
    if (remark !== null) lines.push([...branch(below), { text: remark }]);
    const children = tree.below(node).map((child, index, all) => ({
      node: child,
      depth: depth + 1,
      above: below,
      last: index === all.length - 1,
    }));
    open.push(...children.reverse());
  }
  return fittedLines(lines, width);
}
