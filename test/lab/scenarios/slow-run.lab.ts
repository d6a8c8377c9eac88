import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { Stats, StatsRow } from "../../../src/api/stats.ts";
import type { WhyAnswer } from "../../../src/api/why.ts";
import { epoch, named, secondsIn, type Verdict } from "../asked.ts";
import { host } from "../hosts.ts";
import type { Monitor } from "../monitor.ts";
import { scenario } from "../scenario.ts";
import type { Fact } from "../truth.ts";
import { RECOVERY_ONCE, type World } from "../world.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A runner lives on for the program as it answers hours later. */
const SETTINGS = { ...RECOVERY_ONCE, PYNENC__RUNNER_CONSIDERED_DEAD_AFTER_MINUTES: "600" };

/** By documentation a run is slow from three times the p95 on, which is known from 30 runs. */
const TIMES = 3;
const ENOUGH = 30;

/** Quantiles are read from bins: docs/statistics.md. */
const BIN = 0.01;

/** Runs calls on a host whose clock is at another day. Each takes its time by that clock, and nobody waits for it. */
async function inThePast(
  world: World,
  ahead: number,
  task: string,
  calls: readonly Record<string, unknown>[],
): Promise<void> {
  const { env } = host(world, "past", ahead);
  world.clientWith(env);
  // One slot: while a task moves the clock on, nothing else runs. Ended before the clock is set again: it writes the history after the status.
  const runner = world.runner({ threads: 1, env });
  await runAll(world, task, calls);
  await runner.stop();
  world.clientWith({});
}

/** Calls a task once for each of the arguments, and waits until all have ended. @returns their ids */
async function runAll(world: World, task: string, calls: readonly Record<string, unknown>[]): Promise<string[]> {
  const ids: string[] = [];
  for (const args of calls) ids.push(await world.call(task, args));
  const fails = calls[0]?.fails === true;
  for (const id of ids) await world.truth.until({ invocation: id, what: fails ? "raises" : "returns" });
  await world.untilStatus(ids.at(-1) ?? "", fails ? "failed" : "success");
  return ids;
}

/** So many runs of about as many seconds, no two neighbours alike. */
const lasting = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, index) => ({ how_long: seconds + (index % 5) }));

const times = (count: number, args: Record<string, unknown>) => Array.from({ length: count }, () => args);

/** Durations of the runs of a task that have ended, by the clock of their host, shortest first. */
function durations(world: World, task: string): number[] {
  const ended = world.truth.all({ what: "returns", task });
  return ended
    .map(({ invocation, clock }) => {
      const [begins] = world.truth.all({ what: "begins", invocation });
      return (clock ?? 0) - (begins?.clock ?? 0);
    })
    .sort((a, b) => a - b);
}

/** By nearest rank. */
function p95(sorted: readonly number[]): number {
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? Number.NaN;
}

/** Seconds of a duration as it is printed: `5 min 3 s`, `23.9 s`. */
function printed(text = ""): number {
  const [, hours, minutes, seconds] = /^(?:(\d+) h ?)?(?:(\d+) min ?)?(?:([\d.]+) s)?$/.exec(text) ?? [];
  return Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * MINUTE + Number(seconds ?? 0);
}

/** An answer for which the program has read its history: it says what it has not, on a busy machine. */
async function onceRead<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    // Lines may be wrapped.
    if (!/not (?:be|been) read|still being read/.test(JSON.stringify(answer).replaceAll(/(\\n|\s)+/g, " ")))
      return answer;
    await sleep(500);
  }
}

function whyOfApp(monitor: Monitor): Promise<WhyAnswer> {
  return onceRead(() => monitor.http<WhyAnswer>("/why"));
}

function verdictsOf({ verdict, others }: Pick<WhyAnswer, "verdict" | "others">): Verdict[] {
  return [verdict, ...others].filter((one) => one !== null);
}

function slowRun(answer: WhyAnswer): Verdict | undefined {
  return verdictsOf(answer).find(({ code }) => code === "slow_run");
}

