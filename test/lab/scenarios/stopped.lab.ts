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
  why,
  whyEverywhere,
} from "../asked.ts";
import { scenario } from "../scenario.ts";
import type { Fact } from "../truth.ts";
import { type LabRunner, RECOVERY_ONCE } from "../world.ts";

/** Seconds between two heartbeats of a runner, with a margin for a busy machine: its last sign of life is at most this old when it is stopped. */
const HEARTBEAT = 10;

/** Seconds after which a runner counts as silent, in the settings of the lab. */
const DEAD_AFTER = 12;

scenario(
  {
    story: "The only runner is stopped by a signal while it runs a task, and goes on after it counts as silent",
    settings: RECOVERY_ONCE,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let id = "";
    let owner = "";
    let runner: LabRunner;
    let stopped: Fact;

    beforeAll(async () => {
      const { truth, monitor } = world();
      ({ runner, held: id } = await world().busyRunner("order"));
      owner = (await detail(monitor, id)).owner?.runner_id ?? "";
      runner.signal("SIGSTOP");
      stopped = await truth.until({ what: "signals", pid: runner.pid, signal: "SIGSTOP" });
    });

    describe("before the runner counts as silent", () => {
      let said: Why;
      let codes: string[];
      let asked: number;

      beforeAll(async () => {
        codes = (await appVerdicts(world().monitor)).map(({ code }) => code);
        said = await why(world().monitor, id);
        asked = Date.now() / 1000;
      });

      it("the invocation is in progress, and there is no verdict", ({ skip }) => {
        skip(asked > stopped.at + DEAD_AFTER - HEARTBEAT, "the machine was too busy to ask in time");
        expect(said.verdict?.code).toBe("in_progress");
        expect(codes).toEqual([]);
      });
    });

    describe("once the runner counts as silent", () => {
      let verdict: Verdict;

      beforeAll(async () => {
        verdict = await comesToSay(world().monitor, "running_on_dead_runner");
        world().truth.note("is said", { code: verdict.code });
      });

      it("a verdict comes no earlier than the time for which a runner may be silent", () => {
        expect(world().truth.all({ what: "is said" })[0]?.at).toBeGreaterThan(stopped.at + DEAD_AFTER - HEARTBEAT);
      });

      it("the verdict names the invocation and its runner, since the last heartbeat", () => {
        expect(verdict).toMatchObject({ severity: "error", count: 1 });
        expect(named(verdict)).toEqual([id]);
        expect(named(verdict, "runner")).toEqual([owner]);
        expect(epoch(verdict.since)).toBeLessThanOrEqual(stopped.at + 1);
        expect(epoch(verdict.since)).toBeGreaterThan(stopped.at - HEARTBEAT);
      });

      it("the verdict says that the runner has no recent heartbeat, not that it was killed or has ended", () => {
        expect(verdict.sentence).toBe("1 invocation running on a silent runner");
        expect(`${verdict.sentence} ${verdict.detail}`).not.toMatch(/\b(killed|crashed|has ended|has died)\b/);
      });

      it("monitor why has the verdict on the invocation and on the runner, as do HTTP and an assistant", async () => {
        expect((await whyEverywhere(world().monitor, id)).verdict?.code).toBe("running_on_dead_runner");
        const { verdict: first, others } = await whyEverywhere(world().monitor, owner);
        expect([first, ...others].map((one) => one?.code)).toContain("running_on_dead_runner");
      });

      it("the runner is listed as not active, and monitor status counts no active one", async () => {
        const { monitor } = world();
        const { runners } = await monitor.json<{ runners: { runner_id: string; active: boolean }[] }>(
          ...["runners", "--all"],
        );
        expect(runners.filter(({ active }) => active)).toEqual([]);
        expect(runners.map(({ runner_id }) => runner_id)).toContain(owner);
        expect(await monitor.json("status")).toMatchObject({ runners: { active: 0 }, statuses: { running: 1 } });
      });

      it("doctor and check exit with 1", async () => {
        const { monitor } = world();
        expect((await monitor.run(["doctor"])).code).toBe(1);
        expect((await monitor.run(["check"])).code).toBe(1);
      });

      it("monitor wait for success runs into its time limit, and changes nothing", async () => {
        const { monitor } = world();
        const { code } = await monitor.run(["wait", id, "--for", "success", "--timeout", "1s"]);
        expect(code).toBe(124);
        expect((await detail(monitor, id)).history.map(({ status }) => status)).toEqual(
          "registered pending running".split(" "),
        );
      });
    });

    describe("after the runner was continued", () => {
      let next = "";
      let continued: Fact;

      beforeAll(async () => {
        const { truth } = world();
        runner.signal("SIGCONT");
        continued = await truth.until({ what: "signals", pid: runner.pid, signal: "SIGCONT" });
        truth.open("order");
        next = await world().call("ok", { order: "ORD-2" });
        await world().untilStatus(next, "success");
        await world().untilStatus(id, "success");
      });

      it("the same runner has finished the invocation, which began once", async () => {
        const { truth, monitor } = world();
        expect(truth.all({ what: "begins", invocation: id })).toHaveLength(1);
        const { history } = await detail(monitor, id);
        expect(history.map(({ status }) => status)).toEqual("registered pending running success".split(" "));
        expect(history.find(({ status }) => status === "running")?.status_runner_id).toBe(owner);
      });

      it("there is no verdict any more in why, check and doctor", async () => {
        const { monitor } = world();
        expect((await appVerdicts(monitor)).map(({ sentence }) => sentence)).toEqual([]);
        expect((await monitor.run(["check"])).code).toBe(0);
        expect((await monitor.run(["doctor"])).code).toBe(0);
      });

      it("monitor why says that the invocation succeeded and the runner is active", async () => {
        expect((await whyEverywhere(world().monitor, id)).verdict?.code).toBe("ended_well");
        expect((await why(world().monitor, owner)).verdict?.code).toBe("runner_active");
      });

      it("the invocation was running from its start to its end, including the time of the stop", async () => {
        const { truth, monitor } = world();
        const [begins] = truth.all({ what: "begins", invocation: id });
        const [returns] = truth.all({ what: "returns", invocation: id });
        const { phases } = await detail(monitor, id);
        const ran = secondsIn(phases, "running");
        // The rows are written just before the first report and just after the last.
        expect(ran).toBeGreaterThanOrEqual(continued.at - stopped.at);
        expect(ran).toBeLessThan((returns?.at ?? 0) - (begins?.at ?? 0) + HEARTBEAT);
        expect(phases.filter(({ ongoing }) => ongoing)).toEqual([]);
      });
    });
  },
);

