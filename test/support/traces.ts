/** Traces of any shape. */
import type { EdgeKind, NodeKind, Trace, TraceEdge } from "../../src/api/causes.ts";

/** Nodes are spelled `e1`, `r1`, `i1`: event, trigger run, invocation. Edges `e1>r1`. The first node is the focus. */
export function traceOf(edges: readonly string[], more: Partial<Trace> = {}): Trace {
  const made = edges.map((edge): TraceEdge => {
    const [from = "", to = "", kind = "source"] = edge.split(">");
    return { from, from_kind: kindOf(from), to, to_kind: kindOf(to), kind: kind as EdgeKind };
  });
  const ids = [...new Set(made.flatMap((edge) => [edge.from, edge.to]))];
  const focus = ids[0] ?? "e1";
  const reached = new Set(made.map((edge) => edge.to));
  return {
    focus_kind: kindOf(focus),
    focus_id: focus,
    direction: "both",
    invocations: [],
    events: [],
    trigger_runs: [],
    edges: made,
    depth: 0,
    roots: ids.filter((id) => !reached.has(id)).map((id) => ({ kind: kindOf(id), id })),
    limit: 5_000,
    truncated: false,
    source_invocation_ids: [],
    generated_invocation_ids: [],
    ...more,
  };
}

function kindOf(id: string): NodeKind {
  return id.startsWith("e") ? "event" : id.startsWith("r") ? "trigger_run" : "invocation";
}
