/** The detail of one invocation, with notes where parts are missing or contradict each other. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import {
  invocationDetail,
  invocationHistory,
  invocationTriggerContext,
} from "../../../src/services/invocations/invocation-detail.ts";
import { REQUEUE_GRACE_SECONDS } from "../../../src/stores/requeue-rule.ts";
import { at, type InvocationGiven, memoryApp } from "../../support/memory-app/memory-app.ts";

describe("the history of an invocation", () => {
  const retried = (entries: number) =>
    memoryApp({ now: at(900_000) }).invocation("a", {
      history: Array.from({ length: entries }, (_, n) => {
        const status = n === 0 ? "registered" : n === entries - 1 ? "failed" : n % 2 === 1 ? "running" : "retry";
        return [at(n * 2), status] as const;
      }),
    });
  const times = (history: readonly { timestamp: string }[]) =>
    history.map((entry) => (Date.parse(entry.timestamp) / 1000 - at(0)) / 2);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

  it("is shown in full up to 200 entries", async () => {
    const detail = await invocationDetail(retried(200).opened, "a");
    expect(times(detail.history)).toEqual(range(0, 200));
    expect(detail).toMatchObject({ history_count: 200, history_truncated: false, history_gap: null });
  });

  it.each([201, 2_000, 2_001, 5_000])("of %d entries is shown by its first and last hundred", async (count) => {
    const detail = await invocationDetail(retried(count).opened, "a");
    expect(times(detail.history)).toEqual([...range(0, 100), ...range(count - 100, count)]);
    expect(detail).toMatchObject({
      history_count: count,
      history_truncated: true,
      history_gap: { after: 100, entries: count - 200 },
      status: "failed",
      duration_seconds: (count - 1) * 2,
    });
    expect(detail.notes.filter((note) => note.startsWith("The history"))).toEqual([]);
    // An entry behind the gap follows one that is not shown.
    expect(detail.history.map((entry) => entry.since_previous_seconds)).toEqual([null, ...range(1, 200).map(() => 2)]);
    const possible = (await invocationDetail(retried(200).opened, "a")).history.map((entry) => entry.possible);
    expect(new Set(detail.history.slice(1, -1).map((entry) => entry.possible))).toEqual(new Set(possible.slice(1, -1)));
  });

  it("has phases from up to 2,000 entries, and none if there are more", async () => {
    const seconds = async (count: number) => {
      const { phases } = await invocationDetail(retried(count).opened, "a");
      return phases === null ? null : phases.reduce((sum, phase) => sum + phase.duration_seconds, 0);
    };
    expect(await seconds(200)).toBe(199 * 2);
    expect(await seconds(2_000)).toBe(1_999 * 2);
    expect(await seconds(2_001)).toBeNull();
  });

  it("is compared by its last entry, even if its middle is not shown", async () => {
    const app = retried(3_000);
    app.change(({ statuses }) => {
      for (const status of statuses) status.status = "running";
    });
    expect((await invocationDetail(app.opened, "a")).notes).toContain(
      "The history ends with failed, but the status is running: the last entry is missing or late.",
    );
  });
});

describe("an invocation that a runner may take", () => {
  it.each(["registered", "rerouted", "retry"])("has a note if it is %s without a message", async (status) => {
    const app = memoryApp({ now: at(1 + REQUEUE_GRACE_SECONDS) }).invocation("a", {
      history: [
        [at(0), "registered"],
        [at(1), status],
      ],
    });
    const note = `It is ${status} but missing from the queue, so no runner takes it. Requeue puts its message back.`;
    expect((await invocationDetail(app.opened, "a")).notes).toContain(note);
    app.message("a");
    expect((await invocationDetail(app.opened, "a")).notes).not.toContain(note);
  });

  it("has no note while its message may be on its way", async () => {
    const app = memoryApp({ now: at(REQUEUE_GRACE_SECONDS) }).invocation("a", {
      history: [
        [at(0), "registered"],
        [at(1), "retry"],
      ],
    });
    const { notes, queued, requeueable } = await invocationDetail(app.opened, "a");
    expect([queued, requeueable]).toEqual([false, false]);
    expect(notes.join("\n")).not.toMatch(/queue/);
  });

  it("cannot be requeued if the orchestrator has purged it", async () => {
    const app = memoryApp({ now: at(REQUEUE_GRACE_SECONDS + 60) }).invocation("a", { status: null });
    expect((await invocationDetail(app.opened, "a")).requeueable).toBe(false);
  });

  it("has no note while the store is still being searched for queues", async () => {
    const waiting = (complete: boolean) =>
      memoryApp({ now: at(REQUEUE_GRACE_SECONDS + 60), queue_layout: { named: true, complete } }).invocation("a");
    const { queued, requeueable, notes } = await invocationDetail(waiting(false).opened, "a");
    expect([queued, requeueable]).toEqual([null, true]);
    expect(notes.join("\n")).not.toMatch(/no queue/);
    expect((await invocationDetail(waiting(true).opened, "a")).queued).toBe(false);
    const found = await invocationDetail(waiting(false).message("a").opened, "a");
    expect(found.queued).toBe(true);
  });

  it("has no note on its message if the queue can only be counted", async () => {
    const app = memoryApp({ capabilities: { queue_peek: false } }).invocation("a");
    const { notes, queued } = await invocationDetail(app.opened, "a");
    expect(queued).toBeNull();
    expect(notes.join("\n")).not.toMatch(/no queue/);
  });
});

it("the detail of an invocation that no component knows fails with not found", async () => {
  await expect(invocationDetail(memoryApp().opened, "nobody")).rejects.toBeInstanceOf(NotFoundError);
});

describe("an invocation that the orchestrator has purged", () => {
  const RETRIED = [
    [at(0), "registered"],
    [at(1), "running", "r1"],
    [at(2), "retry", "r1"],
    [at(3), "running", "r1"],
  ] as const;

  it("has the number of retries in its history, or null if that is cut", async () => {
    const app = memoryApp().invocation("a", { history: RETRIED, status: null });
    expect((await invocationDetail(app.opened, "a")).retry_count).toBe(1);
    const long = memoryApp({ now: at(9_000) }).invocation("a", {
      history: Array.from({ length: 2_001 }, (_, n) => [at(n), "running"] as const),
      status: null,
    });
    expect((await invocationDetail(long.opened, "a")).retry_count).toBeNull();
    const kept = memoryApp().invocation("a", { history: RETRIED, status: { retry_count: 7 } });
    expect((await invocationDetail(kept.opened, "a")).retry_count).toBe(7);
  });
});

describe("the relations of an invocation", () => {
  const RUNNING = [
    [at(0), "registered"],
    [at(1), "running", "r1"],
  ] as const;

  it("are its parent and its children, with the number of children", async () => {
    const app = memoryApp()
      .invocation("top", { task: "shop.order" })
      .invocation("a", { parent: "top" })
      .invocation("c1", { parent: "a" })
      .invocation("c2", { parent: "a" })
      .invocation("of another", { parent: "top" });
    const detail = await invocationDetail(app.opened, "a");
    expect(detail).toMatchObject({
      parent: { invocation_id: "top", task_id_key: "shop.order" },
      children: [{ invocation_id: "c1" }, { invocation_id: "c2" }],
      children_count: 2,
      timeline: { selected: "a", inv_ids: "a,top,c1,c2" },
    });
    const { parent, children, children_count } = await invocationDetail(app.opened, "c1");
    expect([parent?.invocation_id, children, children_count]).toEqual(["a", [], 0]);
  });

  it("are what it waits for and what waits for it, with current waits separate from leftover ones", async () => {
    const app = memoryApp()
      .invocation("a", { history: RUNNING })
      .invocation("waited", { history: RUNNING })
      .invocation("done", { history: [[at(0), "success"]] })
      .invocation("waiter", { history: RUNNING })
      .invocation("was waiting", { history: [[at(0), "failed"]] })
      .edge("a", "waited")
      .edge("a", "done")
      .edge("waiter", "a")
      .edge("was waiting", "a")
      .edge("waiter", "waited");
    const detail = await invocationDetail(app.opened, "a");
    const ids = (rows: readonly { invocation_id: string }[]) => rows.map((row) => row.invocation_id);
    expect({
      waits_for: ids(detail.waits_for),
      waited_by: ids(detail.waited_by),
      stale_waits_for: ids(detail.stale_waits_for),
      stale_waited_by: ids(detail.stale_waited_by),
    }).toEqual({
      waits_for: ["waited"],
      waited_by: ["waiter"],
      stale_waits_for: ["done"],
      stale_waited_by: ["was waiting"],
    });
  });

  it("include at most fifty children, and the number of all", async () => {
    const app = memoryApp()
      .invocation("a")
      .invocations(60, () => ({ parent: "a" }));
    const { children, children_count } = await invocationDetail(app.opened, "a");
    expect([children.length, children_count]).toEqual([50, 60]);
  });

  it("include a missing parent by its id, with a note", async () => {
    const { parent, notes } = await invocationDetail(memoryApp().invocation("a", { parent: "gone" }).opened, "a");
    expect(parent).toMatchObject({ invocation_id: "gone", task_id_key: null, status_source: "none" });
    expect(notes).toContain("The parent invocation is not in this store.");
    const part = memoryApp().invocation("a", { parent: "p" }).invocation("p", { status: null, history: [] });
    expect((await invocationDetail(part.opened, "a")).notes).not.toContain(
      "The parent invocation is not in this store.",
    );
  });
});

describe("the identity of an invocation", () => {
  it("comes from the status, else from the definition, else is null", async () => {
    const identity = async (app: ReturnType<typeof memoryApp>) => {
      const {
        task_id_key,
        module,
        function: func,
        call_id_key,
        arguments_id,
      } = await invocationDetail(app.opened, "a");
      return { task_id_key, module, func, call_id_key, arguments_id };
    };
    const given = { task: "shop.pay", arguments: { n: "1" } };
    const whole = await identity(memoryApp().invocation("a", given));
    expect(whole).toMatchObject({ task_id_key: "shop.pay", module: "shop", func: "pay" });
    expect(whole.call_id_key).toBe(`shop.pay:${whole.arguments_id}`);
    expect(await identity(memoryApp().invocation("a", { ...given, status: null }))).toEqual(whole);
    expect(await identity(memoryApp().invocation("a", { ...given, definition: null }))).toEqual({
      ...whole,
      arguments_id: null,
    });
    expect(await identity(memoryApp().invocation("a", { ...given, status: null, definition: null }))).toEqual({
      task_id_key: null,
      module: null,
      func: null,
      call_id_key: null,
      arguments_id: null,
    });
  });

  it("includes its owner while a runner has it, and none afterwards", async () => {
    const steps = [
      [at(0), "registered"],
      [at(1), "pending", "r1"],
      [at(2), "running", "r1"],
      [at(3), "success", "r1"],
    ] as const;
    const owned = async (count: number) => {
      const app = memoryApp()
        .context("client")
        .context("r1")
        .invocation("a", { history: steps.slice(0, count) });
      const { owner, completed_at, final } = await invocationDetail(app.opened, "a");
      return [owner?.runner_id ?? null, completed_at, final];
    };
    expect(await owned(1)).toEqual([null, null, false]);
    expect(await owned(3)).toEqual(["r1", null, false]);
    expect(await owned(4)).toEqual([null, isoFromEpoch(at(3)), true]);
  });

  it("has a note for each missing part, and none if all are stored", async () => {
    const notes = async (given: InvocationGiven) =>
      (await invocationDetail(memoryApp().context("client").invocation("a", given).opened, "a")).notes.join(" ");
    expect(
      await notes({
        history: [
          [at(0), "registered"],
          [at(1), "success", "client"],
        ],
      }),
    ).toBe("");
    expect(await notes({ definition: null })).toMatch(
      /^No definition is stored: arguments, parent and workflow are not known/,
    );
    expect(await notes({ history: [] })).toMatch(/No status history is stored/);
    expect(await notes({ status: null })).toMatch(/no status for it.*the last one in its history/);
    expect(await notes({ status: null, history: [] })).toMatch(/neither a status nor a history.*can be rerun/);
  });

  it("has a note with the number of runners without a context", async () => {
    const history = (runners: readonly string[]) => ({
      history: runners.map((runner, n) => [at(n), n === 0 ? "registered" : "running", runner] as const),
    });
    const notes = async (...runners: string[]) =>
      (await invocationDetail(memoryApp().context("known").invocation("a", history(runners)).opened, "a")).notes.join();
    expect(await notes("known", "known")).not.toContain("context");
    expect(await notes("known", "lost", "lost")).toContain("The context of a runner named");
    expect(await notes("lost", "lost too")).toContain("The context of 2 runners named");
  });
});

it("a missing history is empty, and the history of an unknown invocation fails with not found", async () => {
  expect(await invocationHistory(memoryApp().invocation("a", { history: [] }).opened, "a")).toEqual([]);
  await expect(invocationHistory(memoryApp().opened, "a")).rejects.toBeInstanceOf(NotFoundError);
});

it("the trigger context exists if any part of the invocation is stored, and otherwise fails with not found", async () => {
  const context = (app: ReturnType<typeof memoryApp>) => invocationTriggerContext(app.opened, "a");
  await expect(context(memoryApp())).rejects.toBeInstanceOf(NotFoundError);
  for (const part of [{ status: null, history: [] }, { definition: null }, { status: null, definition: null }])
    expect(await context(memoryApp().invocation("a", part))).toMatchObject({ invocation_id: "a", triggered_by: null });
  const app = memoryApp()
    .event("e")
    .invocation("a", { event: "e" })
    .triggerRun("run", { triggered_invocation_id: "a", participants: [{ event_id: "e" }] });
  expect(await context(app)).toMatchObject({ parent_event_id: "e", triggered_by: { trigger_run_id: "run" } });
});

it("an invocation is the root of a workflow, a member of one, or has none", async () => {
  const app = memoryApp()
    .invocation("w", { task: "shop.order", workflow: { id: "w" } })
    .invocation("m", { parent: "w", workflow: { id: "w", type: "shop.order" } })
    .invocation("s", { task: "shop.step", parent: "w", workflow: { id: "s", parent: "w" } })
    .invocation("none")
    .invocation("gone", { definition: null });
  const told = async (id: string) => {
    const { workflow_role, workflow } = await invocationDetail(app.opened, id);
    return [workflow_role, workflow];
  };
  const order = { workflow_id: "w", workflow_type_key: "shop.order", parent_workflow_id: null, is_subworkflow: false };
  expect(await told("w")).toEqual(["root", order]);
  expect(await told("m")).toEqual(["member", order]);
  expect(await told("s")).toEqual([
    "root",
    { workflow_id: "s", workflow_type_key: "shop.step", parent_workflow_id: "w", is_subworkflow: true },
  ]);
  expect([await told("none"), await told("gone")]).toEqual([
    ["none", null],
    ["none", null],
  ]);
});

it("the timeline of an invocation begins at the trigger run that started it, executed or only claimed", async () => {
  const from = async (run: { claimed_at: number; executed_at: number | null }) => {
    const app = memoryApp()
      .invocation("a", { history: [[at(10), "registered"]] })
      .triggerRun("run", { triggered_invocation_id: "a", ...run });
    return Date.parse(`${(await invocationDetail(app.opened, "a")).timeline?.start_date}Z`) / 1000;
  };
  expect(await from({ claimed_at: at(9.9), executed_at: null })).toBeLessThan(at(9.9));
  expect(await from({ claimed_at: at(2), executed_at: null })).toBeLessThan(at(2));
  expect(await from({ claimed_at: at(2), executed_at: at(9.9) })).toBeGreaterThan(at(2));
});
