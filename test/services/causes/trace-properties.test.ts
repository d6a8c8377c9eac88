/** The trace against brute force on generated graphs: cycles, dangling ends, several causes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trace } from "../../../src/services/causes/trace.ts";
import { cases } from "../../support/cases.ts";
import { evt, inv, reachable, run, storeOf, type World, worlds } from "../../support/causal-world.ts";

/** Every cause and its effect, one hop, straight from the definition. */
function hops(world: World): [string, string][] {
  return [
    ...world.parents.flatMap((parent, i): [string, string][] => (parent === null ? [] : [[inv(parent), inv(i)]])),
    ...world.emitters.flatMap((emitter, e): [string, string][] => (emitter === null ? [] : [[inv(emitter), evt(e)]])),
    ...world.runs.flatMap(({ events, sources, target }, r): [string, string][] => [
      ...events.map((e): [string, string] => [evt(e), run(r)]),
      ...sources.map((s): [string, string] => [inv(s), run(r)]),
      ...(target === null ? [] : [[run(r), inv(target)] as [string, string]]),
    ]),
  ];
}

const nodesOf = (found: Awaited<ReturnType<typeof trace>>) =>
  new Set([
    ...found.invocations.map((row) => row.invocation_id),
    ...found.events.map((event) => event.event_id),
    ...found.trigger_runs.map((record) => record.trigger_run_id),
  ]);

describe("trace", () => {
  it("finds downwards exactly what is reachable, with existing edges only", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const found = await trace(storeOf(world), "event", evt(0), { direction: "down", limit: 5_000 });
        const edges = hops(world);
        expect(nodesOf(found)).toEqual(reachable(evt(0), edges));
        const real = new Set(edges.map(([from, to]) => `${from}>${to}`));
        expect(found.edges.filter((edge) => !real.has(`${edge.from}>${edge.to}`))).toEqual([]);
      }),
      { numRuns: cases(100) },
    );
  });

  it("finds upwards exactly what it is reachable from", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const found = await trace(storeOf(world), "invocation", inv(0), { direction: "up", limit: 5_000 });
        const backwards = hops(world).map(([from, to]): [string, string] => [to, from]);
        expect(nodesOf(found)).toEqual(reachable(inv(0), backwards));
      }),
      { numRuns: cases(100) },
    );
  });

  it("has at most the limit of nodes, and is marked as truncated if there were more", async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.integer({ min: 1, max: 10 }), async (world, limit) => {
        const found = await trace(storeOf(world), "event", evt(0), { direction: "down", limit });
        const all = reachable(evt(0), hops(world));
        expect(nodesOf(found).size).toBe(Math.min(limit, all.size));
        expect(found.truncated).toBe(all.size > limit);
        expect([...nodesOf(found)].filter((id) => !all.has(id))).toEqual([]);
      }),
      { numRuns: cases(100) },
    );
  });
});
