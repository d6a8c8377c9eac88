/** The slots of runners in the atomic service, as the page explains them, and blocked runs. */
import { describe, expect, it } from "vitest";
import type { AtomicScheduling } from "../../../src/api/runners.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { atomicScheduling } from "../../../src/services/runners/atomic-scheduling.ts";
import { at, type MemoryApp, type MemoryAppOptions, memoryApp } from "../../support/memory-app/memory-app.ts";

/** With the defaults a cycle begins at `at(0)` and lasts 300 s; two runners have half of it each, less a margin of 60 s. */
function pair(seconds: number, options: MemoryAppOptions = {}): MemoryApp {
  const app = memoryApp({ now: at(seconds), ...options });
  return app
    .runner("first", { created: at(-900), last: at(seconds - 1) })
    .runner("second", { created: at(-800), last: at(seconds - 2) });
}

const scheduling = (app: MemoryApp): Promise<AtomicScheduling> => atomicScheduling(app.opened);
const iso = (seconds: number) => isoFromEpoch(at(seconds));

describe("the slots of runners", () => {
  it("divide the cycle in the order of their first heartbeats", async () => {
    const model = await scheduling(pair(20));
    expect(model).toMatchObject({ recorded: true, now: iso(20), eligible: 2, active: 2, incomplete: false });
    expect(model.cycle).toEqual({
      cycle_start: iso(0),
      cycle_end: iso(300),
      interval_seconds: 300,
      spread_seconds: 60,
      slot_seconds: 150,
      most_runners: 4,
      every_window_invalid: false,
      owner: expect.objectContaining({ runner_id: "first", context_missing: false }),
    });
    expect(model.runners).toEqual([
      {
        position: 1,
        runner_id: "first",
        runner: expect.objectContaining({ runner_id: "first", hostname: "host" }),
        created_at: iso(-900),
        last_heartbeat: iso(19),
        slot: {
          slot_start: iso(0),
          slot_end: iso(150),
          window_start: iso(0),
          window_end: iso(90),
          owns_slot: true,
          in_grace: false,
          may_start: true,
          reason: "assigned",
          explanation: "Its turn: it may start at its next check.",
        },
        recorded_runs: 0,
        last_service_start: null,
        last_service_end: null,
        last_atomic_service_run_id: null,
      },
      expect.objectContaining({
        position: 2,
        runner_id: "second",
        last_heartbeat: iso(18),
        slot: expect.objectContaining({ slot_start: iso(150), slot_end: iso(300), owns_slot: false, may_start: false }),
      }),
    ]);
  });

  it.each<[seconds: number, first: string, second: string]>([
    [20, "Its turn: it may start at its next check.", "Its turn comes later in this cycle."],
    [45, "Its turn: it may start at its next check.", "Its turn comes later in this cycle."],
    [46, "Its turn, but too late in the slot to start.", "Its turn comes later in this cycle."],
    [90, "Only the margin is left of its slot.", "Its turn comes later in this cycle."],
    [149, "Only the margin is left of its slot.", "Its turn comes later in this cycle."],
    [150, "Its turn in this cycle is over.", "Its turn: it may start at its next check."],
    [200, "Its turn in this cycle is over.", "Its turn, but too late in the slot to start."],
    [299, "Its turn in this cycle is over.", "Only the margin is left of its slot."],
    [300, "Its turn: it may start at its next check.", "Its turn comes later in this cycle."],
  ])("are explained in words %d s after the start of the cycle", async (seconds, ...words) => {
    const { runners, cycle } = await scheduling(pair(seconds));
    expect(runners.map((row) => row.slot?.explanation)).toEqual(words);
    const owner = seconds % 300 < 150 ? "first" : "second";
    expect(cycle?.owner?.runner_id).toBe(owner);
    expect(runners.filter((row) => row.slot?.owns_slot).map((row) => row.runner_id)).toEqual([owner]);
    const starting = runners.filter((row) => row.slot?.may_start).map((row) => row.slot?.reason);
    expect(starting).toEqual(words.some((text) => text.startsWith("Its turn: ")) ? ["assigned"] : []);
  });

  it("all wait while the owner of the slot started too recently", async () => {
    const settings = { atomic_service_membership_stabilization_minutes: 1 };
    const app = memoryApp({ now: at(160), settings })
      .runner("first", { created: at(-900), last: at(159) })
      .runner("second", { created: at(110), last: at(159) });
    const { runners } = await scheduling(app);
    expect(runners.map(({ slot }) => [slot?.in_grace, slot?.may_start, slot?.explanation])).toEqual([
      [false, false, "The slot's owner started too recently."],
      [true, false, "Its turn, but it started too recently."],
    ]);
  });

  it("have no window if the margin takes up each slot", async () => {
    const app = memoryApp({ now: at(20) });
    for (let n = 0; n < 5; n++) app.runner(`r${n}`, { created: at(-900 + n), last: at(19) });
    const { runners, cycle } = await scheduling(app);
    expect(cycle).toMatchObject({ every_window_invalid: true, most_runners: 4, slot_seconds: 60 });
    expect(runners.map(({ slot }) => [slot?.window_start, slot?.window_end, slot?.explanation])).toEqual(
      Array(5).fill([null, null, "The margin takes up its whole slot."]),
    );
  });

  it("leave out silent runners and those that take no turns", async () => {
    const app = pair(20)
      .runner("worker", { created: at(-1000), last: at(19), atomic: false })
      .runner("dead", { created: at(-2000), last: at(-581) });
    const model = await scheduling(app);
    expect([model.eligible, model.active, model.runners.map((row) => row.runner_id)]).toEqual([
      2,
      3,
      ["first", "second"],
    ]);
  });

  it("are those of the first 5,000 runners, marked as incomplete if there are more", async () => {
    const crowd = (count: number) => {
      const app = memoryApp({ now: at(20) });
      for (let n = 0; n < count; n++) app.heartbeat(`r${n}`, { last_heartbeat: at(19) });
      return app;
    };
    expect(await scheduling(crowd(5_000))).toMatchObject({ active: 5_000, eligible: 5_000, incomplete: false });
    expect(await scheduling(crowd(5_001))).toMatchObject({ active: 5_001, eligible: 5_000, incomplete: true });
  });
});

