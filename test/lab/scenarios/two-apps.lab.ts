import { beforeAll, describe, expect, it } from "vitest";
import type { AppList } from "../../../src/api/app.ts";
import type { AppCheck, StatusReport } from "../../../src/api/health.ts";
import type { InvocationList } from "../../../src/api/invocations.ts";
import type { WhyAnswer } from "../../../src/api/why.ts";
import { Monitor } from "../monitor.ts";
import { scenario } from "../scenario.ts";
import { RECOVERY_ONCE, type World } from "../world.ts";

const BETA = ["--app", "beta"];
const LAB = ["--app", "lab"];

scenario(
  {
    story: "Two apps share a store: one works, the other has calls and no runner",
    settings: RECOVERY_ONCE,
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let beta: World;
    let busy = "";
    let failed = "";
    const waiting: string[] = [];

    beforeAll(async () => {
      beta = world().beside("beta");
      world().runner({ threads: 2 });
      await world().recovered();
      busy = await world().call("ok", { order: "LAB-1" });
      failed = await world().call("fails", { message: "only in lab" });
      for (const order of ["BETA-1", "BETA-2"]) waiting.push(await beta.call("ok", { order }));
      await world().untilStatus(busy, "success");
      await world().untilStatus(failed, "failed");
    });

    it("monitor apps lists both apps", async () => {
      const { apps } = await world().monitor.json<AppList>("apps");
      expect(apps.map(({ app_id, phantom }) => [app_id, phantom])).toEqual([
        ["beta", false],
        ["lab", false],
      ]);
    });

    it("no answer about the working app mentions a problem of the other one", async () => {
      const { monitor } = world();
      expect((await monitor.json<WhyAnswer>("why", ...LAB)).verdict).toBeNull();
      expect((await monitor.run(["check", ...LAB])).code).toBe(0);
      const { queue, runners, statuses } = await monitor.json<StatusReport>("status", ...LAB);
      expect(queue.messages).toBe(0);
      expect(runners.active).toBe(1);
      expect(statuses).toMatchObject({ registered: 0, failed: 1 });
    });

    it("the other app has the verdict that it has no runner, although the first has one", async () => {
      const { monitor } = world();
      const { verdict, others } = await monitor.json<WhyAnswer>("why", ...BETA);
      expect(verdict).toMatchObject({ code: "unconsumed_queue", count: waiting.length });
      expect(others).toEqual([]);
      expect(await monitor.json<AppCheck>("check", ...BETA)).toMatchObject({ ok: false, app_id: "beta" });
      const { runners, statuses } = await monitor.json<StatusReport>("status", ...BETA);
      expect(runners.active).toBe(0);
      expect(statuses).toMatchObject({ registered: waiting.length, failed: 0, success: 0 });
    });

    it("each app lists its own calls alone, in commands and on pages", async () => {
      const { monitor } = world();
      const own = async (args: string[]) =>
        (await monitor.json<InvocationList>("invocations", "task:work.*", ...args)).invocations.map(
          (row) => row.invocation_id,
        );
      expect((await own(LAB)).sort()).toEqual([busy, failed].sort());
      expect((await own(BETA)).sort()).toEqual([...waiting].sort());
      const page = await monitor.page("/invocations/?app=beta");
      expect(page).toContain("BETA-1");
      expect(page).not.toContain("LAB-1");
    });

    it("an id of one app is not found in the other", async () => {
      const { monitor } = world();
      expect((await monitor.run(["why", busy, ...BETA])).code).toBe(3);
      expect((await monitor.run(["why", waiting[0] ?? "", ...LAB])).code).toBe(3);
      expect((await monitor.run(["failures", ...BETA])).stdout).not.toContain("only in lab");
    });

    it("over HTTP the app in the address is used", async () => {
      const { monitor } = world();
      expect((await monitor.http<WhyAnswer>("/why?app=lab")).verdict).toBeNull();
      expect((await monitor.http<WhyAnswer>("/why?app=beta")).verdict).toMatchObject({ code: "unconsumed_queue" });
      expect((await monitor.http<StatusReport>("/?app=beta")).app_id).toBe("beta");
    });

    it("a command without --app and PYNENC__APP_ID shows the app that serve shows, and a change is refused with the names of both", async () => {
      const { storeArgs, folder, env } = world();
      const { PYNENC__APP_ID: _, ...nameless } = env;
      const monitor = new Monitor(storeArgs, { cwd: folder, env: nameless });
      const shown = await monitor.run(["status"]);
      expect([shown.code, shown.stderr]).toEqual([
        0,
        expect.stringMatching(/^app \S+ \(1 of 2, .*; --app \S+ for the other$/m),
      ]);
      const { code, stderr } = await monitor.run(["purge", "broker", "--yes"]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("This store holds 2 apps: beta, lab. Choose one.")]);
    });

    it("a command without --app uses the app of PYNENC__APP_ID", async () => {
      expect((await world().monitor.json<StatusReport>("status")).app_id).toBe("lab");
      expect((await beta.monitor.json<StatusReport>("status")).app_id).toBe("beta");
    });

    it("a command with an unknown app exits with 3 and names the known ones", async () => {
      const { code, stderr } = await world().monitor.run(["status", "--app", "gamma"]);
      expect(code).toBe(3);
      expect(stderr).toContain("gamma");
      expect(stderr).toContain("beta");
    });

    it("monitor apps marks the app with a runner as active, whichever is shown", async () => {
      const { apps } = await world().monitor.json<AppList>("apps", ...BETA);
      expect(apps.map(({ app_id, shown, active }) => [app_id, shown, active])).toEqual([
        ["beta", true, false],
        ["lab", false, true],
      ]);
    });

    it("find, why and show name the app that has an id of the other app", async () => {
      const { monitor } = world();
      for (const command of ["find", "why", "show"]) {
        const { code, stdout, stderr } = await monitor.run([command, waiting[0] ?? "", ...LAB]);
        expect([code, stdout + stderr]).toEqual([3, expect.stringMatching(/app.* beta/)]);
      }
    });

    describe("after the queue of the other app was purged with the monitor", () => {
      beforeAll(async () => {
        await world().monitor.json("purge", "broker", ...BETA, "--yes");
        beta.runner({ threads: 1 });
        await beta.recovered();
        await beta.untilStatus(await beta.call("ok", { order: "BETA-3" }), "success");
      });

      it("the earlier calls of the other app have never run", () => {
        for (const id of waiting) expect(world().truth.all({ what: "begins", invocation: id })).toEqual([]);
      });

      it("the first app still works, and has no verdict", async () => {
        await world().untilStatus(await world().call("ok", { order: "LAB-2" }), "success");
        expect((await world().monitor.json<WhyAnswer>("why", ...LAB)).verdict).toBeNull();
        const { statuses, runners } = await world().monitor.json<StatusReport>("status", ...LAB);
        expect(statuses).toMatchObject({ failed: 1, registered: 0 });
        expect(runners.active).toBe(1);
      });
    });
  },
);
