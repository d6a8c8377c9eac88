import { beforeAll, describe, expect, it } from "vitest";
import { appVerdicts, comesToSay, detail, epoch, named, type Verdict, why, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";
import { type LabRunner, RECOVERY_ONCE } from "../world.ts";

/** Workers of a PersistentProcessRunner stay occupied while their task waits; those of a ThreadRunner do not. */
const TWO_WORKERS = { PYNENC__CONFIGPERSISTENTPROCESSRUNNER__NUM_PROCESSES: "2" };

/** Seconds that the writes of pynenc around a step may take on a busy machine. */
const AROUND = 5;

scenario(
  {
    story: "Calls nest as deep as a runner has workers, so that all of them wait for one in the queue",
    app: "nested",
    settings: RECOVERY_ONCE,
    also: [
      ["sqlite", "0.3.1"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let blocked: LabRunner;
    let top = "";
    let middle = "";
    let bottom = "";

    beforeAll(async () => {
      const { truth } = world();
      blocked = world().runner({ kind: "PersistentProcessRunner", env: TWO_WORKERS });
      await world().recovered();
      top = await world().call("grandparent", { name: "order" });
      middle = String((await truth.until({ what: "called", invocation: top })).child);
      bottom = String((await truth.until({ what: "called", invocation: middle })).child);
    });

    describe("right after the last call", () => {
      it("monitor why follows the waits of the first invocation to the one in the queue", async () => {
        const found = await whyEverywhere(world().monitor, top);
        expect(found.verdict?.code).toBe("waits_for_invocation");
        expect(named(found.verdict as Verdict)).toEqual([middle, bottom]);
        expect(found.chain.map(({ id }) => id)).toEqual([middle, bottom]);
        expect(found.verdict?.detail).toContain(`${bottom.slice(0, 8)} (nested.leaf), 2 waits away, registered`);
      });

      it("two invocations are running and one is registered with a message in the queue", async () => {
        const { monitor } = world();
        const statuses = [];
        for (const id of [top, middle, bottom]) statuses.push((await detail(monitor, id)).status);
        expect(statuses).toEqual(["running", "running", "registered"]);
        const { messages } = await monitor.json<{ messages: { invocation_id: string }[] }>("queue");
        expect(messages.map(({ invocation_id }) => invocation_id)).toContain(bottom);
        // A runner takes what another call waits for without its message, which it leaves in the queue.
        expect(messages.filter(({ invocation_id }) => ![middle, bottom].includes(invocation_id))).toEqual([]);
      });
    });

    describe("after a minute in which nothing started or ended", () => {
      let verdict: Verdict;

      beforeAll(async () => {
        verdict = await comesToSay(world().monitor, "deadlocked_pool");
        world().truth.note("is said", { code: verdict.code });
      });

      it("the deadlock is reported as an error, because both workers are known to be held", () => {
        expect(verdict).toMatchObject({ severity: "error", count: 2 });
        expect(verdict.sentence).toBe(
          "Deadlock: both running invocations wait for 1 invocation in the queue, and no worker is free",
        );
        expect(verdict.detail).toContain("Each of the 2 active workers holds an invocation that cannot continue.");
      });

      it("the verdict names exactly the invocation in the queue and those that wait", () => {
        const roles = Object.fromEntries(verdict.evidence.map(({ id, role }) => [id, role]));
        expect(roles).toEqual({ [bottom]: "in the queue", [top]: "waits", [middle]: "waits" });
      });

      it("the verdict lists the whole chain of waits in order", () => {
        const [first, second, last] = [top, middle, bottom].map((id) => id.slice(0, 8));
        expect(verdict.detail).toContain(
          `${first} waits for ${second} waits for ${last}, which is in the queue. Nothing else is recorded`,
        );
      });

      it("the verdict begins with the last call", () => {
        const { truth } = world();
        const called = truth.all({ what: "called", invocation: middle })[0]?.at ?? 0;
        expect(epoch(verdict.since)).toBeLessThanOrEqual(called);
        expect(epoch(verdict.since)).toBeGreaterThan(called - AROUND);
      });

      it("the deadlock is not reported before a minute is over", () => {
        const { truth } = world();
        const said = truth.all({ what: "is said" })[0]?.at ?? 0;
        expect(said - epoch(verdict.since)).toBeGreaterThanOrEqual(60);
      });

      it("monitor why begins with the deadlock for each of the three invocations", async () => {
        expect((await whyEverywhere(world().monitor, top)).verdict?.code).toBe("deadlocked_pool");
        for (const id of [middle, bottom]) {
          expect((await why(world().monitor, id)).verdict?.code).toBe("deadlocked_pool");
        }
      });

      it("the deadlock is the only verdict on the dashboard, in status, doctor and check", async () => {
        const { monitor } = world();
        expect((await appVerdicts(monitor)).map(({ code }) => code)).toEqual(["deadlocked_pool"]);
        expect(await monitor.page("/")).toContain(verdict.sentence);
        expect(await monitor.text("status")).toContain(verdict.sentence);
        for (const command of ["doctor", "check"]) {
          const { code, stdout } = await monitor.run([command]);
          expect(code).toBe(1);
          expect(stdout).toContain(verdict.sentence);
        }
      });

      it("the verdict suggests one more runner", () => {
        expect(verdict.detail).toContain("Start one more runner: its workers take the queued ones");
      });

      it("the critical path of the first invocation is mostly time in the queue of the last", async () => {
        const { critical_path } = await why(world().monitor, top);
        const [largest] = critical_path?.shares ?? [];
        expect(largest).toMatchObject({ invocation_id: bottom, phase: "queued", link: "edge" });
        expect(critical_path?.ongoing).toBe(true);
      });
    });

    describe("after one more runner is started", () => {
      beforeAll(async () => {
        const { truth } = world();
        truth.open("order");
        world().runner({ threads: 1 });
        for (const id of [bottom, middle, top]) await world().untilStatus(id, "success");
      });

      it("all three invocations have ended, each begun once", () => {
        const { truth } = world();
        expect([top, middle, bottom].map((id) => truth.all({ what: "begins", invocation: id }).length)).toEqual([
          1, 1, 1,
        ]);
        expect(truth.all({ what: "returns" }).map(({ invocation }) => invocation)).toEqual([bottom, middle, top]);
      });

      it("there is no verdict any more", async () => {
        const { monitor } = world();
        expect(await appVerdicts(monitor)).toEqual([]);
        expect((await monitor.run(["doctor"])).code).toBe(0);
        expect((await monitor.run(["check"])).code).toBe(0);
      });

      it("monitor why says that the first invocation succeeded, and its critical path leads through the queue of the last", async () => {
        const { truth, monitor } = world();
        const found = await whyEverywhere(monitor, top);
        expect(found.verdict?.code).toBe("ended_well");
        const queued =
          (truth.all({ what: "begins", invocation: bottom })[0]?.at ?? 0) -
          (truth.all({ what: "called", invocation: middle })[0]?.at ?? 0);
        const [largest] = found.critical_path?.shares ?? [];
        expect(largest).toMatchObject({ invocation_id: bottom, phase: "queued", link: "run" });
        expect(Math.abs((largest?.duration_seconds ?? 0) - queued)).toBeLessThan(AROUND);
      });

      it("the summary does not call the time of the wait running", async () => {
        const { verdict } = await world().monitor.json<{ verdict: Verdict }>("why", top);
        expect(verdict.detail).not.toContain("it was running");
      });
    });

    describe("with a runner whose waiting tasks give up their slot", () => {
      let ids: string[] = [];

      beforeAll(async () => {
        const { truth } = world();
        await blocked.stop();
        const first = await world().call("grandparent", { name: "other order" });
        const second = String((await truth.until({ what: "called", invocation: first })).child);
        const third = String((await truth.until({ what: "called", invocation: second })).child);
        await truth.until({ what: "waits", invocation: third });
        ids = [first, second, third];
      });

      it("the same calls all run in its only slot, without a deadlock", async () => {
        const { monitor } = world();
        const statuses = [];
        for (const id of ids) statuses.push((await detail(monitor, id)).status);
        expect(statuses).toEqual(["running", "running", "running"]);
        const found = await why(monitor, ids[0] ?? "");
        expect(found.verdict?.code).toBe("waits_for_invocation");
        expect(named(found.verdict as Verdict)).toEqual(ids.slice(1));
        expect(await appVerdicts(monitor)).toEqual([]);
      });

      it("the three calls succeed, and there is no verdict", async () => {
        world().truth.open("other order");
        for (const id of ids) await world().untilStatus(id, "success");
        expect(await appVerdicts(world().monitor)).toEqual([]);
      });
    });
  },
);
