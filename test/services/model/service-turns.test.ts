/** The timing of the atomic service as settings have it, and what recorded runs say about it. */
import { describe, expect, test } from "vitest";
import type { AtomicScheduling } from "../../../src/api/runners.ts";
import { atomicScheduling } from "../../../src/services/runners/atomic-scheduling.ts";
import { type FoundVerdict, findVerdicts } from "../../../src/services/verdicts/verdicts.ts";
import { at, type MemoryApp, type MemoryAppOptions, memoryApp } from "../../support/memory-app/memory-app.ts";

/** With the defaults, 300 s long. The present is 200 s into it. */
const CYCLE = at(0);

/** Five runners, of which the last came 100 s after the cycle began: more than the defaults allow. */
function crowd(options: MemoryAppOptions = {}): MemoryApp {
  const app = memoryApp({ now: at(200), ...options });
  for (let n = 0; n < 5; n++) app.runner(`r${n}`, { created: n === 4 ? at(100) : at(-900 + n), last: at(190) });
  return app.runner("worker", { created: at(-900), last: at(190), atomic: false });
}

function run(app: MemoryApp, runner_id: string, seconds: number, given: { status?: string } = {}): MemoryApp {
  return app.execution(`${runner_id} ${seconds}`, {
    runner_id,
    start_time: at(seconds),
    end_time: at(seconds + 0.01),
    ...given,
  });
}

async function verdict(app: MemoryApp, wanted = "invalid_slots"): Promise<FoundVerdict | undefined> {
  const verdicts = await app.opened.store.read((reads) => findVerdicts(app.opened, reads, null));
  return verdicts.find(({ code }) => code === wanted);
}

function scheduling(app: MemoryApp): Promise<AtomicScheduling> {
  return atomicScheduling(app.opened);
}

test("the test's instants begin with a cycle of the default settings", () => {
  expect(CYCLE % 300).toBe(0);
});

