/** Counts of a filter's matches by status, task and exception: exact, or of the newest matches with a note. */
import { describe, expect, it } from "vitest";
import type { GroupedBy } from "../../../src/api/invocations.ts";
import { openedApp } from "../../../src/services/app/opened-app.ts";
import { invocationFacets } from "../../../src/services/invocations/facets.ts";
import { type GroupBudget, groupInvocations } from "../../../src/services/invocations/groups.ts";
import { listInvocations, readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import { counting } from "../../support/counting.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const PLENTY = { matches: 10_000, candidates: 10_000 };

const exception = (error_name: string) => JSON.stringify({ error_name, pynenc_error: false, error_data: "{}" });
const saying = (error_name: string, message: string) =>
  JSON.stringify({ error_name, pynenc_error: true, error_data: JSON.stringify({ message }) });
const ended = (n: number, status: string): Step[] => [
  [at(n), "registered"],
  [at(n) + 0.5, "running"],
  [at(n) + 0.6, status],
];

/** Six a second apart: every third has failed, each second of those with another exception, the last without one stored. */
function shop(): MemoryApp {
  return memoryApp({ now: at(100) })
    .invocation("a", { task: "shop.pay", history: ended(0, "failed"), exception: exception("CardDeclined") })
    .invocation("b", { task: "shop.pay", history: ended(1, "success") })
    .invocation("c", { task: "shop.ship", history: ended(2, "failed"), exception: exception("Timeout") })
    .invocation("d", { task: "shop.ship", history: ended(3, "failed"), exception: exception("CardDeclined") })
    .invocation("e", { task: "shop.ship", history: ended(4, "failed") })
    .invocation("f", { task: "shop.pay", history: ended(5, "failed"), exception: "{", status: null });
}

const groupsOf = async (app: MemoryApp, by: GroupedBy, q = "", budget: GroupBudget = PLENTY) => {
  const { filter } = await readInvocationInput(app.opened, { q: [q] });
  const [found] = await groupInvocations(app.opened, filter, [by], budget);
  const counts = Object.fromEntries((found?.groups ?? []).map((group) => [group.value, group.invocations]));
  return { ...found, counts };
};

describe("groups of invocations", () => {
  it("by status and task come from indexes if these cover the whole filter", async () => {
    expect(await groupsOf(shop(), "status")).toMatchObject({
      counts: { failed: 5, success: 1 },
      invocations: 6,
      complete: true,
      looked: 0,
    });
    expect((await groupsOf(shop(), "task", "status:failed")).counts).toEqual({ "shop.pay": 2, "shop.ship": 3 });
    expect((await groupsOf(shop(), "status", "task:shop.pay")).counts).toEqual({ failed: 2, success: 1 });
  });

  it("by exception are those of failed invocations, the largest first, with the newest of each", async () => {
    const { groups, invocations, complete } = await groupsOf(shop(), "exception");
    expect(groups).toEqual([
      { value: "CardDeclined", query: "exception:CardDeclined", invocations: 2, latest_invocation_id: "d" },
      { value: null, query: null, invocations: 1, latest_invocation_id: "e" },
      { value: "Timeout", query: "exception:Timeout", invocations: 1, latest_invocation_id: "c" },
      { value: "unreadable", query: "exception:unreadable", invocations: 1, latest_invocation_id: "f" },
    ]);
    expect([invocations, complete]).toEqual([5, true]);
    expect((await groupsOf(shop(), "exception", "status:success")).counts).toEqual({});
  });

  it("by exception leave out an exception of an earlier try of an invocation that has not failed", async () => {
    const app = shop().invocation("again", { history: ended(6, "retry"), exception: exception("Timeout") });
    const { counts, invocations } = await groupsOf(app, "exception");
    expect([counts.Timeout, invocations]).toEqual([1, 5]);
  });

  it("report the progress of the walk", async () => {
    const app = memoryApp().invocations(1_200, () => ({ task: "shop.pay", history: ended(0, "failed") }));
    const progress: [looked: number, found: number][] = [];
    const onProgress = (looked: number, found: number) => progress.push([looked, found]);
    await groupsOf(app, "exception", "", { ...PLENTY, onProgress });
    expect(progress.length).toBeGreaterThan(2);
    expect(progress.at(-1)).toEqual([1_200, 1_200]);
  });

  it("cover the time of the filter", async () => {
    const app = shop();
    app.now = at(7);
    expect((await groupsOf(app, "exception", "status:failed since:5s")).counts).toEqual({
      CardDeclined: 1,
      Timeout: 1,
      null: 1,
      unreadable: 1,
    });
    expect((await groupsOf(app, "status", "since:3s")).counts).toEqual({ failed: 2 });
    expect((await groupsOf(app, "task", "since:3s")).counts).toEqual({ "shop.pay": 1, "shop.ship": 1 });
  });

  it.each(["status", "task"] as const)("by %s add up to the rows of the list, however they are counted", async (by) => {
    for (const q of ["", "status:failed", "has:error", "task:shop.pay -status:success", "since:1h"]) {
      const app = shop();
      const list = await listInvocations(app.opened, await readInvocationInput(app.opened, { q: [q] }));
      const expected: Record<string, number> = {};
      for (const row of list.invocations) {
        const value = (by === "status" ? row.status : row.task_id_key) ?? "";
        expected[value] = (expected[value] ?? 0) + 1;
      }
      expect([q, (await groupsOf(app, by, q)).counts]).toEqual([q, expected]);
    }
  });

  it("cover the newest matches if the budget ends, with a note", async () => {
    const app = shop();
    const few = await groupsOf(app, "exception", "", { matches: 2, candidates: 100 });
    expect(few).toMatchObject({ counts: { null: 1, unreadable: 1 }, complete: false });
    expect(few.notes).toEqual([expect.stringMatching(/^Only the newest 2 matches are counted/)]);
    const all = await groupsOf(app, "exception", "", { matches: 6, candidates: 100 });
    expect([all.complete, all.notes]).toEqual([true, []]);
  });

  it("are cut to the 200 largest, and all are counted", async () => {
    const app = memoryApp()
      .invocations(201, (n) => ({ task: `shop.task_${String(n).padStart(3, "0")}` }))
      .invocation("twice", { task: "shop.task_200" });
    const { groups = [], groups_count, invocations } = await groupsOf(app, "task");
    expect([groups.length, groups_count, invocations]).toEqual([200, 201, 202]);
    expect([groups[0], groups[1]]).toEqual([
      expect.objectContaining({ value: "shop.task_200", invocations: 2 }),
      expect.objectContaining({ value: "shop.task_000", invocations: 1 }),
    ]);
  });

  it("have queries that find the same invocations again", async () => {
    const app = memoryApp()
      .invocation("a", { task: "odd task, with blanks", history: ended(0, "failed"), exception: exception("A b") })
      .invocation("b")
      .invocation("c", { history: ended(1, "failed"), exception: exception("A b c") })
      .invocation("d", { history: ended(2, "failed"), exception: saying("Other", "A b") });
    for (const by of ["status", "task", "exception"] as const) {
      const { groups = [] } = await groupsOf(app, by);
      expect(groups.length).toBeGreaterThan(1);
      for (const { query, invocations } of groups) {
        const input = await readInvocationInput(app.opened, { q: [query ?? ""] });
        expect((await listInvocations(app.opened, input)).invocations).toHaveLength(invocations);
      }
    }
  });
});

it("facets of a page are counted again only after a change of the store", async () => {
  const app = shop();
  const { filter } = await readInvocationInput(app.opened, { q: ["status:failed"] });
  const { store, calls } = counting(app.store);
  const opened = openedApp(store, app.opened.settings, app.opened.now);
  const byTask = async () => {
    const before = calls();
    const found = (await invocationFacets(opened, filter)).find(({ by }) => by === "exception");
    return { invocations: found?.groups.map((group) => group.invocations), reads: calls() - before };
  };
  expect((await byTask()).invocations).toEqual([2, 1, 1, 1]);
  expect(await byTask()).toEqual({ invocations: [2, 1, 1, 1], reads: 0 });
  app.invocation("g", { task: "shop.pay", history: ended(6, "failed"), exception: exception("CardDeclined") });
  expect((await byTask()).invocations).toEqual([3, 1, 1, 1]);
});

it("a page has facets by status, task and exception, without empty ones", async () => {
  const facets = async (q: string) => {
    const app = shop();
    const { filter } = await readInvocationInput(app.opened, { q: [q] });
    return (await invocationFacets(app.opened, filter)).map(({ by, invocations }) => [by, invocations]);
  };
  expect(await facets("")).toEqual([
    ["status", 6],
    ["task", 6],
    ["exception", 5],
  ]);
  expect(await facets("status:success")).toEqual([
    ["status", 1],
    ["task", 1],
  ]);
  expect(await facets("task:shop.ship since:1h")).toEqual([
    ["status", 3],
    ["task", 3],
    ["exception", 3],
  ]);
  expect(await facets("no such text")).toEqual([]);
});
