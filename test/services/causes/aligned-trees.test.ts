/** Trees side by side: against all ways to pair small lists, and on random trees. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AlignedPair, aligned, type CallTree } from "../../../src/services/causes/aligned-trees.ts";

const call = (
  id: string,
  task: string | null,
  children: CallTree[] = [],
  arguments_id: string | null = null,
): CallTree => ({
  id,
  task,
  arguments_id,
  children,
});

const told = (pairs: readonly AlignedPair[]) => pairs.map(({ a, b, depth }) => `${depth} ${a ?? "-"} ${b ?? "-"}`);

describe("two aligned trees", () => {
  it("pair calls of one task in their order, and keep unpaired calls in place", () => {
    const a = call("a", "t", [call("a1", "load"), call("a2", "pay", [call("a21", "log")]), call("a3", "ship")]);
    const b = call("b", "t", [call("b1", "load"), call("b2", "check"), call("b3", "pay"), call("b4", "mail")]);
    expect(told(aligned(a, b))).toEqual(["0 a b", "1 a1 b1", "1 - b2", "1 a2 b3", "2 a21 -", "1 a3 -", "1 - b4"]);
  });

  it("pair calls with the same arguments if one tree has more calls of the task", () => {
    const a = call("a", "t", [call("a1", "pay", [], "x"), call("a2", "pay", [], "y")]);
    const b = call("b", "t", [call("b1", "pay", [], "w"), call("b2", "pay", [], "x"), call("b3", "pay", [], "y")]);
    expect(told(aligned(a, b))).toEqual(["0 a b", "1 - b1", "1 a1 b2", "1 a2 b3"]);
  });

  it("are paired at the top whatever their tasks", () => {
    expect(told(aligned(call("a", "t"), call("b", "other")))).toEqual(["0 a b"]);
  });
});

let number = 0;
const { tree } = fc.letrec<{ tree: CallTree }>((tie) => ({
  tree: fc
    .record({
      task: fc.constantFrom("x", "y", "z", null),
      arguments_id: fc.constantFrom("1", "2", null),
      children: fc.oneof({ maxDepth: 3 }, fc.constant([]), fc.array(tie("tree"), { maxLength: 5 })),
    })
    .map((given) => ({ ...given, id: `n${number++}` })),
}));

/** What the best way to pair two lists is worth: every way is tried. */
function best(a: readonly CallTree[], b: readonly CallTree[]): number {
  const [left, ...more] = a;
  if (left === undefined) return 0;
  let most = best(more, b);
  b.forEach((right, at) => {
    if (left.task !== right.task) return;
    const same = left.arguments_id !== null && left.arguments_id === right.arguments_id;
    most = Math.max(most, (same ? 1_001 : 1_000) + best(more, b.slice(at + 1)));
  });
  return most;
}

function idsOf(one: CallTree): string[] {
  return [one.id, ...one.children.flatMap(idsOf)];
}

function byId(one: CallTree): Map<string, CallTree> {
  return new Map([[one.id, one] as const, ...one.children.flatMap((child) => [...byId(child)])]);
}

describe("any two aligned trees", () => {
  it("have each call in one row, in order, with the most pairs possible", () => {
    fc.assert(
      fc.property(tree, tree, (a, b) => {
        const pairs = aligned(a, b);
        expect(pairs.flatMap((pair) => pair.a ?? [])).toEqual(idsOf(a));
        expect(pairs.flatMap((pair) => pair.b ?? [])).toEqual(idsOf(b));
        const [left, right] = [byId(a), byId(b)];
        for (const [at, pair] of pairs.entries()) {
          const below = pairs.slice(at + 1);
          const end = below.findIndex((one) => one.depth <= pair.depth);
          const children = below.slice(0, end < 0 ? undefined : end).filter((one) => one.depth === pair.depth + 1);
          const worth = children.reduce((sum, one) => {
            const [x, y] = [left.get(one.a ?? ""), right.get(one.b ?? "")];
            if (x === undefined || y === undefined) return sum;
            expect(x.task).toBe(y.task);
            return sum + (x.arguments_id !== null && x.arguments_id === y.arguments_id ? 1_001 : 1_000);
          }, 0);
          expect(worth).toBe(best(left.get(pair.a ?? "")?.children ?? [], right.get(pair.b ?? "")?.children ?? []));
        }
      }),
    );
  });

  it("have only pairs if both are the same", () => {
    fc.assert(
      fc.property(tree, (one) => {
        expect(aligned(one, one).every(({ a, b }) => a !== null && a === b)).toBe(true);
      }),
    );
  });
});
