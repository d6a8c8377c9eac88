import { expect, test } from "vitest";
import { type ComparedInvocation, differences, type LeftOut } from "../../../src/services/compare/differences.ts";
import { cases } from "../../support/cases.ts";
import { randomFrom } from "./random.ts";

const NOTHING: LeftOut = { dimensions: new Set(), arguments: new Set(), measures: new Set() };

const TASKS = ["shop.pay", "shop.ship", "mail.send", "report.day"];

interface World {
  random: () => number;
  /** How much longer than usual it runs. */
  factor?(task: string, host: string, region: string): number;
}

/** An invocation of an app in which hosts, regions and tasks have nothing to do with each other. */
function invocation({ random, factor = () => 1 }: World): ComparedInvocation & { host: string; region: string } {
  const pick = (all: readonly string[]) => all[Math.floor(random() * all.length)] ?? "";
  const task = pick(TASKS);
  const host = pick(["a", "b", "c", "d"]);
  const region = pick(["eu", "us", "asia"]);
  const usual = 2 ** TASKS.indexOf(task) * Math.exp(random() + random() - 1);
  const of = (dimension: ComparedInvocation["having"][number]["dimension"], value: string | null) => ({
    dimension,
    argument: null,
    value,
  });
  const argument = (name: string, value: string) => ({ dimension: "argument" as const, argument: name, value });
  return {
    ...{ task, host, region },
    having: [
      of("task", task),
      of("host", host),
      of("runner", `${host}-${Math.floor(random() * 3)}`),
      of("hour", String(Math.floor(random() * 24))),
      of("parent_task", random() < 0.5 ? null : pick(TASKS)),
      of("retries", String(Math.floor(random() ** 4 * 4))),
      argument("region", region),
      argument("order", String(Math.floor(random() * 1e9))),
      argument("shelf", String(Math.floor(random() * 40))),
    ],
    unknown: random() < 0.1 ? ["trigger"] : [],
    run: usual * factor(task, host, region),
    wait: random() < 0.05 ? null : random(),
  };
}

function many(world: World, number: number) {
  return Array.from({ length: number }, () => invocation(world));
}

const words = (found: ReturnType<typeof differences>["differences"][number] | undefined) =>
  found?.having.map(({ argument, dimension, value }) => `${argument ?? dimension}=${value}`).sort();

test("two random halves have no differences", () => {
  for (let seed = 1; seed <= cases(100); seed++) {
    const random = randomFrom(seed);
    const all = many({ random }, 300);
    const half = all.map(() => random() < 0.5);
    const { differences: found, values } = differences(
      all.filter((_, i) => half[i]),
      all.filter((_, i) => !half[i]),
      NOTHING,
    );
    expect([seed, found]).toEqual([seed, []]);
    expect(values).toBeGreaterThan(40);
  }
});

test("where too few invocations differ, the closest differences are apart from significant ones, and both medians are known, also of what the selection was chosen by", () => {
  const random = randomFrom(7);
  const all = many({ random }, 120);
  const [here, there] = [all.slice(0, 6), all.slice(6)];
  const having = here.map((one) => ({
    ...one,
    having: [
      ...one.having.filter(({ argument }) => argument !== "region"),
      { dimension: "argument" as const, argument: "region", value: "eu" },
    ],
  }));
  const found = differences(having, there, NOTHING);
  expect(found.differences).toEqual([]);
  expect(found.closest.map(words)).toContainEqual(["region=eu"]);
  expect(found.closest.length).toBeLessThanOrEqual(5);
  const shares = found.closest.filter(({ measure }) => measure === "share").map(({ apart }) => Math.abs(apart));
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  expect(found.closest.flatMap(words).filter((word) => word?.startsWith("order="))).toEqual([]);
  expect(found.medians.map(({ measure, here: a, there: b }) => [measure, a.count > 0, b.count > 100])).toEqual([
    ["run", true, true],
    ["wait", true, true],
  ]);
  const middle = having.map((one) => one.run ?? 0).sort((a, b) => a - b);
  expect(found.medians[0]?.here.median).toBeCloseTo(((middle[2] ?? 0) + (middle[3] ?? 0)) / 2, 9);
  // Of six, the longest.
  expect(found.medians[0]?.here.p95).toBe(middle[5]);
  const chosenByRun = differences(having, there, { ...NOTHING, measures: new Set(["run"]) });
  expect(chosenByRun.medians).toEqual(found.medians);
  expect(chosenByRun.closest.some(({ measure }) => measure === "run")).toBe(false);
  const planted = differences(
    all.map((one) => ({ ...one, having: [{ dimension: "host", argument: null, value: "x" }] })),
    there,
    NOTHING,
  );
  expect([planted.differences.length > 0, planted.closest]).toEqual([true, []]);
});

const PLANTED = (_: string, host: string, region: string) => (host === "b" && region === "eu" ? 5 : 1);

