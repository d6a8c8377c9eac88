import { describe, expect, test } from "vitest";
import { Stats } from "../../../src/api/stats.ts";
import { InvalidInputError, RefusedError } from "../../../src/errors.ts";
import { isoFromEpoch, utcText } from "../../../src/pynenc/time.ts";
import { stats } from "../../../src/services/stats/stats.ts";
import { differences } from "../../support/answers.ts";
import { storedException } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const HOUR = 3_600;

/** Registered, taken two seconds later, and ended. */
function run(begins: number, seconds: number, end: string, runner = "r1"): Step[] {
  return [
    [at(begins), "registered"],
    [at(begins + 1), "pending", runner],
    [at(begins + 2), "running", runner],
    [at(begins + 2 + seconds), end, runner],
  ];
}

/** An hour of work: `pay` ends well and twice badly, `ship` was slow an hour before. */
function shop(): MemoryApp {
  return memoryApp({ now: at(2 * HOUR) })
    .context("r1", { hostname: "blue" })
    .context("r2", { hostname: "green" })
    .invocation("p1", { history: run(HOUR + 60, 1, "success") })
    .invocation("p2", { history: run(HOUR + 120, 3, "failed") })
    .invocation("p3", { history: run(HOUR + 180, 4, "failed", "r2") })
    .invocation("s1", { task: "shop.ship", history: run(HOUR + 240, 2, "success", "r2") })
    .invocation("s0", { task: "shop.ship", history: run(60, 20, "success") });
}

