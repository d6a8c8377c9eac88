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

const PAUSING = { PYNENC__RUNNER_CLS: "PausingRunner" };

/** Seconds that the writes of pynenc around a step may take on a busy machine. */
const AROUND = 3;

scenario(
  {
    story: "Parents are paused while their children run, and their runner dies at the end",
    app: "nested",
    settings: RECOVERY_ONCE,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let runner: LabRunner;
    let top = "";
    let middle = "";
    let bottom = "";

    /** When a task reported something. */
    const at = (what: string, invocation: string): number => world().truth.all({ what, invocation })[0]?.at ?? 0;

    beforeAll(async () => {
      const { truth } = world();
      runner = world().runner({ threads: 2, env: PAUSING });
      await world().recovered();
      top = await world().call("grandparent", { name: "order" });
      middle = String((await truth.until({ what: "called", invocation: top })).child);
      bottom = String((await truth.until({ what: "called", invocation: middle })).child);
      await truth.until({ what: "waits", invocation: bottom });
      for (const id of [top, middle]) await world().untilStatus(id, "paused");
    });

    describe("while the last child runs", () => {
      it("the parents are paused on the runner that runs the child", async () => {
        const { monitor } = world();
        const all = [];
        for (const id of [top, middle, bottom]) all.push(await detail(monitor, id));
        expect(all.map(({ status }) => status)).toEqual(["paused", "paused", "running"]);
        expect(new Set(all.map(({ owner }) => owner?.runner_id)).size).toBe(1);
        expect(all.map(({ waits_for }) => waits_for.map((one) => one.invocation_id))).toEqual([[middle], [bottom], []]);
      });

      it("monitor why leads from the first parent to the running child", async () => {
        const found = await whyEverywhere(world().monitor, top);
        expect(found.verdict?.code).toBe("waits_for_invocation");
        expect(named(found.verdict as Verdict)).toEqual([middle, bottom]);
        expect(found.verdict?.detail).toContain(`${bottom.slice(0, 8)} (nested.leaf), 2 waits away, running`);
        const paused = epoch(found.verdict?.since);
        expect(paused).toBeGreaterThan(at("called", top) - 1);
        expect(paused).toBeLessThan(at("called", top) + AROUND);
      });

      it("the critical path of the first parent so far ends with the ongoing run of the child", async () => {
        const { critical_path } = await why(world().monitor, top);
        const { segments, ongoing } = critical_path as unknown as {
          ongoing: boolean;
          segments: { invocation_id: string; phase: string; link: string | null; waited_by: string | null }[];
        };
        expect(ongoing).toBe(true);
        expect(segments.at(-1)).toMatchObject({ invocation_id: bottom, phase: "running", waited_by: middle });
      });

      it("there is no verdict: a pool that gives its slots back is not deadlocked", async () => {
        const { monitor } = world();
        expect(await appVerdicts(monitor)).toEqual([]);
        expect((await monitor.run(["check"])).code).toBe(0);
      });

      it("monitor status counts two paused invocations and one running", async () => {
        const { statuses } = await world().monitor.json<{ statuses: Record<string, number> }>("status");
        expect(statuses).toMatchObject({ paused: 2, running: 1, registered: 0, pending: 0 });
      });
    });

    describe("after all invocations have ended", () => {
      beforeAll(async () => {
        world().truth.open("order");
        for (const id of [bottom, middle, top]) await world().untilStatus(id, "success");
      });

      it("a parent was paused from its call until its child had ended, and running otherwise", async () => {
        for (const [id, child] of [
          [top, middle],
          [middle, bottom],
        ] as const) {
          const { phases } = await detail(world().monitor, id);
          const paused = at("returns", child) - at("called", id);
          expect(Math.abs(secondsIn(phases, "paused") - paused)).toBeLessThan(AROUND);
          const ran = at("returns", id) - at("begins", id) - paused;
          expect(secondsIn(phases, "running")).toBeLessThan(ran + AROUND);
          expect(phases.every(({ ongoing }) => !ongoing)).toBe(true);
          expect(phases.find(({ phase }) => phase === "paused")?.stretches).toBe(1);
        }
      });

      it("the critical path of the first parent leads through both calls, mostly through the run of the last", async () => {
        const { truth, monitor } = world();
        const { critical_path } = await why(monitor, top);
        const path = critical_path as NonNullable<Why["critical_path"]>;
        expect(path).toMatchObject({ complete: true, ongoing: false });
        const share = path.shares.find(({ invocation_id, phase }) => invocation_id === bottom && phase === "running");
        expect(share?.link).toBe("pause");
        expect(Math.abs((share?.duration_seconds ?? 0) - (at("returns", bottom) - at("begins", bottom)))).toBeLessThan(
          AROUND,
        );
        expect(path.shares[0]).toEqual(share);
        const sum = path.shares.reduce((total, { duration_seconds }) => total + duration_seconds, 0);
        expect(sum).toBeCloseTo(path.duration_seconds, 3);
        const called = truth.all({ what: "calls", id: top })[0]?.at ?? 0;
        expect(Math.abs(path.duration_seconds - (at("returns", top) - called))).toBeLessThan(AROUND);
      });

      it("the critical path has no run of the first parent while that was paused", async () => {
        const { critical_path } = await why(world().monitor, top);
        const own = critical_path?.shares.find((one) => one.invocation_id === top && one.phase === "running");
        const alone = at("returns", top) - at("begins", top) - (at("returns", middle) - at("called", top));
        expect(own?.duration_seconds ?? 0).toBeLessThan(alone + AROUND);
      });

      it("monitor why does not say that the first parent spent most of its time running", async () => {
        const { verdict } = await whyEverywhere(world().monitor, top);
        expect(verdict).toMatchObject({ code: "ended_well", severity: "info" });
        expect(verdict?.detail).not.toContain("it was running");
      });

      it("no invocation waits for another, and there is no verdict", async () => {
        const { monitor } = world();
        for (const id of [top, middle, bottom]) expect((await detail(monitor, id)).waits_for).toEqual([]);
        expect(await appVerdicts(monitor)).toEqual([]);
      });

      it("statistics count pauses and work separately", async () => {
        const { rows } = await world().monitor.json<{
          rows: { task_id_key: string; paused_seconds: number; busy_seconds: number; run: { max: number } }[];
        }>("stats", "--since", "1h");
        const row = rows.find(({ task_id_key }) => task_id_key === "nested.grandparent");
        const paused = at("returns", middle) - at("called", top);
        expect(Math.abs((row?.paused_seconds ?? 0) - paused)).toBeLessThan(AROUND);
        expect(row?.busy_seconds).toBeLessThan(at("returns", top) - at("begins", top) - paused + AROUND);
      });
    });

    describe("a parent with two children of which one ends later", () => {
      let both = "";
      let early = "";
      let late = "";
      let between: Fact;

      beforeAll(async () => {
        const { truth } = world();
        both = await world().call("of_two", { first: "early", second: "late" });
        early = String((await truth.until({ what: "called", invocation: both })).child);
        late = String((await truth.until({ what: "called", invocation: both }, 2)).child);
        for (const id of [early, late]) await truth.until({ what: "waits", invocation: id });
        truth.open("early");
        await world().untilStatus(early, "success");
        between = truth.note("one has ended");
      });

      it("waits for the later child alone while that runs", async () => {
        const { monitor } = world();
        await world().untilStatus(both, "paused");
        const found = await whyEverywhere(monitor, both);
        expect(named(found.verdict as Verdict)).toContain(late);
        expect(named(found.verdict as Verdict)).not.toContain(early);
      });

      it("has a critical path that ends with the later child", async () => {
        const { truth, monitor } = world();
        truth.open("late");
        await world().untilStatus(both, "success");
        const { critical_path } = await why(monitor, both);
        const ran = critical_path?.shares.find((one) => one.invocation_id === late && one.phase === "running");
        expect(ran?.duration_seconds ?? 0).toBeGreaterThan(at("returns", late) - between.at - 1);
      });
    });

    describe("when the runner of a paused parent dies", () => {
      let orphan = "";
      let child = "";
      let killed: Fact;
      let verdict: Verdict;

      beforeAll(async () => {
        const { truth, monitor } = world();
        orphan = await world().call("parent", { name: "orphan" });
        child = String((await truth.until({ what: "called", invocation: orphan })).child);
        await truth.until({ what: "waits", invocation: child });
        await world().untilStatus(orphan, "paused");
        await runner.kill();
        killed = await truth.until({ what: "kills" });
        verdict = await comesToSay(monitor, "paused_on_dead_runner");
      });

      it("a verdict says that the parent is paused on a runner without a heartbeat, since the last heartbeat", () => {
        expect(verdict).toMatchObject({ severity: "error", count: 1 });
        expect(verdict.sentence).toBe("1 invocation paused on a silent runner");
        expect(named(verdict)).toEqual([orphan]);
        expect(epoch(verdict.since)).toBeLessThanOrEqual(killed.at);
        expect(epoch(verdict.since)).toBeGreaterThan(killed.at - 2 * AROUND);
      });

      it("another verdict says that the child is running on that runner, and there is no third", async () => {
        const verdicts = await appVerdicts(world().monitor);
        expect(verdicts.map(({ code }) => code)).toEqual(["running_on_dead_runner", "paused_on_dead_runner"]);
        expect(named(verdicts[0] as Verdict)).toEqual([child]);
      });

      it("the verdict on the parent says that recovery does not reroute it, and suggests a rerun", async () => {
        expect(verdict.detail).toContain("Recovery skips paused invocations");
        expect((await whyEverywhere(world().monitor, orphan)).verdict?.code).toBe("paused_on_dead_runner");
      });
    });
  },
);
