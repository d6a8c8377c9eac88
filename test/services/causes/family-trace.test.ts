/** The trace of a family against brute force on generated graphs: cycles, several causes, every limit. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FamilyInput, type FamilyTrace, familyTrace, traceKey } from "../../../src/services/causes/trace.ts";
import { cases } from "../../support/cases.ts";
import { evt, inv, run, storeOf, type World, worlds } from "../../support/causal-world.ts";

/** Every step from a cause to its effect, straight from the definition. */
function steps({ parents, emitters, runs }: World): [string, string][] {
  const [invocation, event, triggerRun] = [
    (n: number) => `invocation:${inv(n)}`,
    (n: number) => `event:${evt(n)}`,
    (n: number) => `trigger_run:${run(n)}`,
  ];
  return [
    ...parents.flatMap((of, i): [string, string][] => (of === null ? [] : [[invocation(of), invocation(i)]])),
    ...emitters.flatMap((by, e): [string, string][] => (by === null ? [] : [[invocation(by), event(e)]])),
    ...runs.flatMap(({ events, sources, target }, r): [string, string][] => [
      ...events.map((e): [string, string] => [event(e), triggerRun(r)]),
      ...sources.map((s): [string, string] => [invocation(s), triggerRun(r)]),
      ...(target === null ? [] : [[triggerRun(r), invocation(target)] as [string, string]]),
    ]),
  ];
}

function membersOf({ invocations, events, trigger_runs }: FamilyTrace): Set<string> {
  return new Set([
    ...invocations.map((row) => `invocation:${row.invocation_id}`),
    ...events.map((row) => `event:${row.event_id}`),
    ...trigger_runs.map((row) => `trigger_run:${row.trigger_run_id}`),
  ]);
}

/** Who stands nowhere is left out, by the members that led to it. */
function absent(family: FamilyTrace, world: World): Map<string, number> {
  const members = membersOf(family);
  const found = new Map<string, Set<string>>();
  for (const [from, to] of steps(world)) {
    if (members.has(from) && !members.has(to)) found.set(from, (found.get(from) ?? new Set()).add(to));
  }
  return new Map([...found].map(([key, { size }]) => [key, size]));
}

const counts = ({ left_out }: FamilyTrace) => new Map([...left_out].map(([key, { effects }]) => [key, effects.size]));

const family = (world: World, input: Partial<FamilyInput>) =>
  storeOf(world).store.read((reads) => familyTrace(reads, "invocation", inv(0), { limit: 100, expand: [], ...input }));

describe("the trace of a family", () => {
  it("with enough room leaves nothing out that its members led to", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const found = await family(world, {});
        expect([absent(found, world).size, found.left_out.size, found.truncated, found.above_id]).toEqual([
          0,
          0,
          false,
          null,
        ]);
      }),
      { numRuns: cases(100) },
    );
  });

  it("keeps its limit, has the focus, and counts at each member what is left out of what it led to", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.integer({ min: 1, max: 10 }), async (world, limit) => {
        const found = await family(world, { limit });
        expect(membersOf(found).size).toBeLessThanOrEqual(limit);
        expect(membersOf(found)).toContain(traceKey({ kind: "invocation", id: inv(0) }));
        expect(counts(found)).toEqual(absent(found, world));
        expect(found.truncated).toBe(found.above_id !== null || found.left_out.size > 0);
      }),
      { numRuns: cases(200) },
    );
  });

  it("has all of what an expanded member led to that there is room for, and loses no other member", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.integer({ min: 1, max: 6 }), fc.nat(), async (world, limit, pick) => {
        const before = await family(world, { limit });
        const cut = [...before.left_out.keys()].filter((key) => key.startsWith("invocation:"));
        const chosen = cut[pick % Math.max(1, cut.length)]?.slice("invocation:".length);
        if (chosen === undefined) return;
        const after = await family(world, { limit, expand: [chosen] });
        expect([after.expanded, after.unknown]).toEqual([[chosen], 0]);
        expect([...membersOf(after)]).toEqual(expect.arrayContaining([...membersOf(before)]));
        expect(counts(after)).toEqual(absent(after, world));
        // Fifty have room, more than these worlds hold.
        expect(after.left_out.has(`invocation:${chosen}`)).toBe(false);
      }),
      { numRuns: cases(200) },
    );
  });
});
