/** When a runner counts as silent: by the setting, unless a recovery shows that the app waits less. */
import { describe, expect, test } from "vitest";
import { deadBefore, deadBeforeAfter, type Liveness, livenessOf } from "../../../src/services/model/runner-liveness.ts";
import { listRunners } from "../../../src/services/runners/runners.ts";
import { counting } from "../../support/counting.ts";
import { type FixtureName, factsOf, presentOf } from "../../support/fixtures.ts";
import {
  at,
  type MemoryApp,
  type MemoryAppOptions,
  memoryApp,
  type Step,
} from "../../support/memory-app/memory-app.ts";
import { monitorOf, sharedMonitor } from "../../support/monitor.ts";

const RECOVERY = "pynenc.core_tasks.recover_running_invocations";

function liveness(app: MemoryApp): Promise<Liveness> {
  return app.opened.store.read((reads) => livenessOf(app.opened, reads));
}

/** A run of the recovery task by `r2` from 100 to 102, and an invocation of `r1` that it took at 101. */
function recovered(lastHeard: number, options: MemoryAppOptions = {}): MemoryApp {
  const taken: readonly Step[] = [
    [at(0), "registered"],
    [at(1), "pending", "r1"],
    [at(2), "running", "r1"],
    [at(101), "running_recovery", "r2"],
    [at(101.5), "rerouted", "r2"],
  ];
  return memoryApp({ now: at(120), ...options })
    .runner("r1", { created: at(0), last: at(lastHeard) })
    .runner("r2", { created: at(0), last: at(119) })
    .invocation("taken", { history: taken })
    .invocation("recovery", {
      task: RECOVERY,
      history: [
        [at(99), "registered", "r2"],
        [at(100), "running", "r2"],
        [at(102), "success", "r2"],
      ],
    });
}

describe("a recovery that took an invocation from a silent runner", () => {
  test("shows how long the app waits, instead of the default or a setting that was found", async () => {
    const told = { allowed_seconds: 91, told_by: "recovery", recovery: { runner_id: "r1", invocation_id: "taken" } };
    expect(await liveness(recovered(10))).toMatchObject({
      dead_before: at(120 - 91),
      silence: { ...told, setting_seconds: 600 },
    });
    const set = recovered(10, { settings: { runner_considered_dead_after_minutes: 5 } });
    expect(await liveness(set)).toMatchObject({ silence: { ...told, setting_seconds: 300 } });
    expect(await listRunners(recovered(10).opened, {})).toMatchObject({
      active: 1,
      runners: [{ runner_id: "r2" }],
      silence: told,
    });
  });

  test("the shortest silence of several recoveries counts", async () => {
    const app = recovered(10)
      .runner("r3", { last: at(60) })
      .invocation("other", {
        history: [
          [at(0), "registered"],
          [at(2), "running", "r3"],
          [at(101), "running_recovery", "r2"],
        ],
      });
    expect((await liveness(app)).silence).toMatchObject({ allowed_seconds: 41, recovery: { runner_id: "r3" } });
  });
});

describe("an invocation that one of the latest recoveries took", () => {
  /** Of two runners: one silent since 50, of which the recovery tells, and another of which something is odd. */
  const beside = (last: number, taken: number, options: MemoryAppOptions = {}) =>
    recovered(50, options)
      .runner("odd", { last: at(last) })
      .invocation("odd one", {
        history: [
          [at(0), "registered"],
          [at(2), "running", "odd"],
          [at(taken), "running_recovery", "r2"],
        ],
      });
  const told = { allowed_seconds: 51, recovery: { runner_id: "r1" } };

  test("is ignored if its runner has sent a heartbeat since", async () => {
    expect((await liveness(beside(101.5, 101.5))).silence).toMatchObject(told);
    expect((await liveness(beside(110, 101.5))).silence).toMatchObject(told);
    expect((await liveness(beside(100, 101.5))).silence).toMatchObject({
      allowed_seconds: 1.5,
      recovery: { runner_id: "odd" },
    });
  });

  test("is ignored if its runner's last heartbeat is older than the setting allows anyway", async () => {
    // Dead is who was not heard of since 60.
    const settings = { runner_considered_dead_after_minutes: 1 };
    const app = (last: number) => recovered(last, { settings }).runner("r3", { last: at(70) });
    expect((await liveness(app(60))).silence).toMatchObject({ allowed_seconds: 41, told_by: "recovery" });
    expect((await liveness(app(59))).silence).toMatchObject({
      allowed_seconds: 60,
      told_by: "setting",
      recovery: null,
    });
  });
});