scenario(
  {
    story: "The Redis server of an app stops answering while a task runs, and goes on",
    settings: { ...RECOVERY_ONCE, PYNENC__RUNNER_CONSIDERED_DEAD_AFTER_MINUTES: "10" },
    only: [["redis", "0.3.1"]],
  },
  (world) => {
    let id = "";

    beforeAll(async () => {
      const { truth, monitor } = world();
      ({ held: id } = await world().busyRunner("order"));
      expect((await monitor.ask("/invocations")).status).toBe(200);
      world().redis?.freeze();
      truth.note("freezes the Redis server");
    });

    describe("while the Redis server does not answer", () => {
      it("commands exit with 4 and name the server, without a stack trace", async () => {
        const { monitor } = world();
        for (const command of [["status"], ["invocations"], ["why", id], ["check"]]) {
          const { code, stdout, stderr } = await monitor.run(command);
          expect({ command, code }).toEqual({ command, code: 4 });
          expect(`${stdout}${stderr}`).toContain(`127.0.0.1:${world().redis?.port}`);
          expect(`${stdout}${stderr}`).toMatch(/does not respond|no answer|did not answer/);
          expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at .*:\d+:\d+/);
        }
      });

      it("monitor rerun exits with 4 with a message", async () => {
        const { code, stderr } = await world().monitor.run(["rerun", id, "--yes"]);
        expect(code).toBe(4);
        expect(stderr).not.toBe("");
      });

      it("/health answers 200 and calls the store unreachable", async () => {
        const { status, text } = await world().monitor.ask("/health");
        expect(status).toBe(200);
        // It looks at the last request, which may have been before the freeze; the next page finds out.
        await world().monitor.ask("/");
        const after = JSON.parse((await world().monitor.ask("/health")).text);
        expect(after).toMatchObject({ status: "ok", store: "unreachable" });
        expect(JSON.parse(text)).toMatchObject({ status: "ok" });
      });

      it("pages and JSON answer 503 and name the server", async () => {
        for (const path of ["/", "/invocations", `/invocations/${id}`, "/runners/", "/verdicts"]) {
          const [page, json] = await Promise.all([
            world().monitor.ask(path, "text/html"),
            world().monitor.ask(path, "application/json"),
          ]);
          expect({ path, page: page.status, json: json.status }).toEqual({ path, page: 503, json: 503 });
          expect(page.text).toContain(String(world().redis?.port));
          expect(page.text).not.toMatch(/\n\s+at .*:\d+:\d+/);
        }
      });

      it("monitor serve exits with 4 and says that the server does not respond", async () => {
        const { code, stderr } = await world().monitor.run(["serve", "--port", "auto"]);
        expect(code).toBe(4);
        expect(stderr).toMatch(/does not respond/);
        expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+/);
      });
    });

    describe("after the Redis server was continued", () => {
      let next = "";

      beforeAll(async () => {
        const { truth } = world();
        world().redis?.thaw();
        truth.note("thaws the Redis server");
      });

      it("pages answer again, and /health calls the store well", async () => {
        const { monitor } = world();
        expect((await monitor.ask("/invocations", "text/html")).status).toBe(200);
        expect((await monitor.ask(`/invocations/${id}`)).status).toBe(200);
        expect(JSON.parse((await monitor.ask("/health")).text)).toMatchObject({ status: "ok", store: "ok" });
      });

      it("the task continues, and another call is executed once", async () => {
        const { truth, monitor } = world();
        // The runner may have ended with a timeout of its own.
        world().runner({ threads: 2 });
        truth.open("order");
        next = await world().call("ok", { order: "ORD-2" });
        await world().untilStatus(next, "success");
        expect(truth.all({ what: "begins", invocation: next })).toHaveLength(1);
        expect((await detail(monitor, next)).status).toBe("success");
      });

      it("the refused rerun left no invocation behind", async () => {
        const { rows } = await world().monitor.json<{ rows: { task_id_key: string; registered: number }[] }>(
          ...["stats", "--since", "1h"],
        );
        expect(rows.find(({ task_id_key }) => task_id_key === "work.held")?.registered).toBe(1);
        expect(world().truth.all({ what: "begins", task: "held" })).toHaveLength(1);
      });
    });
  },
);
