import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { Trace } from "../../../src/api/causes.ts";
import type { EventList } from "../../../src/api/events.ts";
import type { TriggerRunList } from "../../../src/api/trigger-runs.ts";
import type { TriggerList, TriggerRow } from "../../../src/api/triggers.ts";
import type { WhyAnswer } from "../../../src/api/why.ts";
import { epoch, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";

/** How often each task must have been started, and by what kind of cause. */
const STARTED = [
  { task: "on_event", kind: "event", times: 2 },
  { task: "on_event_of_eu", kind: "event", times: 1 },
  { task: "on_status", kind: "status", times: 1 },
  { task: "on_result", kind: "result", times: 1 },
  { task: "on_exception", kind: "exception", times: 1 },
];

scenario(
  {
    story: "Events, statuses, results, exceptions and a schedule start tasks, and one trigger is half met",
    app: "triggered",
    core: true,
    also: [
      ["sqlite", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let good = "";
    let bad = "";
    let us = "";
    let eu = "";
    let half = "";
    let unheard = "";

    const emit = (code: string, payload: Record<string, string>) => world().emit(code, payload);

    beforeAll(async () => {
      const { truth } = world();
      world().runner({ threads: 2 });
      // A schedule that has never come true runs at once: triggers are registered then.
      await truth.until({ what: "returns", task: "on_cron" });
      good = await world().call("source", { order: "ORD-1" });
      bad = await world().call("source", { order: "bad-1" });
      us = await emit("order.created", { order: "ORD-US", region: "us" });
      eu = await emit("order.created", { order: "ORD-EU", region: "eu" });
      half = await emit("stock.checked", { order: "ORD-EU" });
      unheard = await emit("nobody.listens", {});
      for (const { task, times } of STARTED) {
        const { invocation } = await truth.until({ what: "returns", task }, times);
        await world().untilStatus(String(invocation), "success");
      }
    });

    /** What really began of a task. */
    const began = (task: string) =>
      world()
        .truth.all({ what: "begins", task })
        .map(({ invocation }) => String(invocation));
    /** What began of a task with this order. */
    const beganWith = (task: string, order: string) =>
      world()
        .truth.all({ what: "begins", task })
        .filter(({ kwargs }) => (kwargs as { order?: string }).order === order)
        .map(({ invocation }) => String(invocation));
    const runsOf = async (...flags: string[]) =>
      (await world().monitor.json<TriggerRunList>("trigger-runs", ...flags)).trigger_runs;
    const triggerOf = async (task: string): Promise<TriggerRow | undefined> => {
      const { tasks } = await world().monitor.json<TriggerList>("triggers");
      return tasks.find(({ task_id_key }) => task_id_key === `triggered.${task}`)?.triggers[0];
    };

    it.each(STARTED)(
      "the trigger runs of $task are those that really started it, with $kind as their cause",
      async ({ task, kind, times }) => {
        expect(began(task)).toHaveLength(times);
        const runs = await runsOf("--task", `triggered.${task}`);
        expect(runs.map((run) => run.triggered_invocation?.invocation_id).sort()).toEqual(began(task).sort());
        for (const run of runs) expect(run.causes.map((cause) => cause.kind)).toEqual([kind]);
      },
    );

    it("each trigger run names the event or the invocation that caused it", async () => {
      const [ofStatus] = await runsOf("--task", "triggered.on_status");
      const [ofResult] = await runsOf("--task", "triggered.on_result");
      const [ofException] = await runsOf("--kind", "exception");
      expect(ofStatus?.causes[0]).toMatchObject({ source_invocation_id: good, status: "success" });
      expect(ofResult?.causes[0]).toMatchObject({ source_invocation_id: good });
      expect(ofException?.causes[0]).toMatchObject({ source_invocation_id: bad, exception_type: "ValueError" });
      const [ofEvent] = await runsOf("--task", "triggered.on_event_of_eu");
      expect(ofEvent?.causes[0]).toMatchObject({ event_id: eu, event_code: "order.created" });
    });

    it("an event that only the unfiltered trigger accepts meets one of two conditions and starts one task", async () => {
      const { verdict, chain } = await world().monitor.json<WhyAnswer>("why", us);
      expect(verdict).toMatchObject({ code: "event_started_something", sentence: "It led to 1 invocation." });
      expect(verdict?.evidence).toMatchObject([{ kind: "invocation", id: beganWith("on_event", "ORD-US")[0] }]);
      const said = chain.map(({ sentence }) => sentence);
      expect(said).toContain("event order.created: met");
      expect(said).toContain('event order.created with region = "eu": not recorded as met');
    });

    it("an event that both triggers accept starts both tasks, in why, on its page and for an assistant", async () => {
      const { monitor } = world();
      const started = [...beganWith("on_event", "ORD-EU"), ...beganWith("on_event_of_eu", "ORD-EU")];
      const { verdict } = await whyEverywhere(monitor, eu);
      expect(started).toHaveLength(2);
      expect(verdict?.evidence.map(({ id }) => id).sort()).toEqual([...started].sort());
      const page = await monitor.page(`/events/${eu}`);
      for (const id of started) expect(page).toContain(id.slice(0, 8));
    });

    it("the trace of an event has exactly the trigger runs and invocations that followed from it", async () => {
      const { monitor } = world();
      const trace = await monitor.json<Trace>("trace", eu);
      const started = [...beganWith("on_event", "ORD-EU"), ...beganWith("on_event_of_eu", "ORD-EU")].sort();
      expect(trace.invocations.map(({ invocation_id }) => invocation_id).sort()).toEqual(started);
      expect(trace.trigger_runs.map(({ triggered_invocation_id }) => triggered_invocation_id).sort()).toEqual(started);
      expect(trace.edges.filter(({ kind }) => kind === "event")).toHaveLength(2);
      expect(trace.edges.filter(({ kind }) => kind === "trigger")).toHaveLength(2);
      expect((await monitor.tool<Trace>("trace", { id: eu })).edges).toEqual(trace.edges);
    });

    it("the trace upwards from a started invocation leads to what caused it", async () => {
      const { monitor } = world();
      const [onStatus = ""] = began("on_status");
      const [onException = ""] = began("on_exception");
      for (const [id, cause] of [
        [onStatus, good],
        [onException, bad],
      ] as const) {
        const { roots } = await monitor.json<Trace>("trace", id, "--direction", "up");
        expect(roots).toEqual([{ kind: "invocation", id: cause }]);
      }
    });

    it("the family tree of an invocation that met two conditions has both tasks that it started", async () => {
      const { monitor } = world();
      const text = await monitor.text("tree", good);
      expect(text).toContain("by its status triggered.on_status");
      expect(text).toContain("by its result triggered.on_result");
      expect(text).not.toContain("on_exception");
      expect(await monitor.text("tree", bad)).toContain("by its exception triggered.on_exception");
    });

    it("monitor why names the missing condition for an event that meets one of two", async () => {
      const { monitor } = world();
      const { verdict } = await whyEverywhere(monitor, half);
      expect(verdict).toMatchObject({ code: "trigger_waits", severity: "info" });
      expect(verdict?.sentence).toContain("the trigger of triggered.on_both also needs: event payment.received");
      expect(began("on_both")).toEqual([]);
    });

    it("monitor triggers shows one of two conditions as met since that event, and the other as missing", async () => {
      const emitted = world().truth.made(half);
      const waiting = (await triggerOf("on_both"))?.waiting;
      expect(waiting).toMatchObject({ state: "waiting", met: 1, of: 2, missing_count: 1 });
      expect(waiting?.missing.map(({ sentence }) => sentence)).toEqual(["event payment.received"]);
      expect(epoch(waiting?.since)).toBeGreaterThanOrEqual(emitted.from);
      expect(epoch(waiting?.since)).toBeLessThanOrEqual(emitted.to);
      const { pending } = await world().monitor.json<TriggerList>("triggers");
      const own = pending.rows.filter(({ triggers }) =>
        triggers.some((one) => one.task_id_key === "triggered.on_both"),
      );
      expect(own).toMatchObject([{ cause: { event_id: half }, triggers: [{ state: "waiting" }] }]);
      expect((await triggerOf("on_event"))?.waiting).toBeNull();
    });

    it("monitor why says of an event without a trigger that no condition watches for it", async () => {
      const { monitor } = world();
      const { verdict } = await monitor.json<WhyAnswer>("why", unheard);
      expect(verdict).toMatchObject({ code: "event_not_watched", severity: "info" });
      expect(verdict?.sentence).toContain("No registered trigger has a condition for nobody.listens");
      const trace = await monitor.json<Trace>("trace", unheard);
      expect([...trace.invocations, ...trace.trigger_runs, ...trace.edges]).toEqual([]);
      expect(await monitor.text("event", unheard)).toContain("met no condition");
    });

    it("monitor events lists all four events with what each met and started", async () => {
      const { events } = await world().monitor.json<EventList>("events");
      expect(
        events.map((event) => [event.event_id, event.matched_conditions, event.triggered_invocations_count]),
      ).toEqual([
        [unheard, 0, 0],
        [half, 1, 0],
        [eu, 2, 2],
        [us, 1, 1],
      ]);
    });

    it("the schedule's next time is the next full minute, and every recorded run of it really began", async () => {
      const asked = Date.now() / 1000;
      const row = await triggerOf("on_cron");
      const answered = Date.now() / 1000;
      const next = Date.parse(row?.next_time ?? "") / 1000;
      expect(next % 60).toBe(0);
      expect(next).toBeGreaterThan(asked - 1);
      expect(next).toBeLessThanOrEqual(answered + 60);
      const before = began("on_cron");
      const runs = await runsOf("--task", "triggered.on_cron");
      const recorded = runs.map((run) => String(run.triggered_invocation?.invocation_id));
      expect(recorded).toEqual(expect.arrayContaining(before));
      for (const id of recorded) await world().truth.until({ what: "begins", invocation: id });
      for (const run of runs) expect(run.causes.map(({ kind }) => kind)).toEqual(["cron"]);
    });

    it("there is no verdict while a trigger waits for its second condition", async () => {
      const { monitor } = world();
      const { verdict, others } = await monitor.json<WhyAnswer>("why");
      // A schedule may be said to be overdue: the scenario below.
      const codes = [verdict, ...others].flatMap((one) => one?.code ?? []);
      expect(codes.filter((code) => code !== "schedule_overdue")).toEqual([]);
      expect((await monitor.run(["check"])).code).toBe(0);
    });

    it("the exact name of a function is taken for its task, although another name begins with it", async () => {
      const { code, stdout } = await world().monitor.run(["why", "on_event"]);
      expect(code).toBe(0);
      expect(stdout).toContain("task  triggered.on_event");
    });

    it("monitor why names the event that the trigger of a task is waiting for", async () => {
      const text = await world().monitor.text("why", "on_both");
      expect(text).toContain("payment.received");
    });

    describe("after the second event of a trigger with two conditions", () => {
      let second = "";

      beforeAll(async () => {
        second = await emit("payment.received", { order: "ORD-EU" });
        const { invocation } = await world().truth.until({ what: "returns", task: "on_both" });
        await world().untilStatus(String(invocation), "success");
      });

      it("one trigger run names both events as its causes", async () => {
        const runs = await runsOf("--task", "triggered.on_both");
        expect(runs.map((run) => run.triggered_invocation?.invocation_id)).toEqual(began("on_both"));
        expect(runs[0]?.causes.map(({ event_id }) => event_id).sort()).toEqual([half, second].sort());
      });

      it("monitor why says that the first event helped to start the task, and no condition is pending", async () => {
        const { monitor } = world();
        const { verdict } = await monitor.json<WhyAnswer>("why", half);
        expect(verdict?.code).toBe("event_started_something");
        expect(verdict?.evidence.map(({ id }) => id)).toEqual(began("on_both"));
        expect((await triggerOf("on_both"))?.waiting).toBeNull();
        expect(await monitor.page(`/events/${half}`)).toContain(began("on_both")[0]?.slice(0, 8));
      });

      it("the trace upwards from the task has both events as its roots", async () => {
        const { roots } = await world().monitor.json<Trace>("trace", began("on_both")[0] ?? "", "--direction", "up");
        expect(roots.map(({ id }) => id).sort()).toEqual([half, second].sort());
      });
    });
  },
);

/** pynenc's default of `min_interval_seconds`: a schedule that came true less long ago does not come true again. */
const SHORTEST_INTERVAL = 50;

scenario(
  {
    story: "A schedule of every minute came true shortly before a full minute, so that it skips this one",
    app: "triggered",
    also: [
      ["sqlite", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    const codes = new Set<string>();
    let started = 0;
    let second = 0;

    beforeAll(async () => {
      const { truth } = world();
      // It has to come true in the second half of a minute: else it may come true again at the next full one.
      while (new Date().getSeconds() < 25 || new Date().getSeconds() > 50) await sleep(100);
      world().runner({ threads: 2 });
      started = (await truth.until({ what: "starts a runner" })).at;
      await truth.until({ what: "begins", task: "on_cron" });
      while (truth.all({ what: "begins", task: "on_cron" }).length < 2) {
        const { verdict, others } = await world().monitor.http<WhyAnswer>("/why");
        for (const one of [verdict, ...others]) if (one !== null) codes.add(one.code);
        await sleep(500);
      }
      second = (await truth.until({ what: "begins", task: "on_cron" }, 2)).at;
    });

    it("a schedule runs again only after its shortest interval", () => {
      // It came true for the first time after the runner was started.
      expect(second).toBeGreaterThanOrEqual(started + SHORTEST_INTERVAL);
      expect(Math.floor(started / 60)).toBeLessThan(Math.floor(second / 60));
    });

    it("the only verdict meanwhile is an overdue schedule", () => {
      expect([...codes].filter((code) => code !== "schedule_overdue")).toEqual([]);
    });

    it("the schedule is not called overdue before it may run", async () => {
      expect([...codes]).not.toContain("schedule_overdue");
    });

    it("there is no verdict afterwards, and the next time is a full minute", async () => {
      const { tasks } = await world().monitor.json<TriggerList>("triggers");
      const row = tasks.find(({ task_id_key }) => task_id_key === "triggered.on_cron")?.triggers[0];
      expect((Date.parse(row?.next_time ?? "") / 1000) % 60).toBe(0);
      expect((await world().monitor.run(["check"])).code).toBe(0);
    });

    it("the trigger runs of the schedule are the two times that it really ran", async () => {
      const { trigger_runs } = await world().monitor.json<TriggerRunList>(
        "trigger-runs",
        "--task",
        "triggered.on_cron",
      );
      const began = world().truth.all({ what: "begins", task: "on_cron" });
      expect(trigger_runs.map((run) => run.triggered_invocation?.invocation_id)).toEqual(
        began.map(({ invocation }) => invocation).reverse(),
      );
    });
  },
);