describe("the last service run of a runner", () => {
  it("is its newest recorded run, with the number of its recorded runs", async () => {
    const app = pair(280)
      .execution("older", { runner_id: "first", start_time: at(5), end_time: at(6) })
      .execution("newer", { runner_id: "first", start_time: at(40), end_time: at(41) })
      .execution("of another", { runner_id: "gone", start_time: at(50), end_time: at(51) });
    app.change((rows) =>
      Object.assign(rows.heartbeats[0] ?? {}, { last_service_start: at(1), last_service_end: at(2) }),
    );
    const [first, second] = (await scheduling(app)).runners;
    expect(first).toMatchObject({
      recorded_runs: 2,
      last_service_start: iso(40),
      last_service_end: iso(41),
      last_atomic_service_run_id: "newer",
    });
    expect(second).toMatchObject({ recorded_runs: 0, last_service_start: null, last_atomic_service_run_id: null });
  });

  it("has no end while it goes on, whatever the heartbeat says of the run before", async () => {
    const app = pair(20).execution("now", {
      runner_id: "first",
      start_time: at(19),
      end_time: null,
      status: "running",
    });
    app.change((rows) =>
      Object.assign(rows.heartbeats[0] ?? {}, { last_service_start: at(1), last_service_end: at(2) }),
    );
    expect((await scheduling(app)).runners[0]).toMatchObject({ last_service_start: iso(19), last_service_end: null });
  });

  it("comes from its heartbeat if its runs are missing, or are not recorded", async () => {
    const app = (capabilities = {}) =>
      pair(280, { capabilities }).change((rows) =>
        Object.assign(rows.heartbeats[0] ?? {}, { last_service_start: at(10), last_service_end: at(11) }),
      );
    const said = { last_service_start: iso(10), last_service_end: iso(11), last_atomic_service_run_id: null };
    expect((await scheduling(app())).runners[0]).toMatchObject({ ...said, recorded_runs: 0 });
    const old = await scheduling(app({ executions: false }));
    expect(old.recorded).toBe(false);
    expect(old.runners[0]).toMatchObject({ ...said, recorded_runs: null });
  });
});

