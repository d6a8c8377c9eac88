/** Every family of the real databases: no invocation is in two of them, and none is left out. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FamilyPicture } from "../../src/api/causes.ts";
import { familyPicture, parseFamilyInput } from "../../src/services/causes/family-picture.ts";
import { trace } from "../../src/services/causes/trace.ts";
import { familiesOf, invocationIds, membersOf } from "../support/families.ts";
import { FACTS, FIXTURE_NAMES } from "../support/fixtures.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const USUAL = parseFamilyInput({});

describe.each(FIXTURE_NAMES)("families of %s", (fixture) => {
  describe.each(Object.entries(FACTS[fixture]))("%s", (appId, facts) => {
    let monitor: Monitor;
    let all: Map<string, FamilyPicture>;
    beforeAll(async () => {
      monitor = await monitorOf(fixture, "in process", { app: appId });
      all = await familiesOf(monitor);
    });
    afterAll(() => monitor.close());

    it("hold every invocation once, and every one that called others", async () => {
      const members = [...all.values()].flatMap(membersOf);
      expect(members.sort()).toEqual((await invocationIds(monitor)).sort());
      const callers = [...all.values()].flatMap(({ rows }) =>
        rows.flatMap(({ by, above_id }) => (by.length === 1 && by[0] === "call" ? [above_id] : [])),
      );
      expect(new Set(callers).size).toBe(facts.with_children);
      expect([...all.values()].filter((tree) => tree.truncated || tree.notes.length > 0)).toEqual([]);
    });

    it("have the members that a trace finds below their roots", async () => {
      const app = await monitor.workspace.open();
      for (const family of all.values()) {
        const below = new Set<string>();
        for (const { kind, id } of family.rows.filter((row) => row.depth === 0)) {
          const { invocations } = await trace(app, kind, id, { direction: "down", limit: 5_000 });
          for (const { invocation_id } of invocations) below.add(invocation_id);
        }
        expect(new Set(membersOf(family))).toEqual(below);
      }
    });

    it("are the same whichever member is asked about", async () => {
      const app = await monitor.workspace.open();
      const bare = ({ rows }: FamilyPicture) =>
        rows.filter((row) => !row.awaited).map((row) => ({ ...row, focus: null }));
      for (const tree of all.values()) {
        for (const id of membersOf(tree)) {
          expect(bare(await familyPicture(app, "invocation", id, USUAL))).toEqual(bare(tree));
        }
      }
    });
  });
});
