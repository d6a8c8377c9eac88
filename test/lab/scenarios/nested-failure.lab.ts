import { beforeAll, expect, it } from "vitest";
import { appVerdicts, detail, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";

const FAMILY = ["sells", "ships", "charges"];

scenario(
  {
    story: "A task calls a task that calls a task that fails",
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["sqlite", "0.3.1"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let top = "";
    let deepest = "";
    /** Instants around the whole story, by the lab's clock. */
    let begun = 0;
    let seen = 0;

    beforeAll(async () => {
      const { truth } = world();
      world().runner({ threads: 4 });
      begun = truth.note("begins to call").at;
      top = await world().call("sells", { order: "ORD-1" });
      deepest = String((await truth.until({ what: "raises", task: "charges" })).invocation);
      await truth.until({ what: "raises", task: "sells" });
      await world().untilStatus(top, "failed");
      seen = truth.note("sees that it failed").at;
    });

    it("monitor why names the deepest failure and its message", async () => {
      const text = await world().monitor.text("why", top);
      expect(text).toContain("card of ORD-1 was declined");
      expect(text).toContain(deepest.slice(0, 8));
    });

    it("monitor why, HTTP and an assistant give the same chain down to the deepest failure", async () => {
      const { chain } = await whyEverywhere(world().monitor, top);
      expect(chain.map(({ id }) => id)).toContain(deepest);
    });

    it("the family tree has exactly the three invocations that ran, each below its caller", async () => {
      const { truth, monitor } = world();
      const ran = truth.all({ what: "begins" }).map(({ invocation }) => String(invocation));
      const lines = (await monitor.text("tree", top)).split("\n");
      const depths = ran.map((id) => lines.find((line) => line.includes(id.slice(0, 8)))?.search(/[0-9a-f]{8}/) ?? -1);
      expect(ran).toHaveLength(FAMILY.length);
      expect(depths.every((depth) => depth >= 0)).toBe(true);
      expect(depths).toEqual([...depths].sort((a, b) => a - b));
      expect(new Set(depths).size).toBe(FAMILY.length);
    });

    it("the list of failures has each invocation once, with the exception of the user's own code", async () => {
      const { invocations } = await world().monitor.json<{
        invocations: { invocation_id: string; exception: { type: string } | null }[];
      }>("invocations", "status:failed", "task:work.*");
      const ran = world()
        .truth.all({ what: "raises" })
        .map(({ invocation }) => String(invocation));
      expect(invocations.map(({ invocation_id }) => invocation_id).sort()).toEqual([...new Set(ran)].sort());
      for (const { exception } of invocations) expect(exception?.type).toContain("CardDeclined");
    });

    it("a search for an order number in the arguments finds all three invocations", async () => {
      const { invocations } = await world().monitor.json<{ invocations: { task_id_key: string }[] }>(
        "invocations",
        "arg.order=ORD-1",
      );
      expect(invocations.map(({ task_id_key }) => task_id_key).sort()).toEqual(
        FAMILY.map((task) => `work.${task}`).sort(),
      );
    });

    it("each invocation lasts at least as long as its body really took, and no longer than the whole story", async () => {
      const { truth, monitor } = world();
      for (const task of FAMILY) {
        const begins = await truth.until({ what: "begins", task });
        const raises = await truth.until({ what: "raises", task });
        const { phases } = await detail(monitor, String(begins.invocation));
        const working = phases.filter(({ phase }) => phase !== "queued" && phase !== "pending");
        const seconds = working.reduce((sum, phase) => sum + phase.duration_seconds, 0);
        // Its status is set before its body begins and after it ends: on a busy machine, any time within the story.
        expect(seconds, task).toBeGreaterThanOrEqual(raises.at - begins.at - 0.5);
        expect(seconds, task).toBeLessThanOrEqual(seen - begun);
      }
    });

    it("no invocation is called stuck or lost", async () => {
      const codes = (await appVerdicts(world().monitor)).map(({ code }) => code);
      // Three of three failed: that is said, and right.
      expect(codes.filter((code) => !["failure_rate_up", "schedule_overdue"].includes(code))).toEqual([]);
    });
  },
);