scenario(
  {
    story: "Three runs hang: one lasts much longer than those of yesterday, one not yet, one of a task that hardly ran",
    app: "slow",
    settings: SETTINGS,
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    const ids = { bakes: "", freezes: "", slices: "" };
    let begins: Fact;
    /** Just before and just after the start of the run that is slow first. */
    let called = 0;
    const later = (seconds: number) => world().at(begins.at + seconds);

    beforeAll(async () => {
      const { truth } = world();
      await inThePast(world(), -8 * DAY, "bakes", lasting(3, 900));
      await inThePast(world(), -DAY, "bakes", lasting(40, 20));
      await inThePast(world(), -DAY + HOUR, "freezes", lasting(ENOUGH, 300));
      await inThePast(world(), -DAY + 5 * HOUR, "slices", lasting(ENOUGH - 10, 20));
      world().runner({ threads: 4 });
      called = truth.note("begins to call").at;
      ids.bakes = await world().call("bakes", { how_long: "oven" });
      begins = await truth.until({ what: "begins", invocation: ids.bakes });
      ids.freezes = await world().call("freezes", { how_long: "freezer" });
      ids.slices = await world().call("slices", { how_long: "slicer" });
      for (const id of Object.values(ids)) {
        await truth.until({ what: "waits", invocation: id });
        await world().untilStatus(id, "running");
      }
    });

    /** The runs of yesterday alone: those of eight days ago took 15 minutes and are not the usual any more. */
    const usual = (task: keyof typeof ids) =>
      durations(world(), task).filter((seconds) => task !== "bakes" || seconds < 100);

    it("the lab has enough runs of two tasks for a usual length, and too few of the third", () => {
      expect(usual("bakes")).toHaveLength(40);
      expect(usual("freezes")).toHaveLength(ENOUGH);
      expect(usual("slices").length).toBeLessThan(ENOUGH);
    });

    it("no run is called slow in its first minute, though it lasts twice as long as usual", async () => {
      expect(50).toBeGreaterThan(2 * p95(usual("bakes")));
      const answer = await whyOfApp(later(50));
      expect(slowRun(answer)).toBeUndefined();
      expect(answer.looked_at).toContain("failures, retries, long runs and the queue in the last hour");
    });

    describe("after ten minutes", () => {
      let verdict: Verdict;

      beforeAll(async () => {
        verdict = slowRun(await whyOfApp(later(10 * MINUTE))) as Verdict;
      });

      it("a verdict names exactly the run of more than three times the usual length, and its task", () => {
        expect(10 * MINUTE).toBeGreaterThan(TIMES * p95(usual("bakes")));
        expect(10 * MINUTE).toBeLessThan(TIMES * p95(usual("freezes")));
        expect(verdict).toMatchObject({ severity: "warning", count: 1 });
        expect(named(verdict)).toEqual([ids.bakes]);
        expect(named(verdict, "task")).toEqual(["slow.bakes"]);
      });

      it("the verdict says how long the run has lasted, and how long runs usually last", () => {
        const [, lasted, most] = /has been running for (.+), usually at most (.+)$/.exec(verdict.sentence) ?? [];
        // Its status is set between the call and the beginning of its body. Whole seconds are printed.
        expect(printed(lasted)).toBeGreaterThanOrEqual(10 * MINUTE - 1);
        expect(printed(lasted)).toBeLessThanOrEqual(10 * MINUTE + begins.at - called + 1);
        // A run lasts as long as its body and what pynenc does around it, less than a second of these 20.
        expect(printed(most)).toBeGreaterThanOrEqual(p95(usual("bakes")) * (1 - BIN) - 0.1);
        expect(printed(most)).toBeLessThanOrEqual((p95(usual("bakes")) + 1) * (1 + BIN));
      });

      it("the verdict has the number of the usual runs and the longest of them, of yesterday and not of last week", () => {
        const [, runs, longest] = / of (\d+) runs took .+ or less, the longest (.+?)\. /.exec(verdict.detail) ?? [];
        expect(Number(runs)).toBe(usual("bakes").length);
        expect(printed(longest)).toBeGreaterThanOrEqual((usual("bakes").at(-1) ?? 0) * (1 - BIN) - 0.1);
        expect(printed(longest)).toBeLessThanOrEqual(((usual("bakes").at(-1) ?? 0) + 1) * (1 + BIN));
      });

      it("the verdict begins when the run began, not when three times the usual length was over", () => {
        expect(epoch(verdict.since)).toBeGreaterThanOrEqual(called);
        expect(epoch(verdict.since)).toBeLessThanOrEqual(begins.at);
      });

      it("status, doctor, check and an assistant have the verdict, and only a check of warnings fails", async () => {
        const monitor = later(10 * MINUTE);
        const { verdicts } = await onceRead(() => monitor.json<{ verdicts: Verdict[] }>("status"));
        expect(verdicts.find(({ code }) => code === "slow_run")).toEqual(verdict);
        expect(slowRun(await onceRead(() => monitor.tool<WhyAnswer>("why")))).toEqual(verdict);
        expect(await onceRead(() => monitor.text("why"))).toContain(verdict.sentence);
        const doctor = await onceRead(() => monitor.run(["doctor"]));
        expect(doctor.code).toBe(1);
        expect(doctor.stdout).toContain(verdict.sentence);
        expect((await monitor.run(["check"])).code).toBe(0);
        const strict = await onceRead(() => monitor.run(["check", "--fail-on", "warning"]));
        expect(strict.code).toBe(1);
        expect(strict.stdout).toContain(verdict.sentence);
      });

      it("monitor why has the verdict on the task", async () => {
        const answer = await onceRead(() => later(10 * MINUTE).json<WhyAnswer>("why", "slow.bakes"));
        // Without the step to mute it, which is for the app.
        const { next: _, ...said } = verdict;
        expect(slowRun(answer)).toMatchObject(said);
      });

      it("the phases of the run say that it has been running for as long", async () => {
        const { phases } = await later(10 * MINUTE).json<WhyAnswer>("why", ids.bakes);
        expect(secondsIn(phases, "running")).toBeGreaterThanOrEqual(10 * MINUTE);
        expect(secondsIn(phases, "running")).toBeLessThanOrEqual(10 * MINUTE + begins.at - called);
      });

      for (const [where, ask] of [
        ["on the terminal", (monitor: Monitor, id: string) => monitor.json<WhyAnswer>("why", id)],
        ["over HTTP", (monitor: Monitor, id: string) => monitor.http<WhyAnswer>(`/why?id=${id}`)],
        ["to an assistant", (monitor: Monitor, id: string) => monitor.tool<WhyAnswer>("why", { id })],
      ] as const) {
        it(`monitor why has the verdict on the run, ${where}`, async () => {
          const answer = await onceRead(() => ask(later(10 * MINUTE), ids.bakes));
          expect(verdictsOf(answer).map(({ code }) => code)).toContain("slow_run");
        });
      }

      it("the page of the run has the verdict", async () => {
        expect(await later(10 * MINUTE).page(`/invocations/${ids.bakes}`)).toContain(verdict.sentence);
      });
    });

    describe("after twenty minutes", () => {
      let verdict: Verdict;

      beforeAll(async () => {
        verdict = slowRun(await whyOfApp(later(20 * MINUTE))) as Verdict;
      });

      it("the verdict names the second run too, the one that is furthest over first", () => {
        expect(20 * MINUTE).toBeGreaterThan(TIMES * (p95(usual("freezes")) + 1) * (1 + BIN));
        expect(verdict).toMatchObject({ severity: "warning", count: 2 });
        expect(verdict.sentence).toContain("2 invocations");
        expect(named(verdict)).toEqual([ids.bakes, ids.freezes]);
        expect(named(verdict, "task")).toEqual(["slow.bakes", "slow.freezes"]);
      });

      it("the verdict does not name the run of a task that has too few runs for a usual length", () => {
        expect(20 * MINUTE).toBeGreaterThan(10 * TIMES * p95(usual("slices")));
        expect(named(verdict)).not.toContain(ids.slices);
      });

      it("the verdict begins at the same instant as ten minutes ago", async () => {
        const earlier = slowRun(await whyOfApp(later(10 * MINUTE)));
        expect(verdict.since).toBe(earlier?.since);
      });
    });

    describe("after the runs have ended", () => {
      beforeAll(async () => {
        const { truth } = world();
        for (const gate of ["oven", "freezer", "slicer"]) truth.open(gate);
        for (const id of Object.values(ids)) await world().untilStatus(id, "success");
      });

      it("no run is called slow, neither then nor later", async () => {
        // Another instant, since the program may keep what it has just read.
        for (const minutes of [11, 30]) {
          expect(slowRun(await whyOfApp(later(minutes * MINUTE)))).toBeUndefined();
        }
      });
    });
  },
);

