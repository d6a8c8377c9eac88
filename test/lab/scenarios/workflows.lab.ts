import { beforeAll, expect, it } from "vitest";
import type { WhyAnswer } from "../../../src/api/why.ts";
import type { WorkflowRunDetail, WorkflowRunList, WorkflowTypeList } from "../../../src/api/workflows.ts";
import { whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";

scenario(
  {
    story: "A workflow calls a task and another workflow, and the last step of one run fails",
    app: "flows",
    core: true,
    also: [["mongodb", "0.3.1"]],
  },
  (world) => {
    let good = "";
    let bad = "";

    beforeAll(async () => {
      world().runner({ threads: 8 });
      good = await world().call("sells", { order: "ok-1" });
      bad = await world().call("sells", { order: "bad-1" });
      await world().untilStatus(good, "success");
      await world().untilStatus(bad, "failed");
    });

    /** The invocation of a task that really ran with this order. */
    const of = (task: string, order: string) =>
      String(
        world()
          .truth.all({ what: "begins", task })
          .find(({ args, kwargs }) => (args as string[])[0] === order || (kwargs as { order?: string }).order === order)
          ?.invocation,
      );

    it("monitor workflows lists both types with the number of their runs", async () => {
      const { types } = await world().monitor.json<WorkflowTypeList>("workflows");
      expect(types.map(({ workflow_type_key, runs }) => [workflow_type_key, runs])).toEqual([
        ["flows.sells", 2],
        ["flows.ships", 2],
      ]);
    });

    it("each run is listed with its status, its members and the run that started it", async () => {
      const { runs } = await world().monitor.json<WorkflowRunList>("workflows", "--runs");
      const seen = Object.fromEntries(
        runs.map((run) => [run.workflow_id, [run.invocation?.status, run.members_count, run.parent_workflow_id]]),
      );
      expect(seen).toEqual({
        [good]: ["success", 2, null],
        [bad]: ["failed", 2, null],
        [of("ships", "ok-1")]: ["success", 1, good],
        [of("ships", "bad-1")]: ["failed", 1, bad],
      });
    });

    it("the failed run shows its members in order, which of them starts a run, and its exception", async () => {
      const run = await world().monitor.json<WorkflowRunDetail>("workflow", bad);
      expect(run.members.map((member) => [member.invocation_id, member.status, member.starts_run])).toEqual([
        [of("reserves", "bad-1"), "success", false],
        [of("ships", "bad-1"), "failed", true],
      ]);
      expect(run.exception?.exception).toMatchObject({ error_name: "NoCourier", message: "nobody carries bad-1" });
    });

    it("the data that a workflow stored is shown with its run, on the terminal and on its page", async () => {
      const { monitor } = world();
      expect(await monitor.text("workflow", bad)).toMatch(/order\s+(=\s+)?"bad-1"/);
      const page = await monitor.page(`/workflows/runs/${bad}`);
      expect(page).toContain("bad-1");
      expect(page).toContain("flows.ships");
    });

    it("monitor why names for the failed run the step that failed first, two levels below", async () => {
      const { monitor } = world();
      const { verdict } = await whyEverywhere(monitor, bad);
      expect(verdict).toMatchObject({ code: "failed_below", severity: "error" });
      expect(verdict?.evidence.map(({ id }) => id)).toContain(of("books", "bad-1"));
      expect(`${verdict?.sentence} ${verdict?.detail}`).toContain("nobody carries bad-1");
    });

    it("monitor why says that the other run succeeded, and mentions no failure", async () => {
      const { verdict, others } = await world().monitor.json<WhyAnswer>("why", good);
      expect(verdict?.code).toBe("ended_well");
      expect(JSON.stringify([verdict, others])).not.toContain("NoCourier");
    });

    it("the critical path leads through the steps, and is as long as the run took", async () => {
      const { critical_path } = await world().monitor.json<WhyAnswer>("why", good);
      const ids = new Set(critical_path?.segments.map(({ invocation_id }) => invocation_id));
      for (const task of ["sells", "reserves", "ships", "books"]) expect(ids).toContain(of(task, "ok-1"));
      const called = world().truth.made(good);
      const ended = world().truth.all({ what: "returns", invocation: good })[0]?.at ?? 0;
      expect(critical_path?.duration_seconds).toBeGreaterThanOrEqual(ended - called.to);
      expect(critical_path?.duration_seconds).toBeLessThanOrEqual(world().truth.seen(good) - called.from);
      const sum = critical_path?.segments.reduce((total, { microseconds }) => total + microseconds, 0);
      expect(sum).toBe(critical_path?.microseconds);
    });

    it("the family tree has the steps as they were called, and no other invocation", async () => {
      const text = await world().monitor.text("tree", bad);
      expect(text.match(/flows\.\w+/g)).toEqual(["flows.sells", "flows.reserves", "flows.ships", "flows.books"]);
      for (const task of ["reserves", "ships", "books"]) expect(text).toContain(of(task, "bad-1"));
      expect(text).not.toContain(good);
    });

    it("a single failed run among two causes no verdict on the app", async () => {
      const { verdict, others } = await world().monitor.json<WhyAnswer>("why");
      const codes = [verdict, ...others].flatMap((one) => one?.code ?? []);
      expect(codes.filter((code) => code !== "schedule_overdue")).toEqual([]);
      expect((await world().monitor.run(["check"])).code).toBe(0);
    });
  },
);
