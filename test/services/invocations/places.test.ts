/** Pages by cursor: whatever is registered in the meantime, they contain each invocation once, in the order of the list. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listInvocations, readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import { cases } from "../../support/cases.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const STATUSES = ["success", "failed", "running"];
const TASKS = ["shop.pay", "shop.ship"];

interface Given {
  status: string;
  task: string;
  /** The orchestrator has forgotten it. */
  forgotten: boolean;
  order: string;
}

const row: fc.Arbitrary<Given> = fc.record({
  status: fc.constantFrom(...STATUSES),
  task: fc.constantFrom(...TASKS),
  forgotten: fc.boolean(),
  order: fc.constantFrom("ORD-1", "ORD-2"),
});

function register(app: MemoryApp, given: Given, n: number): void {
  app.invocation(`i${n}`, {
    task: given.task,
    arguments: { order: `"${given.order}"` },
    history: [
      [at(n), "registered"],
      [at(n + 0.5), given.status],
    ],
    ...(given.forgotten ? { status: null } : {}),
  });
}

/** Parameters of the list, and which rows it has. */
const FILTERS: [Record<string, string[]>, (row: Given) => boolean][] = [
  [{}, () => true],
  [{ status: ["failed", "running"] }, ({ status }) => status !== "success"],
  [{ task_id: ["shop.ship"] }, ({ task }) => task === "shop.ship"],
  [{ q: ["arg:ORD-2"] }, ({ order }) => order === "ORD-2"],
  [{ parent: ["p"] }, () => true],
];

describe.each(FILTERS)("pages by cursor with %j", (raw, meets) => {
  it("meet each invocation once, newest first", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 24 }),
        fc.array(fc.array(row, { maxLength: 3 }), { minLength: 30, maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(3, 1_000),
        async (first, added, size, scanLimit) => {
          const app = memoryApp();
          const child = { ...(raw.parent === undefined ? {} : { parent: "p" }) };
          const registered: Given[] = [];
          const add = (given: Given) => {
            const n = registered.push(given) - 1;
            if (raw.parent === undefined) register(app, given, n);
            else app.invocation(`i${n}`, { ...child, history: [[at(n), "registered"]] });
          };
          for (const given of first) add(given);
          const expected = first.map((given, n) => ({ given, id: `i${n}` })).filter(({ given }) => meets(given));
          const met: string[] = [];
          let after: string | null = null;
          let steps = 0;
          do {
            const given = { ...raw, limit: [String(size)], ...(after === null ? {} : { after: [after] }) };
            const input = await readInvocationInput(app.opened, given, "list");
            await app.opened.completeInventory();
            const list = await listInvocations(app.opened, input, scanLimit);
            met.push(...list.invocations.map((one) => one.invocation_id));
            expect(list.invocations.length).toBeLessThanOrEqual(size);
            for (const one of added[steps % added.length] ?? []) add(one);
            after = list.older;
          } while (after !== null && ++steps < 60);
          expect(met).toEqual(expected.map(({ id }) => id).reverse());
        },
      ),
      { numRuns: cases(60) },
    );
  });
});

it("a cursor cannot be combined with a page number or another order", async () => {
  const app = memoryApp().invocation("a");
  for (const other of [{ page: ["2"] }, { sort: ["-status"] }]) {
    await expect(readInvocationInput(app.opened, { after: ["a"], ...other }, "list")).rejects.toThrow(
      /cannot be combined/,
    );
  }
  await expect(readInvocationInput(app.opened, { after: ["a"] }, "export")).rejects.toThrow(/after/);
});
