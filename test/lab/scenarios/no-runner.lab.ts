import { beforeAll, describe, expect, it } from "vitest";
import type { AppCheck, StatusReport } from "../../../src/api/health.ts";
import type { InvocationList } from "../../../src/api/invocations.ts";
import type { WhyAnswer } from "../../../src/api/why.ts";
import { epoch, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";
import { RECOVERY_ONCE, type World } from "../world.ts";

const STORY = "Calls wait although no runner was ever started, and then one is started";

function tests(): (world: () => World) => void {
  return (world) => {
    const CALLS = 3;
    const ids: string[] = [];

    beforeAll(async () => {
      for (let number = 1; number <= CALLS; number += 1) {
        ids.push(await world().call("ok", { order: `ORD-${number}` }));
      }
    });

    it("the app's verdict is that messages wait without an active runner since the first call", async () => {
      const { verdict, others } = await world().monitor.json<WhyAnswer>("why");
      expect(verdict).toMatchObject({ code: "unconsumed_queue", severity: "error", count: CALLS });
      expect(verdict?.sentence).toBe(`${CALLS} messages waiting and no active runner`);
      expect(others).toEqual([]);
      // A queue in RabbitMQ says nothing of when its messages came.
      if (verdict?.since !== null) {
        const first = world().truth.made(ids[0] ?? "");
        expect(epoch(verdict?.since)).toBeGreaterThanOrEqual(first.from);
        expect(epoch(verdict?.since)).toBeLessThanOrEqual(first.to);
      }
    });

    it("monitor why, HTTP, an assistant, the dashboard and monitor top have the same verdict", async () => {
      const { monitor } = world();
      const { verdict } = await monitor.json<WhyAnswer>("why");
      expect((await monitor.http<WhyAnswer>("/why")).verdict).toEqual(verdict);
      expect((await monitor.tool<WhyAnswer>("why")).verdict).toEqual(verdict);
      expect(await monitor.page("/")).toContain(verdict?.sentence);
      expect(await monitor.text("top", "--once")).toContain(verdict?.sentence);
    });

    it("monitor status counts every call as registered", async () => {
      const { statuses, queue, runners, verdicts } = await world().monitor.json<StatusReport>("status");
      const { registered, ...others } = statuses;
      expect(registered).toBe(CALLS);
      expect(Object.values(others).every((count) => count === 0)).toBe(true);
      expect(queue.waiting).toBe(CALLS);
      expect(runners.active).toBe(0);
      expect(verdicts.map(({ code }) => code)).toEqual(["unconsumed_queue"]);
    });

    it("monitor why names for a waiting invocation the missing runner first, then that its message is in the queue", async () => {
      const { verdict, others, phases } = await world().monitor.json<WhyAnswer>("why", ids[1] ?? "");
      expect(verdict).toMatchObject({ code: "unconsumed_queue", severity: "error" });
      expect(others.map(({ code }) => code)).toEqual(["waits_for_runner"]);
      expect(phases).toMatchObject([{ phase: "queued", ongoing: true }]);
      // It has waited since the lab called it, and until the lab reads the answer.
      const waited = Date.now() / 1000 - world().truth.made(ids[1] ?? "").from;
      expect(phases?.[0]?.duration_seconds).toBeGreaterThan(0);
      expect(phases?.[0]?.duration_seconds).toBeLessThanOrEqual(waited);
    });

    it("check and doctor exit with 1 and print the verdict", async () => {
      const { monitor } = world();
      const sentence = `${CALLS} messages waiting and no active runner`;
      for (const command of ["check", "doctor"]) {
        const { code, stdout } = await monitor.run([command]);
        expect(code).toBe(1);
        expect(stdout).toContain(sentence);
      }
      expect((await monitor.json<AppCheck>("check")).ok).toBe(false);
    });

    it("monitor queue lists the waiting calls in the order in which they were called", async () => {
      const { messages, queue_peek } = await world().monitor.json<{
        queue_peek: boolean;
        messages: { invocation_id: string; place: number }[];
      }>("queue");
      // Messages of RabbitMQ cannot be listed without taking them.
      expect(messages.map(({ invocation_id }) => invocation_id)).toEqual(queue_peek ? ids : []);
      expect(messages.map(({ place }) => place)).toEqual(queue_peek ? [1, 2, 3] : []);
    });

    it("monitor runners lists no runner", async () => {
      const { monitor } = world();
      const { runners, active } = await monitor.json<{ runners: unknown[]; active: number }>("runners");
      expect(runners).toEqual([]);
      expect(active).toBe(0);
    });

    it("the program that made the calls does not count as a known runner", async () => {
      const { runners } = await world().monitor.json<StatusReport>("status");
      expect(runners.known).toBe(0);
    });

    it("the verdict names the command that starts a runner", async () => {
      const { verdict } = await world().monitor.json<WhyAnswer>("why");
      expect(verdict?.next.map(({ command }) => command).join("\n")).toContain("runner start");
    });

    describe("after a runner was started", () => {
      beforeAll(async () => {
        world().runner({ threads: 1 });
        for (const id of ids) await world().untilStatus(id, "success");
        await world().recovered();
      });

      it("every call has run exactly once, in the order of the calls", async () => {
        const begins = world().truth.all({ what: "begins", task: "ok" });
        expect(begins.map(({ invocation }) => invocation)).toEqual(ids);
        const { invocations } = await world().monitor.json<InvocationList>("invocations", "task:ok");
        expect(invocations.map(({ status }) => status)).toEqual(ids.map(() => "success"));
      });

      it("there is no verdict any more in why, check and doctor", async () => {
        const { monitor } = world();
        expect(await monitor.text("why")).toContain("Nothing looks wrong");
        expect(await monitor.run(["check"])).toMatchObject({ code: 0 });
        expect(await monitor.run(["doctor"])).toMatchObject({ code: 0 });
        expect((await monitor.json<WhyAnswer>("why")).verdict).toBeNull();
      });

      it("monitor why says that the longest part was the wait in the queue, and how long it was", async () => {
        const [id = ""] = ids;
        const begins = world().truth.all({ what: "begins", invocation: id })[0];
        const called = world().truth.made(id);
        const started = world().truth.all({ what: "starts a runner" })[0]?.at ?? Number.NaN;
        const { verdict, phases } = await world().monitor.json<WhyAnswer>("why", id);
        expect(verdict?.code).toBe("ended_well");
        expect(verdict?.detail).toContain("it was in the queue");
        const queued = phases?.find(({ phase }) => phase === "queued")?.duration_seconds ?? 0;
        expect(queued).toBeGreaterThanOrEqual(started - called.to);
        expect(queued).toBeLessThanOrEqual((begins?.at ?? 0) - called.from);
      });

      it("the queue is empty and has one consumer", async () => {
        const { queue, queues, runners } = await world().monitor.json<StatusReport>("status");
        expect(queue.waiting).toBe(0);
        expect(queues.every(({ active_consumers }) => active_consumers === 1)).toBe(true);
        expect(runners.active).toBe(1);
      });
    });
  };
}

scenario(
  {
    story: STORY,
    settings: RECOVERY_ONCE,
    core: true,
    also: [
      ["sqlite", "0.2.3"],
      ["sqlite", "0.3.1"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  tests(),
);

scenario({ story: STORY, settings: RECOVERY_ONCE, only: [["rabbitmq", "0.3.1"]] }, tests());

interface QueueList {
  messages: { invocation_id: string; place: number; queue_name: string; priority: number }[];
}

scenario(
  {
    story: "Calls wait in two queues, and the only runner takes from one of them",
    app: "queues",
    settings: { ...RECOVERY_ONCE, PYNENC__CONFIGBROKER__QUEUES: "default,slow" },
    core: true,
  },
  (world) => {
    const PRIORITIES: Readonly<Record<string, number>> = { urgent: 10, plain: 0, someday: -10 };
    const ids: Record<string, string[]> = { someday: [], plain: [], slow: [], urgent: [] };
    let shown: QueueList["messages"] = [];
    let nobody: WhyAnswer;
    let ofPlain: WhyAnswer;

    beforeAll(async () => {
      // The least urgent first, so that the order of the calls is not the order of the queue.
      for (const [task, called] of Object.entries(ids)) {
        for (const number of [1, 2]) called.push(await world().call(task, { order: `${task}-${number}` }));
      }
      const { monitor } = world();
      shown = (await monitor.json<QueueList>("queue")).messages;
      nobody = await monitor.json<WhyAnswer>("why");
      ofPlain = await monitor.json<WhyAnswer>("why", ids.plain?.[1] ?? "");
      world().runner({ threads: 1, env: { PYNENC__CONFIGRUNNER__QUEUES: "default" } });
      for (const task of Object.keys(PRIORITIES)) {
        for (const id of ids[task] ?? []) await world().untilStatus(id, "success");
      }
    });

    it("without any runner, one verdict covers both queues", () => {
      expect(nobody.verdict).toMatchObject({ code: "unconsumed_queue", severity: "error", count: 8 });
      expect(nobody.verdict?.evidence.map(({ id }) => id)).toEqual(["default", "slow"]);
      expect(nobody.others).toEqual([]);
    });

    it("monitor queue listed the messages in the order in which the runner then took them", () => {
      const taken = world()
        .truth.all({ what: "begins" })
        .map(({ invocation }) => invocation);
      expect(taken).toHaveLength(6);
      expect(shown.filter(({ queue_name }) => queue_name === "default").map((row) => row.invocation_id)).toEqual(taken);
      expect(shown.filter(({ queue_name }) => queue_name === "slow").map((row) => row.invocation_id)).toEqual(ids.slow);
    });

    it("monitor queue showed each message with the priority of its task", () => {
      for (const [task, priority] of Object.entries(PRIORITIES)) {
        const rows = shown.filter(({ invocation_id }) => ids[task]?.includes(invocation_id));
        expect(rows.map((row) => row.priority)).toEqual([priority, priority]);
      }
      expect(shown.map(({ place }) => place)).toEqual([1, 2, 3, 4, 5, 6, 1, 2]);
    });

    it("monitor why names the queue of a waiting call and its place there", async () => {
      const said = [ofPlain.verdict, ...ofPlain.others].map((verdict) => `${verdict?.sentence} ${verdict?.detail}`);
      const place = shown.find(({ invocation_id }) => invocation_id === ids.plain?.[1])?.place;
      expect(place).toBe(4);
      expect(said.join(" ")).toMatch(/queue default/);
      expect(said.join(" ")).toMatch(/\b(3|three)\b.*(ahead|before)/);
    });

    it("with a runner for one queue, the verdict is about the other queue, its messages and that runner", async () => {
      const { verdict, others } = await world().monitor.json<WhyAnswer>("why");
      expect(verdict).toMatchObject({ code: "unconsumed_queue", severity: "error", count: 2 });
      expect(verdict?.sentence).toBe("2 messages waiting in queue slow without a consumer");
      expect(verdict?.detail).toContain("1 runner active, but it takes from other queues");
      expect(verdict?.evidence).toMatchObject([{ kind: "queue", id: "slow" }]);
      expect(others).toEqual([]);
      const called = world().truth.made(ids.slow?.[0] ?? "");
      expect(epoch(verdict?.since)).toBeGreaterThanOrEqual(called.from);
      expect(epoch(verdict?.since)).toBeLessThanOrEqual(called.to);
    });

    it("monitor why has that verdict first on a call in the other queue, as do HTTP and an assistant", async () => {
      const { monitor } = world();
      const [id = ""] = ids.slow ?? [];
      const { verdict } = await whyEverywhere(monitor, id);
      expect(verdict).toMatchObject({ code: "unconsumed_queue", count: 2 });
      expect(await monitor.page(`/invocations/${id}`)).toContain(verdict?.sentence);
    });

    it("monitor why has no verdict on a call that ran from its queue", async () => {
      const { verdict, others } = await world().monitor.json<WhyAnswer>("why", ids.plain?.[0] ?? "");
      expect(verdict?.code).toBe("ended_well");
      expect(others).toEqual([]);
    });

    it("status, check and doctor count the waiting messages of each queue, and have the verdict", async () => {
      const { monitor } = world();
      const { queues } = await monitor.json<StatusReport>("status");
      expect(queues).toMatchObject([
        { queue_name: "default", active_consumers: 1 },
        { queue_name: "slow", waiting: 2, active_consumers: 0, health: "not_consumed", declared: true },
      ]);
      const { invocations } = await monitor.json<InvocationList>("invocations", "status:registered task:queues.*");
      expect(invocations.map(({ invocation_id }) => invocation_id).sort()).toEqual([...(ids.slow ?? [])].sort());
      for (const command of ["check", "doctor"]) {
        const { code, stdout } = await monitor.run([command]);
        expect(code).toBe(1);
        expect(stdout).toContain("2 messages waiting in queue slow");
      }
    });

    it("monitor runners shows the queue that the runner takes from", async () => {
      const { runners } = await world().monitor.json<{ runners: { consumed_queues: string[] }[] }>("runners");
      expect(runners.map(({ consumed_queues }) => consumed_queues)).toEqual([["default"]]);
    });

    it("there is no verdict any more once a runner takes from the other queue", async () => {
      world().runner({ threads: 1, env: { PYNENC__CONFIGRUNNER__QUEUES: "slow" } });
      for (const id of ids.slow ?? []) await world().untilStatus(id, "success");
      await world().recovered();
      const { monitor } = world();
      expect((await monitor.json<WhyAnswer>("why")).verdict).toBeNull();
      expect((await monitor.run(["check"])).code).toBe(0);
      const { queues } = await monitor.json<StatusReport>("status");
      expect(queues.map(({ active_consumers }) => active_consumers)).toEqual([1, 1]);
    });
  },
);
