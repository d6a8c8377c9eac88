/**
 * Turns a causal trace, which is a graph, into a tree. A node with several causes is shown in full where it is reached first, and elsewhere as a
 * reference to that position.
 */
import type { EdgeKind, NodeKind, Trace, TraceTree, TraceTreeNode } from "../../api/causes.ts";
import { addTo } from "../../pynenc/groups.ts";
import { ascending } from "../../pynenc/order.ts";
import { traceKey } from "./trace.ts";

/** Limit of references below one node. */
const REPEATS_SHOWN = 5;

/** Pure and linear in nodes and edges. Not recursive, because a chain may be thousands of nodes long. */
export function traceTree(trace: Trace): TraceTree {
  const nodes = nodesOf(trace);
  const effects = effectsIn(trace);
  const seen = new Set<string>();
  const roots: TraceTreeNode[] = [];
  const focus = traceKey({ kind: trace.focus_kind, id: trace.focus_id });
  // A cycle has no root: start at the focus, or at the node found first.
  const starts = [...trace.roots.map(({ kind, id }) => traceKey({ kind, id })), focus, ...nodes.keys()];
  if (trace.direction === "down") starts.unshift(focus);
  for (const start of starts) {
    if (seen.has(start)) continue;
    seen.add(start);
    const root = placed(nodes, start, [], false);
    roots.push(root);
    grow(root, start, nodes, effects, seen);
  }
  return { roots, nodes: seen.size, truncated: trace.truncated };
}

/** By key, without children. */
type Nodes = ReadonlyMap<string, TraceTreeNode>;

/** By the key of the cause: the keys of its effects, each with how it led to them. */
type Effects = ReadonlyMap<string, ReadonlyMap<string, EdgeKind[]>>;

/** Adds everything below a node, depth first, in the order of time. */
function grow(root: TraceTreeNode, start: string, nodes: Nodes, effects: Effects, seen: Set<string>): void {
  const below = (key: string) => inOrder(effects.get(key) ?? new Map(), nodes).values();
  const open = [{ node: root, rest: below(start), repeats: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.rest.next();
    if (next.done) {
      open.pop();
      continue;
    }
    const { key, by } = next.value;
    const repeat = seen.has(key);
    if (repeat && ++top.repeats > REPEATS_SHOWN) {
      top.node.repeats_omitted++;
      continue;
    }
    seen.add(key);
    const child = placed(nodes, key, by, repeat);
    top.node.children.push(child);
    if (!repeat) open.push({ node: child, rest: below(key), repeats: 0 });
  }
}

/** A node at a position in the tree. */
function placed(nodes: Nodes, key: string, by: EdgeKind[], repeat: boolean): TraceTreeNode {
  const node = nodes.get(key);
  if (node === undefined) throw new Error(`no node ${key} in the trace`);
  return { ...node, by, repeat, children: [] };
}

/** All nodes, including those to which the trace only refers. */
function nodesOf({ focus_kind, focus_id, invocations, events, trigger_runs, edges }: Trace): Nodes {
  const nodes = new Map<string, TraceTreeNode>();
  const add = (kind: NodeKind, id: string, facts: Partial<TraceTreeNode> = {}) => {
    const key = traceKey({ kind, id });
    const node = nodes.get(key);
    if (node !== undefined) Object.assign(node, facts);
    else nodes.set(key, { kind, id, by: [], repeat: false, ...UNKNOWN, children: [], repeats_omitted: 0, ...facts });
  };
  add(focus_kind, focus_id, { focus: true });
  for (const invocation of invocations) add("invocation", invocation.invocation_id, { invocation });
  for (const { event_id, event_code, timestamp, matched, triggered } of events) {
    add("event", event_id, { event: { event_code, timestamp, matched, triggered } });
  }
  for (const { trigger_run_id, trigger_id, task_id_key, logic_value, claimed_at, executed_at } of trigger_runs) {
    const trigger_run = { trigger_id, task_id_key, logic_value, claimed_at, executed_at };
    add("trigger_run", trigger_run_id, { trigger_run });
  }
  for (const { from, from_kind, to, to_kind } of edges) {
    add(from_kind, from);
    add(to_kind, to);
  }
  return nodes;
}

const UNKNOWN = { focus: false, invocation: null, event: null, trigger_run: null };

function effectsIn({ edges }: Trace): Effects {
  const effects = new Map<string, Map<string, EdgeKind[]>>();
  for (const { from, from_kind, to, to_kind, kind } of edges) {
    const cause = traceKey({ kind: from_kind, id: from });
    const own = effects.get(cause) ?? new Map<string, EdgeKind[]>();
    effects.set(cause, own);
    addTo(own, traceKey({ kind: to_kind, id: to }), kind);
  }
  return effects;
}

/** Earliest first; nodes without a time come last. Those of one time are in the order of their ids, from wherever they were found. */
function inOrder(effects: ReadonlyMap<string, EdgeKind[]>, nodes: Nodes) {
  const timed = [...effects].map(([key, by]) => ({ key, by, time: timeOf(nodes.get(key)) }));
  return timed.sort((a, b) => ascending(a.time, b.time) || ascending(a.key, b.key));
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
