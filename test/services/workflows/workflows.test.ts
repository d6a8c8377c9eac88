/** Workflow runs and everything that belongs to them, from all components. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stepsAreMembers, workflowRunFacts } from "../../../src/presentation/facts/workflow-run.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import {
  workflowDebug,
  workflowRunDetail,
  workflowRuns,
  workflowTypes,
} from "../../../src/services/workflows/workflows.ts";
import { halfScanned } from "../../support/memory-app/half-scanned.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { type Monitor, monitorOf } from "../../support/monitor.ts";

const ids = (rows: readonly { invocation_id: string }[]) => rows.map((row) => row.invocation_id);

describe("workflow runs of a recursive task of a real app", () => {
  let monitor: Monitor;
  let app: OpenedApp;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink_023.db", "in process", { app: "kitchen_sink" });
    app = await monitor.workspace.open();
  });
  afterAll(() => monitor.close());

  it("have the recursive calls as members, as the list of their invocations does", async () => {
    const { runs } = await workflowRuns(app, { limit: ["500"] }, "tasks.chain");
    const sizes: number[] = [];
    for (const { workflow_id, members_count: members } of runs) {
      const detail = await workflowRunDetail(app, workflow_id, {});
      const listed = await monitor.json<{ invocations: { invocation_id: string }[] }>(
        `/invocations/?workflow_id=${workflow_id}`,
      );
      expect([workflow_id, ...ids(detail.members)].sort()).toEqual(ids(listed.invocations).sort());
      expect([members, detail.members_page.total, detail.run.members_count]).toEqual(
        Array(3).fill(detail.members.length),
      );
      sizes.push(members);
      const page = await monitor.text(`/workflows/runs/${workflow_id}`);
      const called = ids(detail.steps);
      expect(page.includes(`Members of this run (${members})`)).toBe(
        detail.members.some((one) => !called.includes(one.invocation_id)),
      );
      expect(page.includes(`Steps (${called.length})`)).toBe(called.length > 0);
    }
    expect(sizes.filter((size) => size > 0).sort()).toEqual([1, 1, 1, 4]);
  });
});

describe("the list of workflow runs", () => {
  const app = memoryApp()
    .invocation("first", { task: "shop.order", workflow: { id: "first" } })
    .workflow("first", { workflow_type_key: "shop.order" })
    .invocation("second", { task: "shop.refund", workflow: { id: "second" } })
    .workflow("second", { workflow_type_key: "shop.refund" })
    .invocation("third", { task: "shop.refund", workflow: { id: "third" } })
    .workflow("third", { workflow_type_key: "shop.refund" });

  it("has the runs of all types, or of one", async () => {
    const all = await workflowRuns(app.opened, {});
    expect([all.page.total, all.runs.map((run) => run.workflow_id).sort()]).toEqual([3, ["first", "second", "third"]]);
    const one = await workflowRuns(app.opened, {}, "shop.order");
    expect([one.page.total, one.runs.map((run) => run.workflow_id)]).toEqual([1, ["first"]]);
  });

  it("fails with not found for an unknown type or run, with a hint", async () => {
    await expect(workflowRuns(app.opened, {}, "shop.nothing")).rejects.toThrow('No workflow type "shop.nothing"');
    await expect(workflowRunDetail(app.opened, "fourth", {})).rejects.toMatchObject({
      message: 'No workflow run "fourth" in this store.',
      hint: "An invocation that never started has no run.",
    });
  });
});

describe("the detail of a workflow run", () => {
  it("counts members that have not started, and the roots of its sub-workflows", async () => {
    const app = memoryApp()
      .invocation("w", { workflow: { id: "w" } })
      .invocation("waits", { parent: "w", workflow: { id: "w" } })
      .invocation("s", { parent: "w", workflow: { id: "s", parent: "w" } })
      .workflow("w", { members: ["s"] })
      .workflow("s", { parent_workflow_id: "w" });
    const { run, members, sub_workflows } = await workflowRunDetail(app.opened, "w", {});
    expect([run.members_count, run.members_capped, ids(members)]).toEqual([2, false, ["s", "waits"]]);
    expect(sub_workflows.map((sub) => [sub.workflow_id, sub.members_count])).toEqual([["s", 0]]);
  });

  it("contains its arguments and result, those of each step, and whether a step starts its own run", async () => {
    const app = memoryApp()
      .invocation("w", { workflow: { id: "w" }, arguments: { order: '"O-1"' }, result: '{"sum": 3}' })
      .invocation("step", { parent: "w", workflow: { id: "w" }, arguments: { n: "1" }, result: "[1,\n 2]" })
      .invocation("quiet", { parent: "w", workflow: { id: "w" } })
      .invocation("s", { parent: "w", workflow: { id: "s", parent: "w" }, result: `"${"x".repeat(5_000)}"` })
      .workflow("w", { members: ["step", "quiet", "s"] })
      .workflow("s", { parent_workflow_id: "w" });
    const run = await workflowRunDetail(app.opened, "w", {});
    expect(run.arguments.map(({ name, value }) => [name, value.stored.text])).toEqual([["order", '"O-1"']]);
    expect([run.result?.stored.text, run.exception]).toEqual(['{\n  "sum": 3\n}', null]);
    const steps = Object.fromEntries(run.members.map((step) => [step.invocation_id, step]));
    expect([steps.step?.arguments, steps.step?.result, steps.step?.starts_run]).toEqual(["n=1", "[ 1, 2 ]", false]);
    expect([steps.quiet?.result, steps.quiet?.starts_run]).toEqual([null, false]);
    expect([steps.s?.starts_run, steps.s?.result?.length]).toEqual([true, 161]);
  });

  it("has as steps what the run itself called, in that order, with when each began and which failed", async () => {
    const step = (status: string, n: number) => ({
      parent: "w",
      workflow: { id: "w" },
      history: [
        [at(n), "registered"],
        [at(n + 1), "pending", "r1"],
        [at(n + 2), "running", "r1"],
        [at(n + 3), "retry", "r1"],
        [at(n + 5), "running", "r1"],
        [at(n + 6), status, "r1"],
      ] as const,
    });
    const app = memoryApp()
      .invocation("w", { workflow: { id: "w" } })
      .invocation("pay", step("success", 10))
      .invocation("deep", { ...step("failed", 15), parent: "pay" })
      .invocation("ship", step("failed", 20))
      .invocation("sub", { ...step("success", 30), workflow: { id: "sub", parent: "w" } })
      .invocation("mail", { parent: "w", workflow: { id: "w" }, history: [[at(40), "registered"]] })
      .workflow("w", { members: ["sub", "ship", "deep", "pay"] })
      .workflow("sub", { parent_workflow_id: "w" });
    const detail = await workflowRunDetail(app.opened, "w", {});
    expect(detail.steps.map((row) => [row.invocation_id, row.status, row.began_at, row.starts_run])).toEqual([
      ["pay", "success", isoFromEpoch(at(12)), false],
      ["ship", "failed", isoFromEpoch(at(22)), false],
      ["sub", "success", isoFromEpoch(at(32)), true],
      ["mail", "registered", null, false],
    ]);
    expect(detail.steps_more).toBe(false);
    const failed = workflowRunFacts(detail).flatMap(({ facts }) => facts.filter(({ key }) => key === "failed_step"));
    expect(failed.map(({ value }) => JSON.stringify(value))).toEqual([expect.stringContaining('"ship"')]);
    expect(stepsAreMembers(detail)).toBe(false);
  });

  it("says of a run that failed although no step did that there is no failed step", async () => {
    const told = async (status: string, step = "success") => {
      const app = memoryApp()
        .invocation("w", { workflow: { id: "w" }, status: { status } })
        .invocation("pay", { parent: "w", workflow: { id: "w" }, status: { status: step } })
        .workflow("w");
      const facts = workflowRunFacts(await workflowRunDetail(app.opened, "w", {})).flatMap((group) => group.facts);
      return facts.filter(({ key }) => key === "failed_step").map(({ value }) => value);
    };
    expect([await told("failed"), await told("success")]).toEqual([["none"], []]);
    // It may still fail.
    expect(await told("failed", "running")).toEqual([]);
  });

  it("has at most fifty steps, and reads as often for them as for two", async () => {
    const readsFor = async (many: number) => {
      const app = memoryApp()
        .invocation("w", { workflow: { id: "w" } })
        .workflow("w");
      for (let n = 0; n < many; n++)
        app.invocation(`s${n}`, { parent: "w", workflow: { id: "w" }, history: [[at(n), "registered"]] });
      const read = vi.spyOn(app.opened.store, "read");
      let calls = 0;
      const original = app.store.read.bind(app.store);
      read.mockImplementation((work) =>
        original((reads) =>
          work({ ...reads, state_backend: counting(reads.state_backend), orchestrator: counting(reads.orchestrator) }),
        ),
      );
      function counting<Part extends object>(part: Part): Part {
        return new Proxy(part, {
          get(target, name) {
            calls++;
            return Reflect.get(target, name);
          },
        });
      }
      const { steps, steps_more } = await workflowRunDetail(app.opened, "w", { limit: ["1"] });
      return { steps: steps.length, steps_more, calls };
    };
    const [two, fifty, more] = [await readsFor(2), await readsFor(50), await readsFor(51)];
    expect(two.calls).toBeGreaterThan(5);
    expect(two).toEqual({ steps: 2, steps_more: false, calls: two.calls });
    expect(fifty).toEqual({ steps: 50, steps_more: false, calls: two.calls });
    expect(more).toEqual({ steps: 50, steps_more: true, calls: two.calls });
  });

  it("has its exception if it failed, and nulls if its definition is missing", async () => {
    const app = memoryApp()
      .invocation("w", {
        status: { status: "failed" },
        workflow: { id: "w" },
        exception: JSON.stringify({
          error_name: "ValueError",
          pynenc_error: false,
          error_data: JSON.stringify({ __pynenc__std_py_exc__: { type: "ValueError", args: ["no"], message: "no" } }),
        }),
      })
      .workflow("w")
      .workflow("gone");
    const run = await workflowRunDetail(app.opened, "w", {});
    expect([run.result, run.exception?.exception.message]).toEqual([null, "no"]);
    const gone = await workflowRunDetail(app.opened, "gone", {});
    expect([gone.arguments, gone.result, gone.run.invocation.arguments]).toEqual([[], null, null]);
  });

  it("has its data in pages, and an empty list without members", async () => {
    const data = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`key ${n}`, `${n}`]));
    const app = memoryApp()
      .invocation("w", { workflow: { id: "w" } })
      .workflow("w", { data });
    const first = await workflowRunDetail(app.opened, "w", {});
    expect([first.data.length, first.data_page]).toEqual([
      200,
      expect.objectContaining({ total: 250, total_capped: false, has_next: true }),
    ]);
    expect((await workflowRunDetail(app.opened, "w", { data_page: ["2"] })).data).toHaveLength(50);
    expect(first.members_page).toMatchObject({ total: 0, total_capped: false, has_next: false });
    expect([first.run.members_count, first.run.members_capped]).toEqual([0, false]);
  });

  it("has the beginning of a large exception as it is stored", async () => {
    const stored = JSON.stringify({ error_name: "E", pynenc_error: false, error_data: "x".repeat(500_000) });
    const app = memoryApp()
      .invocation("w", { workflow: { id: "w" }, exception: stored })
      .workflow("w");
    const { exception_raw } = await workflowRunDetail(app.opened, "w", {});
    expect(stored.startsWith(exception_raw ?? "none")).toBe(true);
    expect(exception_raw?.length).toBeLessThan(stored.length / 2);
  });

  it("has its members in pages", async () => {
    const app = memoryApp()
      .invocation("w", { workflow: { id: "w" } })
      .workflow("w");
    for (let n = 0; n < 7; n++)
      app.invocation(`m${n}`, { parent: "w", workflow: { id: "w" }, history: [[at(n), "registered"]] });
    const pages = await Promise.all(
      ["1", "2", "3"].map((page) => workflowRunDetail(app.opened, "w", { page: [page], limit: ["3"] })),
    );
    expect(pages.flatMap((page) => ids(page.members))).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
    expect(pages.map((page) => page.members_page.has_next)).toEqual([true, true, false]);
  });
});

it("workflow types have no status counts while the store is still being scanned", async () => {
  const { app, opened } = halfScanned();
  app.workflow("i1", { workflow_type_key: "shop.pay" });
  expect((await workflowTypes(opened)).types.map(({ statuses }) => statuses)).toEqual([null]);
  await opened.completeInventory();
  const [type] = (await workflowTypes(opened)).types;
  expect(type?.statuses).toEqual([
    { status: "success", count: 90 },
    { status: "failed", count: 10 },
  ]);
});

it("workflow types have the statuses of all invocations of their task", async () => {
  const app = memoryApp()
    .invocation("1", { task: "shop.ship", status: { status: "failed" } })
    .invocation("2", { task: "shop.ship", status: { status: "success" } })
    .invocation("3", { task: "shop.ship", status: { status: "success" } })
    .invocation("4", { task: "shop.pay", status: { status: "success" } })
    .invocation("5", { task: "shop.ship" })
    .invocation("6", { task: "shop.ship", status: { status: "brand_new" } })
    .workflow("1", { workflow_type_key: "shop.ship" })
    .workflow("2", { workflow_type_key: "shop.ship" });
  const { types } = await workflowTypes(app.opened);
  expect(types.map(({ workflow_type_key, runs, statuses }) => [workflow_type_key, runs, statuses])).toEqual([
    [
      "shop.ship",
      2,
      // In the order of a life, one that is not known last.
      [
        { status: "registered", count: 1 },
        { status: "success", count: 2 },
        { status: "failed", count: 1 },
        { status: "brand_new", count: 1 },
      ],
    ],
  ]);
  expect(types.map(({ latest }) => latest?.workflow_id)).toEqual(["2"]);
});

it("the debug data of workflows have every task once, by name, and the number of all runs", async () => {
  const app = memoryApp()
    .invocation("1", { task: "shop.ship" })
    .invocation("2", { task: "shop.pay" })
    .invocation("3", { task: "shop.ship", status: null })
    .invocation("4", { task: "shop.mail", status: null })
    .workflow("1", { workflow_type_key: "shop.ship" })
    .workflow("2", { workflow_type_key: "shop.pay" })
    .workflow("3", { workflow_type_key: "shop.ship" });
  const debug = await workflowDebug(app.opened);
  expect(debug).toMatchObject({ app_id: "shop", tasks: ["shop.mail", "shop.pay", "shop.ship"], runs: 3 });
});
