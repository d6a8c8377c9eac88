import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import { openedApp } from "../../../src/services/app/opened-app.ts";
import { listInvocations, readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import { taskKeys } from "../../../src/services/model/task-keys.ts";
import { listTasks, taskDetail } from "../../../src/services/tasks/tasks.ts";
import type { AppReads, AppStore } from "../../../src/stores/ports/store.ts";
import { answerCall, portsOver } from "../../../src/stores/threads/port-calls.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { portWith } from "../../support/memory-app/port-with.ts";

const ended = (seconds: number, status = "success") => [
  [at(seconds), "registered"] as const,
  [at(seconds + 1), status] as const,
];

const app = memoryApp()
  .invocation("p1", { task: "shop.pay", arguments: { n: "1" }, history: ended(0), status: null })
  .invocation("p2", { task: "shop.pay", arguments: { n: "1" }, history: ended(5, "failed"), status: null })
  .invocation("p3", { task: "shop.pay", arguments: { n: "2" }, history: ended(10) })
  .invocation("old", { task: "shop.old", arguments: { n: "3" }, history: ended(20, "failed"), status: null })
  .invocation("older", { task: "shop.old", arguments: { n: "3" }, history: ended(2), status: null })
  .trigger("t1", { task_id_key: "shop.never" });

describe("tasks", () => {
  it("with the most failed invocations come first, and are found by a part of their name", async () => {
    const shop = memoryApp()
      .invocation("1", { task: "shop.Pay", status: { status: "failed" } })
      .invocation("2", { task: "shop.ship", status: { status: "failed" } })
      .invocation("3", { task: "shop.ship", status: { status: "failed" } })
      .invocation("4", { task: "shop.add", status: { status: "success" } })
      .invocation("5", { task: "core.tidy", status: { status: "success" } });
    const names = async (raw: Record<string, string[]>) => {
      const { tasks, total } = await listTasks(shop.opened, raw);
      return [tasks.map((task) => task.task_id_key), total];
    };
    expect(await names({})).toEqual([["shop.ship", "shop.Pay", "core.tidy", "shop.add"], 4]);
    expect(await names({ sort: ["name"] })).toEqual([["core.tidy", "shop.Pay", "shop.add", "shop.ship"], 4]);
    expect(await names({ name: ["P.P"] })).toEqual([["shop.Pay"], 4]);
    expect(await names({ name: ["nothing"] })).toEqual([[], 4]);
    await expect(names({ sort: ["size"] })).rejects.toThrow("failing, name");
  });

  it("are those of all invocations, purged ones included, and those that triggers start", async () => {
    expect(await taskKeys(app.opened)).toEqual(["shop.never", "shop.old", "shop.pay"]);
  });

  it("are listed with the statuses of their invocations", async () => {
    const { tasks, notes } = await listTasks(app.opened, { sort: ["name"] });
    expect(
      tasks.map(({ task_id_key, invocations_count: invocations, statuses }) => [task_id_key, invocations, statuses]),
    ).toEqual([
      ["shop.never", 0, []],
      [
        "shop.old",
        2,
        [
          { status: "success", count: 1 },
          { status: "failed", count: 1 },
        ],
      ],
      [
        "shop.pay",
        3,
        [
          { status: "success", count: 2 },
          { status: "failed", count: 1 },
        ],
      ],
    ]);
    expect(notes).toEqual(["1 of these tasks has no invocation in the store; triggers name them."]);
  });

  it("have the last change of an invocation as activity, or the newest registration if the orchestrator purged it", async () => {
    const { tasks } = await listTasks(app.opened, { sort: ["name"] });
    expect(tasks.map((task) => task.last_activity)).toEqual([null, isoFromEpoch(at(3)), isoFromEpoch(at(11))]);
  });
});

describe("tasks of a large store", () => {
  const size = 20_001;
  const large = memoryApp({ now: at(600) }).invocation("p1", { task: "shop.pay" });
  large.change(({ statuses, definitions }) => {
    const [status] = statuses;
    const [definition] = definitions;
    for (let n = 2; n <= size; n++) {
      if (status !== undefined) statuses.push({ ...status, invocation_id: `p${n}` });
      if (definition !== undefined) definitions.push({ ...definition, invocation_id: `p${n}` });
    }
  });

  /** The app served, and counting by task and status takes until it is let go. */
  function served(serving: boolean) {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { store } = large;
    const slow: AppStore = {
      app_id: "shop",
      location: "",
      kind: "memory",
      gaps: [],
      loads: [],
      readOnly: true,
      isolated: true,
      actions: store.actions,
      version: () => store.version(),
      // Each call is a snapshot of its own: the one that is held keeps no other waiting.
      read: (fn) => {
        const reads = portsOver<AppReads>(
          ["broker", "orchestrator", "state_backend", "trigger", "forgotten", "ids", "layout"],
          (call) => store.read(async (one) => answerCall<AppReads>(one, call)),
        );
        const { orchestrator } = reads;
        const countByTaskAndStatus = () => held.then(() => orchestrator.countByTaskAndStatus());
        return fn({ ...reads, orchestrator: portWith(orchestrator, { countByTaskAndStatus }) });
      },
    };
    const opened = openedApp(slow, large.opened.settings, () => at(600), { serving, clock: () => 0 });
    return { opened, letGo };
  }

  it("are listed immediately, and counted in the background", async () => {
    const { opened, letGo } = served(true);
    const first = await listTasks(opened);
    expect(first.tasks).toMatchObject([{ task_id_key: "shop.pay", invocations_count: null, statuses: [] }]);
    expect(first.notes).toEqual([expect.stringMatching(/^Still counting the invocations/)]);
    letGo();
    await opened.memo("task counts", async () => []);
    expect(await listTasks(opened)).toMatchObject({
      tasks: [{ invocations_count: size, statuses: [{ status: "registered", count: size }] }],
      notes: [],
    });
  });

  it("have a page before they are counted", async () => {
    const { opened, letGo } = served(true);
    const first = await taskDetail(opened, "shop.pay", {});
    expect(first).toMatchObject({
      task: { invocations_count: null },
      calls_from: 500,
      page: { total: null, has_next: true },
    });
    expect(first.notes).toEqual([expect.stringMatching(/^Still counting the invocations/)]);
    letGo();
    await opened.memo("task counts", async () => []);
    expect(await taskDetail(opened, "shop.pay", {})).toMatchObject({ task: { invocations_count: size }, notes: [] });
  });

  it("are counted up to a bound where a list of one task would have to wait", async () => {
    const { opened, letGo } = served(true);
    const { page } = await listInvocations(opened, await readInvocationInput(opened, { task_id: ["shop.pay"] }));
    expect(page).toMatchObject({ total: 10_000, total_capped: true });
    letGo();
  });

  it("are counted before a command ends", async () => {
    const { opened, letGo } = served(false);
    const listed = listTasks(opened);
    setTimeout(letGo, 400);
    expect((await listed).tasks.map((task) => task.invocations_count)).toEqual([size]);
  });
});

describe("a task", () => {
  it("shows its invocations and calls, from whichever component still has them", async () => {
    const { task, invocations, calls, calls_count, calls_from, page } = await taskDetail(app.opened, "shop.pay", {});
    expect(task.invocations_count).toBe(3);
    expect(invocations.map((row) => [row.invocation_id, row.status, row.status_source])).toEqual([
      ["p3", "success", "orchestrator"],
      ["p2", "failed", "history"],
      ["p1", "success", "history"],
    ]);
    expect(calls.map((call) => [call.invocations_count, call.latest_invocation_id, call.arguments_preview])).toEqual([
      [1, "p3", "n=2"],
      [2, "p2", "n=1"],
    ]);
    expect([calls_count, calls_from, page.total]).toEqual([2, 3, 3]);
  });

  it("has further invocations on a second page", async () => {
    const { invocations, page } = await taskDetail(app.opened, "shop.pay", { limit: ["2"], page: ["2"] });
    expect(invocations.map((row) => row.invocation_id)).toEqual(["p1"]);
    expect(page).toMatchObject({ number: 2, has_next: false, first_row: 3, last_row: 3 });
  });

  it("exists without an invocation if a trigger starts it, and otherwise is not found", async () => {
    expect((await taskDetail(app.opened, "shop.never", {})).task).toMatchObject({ invocations_count: 0, triggers: 1 });
    await expect(taskDetail(app.opened, "shop.nobody", {})).rejects.toThrow("shop.nobody");
  });
});
