import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import type { AppCheck, StatusReport } from "../../../src/api/health.ts";
import type { VerdictList } from "../../../src/api/verdicts.ts";
import type { WhyAnswer } from "../../../src/api/why.ts";
import { scenario } from "../scenario.ts";
import { RECOVERY_ONCE } from "../world.ts";

/** Of a hundred calls, two fail for reasons of the business, and four are retried once. The app calls on until it has been looked at as often as this. */
const SITUATIONS = [
  {
    story: "A healthy app, of whose calls 2 % fail",
    looks: 5,
    every_seconds: 0.25,
    where: {
      core: true,
      also: [
        ["sqlite", "0.2.3"],
        ["mongodb", "0.3.1"],
      ],
    },
  },
  {
    story: "A healthy app for three minutes, of whose calls 2 % fail",
    looks: 60,
    every_seconds: 3,
    where: { only: [["redis", "0.3.1"]] },
  },
  { story: "A healthy app for ten minutes, of whose calls 2 % fail", looks: 60, every_seconds: 10, where: {} },
] as const;

/** Calls at least, so that 2 % is more than chance. */
const CALLS = 100;

for (const { story, looks: wanted, every_seconds, where } of SITUATIONS) {
  scenario({ story, settings: RECOVERY_ONCE, ...where }, (world) => {
    let calls = 0;
    const failed: string[] = [];
    const retried: string[] = [];
    /** What the program said at each look while the app worked. */
    const looks: VerdictList["verdicts"][] = [];

    beforeAll(async () => {
      const { truth, monitor } = world();
      world().runner({ threads: 4 });
      world().runner({ threads: 4 });
      await world().recovered();
      const calling = { done: false };
      const looking = (async () => {
        while (!calling.done) {
          looks.push((await monitor.http<VerdictList>("/verdicts")).verdicts);
          await sleep(every_seconds * 1_000);
        }
      })();
      for (; calls < CALLS || looks.length < wanted; calls += 1) {
        const order = `ORD-${calls}`;
        if (calls % 50 === 20) failed.push(await world().call("fails", { message: `${order} is sold out` }));
        else if (calls % 25 === 10) retried.push(await world().call("flaky", { order, good_at: 2 }));
        else await world().call("ok", { order });
        // Not more than two runners can take.
        await sleep(every_seconds * 100);
      }
      await truth.until({ what: "returns", task: "ok" }, calls - failed.length - retried.length);
      for (const id of failed) await world().untilStatus(id, "failed");
      for (const id of retried) await world().untilStatus(id, "success");
      calling.done = true;
      await looking;
    }, 1_200_000);

    it("there is no verdict at any time while the app works", () => {
      expect(looks.length).toBeGreaterThanOrEqual(wanted);
      expect(looks.flat().map(({ code, sentence }) => `${code}: ${sentence}`)).toEqual([]);
    });

    it("there is no verdict afterwards in why, check, doctor and for an assistant", async () => {
      const { monitor } = world();
      expect(await monitor.text("why")).toContain("Nothing looks wrong");
      expect(await monitor.run(["check"])).toMatchObject({ code: 0 });
      expect(await monitor.run(["doctor"])).toMatchObject({ code: 0 });
      expect((await monitor.tool<WhyAnswer>("why")).verdict).toBeNull();
    });

    it("monitor status counts every failure, and nothing that waits or runs", async () => {
      const { statuses, queue, runners } = await world().monitor.json<StatusReport>("status");
      expect(statuses.failed).toBe(failed.length);
      expect(statuses).toMatchObject({ registered: 0, pending: 0, running: 0, retry: 0, paused: 0, killed: 0 });
      const recoveries = await world().recovered();
      expect(statuses.success).toBe(calls - failed.length + recoveries);
      expect(queue.waiting).toBe(0);
      expect(runners.active).toBe(2);
    });

    it("monitor check passes with 5 % of failures allowed; with 1 % it fails and names the true share", async () => {
      const { monitor } = world();
      expect((await monitor.run(["check", "--max-failed", "5%", "--since", "30m"])).code).toBe(0);
      const strict = await monitor.run(["check", "--max-failed", "1%", "--since", "30m"]);
      expect(strict.code).toBe(1);
      const { checks } = await monitor.json<AppCheck>("check", "--max-failed", "1%", "--since", "30m");
      const finished = calls + (await world().recovered());
      const share = ((100 * failed.length) / finished).toFixed(1);
      expect(checks.filter(({ ok }) => !ok).map(({ sentence }) => sentence)).toEqual([
        `${failed.length} of ${finished} finished invocations failed (${share} %), over the limit of 1 %.`,
      ]);
    });

    it("monitor failures lists exactly the failed calls, with their cause", async () => {
      const { monitor } = world();
      const text = await monitor.text("failures", "--since", "30m");
      expect(text).toContain("work.fails");
      expect(text).toContain("CardDeclined");
      for (const id of failed) {
        expect((await monitor.http<WhyAnswer>(`/why?id=${id}`)).verdict).toMatchObject({ code: "failed" });
      }
    });

    it("a call that was retried once is reported as a success with one retry", async () => {
      const [id = ""] = retried;
      expect(world().truth.all({ what: "begins", invocation: id })).toHaveLength(2);
      const { verdict } = await world().monitor.json<WhyAnswer>("why", id);
      expect(verdict?.code).toBe("ended_well");
      const detail = await world().monitor.http<{ retry_count: number }>(`/invocations/${id}`);
      expect(detail.retry_count).toBe(1);
    });
  });
}