describe("unfinished and blocked service runs", () => {
  it("are listed separately, and so are those that will not end", async () => {
    const app = pair(400)
      .runner("dead", { last: at(-300) })
      .execution("fine", { runner_id: "first", start_time: at(390), end_time: null, status: "running" })
      .execution("long", { runner_id: "second", start_time: at(99), end_time: null, status: "running" })
      .execution("left", { runner_id: "dead", start_time: at(-300), end_time: null, status: "running" })
      .execution("gave way", {
        runner_id: "second",
        start_time: at(395),
        status: "blocked",
        reason: "prior_running:fine runner:first",
      })
      .execution("gave way first", { runner_id: "second", start_time: at(394), status: "blocked" })
      .execution("over", { runner_id: "first", start_time: at(10) });
    const { running, stuck, blocked } = await scheduling(app);
    const ids = (rows: AtomicScheduling["running"]) => rows.map((row) => row.atomic_service_run_id);
    expect(ids(running)).toEqual(["fine", "long", "left"]);
    expect(stuck.map((row) => [row.atomic_service_run_id, row.stuck])).toEqual([
      ["long", "too_long"],
      ["left", "runner_dead"],
    ]);
    expect(ids(blocked)).toEqual(["gave way", "gave way first"]);
    expect(blocked[0]?.prior_run).toEqual({ atomic_service_run_id: "fine", runner_id: "first" });
  });

  it("are cut to the newest 50 blocked and the newest five unfinished ones", async () => {
    const app = pair(280);
    for (let n = 0; n < 60; n++) app.execution(`b${n}`, { runner_id: "gone", start_time: at(n), status: "blocked" });
    for (let n = 0; n < 9; n++)
      app.execution(`r${n}`, { runner_id: "gone", start_time: at(n), end_time: null, status: "running" });
    const { blocked, running } = await scheduling(app);
    expect(blocked.map((row) => row.atomic_service_run_id)).toEqual(Array.from({ length: 50 }, (_, n) => `b${59 - n}`));
    expect(running).toHaveLength(5);
  });

  it("are empty lists without recorded runs", async () => {
    expect(await scheduling(pair(20))).toMatchObject({ running: [], stuck: [], blocked: [] });
  });
});

