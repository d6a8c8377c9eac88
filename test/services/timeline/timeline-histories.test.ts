/** The histories of a window: changes in it, and invocations that were busy throughout. */
import { describe, expect, it } from "vitest";
import { trackedHistories } from "../../../src/services/timeline/timeline-histories.ts";
import { parseTimelineInput } from "../../../src/services/timeline/timeline-input.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

/** Histories of [10, 20], as at(now). */
async function tracked(app: MemoryApp, raw: Record<string, string> = {}, now = 20) {
  const given = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, [value]]));
  const input = parseTimelineInput(given, [], at(now));
  return app.store.read((reads) => trackedHistories(reads, input, { start: at(10), end: at(20), now: at(now) }, null));
}

const steps = (found: Awaited<ReturnType<typeof tracked>>) =>
  Object.fromEntries(
    found.tracked.map((one) => [one.invocation_id, one.steps.map((step) => `${step.at - at(0)} ${step.status}`)]),
  );

describe("the histories of a window", () => {
  it("say that a runner was dead in it also if the recovery came after the window", async () => {
    const app = memoryApp({ now: at(100) })
      .heartbeat("r1", { last_heartbeat: at(14) })
      .invocation("left behind", {
        history: [
          [at(11), "running", "r1"],
          [at(60), "running_recovery"],
        ],
      })
      .invocation("long", {
        history: [
          [at(11), "running", "r1"],
          [at(60), "success", "r1"],
        ],
      });
    const found = await tracked(app, {}, 100);
    const deadFrom = found.tracked.map((one) => [one.invocation_id, one.steps.at(-1)?.dead_from]);
    expect(Object.fromEntries(deadFrom)).toEqual({ "left behind": at(14), long: undefined });
  });

  it("contain its changes, both ends included, and the status of each invocation at its start", async () => {
    const app = memoryApp()
      .invocation("inside", {
        history: [
          [at(10), "registered"],
          [at(12), "pending"],
          [at(20), "running"],
        ],
      })
      .invocation("from before", {
        history: [
          [at(1), "registered"],
          [at(5), "running"],
          [at(15), "success"],
        ],
      })
      .invocation("before", {
        history: [
          [at(1), "registered"],
          [at(9), "success"],
        ],
      })
      .invocation("after", { history: [[at(21), "registered"]] });
    expect(steps(await tracked(app))).toEqual({
      inside: ["10 registered", "12 pending", "20 running"],
      "from before": ["5 running", "15 success"],
    });
  });

  it("contain a change before the start of the window, even if it was written later", async () => {
    const app = memoryApp().invocation("written late", {
      history: [
        [at(1), "registered"],
        [at(9.5), "running", "r1", at(10.5)],
      ],
    });
    expect(steps(await tracked(app))).toEqual({ "written late": ["9.5 running"] });
  });

  it("contain an invocation that was busy throughout, even if only changes on either side show it", async () => {
    // Forgotten by the orchestrator, so that nothing else tells that they went on.
    const app = memoryApp()
      .invocation("seen before", {
        status: null,
        history: [
          [at(1), "registered"],
          [at(2), "running"],
        ],
      })
      .invocation("ended before", {
        status: null,
        history: [
          [at(3), "registered"],
          [at(4), "success"],
        ],
      })
      .invocation("came after", { status: null, history: [[at(21), "registered"]] });
    const found = await tracked(app, {}, 30);
    expect(steps(found)).toEqual({ "seen before": ["2 running"] });
    expect(found).toMatchObject({ exhausted: true, surroundingsComplete: true });
  });

  it("leave out the status before the window if it was not a lasting one", async () => {
    const app = memoryApp().invocation("a", {
      history: [
        [at(1), "registered"],
        [at(2), "retry"],
        [at(12), "pending"],
      ],
    });
    expect(steps(await tracked(app))).toEqual({ a: ["12 pending"] });
  });

  it("contain invocations that were busy throughout: ongoing ones and ones that changed later", async () => {
    const app = memoryApp()
      .invocation("goes on", {
        history: [
          [at(1), "registered"],
          [at(2), "running"],
        ],
      })
      .invocation("ended later", {
        history: [
          [at(3), "registered"],
          [at(4), "running"],
          [at(25), "success"],
        ],
      })
      .invocation("ended before", {
        history: [
          [at(3), "registered"],
          [at(4), "running"],
          [at(5), "success"],
        ],
      });
    expect(steps(await tracked(app, {}, 30))).toEqual({
      "goes on": ["2 running"],
      "ended later": ["4 running"],
    });
  });

  it("say whether each invocation remains in its last status or changed later", async () => {
    const app = memoryApp()
      .invocation("goes on", {
        history: [
          [at(11), "registered"],
          [at(12), "running"],
        ],
      })
      .invocation("ended later", {
        history: [
          [at(11), "registered"],
          [at(12), "running"],
          [at(25), "success"],
        ],
      })
      .invocation("forgotten", {
        status: null,
        history: [
          [at(11), "registered"],
          [at(12), "running"],
        ],
      });
    const found = await tracked(app, {}, 30);
    expect(Object.fromEntries(found.tracked.map((one) => [one.invocation_id, one.afterwards]))).toEqual({
      "goes on": "ongoing",
      "ended later": "continues",
      forgotten: "continues",
    });
  });

  it("have the task of an invocation that the orchestrator purged, and null if its definition is gone too", async () => {
    const history = [[at(11), "registered"]] as const;
    const app = memoryApp()
      .invocation("forgotten", { task: "shop.ship", status: null, history })
      .invocation("gone", { status: null, definition: null, history });
    const found = await tracked(app);
    expect(found.tracked.map((one) => [one.invocation_id, one.task_id_key])).toEqual([
      ["forgotten", "shop.ship"],
      ["gone", null],
    ]);
  });

  it("leave out pynenc's own tasks on request, and count them", async () => {
    const history = [[at(11), "registered"]] as const;
    const app = memoryApp()
      .invocation("own", { history })
      .invocation("core", { task: "pynenc.core_tasks.recover", history })
      .invocation("gone", { status: null, definition: null, history });
    const whole = await tracked(app);
    expect([whole.tracked.length, whole.systemHidden]).toEqual([3, 0]);
    const shown = await tracked(app, { show_system: "0" });
    expect([Object.keys(steps(shown)), shown.systemHidden]).toEqual([["own", "gone"], 1]);
  });
});

