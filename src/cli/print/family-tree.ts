/** Prints a family tree. */
import type { FamilyNode, FamilyTree } from "../../api/causes.ts";
import { count, elapsedPhrase, visibleLine } from "../../presentation/text.ts";
import { branchLines } from "./branches.ts";
import type { Paint } from "./colour.ts";
import { withoutStatus } from "./text.ts";
import { time } from "./zone.ts";

/** How the parent in the tree led to this invocation. */
const EDGE_WORDS: Readonly<Record<NonNullable<FamilyNode["edge_kind"]>, string>> = {
  call: "called",
  event: "through an event",
  status: "by its status",
  result: "by its result",
  exception: "by its exception",
  source: "through a trigger run",
};

/** One line per invocation, with its full id at the end. */
export function familyLines(tree: FamilyTree, paint: Paint): string[] {
  const children = new Map<string | null, FamilyNode[]>();
  for (const node of tree.nodes) {
    const siblings = children.get(node.parent_id);
    if (siblings === undefined) children.set(node.parent_id, [node]);
    else siblings.push(node);
  }
  return branchLines(children.get(null) ?? [], paint, {
    text: (node) => nodeText(node, paint),
    below: (node) => children.get(node.invocation_id) ?? [],
    remark: () => null,
  });
}

function nodeText(node: FamilyNode, paint: Paint): string {
  const { edge_kind, task_id_key, status, status_source, elapsed_seconds, registered_at } = node;
  const words = [
    edge_kind === null ? "" : paint.dim(EDGE_WORDS[edge_kind]),
    paint.bold(visibleLine(task_id_key ?? "unknown task")),
    status_source === "none" ? withoutStatus(task_id_key) : paint.status(status, visibleLine(status)),
    elapsed_seconds === null ? "" : elapsedPhrase(elapsed_seconds, node.elapsed_meaning),
    registered_at === null ? "" : time(registered_at),
    visibleLine(node.invocation_id),
    node.focus ? paint.bold("(this one)") : "",
    leftOut(node),
  ];
  return words.filter((word) => word !== "").join(" ");
}

function leftOut({ children_left_out: n, children_counted }: FamilyNode): string {
  if (n === 0) return "";
  return `(${count(n)}${children_counted ? "" : " or more"} ${n === 1 ? "child" : "children"} left out)`;
}
