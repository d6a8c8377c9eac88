import { beforeAll, expect, it } from "vitest";
import { scenario } from "../scenario.ts";

scenario(
  {
    story: "A task calls a task that calls a task that fails",
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["sqlite", "0.3.1"],
      ["redis", "0.3.1"],
    ],
  },
  (world) => {
    let top = "";
    let deepest = "";

    beforeAll(async () => {
      const { truth } = world();
      world().runner({ threads: 4 });
      top = await world().call("sells", { order: "ORD-1" });
      deepest = String((await truth.until({ what: "raises", task: "charges" })).invocation);
      await truth.until({ what: "raises", task: "sells" });
      await world().untilStatus(top, "failed");
    });

    it("why names the deepest failure and its message", async () => {
      const { monitor } = world();
      const text = await monitor.text("why", top);
      expect(text).toContain("card of ORD-1 was declined");
      expect(text).toContain(deepest.slice(0, 8));
    });
  },
);