scenario(
  {
    story: "Overnight one task becomes seven times slower, and two begin to fail",
    app: "slow",
    settings: SETTINGS,
  },
  (world) => {
    let before: number[];
    let today: number[];
    const failed = { sells: [] as string[], delivers: [] as string[] };
    /** When the lab began to call what fails, and when the last had failed. */
    let begun = 0;
    let ended = 0;
    const later = (seconds: number) => world().at(ended + seconds);

    beforeAll(async () => {
      const { truth } = world();
      const yesterday = -DAY - 40 * MINUTE;
      await inThePast(world(), yesterday, "bakes", lasting(30, 20));
      before = durations(world(), "bakes");
      await inThePast(world(), yesterday + 12 * MINUTE, "sells", times(60, { fails: false }));
      await inThePast(world(), yesterday + 15 * MINUTE, "delivers", times(12, { fails: false }));
      await inThePast(world(), -90 * MINUTE, "bakes", lasting(30, 150));
      today = durations(world(), "bakes").slice(before.length);
      world().runner({ threads: 1 });
      begun = truth.note("begins to call what fails").at;
      failed.sells = await runAll(world(), "sells", times(25, { fails: true }));
      failed.delivers = await runAll(world(), "delivers", times(14, { fails: true }));
      ended = truth.note("all have failed").at;
    });

    it("every run of today takes more than six times as long as any of yesterday", () => {
      expect(today).toHaveLength(before.length);
      expect(today[0]).toBeGreaterThan(6 * (before.at(-1) ?? 0));
    });

    it("the comparison of statistics with yesterday has both times", async () => {
      const flags = ["--since", "2h", "--compare", "yesterday"];
      const { rows } = await later(MINUTE).json<Stats>("stats", ...flags);
      const row = (rows as StatsRow[]).find(({ task_id_key }) => task_id_key === "slow.bakes");
      for (const [seconds, runs] of [
        [row?.run.p95_seconds, today],
        [row?.before?.run.p95_seconds, before],
      ] as const) {
        expect(seconds).toBeGreaterThanOrEqual(p95(runs) * (1 - BIN));
        expect(seconds).toBeLessThanOrEqual((p95(runs) + 1) * (1 + BIN));
      }
      expect(row?.run.count).toBe(today.length);
      expect(row?.before?.run.count).toBe(before.length);
    });

    it("a verdict on the app names the task that became slower", async () => {
      const found = verdictsOf(await whyOfApp(later(MINUTE)));
      expect(found.flatMap((verdict) => named(verdict, "task"))).toContain("slow.bakes");
    });

    it("monitor why has a verdict on that task", async () => {
      await whyOfApp(later(MINUTE));
      const { verdict } = await later(MINUTE).json<WhyAnswer>("why", "slow.bakes");
      expect(verdict).not.toBeNull();
    });

    it("a verdict names the task of which 25 of 25 failed today and 0 of 60 before, with both counts", async () => {
      const found = verdictsOf(await whyOfApp(later(MINUTE))).find(({ code }) => code === "failure_rate_up");
      expect(found?.severity).toBe("error");
      expect(named(found as Verdict, "task")).toContain("slow.sells");
      expect(found?.detail).toContain("25 of 25 failed, 0 of 60 in the day before");
      expect(failed.sells).toEqual(expect.arrayContaining(named(found as Verdict).filter(isOf(failed.sells))));
      expect((await later(MINUTE).run(["check"])).code).toBe(1);
    });

    it("a verdict names the task of which 14 of 14 failed today and 0 of 12 before", async () => {
      const found = verdictsOf(await whyOfApp(later(MINUTE)));
      expect(found.flatMap((verdict) => named(verdict, "task"))).toContain("slow.delivers");
    });

    it("the verdict on failures begins with the first failure", async () => {
      const found = verdictsOf(await whyOfApp(later(MINUTE))).find(({ code }) => code === "failure_rate_up");
      expect(epoch(found?.since)).toBeGreaterThanOrEqual(begun);
      expect(epoch(found?.since)).toBeLessThanOrEqual(ended);
    });

    it("the verdict on failures begins at the same instant seven minutes later", async () => {
      const [first, second] = await Promise.all(
        [MINUTE, 8 * MINUTE].map(async (seconds) =>
          verdictsOf(await whyOfApp(later(seconds))).find(({ code }) => code === "failure_rate_up"),
        ),
      );
      expect(second?.since).toBe(first?.since);
    });
  },
);

