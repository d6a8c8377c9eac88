/** Verdicts on what became worse: failures, retries, long runs, a growing queue, silence; each beside a case in which nothing changed. */
import { describe, expect, it, vi } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { RollupReads } from "../../../src/rollups/reads.ts";
import { nothingRead, trendFacts } from "../../../src/services/verdicts/read-trends.ts";
import { tasksSlower } from "../../../src/services/verdicts/slower-tasks.ts";
import { findVerdicts } from "../../../src/services/verdicts/verdicts.ts";
import { storedException } from "../../support/histories.ts";
import { at, type MemoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { codesOf, healthyApp, verdictsOf } from "../../support/verdicts.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Two days after the first entries: a whole day before the last hour is there. */
const NOW = at(2 * DAY);

interface Work {
  task?: string;
  from: number;
  every: number;
  count: number;
  seconds?: number;
  fails?: (n: number) => boolean;
  retries?: (n: number) => number;
  exception?: string;
}

let worked = 0;

/** Invocations that are registered one after the other, taken at once, and end. */
function work(
  app: MemoryApp,
  {
    task = "shop.pay",
    from,
    every,
    count,
    seconds = 2,
    fails,
    retries,
    exception = "ValueError: no such region",
  }: Work,
): MemoryApp {
  for (let n = 0; n < count; n++) {
    const failed = fails?.(n) ?? false;
    let time = from + n * every;
    const history: Step[] = [[time, "registered"]];
    const attempt = (end: string) => {
      history.push([time + 0.1, "pending"], [time + 0.2, "running"], [time + 0.2 + seconds, end]);
      time += 0.3 + seconds;
    };
    for (let retry = 0; retry < (retries?.(n) ?? 0); retry++) attempt("retry");
    attempt(failed ? "failed" : "success");
    const [type = "", message = ""] = exception.split(": ");
    app.invocation(`w${worked++}`, {
      task,
      history,
      ...(failed ? { exception: storedException(type, message) } : {}),
    });
  }
  return app;
}

/** 400 invocations over the two days, of which one in fifty fails; in the last hour another 60. */
function ever(now = NOW): MemoryApp {
  const app = healthyApp({ now });
  work(app, { from: at(0), every: (2 * DAY - HOUR) / 400, count: 400, fails: (n) => n % 50 === 7 });
  return app;
}

const lastHour = { from: NOW - HOUR + 10, every: 58, count: 60 };

/** When one of the last hour ended that is not retried. */
const failedAt = (n: number) => lastHour.from + n * lastHour.every + 2.2;

describe("a task that fails more often", () => {
  it("has a verdict with the failure that became more frequent, and its start", async () => {
    const [verdict, ...others] = await verdictsOf(work(ever(), { ...lastHour, fails: (n) => n >= 30 && n % 2 === 0 }));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "failure_rate_up",
      severity: "error",
      sentence: "shop.pay fails more often than before: 25 % in the last hour, 2.0 % in the day before",
      since: isoFromEpoch(failedAt(30)),
      count: 1,
    });
    expect(verdict?.detail).toContain("shop.pay: 15 of 60 failed, 4 of 204 in the day before.");
    expect(verdict?.evidence[0]).toEqual({ kind: "task", id: "shop.pay", role: null });
    expect(verdict?.evidence.filter(({ kind }) => kind === "invocation").length).toBe(15);
  });

  it("counts the minute that has begun and the 59 before it, as statistics do", async () => {
    const app = work(ever(NOW + 30), { from: NOW - HOUR + 20, every: 1, count: 1 });
    const [verdict] = await verdictsOf(
      work(app, { from: NOW - HOUR + 70, every: 58, count: 61, fails: (n) => n > 20 }),
    );
    expect(verdict?.detail).toContain("shop.pay: 40 of 61 failed");
  });

  it.each([
    [3, ""],
    [4, " And 1 more task."],
    [5, " And 2 more tasks."],
  ])("is described beside others, three of %i, and the rest is counted", async (tasks, rest) => {
    const app = healthyApp({ now: NOW });
    for (let n = 0; n < tasks; n++) {
      work(app, { task: `shop.t${n}`, from: at(0), every: 850, count: 199 });
      work(app, { task: `shop.t${n}`, ...lastHour, fails: (one) => one % 2 === 0 });
    }
    app.inOrder();
    const [verdict] = await verdictsOf(app);
    expect(verdict?.detail?.match(/ 30 of 60 failed/g)).toHaveLength(3);
    expect(verdict?.detail).toContain(`${rest} Only invocations that finished in the last hour count.`);
  });

  it("names the failure that grew most compared with the share of the day before, not one that is merely new", async () => {
    const app = work(ever(), { ...lastHour, fails: (n) => n >= 30 && n % 2 === 0 });
    work(app, { from: NOW - HOUR + 30, every: 600, count: 5, fails: () => true, exception: "KeyError: region" });
    app.inOrder();
    const [verdict] = await verdictsOf(app);
    expect(verdict?.detail).toContain("ValueError (no such region) rose most: 15 in the last hour, 4");
  });

  it("has only invocations that are known as evidence, also beside tasks that were not examined in detail", async () => {
    const app = healthyApp({ now: NOW });
    for (let n = 0; n < 6; n++) {
      work(app, { task: `shop.t${n}`, from: at(0), every: 850, count: 199 });
      work(app, { task: `shop.t${n}`, ...lastHour, fails: (one) => one % 6 === 0 });
    }
    app.inOrder();
    const [verdict] = await verdictsOf(app);
    expect(verdict).toMatchObject({ code: "failure_rate_up", count: 6 });
    const named = verdict?.evidence.filter(({ kind }) => kind === "invocation").map(({ id }) => typeof id);
    expect(named).toEqual(Array.from({ length: 50 }, () => "string"));
  });

  it("has no verdict if it fails as before, slightly more, or only three times", async () => {
    expect(await codesOf(work(ever(), { ...lastHour, fails: (n) => n % 30 === 7 }))).toEqual([]);
    expect(await codesOf(work(ever(), { ...lastHour, fails: (n) => n % 15 === 7 }))).toEqual([]);
    expect(await codesOf(work(ever(), { from: NOW - 700, every: 200, count: 3, fails: () => true }))).toEqual([]);
    expect(await codesOf(work(ever(), { from: NOW - 700, every: 200, count: 4, fails: () => true }))).toEqual([
      "failure_rate_up",
    ]);
  });

  it("has a verdict with the same start each time, for as long as it lasts", async () => {
    const since: (string | null | undefined)[] = [];
    for (const later of [0, 300, 1_234, HOUR, 2 * HOUR]) {
      const app = ever(NOW + later);
      work(app, { ...lastHour, count: 60 + Math.floor(later / 58), fails: (n) => n >= 30 && n % 2 === 0 });
      const [verdict] = await verdictsOf(app);
      expect(verdict?.code).toBe("failure_rate_up");
      since.push(verdict?.since);
    }
    expect(since).toEqual(since.map(() => isoFromEpoch(failedAt(30))));
  });

  it("has a verdict with one period in all its figures: the week if nothing ran in the day before", async () => {
    const app = healthyApp({ now: NOW });
    work(app, { from: NOW - 40 * HOUR, every: 60, count: 60, fails: (n) => n % 20 === 7 });
    const [verdict] = await verdictsOf(work(app, { ...lastHour, fails: (n) => n % 2 === 0 }));
    expect(verdict?.sentence).toContain("50 % in the last hour, 5.0 % in the week before");
    expect(verdict?.detail).toContain("30 of 60 failed, 3 of 60 in the week before.");
    expect(verdict?.detail).toContain("30 in the last hour, 3 in the week before.");
  });

  it("has a verdict although the only run of the day before failed too, if the week is clear", async () => {
    const app = healthyApp({ now: NOW });
    work(app, { from: NOW - 40 * HOUR, every: 60, count: 200 });
    work(app, { from: NOW - 5 * HOUR, every: 1, count: 1, fails: () => true });
    const [verdict] = await verdictsOf(work(app, { ...lastHour, count: 8, fails: () => true }));
    expect(verdict?.sentence).toContain("100 % in the last hour, 0.5 % in the week before");
  });

  it("has no verdict if it failed as much in the same hour of the day before", async () => {
    const yesterday = { ...lastHour, from: lastHour.from - DAY };
    const now = { ...lastHour, fails: (n: number) => n % 3 === 0 };
    expect(await codesOf(work(work(ever(), { ...yesterday }), now))).toEqual(["failure_rate_up"]);
    expect(await codesOf(work(work(ever(), { ...yesterday, fails: (n) => n % 4 === 0 }), now))).toEqual([]);
  });

  it("has no verdict without earlier runs, and one hour of earlier runs is enough", async () => {
    const failing = (app: MemoryApp) => work(app, { ...lastHour, fails: (n) => n % 2 === 0 });
    expect(await codesOf(failing(healthyApp({ now: NOW })))).toEqual([]);
    const young = healthyApp({ now: NOW });
    work(young, { from: NOW - 2 * HOUR + 5, every: 50, count: 70 });
    const [verdict] = await verdictsOf(failing(young));
    expect(verdict?.sentence).toBe(
      "shop.pay fails more often than before: 50 % in the last hour, 0 % in the day before",
    );
  });

  it("is listed in one verdict with others, the worst first", async () => {
    const app = work(ever(), { ...lastHour, fails: (n) => n % 3 === 0 });
    work(app, { task: "shop.ship", from: at(0), every: 600, count: 250 });
    work(app, { task: "shop.ship", ...lastHour, fails: () => true });
    const [verdict, ...others] = await verdictsOf(app);
    expect(others).toEqual([]);
    expect(verdict?.sentence).toBe("2 tasks fail more often than before: shop.ship, shop.pay");
    expect(verdict?.count).toBe(2);
  });

  it("has no verdict in a look without figures", async () => {
    const app = work(ever(), { ...lastHour, fails: () => true });
    expect(await app.store.read((reads) => findVerdicts(app.opened, reads, null))).toEqual([]);
  });
});

