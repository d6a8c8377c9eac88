/** Runs of workflows: everything that belongs to a run, whoever knows it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { workflowDebug, workflowRunDetail, workflowRuns } from "../../../src/services/workflows/workflows.ts";
import { at, memoryApp } from "../../support/memory-app/memory-app.ts";
import { type Monitor, monitorOf } from "../../support/monitor.ts";

const ids = (rows: readonly { invocation_id: string }[]) => rows.map((row) => row.invocation_id);

describe("runs of a recursive task of a real app", () => {
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
    for (const { workflow_id, members } of runs) {
      const detail = await workflowRunDetail(app, workflow_id, {});
      const listed = await monitor.json<{ invocations: { invocation_id: string }[] }>(
        `/invocations/?workflow_id=${workflow_id}`,
      );
      expect([workflow_id, ...ids(detail.members)].sort()).toEqual(ids(listed.invocations).sort());
      expect([members, detail.members_page.total, detail.run.members]).toEqual(Array(3).fill(detail.members.length));
      sizes.push(members);
      const page = await monitor.text(`/workflows/runs/${workflow_id}`);
      expect(page.includes(`Members (${members})`)).toBe(true);
      expect(page.includes("No other invocation belongs to this run")).toBe(members === 0);
    }
    expect(sizes.filter((size) => size > 0).sort()).toEqual([1, 1, 1, 4]);
  });
});

describe("a run", () => {
  it("counts what has not started yet, and the roots of its sub-workflows", async () => {
    const app = memoryApp()
      .invocation("w", { workflow: { id: "w" } })
      .invocation("waits", { parent: "w", workflow: { id: "w" } })
      .invocation("s", { parent: "w", workflow: { id: "s", parent: "w" } })
      .workflow("w", { members: ["s"] })
      .workflow("s", { parent_workflow_id: "w" });
    const { run, members, sub_workflows } = await workflowRunDetail(app.opened, "w", {});
    expect([run.members, run.members_capped, ids(members)]).toEqual([2, false, ["s", "waits"]]);
    expect(sub_workflows.map((sub) => [sub.workflow_id, sub.members])).toEqual([["s", 0]]);
  });

  it("shows one page of its members after the other", async () => {
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

it("what the pages are made from has every task once, by name, and all runs of all types", async () => {
  const app = memoryApp()
    .invocation("1", { task: "shop.ship" })
    .invocation("2", { task: "shop.pay" })
    .invocation("3", { task: "shop.ship", status: null })
    .workflow("1", { workflow_type_key: "shop.ship" })
    .workflow("2", { workflow_type_key: "shop.pay" })
    .workflow("3", { workflow_type_key: "shop.ship" });
  const debug = await workflowDebug(app.opened);
  expect(debug).toMatchObject({ app_id: "shop", tasks: ["shop.pay", "shop.ship"], runs: 3 });
});
