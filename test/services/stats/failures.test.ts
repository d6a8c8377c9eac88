import { expect, test } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { listInvocations, readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import { failures } from "../../../src/services/stats/failures.ts";
import { recent } from "../../../src/services/stats/recent.ts";
import { stats } from "../../../src/services/stats/stats.ts";
import { storedException } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const HOUR = 3_600;

function failed(begins: number, runner = "r1", retries = 0): Step[] {
  const steps: Step[] = [[at(begins), "registered"]];
  for (let attempt = 0; attempt <= retries; attempt++) {
    const from = begins + attempt * 10;
    steps.push([at(from + 1), "pending", runner], [at(from + 2), "running", runner]);
    steps.push([at(from + 3), attempt < retries ? "retry" : "failed", runner]);
  }
  return steps;
}

function shop(): MemoryApp {
  const app = memoryApp({ now: at(HOUR) });
  for (let n = 0; n < 4; n++) {
    app.invocation(`card${n}`, {
      arguments: { region: '"eu"', order: `"O-${n}"` },
      history: failed(n * 100, "r1", n === 3 ? 2 : 0),
      exception: storedException("CardDeclined", `card of order O-${n} declined`),
    });
  }
  return app
    .invocation("mail", {
      task: "mail.send",
      arguments: { to: '"a@b.example"' },
      history: failed(500, "r2"),
      exception: storedException("CardDeclined", "card of order O-9 declined"),
    })
    .invocation("gone", { history: failed(600) })
    .invocation("fine", { history: [...failed(700).slice(0, 3), [at(703), "success", "r1"]] });
}

test("failures of a task are found by its function name, and an unknown task gets a note with a similar name", async () => {
  const of = async (task: string) => failures(shop().opened, { task_id: [task] });
  expect(await of("send")).toMatchObject({ filter: { task_id_key: "mail.send" }, total: 1, notes: [] });
  expect(await of("mail.snd")).toMatchObject({
    total: 0,
    notes: ['No task "mail.snd" is known; did you mean mail.send?'],
  });
});

test("failures stamped later than now by a fast clock count in a range without an end, and a note says so", async () => {
  const app = shop();
  app.now = at(500);
  const later = await failures(app.opened, { from: ["10m"] });
  expect(later.total).toBe((await failures(shop().opened, {})).total);
  expect(later.notes).toEqual([
    "Some entries are dated up to 3 min 23 s in the future: the clock of a host is ahead. They are counted.",
  ]);
  const ended = await failures(app.opened, { from: ["10m"], to: ["1s"] });
  expect(ended.total).toBeLessThan(later.total);
  expect(ended.notes).toEqual([]);
});

test("failures are grouped by task, exception and shape of the message, and those without an exception by task", async () => {
  const model = await failures(shop().opened, {});
  expect(model.groups).toMatchObject([
    {
      task_id_key: "shop.pay",
      type: "CardDeclined",
      message: "card of order <value> declined",
      count: 4,
      failed: 4,
      retries: 0,
      runners: [{ runner_id: "r1", examples: 4 }],
      same_arguments: [{ name: "region", value: '"eu"' }],
      invocation_ids: ["card3", "card2", "card1", "card0"],
    },
    {
      task_id_key: "shop.pay",
      type: null,
      message: null,
      count: 3,
      failed: 1,
      retries: 2,
      invocation_ids: ["gone", "card3"],
    },
    { task_id_key: "mail.send", type: "CardDeclined", count: 1, share: 1, same_arguments: [] },
  ]);
  expect([model.total, model.groups_total]).toEqual([8, 3]);
  // Of 8 ends of runs, 5 failed, 2 were retried and 1 succeeded: 6 finished.
  expect(model.groups[0]?.share).toBe(4 / 6);
  expect(model.groups[0]?.first_seen).toMatch(/T12:00:03.000000/);
});

test("groups with failed invocations come before groups with retries only, however many", async () => {
  const app = shop();
  for (let n = 0; n < 5; n++) {
    const retried = failed(800 + n * 30, "r1", 2).slice(0, -1);
    app.invocation(`retried${n}`, { task: "shop.ship", history: [...retried, [at(900 + n * 30), "success", "r1"]] });
  }
  const { groups } = await failures(app.opened, {});
  expect(groups.map((group) => [group.task_id_key, group.failed, group.retries])).toEqual([
    ["shop.pay", 4, 0],
    ["shop.pay", 1, 2],
    ["mail.send", 1, 0],
    ["shop.ship", 0, 10],
  ]);
  const happened = await recent(app.opened, {});
  expect(happened.recent?.groups.map(({ failed: n }) => n)).toEqual([4, 1, 1, 0]);
  const { rows } = await stats(app.opened, { by: ["exception"] });
  expect(rows).toMatchObject([
    { exception: "CardDeclined", failed: 5, retries: 0 },
    { exception: null, failed: 1, retries: 12 },
  ]);
});

test("a group has the count and first time of its failures in the whole history, whatever the range is", async () => {
  const app = shop();
  const range = { from: [isoFromEpoch(at(240))], to: [isoFromEpoch(at(420))] };
  const card = async () => (await failures(app.opened, range)).groups.find(({ type }) => type === "CardDeclined");
  const ever = { failed: 4, retries: 0, first_seen: isoFromEpoch(at(3)), complete: true };
  expect(await card()).toMatchObject({ failed: 1, first_seen: isoFromEpoch(at(323)), ever });
  app.invocation("card9", {
    history: failed(1_000),
    exception: storedException("CardDeclined", "card of order O-77 declined"),
  });
  expect(await card()).toMatchObject({ failed: 1, ever: { ...ever, failed: 5 } });
  const [task] = (await failures(app.opened, { ...range, by: ["task"] })).groups;
  expect(task).toMatchObject({ task_id_key: "shop.pay", ever: { failed: 6, retries: 2, first_seen: ever.first_seen } });
});

test("a task has the first time of all its failures, also of a kind that the range does not have", async () => {
  const app = memoryApp({ now: at(HOUR) });
  const fails = (id: string, start: number, type: string) =>
    app.invocation(id, {
      task: "shop.pay",
      history: [
        [at(start), "registered"],
        [at(start + 1), "running", "r1"],
        [at(start + 2), "failed", "r1"],
      ],
      exception: storedException(type, "no"),
    });
  fails("old", 10, "KeyError");
  fails("new", 1_000, "ValueError");
  const range = { from: [isoFromEpoch(at(900))], to: [isoFromEpoch(at(HOUR))] };
  const [task, ...others] = (await failures(app.opened, { ...range, by: ["task"] })).groups;
  expect(others).toEqual([]);
  expect(task).toMatchObject({
    ...{ type: "ValueError", count: 1, causes: 1, tasks: ["shop.pay"] },
    ever: { failed: 2, first_seen: isoFromEpoch(at(12)) },
  });
});

test("a group has the message of its failures in the range, and says whether there were others", async () => {
  const app = memoryApp({ now: at(HOUR) });
  for (const [start, word] of [
    [10, "south"],
    [1_000, "north"],
  ] as const)
    app.invocation(word, { task: "shop.pay", history: failed(start), exception: storedException("KeyError", word) });
  const range = { from: [isoFromEpoch(at(900))], to: [isoFromEpoch(at(HOUR))] };
  const [group] = (await failures(app.opened, { ...range, by: ["type"] })).groups;
  expect(group).toMatchObject({
    ...{ type: "KeyError", message: "north", other_messages: true, count: 1, causes: 1 },
    ever: { failed: 2 },
  });
  const [message] = (await failures(app.opened, { ...range, by: ["group"] })).groups;
  expect(message).toMatchObject({ message: "north", other_messages: false, causes: 1, ever: { failed: 1 } });
});

test("long messages that differ in ids of any length are one group", async () => {
  const app = memoryApp({ now: at(HOUR) });
  ["7", "10012", "100000000012"].forEach((order, n) => {
    const exception = storedException(
      "OrderRejected",
      `order ORD-${order} was refused ${"by the warehouse ".repeat(12)}`,
    );
    app.invocation(`long${n}`, { history: failed(n * 10), exception });
  });
  expect((await failures(app.opened, {})).groups.map(({ count }) => count)).toEqual([3]);
});

test("groups by exception and groups by task and exception add up to the same failures", async () => {
  const byException = await failures(shop().opened, { by: ["exception"] });
  expect(byException.groups).toMatchObject([
    { task_id_key: null, type: "CardDeclined", count: 5, tasks: ["mail.send", "shop.pay"] },
    { type: null, count: 3 },
  ]);
  const byTask = await failures(shop().opened, { by: ["task"] });
  expect(byTask.groups).toMatchObject([
    { task_id_key: "shop.pay", type: null, message: null, count: 7, causes: 1 },
    { task_id_key: "mail.send", type: "CardDeclined", count: 1 },
  ]);
  expect([byException.total, byTask.total]).toEqual([8, 8]);
  // A group of several lasts from the first failure of any to the last of any.
  const { groups } = await failures(shop().opened, {});
  const cards = groups.filter(({ type }) => type === "CardDeclined");
  expect(cards.length).toBeGreaterThan(1);
  const times = (name: "first_seen" | "last_seen") => cards.map((group) => group[name] ?? "").sort();
  expect(byException.groups[0]).toMatchObject({
    first_seen: times("first_seen")[0],
    last_seen: times("last_seen").at(-1),
  });
});

test("a retried invocation is one example of its group, also if groups are merged", async () => {
  const [pay] = (await failures(shop().opened, { by: ["task"], task_id: ["shop.pay"] })).groups;
  expect(pay?.invocation_ids).toEqual(["gone", "card3", "card2", "card1", "card0"]);
  expect(pay?.runners).toEqual([{ runner_id: "r1", examples: 5 }]);
});

test("failures of a task with one exception are one group, which says how many messages they had", async () => {
  const app = shop().invocation("paper", {
    history: failed(800),
    exception: storedException("CardDeclined", "no paper"),
  });
  const of = async (by: string[]) =>
    (await failures(app.opened, { by, task_id: ["shop.pay"] })).groups
      .filter(({ type }) => type !== null)
      .map(({ message, causes, failed }) => ({ message, causes, failed }));
  expect(await of([])).toEqual([{ message: null, causes: 2, failed: 5 }]);
  expect(await of(["group"])).toEqual([
    { message: "card of order <value> declined", causes: 1, failed: 4 },
    { message: "no paper", causes: 1, failed: 1 },
  ]);
});

test("a group's search query finds its invocations and no others", async () => {
  const app = shop()
    .invocation("paper", {
      history: failed(800),
      exception: storedException("CardDeclined", '\n no "paper" in  printer\t7\nof 8'),
    })
    .invocation("silent", { history: failed(810), exception: storedException("CardDeclined", "") });
  const { groups } = await failures(app.opened, { by: ["group"] });
  const found = await Promise.all(
    groups.map(async ({ query, task_id_key }) => {
      if (query === null) return null;
      const raw = { q: [query], task_id: [task_id_key ?? ""], status: ["failed"] };
      const { invocations } = await listInvocations(app.opened, await readInvocationInput(app.opened, raw));
      return invocations.map((row) => row.invocation_id);
    }),
  );
  const of = (message: string | null) => found[groups.findIndex((group) => group.message === message)];
  expect(of("card of order <value> declined")).toEqual(["card3", "card2", "card1", "card0"]);
  expect(of("no <value> in printer <value> …")).toEqual(["paper"]);
  expect(of(null)).toBeNull();
  expect(groups.find(({ message }) => message === "")?.query).toBe("exception:CardDeclined");
});

test("only failures in the range and of the task are counted and given as examples", async () => {
  const early = await failures(shop().opened, {
    from: ["2026-01-05T12:00"],
    to: ["2026-01-05T12:03"],
    task_id: ["shop.pay"],
  });
  expect(early.groups.map(({ count, invocation_ids }) => [count, invocation_ids])).toEqual([[2, ["card1", "card0"]]]);
  expect((await failures(shop().opened, { from: ["2026-01-05T12:30"] })).groups).toEqual([]);
});

/** 24 failures, each with a success a minute later: failures are of one plan and one runner, nothing else differs. */
function trials(plan: (n: number, fails: boolean) => string, runner: (n: number, fails: boolean) => string): MemoryApp {
  const app = memoryApp({ now: at(HOUR) });
  for (let n = 0; n < 24; n++) {
    const stored = (fails: boolean) => ({ plan: JSON.stringify(plan(n, fails)), order: `"O-${n}-${fails}"` });
    const exception = storedException("CardDeclined", "declined");
    app.invocation(`bad${n}`, { arguments: stored(true), history: failed(n * 100, runner(n, true)), exception });
    const [registered, pending, running] = failed(n * 100 + 60, runner(n, false));
    if (registered === undefined || pending === undefined || running === undefined) throw new Error("too short");
    app.invocation(`good${n}`, {
      arguments: stored(false),
      history: [registered, pending, running, [at(n * 100 + 63), "success", runner(n, false)]],
    });
  }
  return app;
}

test("arguments and runners that are more frequent in failures than in successes stand out, with both counts", async () => {
  const app = trials(
    (n, fails) => (fails || n % 8 === 0 ? "trial" : "paid"),
    (n, fails) => (fails ? "r1" : `r${2 + (n % 3)}`),
  );
  const [group] = (await failures(app.opened, {})).groups;
  // Of the successes of each hour eight are looked at.
  const counts = { failures: 20, failures_looked_at: 20, successes_looked_at: 8 };
  expect(group?.stands_out).toMatchObject([
    { kind: "runner", name: null, value: "r1", ...counts, successes: 0 },
    { kind: "argument", name: "plan", value: '"trial"', ...counts },
  ]);
  expect(group?.invocation_ids).toHaveLength(10);
  const { recent: found } = await recent(app.opened, {});
  expect(found?.groups[0]?.stands_out).toEqual([]);
});

test("nothing stands out if failures and successes have the same traits", async () => {
  const app = trials(
    (n) => (n % 2 === 0 ? "trial" : "paid"),
    (n) => `r${n % 3}`,
  );
  expect((await failures(app.opened, {})).groups.map(({ stands_out }) => stands_out)).toEqual([[]]);
});

test("an invocation that was retried and succeeded does not count as a success to compare its retry with", async () => {
  const app = memoryApp({ now: at(6 * HOUR) });
  // In each of five hours four of either: all of them are looked at.
  for (let n = 0; n < 40; n++) {
    const begins = Math.floor(n / 8) * HOUR + (n % 8) * 100;
    const steps = failed(begins, "r1", n % 2 === 0 ? 1 : 0).slice(0, -1);
    app.invocation(`i${n}`, {
      arguments: { plan: n % 2 === 0 ? '"trial"' : '"paid"' },
      history: [...steps, [at(begins + 40), "success", "r1"]],
    });
  }
  const [group] = (await failures(app.opened, { range: ["7h"] })).groups;
  expect(group).toMatchObject({
    retries: 20,
    failed: 0,
    stands_out: [{ name: "plan", value: '"trial"', failures: 20, successes: 0, successes_looked_at: 20 }],
  });
});
