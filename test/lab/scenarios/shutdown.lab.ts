import { beforeAll, describe, expect, it } from "vitest";
import {
  appVerdicts,
  comesToSay,
  detail,
  epoch,
  named,
  secondsIn,
  type Verdict,
  type Why,
  whyEverywhere,
} from "../asked.ts";
import { scenario } from "../scenario.ts";
import type { Fact } from "../truth.ts";
import { RECOVERY_ONCE } from "../world.ts";

/** Seconds that the writes of pynenc around a step, and its shutdown, may take on a busy machine. */
const AROUND = 10;

scenario(
  {
    story: "A worker is shut down while it runs a task, and another one dies in the middle of its shutdown",
    app: "shutdown",
    settings: RECOVERY_ONCE,
    also: [
      ["sqlite", "0.3.1"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let orderly = "";
    let cut = "";
    let first: Fact;
    let stopped: Fact;
    let ended: Fact;

    beforeAll(async () => {
      const { truth } = world();
      const { runner, held } = await world().busyRunner("orderly", { kind: "ProcessRunner" });
      orderly = held;
      first = await truth.until({ what: "waits", invocation: orderly });
      await runner.stop();
      stopped = await truth.until({ what: "stops", pid: runner.pid });
      ended = await truth.until({ what: "ended", pid: runner.pid });
      await world().untilStatus(orderly, "rerouted");
    });

    describe("after the first worker was shut down in order", () => {
      it("its task was cut short, and the invocation is back in the queue without an owner", async () => {
        const { truth, monitor } = world();
        expect(truth.all({ what: "returns", invocation: orderly })).toEqual([]);
        const now = await detail(monitor, orderly);
        expect(now).toMatchObject({ status: "rerouted", queued: true, owner: null });
        expect(now.history.map(({ status }) => status)).toEqual(
          "registered pending running killed rerouted".split(" "),
        );
      });

      it("the history says that it was killed during the shutdown", async () => {
        const { history } = await detail(world().monitor, orderly);
        const killed = epoch(history.find(({ status }) => status === "killed")?.timestamp);
        expect(killed).toBeGreaterThanOrEqual(stopped.at - 0.1);
        expect(killed).toBeLessThanOrEqual(ended.at + 0.1);
      });

      it("the time until the kill counts as running, and has ended", async () => {
        const { phases } = await detail(world().monitor, orderly);
        const running = phases.find(({ phase }) => phase === "running");
        expect(running?.ongoing).toBe(false);
        expect(running?.duration_seconds).toBeGreaterThanOrEqual(stopped.at - first.at - 0.1);
        expect(running?.duration_seconds).toBeLessThan(ended.at - first.at + AROUND);
      });

      it("a verdict says that the message has no runner once the worker counts as silent", async () => {
        const { monitor } = world();
        const verdict = await comesToSay(monitor, "unconsumed_queue");
        // The process that it had started for the call may be heard a moment longer.
        expect(verdict?.severity).toBe("error");
        expect(verdict?.sentence).toMatch(/^1 message waiting and no active runner( takes messages)?$/);
        expect((await appVerdicts(monitor)).map(({ code }) => code)).toEqual(["unconsumed_queue"]);
      });

      it("monitor why has the verdict, and lists both steps of the shutdown", async () => {
        const { chain, verdict } = await whyEverywhere(world().monitor, orderly);
        expect(chain.map(({ sentence }) => sentence)).toEqual([
          "was stopped by the runner before it ended",
          "was requeued",
        ]);
        expect(verdict?.code).toBe("unconsumed_queue");
      });
    });

    describe("after another worker has taken the invocation, and died in the middle of its own shutdown", () => {
      let again: Fact;

      beforeAll(async () => {
        const { truth } = world();
        truth.open("orderly");
        const worker = world().runner({ env: { PYNENC__RUNNER_CLS: "DiesBetween" } });
        again = await truth.until({ what: "begins", invocation: orderly }, 2);
        await world().untilStatus(orderly, "success");
        cut = await world().call("held", { name: "cut" });
        await truth.until({ what: "waits", invocation: cut });
        await worker.stop();
        await world().untilStatus(cut, "killed");
        world().runner();
        await world().untilStatus(await world().call("held", { name: "orderly" }), "success");
      });

      it("the first invocation ran twice and succeeded", async () => {
        const { truth, monitor } = world();
        expect(truth.all({ what: "begins", invocation: orderly })).toHaveLength(2);
        const { history, phases } = await detail(monitor, orderly);
        expect(history.map(({ status }) => status)).toEqual(
          "registered pending running killed rerouted pending running success".split(" "),
        );
        const queued = again.at - ended.at;
        const waited = secondsIn(phases, "queued") + secondsIn(phases, "pending") + secondsIn(phases, "waiting");
        expect(waited).toBeGreaterThan(queued - 1);
        expect(phases.find(({ phase }) => phase === "running")?.stretches).toBe(2);
      });

      it("statistics count one run of the first invocation that was cut short, and the two that ended", async () => {
        const { rows } = await world().monitor.json<{ rows: Record<string, unknown>[] }>("stats", "--since", "1h");
        const row = rows.find(({ task_id_key }) => task_id_key === "shutdown.held");
        expect(row).toMatchObject({
          registered: 3,
          started: world().truth.all({ what: "begins", task: "held" }).length,
          finished: 2,
          failed: 0,
          killed: 2,
          reroutes: 1,
          run: { count: 2 },
        });
      });

      it("the second invocation is killed, has no owner and is in no queue", async () => {
        const now = await detail(world().monitor, cut);
        expect(now).toMatchObject({ status: "killed", owner: null });
        expect(now.history.map(({ status }) => status)).toEqual("registered pending running killed".split(" "));
        const { messages } = await world().monitor.json<{ messages: object[] }>("queue");
        expect(messages).toEqual([]);
      });

      it("monitor requeue refuses the second invocation because of its status killed", async () => {
        const { monitor } = world();
        const { code, stderr } = await monitor.run(["requeue", cut, "--yes"]);
        expect(code).toBe(5);
        expect(stderr).toContain("its status is killed");
        expect(await monitor.json("queue")).toMatchObject({ messages: [] });
      });

      // Seen from an hour later, so that nobody has to wait: nothing puts it back in that time either.
      it("monitor why does not promise an hour later that the second invocation will be rerouted", async () => {
        const { monitor } = world();
        const later = new Date(Date.now() + 3_600_000).toISOString();
        expect(await monitor.text("why", cut, "--now", later)).not.toContain("will requeue");
      });

      it("an hour later a verdict on the app names the second invocation", async () => {
        const later = new Date(Date.now() + 3_600_000).toISOString();
        const { verdict, others } = await world().monitor.json<Why>("why", "--now", later);
        expect([verdict, ...others].flatMap((one) => (one === null ? [] : named(one as Verdict)))).toContain(cut);
      });

      it("a rerun of the second invocation registers a new one, as its preview shows, which is executed once", async () => {
        const { truth, monitor } = world();
        truth.open("cut");
        const before = await detail(monitor, cut);
        const preview = await monitor.json<{ refused: string | null }>("rerun", cut, "--dry-run");
        expect(preview.refused).toBeNull();
        const { new_invocation_id: id } = await monitor.json<{ new_invocation_id: string }>("rerun", cut, "--yes");
        await world().untilStatus(id, "success");
        expect(truth.all({ what: "begins", invocation: id })).toMatchObject([{ kwargs: { name: "cut" } }]);
        expect(await detail(monitor, cut)).toMatchObject({ status: "killed", history: before.history });
      });
    });
  },
);
