/** Clocks of hosts that differ, as far as invocations tell. */
import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { at, type MemoryApp, type Step } from "../../support/memory-app/memory-app.ts";
import { codesOf, healthyApp, verdictsOf } from "../../support/verdicts.ts";

const NOW = at(600);

/** So many invocations, registered on host a and taken on host b so many seconds later by their clocks. */
function handed(count: number, later: number, to = "b", settings: Record<string, unknown> = {}): MemoryApp {
  const app = healthyApp({ now: NOW, settings }).context("client", { hostname: "a" }).context("w", { hostname: to });
  return app.invocations(count, (n) => ({
    history: [
      [at(100 + n), "registered", "client"],
      [at(100 + n + later), "pending", "w"],
      [at(110 + n), "running", "w"],
      [at(111 + n), "success", "w"],
    ],
  }));
}

describe("the verdict on a clock that is behind", () => {
  it("exists if three invocations were taken before they were registered", async () => {
    const [verdict, ...others] = await verdictsOf(handed(3, -4));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "clock_skew",
      severity: "warning",
      sentence: "The clock of b is at least 4 s behind that of a",
      since: isoFromEpoch(at(96)),
      count: 3,
    });
    expect(verdict?.evidence.map(({ id }) => id).sort()).toEqual(["i0", "i1", "i2"]);
  });

  it("does not exist for fewer, for a second or less, on one host, or with an unknown host", async () => {
    expect(await codesOf(handed(2, -4))).toEqual([]);
    expect(await codesOf(handed(9, -1))).toEqual([]);
    expect(await codesOf(handed(9, 4))).toEqual([]);
    expect(await codesOf(handed(9, -4, "a"))).toEqual([]);
    const unknown = handed(9, -4).change((rows) => {
      rows.contexts.splice(0, rows.contexts.length, ...rows.contexts.filter((one) => one.runner_id !== "w"));
    });
    expect(await codesOf(unknown)).toEqual([]);
  });

  it("ignores an invocation that was rerouted and taken again later", async () => {
    const app = handed(0, 0).invocations(5, (n) => ({
      history: [
        [at(100 + n), "registered", "client"],
        [at(101 + n), "pending", "w"],
        [at(102 + n), "rerouted", "w"],
        [at(103 + n), "pending", "w"],
      ],
    }));
    expect((await verdictsOf(app)).filter(({ code }) => code === "clock_skew")).toEqual([]);
  });
});

describe("the verdict on a clock that is ahead of the monitor's", () => {
  it("exists if a heartbeat is in the future, and names its host", async () => {
    const app = healthyApp({ now: NOW })
      .runner("w", { last: NOW + 120 })
      .context("w", { hostname: "fast-box" });
    const [verdict, ...others] = await verdictsOf(app);
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "clock_skew",
      severity: "warning",
      sentence: "The clock of fast-box is at least 2 min ahead of the monitor's",
      since: null,
      evidence: [{ kind: "runner", id: "w", role: "heartbeat in the future" }],
      count: 1,
    });
    expect(verdict?.detail).toContain("Times of 1 heartbeat are in the future");
  });

  it("also counts history entries in the future, and appears once for each host", async () => {
    const app = healthyApp({ now: NOW })
      .runner("w", { last: NOW + 100 })
      .context("w", { hostname: "fast-box" });
    app.invocations(3, () => ({
      history: [
        [NOW + 118, "registered", "w"],
        [NOW + 119, "pending", "w"],
        [NOW + 120, "success", "w"],
      ],
    }));
    const [verdict, ...others] = await verdictsOf(app);
    expect(others).toEqual([]);
    expect(verdict?.sentence).toBe("The clock of fast-box is at least 2 min ahead of the monitor's");
    expect(verdict?.evidence.map(({ id }) => id)).toEqual(["w", "i0", "i1", "i2"]);
  });

  it("does not exist for stamps up to 10 s in the future", async () => {
    expect(await codesOf(healthyApp({ now: NOW }).runner("w", { last: NOW + 10 }))).toEqual([]);
    expect(await codesOf(healthyApp({ now: NOW }).runner("w", { last: NOW + 10.1 }))).toEqual(["clock_skew"]);
  });

  it("does not exist for a host whose heartbeats show that its clock is right", async () => {
    const app = healthyApp({ now: NOW }).invocation("copied", { history: [[NOW + 60, "registered", "r1"]] });
    expect(await codesOf(app)).toEqual([]);
    const near = healthyApp({ now: NOW }).invocation("a", { history: [[NOW + 20, "registered", "r1"]] });
    expect(await codesOf(near)).toEqual(["clock_skew"]);
  });

  it("replaces the one on invocations that were taken before they were registered", async () => {
    const app = handed(3, -120).change((rows) => {
      for (const entry of rows.history) if (entry.status === "registered") entry.timestamp += NOW - at(100) + 30;
    });
    expect((await verdictsOf(app)).map(({ sentence }) => sentence)).toEqual([
      "The clock of a is at least 32 s ahead of the monitor's",
    ]);
  });
});

