/** The family tree against brute force on generated graphs: cycles, several causes, every limit. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FamilyTree } from "../../../src/api/causes.ts";
import { familyTree } from "../../../src/services/causes/family-tree.ts";
import { cases } from "../../support/cases.ts";
import { inv, reachable, storeOf, type World, worlds } from "../../support/causal-world.ts";

/** Every invocation and one that it led to, straight from the definition. */
function relatives({ parents, emitters, runs }: World): [string, string][] {
  return [
    ...parents.flatMap((parent, i): [string, string][] => (parent === null ? [] : [[inv(parent), inv(i)]])),
    ...runs.flatMap(({ events, sources, target }): [string, string][] =>
      target === null
        ? []
        : [
            ...events.flatMap((e): [string, string][] =>
              emitters[e] == null ? [] : [[inv(emitters[e]), inv(target)]],
            ),
            ...sources.map((s): [string, string] => [inv(s), inv(target)]),
          ],
    ),
  ];
}

const WIDE = { depth: 100, limit: 2_000, expand: [] };

const limits = fc.record({ depth: fc.integer({ min: 1, max: 4 }), limit: fc.integer({ min: 1, max: 8 }) });

const ids = (tree: FamilyTree) => tree.nodes.map((node) => node.invocation_id);

/** What must hold of any tree whatever was left out. */
function check(tree: FamilyTree, world: World): void {
  const real = new Set(relatives(world).map(([from, to]) => `${from}>${to}`));
  const seen = new Set<string>();
  for (const { invocation_id, parent_id, edge_kind, depth } of tree.nodes) {
    expect(seen.has(invocation_id)).toBe(false);
    expect(parent_id === null).toBe(seen.size === 0);
    expect(edge_kind === null).toBe(parent_id === null);
    if (parent_id !== null) {
      expect(seen.has(parent_id)).toBe(true);
      expect(real).toContain(`${parent_id}>${invocation_id}`);
      expect(depth).toBe((tree.nodes.find((node) => node.invocation_id === parent_id)?.depth ?? -9) + 1);
    }
    seen.add(invocation_id);
  }
  expect(tree.nodes[0]?.invocation_id).toBe(tree.root_id);
  expect(tree.nodes.filter((node) => node.focus).map((node) => node.invocation_id)).toEqual([tree.focus_id]);
  // The whole truth about truncation: counted as left out is exactly who stands nowhere.
  for (const { invocation_id, children_left_out, children_counted } of tree.nodes) {
    const absent = new Set(
      relatives(world).flatMap(([from, to]) => (from === invocation_id && !seen.has(to) ? [to] : [])),
    );
    expect([invocation_id, children_left_out, children_counted]).toEqual([invocation_id, absent.size, true]);
  }
}

describe("familyTree", () => {
  it("with enough room holds every descendant of the root once, and begins at a root without a cause or in a circle", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const tree = await familyTree(storeOf(world), inv(0), WIDE);
        check(tree, world);
        expect(new Set(ids(tree))).toEqual(reachable(tree.root_id, relatives(world)));
        expect([tree.truncated, tree.above_id]).toEqual([false, null]);
        const causes = relatives(world).flatMap(([from, to]) => (to === tree.root_id ? [from] : []));
        expect(causes.length === 0 || tree.notes.some((note) => note.includes("name each other"))).toBe(true);
      }),
      { numRuns: cases(100) },
    );
  });

  it("keeps its limits, contains the focus, and counts the nodes that are left out", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, limits, async (world, { depth, limit }) => {
        const tree = await familyTree(storeOf(world), inv(0), { depth, limit, expand: [] });
        check(tree, world);
        expect(tree.nodes.length).toBeLessThanOrEqual(limit);
        expect(tree.truncated).toBe(tree.above_id !== null || tree.nodes.some((node) => node.children_left_out > 0));
      }),
      { numRuns: cases(100) },
    );
  });

  it("shows more of an expanded node and removes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, limits, fc.array(fc.nat(), { maxLength: 4 }), async (world, given, picks) => {
        let expand: string[] = [];
        let before = await familyTree(storeOf(world), inv(0), { ...given, expand });
        for (const pick of picks) {
          const cut = before.nodes.filter((node) => node.children_left_out > 0);
          const chosen = cut[pick % Math.max(1, cut.length)];
          if (chosen === undefined) return;
          expand = [...expand, chosen.invocation_id];
          const after = await familyTree(storeOf(world), inv(0), { ...given, expand });
          check(after, world);
          expect(after.expand).toEqual(expand);
          expect(ids(after)).toEqual(expect.arrayContaining(ids(before)));
          const places = (tree: FamilyTree) => new Map(tree.nodes.map((node) => [node.invocation_id, node.parent_id]));
          for (const [id, parent] of places(before)) expect([id, places(after).get(id)]).toEqual([id, parent]);
          // Thirty have room, more than these worlds hold.
          const left = after.nodes.find((node) => node.invocation_id === chosen.invocation_id)?.children_left_out;
          expect(left).toBe(0);
          before = after;
        }
      }),
      { numRuns: cases(100) },
    );
  });

  it("is the same from any member of the family if each has one cause", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), fc.nat(), async (picks, from) => {
        const parents = picks.map((pick, i) => (i === 0 ? null : pick % i));
        const store = storeOf({ parents, emitters: [], runs: [] });
        const shape = (tree: FamilyTree) => tree.nodes.map((node) => ({ ...node, focus: null }));
        const whole = await familyTree(store, inv(0), WIDE);
        expect(shape(await familyTree(store, inv(from % picks.length), WIDE))).toEqual(shape(whole));
      }),
    );
  });
});
