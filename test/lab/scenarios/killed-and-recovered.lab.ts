import { beforeAll, expect, it } from "vitest";
import { appVerdicts, secondsIn, type Why, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";
import type { Fact } from "../truth.ts";

/** Seconds between two heartbeats of a runner, with a margin for a busy machine: its last sign of life is at most this old when it dies. */
const HEARTBEAT = 10;

scenario(
  {
    story: "A runner is killed while it runs a task, and another one recovers the task",
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let id = "";
    let first: Fact;
    let killed: Fact;
    let second: Fact;
    let ended: Fact;

    beforeAll(async () => {
      const { truth } = world();
      const victim = world().runner({ threads: 1 });
      id = await world().call("held", { name: "order" });
      first = await truth.until({ what: "begins", task: "held" });
      await truth.until({ what: "waits", gate: "order" });
      world().runner({ threads: 1 });
      await victim.kill();
      killed = await truth.until({ what: "kills", pid: victim.pid });
      second = await truth.until({ what: "begins", task: "held" }, 2);
      truth.open("order");
      ended = await truth.until({ what: "returns", task: "held" });
      await world().untilStatus(id, "success");
    });

    /** Seconds that somebody really worked on it. */
    const worked = () => killed.at - first.at + (ended.at - second.at);

    it("monitor show lists both runs and the recovery between them, in order", async () => {
      const history = (await world().monitor.text("show", id)).split(/\nHistory.*\n/)[1] ?? "";
      const statuses = history.match(/\b(registered|pending|running_recovery|running|rerouted|success)\b/g);
      expect(statuses).toEqual(
        "registered pending running running_recovery rerouted pending running success".split(" "),
      );
    });

    it("monitor why says that the invocation succeeded, as do HTTP and an assistant", async () => {
      const { verdict } = await whyEverywhere(world().monitor, id);
      expect(verdict?.sentence).toContain("It succeeded");
    });

    it("no invocation is left open, and none is called stuck", async () => {
      const codes = (await appVerdicts(world().monitor)).map(({ code }) => code);
      // That a schedule is overdue is wrong by itself, and has its own scenario.
      expect(codes.filter((code) => code !== "schedule_overdue")).toEqual([]);
    });

    it("only the time in which a runner worked on the task counts as running", async () => {
      const { phases } = await world().monitor.json<Why>("why", id);
      const running = secondsIn(phases, "running");
      expect(running).toBeGreaterThanOrEqual(worked() - 1);
      expect(running).toBeLessThanOrEqual(worked() + HEARTBEAT);
    });
  },
);