describe("retries of a task", () => {
  it("are a retry storm if they are a large part of all runs and much more than before", async () => {
    const [verdict, ...others] = await verdictsOf(work(ever(), { ...lastHour, retries: (n) => n % 2 }));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "retry_storm",
      sentence: "shop.pay is retried much more often than before: 33 % in the last hour, 0 % in the day before",
      since: isoFromEpoch(failedAt(1)),
    });
    expect(await codesOf(work(ever(), { ...lastHour, retries: (n) => (n % 6 === 0 ? 1 : 0) }))).toEqual([]);
    const always = work(healthyApp({ now: NOW }), { from: at(0), every: 425, count: 398, retries: (n) => n % 2 });
    expect(await codesOf(work(always, { ...lastHour, retries: (n) => n % 2 }))).toEqual([]);
  });

  it("are a retry storm since the first retry of the stretch with more of them", async () => {
    const retries = (n: number) => (n >= 30 ? 1 : 0);
    const [verdict] = await verdictsOf(work(ever(), { ...lastHour, retries }));
    expect(verdict).toMatchObject({ code: "retry_storm", since: isoFromEpoch(failedAt(30)) });
  });

  it("are exhausted if retried invocations fail, in one verdict instead of two", async () => {
    const fails = (n: number) => n % 2 === 1;
    const [verdict, ...others] = await verdictsOf(
      work(ever(), { ...lastHour, fails, retries: (n) => (n % 2 === 1 ? 3 : 0) }),
    );
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({ code: "retries_exhausted", severity: "error" });
    expect(verdict?.detail).toContain("had been retried 3 times.");
    expect(verdict?.evidence[0]).toMatchObject({ kind: "task", id: "shop.pay" });
    expect(verdict?.evidence[1]).toMatchObject({ kind: "invocation", role: "failed after retries" });
    // Three retries, each of which takes 2.3 seconds.
    expect(verdict?.since?.slice(0, 23)).toBe(isoFromEpoch(failedAt(1) + 6.9).slice(0, 23));
    expect(await codesOf(work(ever(), { ...lastHour, fails }))).toEqual(["failure_rate_up"]);
  });
});

