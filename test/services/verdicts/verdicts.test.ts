/** Verdicts on what stops an app, and cases without them. */
import { describe, expect, it, vi } from "vitest";
import { RECOVERY_TASKS } from "../../../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { codesOf, healthyApp, verdictsOf as verdicts, withRecovery } from "../../support/verdicts.ts";

const kinds = async (app: MemoryApp) => (await verdicts(app)).map(({ code, severity }) => `${severity} ${code}`);

describe("the queue", () => {
  it("has a verdict if it holds messages and no runner is active", async () => {
    const app = memoryApp({ now: at(3_600) })
      .invocation("a")
      .message("a")
      .invocation("b")
      .message("b");
    const [verdict] = await verdicts(app);
    expect(verdict).toMatchObject({ code: "unconsumed_queue", severity: "error", count: 2 });
    expect(verdict?.sentence).toBe("2 messages waiting and no active runner");
    app.runner("dead", { last: at(0) });
    expect(await kinds(app)).toEqual(["error unconsumed_queue"]);
  });

  it("has no active runner for all its verdicts or for none, although the time goes on while they are made", async () => {
    const told: string[] = [];
    for (let start = 596; start < 602; start += 0.25) {
      const app = memoryApp()
        .invocation("a")
        .message("a", at(500))
        .runner("r1", { last: at(0) });
      let calls = 0;
      vi.spyOn(app.opened, "now").mockImplementation(() => at(start + calls++ / 4));
      for (const { code, sentence } of await verdicts(app)) if (code === "unconsumed_queue") told.push(sentence);
    }
    expect(told.length).toBeGreaterThan(5);
    expect(new Set(told)).toEqual(new Set(["1 message waiting and no active runner"]));
  });

  it("has no verdict if it is empty, or a runner is active and its messages are young", async () => {
    const app = withRecovery(memoryApp());
    expect(await verdicts(app)).toEqual([]);
    app
      .invocation("a")
      .message("a", at(0))
      .runner("r1", { last: at(50) });
    expect(await verdicts(app)).toEqual([]);
  });

  it("has a warning if its oldest message has waited long although a runner is active", async () => {
    const app = withRecovery(memoryApp({ now: at(300) })).runner("r1", { last: at(300) });
    app.invocation("a").message("a", at(0)).message("a", at(299));
    expect(await verdicts(app)).toEqual([]);
    app.now = at(900);
    app.change((rows) => {
      for (const beat of rows.heartbeats) beat.last_heartbeat = at(900);
    });
    const [verdict] = await verdicts(app);
    expect(verdict).toMatchObject({ code: "old_message", severity: "warning", count: 2 });
    expect(verdict?.sentence).toBe("Long wait in the queue");
    expect(verdict?.detail).toMatch(/^The oldest message is for \S+\. It is in the queue; nothing is ahead of it\. /);
    expect(verdict?.evidence).toEqual([
      { kind: "invocation", id: "a", role: "oldest" },
      { kind: "runner", id: "r1", role: "idle, takes from it" },
    ]);
  });
});

it("an invocation without a message has a verdict, but is not searched for if there are more than 10,000 messages", async () => {
  const beside = async (messages: number) => {
    const app = withRecovery(memoryApp({ now: at(3_600) }))
      .runner("r1", { last: at(3_600) })
      .invocation("without");
    for (let n = 0; n < messages; n++) app.message(`gone ${n}`, at(3_590));
    return (await kinds(app)).filter((one) => one.includes("waiting_in_no_queue"));
  };
  expect((await beside(0)).length).toBe(1);
  expect(await beside(10_001)).toEqual([]);
});

