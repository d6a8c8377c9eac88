import { beforeAll, describe, expect, it } from "vitest";
import {
  appVerdicts,
  comesToSay,
  detail,
  epoch,
  named,
  secondsIn,
  type Verdict,
  why,
  whyEverywhere,
} from "../asked.ts";
import { scenario } from "../scenario.ts";
import type { Fact } from "../truth.ts";

/** Seconds between two heartbeats of a runner, with a margin for a busy machine: its last sign of life is at most this old when it dies. */
const HEARTBEAT = 10;

/** Seconds after which a runner counts as silent, in the settings of the lab. */
const DEAD_AFTER = 12;

scenario(
  {
    story: "The only runner is killed while it runs a task, and much later another one is started",
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let id = "";
    let waiting = "";
    let owner = "";
    let first: Fact;
    let killed: Fact;

    beforeAll(async () => {
      const { truth, monitor } = world();
      const { runner, held } = await world().busyRunner("order");
      id = held;
      first = await truth.until({ what: "begins", invocation: id });
      owner = (await detail(monitor, id)).owner?.runner_id ?? "";
      await runner.kill();
      killed = await truth.until({ what: "kills", pid: runner.pid });
      waiting = await world().call("ok", { order: "ORD-2" });
    });

    describe("right after the kill", () => {
      it("the task's invocation is running on its runner according to its rows", async () => {
        const now = await detail(world().monitor, id);
        expect(now.status).toBe("running");
        expect(now.owner?.runner_id).toBe(owner);
        expect(now.history.map(({ status }) => status)).toEqual(["registered", "pending", "running"]);
      });
    });

    describe("once the runner counts as silent", () => {
      let verdict: Verdict;

      beforeAll(async () => {
        verdict = await comesToSay(world().monitor, "running_on_dead_runner");
        world().truth.note("is said", { code: verdict.code });
      });

      it("the runner is not reported before the time for which it may be silent is over", () => {
        const said = world().truth.all({ what: "is said" })[0]?.at ?? 0;
        expect(said).toBeGreaterThan(killed.at + DEAD_AFTER - HEARTBEAT);
      });

      it("the verdict names the invocation and its runner, and begins with the last heartbeat", () => {
        expect(verdict).toMatchObject({ severity: "error", count: 1 });
        expect(verdict.sentence).toBe("1 invocation running on a silent runner");
        expect(named(verdict)).toEqual([id]);
        expect(named(verdict, "runner")).toEqual([owner]);
        expect(epoch(verdict.since)).toBeLessThanOrEqual(killed.at);
        expect(epoch(verdict.since)).toBeGreaterThan(killed.at - HEARTBEAT);
      });

      it("the verdict says after which time a runner counts as silent, and that no runner is there for recovery", () => {
        expect(verdict.detail).toContain("12 s (runner_considered_dead_after_minutes)");
        expect(verdict.detail).toContain("no runner is active");
      });

      it("monitor why has the verdict on the invocation, as do HTTP and an assistant", async () => {
        const found = await whyEverywhere(world().monitor, id);
        expect(found.verdict?.code).toBe("running_on_dead_runner");
        expect(named(found.verdict as Verdict)).toContain(id);
      });

      it("the page of the invocation has the verdict", async () => {
        const page = await world().monitor.page(`/invocations/${id}`);
        expect(page).toContain("1 invocation running on a silent runner");
      });

      it("the page of the invocation and monitor invocation do not call it executing", async () => {
        const { monitor } = world();
        expect(await monitor.page(`/invocations/${id}`)).not.toContain("executing");
        expect(await monitor.text("invocation", id)).not.toContain("executing");
      });

      it("monitor why has the verdict on the runner", async () => {
        const found = await whyEverywhere(world().monitor, owner);
        expect([found.verdict?.code, ...found.others.map(({ code }) => code)]).toContain("running_on_dead_runner");
      });

      it("another verdict says that the waiting message has no runner since the last heartbeat or its registration", async () => {
        const found = (await appVerdicts(world().monitor)).find(({ code }) => code === "unconsumed_queue");
        const { messages } = await world().monitor.json<{ messages: { invocation_id: string }[] }>("queue");
        expect(messages.map(({ invocation_id }) => invocation_id)).toContain(waiting);
        // Usually 1: the recovery may have been called when the runner died.
        expect(found).toMatchObject({ severity: "error", count: messages.length });
        const registered = world().truth.all({ what: "calls", id: waiting })[0]?.at ?? 0;
        expect(epoch(found?.since)).toBeLessThanOrEqual(registered);
        expect(epoch(found?.since)).toBeGreaterThan(killed.at - HEARTBEAT);
        const own = await whyEverywhere(world().monitor, waiting);
        expect(own.verdict?.code).toBe("unconsumed_queue");
      });

      it("monitor status counts no active runner, and doctor and check exit with 1", async () => {
        const { monitor } = world();
        const status = await monitor.json<{ runners: { active: number }; statuses: Record<string, number> }>("status");
        expect(status.runners.active).toBe(0);
        expect(status.statuses.running).toBe(1);
        expect((await monitor.run(["doctor"])).code).toBe(1);
        expect((await monitor.run(["check"])).code).toBe(1);
      });

      it("the time since the death of the runner does not count as running", async () => {
        const { phases } = await detail(world().monitor, id);
        expect(secondsIn(phases, "running")).toBeLessThanOrEqual(killed.at - first.at + HEARTBEAT);
      });
    });

    describe("after another runner is started", () => {
      let second: Fact;

      beforeAll(async () => {
        const { truth } = world();
        world().runner({ threads: 2 });
        second = await truth.until({ what: "begins", invocation: id }, 2);
        truth.open("order");
        await world().untilStatus(id, "success");
        await world().untilStatus(waiting, "success");
      });

      it("both invocations are done, each begun as often as tasks really began", async () => {
        const { truth, monitor } = world();
        expect(truth.all({ what: "begins", invocation: id })).toHaveLength(2);
        expect(truth.all({ what: "begins", invocation: waiting })).toHaveLength(1);
        const { history } = await detail(monitor, id);
        expect(history.filter(({ status }) => status === "running")).toHaveLength(2);
      });

      it("the history shows the recovery between both runs", async () => {
        const { history } = await detail(world().monitor, id);
        expect(history.map(({ status }) => status)).toEqual(
          "registered pending running running_recovery rerouted pending running success".split(" "),
        );
        const again = history.filter(({ status }) => status === "running").at(1);
        // Written before the task reports that it begins.
        expect(epoch(again?.timestamp)).toBeLessThanOrEqual(second.at);
        expect(epoch(again?.timestamp)).toBeGreaterThan(second.at - HEARTBEAT);
        expect(again?.status_runner_id).not.toBe(owner);
      });

      it("monitor why lists the recovery and the return to the queue as steps", async () => {
        const { chain } = await whyEverywhere(world().monitor, id);
        expect(chain.map(({ sentence }) => sentence)).toEqual([
          "was taken by recovery from a silent runner",
          "was requeued",
        ]);
      });

      it("the step of the recovery names the dead runner", async () => {
        const { chain } = await why(world().monitor, id);
        expect(chain[0]).toMatchObject({ kind: "runner", id: owner });
      });

      it("monitor status counts as many known runners as were started", async () => {
        const { runners } = await world().monitor.json<{ runners: { known: number } }>("status");
        expect(runners.known).toBe(world().truth.all({ what: "starts a runner" }).length);
      });

      it("monitor wait for the success of the invocation ends at once", async () => {
        const { code, stdout } = await world().monitor.run(["wait", id, "--for", "success", "--timeout", "1m"]);
        expect(code).toBe(0);
        expect(stdout).toContain("success");
      });

      it("there is no verdict any more", async () => {
        const { monitor } = world();
        // Schedules have minimum intervals, which are another scenario's matter.
        const codes = (await appVerdicts(monitor)).map(({ code }) => code);
        expect(codes.filter((code) => code !== "schedule_overdue")).toEqual([]);
        expect((await monitor.run(["doctor", "--fail-on", "error"])).code).toBe(0);
        expect((await monitor.run(["check"])).code).toBe(0);
      });

      it("the silent runner is listed as not active, and the new one as active", async () => {
        const { runners } = await world().monitor.json<{ runners: { runner_id: string; active: boolean }[] }>(
          ...["runners", "--all"],
        );
        const active = Object.fromEntries(runners.map((runner) => [runner.runner_id, runner.active]));
        expect(active[owner]).toBe(false);
        expect(Object.values(active).filter(Boolean).length).toBeGreaterThanOrEqual(1);
      });
    });
  },
);