describe("a run of a task", () => {
  const running = (app: MemoryApp, seconds: number, task = "shop.pay") =>
    app.invocation("long", {
      task,
      history: [
        [NOW - seconds - 2, "registered"],
        [NOW - seconds - 1, "pending"],
        [NOW - seconds, "running"],
      ],
    });

  /** Runs of 30 seconds. */
  const usual = () => work(healthyApp({ now: NOW }), { from: NOW - 20 * HOUR, every: 600, count: 100, seconds: 30 });

  it("is slow if it takes more than three times what its task usually needs", async () => {
    const [verdict, ...others] = await verdictsOf(running(usual(), 95));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "slow_run",
      severity: "warning",
      count: 1,
      since: isoFromEpoch(NOW - 95),
    });
    expect(verdict?.sentence).toMatch(
      /^1 invocation of shop\.pay has been running for 1 min 35 s, usually at most (29|30)\.\d s$/,
    );
    expect(await codesOf(running(usual(), 85))).toEqual([]);
  });

  it("is not slow if others took as long, few are known, or it is short in seconds", async () => {
    const slowTwice = work(usual(), { from: NOW - 10 * HOUR, every: 1, count: 2, seconds: 100 });
    expect(await codesOf(running(slowTwice, 95))).toEqual([]);
    const few = work(healthyApp({ now: NOW }), { from: NOW - 20 * HOUR, every: 600, count: 29, seconds: 30 });
    expect(await codesOf(running(few, 9_000))).toEqual([]);
    const short = work(healthyApp({ now: NOW }), { from: NOW - 20 * HOUR, every: 600, count: 100, seconds: 0.01 });
    expect(await codesOf(running(short, 59))).toEqual([]);
  });

  it.each([
    [3, " Recovery does not stop runs of active runners"],
    [5, " And 2 more invocations. Recovery does not stop runs of active runners"],
  ])("is described beside others, three of %i, and the rest is counted", async (count, rest) => {
    const app = usual();
    for (let n = 0; n < count; n++) {
      const began = NOW - 95 - n;
      app.invocation(`slow${n}`, {
        history: [
          [began - 2, "registered"],
          [began - 1, "pending"],
          [began, "running"],
        ],
      });
    }
    const [verdict] = await verdictsOf(app);
    expect(verdict).toMatchObject({ code: "slow_run", count });
    expect(verdict?.detail.match(/has been running for/g)).toHaveLength(3);
    expect(verdict?.detail).toContain(`.${rest}`);
  });

  it("is compared with the last hour if its task did not run before", async () => {
    const young = work(healthyApp({ now: NOW }), { from: NOW - HOUR / 2, every: 20, count: 40, seconds: 1 });
    expect(await codesOf(running(young, 95))).toEqual(["slow_run"]);
  });

  it("is slow although one other was as slow on the same day, or in the last hour", async () => {
    for (const from of [NOW - 10 * HOUR, NOW - HOUR / 2]) {
      const app = work(usual(), { from, every: 1, count: 1, seconds: 100 });
      expect(await codesOf(running(app, 95))).toEqual(["slow_run"]);
    }
  });

  it("is not slow while it waits for a running child", async () => {
    const waits = (status: string) =>
      running(usual(), 95)
        .edge("long", "child")
        .invocation("child", {
          task: "shop.child",
          history: [
            [NOW - 50, "registered"],
            [NOW - 49, "pending"],
            [NOW - 48, "running"],
            ...(status === "running" ? [] : [[NOW - 20, status] as const]),
          ],
        });
    expect(await codesOf(waits("running"))).toEqual([]);
    expect(await codesOf(waits("success"))).toEqual(["slow_run"]);
  });
});