describe("triggers and recovery", () => {
  it("have no verdict if a runner takes turns and recovery is registered, or if no runner is active", async () => {
    expect(await verdicts(withRecovery(memoryApp()).runner("r1"))).toEqual([]);
    expect(await verdicts(memoryApp())).toEqual([]);
    expect(await verdicts(memoryApp({ now: at(5_000) }).runner("dead", { last: at(0) }))).toEqual([]);
  });

  it("have a warning if no trigger is registered while a runner is active", async () => {
    const [verdict, ...others] = await verdicts(memoryApp().runner("r1").runner("w1", { atomic: false }));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({ code: "no_triggers", severity: "warning", count: 2 });
    expect(verdict?.sentence).toBe("No trigger is registered, although 2 runners are active");
    expect(verdict?.detail).toContain("Runners register triggers only when they start: restart one.");
    // A condition alone starts nothing.
    const condition = memoryApp().runner("r1").condition("cron_* * * * *", {});
    expect(await kinds(condition)).toEqual(["warning no_triggers"]);
  });

  it("have a warning with the name of the recovery task that is not registered", async () => {
    const app = memoryApp()
      .runner("r1")
      .trigger("t", { task_id_key: RECOVERY_TASKS.pending, condition_ids: ["c"] });
    const [verdict] = await verdicts(app);
    expect(verdict).toMatchObject({
      code: "no_recovery",
      sentence: "Recovery of running invocations is not registered",
    });
    expect(verdict?.detail).toContain(`No trigger starts ${RECOVERY_TASKS.running},`);
  });

  it("have no verdict if triggers are stored elsewhere, and a doubtful one if that is unknown", async () => {
    const components = {
      broker: true,
      orchestrator: true,
      state_backend: true,
      client_data_store: true,
      trigger: false,
    };
    expect(await verdicts(memoryApp({ capabilities: { components } }).runner("r1"))).toEqual([]);
    const detail = async (app: MemoryApp) => (await verdicts(app))[0]?.detail;
    expect(await detail(memoryApp().runner("r1"))).toContain("If the app keeps its triggers in memory");
    const told = memoryApp({ settings: { trigger_cls: "RedisTrigger" } }).runner("r1");
    expect(await detail(told)).not.toContain("keeps its triggers in memory");
  });

  it("have a warning if only workers without the atomic service are active", async () => {
    const [verdict, ...others] = await verdicts(withRecovery(memoryApp()).runner("w1", { atomic: false }));
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({ code: "no_service_runner", count: 1 });
    expect(verdict?.sentence).toBe("No active runner runs the atomic service");
  });

  it("decide what the verdict on a stuck invocation says about its recovery", async () => {
    const stuck = (app: MemoryApp) =>
      app.invocation("stuck", {
        history: [
          [at(0), "registered"],
          [at(1), "pending", "r9"],
        ],
      });
    const detail = async (app: MemoryApp) =>
      (await verdicts(stuck(app))).find(({ code }) => code === "stuck_pending")?.detail;
    expect(await detail(withRecovery(memoryApp()).runner("r1"))).toContain(
      "The next recovery run requeues the invocation (none is recorded yet).",
    );
    const ran = withRecovery(memoryApp())
      .runner("r1")
      .invocation("recovery", {
        task: RECOVERY_TASKS.pending,
        history: [
          [at(2), "registered"],
          [at(3), "failed"],
        ],
      })
      .invocation("other", {
        task: RECOVERY_TASKS.running,
        history: [
          [at(4), "registered"],
          [at(5), "success"],
        ],
      });
    expect(await detail(ran)).toContain(
      "The next recovery run requeues the invocation (the latest: failed, 2026-01-05 12:00:03 UTC).",
    );
    expect(await detail(withRecovery(memoryApp()))).toContain(
      "Recovery would requeue the invocation, but no runner is active",
    );
    expect(await detail(withRecovery(memoryApp()).runner("w1", { atomic: false }))).toContain(
      "no active runner runs the atomic service",
    );
    expect(await detail(memoryApp().runner("r1"))).toContain("its schedule is not registered");
  });
});

