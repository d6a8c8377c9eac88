/** A trace as a tree and as text: graphs of every shape, each node in full once, all text escaped. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EdgeKind, NodeKind, Trace, TraceEdge } from "../../src/services/trace.ts";
import { dotText, mermaidText } from "../../src/services/trace-text.ts";
import { type TraceTree, type TraceTreeNode, traceTree } from "../../src/services/trace-tree.ts";

/** Nodes are spelled `e1`, `r1`, `i1`: event, trigger run, invocation. Edges `e1>r1`. The first node is the focus. */
function traceOf(edges: readonly string[], more: Partial<Trace> = {}): Trace {
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

/** `e1(r1(i1) r2(i1*))`: a star marks a repeat. */
function shape({ roots }: Pick<TraceTree, "roots">): string {
  return roots.map((node) => spelled(node)).join(" ");
}

function spelled({ id, repeat, children, repeats_omitted }: TraceTreeNode): string {
  const below = [...children.map(spelled), ...(repeats_omitted > 0 ? [`+${repeats_omitted}`] : [])].join(" ");
  return `${id}${repeat ? "*" : ""}${below === "" ? "" : `(${below})`}`;
}

function allNodes({ roots }: TraceTree): TraceTreeNode[] {
  const open = [...roots];
  const found: TraceTreeNode[] = [];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node);
    open.push(...node.children);
  }
  return found;
}

describe("the tree", () => {
  test.each([
    ["nothing else", [], "e1"],
    ["a chain", ["e1>r1", "r1>i1", "i1>e2"], "e1(r1(i1(e2)))"],
    [
      "two ways to one node: in full where it is read first",
      ["e1>r1", "e1>r2", "r1>i1", "r2>i1", "i1>e2"],
      "e1(r1(i1(e2)) r2(i1*))",
    ],
    ["two roots", ["e1>r1", "e2>r1", "r1>i1"], "e1(r1(i1)) e2(r1*)"],
    ["a cycle through the focus, which has no root", ["e1>r1", "r1>i1", "i1>e1"], "e1(r1(i1(e1*)))"],
    ["a node that leads to itself", ["i1>i1"], "i1(i1*)"],
    ["a cycle beside a root", ["e1>r1", "i1>e2", "e2>i1"], "e1(r1) i1(e2(i1*))"],
  ])("of %s", (_, edges, expected) => {
    expect(shape(traceTree(traceOf(edges)))).toBe(expected);
  });

  test("begins at the focus when it asks what was caused", () => {
    const edges = ["e1>r1", "r1>i1", "i1>e1", "e2>r1"];
    expect(shape(traceTree(traceOf(edges, { direction: "down" })))).toBe("e1(r1(i1(e1*))) e2(r1*)");
  });

  test("marks the focus and tells every way from one node to another", () => {
    const [root] = traceTree(traceOf(["i1>r1>status", "i1>r1>result"])).roots;
    expect([root?.focus, root?.by]).toEqual([true, []]);
    expect(root?.children.map((node) => [node.id, node.by, node.focus])).toEqual([["r1", ["status", "result"], false]]);
  });

  test("orders what came of a node by time, what has none last", () => {
    const event = (event_id: string, timestamp: string) => ({ event_id, timestamp, event_code: "c" });
    const events = [event("e2", "2026-01-02T00:00:00.000000+00:00"), event("e3", "2026-01-01T00:00:00.000000+00:00")];
    const trace = traceOf(["i1>e4", "i1>e2", "i1>e3"], { events: events as unknown as Trace["events"] });
    expect(shape(traceTree(trace))).toBe("i1(e3 e2 e4)");
  });

  test("leaves out marks beyond a few below one node, and says how many", () => {
    const edges = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [`i1>e${n}`, `i2>e${n}`]);
    expect(shape(traceTree(traceOf(edges)))).toBe("i1(e1 e2 e3 e4 e5 e6 e7 e8) i2(e1* e2* e3* e4* e5* +3)");
  });

  test("of a chain of 20,000 nodes does not run out of stack", () => {
    const edges = Array.from({ length: 20_000 }, (_, n) => `i${n}>i${n + 1}`);
    const tree = traceTree(traceOf(edges));
    expect([tree.nodes, allNodes(tree).length]).toEqual([20_001, 20_001]);
  });

  test("of any graph has each node in full exactly once", () => {
    const id = fc.integer({ min: 0, max: 12 }).map((n) => `${"eri"[n % 3]}${n}`);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(id, id), { minLength: 1, maxLength: 40 }),
        fc.constantFrom("down", "up", "both"),
        (pairs, direction) => {
          const trace = traceOf(
            pairs.map(([from, to]) => `${from}>${to}`),
            { direction: direction as Trace["direction"] },
          );
          const tree = traceTree(trace);
          const nodes = allNodes(tree);
          const full = nodes.filter((node) => !node.repeat).map((node) => node.id);
          const ids = new Set(trace.edges.flatMap((edge) => [edge.from, edge.to]));
          expect([full.length, new Set(full)]).toEqual([ids.size, ids]);
          expect(nodes.every((node) => !node.repeat || node.children.length === 0)).toBe(true);
          // Every edge is shown, as a child or as an omitted repeat.
          const shown = nodes.reduce((sum, node) => sum + node.children.length + node.repeats_omitted, 0);
          expect(shown).toBe(new Set(pairs.map(([from, to]) => `${from}>${to}`)).size);
        },
      ),
    );
  });
});