describe("a filter on histories", () => {
  it("also restricts invocations that were busy throughout the window", async () => {
    const busy = {
      history: [
        [at(1), "registered"],
        [at(2), "running"],
      ],
    } as const;
    const inside = { history: [[at(11), "registered"]] } as const;
    const app = memoryApp()
      .invocation("busy", busy)
      .invocation("other busy", { ...busy, task: "shop.ship" })
      .invocation("inside", inside)
      .invocation("other inside", { ...inside, task: "shop.ship" });
    expect(Object.keys(steps(await tracked(app, { task_id: "shop.ship" }))).sort()).toEqual([
      "other busy",
      "other inside",
    ]);
    expect(Object.keys(steps(await tracked(app, { inv_ids: "busy,inside" }))).sort()).toEqual(["busy", "inside"]);
  });

  it("is marked as exhausted if everything that matches was found", async () => {
    const app = memoryApp().invocations(6, (n) => ({ history: [[at(11 + n), "registered"]] }));
    const some = await tracked(app, { task_id: "shop.pay", limit: "3" });
    expect([Object.keys(steps(some)).sort(), some.exhausted]).toEqual([["i3", "i4", "i5"], false]);
    const whole = await tracked(app, { task_id: "shop.pay", limit: "10" });
    expect([whole.tracked.length, whole.exhausted]).toEqual([6, true]);
  });
});

describe("invocations busy throughout a window", () => {
  it("are all found while few invocations are running", async () => {
    expect((await tracked(memoryApp())).surroundingsComplete).toBe(true);
  });

  it("may be missing if more are running than are read", async () => {
    const running = {
      history: [
        [at(1), "registered"],
        [at(2), "running"],
      ],
    } as const;
    const app = memoryApp().invocations(500, () => running);
    expect((await tracked(app)).surroundingsComplete).toBe(true);
    app.invocation("one more", running);
    expect((await tracked(app)).surroundingsComplete).toBe(false);
  });

  it("are found by a later change if they began too far back, except those registered later", async () => {
    const app = memoryApp()
      .invocation("long", {
        history: [
          [at(0), "registered"],
          [at(1), "running"],
          [at(25), "success"],
        ],
      })
      .invocation("later", {
        history: [
          [at(26), "registered"],
          [at(27), "success"],
        ],
      });
    app.change(({ history }) => {
      for (let n = 0; n < 2_000; n++)
        history.push({
          invocation_id: `other ${n}`,
          timestamp: at(5),
          written_at: at(5),
          status: "success",
          status_runner_id: null,
          runner_context_id: "r1",
          registered_by_inv_id: null,
        });
    });
    const found = await tracked(app, {}, 30);
    expect([found.tracked.map((one) => one.invocation_id), found.surroundingsComplete]).toEqual([["long"], true]);
  });

  it("may be missing if there are many changes on both sides of the window", async () => {
    const app = memoryApp();
    const fill = (seconds: number) =>
      app.change(({ history }) => {
        for (let n = 0; n < 2_000; n++)
          history.push({
            invocation_id: `${seconds} ${n}`,
            timestamp: at(seconds),
            written_at: at(seconds),
            status: "success",
            status_runner_id: null,
            runner_context_id: "r1",
            registered_by_inv_id: null,
          });
      });
    fill(5);
    expect((await tracked(app, {}, 30)).surroundingsComplete).toBe(true);
    fill(25);
    expect((await tracked(app, {}, 30)).surroundingsComplete).toBe(false);
  });
});
