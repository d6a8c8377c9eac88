/**
 * Turns a causal trace, which is a graph, into a tree. A node with several causes is shown in full where it is reached first, and elsewhere as a
 * reference to that position.
 */
import type { EdgeKind, NodeKind, Trace, TraceEdge, TraceTree, TraceTreeNode } from "../../api/causes.ts";

/** Limit of references below one node. */
const REPEATS_SHOWN = 5;

/** Pure and linear in nodes and edges. Not recursive, because a chain may be thousands of nodes long. */
export function traceTree(trace: Trace): TraceTree {
  const graph = new Index(trace);
  const seen = new Set<string>();
  const roots: TraceTreeNode[] = [];
  const focus = keyOf(trace.focus_kind, trace.focus_id);
  // A cycle has no root: start at the focus, or at the node found first.
  const starts = [...trace.roots.map(({ kind, id }) => keyOf(kind, id)), focus, ...graph.keys()];
  if (trace.direction === "down") starts.unshift(focus);
  for (const start of starts) {
    if (seen.has(start)) continue;
    seen.add(start);
    const root = graph.node(start, [], false);
    roots.push(root);
    grow(graph, start, root, seen);
  }
  return { roots, nodes: seen.size, truncated: trace.truncated };
}

/** Adds everything below a node, depth first, in the order of time. */
function grow(graph: Index, key: string, node: TraceTreeNode, seen: Set<string>): void {
  const open = [{ node, below: graph.below(key), next: 0, repeats: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const child = top.below[top.next++];
    if (child === undefined) {
      open.pop();
      continue;
    }
    const repeat = seen.has(child.key);
    if (repeat && ++top.repeats > REPEATS_SHOWN) {
      top.node.repeats_omitted++;
      continue;
    }
    seen.add(child.key);
    const made = graph.node(child.key, child.by, repeat);
    top.node.children.push(made);
    if (!repeat) open.push({ node: made, below: graph.below(child.key), next: 0, repeats: 0 });
  }
}

interface Below {
  key: string;
  by: EdgeKind[];
}

/** Nodes and edges of a trace by key. */
class Index {
  readonly #nodes = new Map<string, TraceTreeNode>();
  readonly #below = new Map<string, Map<string, Below>>();
  readonly #focus: string;

  constructor(trace: Trace) {
    this.#focus = keyOf(trace.focus_kind, trace.focus_id);
    this.#know(trace.focus_kind, trace.focus_id);
    for (const invocation of trace.invocations) {
      this.#know("invocation", invocation.invocation_id).invocation = invocation;
    }
    for (const { event_id, event_code, timestamp, matched, triggered } of trace.events) {
      this.#know("event", event_id).event = { event_code, timestamp, matched, triggered };
    }
    for (const {
      trigger_run_id,
      trigger_id,
      task_id_key,
      logic_value,
      claimed_at,
      executed_at,
    } of trace.trigger_runs) {
      const run = { trigger_id, task_id_key, logic_value, claimed_at, executed_at };
      this.#know("trigger_run", trigger_run_id).trigger_run = run;
    }
    for (const edge of trace.edges) this.#connect(edge);
  }

  keys(): IterableIterator<string> {
    return this.#nodes.keys();
  }

  node(key: string, by: EdgeKind[], repeat: boolean): TraceTreeNode {
    const known = this.#nodes.get(key);
    if (known === undefined) throw new Error(`no node ${key} in the trace`);
    return { ...known, by, repeat, children: [] };
  }

  /** Earliest first; nodes without a time come last, in the order they were found. */
  below(key: string): Below[] {
    const found = [...(this.#below.get(key)?.values() ?? [])];
    const timed = found.map((child) => ({ child, time: timeOf(this.#nodes.get(child.key)) }));
    timed.sort((a, b) => {
      if (a.time === b.time) return 0;
      return a.time < b.time ? -1 : 1;
    });
    return timed.map(({ child }) => child);
  }

  #know(kind: NodeKind, id: string): TraceTreeNode {
    const key = keyOf(kind, id);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const made: TraceTreeNode = {
      kind,
      id,
      by: [],
      repeat: false,
      focus: key === this.#focus,
      invocation: null,
      event: null,
      trigger_run: null,
      children: [],
      repeats_omitted: 0,
    };
    this.#nodes.set(key, made);
    return made;
  }

  #connect({ from, from_kind, to, to_kind, kind }: TraceEdge): void {
    this.#know(from_kind, from);
    this.#know(to_kind, to);
    const key = keyOf(from_kind, from);
    const children = this.#below.get(key) ?? new Map<string, Below>();
    this.#below.set(key, children);
    const child = keyOf(to_kind, to);
    const existing = children.get(child);
    if (existing === undefined) children.set(child, { key: child, by: [kind] });
    else existing.by.push(kind);
  }
}

function keyOf(kind: NodeKind, id: string): string {
  return `${kind}:${id}`;
}

/** ISO timestamps of one format sort by time as text; this sorts after all of them. */
const NO_TIME = "~";

function timeOf(node: TraceTreeNode | undefined): string {
  return (
    node?.event?.timestamp ??
    node?.trigger_run?.executed_at ??
    node?.trigger_run?.claimed_at ??
    node?.invocation?.registered_at ??
    NO_TIME
  );
}
