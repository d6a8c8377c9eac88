/** A trace as a tree: graphs of every shape, each node in full once. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Trace, TraceTree, TraceTreeNode } from "../../../src/api/causes.ts";
import { traceTree } from "../../../src/services/causes/trace-tree.ts";
import { traceOf } from "../../support/traces.ts";

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

describe("a trace as a tree", () => {
  test.each([
    ["a single node", [], "e1"],
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
  ])("is right for %s", (_, edges, expected) => {
    expect(shape(traceTree(traceOf(edges)))).toBe(expected);
  });

  test("begins at the focus for the direction down", () => {
    const edges = ["e1>r1", "r1>i1", "i1>e1", "e2>r1"];
    expect(shape(traceTree(traceOf(edges, { direction: "down" })))).toBe("e1(r1(i1(e1*))) e2(r1*)");
  });

  test("marks the focus and lists every kind of edge from one node to another", () => {
    const [root] = traceTree(traceOf(["i1>r1>status", "i1>r1>result"])).roots;
    expect([root?.focus, root?.by]).toEqual([true, []]);
    expect(root?.children.map((node) => [node.id, node.by, node.focus])).toEqual([["r1", ["status", "result"], false]]);
  });

  test("orders the children of a node by time, those without a time last", () => {
    const event = (event_id: string, timestamp: string) => ({ event_id, timestamp, event_code: "c" });
    const events = [event("e2", "2026-01-02T00:00:00.000000+00:00"), event("e3", "2026-01-01T00:00:00.000000+00:00")];
    const trace = traceOf(["i1>e4", "i1>e2", "i1>e3"], { events: events as unknown as Trace["events"] });
    expect(shape(traceTree(trace))).toBe("i1(e3 e2 e4)");
  });

  test("omits marks of repeated nodes beyond five below one node, and counts them", () => {
    const edges = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [`i1>e${n}`, `i2>e${n}`]);
    expect(shape(traceTree(traceOf(edges)))).toBe("i1(e1 e2 e3 e4 e5 e6 e7 e8) i2(e1* e2* e3* e4* e5* +3)");
  });

  test("of a chain of 20,000 nodes does not overflow the stack", () => {
    const edges = Array.from({ length: 20_000 }, (_, n) => `i${n}>i${n + 1}`);
    const tree = traceTree(traceOf(edges));
    expect([tree.nodes, allNodes(tree).length]).toEqual([20_001, 20_001]);
  });

  test("shows each node of any graph in full exactly once", () => {
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
