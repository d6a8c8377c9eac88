/** The topmost match above each match of a filter, for families of any shape, found in few reads. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GENERATIONS, MatchingFamilies } from "../../../src/services/actions/matching-families.ts";
import type { InvocationFilter } from "../../../src/services/model/filter-type.ts";
import { NO_FILTER } from "../../../src/services/model/invocation-filter.ts";
import { cases } from "../../support/cases.ts";
import { counting } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const FAILED: InvocationFilter = { ...NO_FILTER, statuses: ["failed"] };

/** Each invocation with who called it; those that failed have an exclamation mark: `b! <- a`. */
function family(...members: string[]): MemoryApp {
  const app = memoryApp();
  for (const member of members) {
    const [name = "", parent] = member.split(" <- ");
    const status = name.endsWith("!") ? "failed" : "success";
    app.invocation(name.replace("!", ""), {
      history: [
        [at(0), "registered"],
        [at(1), status],
      ],
      ...(parent === undefined ? {} : { parent }),
    });
  }
  return app;
}

/** The topmost match above each of these, looked at in one batch or in several. */
async function tops(app: MemoryApp, batches: string[][], filter = FAILED): Promise<Record<string, string>> {
  const families = new MatchingFamilies(filter);
  const told: Record<string, string> = {};
  for (const ids of batches) {
    const found = await app.store.read(async (reads) => {
      const definitions = await reads.state_backend.invocationsByIds(ids);
      const parents = new Map(definitions.map((one) => [one.invocation_id, one.parent_invocation_id]));
      return families.topmost(
        reads,
        ids.map((invocation_id) => ({ invocation_id, parent_invocation_id: parents.get(invocation_id) ?? null })),
      );
    });
    Object.assign(told, Object.fromEntries(found));
  }
  return told;
}

describe("the topmost match of a family", () => {
  it.each<[string, string[], Record<string, string>]>([
    ["it has no caller", ["a!"], { a: "a" }],
    ["its caller matches", ["a!", "b! <- a"], { a: "a", b: "a" }],
    ["its caller does not match", ["a", "b! <- a"], { b: "b" }],
    ["the caller's caller matches, and the caller does not", ["a!", "b <- a", "c! <- b"], { a: "a", c: "a" }],
    [
      "several callers above it match, and the top one counts",
      ["a!", "b! <- a", "c! <- b", "d! <- c"],
      { a: "a", b: "a", c: "a", d: "a" },
    ],
    ["callers above the topmost match do not match", ["r", "a! <- r", "b! <- a"], { a: "a", b: "a" }],
    ["two branches of a family whose top does not match", ["r", "a! <- r", "b! <- r"], { a: "a", b: "b" }],
    ["its caller is not stored", ["b! <- gone"], { b: "b" }],
    ["a caller further up is not stored", ["b! <- gone", "c! <- b"], { b: "b", c: "b" }],
    ["it called itself", ["a! <- a", "b! <- a"], { a: "a", b: "a" }],
    [
      "a circle of matches: each member is its own topmost match, and others below have one of them",
      ["a! <- b", "b! <- a", "c! <- b"],
      { a: "a", b: "b", c: "a" },
    ],
    ["a circle in which one matches", ["a! <- b", "b <- a", "c! <- b"], { a: "a", c: "a" }],
    ["a circle without a match", ["a <- b", "b <- a", "c! <- b"], { c: "c" }],
  ])("is found: %s", async (_, members, expected) => {
    const app = family(...members);
    const ids = Object.keys(expected);
    expect(await tops(app, [ids])).toEqual(expected);
    // Children come before their parents in a list; nothing depends on what was looked at before.
    const single = [...ids].reverse().map((id) => [id]);
    expect(await tops(app, single)).toEqual(expected);
  });

  it("depends on the whole filter, including its list of ids", async () => {
    const app = family("a!", "b! <- a", "c! <- b");
    expect(await tops(app, [["c"]], { ...FAILED, invocation_ids: ["b", "c"] })).toEqual({ c: "b" });
    expect(await tops(app, [["c"]], { ...FAILED, invocation_ids: ["c"] })).toEqual({ c: "c" });
    expect(await tops(app, [["c"]], { ...FAILED, task_id_key: "other" })).toEqual({ c: "c" });
  });

  it("is found through callers without a status, and may itself have no definition", async () => {
    const app = family("a!", "b <- a", "c! <- b", "x!", "y! <- x").change((rows) => {
      rows.statuses = rows.statuses.filter((row) => row.invocation_id !== "b");
      rows.definitions = rows.definitions.filter((row) => row.invocation_id !== "x");
    });
    expect(await tops(app, [["c", "y"]])).toEqual({ c: "a", y: "x" });
  });

  it("is looked for a limited number of generations up", async () => {
    const line = (length: number) => ["a!", ...Array.from({ length }, (_, n) => `${n} <- ${n === 0 ? "a" : n - 1}`)];
    const near = family(...line(GENERATIONS - 1), `z! <- ${GENERATIONS - 2}`);
    expect(await tops(near, [["z"]])).toEqual({ z: "a" });
    const far = family(...line(GENERATIONS), `z! <- ${GENERATIONS - 1}`);
    expect(await tops(far, [["z"]])).toEqual({ z: "z" });
  });

  it("costs two reads for each generation, however many matches there are", async () => {
    const members = ["top!", ...Array.from({ length: 300 }, (_, n) => [`m${n} <- top`, `${n}! <- m${n}`]).flat()];
    const ids = Array.from({ length: 300 }, (_, n) => String(n));
    const { store, calls } = counting(family(...members).store);
    const found = await store.read((reads) =>
      new MatchingFamilies(FAILED).topmost(
        reads,
        ids.map((id) => ({ invocation_id: id, parent_invocation_id: `m${id}` })),
      ),
    );
    expect(new Set(found.values())).toEqual(new Set(["top"]));
    expect(calls()).toBeLessThanOrEqual(2 * 4);
  });

  it("exists for every match and has no match above it, unless it is in a circle", async () => {
    const forests = fc.array(fc.record({ parent: fc.nat({ max: 14 }), failed: fc.boolean() }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(forests, async (nodes) => {
        const app = family(...nodes.map(({ parent, failed }, n) => `${n}${failed ? "!" : ""} <- ${parent}`));
        const failed = nodes.flatMap((node, n) => (node.failed ? [String(n)] : []));
        const told = await tops(app, [failed]);
        expect(Object.keys(told).sort()).toEqual([...failed].sort());
        for (const [id, top] of Object.entries(told)) {
          expect(failed).toContain(top);
          expect([id, ancestors(nodes, id)]).toEqual([id, expect.arrayContaining(id === top ? [] : [top])]);
          // The top is taken, so what is left out has somebody who calls it again.
          expect(told[top]).toBe(top);
          if (id !== top) continue;
          const matching = ancestors(nodes, id).filter((above) => failed.includes(above));
          const inCircle = ancestors(nodes, id).includes(id);
          expect([id, inCircle || matching.length === 0]).toEqual([id, true]);
        }
      }),
      { numRuns: cases(60) },
    );
  });
});

/** Those above, each once; itself among them in a circle. */
function ancestors(nodes: readonly { parent: number }[], id: string): string[] {
  const above: string[] = [];
  for (let at = nodes[Number(id)]?.parent; at !== undefined && !above.includes(String(at)); at = nodes[at]?.parent)
    above.push(String(at));
  return above;
}
