/** What keeps an app from getting on, and what does not. */
import { describe, expect, it } from "vitest";
import type { Problem } from "../../../src/api/health.ts";
import { RECOVERY_TASKS } from "../../../src/pynenc/identifiers.ts";
import { findProblems } from "../../../src/services/health/problems.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const problems = (app: MemoryApp): Promise<Problem[]> => app.store.read((reads) => findProblems(app.opened, reads));
const kinds = async (app: MemoryApp) => (await problems(app)).map(({ kind, severity }) => `${severity} ${kind}`);

/** As runners register them when they start. */
function withRecovery(app: MemoryApp): MemoryApp {
  for (const [status, task_id_key] of Object.entries(RECOVERY_TASKS))
    app.trigger(`recovery of ${status}`, { task_id_key, condition_ids: ["cron_*/5 * * * *"] });
  return app;
}

describe("the queue", () => {
  it("is a problem when it holds messages and no runner is active", async () => {
    const app = memoryApp({ now: at(3_600) })
      .invocation("a")
      .message("a")
      .invocation("b")
      .message("b");
    const [problem] = await problems(app);
    expect(problem).toMatchObject({ kind: "unconsumed_queue", severity: "error", count: 2 });
    expect(problem?.title).toBe("2 messages in the queue and no active runner");
    app.runner("dead", { last: at(0) });
    expect(await kinds(app)).toEqual(["error unconsumed_queue"]);
  });

  it("is none when it is empty, or a runner is there to take its young messages", async () => {
    const app = withRecovery(memoryApp());
    expect(await problems(app)).toEqual([]);
    app
      .invocation("a")
      .message("a", at(0))
      .runner("r1", { last: at(50) });
    expect(await problems(app)).toEqual([]);
  });

  it("is worth a look when its oldest message has waited long although a runner is active", async () => {
    const app = withRecovery(memoryApp({ now: at(300) })).runner("r1", { last: at(300) });
    app.invocation("a").message("a", at(0)).message("a", at(299));
    expect(await problems(app)).toEqual([]);
    app.now = at(900);
    app.change((rows) => {
      for (const beat of rows.heartbeats) beat.last_heartbeat = at(900);
    });
    const [problem] = await problems(app);
    expect(problem).toMatchObject({ kind: "unconsumed_queue", severity: "warning", count: 2 });
    expect(problem?.title).toBe("The oldest message has waited for 15 min");
  });
});

it("an invocation without a message is told, and not looked for beside more than 10,000 messages", async () => {
  const beside = async (messages: number) => {
    const app = withRecovery(memoryApp({ now: at(3_600) }))
      .runner("r1", { last: at(3_600) })
      .invocation("without");
    for (let n = 0; n < messages; n++) app.message(`gone ${n}`, at(3_590));
    return (await kinds(app)).filter((one) => !one.includes("queue_"));
  };
  expect((await beside(0)).length).toBe(1);
  expect(await beside(10_001)).toEqual([]);
});

describe("triggers and recovery", () => {
  it("run where a runner takes turns and recovery is registered, and are nobody's business without a runner", async () => {
    expect(await problems(withRecovery(memoryApp()).runner("r1"))).toEqual([]);
    expect(await problems(memoryApp())).toEqual([]);
    expect(await problems(memoryApp({ now: at(5_000) }).runner("dead", { last: at(0) }))).toEqual([]);
  });

  it("do not run where no trigger is registered, which is told while a runner is active", async () => {
    const [problem, ...others] = await problems(memoryApp().runner("r1").runner("w1", { atomic: false }));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ kind: "no_triggers", severity: "warning", count: 2 });
    expect(problem?.title).toBe("2 runners active, and no trigger is registered");
    expect(problem?.detail).toContain("Runners register triggers only when they start: start one again.");
    // A condition alone starts nothing.
    const condition = memoryApp().runner("r1").condition("cron_* * * * *", {});
    expect(await kinds(condition)).toEqual(["warning no_triggers"]);
  });

  it("a recovery that alone is not registered is named", async () => {
    const app = memoryApp()
      .runner("r1")
      .trigger("t", { task_id_key: RECOVERY_TASKS.pending, condition_ids: ["c"] });
    const [problem] = await problems(app);
    expect(problem).toMatchObject({ kind: "no_recovery", title: "Recovery of running invocations is not registered" });
    expect(problem?.detail).toContain(`No trigger starts ${RECOVERY_TASKS.running},`);
  });

  it("are not judged where the triggers are kept elsewhere, and only with doubt where that cannot be told", async () => {
    const components = {
      broker: true,
      orchestrator: true,
      state_backend: true,
      client_data_store: true,
      trigger: false,
    };
    expect(await problems(memoryApp({ capabilities: { components } }).runner("r1"))).toEqual([]);
    const detail = async (app: MemoryApp) => (await problems(app))[0]?.detail;
    expect(await detail(memoryApp().runner("r1"))).toContain(
      "This does not apply if the app keeps its triggers in memory",
    );
    const told = memoryApp({ settings: { trigger_cls: "RedisTrigger" } }).runner("r1");
    expect(await detail(told)).not.toContain("keeps its triggers in memory");
  });

  it("do not run where only workers are active", async () => {
    const [problem, ...others] = await problems(withRecovery(memoryApp()).runner("w1", { atomic: false }));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ kind: "no_service_runner", count: 1 });
    expect(problem?.title).toBe("1 runner active, and none takes turns in the atomic service");
  });

  it("what is stuck says whether recovery will come", async () => {
    const stuck = (app: MemoryApp) =>
      app.invocation("stuck", {
        history: [
          [at(0), "registered"],
          [at(1), "pending", "r9"],
        ],
      });
    const detail = async (app: MemoryApp) =>
      (await problems(stuck(app))).find(({ kind }) => kind === "stuck_pending")?.detail;
    expect(await detail(withRecovery(memoryApp()).runner("r1"))).toContain(
      "Recovery reroutes them at its next turn (recover_pending_invocations_cron).",
    );
    expect(await detail(withRecovery(memoryApp()))).toContain("no runner is active to run it");
    expect(await detail(withRecovery(memoryApp()).runner("w1", { atomic: false }))).toContain(
      "no active runner takes turns",
    );
    expect(await detail(memoryApp().runner("r1"))).toContain("its schedule is not registered");
  });
});

describe("a runner that is silent", () => {
  it("may be alive after all: what is said of its invocations is about stored heartbeats", async () => {
    const app = memoryApp({ now: at(3_600) })
      .invocation("a", {
        history: [
          [at(0), "registered"],
          [at(1), "paused", "r1"],
        ],
      })
      .invocation("b", {
        history: [
          [at(0), "registered"],
          [at(1), "running", "r1"],
        ],
      });
    const details = Object.fromEntries((await problems(app)).map(({ kind, detail }) => [kind, detail]));
    const silence = "No heartbeat of their runner is stored for the last 10 m 00 s (the default of ";
    expect(details.paused_on_dead_runner).toContain(silence);
    expect(details.paused_on_dead_runner).toContain("if the runner is dead, nothing continues these");
    expect(details.running_on_dead_runner).toContain(silence);
  });
});
