/** Every family of the real databases: no invocation is in two of them, and none is left out. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FamilyTree } from "../../src/api/causes.ts";
import { familyTree, parseFamilyInput } from "../../src/services/causes/family-tree.ts";
import { trace } from "../../src/services/causes/trace.ts";
import { familiesOf, invocationIds } from "../support/families.ts";
import { FACTS, FIXTURE_NAMES } from "../support/fixtures.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const USUAL = parseFamilyInput({});

describe.each(FIXTURE_NAMES)("families of %s", (fixture) => {
  describe.each(Object.entries(FACTS[fixture]))("%s", (appId, facts) => {
    let monitor: Monitor;
    let all: Map<string, FamilyTree>;
    beforeAll(async () => {
      monitor = await monitorOf(fixture, "in process", { app: appId });
      all = await familiesOf(monitor);
    });
    afterAll(() => monitor.close());

    it("hold every invocation once, and every one that called others", async () => {
      const members = [...all.values()].flatMap((tree) => tree.nodes.map((node) => node.invocation_id));
      expect(members.sort()).toEqual((await invocationIds(monitor)).sort());
      const callers = [...all.values()].flatMap((tree) =>
        tree.nodes.flatMap((node) => (node.edge_kind === "call" ? [node.parent_id] : [])),
      );
      expect(new Set(callers).size).toBe(facts.with_children);
      expect([...all.values()].filter((tree) => tree.truncated || tree.notes.length > 0)).toEqual([]);
    });

    it("have the members that a trace finds below their roots", async () => {
      const app = await monitor.workspace.open();
      for (const [root, tree] of all) {
        const { invocations } = await trace(app, "invocation", root, { direction: "down", limit: 5_000 });
        expect(new Set(tree.nodes.map((node) => node.invocation_id))).toEqual(
          new Set(invocations.map((row) => row.invocation_id)),
        );
      }
    });

    it("are the same whichever member is asked about", async () => {
      const app = await monitor.workspace.open();
      const bare = (tree: FamilyTree) => ({
        ...tree,
        focus_id: null,
        nodes: tree.nodes.map((node) => ({ ...node, focus: null })),
      });
      for (const tree of all.values()) {
        for (const { invocation_id } of tree.nodes) {
          expect(bare(await familyTree(app, invocation_id, USUAL))).toEqual(bare(tree));
        }
      }
    });
  });
});
