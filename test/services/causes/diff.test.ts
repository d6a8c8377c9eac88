/** What two invocations differ in, and which success is the last before a failure. */
import { describe, expect, it } from "vitest";
import type { DiffNode } from "../../../src/api/diff.ts";
import { InvalidInputError, NotFoundError } from "../../../src/errors.ts";
import { openedApp } from "../../../src/services/app/opened-app.ts";
import { diffOf, knownSuccessBefore, readDiffInput } from "../../../src/services/causes/diff.ts";
import { diffPairs, pairsOf } from "../../../src/services/causes/diff-pairs.ts";
import { counting } from "../../support/counting.ts";
import { storedException } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

/** Queued for one second, pending for one, then a run. */
const life = (begins: number, runs: number, end = "success"): Step[] => [
  [at(begins), "registered"],
  [at(begins + 1), "pending"],
  [at(begins + 2), "running"],
  [at(begins + 2 + runs), end],
];

describe("pairs that are offered", () => {
  const words = (
    pairs: readonly { task_id_key: string; a: { invocation_id: string }; b: { invocation_id: string } }[],
  ) => pairs.map(({ task_id_key, a, b }) => `${task_id_key} ${a.invocation_id} ${b.invocation_id}`);

  it("are the newest failure of a task with the last success before it, and a slow with a fast success", async () => {
    const app = memoryApp({ now: at(9_000) })
      .invocation("early", { history: life(0, 10) })
      .invocation("before", { history: life(50, 12) })
      .invocation("failed-first", { history: life(60, 1, "failed") })
      .invocation("failed", { history: life(100, 1, "failed") })
      .invocation("after", { history: life(200, 40) })
      .invocation("alone", { history: life(300, 1, "failed"), task: "shop.alone" })
      .invocation("even", { history: life(0, 10), task: "shop.even" })
      .invocation("even-too", { history: life(0, 12), task: "shop.even" });
    const { failed, slow } = await diffPairs(app.opened);
    expect(words(failed)).toEqual(["shop.pay failed before"]);
    expect(words(slow)).toEqual(["shop.pay after early"]);
  });

  it("are of the task of one that is chosen: successes near a failure, those that took most differently for a success", async () => {
    const app = memoryApp({ now: at(9_000) })
      .invocation("fast", { history: life(0, 1) })
      .invocation("usual", { history: life(50, 18) })
      .invocation("failed", { history: life(60, 1, "failed") })
      .invocation("slow", { history: life(200, 20) })
      .invocation("other", { history: life(60, 1), task: "shop.other" });
    expect(words(await pairsOf(app.opened, "failed"))).toEqual([
      "shop.pay failed usual",
      "shop.pay failed fast",
      "shop.pay failed slow",
    ]);
    expect(words(await pairsOf(app.opened, "slow"))).toEqual(["shop.pay slow fast", "shop.pay slow usual"]);
    expect(await pairsOf(app.opened, "unknown")).toEqual([]);
  });

  it("are not offered in an empty app", async () => {
    expect(await diffPairs(memoryApp().opened)).toEqual({ failed: [], slow: [] });
  });
});

function orders(): MemoryApp {
  return memoryApp({ now: at(9_000) })
    .invocation("good", { history: life(0, 10), arguments: { order: '"O-1"', amount: "3" } })
    .invocation("good-pack", { history: life(3, 2), task: "shop.pack", parent: "good" })
    .invocation("good-mail", { history: life(6, 2), task: "shop.mail", parent: "good" })
    .invocation("bad", {
      history: life(100, 30, "failed"),
      arguments: { order: '"O-2"', amount: "3", region: '"eu"' },
      exception: storedException("CardDeclined", "no money"),
    })
    .invocation("bad-pack", { history: life(103, 2), task: "shop.pack", parent: "bad" })
    .invocation("bad-refund", { history: life(110, 2), task: "shop.refund", parent: "bad" });
}

const diff = (app: MemoryApp, a: string, b: string) => diffOf(app.opened, { a, b });
const told = (nodes: readonly DiffNode[]) =>
  nodes.map(({ depth, task_id_key, differs }) => [depth, task_id_key, ...differs].join(" "));

