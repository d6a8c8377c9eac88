/** Which matches of a filter are rerun, and which are left out because a match above them calls them again. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChoiceInput, choose } from "../../../src/services/actions/rerun-choice.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const FAILED = { ...NO_FILTER, statuses: ["failed"] };
const ended = (status: string, second: number) =>
  [
    [at(second), "registered"],
    [at(second), status],
  ] as const;

/** A failed order with two failed steps below it, one of them below a step that went well. */
function orders(): MemoryApp {
  return memoryApp()
    .invocation("order", { history: ended("failed", 0) })
    .invocation("fine", { history: ended("success", 1), parent: "order" })
    .invocation("step", { history: ended("failed", 2), parent: "fine" })
    .invocation("substep", { history: ended("failed", 3), parent: "step" })
    .invocation("alone", { history: ended("failed", 4) });
}

async function chosen(app: MemoryApp, given: Partial<ChoiceInput> = {}, scanLimit?: number) {
  const input = { filter: FAILED, selected: null, limit: 100, all: false, ...given };
  const choice = await choose(app.opened, input, scanLimit);
  return { ...choice, chosen: choice.chosen.map((row) => row.invocation_id), left_out: [...choice.left_out] };
}

describe("the choice of calls to rerun", () => {
  it("is the topmost match of each family, newest first; the others are listed with the match above them", async () => {
    expect(await chosen(orders())).toEqual({
      chosen: ["alone", "order"],
      scanned: 4,
      left_out: [
        ["substep", "order"],
        ["step", "order"],
      ],
      notes: [],
    });
  });

  it("is every match on request", async () => {
    expect(await chosen(orders(), { all: true })).toEqual({
      chosen: ["alone", "substep", "step", "order"],
      scanned: 4,
      left_out: [],
      notes: [],
    });
  });

  it("has no more calls than the limit, and no note if the limit is just reached", async () => {
    expect(await chosen(orders(), { limit: 1 })).toMatchObject({
      chosen: ["alone"],
      scanned: 1,
      left_out: [],
      notes: [],
    });
    expect(await chosen(orders(), { limit: 2 })).toMatchObject({ chosen: ["alone", "order"], notes: [] });
    expect(await chosen(orders(), { limit: 0 })).toMatchObject({ chosen: [], scanned: 0, notes: [] });
  });

  it("stops after a limited number of matches, with a note only if there are more", async () => {
    expect(await chosen(orders(), {}, 4)).toMatchObject({ scanned: 4, notes: [] });
    expect(await chosen(orders(), {}, 3)).toEqual({
      chosen: ["alone"],
      scanned: 3,
      left_out: [
        ["substep", "order"],
        ["step", "order"],
      ],
      notes: ["The search stopped after 3 matches; the rest were not searched. Narrow the filter to reach them."],
    });
  });
});

describe("a selection of matches to rerun", () => {
  it("includes only the named matches, and unselected ones exclude nothing below them", async () => {
    expect(await chosen(orders(), { selected: ["substep", "fine", "gone"] })).toMatchObject({
      chosen: ["substep"],
      scanned: 1,
      left_out: [],
    });
    expect(await chosen(orders(), { selected: ["substep", "order"] })).toMatchObject({
      chosen: ["order"],
      left_out: [["substep", "order"]],
    });
  });

  it("is intersected with the ids of the filter, and may be empty", async () => {
    const filter = { ...FAILED, invocation_ids: ["alone", "order"] };
    expect(await chosen(orders(), { filter, selected: ["alone", "step"] })).toMatchObject({ chosen: ["alone"] });
    const nothing = { chosen: [], scanned: 0, left_out: [], notes: [] };
    expect(await chosen(orders(), { filter, selected: ["step"] })).toEqual(nothing);
    expect(await chosen(orders(), { selected: [] })).toEqual(nothing);
  });
});

it("each match is chosen or left out once, and left out only below a chosen match", async () => {
  const families = fc.array(fc.tuple(fc.nat({ max: 20 }), fc.boolean()), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(families, async (members) => {
      const app = memoryApp();
      const parentOf = new Map<string, string>();
      members.forEach(([parent, failed], n) => {
        const above = parent < n ? { parent: `i${parent}` } : {};
        if (parent < n) parentOf.set(`i${n}`, `i${parent}`);
        app.invocation(`i${n}`, { history: ended(failed ? "failed" : "success", n), ...above });
      });
      const { chosen: taken, left_out, scanned } = await chosen(app);
      const matching = members.flatMap(([, failed], n) => (failed ? [`i${n}`] : []));
      expect([...taken, ...left_out.map(([id]) => id)].sort()).toEqual([...matching].sort());
      expect(scanned).toBe(matching.length);
      const above = (id: string): string[] => {
        const parent = parentOf.get(id);
        return parent === undefined ? [] : [parent, ...above(parent)];
      };
      const matchesAbove = (id: string) => above(id).filter((one) => matching.includes(one));
      expect(taken.flatMap(matchesAbove)).toEqual([]);
      expect(left_out.map(([, top]) => top)).toEqual(left_out.map(([id]) => matchesAbove(id).at(-1)));
    }),
    { numRuns: 30 },
  );
});
