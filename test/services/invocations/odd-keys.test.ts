/** Keys that are not `module.function`: a store may hold them, lists link them, and so they open. */
import { describe, expect, it } from "vitest";
import { NotFoundError } from "../../../src/errors.ts";
import { callDetail } from "../../../src/services/tasks/calls.ts";
import { taskDetail } from "../../../src/services/tasks/tasks.ts";
import { workflowRuns } from "../../../src/services/workflows/workflows.ts";
import { memoryApp } from "../../support/memory-app/memory-app.ts";

const KEYS = ["plain", ".", "shop.", ".pay", "a/b c", "日本", "a:b"];

describe.each(KEYS)("the key %j", (key) => {
  const arguments_id = "0".repeat(64);
  const call = `${key}:${arguments_id}`;
  const stored = JSON.stringify({ n: "5" });
  const app = memoryApp()
    .invocation("i1", {
      task: key,
      status: { call_id_key: call },
      definition: { call_id_key: call, arguments_id, serialized_arguments: stored },
    })
    .workflow("w1", { workflow_type_key: key, members: ["i1"] });

  it("opens the task's page", async () => {
    const { task, invocations, calls } = await taskDetail(app.opened, key, {});
    expect(task).toMatchObject({ task_id_key: key, module: null, function: null, invocations_count: 1 });
    expect(invocations.map((row) => row.invocation_id)).toEqual(["i1"]);
    expect(calls.map((row) => row.call_id_key)).toEqual([call]);
  });

  it("opens the call's page", async () => {
    const found = await callDetail(app.opened, call, {});
    expect(found).toMatchObject({ call_id_key: call, task_id_key: key, module: null, function: null, arguments_id });
    expect(found.arguments.map(({ name }) => name)).toEqual(["n"]);
    expect(found.invocations.map((row) => row.invocation_id)).toEqual(["i1"]);
  });

  it("opens the workflow type's page", async () => {
    const { workflow_type_key, runs } = await workflowRuns(app.opened, {}, key);
    expect([workflow_type_key, runs.map((run) => run.workflow_id)]).toEqual([key, ["w1"]]);
  });
});

describe("a call id without a colon", () => {
  const app = memoryApp().invocation("i1", {
    task: "shop.pay",
    status: { call_id_key: "odd" },
    definition: { call_id_key: "odd", arguments_id: "no_args" },
  });

  it("belongs to the task that its invocation names", async () => {
    expect(await callDetail(app.opened, "odd", {})).toMatchObject({
      task_id_key: "shop.pay",
      module: "shop",
      function: "pay",
      arguments_id: "no_args",
    });
  });

  it("belongs to that task even if the definition is missing", async () => {
    const forgotten = memoryApp().invocation("i1", { status: { call_id_key: "odd" }, definition: null });
    expect(await callDetail(forgotten.opened, "odd", {})).toMatchObject({ task_id_key: "shop.pay", arguments_id: "" });
  });
});

it("an unknown key fails with not found", async () => {
  const { opened } = memoryApp().invocation("i1");
  for (const work of [taskDetail(opened, "no", {}), callDetail(opened, "no", {}), workflowRuns(opened, {}, "no")]) {
    await expect(work).rejects.toBeInstanceOf(NotFoundError);
  }
});