/** Whether an id is one of these. */
function isOf(ids: readonly string[]): (id: string) => boolean {
  return (id) => ids.includes(id);
}

scenario(
  {
    story: "A run hangs in an app that began to work ten minutes ago",
    app: "slow",
    settings: SETTINGS,
  },
  (world) => {
    let id = "";
    let begins: Fact;
    /** Just before the run. */
    let called = 0;
    let runs: number[];
    const later = (seconds: number) => world().at(begins.at + seconds);

    beforeAll(async () => {
      await inThePast(world(), -4 * MINUTE, "bakes", lasting(40, 2));
      runs = durations(world(), "bakes");
      world().runner({ threads: 2 });
      called = world().truth.note("begins to call").at;
      id = await world().call("bakes", { how_long: "oven" });
      begins = await world().truth.until({ what: "begins", invocation: id });
      await world().truth.until({ what: "waits", invocation: id });
      await world().untilStatus(id, "running");
    });

    it("the lab has more than enough runs for a usual length, all within the last hour", () => {
      expect(runs).toHaveLength(40);
      expect(6 * MINUTE).toBeGreaterThan(10 * TIMES * p95(runs));
    });

    it("the run is in progress, and monitor why does not call it stuck", async () => {
      const { verdict, phases } = await later(6 * MINUTE).json<WhyAnswer>("why", id);
      expect(["in_progress", "slow_run"]).toContain(verdict?.code);
      expect(secondsIn(phases, "running")).toBeGreaterThanOrEqual(6 * MINUTE);
    });

    it("monitor why calls the run slow, or lists long runs as not checked", async () => {
      const answer = await whyOfApp(later(6 * MINUTE));
      const checked = slowRun(answer) !== undefined || !answer.looked_at.some((words) => words.includes("long runs"));
      expect(checked).toBe(true);
    });

    it("the day and the week before, in which nothing ran, are not checked", async () => {
      const { looked_at, not_looked_at } = await whyOfApp(later(6 * MINUTE));
      expect(looked_at.filter((words) => /from the (day|week) before/.test(words))).toEqual([]);
      expect(not_looked_at.join("; ")).toMatch(/from the (day|week) before/);
    });

    it("the run is called slow two hours later, when the earlier runs are of the day before", async () => {
      const verdict = slowRun(await whyOfApp(later(2 * HOUR)));
      expect(named(verdict as Verdict)).toEqual([id]);
      expect(verdict?.detail).toContain(` of ${runs.length} runs took`);
      expect(verdict?.detail).toContain("has been running for 2 h");
    });

    it("the verdict begins when the run began", async () => {
      const verdict = slowRun(await whyOfApp(later(2 * HOUR)));
      expect(epoch(verdict?.since)).toBeGreaterThanOrEqual(called);
      expect(epoch(verdict?.since)).toBeLessThanOrEqual(begins.at);
    });
  },
);
