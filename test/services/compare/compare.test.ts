import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StoreUnreachableError } from "../../../src/errors.ts";
import { compare } from "../../../src/services/compare/compare.ts";
import { comparedFacts } from "../../../src/services/compare/compared-facts.ts";
import { drawnFrom, SAMPLE, WHOLE } from "../../../src/services/compare/compared-sample.ts";
import { counting, storeWith } from "../../support/counting.ts";
import { storedException } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { randomFrom } from "./random.ts";

const HOUR = 3_600;

/** Milliseconds that have passed. Nothing takes any unless a test says so. */
let elapsed = 0;

beforeEach(() => {
  elapsed = 0;
  vi.spyOn(performance, "now").mockImplementation(() => elapsed);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The app where every read takes as long as this, in milliseconds; those before the `from`th take none. */
async function slowly({ opened }: MemoryApp, milliseconds: number, from = 0): Promise<MemoryApp["opened"]> {
  await opened.inventory();
  let reads = 0;
  const store = storeWith(opened.store, async (fn, signal) => {
    const found = await opened.store.read(fn, signal);
    if (reads++ >= from) elapsed += milliseconds;
    return found;
  });
  return { ...opened, store };
}

/** How many there are of each part of the whole, which `n` numbers up to it. */
function spread(ids: Iterable<string>, whole: number, parts: number): number[] {
  const counts = new Array<number>(parts).fill(0);
  for (const id of ids) {
    const part = Math.floor((Number(id.slice(1)) * parts) / whole);
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}

interface ShopOptions {
  seed?: number;
  /** When it is registered, in seconds. */
  begins?: (n: number) => number;
  /** Whether what is planted has happened by then. */
  slow?: (begins: number) => boolean;
  failed?: (n: number) => boolean;
}

/** An app in which orders of region eu take five times as long on host b. */
function shop(
  number: number,
  { seed = 1, begins = (n) => n * 2, slow = () => true, failed = () => false }: ShopOptions = {},
): MemoryApp {
  const random = randomFrom(seed);
  const app = memoryApp({ now: at(4 * HOUR) });
  for (const host of ["a", "b", "c"]) app.context(`runner-${host}`, { hostname: host });
  for (let n = 0; n < number; n++) {
    const pick = (all: readonly string[]) => all[Math.floor(random() * all.length)] ?? "";
    const [host, region] = [pick(["a", "b", "c"]), pick(["eu", "us", "asia"])];
    const from = begins(n);
    const usual = 0.8 + random() * 0.6;
    const run = host === "b" && region === "eu" && slow(from) ? usual * 8 : usual;
    const runner = `runner-${host}`;
    const again: Step[] =
      random() < 0.2
        ? [
            [at(from + 0.3), "running", runner],
            [at(from + 0.4), "retry", runner],
          ]
        : [];
    app.invocation(`i${n}`, {
      task: pick(["shop.pay", "shop.ship"]),
      arguments: { order: JSON.stringify({ region, id: n }), half: String(Math.floor(random() * 2)) },
      history: [
        [at(from), "registered"],
        ...again,
        [at(from + 0.5), "pending", runner],
        [at(from + 0.6), "running", runner],
        [at(from + 0.6 + run), failed(n) ? "failed" : "success", runner],
      ],
      ...(failed(n) && { exception: storedException("NoShelf", `no shelf ${n}`) }),
    });
  }
  return app.inOrder();
}

/** More than are compared whole, of which one of four failed. Made once: tests only read it. */
let large: MemoryApp | undefined;
function largeShop(): MemoryApp {
  large ??= shop(2 * SAMPLE, { failed: (n) => n % 4 === 0 });
  return large;
}

/** As large; nothing is planted, and what failed is rare. */
let even: MemoryApp | undefined;
function evenShop(): MemoryApp {
  even ??= shop(2 * SAMPLE, { slow: () => false, failed: (n) => n % 150 === 7 });
  return even;
}

const words = ({ values }: { values: readonly { words: string }[] } = { values: [] }) =>
  values.map((value) => value.words);

test("what slow invocations have in common comes first, in a sentence with the counts of both sides", async () => {
  const model = await compare(shop(600).opened, { q: ["run>5s"] });
  const [first, ...others] = model.differences;
  expect(words(first)).toEqual(["host b", "order.region=eu"]);
  expect(first?.here).toEqual({
    count: model.here.compared,
    total: model.here.compared,
    median_seconds: null,
    p95_seconds: null,
  });
  expect(first?.there).toEqual({ count: 0, total: model.there.compared, median_seconds: null, p95_seconds: null });
  expect(first?.sentence).toBe(
    `host b and order.region=eu: ${model.here.compared} of ${model.here.compared} selected, 0 of ${model.there.compared} in the baseline`,
  );
  expect(others.map(words)).toEqual(expect.arrayContaining([["host b"], ["order.region=eu"]]));
  expect(others.find((one) => words(one)[0] === "host b")?.alike.map((one) => one.words)).toEqual(["runner runner-b"]);
  expect(others.find((one) => words(one)[0] === "order.region=eu")?.query).toBe("arg.order.region=eu");
  expect(model.here.compared + model.there.compared).toBe(600);
  expect([model.with, model.left_out, model.here.sample, model.there.sample, model.notes]).toEqual([
    "rest",
    ["time running"],
    false,
    false,
    [],
  ]);
});

test("a time range is compared with the one before it, and what became slower comes first", async () => {
  const app = shop(1_200, { begins: (n) => n * 6 + 2 * HOUR, slow: (begins) => begins >= 3 * HOUR });
  const model = await compare(app.opened, { range: ["1h"] });
  const [first] = model.differences;
  expect([model.with, first?.measure, words(first)]).toEqual(["before", "run", ["host b", "order.region=eu"]]);
  expect(first?.times).toBeGreaterThan(6);
  expect(first?.sentence).toMatch(
    /^host b and order.region=eu: time running [78](\.\d)?× as long, median \d.* selected, .* in the baseline$/,
  );
  expect(model.left_out).toEqual(["hour of day"]);
  expect(model.here.compared + model.there.compared).toBe(1_200);
});

test("a uniform sample of many invocations is compared", async () => {
  const app = evenShop();
  const model = await compare(app.opened, { q: ["arg.half=1"] });
  expect(model.differences).toEqual([]);
  expect([model.here.sample, model.there.sample]).toEqual([true, true]);
  for (const { compared, total } of [model.here, model.there]) {
    expect(compared).toBeGreaterThan(SAMPLE * 0.4);
    expect(compared).toBeLessThanOrEqual(WHOLE);
    expect(total).toBeGreaterThan(2 * SAMPLE * 0.45);
  }
  expect((model.here.total ?? 0) + (model.there.total ?? 0)).toBeCloseTo(2 * SAMPLE, -1);
  const hour = await compare(app.opened, { q: ["arg.half=1"], from: ["2026-01-05T12:30"], to: ["2026-01-05T15:10"] });
  const estimate = (hour.here.total ?? 0) + (hour.there.total ?? 0);
  // A registration every two seconds.
  expect(estimate / (160 * 30)).toBeGreaterThan(0.95);
  expect(estimate / (160 * 30)).toBeLessThan(1.05);
  expect(hour.differences).toEqual([]);
});

test("a rare selection is compared in full, and excluded from the sample of the rest", async () => {
  const app = evenShop();
  const model = await compare(app.opened, { status: ["failed"] });
  expect([model.here.compared, model.here.total, model.here.sample]).toEqual([
    (2 * SAMPLE) / 150,
    (2 * SAMPLE) / 150,
    false,
  ]);
  expect([model.there.sample, model.there.compared]).toEqual([true, 2_000]);
  expect(model.left_out).toEqual(["status", "exception"]);
  // Each of them failed after it was registered in its second; a retry is as likely as for the others.
  expect(model.differences.map(words)).toEqual([]);
  const late = await compare(app.opened, { status: ["failed"], from: ["2026-01-05T14:00"] });
  expect(late.here.compared).toBeLessThan(model.here.compared / 2);
});

test("another search as the baseline excludes the selection, and what both ask for is not compared", async () => {
  const app = shop(400, { failed: (n) => n % 5 === 0 });
  const model = await compare(app.opened, { q: ["status:failed task:shop.pay"], with: ["task:shop.pay"] });
  const pay = (await compare(app.opened, { q: ["task:shop.pay"] })).here.compared;
  expect(model.here.compared + model.there.compared).toBe(pay);
  expect([model.with, model.left_out]).toEqual(["task:shop.pay", ["status", "exception"]]);
  const runs = await compare(app.opened, { q: ["arg.order.region=eu"], with: ["arg.order.region=us"] });
  expect(runs.left_out).toEqual(["argument order.region"]);
  expect((await compare(app.opened, { q: ["has:error"] })).left_out).toEqual(["status", "exception"]);
  expect((await compare(app.opened, { q: ["has:parent"] })).left_out).toEqual(["parent task"]);
});

test("the baseline of a longer range excludes that of the shorter one, even if both are sampled", async () => {
  // One every two seconds, of which the last 3,600 are in the selection.
  const app = evenShop();
  const { here, there } = await compare(app.opened, { from: ["2026-01-05T13:20"], with: ["since:1d"] });
  expect([here.sample, there.sample]).toEqual([true, true]);
  expect((here.total ?? 0) / 3_600).toBeCloseTo(1, 1);
  expect(Math.abs((there.total ?? 0) / 2_400 - 1)).toBeLessThan(0.2);
});

test("without a selection nothing is read, and a note says what to ask for", async () => {
  const { store, calls } = counting(shop(20).store);
  const model = await compare({ ...shop(20).opened, store }, {});
  expect([calls(), model.here.total, model.differences, model.notes.length]).toEqual([0, null, [], 1]);
  expect((await compare({ ...shop(20).opened, store }, { to: ["2026-01-05"] })).notes).toEqual(model.notes);
});

test.each([
  [{ with: ["before"], q: ["status:failed"] }, "with", /a range with a start/],
  [{ with: ["statsu:failed"], q: ["status:failed"] }, "with", /one of the fields/],
  [{ q: ["statsu:failed"] }, "q", /one of the fields/],
  [{ whit: ["rest"] }, "whit", /the parameters here are q, status/],
  [{ limit: ["201"] }, "limit", /from 1 to 200/],
])("the request %j is refused", async (raw, parameter, accepted) => {
  await expect(compare(shop(1).opened, raw as Record<string, string[]>)).rejects.toMatchObject({
    problems: [{ parameter, accepted: expect.stringMatching(accepted) }],
  });
});

test("a store that cannot be read is not taken for a search that cannot be understood", async () => {
  const { opened } = shop(1);
  const away = new StoreUnreachableError("busy", "The store is locked.");
  const app = { ...opened, store: storeWith(opened.store, () => Promise.reject(away)) };
  await expect(compare(app, { q: ["status:failed"], with: ["is:stuck"] })).rejects.toBe(away);
});

test("a comparison costs the same number of reads for any number of rows", async () => {
  const asked = async (number: number) => {
    const app = shop(number, { failed: (n) => n % 4 === 0 });
    const { store, calls } = counting(app.store);
    await app.opened.inventory();
    await compare({ ...app.opened, store }, { q: ["status:failed has:parent"], from: ["2026-01-05"] });
    return calls();
  };
  expect(await asked(200)).toBe(await asked(20));
});

test("one that the orchestrator has forgotten is in a range by the last entry of its history", async () => {
  const history: Step[] = [
    [at(0), "registered"],
    [at(10), "pending"],
    [at(20), "running"],
    [at(100), "success"],
  ];
  const { opened } = memoryApp().invocation("gone", { status: null, history });
  const compared = async (range: { from: number | null; to: number | null }) =>
    (await comparedFacts(opened, ["gone"], range, Number.POSITIVE_INFINITY)).facts.size;
  expect([await compared({ from: at(50), to: null }), await compared({ from: null, to: at(50) })]).toEqual([1, 0]);
});

test("without a history the invocations registered last are compared, as a sample if there are more of them", async () => {
  const drawn = async (number: number) => {
    const { opened } = memoryApp().invocations(number, () => ({ history: [], status: null }));
    await opened.inventory();
    const { ids, total, sample } = await drawnFrom(opened, { from: null, to: null }, 0);
    return [ids.length, total, sample];
  };
  expect(await drawn(SAMPLE + 1)).toEqual([SAMPLE, null, true]);
  expect(await drawn(SAMPLE - 1)).toEqual([SAMPLE - 1, null, false]);
});

test("in a slow store a part is read, spread over the range, and a note says how many are not compared", async () => {
  const app = shop(1_200);
  const ids = Array.from({ length: 1_200 }, (_, n) => `i${n}`);
  const late = await comparedFacts(app.opened, ids, { from: null, to: null }, -1);
  expect(late.examined).toBe(400);
  expect(spread(late.facts.keys(), 1_200, 3)).toEqual([134, 133, 133]);
  const whole = await comparedFacts(app.opened, ids, { from: null, to: null }, Number.POSITIVE_INFINITY);
  expect([whole.examined, whole.facts.size]).toEqual([1_200, 1_200]);

  // What is to be compared is found by then.
  const { here, there, notes } = await compare(await slowly(app, 7_000, 6), { q: ["task:shop.pay"] });
  const [pay, ship] = [here.total ?? 0, there.total ?? 0];
  expect([here.sample, there.sample, pay + ship]).toEqual([true, true, 1_200]);
  expect([here.compared, there.compared]).toEqual([Math.ceil(pay / 2), Math.ceil(ship / 2)]);
  expect(notes).toEqual([
    `The store is slow: ${1_200 - here.compared - there.compared} invocations of the selection and the baseline could not be read within 8 s and are not compared.`,
  ]);
});

test("in a slow store that is read in time all are compared, without a note", async () => {
  const { here, there, notes } = await compare(await slowly(shop(60), 4_000), { q: ["task:shop.pay"] });
  expect([here.sample, there.sample, here.compared + there.compared, notes]).toEqual([false, false, 60, []]);
});

test("in a slow store a smaller sample is drawn, still spread over the range", async () => {
  const number = 2 * SAMPLE;
  const app = largeShop();
  const range = { from: at(0), to: at(2 * number) };
  const whole = await drawnFrom(await slowly(app, 0), range, 1);
  const some = await drawnFrom(await slowly(app, 1), range, elapsed + 1);
  expect([some.sample, some.ids.length / whole.ids.length]).toEqual([true, expect.closeTo(1 / 5, 1)]);
  expect((some.total ?? 0) / number).toBeCloseTo(1, 1);
  const parts = spread(some.ids, number, 5);
  expect(Math.min(...parts)).toBeGreaterThan(some.ids.length / 7);
  expect(Math.max(...parts)).toBeLessThan(some.ids.length / 4);
});

test.each([
  ["the rest", {}],
  ["another search", { with: ["arg.half=1"] }],
])("in a slow store the selection and %s come from what was examined in time", async (_, given) => {
  const app = shop(1_500);
  const whole = await compare(app.opened, { q: ["run>5s"], ...given });
  expect([whole.here.sample, whole.there.sample, whole.notes]).toEqual([false, false, []]);
  const { here, there, notes } = await compare(await slowly(app, 1_000), { q: ["run>5s"], ...given });
  expect([here.sample, there.sample]).toEqual([true, true]);
  // Those that are examined first are a third of all, and so are those found among them, by chance.
  for (const [some, all] of [[here, whole.here] as const, [there, whole.there] as const]) {
    expect((3 * some.compared) / all.compared).toBeCloseTo(1, 1);
    expect(some.total).toBe(3 * some.compared);
  }
  expect(notes[0]).toBe("The store is slow: the search took longer than 4 s, so fewer invocations may be compared.");
});

test.each([
  ["the rest", {}],
  ["a search that an index answers", { with: ["status:failed"] }],
])("the baseline, %s, of many invocations in a slow store excludes everything selected", async (_, given) => {
  const app = largeShop();
  const whole = await compare(app.opened, { q: ["run>5s"], ...given });
  for (const inTime of [0, 4, 9, 18]) {
    const { differences, there } = await compare(await slowly(app, 4_000, inTime), { q: ["run>5s"], ...given });
    expect([words(differences[0]), differences[0]?.there.count]).toEqual([["host b", "order.region=eu"], 0]);
    expect((there.total ?? 0) / (whole.there.total ?? 0)).toBeGreaterThan(0.7);
  }
});

test("a very slow store is read once for each part of the question, and not in batches", async () => {
  const app = await slowly(largeShop(), 60_000);
  await compare(app, { q: ["status:failed"], with: ["task:shop.pay"], range: ["1d"] });
  expect(elapsed / 60_000).toBeLessThanOrEqual(12);
});

test("an invocation is compared by all of its known facts", async () => {
  const app = memoryApp({ now: at(HOUR) })
    .context("r1", { hostname: "b" })
    .invocation("parent", { task: "shop.order", history: [[at(0), "registered"]] })
    .invocation("child", {
      task: "shop.pay",
      parent: "parent",
      arguments: {
        region: '"eu"',
        order: '{"id":7,"to":{"city":"Ulm"}}',
        note: "not JSON",
        long: JSON.stringify("x".repeat(200)),
      },
      history: [
        [at(HOUR), "registered"],
        [at(HOUR + 2), "pending", "r1"],
        [at(HOUR + 3), "running", "r1"],
        [at(HOUR + 5), "paused", "r1"],
        [at(HOUR + 9), "resumed", "r1"],
        [at(HOUR + 10), "failed", "r1"],
      ],
      exception: storedException("CardDeclined", "card of order O-77 declined"),
    });
  const ids = ["child", "parent", "unknown"];
  const { facts: found, examined } = await comparedFacts(app.opened, ids, { from: null, to: null }, 0);
  expect(examined).toBe(3);
  expect([...found.keys()]).toEqual(["child", "parent"]);
  const child = found.get("child");
  const shown = child?.having.map(({ dimension, argument, value }) => `${dimension} ${argument ?? ""} ${value}`).sort();
  expect(shown).toEqual([
    "argument note not JSON",
    "argument order.id 7",
    "argument order.to.city Ulm",
    "argument region eu",
    "exception  CardDeclined: card of order <value> declined",
    "host  b",
    "hour  13",
    "parent_task  shop.order",
    "retries  0",
    "runner  r1",
    "status  failed",
    "task  shop.pay",
    "trigger  null",
  ]);
  expect([child?.run, child?.wait, child?.unknown]).toEqual([3, 3, []]);
  const parent = found.get("parent");
  expect([parent?.run, parent?.wait, parent?.unknown]).toEqual([null, null, ["runner", "host"]]);
  const early = await comparedFacts(app.opened, ["child", "parent"], { from: null, to: at(HOUR) }, 0);
  expect([...early.facts.keys()]).toEqual(["parent"]);
});

test("a selection of some invocations of a task is compared with the others of that task unless a baseline is given", async () => {
  const app = memoryApp({ now: at(1_000) });
  for (let n = 0; n < 12; n++) {
    app.invocation(`i${n}`, {
      task: n % 3 === 0 ? "shop.pay" : "shop.ship",
      history: [
        [at(n), "registered"],
        [at(n + 1), "pending", "r1"],
        [at(n + 2), "running", "r1"],
        [at(n + 3 + n), n % 2 === 0 ? "failed" : "success", "r1"],
      ],
    });
  }
  const baselineOf = async (raw: Record<string, string[]>) => {
    const { with: baseline, there } = await compare(app.opened, raw);
    return [baseline, there.total];
  };
  expect(await baselineOf({ q: ["run>5s task:shop.ship"] })).toEqual(["task:shop.ship", 3]);
  expect(await baselineOf({ status: ["failed"], task_id: ["shop.ship"] })).toEqual(["task:shop.ship", 4]);
  expect(await baselineOf({ q: ["status:failed task:*.ship"] })).toEqual(["task:*.ship", 4]);
  expect(await baselineOf({ q: ["run>5s task:shop.ship"], with: ["rest"] })).toEqual(["rest", 7]);
  expect(await baselineOf({ q: ["run>5s -task:shop.ship"] })).toEqual(["rest", 10]);
  expect(await baselineOf({ q: ["task:shop.ship"] })).toEqual(["rest", 4]);
});