describe("statistics", () => {
  test("are of the last hour by default, by task, those with most failures first", async () => {
    const model = await stats(shop().opened, {});
    expect([model.from, model.to, model.complete]).toEqual([isoFromEpoch(at(HOUR)), isoFromEpoch(at(2 * HOUR)), true]);
    expect(model.total).toMatchObject({ registered: 4, started: 4, finished: 4, failed: 2, failed_share: 0.5 });
    expect(model.total.per_minute).toBeCloseTo(4 / 60, 9);
    expect(model.rows).toMatchObject([
      { task_id_key: "shop.pay", finished: 3, failed: 2, retries: 0, before: null },
      { task_id_key: "shop.ship", finished: 1, failed: 0, failed_share: 0, before: null },
    ]);
    const [pay] = model.rows;
    expect(pay !== undefined && "wait" in pay ? pay.wait.p95_seconds : null).toBeCloseTo(2, 1);
    expect(
      pay !== undefined && "run" in pay
        ? [pay.run.p50_seconds, pay.run.max_seconds].map((s) => Math.round(s ?? 0))
        : null,
    ).toEqual([3, 4]);
  });

  test("have correct quantiles of waits and runs, also between the 95th and the 99th percentile of a hundred", async () => {
    const app = memoryApp({ now: at(2 * HOUR) }).context("r1", { hostname: "blue" });
    app.invocations(200, (n) => ({ history: run(HOUR + 60, n + 1, "success") }));
    const near = (seconds: number | null) => Math.round(seconds ?? 0);
    for (const by of ["task", "runner", "host"]) {
      const { rows, total } = await stats(app.opened, { by: [by] });
      const [row] = rows;
      for (const figures of [total, row]) {
        const {
          p50_seconds: p50,
          p95_seconds: p95,
          p99_seconds: p99,
          max_seconds: max,
        } = figures !== undefined && "run" in figures ? figures.run : total.wait;
        for (const [found, wanted] of [
          [p50, 100],
          [p95, 190],
          [p99, 198],
          [max, 200],
        ] as const)
          expect(Math.abs(near(found) - wanted)).toBeLessThanOrEqual(2);
      }
    }
  });

  test("have the exact longest wait and run, and no quantile above it", async () => {
    const app = memoryApp({ now: at(2 * HOUR) }).context("r1", { hostname: "blue" });
    const lasting = (seconds: number, from: number): Step[] => [
      [at(from), "registered"],
      [at(from + seconds / 3), "pending", "r1"],
      [at(from + seconds / 3), "running", "r1"],
      [at(from + (seconds * 4) / 3), "success", "r1"],
    ];
    app.invocation("long", { history: lasting(40.02, HOUR + 60) }).invocation("short", { history: lasting(3, HOUR) });
    app.invocation("earlier", { history: lasting(300, 60) });
    for (const by of ["task", "runner", "host"]) {
      const { rows, total } = await stats(app.opened, { by: [by] });
      for (const figures of [total, rows[0]]) {
        const {
          max_seconds: max,
          p99_seconds: p99,
          p95_seconds: p95,
          p50_seconds: p50,
        } = figures !== undefined && "run" in figures ? figures.run : total.run;
        expect(max).toBeCloseTo(40.02, 5);
        expect([p95, p99]).toEqual([max, max]);
        expect(Math.abs((p50 ?? 0) - 3)).toBeLessThan(0.03);
      }
      expect(total.wait.max_seconds).toBeCloseTo(13.34, 5);
    }
    expect((await stats(app.opened, { range: ["2h"] })).total.run.max_seconds).toBeCloseTo(300, 5);
  });

  test("of a single run are exactly its duration", async () => {
    const app = memoryApp({ now: at(2 * HOUR) }).invocations(1, () => ({ history: run(HOUR + 60, 0.498, "success") }));
    const { p50_seconds: p50, p95_seconds: p95, max_seconds: max } = (await stats(app.opened, {})).total.run;
    expect(max).toBeCloseTo(0.498, 5);
    expect([p50, p95]).toEqual([max, max]);
  });

  test("of a task are found by its function name, and an unknown task gets a note with a similar name", async () => {
    const of = async (task: string) => stats(shop().opened, { task_id: [task] });
    expect(await of("ship")).toMatchObject({ filter: { task_id_key: "shop.ship" }, notes: [], total: { finished: 1 } });
    expect((await of("shop.shp")).notes).toEqual(['No task "shop.shp" is known; did you mean shop.ship?']);
    const quiet = await stats(shop().opened, { task_id: ["ship"], range: ["1s"] });
    expect([quiet.entries, quiet.notes]).toEqual([0, []]);
  });

  test("of a range mostly before the stored history have a note that rates are averages over the whole range", async () => {
    const note = `The history begins at ${utcText(at(60))}; rates per minute are averages over the whole range.`;
    expect((await stats(shop().opened, { range: ["5h"] })).notes).toEqual([note]);
    // One hour of three is less than half of it.
    expect((await stats(shop().opened, { range: ["3h"] })).notes).toEqual([]);
  });

  test("of a compared range are listed with each row, even if the range has no figures for it", async () => {
    const model = await stats(shop().opened, { compare: ["previous"], sort: ["name"] });
    expect(model.compared).toMatchObject({
      from: isoFromEpoch(at(0)),
      to: isoFromEpoch(at(HOUR)),
      total: { finished: 1 },
    });
    expect(model.rows.map((row) => row.before?.failed ?? null)).toEqual([null, 0]);
    const later = await stats(shop().opened, { from: [isoFromEpoch(at(HOUR))], compare: ["1h"] });
    expect(later.compared?.from).toBe(isoFromEpoch(at(0)));
  });

  test("have a note if the compared range begins before the stored history", async () => {
    const notesOf = async (compare: string) => (await stats(shop().opened, { compare: [compare] })).notes;
    const note = `The history begins at ${utcText(at(60))}: nothing earlier can be compared.`;
    expect(await notesOf("yesterday")).toEqual([note]);
    expect(await notesOf("61m")).toEqual([note]);
    expect(await notesOf("59m")).toEqual([]);
  });

  test("have rows for tasks that were active only in the compared range", async () => {
    const range = {
      from: [isoFromEpoch(at(HOUR))],
      to: [isoFromEpoch(at(HOUR + 200))],
      compare: ["3000s"],
      sort: ["name"],
    };
    const model = await stats(
      shop().invocation("old", { task: "shop.old", history: run(700, 1, "failed") }).opened,
      range,
    );
    expect(model.rows).toMatchObject([
      { task_id_key: "shop.old", finished: 0, failed: 0, failed_share: null, before: { finished: 1, failed: 1 } },
      { task_id_key: "shop.pay", finished: 3, before: null },
    ]);
    expect(differences(Stats, model)).toEqual([]);
    const exceptions = await stats(shop().opened, { ...range, by: ["exception"] });
    expect(exceptions.rows).toEqual([{ exception: null, failed: 2, retries: 0, tasks: 1, before: null }]);
    const later = { from: [isoFromEpoch(at(HOUR + 400))], compare: ["400s"], by: ["exception"] };
    expect((await stats(shop().opened, later)).rows).toEqual([
      { exception: null, failed: 0, retries: 0, tasks: 0, before: { failed: 2, retries: 0 } },
    ]);
  });

  test("of a range in the future are empty", async () => {
    const model = await stats(shop().opened, { from: [isoFromEpoch(at(5 * HOUR))] });
    expect([model.from, model.to, model.entries]).toEqual([isoFromEpoch(at(5 * HOUR)), isoFromEpoch(at(5 * HOUR)), 0]);
  });

  test("by task, runner and host count the same runs, and a run that continues after a pause once", async () => {
    const history: Step[] = [
      [at(10), "registered"],
      [at(11), "pending", "r1"],
      [at(12), "running", "r1"],
      [at(20), "paused", "r1"],
      [at(30), "running", "r1"],
      [at(40), "success", "r1"],
    ];
    const app = memoryApp({ now: at(300) })
      .invocation("a", { history })
      .runner("r1");
    for (const by of ["task", "runner", "host"]) {
      const { rows, total } = await stats(app.opened, { by: [by] });
      expect([by, total.started, rows.map((row) => "started" in row && row.started)]).toEqual([by, 1, [1]]);
    }
  });

  test("by host add up the runners of each host, with a row for runners without a known host", async () => {
    const app = shop().invocation("x", { history: run(HOUR + 300, 1, "success", "stranger") });
    const model = await stats(app.opened, { by: ["host"], sort: ["finished"] });
    expect(model.rows).toMatchObject([
      { host: "blue", finished: 2, failed: 1 },
      { host: "green", finished: 2, failed: 1 },
      { host: null, finished: 1, failed: 0 },
    ]);
  });

  test("sorted by name begin with the row without a name", async () => {
    const app = shop().invocation("x", { history: run(HOUR + 300, 1, "success", "stranger") });
    const { rows } = await stats(app.opened, { by: ["host"], sort: ["name"] });
    expect(rows.map((row) => ("host" in row ? row.host : undefined))).toEqual([null, "blue", "green"]);
  });

  test("by time slice have the numbers of queued and running invocations at the end of each slice", async () => {
    const app = memoryApp({ now: at(300) })
      .invocation("a", {
        history: [
          [at(10), "registered"],
          [at(70), "pending"],
          [at(71), "running"],
          [at(130), "paused"],
        ],
      })
      .invocation("b", { history: [[at(20), "registered"]] });
    const { slices } = await stats(app.opened, { from: [isoFromEpoch(at(0))], to: [isoFromEpoch(at(240))] });
    expect(slices.map(({ queued, running }) => [queued, running])).toEqual([
      [2, 0],
      [1, 1],
      [1, 0],
      [1, 0],
    ]);
  });

  test("are sorted by the requested figure", async () => {
    const order = async (sort: string) =>
      (await stats(shop().opened, { range: ["2h"], sort: [sort] })).rows.map(
        (row) => "task_id_key" in row && row.task_id_key,
      );
    expect(await order("p95")).toEqual(["shop.ship", "shop.pay"]);
    expect(await order("finished")).toEqual(["shop.pay", "shop.ship"]);
    expect(await order("name")).toEqual(["shop.pay", "shop.ship"]);
    expect(await order("busy")).toEqual(["shop.ship", "shop.pay"]);
  });

  test("of equally many failures begin with the task or the exception that failed last", async () => {
    const app = memoryApp({ now: at(HOUR) });
    for (const [n, task] of ["shop.b", "shop.c", "shop.a"].entries()) {
      app.invocation(`f${n}`, {
        task,
        history: run(60 + n * 60, 1, "failed"),
        exception: storedException(`Error${task.at(-1)}`, ""),
      });
      app.invocation(`s${n}`, { task: "shop.b", history: run(1_000 + n, 1, "success") });
    }
    const order = async (by: string) =>
      (await stats(app.opened, { by: [by] })).rows.map((row) => ("exception" in row ? row.exception : row.task_id_key));
    expect(await order("task")).toEqual(["shop.a", "shop.c", "shop.b"]);
    expect(await order("exception")).toEqual(["Errora", "Errorc", "Errorb"]);
  });

  test("of one task have the durations of its runs over time", async () => {
    const model = await stats(shop().opened, { task_id: ["shop.pay"] });
    expect(model.rows).toMatchObject([{ task_id_key: "shop.pay" }]);
    const counted = model.durations?.counts.flat().reduce((sum, n) => sum + n, 0);
    expect([counted, model.durations?.counts.length, model.slices.length]).toEqual([3, 60, 60]);
  });

  test("of one runner are by runner unless requested otherwise", async () => {
    const { filter, rows } = await stats(shop().opened, { runner: ["r1"] });
    expect([filter.by, rows.map((row) => "runner_id" in row && row.runner_id)]).toEqual(["runner", ["r1"]]);
  });

  test.each([
    [{ compare: ["soon"] }, "compare"],
    [{ runner: ["r1"], by: ["task"] }, "by"],
    [{ by: ["exception"], sort: ["p95"] }, "sort"],
    [{ task_id: ["shop.pay"], by: ["host"] }, "by"],
    [{ by: ["colour"] }, "by"],
  ])("refuse %j", async (raw, parameter) => {
    const error = await stats(shop().opened, raw).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as InvalidInputError).problems[0]?.parameter).toBe(parameter);
  });

  test("that are switched off are refused with an error", async () => {
    await expect(stats({ ...shop().opened, rollups: null }, {})).rejects.toBeInstanceOf(RefusedError);
  });
});