describe("a task that takes longer than before", () => {
  /** Runs of two seconds in the two days, and in the last hour as given. */
  const slower = (seconds: number, { now = NOW, count = 60 } = {}) => work(ever(now), { ...lastHour, count, seconds });

  it("is reported with both medians, since the end of the first run of the slower stretch", async () => {
    const [verdict, ...others] = await verdictsOf(slower(14));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "task_slower",
      severity: "warning",
      since: isoFromEpoch(lastHour.from + 14.2),
      evidence: [{ kind: "task", id: "shop.pay", role: null }],
      count: 1,
    });
    expect(verdict?.sentence).toMatch(
      /^shop\.pay takes (6\.9|7|7\.1)× as long as before: 1[34]\.\d s in the last hour, (2|2\.0\d|1\.99) s in the week before$/,
    );
    expect(verdict?.detail).toContain("half of 60 runs took");
  });

  it("is named with at most two others, and the rest is counted", () => {
    const slowerTasks = (count: number) => {
      const one = { now: 14, before: 2, runs: 60, than: "day", since: null } as const;
      const slower = Array.from({ length: count }, (_, n) => ({ task_id_key: `shop.t${n}`, ...one }));
      return tasksSlower({ trends: { ...nothingRead(NOW), slower } });
    };
    expect(slowerTasks(3)?.sentence).toMatch(/^3 tasks take .*: shop\.t0, shop\.t1, shop\.t2$/);
    const more = slowerTasks(5);
    expect(more?.sentence).toMatch(/^5 tasks take .*: shop\.t0, shop\.t1, shop\.t2, …$/);
    expect(more?.detail.match(/half of 60 runs/g)).toHaveLength(3);
    expect(more?.detail).toContain(" And 2 more tasks. ");
  });

  it("is reported with the same start each time, for as long as it lasts", async () => {
    for (const later of [240, HOUR]) {
      const [verdict] = await verdictsOf(slower(14, { now: NOW + later, count: 60 + Math.floor(later / 58) }));
      expect(verdict).toMatchObject({ code: "task_slower", since: isoFromEpoch(lastHour.from + 14.2) });
    }
  });

  it("is not reported if it takes only twice as long, has few runs, or slowed by fractions of a second", async () => {
    expect(await codesOf(slower(4))).toEqual([]);
    expect(await codesOf(work(ever(), { from: NOW - 900, every: 100, count: 9, seconds: 14 }))).toEqual([]);
    const short = work(healthyApp({ now: NOW }), { from: at(0), every: 425, count: 398, seconds: 0.05 });
    expect(await codesOf(work(short, { ...lastHour, seconds: 0.5 }))).toEqual([]);
  });

  it("is not reported if it took as long in the same hour of the day before, or for most of that day", async () => {
    const nightly = work(ever(), { ...lastHour, from: lastHour.from - DAY, seconds: 14 });
    expect(await codesOf(work(nightly, { ...lastHour, seconds: 14 }))).toEqual([]);
    const since = work(ever(), { from: NOW - 20 * HOUR, every: 200, count: 340, seconds: 14 });
    expect(await codesOf(work(since, { ...lastHour, seconds: 14 }))).toEqual([]);
  });

  it("is not reported if it always had many slow runs and now has slightly more", async () => {
    const mixed = (app: MemoryApp, { from, every, count }: Omit<Work, "task">, slow: number) => {
      for (let n = 0; n < count; n++)
        work(app, { from: from + n * every, every, count: 1, seconds: (n * slow) % 100 < slow ? 14 : 2 });
      return app;
    };
    const app = mixed(healthyApp({ now: NOW }), { from: at(0), every: 425, count: 398 }, 45);
    expect(await codesOf(mixed(app, lastHour, 60))).toEqual([]);
  });
});

