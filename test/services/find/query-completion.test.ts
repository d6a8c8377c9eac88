/** Suggestions while a query is written: fields, and values from the store. */
import { describe, expect, it } from "vitest";
import { openedApp } from "../../../src/services/app/opened-app.ts";
import { completeQuery } from "../../../src/services/find/query-completion.ts";
import { openPiece } from "../../../src/services/input/query-text.ts";
import { counting } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const failed: Step[] = [
  [at(0), "registered"],
  [at(1), "failed"],
];
const exception = (error_name: string) => JSON.stringify({ error_name, pynenc_error: false, error_data: "{}" });

function shop(): MemoryApp {
  return memoryApp({ now: at(100) })
    .invocation("a", { task: "shop.pay", history: failed, exception: exception("CardDeclined") })
    .invocation("b", { task: "shop.ship", history: failed, exception: exception("Odd, name") })
    .invocation("c", { task: "shop.ship" })
    .heartbeat("host-7@worker", {});
}

const offered = async (q: string, app = shop()) => {
  const { from, suggestions } = await completeQuery(app.opened, { q: [q] });
  return suggestions.map(({ text }) => q.slice(0, from) + text);
};

describe("the completion of a query", () => {
  it.each([
    ["", ["status:", "task:", "exception:"]],
    ["run", ["run>", "runner:"].sort()],
    ["STAT", ["status:"]],
    ["status:failed -ta", ["status:failed -task:"]],
    ["zzz", []],
    ["status:fai", ["status:failed"]],
    ["status:failed,succ", ["status:failed,success"]],
    ["has:", ["has:children", "has:error", "has:parent"]],
    ["-is:stu", ["-is:stuck"]],
    ["task:shop.p", ["task:shop.pay"]],
    ["task:SHIP", ["task:shop.ship"]],
    ["exception:c", ["exception:CardDeclined"]],
    ["exception:odd", ['exception:"Odd, name"']],
    ['exception:"Odd, n', ['exception:"Odd, name"']],
    ["runner:host", ["runner:host-7@worker"]],
    ["since:1", ["since:1h", "since:1d", "since:1w", "since:15m"].sort()],
    ['error:"no such sta', []],
    ["nothing:", []],
    ["arg.region=e", []],
  ])("is right for %j", async (q, expected) => {
    const found = await offered(q);
    expect(found.slice(0, expected.length === 0 ? 1 : expected.length).sort()).toEqual([...expected].sort());
  });

  it("says from where the text is replaced, and which suggestions end a term", async () => {
    expect(await completeQuery(shop().opened, { q: ["status:failed has:err"] })).toEqual({
      from: 18,
      suggestions: [{ text: "error", about: null, whole: true }],
    });
    expect((await completeQuery(shop().opened, { q: ["retr"] })).suggestions).toEqual([
      { text: "retries>", about: expect.stringContaining("number of retries"), whole: false },
    ]);
  });

  it("costs a number of reads that does not depend on the size of the store", async () => {
    const shopOf = (invocations: number) => {
      const app = shop();
      for (let i = 0; i < invocations; i++)
        app.invocation(`x${i}`, { task: "shop.pay", history: failed, exception: exception("Timeout") });
      return app;
    };
    const calls = async (app: MemoryApp, q: string) => {
      const { store, calls: counted } = counting(app.store);
      const opened = openedApp(store, app.opened.settings, app.opened.now);
      // Every page needs it, and it is taken once.
      await opened.completeInventory();
      const before = counted();
      await completeQuery(opened, { q: [q] });
      return counted() - before;
    };
    const [small, large] = [shopOf(1_000), shopOf(3_000)];
    for (const q of ["task:", "status:", "runner:", "exception:"]) {
      const few = await calls(small, q);
      expect([q, await calls(large, q)]).toEqual([q, few]);
    }
  });
});

it.each([
  ["", { field: null, typed: "", from: 0 }],
  ["a b", { field: null, typed: "b", from: 2 }],
  ["status:failed ", { field: null, typed: "", from: 14 }],
  ['error:"a b" -x', { field: null, typed: "x", from: 13 }],
  ['error:"a \\" b', { field: "error", typed: 'a " b', from: 6 }],
  ["Task:a,b", { field: "task", typed: "b", from: 7 }],
  ["run>=5", { field: "run", typed: "5", from: 5 }],
  ['"status:x', { field: null, typed: '"status:x', from: 0 }],
])("the open piece at the end of the query %j is found", (text, piece) => {
  expect(openPiece(text)).toEqual(piece);
});
