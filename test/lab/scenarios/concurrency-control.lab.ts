import { beforeAll, describe, expect, it } from "vitest";
import { appVerdicts, detail, epoch, named, type Verdict, why, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";
import { RECOVERY_ONCE } from "../world.ts";

scenario(
  {
    story: "Concurrency control drops some calls, puts others back until their turn comes, and reuses waiting ones",
    app: "limited",
    core: true,
    settings: RECOVERY_ONCE,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    const begun = (id: string) => world().truth.all({ what: "begins", invocation: id }).length;

    /** Calls a task that waits at a gate, and waits until it is there. */
    const holds = async (task: string, args: Record<string, unknown>) => {
      const id = await world().call(task, args);
      await world().truth.until({ what: "waits", invocation: id });
      return id;
    };

    /** Calls a task that is dropped because another one runs. */
    const dropped = async (task: string, args: Record<string, unknown>) => {
      const id = await world().call(task, args);
      await world().untilStatus(id, "concurrency_controlled_final");
      return id;
    };

    beforeAll(async () => {
      world().runner({ threads: 8 });
      await world().recovered();
    });

    describe("calls of a task that may run once at a time", () => {
      let holder = "";
      let late = "";
      let after = "";

      beforeAll(async () => {
        holder = await holds("one_at_a_time", { name: "task" });
        late = await dropped("one_at_a_time", { name: "other" });
        world().truth.open("task");
        world().truth.open("other");
        await world().untilStatus(holder, "success");
        after = await world().call("one_at_a_time", { name: "other" });
        await world().untilStatus(after, "success");
      });

      it("the second call never begins, and a later one does", () => {
        expect([holder, late, after].map(begun)).toEqual([1, 0, 1]);
      });

      it("monitor why says that the second call was dropped, when, and that it will not run", async () => {
        const { verdict, phases } = await whyEverywhere(world().monitor, late);
        expect(verdict).toMatchObject({ code: "dropped_by_concurrency_control", severity: "info" });
        expect(verdict?.sentence).toBe("Concurrency control dropped it: it did not run and will not.");
        const { truth } = world();
        expect(epoch(verdict?.since)).toBeGreaterThanOrEqual(truth.made(late).from);
        expect(epoch(verdict?.since)).toBeLessThanOrEqual(truth.seen(late));
        expect(phases?.map(({ phase }) => phase)).toEqual(["queued"]);
      });

      it("the history of the second call ends with the drop, right after its registration", async () => {
        const { history, status } = await detail(world().monitor, late);
        expect(status).toBe("concurrency_controlled_final");
        expect(history.map((entry) => entry.status)).toEqual(["registered", "concurrency_controlled_final"]);
      });

      it("the page of the second call says that concurrency control stopped it", async () => {
        expect(await world().monitor.page(`/invocations/${late}`)).toContain("Concurrency control dropped it");
      });

      it("monitor why names the call that ran at that moment", async () => {
        const { verdict } = await why(world().monitor, late);
        expect(named(verdict as Verdict)).toContain(holder);
      });
    });

    describe("calls of a task that may run once for the same arguments", () => {
      let ids: string[] = [];

      beforeAll(async () => {
        ids = [
          await holds("one_per_arguments", { name: "arguments", size: 1 }),
          await holds("one_per_arguments", { name: "arguments", size: 2 }),
          await dropped("one_per_arguments", { name: "arguments", size: 1 }),
        ];
        world().truth.open("arguments");
        for (const id of ids.slice(0, 2)) await world().untilStatus(id, "success");
      });

      it("those with different arguments run together, and the one with equal arguments never runs", () => {
        expect(ids.map(begun)).toEqual([1, 1, 0]);
      });

      it("monitor why says only of the call with equal arguments that it was dropped", async () => {
        const codes = [];
        for (const id of ids) codes.push((await why(world().monitor, id)).verdict?.code);
        expect(codes).toEqual(["ended_well", "ended_well", "dropped_by_concurrency_control"]);
      });

      it("monitor why names the call with equal arguments, not the other", async () => {
        const { verdict } = await why(world().monitor, ids[2] ?? "");
        expect(named(verdict as Verdict)).toEqual([ids[0]]);
      });
    });

    describe("calls of a task that may run once for the same key", () => {
      let ids: string[] = [];

      beforeAll(async () => {
        ids = [
          await holds("one_per_name", { name: "keys", size: 1 }),
          await holds("one_per_name", { name: "other keys", size: 1 }),
          await dropped("one_per_name", { name: "keys", size: 2 }),
        ];
        world().truth.open("keys");
        world().truth.open("other keys");
        for (const id of ids.slice(0, 2)) await world().untilStatus(id, "success");
      });

      it("the one with the same name never begins, though another argument differs", async () => {
        expect(ids.map(begun)).toEqual([1, 1, 0]);
        expect((await why(world().monitor, ids[2] ?? "")).verdict?.code).toBe("dropped_by_concurrency_control");
      });

      it("monitor why says that keys may be limited", async () => {
        const { verdict } = await why(world().monitor, ids[2] ?? "");
        expect(verdict?.detail).toMatch(/\bkeys?\b/);
      });
    });

    describe("calls of a task that are put back by concurrency control", () => {
      let first = "";
      let second = "";

      beforeAll(async () => {
        first = await holds("in_turn", { name: "turn" });
        second = await world().call("in_turn", { name: "next" });
        await world().untilStatus(second, "rerouted");
      });

      it("the second call has not begun while the first one runs, and is neither called running nor final", async () => {
        const { status, history } = await detail(world().monitor, second);
        expect(["rerouted", "concurrency_controlled"]).toContain(status);
        expect(history.map((entry) => entry.status).slice(0, 3)).toEqual(
          "registered concurrency_controlled rerouted".split(" "),
        );
        expect(begun(second)).toBe(0);
      });

      it("monitor why lists that the second call was held back", async () => {
        const { chain } = await why(world().monitor, second);
        expect(chain.map(({ sentence }) => sentence)).toContain("was held back by running concurrency control");
      });

      it("a short hold is no problem: there is no verdict, and check exits with 0", async () => {
        const { monitor } = world();
        expect(await appVerdicts(monitor)).toEqual([]);
        expect((await monitor.run(["check"])).code).toBe(0);
      });

      it("monitor why names the call that may hold back the second one, also in the first minutes", async () => {
        const { verdict } = await why(world().monitor, second);
        expect(named(verdict as Verdict)).toContain(first);
      });

      describe("after the first one has ended", () => {
        beforeAll(async () => {
          const { truth } = world();
          truth.open("next");
          truth.open("turn");
          await world().untilStatus(first, "success");
          await world().untilStatus(second, "success");
        });

        it("the second call has run once, after the first", async () => {
          const { truth } = world();
          expect([first, second].map(begun)).toEqual([1, 1]);
          const end = truth.all({ what: "returns", invocation: first })[0]?.at ?? 0;
          const { history } = await detail(world().monitor, second);
          const running = history.filter(({ status }) => status === "running");
          expect(running).toHaveLength(1);
          // The first one's status is written after its body returned.
          expect(epoch(running[0]?.timestamp)).toBeGreaterThanOrEqual(end - 0.1);
        });

        it("the time in between counts as time in the queue or held, and not as running", async () => {
          const { truth } = world();
          const { phases } = await detail(world().monitor, second);
          const called = truth.made(second);
          const free = truth.all({ what: "returns", invocation: first })[0]?.at ?? 0;
          const began = truth.all({ what: "begins", invocation: second })[0]?.at ?? 0;
          const ended = truth.all({ what: "returns", invocation: second })[0]?.at ?? 0;
          const seconds = Object.fromEntries(phases.map((phase) => [phase.phase, phase.duration_seconds]));
          const before = (seconds.queued ?? 0) + (seconds.waiting ?? 0) + (seconds.pending ?? 0);
          // It may run once the first one has returned, and runs before its body begins.
          expect(before).toBeGreaterThanOrEqual(free - called.to);
          expect(before).toBeLessThanOrEqual(began - called.from);
          expect(seconds.running).toBeGreaterThanOrEqual(ended - began);
          expect(seconds.running).toBeLessThanOrEqual(truth.seen(second) - free);
        });

        it("statistics count one start for each call, and no holds", async () => {
          const { rows } = await world().monitor.json<{
            rows: { task_id_key: string; started: number; failed: number }[];
          }>(...["stats", "--since", "1h"]);
          const row = rows.find(({ task_id_key }) => task_id_key === "limited.in_turn");
          expect(row).toMatchObject({ registered: 2, started: 2, finished: 2, failed: 0, retries: 0 });
        });
      });
    });

    describe("calls of a task that reuses a waiting call", () => {
      let fillers: string[] = [];
      let waiting = "";
      let again = "";
      let later = "";

      beforeAll(async () => {
        const { truth } = world();
        fillers = [];
        for (let at = 0; at < 8; at++) fillers.push(await holds("fills", { name: "filled" }));
        waiting = await world().call("registered_once", { name: "reused" });
        again = await world().call("registered_once", { name: "reused" });
        truth.open("filled");
        await truth.until({ what: "waits", invocation: waiting });
        later = await world().call("registered_once", { name: "reused" });
        await truth.until({ what: "waits", invocation: later });
        truth.open("reused");
        for (const id of [waiting, later]) await world().untilStatus(id, "success");
      });

      it("the second call is the waiting invocation, and a call made while that runs is a new one", () => {
        expect(again).toBe(waiting);
        expect(later).not.toBe(waiting);
        expect([waiting, later].map(begun)).toEqual([1, 1]);
      });

      it("the list has two invocations of the call, both with success", async () => {
        const { invocations } = await world().monitor.json<{
          invocations: { invocation_id: string; status: string }[];
        }>(...["invocations", "--task", "limited.registered_once"]);
        expect(invocations.map(({ invocation_id, status }) => [invocation_id, status])).toEqual([
          [later, "success"],
          [waiting, "success"],
        ]);
      });
    });

    describe("after all of these calls", () => {
      it("a list by status has exactly the dropped calls", async () => {
        const { invocations } = await world().monitor.json<{ invocations: { invocation_id: string }[] }>(
          ...["invocations", "--status", "concurrency_controlled_final"],
        );
        const called = world()
          .truth.all({ what: "calls" })
          .map(({ id }) => String(id));
        const never = [...new Set(called)].filter((id) => begun(id) === 0);
        expect(never).toHaveLength(3);
        expect(invocations.map(({ invocation_id }) => invocation_id).sort()).toEqual(never.sort());
      });

      it("dropped calls do not count as failures", async () => {
        const { monitor } = world();
        expect(await monitor.json("failures", "--since", "1h")).toMatchObject({ total: 0, groups: [] });
        expect((await monitor.run(["check", "--max-failed", "0", "--since", "1h"])).code).toBe(0);
        expect(await monitor.text("why")).toContain("Nothing looks wrong");
      });
    });
  },
);
