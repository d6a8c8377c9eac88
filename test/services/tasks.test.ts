import { describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { listTasks, taskDetail, taskKeys } from "../../src/services/tasks.ts";
import { at, memoryApp } from "../support/memory-app/memory-app.ts";

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
  it("are those of all invocations, also of forgotten ones, and those that triggers start", async () => {
    expect(await taskKeys(app.opened)).toEqual(["shop.never", "shop.old", "shop.pay"]);
  });

  it("are listed with what became of their invocations", async () => {
    const { tasks, notes } = await listTasks(app.opened);
    expect(tasks.map(({ task_id_key, invocations, statuses }) => [task_id_key, invocations, statuses])).toEqual([
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

  it("were active when an invocation changed last; of a forgotten task that of its newest registration", async () => {
    const { tasks } = await listTasks(app.opened);
    expect(tasks.map((task) => task.last_activity)).toEqual([null, isoFromEpoch(at(3)), isoFromEpoch(at(11))]);
  });
});

describe("a task", () => {
  it("shows its invocations and calls, whoever still keeps them", async () => {
    const { task, invocations, calls, calls_count, calls_from, page } = await taskDetail(app.opened, "shop.pay", {});
    expect(task.invocations).toBe(3);
    expect(invocations.map((row) => [row.invocation_id, row.status, row.status_source])).toEqual([
      ["p3", "success", "orchestrator"],
      ["p2", "failed", "history"],
      ["p1", "success", "history"],
    ]);
    expect(calls.map((call) => [call.invocations, call.latest_invocation_id, call.arguments_preview])).toEqual([
      [1, "p3", "n=2"],
      [2, "p2", "n=1"],
    ]);
    expect([calls_count, calls_from, page.total]).toEqual([2, 3, 3]);
  });

  it("goes on on a second page", async () => {
    const { invocations, page } = await taskDetail(app.opened, "shop.pay", { limit: ["2"], page: ["2"] });
    expect(invocations.map((row) => row.invocation_id)).toEqual(["p1"]);
    expect(page).toMatchObject({ number: 2, has_next: false, first_row: 3, last_row: 3 });
  });

  it("exists without an invocation when a trigger starts it, and not when nothing names it", async () => {
    expect((await taskDetail(app.opened, "shop.never", {})).task).toMatchObject({ invocations: 0, triggers: 1 });
    await expect(taskDetail(app.opened, "shop.nobody", {})).rejects.toThrow("shop.nobody");
  });
});