describe("the verdict on a growing queue", () => {
  /** In the last half hour. `left` of each quarter are never taken. */
  function filled(left: number, { messages = 2 * left, came = 100 } = {}): MemoryApp {
    const app = healthyApp({ now: NOW });
    for (const [quarter, from] of [NOW - 1_790, NOW - 890].entries()) {
      work(app, { from, every: Math.min(5, 880 / came), count: came - left, seconds: 1 });
      for (let n = 0; n < left; n++) {
        const id = `q${quarter} ${n}`;
        app.invocation(id, { history: [[from + 100 + n, "registered"]] });
        if (quarter * left + n < messages) app.message(id, NOW - 200);
      }
    }
    return app;
  }

  it("appears if more messages came in than were taken for two quarters of an hour", async () => {
    const [verdict] = await verdictsOf(filled(25));
    expect(verdict).toMatchObject({
      code: "queue_grows",
      sentence: "The queue is growing: 100 in and 75 out in the last 15 min, 50 messages waiting",
      // From the beginning of that quarter of an hour by the clock: 10 seconds into it the first came in.
      since: isoFromEpoch(NOW - 1_800),
      count: 50,
    });
    expect(verdict?.detail).toContain("Most of the growth is from shop.pay (50 more).");
    expect(await codesOf(filled(19))).toEqual([]);
    expect(await codesOf(filled(25, { came: 300 }))).toEqual([]);
  });

  it("has the same start when the next quarter of an hour has just begun", async () => {
    const app = filled(25);
    app.now = NOW + 60;
    const verdict = (await verdictsOf(app)).find(({ code }) => code === "queue_grows");
    expect(verdict?.since).toBe(isoFromEpoch(NOW - 1_800));
  });

  it("does not appear if only the last quarter of an hour is known", async () => {
    const app = filled(25);
    const { rollups } = app.opened;
    if (rollups === null) throw new Error("the app has no figures");
    const rows: RollupReads["rows"] = async (span, by) => {
      const answer = await rollups.rows(span, by);
      return { ...answer, complete: answer.complete && span.to !== NOW - 900 };
    };
    Object.assign(app.opened, { rollups: { ...rollups, rows } });
    expect(await codesOf(app)).not.toContain("queue_grows");
  });

  it("does not appear if fewer messages wait now than the figures say", async () => {
    expect((await codesOf(filled(25, { messages: 49 }))).includes("queue_grows")).toBe(false);
  });
});