describe("a comparison of two invocations", () => {
  it("shows differences in outcome, arguments, calls and times", async () => {
    const found = await diff(orders(), "good", "bad");
    expect(told(found.nodes)).toEqual([
      "0 shop.pay outcome arguments times",
      "1 shop.pack",
      "1 shop.mail only_a",
      "1 shop.refund only_b",
    ]);
    const [top] = found.nodes;
    expect(top?.arguments).toEqual([
      { name: "order", a: '"O-1"', b: '"O-2"' },
      { name: "region", a: null, b: '"eu"' },
    ]);
    expect(top?.phases?.find((one) => one.phase === "running")).toEqual({
      phase: "running",
      a_seconds: 10,
      b_seconds: 30,
      difference_seconds: 20,
    });
    expect([top?.difference_seconds, top?.b?.exception?.type]).toEqual([20, "CardDeclined"]);
    expect(found).toMatchObject({
      same: false,
      complete: true,
      differences: { only_a: 1, only_b: 1, task: 0, outcome: 1, arguments: 1, attempts: 0, times: 1 },
    });
  });

  it("has the opposite differences the other way round", async () => {
    const [there, back] = [await diff(orders(), "good", "bad"), await diff(orders(), "bad", "good")];
    expect(back.nodes[0]?.difference_seconds).toBe(-20);
    expect(back.differences).toEqual({ ...there.differences, only_a: 1, only_b: 1 });
  });

  it("has no differences for the same invocation, and works with a part of its own tree", async () => {
    const same = await diff(orders(), "bad", "bad");
    expect([same.same, same.nodes.length, told(same.nodes)[0]]).toEqual([true, 3, "0 shop.pay"]);
    // Its own parent: the tree of one stands in that of the other.
    const nested = await diff(orders(), "bad-pack", "bad");
    expect(told(nested.nodes)[0]).toBe("0 shop.pack task outcome arguments times");
    expect(nested.nodes.map((node) => node.b?.invocation_id)).toEqual(["bad", "bad-pack", "bad-refund"]);
    const other = await diff(orders(), "bad", "bad-pack");
    expect(other.differences.only_a).toBe(2);
  });

  it("counts retries and has phases until now for a waiting one", async () => {
    const app = orders().invocation("again", {
      history: [...life(200, 5, "retry"), [at(208), "pending"], [at(209), "running"], [at(219), "success"]],
      arguments: { order: '"O-1"', amount: "3" },
    });
    expect(told((await diff(app, "good", "again")).nodes)[0]).toBe("0 shop.pay attempts times");
  });

  it("ignores what is stored of only one of them, with a note", async () => {
    const again = { history: life(0, 10, "failed"), exception: storedException("CardDeclined", "no money") };
    const twins = memoryApp({ now: at(9_000) })
      .invocation("a", again)
      .invocation("b", again);
    expect(await diff(twins, "a", "b")).toMatchObject({ same: true, notes: [] });
    const notes = async (app: MemoryApp) => {
      const found = await diff(app, "a", "b");
      return [found.same, ...found.notes.map((note) => note.replace(/^Not compared.*: /, ""))];
    };
    const without = twins.change((rows) => rows.exceptions.splice(1));
    expect(await notes(without)).toEqual([true, "outcome of 1 pair."]);
    const forgotten = memoryApp({ now: at(9_000) })
      .invocation("a", again)
      .invocation("b", { ...again, status: null });
    expect(await notes(forgotten)).toEqual([true, "retries of 1 pair."]);
    const undefinedOne = memoryApp({ now: at(9_000) })
      .invocation("a", { ...again, arguments: { n: "1" } })
      .invocation("b", { ...again, definition: null });
    expect(await notes(undefinedOne)).toEqual([true, "arguments of 1 pair."]);
    // It may have ended after all, and as the other.
    const open = memoryApp({ now: at(9_000) })
      .invocation("a", again)
      .invocation("b", { history: again.history.slice(0, 3), status: null });
    expect(await notes(open)).toEqual([true, "outcome of 1 pair, retries of 1 pair, times of 1 pair."]);
  });

  it("ends for data with a circle, and is incomplete if more is stored than is read", async () => {
    const circle = orders().change((rows) => {
      for (const row of rows.definitions) if (row.invocation_id === "bad") row.parent_invocation_id = "bad-pack";
    });
    const once = await diff(circle, "bad", "good");
    expect([once.complete, once.nodes.filter((node) => node.a !== null).length]).toEqual([true, 3]);
    // Each of the two stands below the other.
    expect((await diff(circle, "bad", "bad-pack")).nodes.flatMap((node) => node.b?.invocation_id ?? [])).toEqual([
      "bad-pack",
      "bad",
      "bad-refund",
    ]);
    const wide = orders().invocations(250, () => ({ task: "shop.mail", parent: "good", history: life(5, 1) }));
    const found = await diff(wide, "good", "bad");
    expect([found.complete, found.notes.length, found.differences.only_a]).toEqual([false, 1, 198]);
    const deep = orders();
    for (let n = 0; n < 20; n++) deep.invocation(`d${n}`, { parent: n === 0 ? "bad" : `d${n - 1}` });
    expect((await diff(deep, "good", "bad")).complete).toBe(false);
  });

  it("costs the same number of reads for any number of calls", async () => {
    const cost = async (wide: number) => {
      const app = orders().invocations(wide, () => ({ task: "shop.mail", parent: "bad", history: life(105, 1) }));
      const { store, calls } = counting(app.store);
      await diffOf(
        openedApp(store, app.opened.settings, () => app.now),
        { a: "good", b: "bad" },
      );
      return calls();
    };
    // Up to 50 definitions are read once instead of twice.
    expect(await cost(150)).toBe(await cost(60));
    expect(await cost(40)).toBe(await cost(1));
  });

  it("accepts shortened ids, and fails if one of them is unknown", async () => {
    const app = memoryApp()
      .invocation("c991e525-0000-4000-8000-000000000001")
      .invocation("0e5f93a1-0000-4000-8000-000000000002");
    const read = await readDiffInput(app.opened, { a: ["c991e525"], b: ["0e5f93a1"] });
    expect([read.a.length, read.b.length]).toEqual([36, 36]);
    await expect(readDiffInput(app.opened, { a: ["c991e525"] })).rejects.toBeInstanceOf(InvalidInputError);
    await expect(diff(app, read.a, "nobody")).rejects.toBeInstanceOf(NotFoundError);
    await expect(diff(app, "nobody", read.a)).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe("the last success", () => {
  it("is the newest one of the same task that was registered before", async () => {
    const app = orders()
      .invocation("older", { history: life(-50, 1) })
      .invocation("failed", { history: life(50, 1, "failed") })
      .invocation("other-task", { history: life(60, 1), task: "shop.ship" })
      .invocation("later", { history: life(101, 1) });
    const found = await diff(app, "bad", "last-success");
    expect([found.b, found.last_success]).toEqual(["good", true]);
    expect((await diff(app, "good", "last-success")).b).toBe("older");
  });

  it("is offered for a failure whose task succeeded before, and for nothing else", async () => {
    expect(await knownSuccessBefore(orders().opened, "bad")).toBe("good");
    expect(await knownSuccessBefore(orders().opened, "good")).toBeNull();
    const first = memoryApp({ now: at(9_000) })
      .invocation("bad", { history: life(0, 1, "failed") })
      .invocation("later", { history: life(50, 1) })
      .invocation("other", { history: life(-50, 1), task: "shop.ship" });
    expect(await knownSuccessBefore(first.opened, "bad")).toBeNull();
  });

  it("is found before an old failure too", async () => {
    const later = orders().invocations(2_100, (n) => ({ history: life(200 + n, 1) }));
    expect((await diff(later, "bad", "last-success")).b).toBe("good");
  });

  it("is found behind hundreds of newer successes, though much else happened between it and the failure", async () => {
    const app = memoryApp({ now: at(90_000) }).invocation("good", { history: life(0, 1) });
    for (let n = 0; n < 2_600; n++) app.invocation(`other${n}`, { task: "shop.ship", history: life(1_000 + n, 1) });
    app.invocation("bad", { history: life(40_000, 1, "failed") });
    app.invocations(250, (n) => ({ history: life(50_000 + n, 1) }));
    expect((await diff(app, "bad", "last-success")).b).toBe("good");
  });

  it("is reported as not found if it does not exist, or not within the searched part", async () => {
    await expect(diff(orders(), "good", "last-success")).rejects.toThrow(NotFoundError);
    const none = orders().invocations(2_100, (n) => ({ history: life(200 + n, 1) }));
    await expect(diff(none, "good", "last-success")).rejects.toMatchObject({ hint: "The task is shop.pay." });
    const far = orders()
      .invocations(2_100, (n) => ({ history: life(50_000 + n, 1) }))
      .invocation("old", { history: life(40_000, 1, "failed") });
    for (let n = 0; n < 2_600; n++) far.invocation(`other${n}`, { task: "shop.ship", history: life(1_000 + n, 1) });
    const search = diff(far, "old", "last-success");
    await expect(search).rejects.toMatchObject({
      hint: expect.stringContaining("Only the newest 2,000 successes of shop.pay, and about 10,000") as string,
    });
  });
});