test("what slow invocations have in common comes first, even if two values cause it together", () => {
  for (let seed = 1; seed <= cases(20); seed++) {
    const random = randomFrom(seed);
    const all = many({ random, factor: PLANTED }, 900);
    const slow = (one: ComparedInvocation) => (one.run ?? 0) > 12 && one.task !== "report.day";
    const [first] = differences(
      all.filter(slow),
      all.filter((one) => !slow(one)),
      {
        ...NOTHING,
        measures: new Set(["run"]),
      },
    ).differences;
    expect([seed, first?.measure, words(first)]).toEqual([seed, "share", ["host=b", "region=eu"]]);
    expect(first?.here.count).toBe(all.filter((one) => slow(one) && one.host === "b" && one.region === "eu").length);
  }
});

test("what became slower comes first, with the factor by which it did", () => {
  for (let seed = 1; seed <= cases(20); seed++) {
    const random = randomFrom(seed);
    const found = differences(many({ random, factor: PLANTED }, 1_200), many({ random }, 1_200), NOTHING).differences;
    const [first] = found;
    expect([seed, first?.measure, words(first)]).toEqual([seed, "run", ["host=b", "region=eu"]]);
    expect(first?.times).toBeGreaterThan(4);
    expect(first?.times).toBeLessThan(6.3);
    expect(found.filter(({ measure }) => measure !== "run")).toEqual([]);
  }
});

test("if everything takes longer, one difference says so, and not each value", () => {
  const random = randomFrom(7);
  const [slow, usual] = [many({ random, factor: () => 3 }, 500), many({ random }, 501)];
  const found = differences(slow, usual, NOTHING).differences;
  expect(found.map((one) => [one.measure, words(one)])).toEqual([["run", []]]);
  const runs = (all: readonly ComparedInvocation[]) => all.map(({ run }) => run ?? 0).sort((a, b) => a - b);
  const [a, b] = [runs(slow), runs(usual)];
  expect(found[0]?.here).toEqual({ count: 500, total: 500, median: ((a[249] ?? 0) + (a[250] ?? 0)) / 2, p95: a[474] });
  expect(found[0]?.there).toEqual({ count: 501, total: 501, median: b[250], p95: b[475] });
  expect(found[0]?.times).toBeCloseTo(3, 0);
});

test("a different mix of tasks is no difference in durations", () => {
  const random = randomFrom(3);
  const here = many({ random }, 800).filter(({ task }) => task !== "report.day" || random() < 0.1);
  const found = differences(here, many({ random }, 800), NOTHING).differences;
  expect(found.map((one) => [one.measure, words(one)])).toEqual([["share", ["task=report.day"]]]);
  expect(found[0]?.apart).toBeLessThan(-0.1);
});

test("excluded dimensions give no differences, and unknown ones do not count in totals", () => {
  const random = randomFrom(5);
  const all = many({ random }, 400);
  const eu = all
    .filter(({ region }) => region === "eu")
    .map((one, i) =>
      i < 9
        ? { ...one, unknown: ["host" as const], having: one.having.filter(({ dimension }) => dimension !== "host") }
        : one,
    );
  const others = all.filter(({ region }) => region !== "eu");
  const told = differences(eu, others, NOTHING).differences;
  expect(told.map(words)).toEqual([["region=eu"]]);
  expect(told[0]?.here).toEqual({ count: eu.length, total: eu.length, median: null, p95: null });
  expect(differences(eu, others, { ...NOTHING, arguments: new Set(["region"]) }).differences).toEqual([]);
  const onB = all.filter(({ host }) => host === "b");
  const host = differences(onB, eu, NOTHING).differences.find((one) => words(one)?.[0] === "host=b");
  expect(host?.there.total).toBe(eu.length - 9);
});

test("values that the same invocations have are one difference", () => {
  const random = randomFrom(9);
  const alone = (one: ComparedInvocation & { host: string }) => ({
    ...one,
    having: one.having.map((having) =>
      having.dimension === "runner" ? { ...having, value: `only-${one.host}` } : having,
    ),
  });
  const all = many({ random }, 400).map(alone);
  const slow = (one: (typeof all)[number]) => one.host === "b" && random() < 0.5;
  const chosen = new Set(all.filter(slow));
  const [first, ...rest] = differences(
    [...chosen],
    all.filter((one) => !chosen.has(one)),
    NOTHING,
  ).differences;
  expect([words(first), first?.alike.map(({ value }) => value), rest]).toEqual([["host=b"], ["only-b"], []]);
});

test("empty and tiny groups have no differences", () => {
  const random = randomFrom(1);
  expect(differences([], [], NOTHING)).toMatchObject({ differences: [], closest: [], values: 0, pairs: 0 });
  expect(differences([], many({ random }, 50), NOTHING).closest).toEqual([]);
  expect(differences([], many({ random }, 50), NOTHING).differences).toEqual([]);
  expect(differences(many({ random }, 3), many({ random }, 50), NOTHING).differences).toEqual([]);
});