describe("the verdict on a silent runner's invocations", () => {
  it("mentions stored heartbeats only, since the runner may be alive", async () => {
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
    const details = Object.fromEntries((await verdicts(app)).map(({ code, detail }) => [code, detail]));
    const silence = "No heartbeat of its runner is stored for the last 10 min (pynenc's default limit)";
    expect(details.paused_on_dead_runner).toContain(silence);
    expect(details.paused_on_dead_runner).toContain(
      "if the runner does not come back, nothing continues this one. Rerun its call.",
    );
    expect(details.running_on_dead_runner).toContain(silence);
  });

  it("uses the plural for several invocations", async () => {
    const app = memoryApp({ now: at(3_600) });
    for (const id of ["a", "b"]) {
      app.invocation(id, {
        history: [
          [at(0), "registered"],
          [at(1), "paused", "r1"],
        ],
      });
    }
    const { sentence, detail } = (await verdicts(app)).find(({ code }) => code === "paused_on_dead_runner") ?? {};
    expect(sentence).toBe("2 invocations paused on a silent runner");
    expect(detail).toContain("No heartbeat of their runner");
    expect(detail).toContain("nothing continues these. Rerun their calls.");
    app.invocation("c", {
      history: [
        [at(0), "registered"],
        [at(1), "paused", "r2"],
      ],
    });
    expect((await verdicts(app)).map((one) => one.sentence)).toContain("3 invocations paused on silent runners");
  });

  it("has the paused invocations and their runner as evidence", async () => {
    const app = memoryApp({ now: at(3_600) });
    for (const id of ["a", "b"]) {
      app.invocation(id, {
        history: [
          [at(0), "registered"],
          [at(1), "paused", "r1"],
        ],
      });
    }
    const paused = (await verdicts(app)).find(({ code }) => code === "paused_on_dead_runner");
    expect(paused?.evidence.map(({ kind, id }) => `${kind} ${id}`).sort()).toEqual([
      "invocation a",
      "invocation b",
      "runner r1",
    ]);
  });
});

describe("messages whose invocation has no status", () => {
  it("have an error, as the runner that takes one ends", async () => {
    const app = healthyApp({ now: at(60) })
      .invocation("a", { status: null })
      .message("a", at(10))
      .message("purged", at(20));
    const [verdict, ...others] = await verdicts(app);
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({
      code: "message_without_invocation",
      severity: "error",
      sentence: "2 messages in the queue for invocations without a status",
      since: isoFromEpoch(at(10)),
      count: 2,
    });
    expect(
      await codesOf(
        healthyApp({ now: at(60) })
          .invocation("a")
          .message("a", at(10)),
      ),
    ).toEqual([]);
  });

  it("have an unknown start if one of them has no queue time", async () => {
    const app = healthyApp({ now: at(60) })
      .message("purged", at(20))
      .message("purged too");
    app.change((rows) => {
      for (const message of rows.messages) if (message.invocation_id === "purged too") message.queued_at = null;
    });
    expect((await verdicts(app))[0]).toMatchObject({ code: "message_without_invocation", since: null, count: 2 });
  });

  it("are counted together with those whose invocation has no definition", async () => {
    const app = healthyApp({ now: at(60) })
      .invocation("a", { definition: null })
      .message("a", at(10));
    expect((await verdicts(app))[0]).toMatchObject({
      code: "message_without_invocation",
      sentence: "1 message in the queue for invocations without a definition",
      evidence: [{ id: "a" }],
    });
    app.message("purged", at(20));
    // The same sentence, whichever message comes first.
    const other = healthyApp({ now: at(60) })
      .message("purged", at(10))
      .invocation("a", { definition: null })
      .message("a", at(20));
    for (const [both] of [await verdicts(app), await verdicts(other)]) {
      expect(both?.sentence).toBe("2 messages in the queue for invocations without a status or definition");
      expect(both?.detail).toContain("the orchestrator was, or the state backend was purged");
    }
  });

  it("come first if no runner is active, without the advice to start one", async () => {
    const app = memoryApp({ now: at(3_600) })
      .invocation("good")
      .message("good", at(10));
    expect(await codesOf(app)).toEqual(["unconsumed_queue"]);
    expect(await codesOf(app.message("purged", at(20)))).toEqual(["message_without_invocation"]);
    expect((await verdicts(app))[0]?.severity).toBe("error");
  });

  it("have no verdict if statuses are stored elsewhere", async () => {
    const components = { ...memoryApp().rows((rows) => rows.capabilities.components), orchestrator: false };
    const app = memoryApp({ capabilities: { components } }).message("a", at(10));
    expect(await codesOf(app)).not.toContain("message_without_invocation");
  });
});

it("errors come before warnings, and causes before their consequences", async () => {
  const app = memoryApp({ now: at(3_600) })
    .invocation("late", {
      history: [
        [at(0), "registered"],
        [at(1), "pending", "r1"],
      ],
    })
    .invocation("waits")
    .message("waits")
    .execution("blocking", { start_time: at(0), end_time: null, status: "running" });
  expect((await verdicts(app)).map(({ severity, code }) => `${severity} ${code}`)).toEqual([
    "error unconsumed_queue",
    "error stuck_atomic_service",
    "warning stuck_pending",
  ]);
});