describe("a contradiction between settings and service runs", () => {
  const runs = (app: MemoryApp, ...starts: [runner_id: string, seconds: number][]) => {
    for (const [runner_id, seconds] of starts)
      app.execution(`${runner_id} ${seconds}`, { runner_id, start_time: at(seconds), end_time: at(seconds + 0.01) });
    return app;
  };

  it("is absent while the runs fit", async () => {
    const { fit, cycle } = await scheduling(runs(pair(280), ["first", 10], ["second", 160]));
    expect(fit).toEqual({
      verdict: "fits",
      assumed: true,
      since: iso(-800),
      compared: 2,
      outside: 0,
      check_interval_seconds: 30,
      shortest_repeat_seconds: null,
      too_often: false,
      contradictions: [],
    });
    expect(cycle).not.toBeNull();
  });

  it("is found if runs began outside their slots", async () => {
    const { fit, cycle, runners } = await scheduling(runs(pair(280), ["first", 10], ["second", 40], ["first", 200]));
    expect(fit).toMatchObject({ verdict: "contradicted", compared: 3, outside: 2, too_often: false });
    expect(fit.contradictions).toEqual([
      "2 of the 3 runs recorded since 2026-01-05 11:46:40 UTC began outside the slot that these settings give their runner.",
    ]);
    expect([cycle, ...runners.map((row) => row.slot)]).toEqual([null, null, null]);
  });

  it("is found if a runner ran more often than it would ask", async () => {
    const { fit } = await scheduling(runs(pair(280), ["first", 10], ["first", 15], ["first", 40]));
    expect(fit).toMatchObject({ verdict: "contradicted", outside: 0, too_often: true, shortest_repeat_seconds: 5 });
    expect(fit.contradictions).toEqual([
      "Two runs of one runner began 5 s apart, but by these settings a runner checks every 30 s.",
    ]);
  });

  it("is not found for a few runs among many that fit", async () => {
    const app = memoryApp({ now: at(280) })
      .runner("first", { created: at(-9_000), last: at(279) })
      .runner("second", { created: at(-8_000), last: at(279) });
    for (let n = 1; n <= 19; n++) runs(app, ["first", 10 - n * 300]);
    const { fit } = await scheduling(runs(app, ["second", 40]));
    expect(fit).toMatchObject({ verdict: "fits", compared: 20, outside: 1, contradictions: [] });
  });

  it("is found in the last run of each runner if runs are not recorded", async () => {
    const app = pair(280, { capabilities: { executions: false } });
    app.change((rows) => Object.assign(rows.heartbeats[0] ?? {}, { last_service_start: at(200) }));
    const { fit } = await scheduling(app);
    expect(fit).toMatchObject({ verdict: "contradicted", compared: 1, outside: 1 });
    expect(fit.contradictions).toEqual([
      "1 of the last runs of 1 runner since 2026-01-05 11:46:40 UTC began outside the slot that these settings give their runner.",
    ]);
  });
});

describe("the settings of the atomic service", () => {
  const TIMING = [
    "atomic_service_interval_minutes",
    "atomic_service_spread_margin_minutes",
    "atomic_service_check_interval_minutes",
  ];
  const SINCE_024 = [
    "atomic_service_membership_stabilization_minutes",
    "atomic_service_max_start_slot_fraction",
    "atomic_service_min_run_margin_seconds",
  ];

  it("are listed as far as the app's pynenc has them", async () => {
    const fields = async (app: MemoryApp) => (await scheduling(app)).settings.map((row) => row.field);
    expect(await fields(pair(20))).toEqual([...TIMING, ...SINCE_024, "runner_considered_dead_after_minutes"]);
    const old = pair(20, { capabilities: { executions: false } });
    expect(await fields(old)).toEqual([...TIMING, "runner_considered_dead_after_minutes"]);
  });

  it("count as assumed only if neither the cycle nor the margin was found", async () => {
    const assumed = async (settings: Record<string, unknown>) => (await scheduling(pair(20, { settings }))).fit.assumed;
    expect(await assumed({})).toBe(true);
    expect(await assumed({ atomic_service_check_interval_minutes: 1 })).toBe(true);
    expect(await assumed({ atomic_service_interval_minutes: 5 })).toBe(false);
    expect(await assumed({ atomic_service_spread_margin_minutes: 1 })).toBe(false);
  });

  it("determine the cycle and the slots", async () => {
    const settings = {
      atomic_service_interval_minutes: 10,
      atomic_service_spread_margin_minutes: 2,
      atomic_service_check_interval_minutes: 1,
    };
    const { cycle, fit, runners } = await scheduling(pair(20, { settings }));
    expect(cycle).toMatchObject({ interval_seconds: 600, spread_seconds: 120, slot_seconds: 300, most_runners: 4 });
    expect(Date.parse(cycle?.cycle_end ?? "") - Date.parse(cycle?.cycle_start ?? "")).toBe(600_000);
    expect(fit.check_interval_seconds).toBe(60);
    expect(runners).toHaveLength(2);
  });
});

it("there are no slots and no owner without runners", async () => {
  const model = await scheduling(memoryApp({ now: at(20) }));
  expect(model).toMatchObject({ eligible: 0, active: 0, incomplete: false, runners: [] });
  expect(model.cycle).toMatchObject({ slot_seconds: null, owner: null, every_window_invalid: false, most_runners: 4 });
  expect(model.fit).toMatchObject({ verdict: "untested", since: null, compared: 0, contradictions: [] });
});