const EVIL = `x"]\n%%{init: {}}%% ; click <script>alert(1)</script>\\ \u202e #quot; -->|y|`;

describe("text", () => {
  const trace = traceOf(["e1>r1>event", "r1>i1>trigger", "i1>e2>emit"], {
    events: [{ event_id: "e1", event_code: EVIL }] as unknown as Trace["events"],
    invocations: [
      { invocation_id: "i1", task_id_key: EVIL, status: EVIL, status_source: "history" },
    ] as unknown as Trace["invocations"],
  });

  test("for Mermaid has a line per node and edge, and stored text only as letters and entities", () => {
    const lines = mermaidText(trace).trimEnd().split("\n");
    expect(lines[0]).toBe("flowchart TD");
    expect(lines).toHaveLength(1 + 4 + 3 + 1);
    const labels = lines
      .slice(1, 5)
      .map((line) => /^ {2}n\d(?:\(\[|\[|\{\{)"([^"]*)"(?:\]\)|\]|\}\})$/.exec(line)?.[1]);
    for (const label of labels) expect(label?.replaceAll("<br/>", "")).toMatch(/^(?:[\p{L}\p{N} ._:/…-]|#\d+;)+$/u);
    expect(lines.slice(5, 8)).toEqual(["  n0 -->|takes part in| n2", "  n2 -->|starts| n1", "  n1 -->|emits| n3"]);
    expect(lines[8]).toBe("  style n0 stroke-width:3px");
  });

  test("for Graphviz closes every string", () => {
    const lines = dotText(trace).trimEnd().split("\n");
    expect(lines).toHaveLength(1 + 4 + 3 + 1);
    for (const line of lines.slice(1, 8)) {
      const outside = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
      expect(outside).toMatch(
        /^ {2}n\d (?:\[shape=(?:box|ellipse|hexagon), label=(?:, penwidth=3)?\]|-> n\d \[label=\]);$/,
      );
    }
  });

  test("says of nodes that only a reference is stored", () => {
    expect(dotText(traceOf([]))).toContain('n0 [shape=ellipse, label="event, not stored\\ne1", penwidth=3];');
    expect(mermaidText(trace)).toContain('n3(["event#44; not stored<br/>e2"])');
  });

  test("keeps labels short and never shows what cannot be seen", () => {
    const long = traceOf(["e1>r1"], {
      events: [{ event_id: "e1", event_code: `a\u202e${"é".repeat(5_000)}` }] as unknown as Trace["events"],
    });
    for (const text of [mermaidText(long), dotText(long)]) {
      expect(text.length).toBeLessThan(1_000);
      expect(text).not.toContain("\u202e");
    }
  });
});