test("a runner that is dead to a search is dead to a page, whether a recovery shows the limit or the setting decides", async () => {
  for (const app of [memoryApp({ now: at(120) }).runner("r1"), recovered(10)]) {
    const searched = await app.opened.store.read((reads) => deadBeforeAfter(reads, 600, at(120)));
    expect(searched).toBe((await liveness(app)).dead_before);
  }
});

describe("the setting decides when a runner counts as silent", () => {
  const DEFAULT = { allowed_seconds: 600, told_by: "default", setting_seconds: 600, recovery: null };

  test.each<[string, MemoryApp]>([
    ["without any recovery", memoryApp().runner("r1")],
    ["when the runner sent a heartbeat after the recovery", recovered(110)],
    ["when the runner's heartbeat is missing", recovered(10).change((rows) => void rows.heartbeats.shift())],
    ["when the history is missing", recovered(10).change((rows) => void rows.history.splice(0))],
    // A pending invocation is taken for its age, whatever its runner does.
    [
      "when the recovered invocation was only pending",
      recovered(10).change((rows) => {
        for (const entry of rows.history) if (entry.status === "running_recovery") entry.status = "pending_recovery";
      }),
    ],
    // From the present that was asked for, it has not happened yet.
    ["when the recovery is in the future", recovered(10, { now: at(90) })],
    [
      "when the recovery is in the future, except its status in the orchestrator",
      recovered(10, { now: at(99.5) }).change((rows) => {
        for (const row of rows.statuses) if (row.invocation_id === "recovery") row.status_timestamp = at(99);
        for (const entry of rows.history)
          if (entry.status === "running_recovery") Object.assign(entry, { timestamp: at(100), written_at: at(100) });
      }),
    ],
  ])("%s", async (_, app) => {
    expect((await liveness(app)).silence).toEqual(DEFAULT);
  });

  test("when the observed wait is longer than the setting, or exactly as long", async () => {
    const settings = { runner_considered_dead_after_minutes: 1 };
    expect((await liveness(recovered(10, { settings }))).silence).toMatchObject({
      allowed_seconds: 60,
      told_by: "setting",
    });
    const same = recovered(41, { settings });
    expect((await liveness(same)).silence).toMatchObject({ allowed_seconds: 60, told_by: "setting", recovery: null });
  });
});

describe.each<FixtureName>(["kitchen_sink.db", "kitchen_sink_023.db"])("%s", (fixture) => {
  const monitor = sharedMonitor(() => monitorOf(fixture, "in process", { app: "kitchen_sink" }));

  test("the app's recovery took six invocations after 52 s, so only three runners count as active", async () => {
    const app = await monitor.workspace.open("kitchen_sink");
    const list = await listRunners(app, {});
    expect(list.silence).toMatchObject({ told_by: "recovery", setting_seconds: 600 });
    expect(list.silence.allowed_seconds).toBeGreaterThan(51);
    expect(list.silence.allowed_seconds).toBeLessThan(52);
    expect(list.active).toBe(3);
    const present = presentOf(fixture);
    const silent = list.runners.map((row) => present - Date.parse(row.last_heartbeat ?? "") / 1000);
    expect(silent.every((seconds) => seconds < list.silence.allowed_seconds)).toBe(true);
    // By the default every one of them would be.
    expect(factsOf(fixture, "kitchen_sink").heartbeats).toBe(31);
    const page = await monitor.text("/runners/");
    expect(page).toContain("the app's own recovery took the invocation");
    expect(page).toContain(`href="/runners/${list.silence.recovery?.runner_id}?app=kitchen_sink"`);
  });
});

test("runner liveness is read once for all parts of a page", async () => {
  const app = memoryApp().runner("r1");
  const counted = counting(app.store);
  await counted.store.read(async (reads) => {
    const first = await livenessOf(app.opened, reads);
    const calls = counted.calls();
    expect(await livenessOf(app.opened, reads)).toEqual(first);
    expect(await deadBefore(app.opened, reads)).toBe(first.dead_before);
    expect(counted.calls()).toBe(calls);
  });
});