describe("more runners than the atomic service settings allow", () => {
  test("give a warning while no run contradicts it, and the warning says that the settings are defaults", async () => {
    const app = run(crowd(), "r0", 5);
    expect(await verdict(app)).toMatchObject({ severity: "warning", count: 5 });
    const { sentence, detail } = (await verdict(app)) ?? { sentence: "", detail: "" };
    expect(sentence).toBe("The atomic service may be unable to run: with 5 runners its slots are too short");
    expect(detail).toContain("No run is recorded since 2026-01-05 12:01:40 UTC");
    expect(detail).toMatch(/^By pynenc's defaults, each runner has .* The app may have other settings/);
    expect(await scheduling(app)).toMatchObject({
      cycle: { every_window_invalid: true, most_runners: 4, slot_seconds: 60 },
      fit: { verdict: "untested", assumed: true, compared: 0 },
      eligible: 5,
      active: 6,
    });
  });

  test("give no warning if a run began after the last of them came: the runners have other settings", async () => {
    for (const given of [{}, { status: "running" }, { status: "blocked" }, { status: "abandoned" }]) {
      const app = run(crowd(), "r3", 150, given);
      expect([given, await verdict(app)]).toEqual([given, undefined]);
      const model = await scheduling(app);
      expect(model).toMatchObject({
        cycle: null,
        fit: { verdict: "contradicted", compared: 1, outside: 1, too_often: false },
      });
      expect(model.runners.map((row) => [row.runner_id, row.slot, row.recorded_runs])).toEqual([
        ["r0", null, 0],
        ["r1", null, 0],
        ["r2", null, 0],
        ["r3", null, 1],
        ["r4", null, 0],
      ]);
    }
  });

  test("still give the warning if the only run is of a runner that takes no turns or has left", async () => {
    expect(await verdict(run(run(crowd(), "worker", 150), "gone", 151))).toBeDefined();
  });

  test("give a warning that does not mention defaults if the settings were found", async () => {
    const settings = { atomic_service_interval_minutes: 5, atomic_service_spread_margin_minutes: 1 };
    expect((await verdict(crowd({ settings })))?.detail).not.toContain("defaults");
    const wide = crowd({ settings: { ...settings, atomic_service_interval_minutes: 10 } });
    expect(await verdict(wide)).toBeUndefined();
    expect((await scheduling(wide)).fit).toMatchObject({ verdict: "untested", assumed: false });
  });
});

describe("comparable atomic service runs", () => {
  const two = () =>
    memoryApp({ now: at(200) })
      .runner("r0", { created: at(-900), last: at(190) })
      .runner("r1", { created: at(-899), last: at(190) });

  test("fit the settings when they lie in the slots", async () => {
    const model = await scheduling(run(run(two(), "r0", 10), "r1", 160));
    expect(model.fit).toMatchObject({ verdict: "fits", compared: 2, outside: 0 });
    expect(model.cycle?.owner?.runner_id).toBe("r1");
    expect(model.runners.map((row) => row.slot?.owns_slot)).toEqual([false, true]);
  });

  test("are those since a runner that took turns counts as silent, as it had a slot before", async () => {
    // Dead after 600 s of silence, that is since 10 s into the cycle.
    const app = two().runner("left", { created: at(-5000), last: at(-590) });
    expect((await scheduling(run(app, "r0", 5))).fit).toMatchObject({ verdict: "untested", compared: 0 });
    expect((await scheduling(run(app, "r0", 40))).fit).toMatchObject({ verdict: "fits", compared: 1 });
    const worker = two().runner("left", { created: at(-5000), last: at(-590), atomic: false });
    expect((await scheduling(run(worker, "r0", 20))).fit).toMatchObject({ verdict: "fits", compared: 1 });
  });

  test("are those since the last of very many silent workers, as others behind it may have had a slot", async () => {
    const workers = (count: number) => {
      const app = two();
      for (let n = 0; n < count; n++)
        app.runner(`worker ${n}`, { created: at(-5000), last: at(-590 - n * 2), atomic: false });
      return run(app, "r0", 5);
    };
    expect((await scheduling(workers(200))).fit).toMatchObject({ verdict: "fits", compared: 1 });
    const { fit } = await scheduling(workers(200));
    expect(fit.since).toBe((await scheduling(workers(300))).fit.since);
  });

  test("contradict the settings if a runner runs more often than it would ask, even a single runner", async () => {
    const app = memoryApp({ now: at(20) }).runner("r0", { created: at(0), last: at(19) });
    for (let n = 0; n < 39; n++) run(app, "r0", 1 + n * 0.3);
    expect(await scheduling(app)).toMatchObject({
      cycle: null,
      fit: { verdict: "contradicted", outside: 0, too_often: true, check_interval_seconds: 30 },
    });
  });

  test("before pynenc 0.2.4 are the last service starts in the heartbeats", async () => {
    const app = memoryApp({ now: at(200), capabilities: { executions: false } })
      .heartbeat("r0", { creation_timestamp: at(-900), last_heartbeat: at(190), last_service_start: at(10) })
      .heartbeat("r1", { creation_timestamp: at(-899), last_heartbeat: at(190) });
    expect((await scheduling(app)).fit).toMatchObject({ verdict: "fits", compared: 1 });
    app.change((rows) => Object.assign(rows.heartbeats[0] ?? {}, { last_service_start: at(170) }));
    expect((await scheduling(app)).fit).toMatchObject({ verdict: "contradicted", outside: 1 });
  });

  test("do not exist without runners, and the settings remain untested", async () => {
    const model = await scheduling(run(memoryApp({ now: at(200) }), "r0", 10));
    expect(model).toMatchObject({ eligible: 0, runners: [], fit: { verdict: "untested", since: null } });
    expect(model.cycle).toMatchObject({ slot_seconds: null, owner: null });
  });
});

describe("the warning that no runner starts the atomic service any more", () => {
  const SLOTS = { atomic_service_interval_minutes: 5, atomic_service_spread_margin_minutes: 1 };
  /** Two runners since an hour before; each ran in each of its slots, up to the cycle that begins at this second. */
  function ranUntil(
    last: number,
    { since = -3600, ...options }: MemoryAppOptions & { since?: number } = {},
  ): MemoryApp {
    const app = memoryApp({ now: at(200), ...options })
      .runner("r0", { created: at(since - 1), last: at(190) })
      .runner("r1", { created: at(since), last: at(190) });
    for (let cycle = -3600; cycle <= last; cycle += 300) run(run(app, "r0", cycle + 10), "r1", cycle + 160);
    return app;
  }
  const starved = (app: MemoryApp) => verdict(app, "starved_atomic_service");

  test("follows from the recorded runs, whatever the settings are", async () => {
    const found = await starved(ranUntil(-600));
    expect(found).toMatchObject({
      severity: "warning",
      count: 2,
      since: "2026-01-05T11:52:40.000000+00:00",
    });
    expect(found?.sentence).toBe("The atomic service does not start, although 2 runners take turns");
    expect(found?.detail).toContain(
      "Its latest recorded runs began at most 2 min 30 s apart; the last one began at 2026-01-05 11:52:40 UTC",
    );
    expect(found?.evidence.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      "atomic_service_run r1 -440",
      "runner r0",
      "runner r1",
    ]);
  });

  test("is absent until three times the longest gap has passed since the last run, and while a run goes on", async () => {
    expect(await starved(ranUntil(-300))).toBeUndefined();
    expect(await starved(run(ranUntil(-600), "r0", -250))).toBeUndefined();
    expect(await starved(run(ranUntil(-600), "r0", -250, { status: "abandoned" }))).toBeUndefined();
    expect(await starved(run(ranUntil(-600), "r0", -250, { status: "blocked" }))).toBeDefined();
  });

  test("is replaced by the warning about a run that blocks all others", async () => {
    const app = run(ranUntil(-600), "r0", -430, { status: "running" });
    expect(await starved(app)).toBeUndefined();
    expect(await verdict(app, "stuck_atomic_service")).toBeDefined();
  });

  test("follows from settings that were found if the runs show no rhythm, and never from defaults", async () => {
    const late = { since: -1100 };
    expect(await starved(ranUntil(-1500, late))).toBeUndefined();
    const found = await starved(ranUntil(-1500, { ...late, settings: SLOTS }));
    expect(found?.detail).toMatch(
      /^By the settings it runs every 5 min; none is recorded since .*, when all of them could take a turn\./,
    );
    // Three cycles after they could take turns.
    expect(await starved(ranUntil(-1500, { since: -500, settings: SLOTS }))).toBeUndefined();
  });

  test("allows for a slow clock: its runs began later than recorded", async () => {
    // 190 s longer ago than may be.
    const behind = (seconds: number) =>
      ranUntil(-600)
        .context("r0", { hostname: "late-box" })
        .context("client", { hostname: "right-box" })
        .invocations(3, () => ({
          history: [
            [at(100), "registered", "client"],
            [at(100 - seconds), "pending", "r0"],
            [at(101 - seconds), "success", "r0"],
          ],
        }));
    expect(await starved(behind(191))).toBeUndefined();
    expect(await starved(behind(189))).toBeDefined();
  });

  test("replaces the warning about overdue schedules", async () => {
    const cron = { condition_type: "CronCondition", data: { cron_expression: "*/5 * * * *" } };
    const due = (app: MemoryApp) =>
      app.condition("five", cron, at(-1500)).trigger("report", { task_id_key: "shop.report", condition_ids: ["five"] });
    expect(await verdict(due(ranUntil(-600)), "schedule_overdue")).toBeUndefined();
    expect(await verdict(due(ranUntil(0)), "schedule_overdue")).toBeDefined();
  });

  test("before pynenc 0.2.4 follows from the last service start in the heartbeats", async () => {
    const beat = (last: number) =>
      memoryApp({ now: at(200), capabilities: { executions: false }, settings: SLOTS })
        .heartbeat("r0", { creation_timestamp: at(-9000), last_heartbeat: at(190), last_service_start: at(last) })
        .heartbeat("r1", { creation_timestamp: at(-8999), last_heartbeat: at(190) });
    expect(await starved(beat(-890))).toMatchObject({ count: 2 });
    expect(await starved(beat(-600))).toBeUndefined();
  });
});