describe("a silent app", () => {
  /** Something every ten minutes for a day and a half, then nothing. */
  const quiet = (seconds: number, every = 600) => {
    const last = NOW - seconds;
    const count = Math.floor((1.5 * DAY) / every);
    return work(healthyApp({ now: NOW }), { from: last - count * every, every, count: count + 1, seconds: 1 });
  };

  it("is reported if it is quiet for three times as long as ever in the day before", async () => {
    const [verdict, ...others] = await verdictsOf(quiet(2_000));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({ code: "app_silent", severity: "warning", evidence: [] });
    expect(verdict?.sentence).toBe("Nothing registered or changed, although 1 runner is active");
    expect(await codesOf(quiet(1_900))).toEqual([]);
  });

  it("is not reported without a full day of history, or without an active runner", async () => {
    const young = work(healthyApp({ now: NOW }), { from: NOW - 23 * HOUR, every: 600, count: 120, seconds: 1 });
    expect(await codesOf(young)).toEqual([]);
    const gone = quiet(2_000).change((rows) => {
      for (const beat of rows.heartbeats) beat.last_heartbeat = NOW - DAY;
    });
    expect(await codesOf(gone)).toEqual([]);
  });
});

describe("figures for verdicts", () => {
  it("are null if figures over time are switched off", async () => {
    const app = work(ever(), { ...lastHour, fails: () => true });
    expect(await trendFacts({ ...app.opened, rollups: null }, 1_000)).toBeNull();
  });

  it("are null if they cannot be read in time", async () => {
    const app = work(ever(), { ...lastHour, fails: () => true });
    const never = new Promise<never>(() => undefined);
    const rollups = { rows: () => never, failures: () => never } as unknown as NonNullable<typeof app.opened.rollups>;
    const facts = await trendFacts({ ...app.opened, rollups }, 5);
    expect(facts).toMatchObject({ hour: null, day: null, week: null });
    expect(await app.store.read((reads) => findVerdicts(app.opened, reads, facts))).toEqual([]);
  });

  it("are read again after five seconds while they are incomplete", async () => {
    const app = ever();
    let [calls, elapsed] = [0, 0];
    const clock = vi.spyOn(performance, "now").mockImplementation(() => elapsed);
    try {
      const rows = async () => {
        calls++;
        return { rows: [], complete: false };
      };
      const rollups = { rows } as unknown as NonNullable<typeof app.opened.rollups>;
      const read = async (milliseconds: number) => {
        elapsed = milliseconds;
        calls = 0;
        expect(await trendFacts({ ...app.opened, rollups }, 1_000)).toMatchObject({ hour: null, week: null });
        return calls;
      };
      expect([await read(0), await read(4_999), await read(5_000)]).toEqual([1, 0, 1]);
    } finally {
      clock.mockRestore();
    }
  });

  it("are read at most once a minute when they are complete", async () => {
    const app = ever();
    expect(await trendFacts(app.opened, 60_000)).toBe(await trendFacts(app.opened, 60_000));
    app.now += 60;
    const later = await trendFacts(app.opened, 60_000);
    expect(later?.until).toBe(NOW + 60);
  });

  it("are read again after the clock was set back, without what was usual later", async () => {
    const app = ever();
    expect(await trendFacts(app.opened, 60_000)).toMatchObject({ until: NOW, usual_until: NOW });
    app.now -= 120;
    expect(await trendFacts(app.opened, 60_000)).toMatchObject({ until: NOW - 120, usual_until: NOW - 120 });
  });
});