describe("the verdict on a clock that was set back", () => {
  /** Runs of worker w on host b that ended so many seconds before they began, by its clock. */
  const returned = (count: number, earlier: number) =>
    healthyApp({ now: NOW })
      .context("client", { hostname: "a" })
      .context("w", { hostname: "b" })
      .invocations(count, (n) => ({
        history: [
          [at(100 + n), "registered", "client"],
          [at(101 + n), "pending", "w"],
          [at(102 + n), "running", "w"],
          [at(102 + n - earlier), "success", "w"],
        ],
      }));

  it("exists if one run ended before it began, and gives the host and the smallest difference", async () => {
    const [verdict, ...others] = await verdictsOf(returned(1, 60));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "clock_skew",
      severity: "warning",
      sentence: "The clock of b was set back by at least 1 min",
      since: isoFromEpoch(at(42)),
      evidence: [
        { kind: "invocation", id: "i0", role: null },
        { kind: "runner", id: "w", role: "stamped it" },
      ],
      count: 1,
    });
  });

  it("appears once for a host, however many runs show it", async () => {
    const verdicts = await verdictsOf(returned(4, 60));
    expect(verdicts).toMatchObject([{ code: "clock_skew", count: 4, since: isoFromEpoch(at(42)) }]);
  });

  it("does not exist for a second or less, or for entries of two runners", async () => {
    expect(await codesOf(returned(1, 1))).toEqual([]);
    const two = healthyApp({ now: NOW })
      .context("w", { hostname: "b" })
      .invocation("i", {
        history: [
          [at(100), "registered", "client"],
          [at(40), "pending", "w"],
          [at(41), "running", "w"],
          [at(42), "success", "w"],
        ],
      });
    expect(await codesOf(two)).toEqual([]);
  });

  it("does not exist for a host whose clock is known to be behind another", async () => {
    const app = handed(3, -60)
      .context("back", { hostname: "b" })
      .invocation("before", {
        history: [
          [at(90), "registered", "client"],
          [at(91), "pending", "back"],
          [at(92), "running", "back"],
          [at(32), "success", "back"],
        ],
      });
    expect((await verdictsOf(app)).map(({ sentence }) => sentence)).toEqual([
      "The clock of b is at least 1 min behind that of a",
    ]);
  });
});

describe("a verdict that a slow clock explains", () => {
  const LIMITS = { runner_considered_dead_after_minutes: 0.5, max_pending_seconds: 5 };
  /** Host b is 90 s behind. Its runner was heard so many seconds ago by its own clock, and brought an invocation this far. */
  const behind = (heard: number, ...taken: readonly Step[]) =>
    handed(3, -90, "b", LIMITS)
      .runner("late", { created: at(0), last: NOW - heard })
      .context("late", { hostname: "b" })
      .invocation("taken", { history: [[NOW - 300, "registered", "client"], ...taken] });
  const codesWithout = async (app: MemoryApp) => (await codesOf(app)).filter((code) => code !== "clock_skew");

  it("is held back: its runner is silent only after the difference of the clocks too", async () => {
    for (const [status, code] of [
      ["running", "running_on_dead_runner"],
      ["paused", "paused_on_dead_runner"],
    ] as const) {
      const on = (heard: number) => behind(heard, [NOW - 299, "pending", "late"], [NOW - 298, status, "late"]);
      expect(await codesWithout(on(120))).toEqual([]);
      expect(await codesWithout(on(121))).toEqual([code]);
    }
  });

  it("is held back: its invocation counts as stuck in pending only after the difference too", async () => {
    expect(await codesWithout(behind(100, [NOW - 94, "pending", "late"]))).toEqual([]);
    expect(await codesWithout(behind(100, [NOW - 96, "pending", "late"]))).toEqual(["stuck_pending"]);
    // The clock of another host is right.
    expect(await codesWithout(behind(100, [NOW - 94, "pending", "r1"]))).toEqual(["stuck_pending"]);
  });

  it("is held back: the only runner, on the host with the slow clock, does not count as missing", async () => {
    const only = (heard: number) =>
      behind(heard)
        .message("taken", NOW - 20)
        .change((rows) => {
          rows.heartbeats = rows.heartbeats.filter((one) => one.runner_id === "late");
        });
    expect(await codesWithout(only(120))).toEqual([]);
    expect(await codesWithout(only(121))).toContain("unconsumed_queue");
  });

  it("is held back: a schedule is not overdue within the difference of the clocks", async () => {
    const scheduled = (ago: number) =>
      handed(3, -90, "b", { atomic_service_interval_minutes: 1 })
        .context("r1", { hostname: "b" })
        .condition("minute", { condition_type: "CronCondition", data: { cron_expression: "* * * * *" } }, NOW - ago)
        .trigger("report", { task_id_key: "shop.report", condition_ids: ["minute"] })
        .execution("newest", { start_time: NOW - 30, end_time: NOW - 29, runner_id: "r1" });
    // Due 50 s after it came true, and late 180 s after that; 90 s are allowed.
    expect(await codesWithout(scheduled(310))).toEqual([]);
    expect(await codesWithout(scheduled(330))).toEqual(["schedule_overdue"]);
  });
});
