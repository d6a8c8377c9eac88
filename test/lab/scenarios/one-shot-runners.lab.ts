import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import type { StatusReport } from "../../../src/api/health.ts";
import type { RunnerList } from "../../../src/api/runners.ts";
import type { Stats, StatsRow } from "../../../src/api/stats.ts";
import type { Timeline } from "../../../src/api/timeline.ts";
import { appVerdicts, type Verdict, type Why, whyEverywhere } from "../asked.ts";
import { scenario } from "../scenario.ts";
import type { Fact } from "../truth.ts";

/** More than the 500 invocations that a timeline draws one by one unless told otherwise, and than the 100 rows of a list; half a minute of work. */
const SHOTS = 600;

/** Milliseconds for them: each writes more slowly to a server than to a file. */
const LONG_STORY = 900_000;

/** Seconds after which a runner counts as silent, in the settings of the lab. pynenc keeps no record that a runner ended in order. */
const DEAD_AFTER = 12;

/** What timelines are asked for here, and the least share of a window that is drawn in a lane which cannot show everything: two pixels. */
const HOUR = 3_600;
const PIXELS = 1 / 600;

/** Most bars that a timeline draws. */
const ALL_BARS = ["--limit", "5000"];

scenario(
  {
    story: `${SHOTS} runners one after the other run one call each, and end in order`,
    // Without the recovery, whose runs would have no runner of their own. Any text but an empty one counts as true.
    settings: {
      PYNENC__CONFIGTRIGGER__ENABLE_SCHEDULER: "",
      PYNENC__RUNNER_LOOP_SLEEP_TIME_SEC: "0.01",
      PYNENC__LOGGING_LEVEL: "error",
    },
  },
  (world) => {
    /** How many runners the program counted as active just after the last one had ended, and the time when it was asked and answered. */
    let justAfter: { active: number; from: number; to: number };
    let verdictsJustAfter: Verdict[];
    /** One for each runner, by the clock of the lab when it had ended. */
    let ended: Fact[];

    beforeAll(async () => {
      const { monitor, truth } = world();
      await world().program("one_shot.py", String(SHOTS));
      const from = Date.now() / 1000;
      const { runners } = await monitor.json<StatusReport>("status");
      justAfter = { active: runners.active, from, to: Date.now() / 1000 };
      verdictsJustAfter = await appVerdicts(monitor);
      ended = truth.all({ what: "ended" }).filter(({ runner }) => runner !== undefined);
      while ((await monitor.http<RunnerList>("/runners/")).active > 0) await sleep(500);
      truth.note("no runner is active");
    }, LONG_STORY);

    const runnerOf = (fact: Fact | undefined) => String(fact?.runner);
    /** What a command prints for people, notes included. */
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await world().monitor.run(args);
      expect(code).toBe(0);
      return `${stdout}${stderr}`;
    };
    const timeline = (...flags: string[]) => world().monitor.json<Timeline>("timeline", "--since", "1h", ...flags);

    it("each runner is a new one and runs its own call once", () => {
      expect(ended).toHaveLength(SHOTS);
      expect(new Set(ended.map(runnerOf)).size).toBe(SHOTS);
      const began = world()
        .truth.all({ what: "begins", task: "ok" })
        .map(({ invocation }) => invocation);
      expect(began).toEqual(ended.map(({ invocation }) => invocation));
    });

    it("right after the last runner, exactly those with a recent heartbeat count as active", () => {
      const { active, from, to } = justAfter;
      // Each of them sent its heartbeat after the one before it had ended, and before it ended itself.
      const atLeast = ended.filter(({ at }) => at > to - DEAD_AFTER).length - 1;
      const atMost = ended.filter(({ at }) => at > from - DEAD_AFTER).length;
      expect(active).toBeGreaterThanOrEqual(atLeast);
      expect(active).toBeLessThanOrEqual(atMost);
    });

    it("right after the last runner, the only verdict is that there are too many runners for a time slot each", () => {
      // True for pynenc too, which counts them as active: none of them could have started the atomic service.
      expect(verdictsJustAfter.filter(({ code }) => code !== "invalid_slots")).toEqual([]);
      expect(verdictsJustAfter.filter(({ severity }) => severity === "error")).toEqual([]);
    });

    it("later there is no verdict in why, check, doctor and for an assistant", async () => {
      const { monitor } = world();
      expect(await appVerdicts(monitor)).toEqual([]);
      expect((await monitor.json<Why>("why")).verdict).toBeNull();
      expect((await monitor.tool<Why>("why")).verdict).toBeNull();
      expect((await monitor.run(["check", "--max-failed", "0%", "--since", "1h"])).code).toBe(0);
      expect((await monitor.run(["doctor"])).code).toBe(0);
    });

    it("monitor status counts no active runner and every call as a success", async () => {
      const { invocations, queue, runners, statuses } = await world().monitor.json<StatusReport>("status");
      expect(runners.active).toBe(0);
      expect(invocations).toBe(SHOTS);
      expect(statuses).toMatchObject({ success: SHOTS, registered: 0, pending: 0, running: 0, failed: 0 });
      expect(queue.waiting).toBe(0);
    });

    it("monitor runners lists none by default but counts the known ones, and with --all lists exactly those", async () => {
      const { monitor } = world();
      expect((await monitor.json<RunnerList>("runners")).runners).toEqual([]);
      expect(await said("runners")).toContain("No runner is active.");
      const listed: RunnerList["runners"] = [];
      for (let page = 1; ; page += 1) {
        const one = await monitor.json<RunnerList>("runners", "--all", "--limit", "250", "--page", String(page));
        listed.push(...one.runners);
        if (!one.page.has_next) break;
      }
      const threads = listed.filter(({ name }) => name.runner_cls === "ThreadRunner");
      expect(threads.map(({ runner_id }) => runner_id).sort()).toEqual(ended.map(runnerOf).sort());
      expect(listed.filter(({ active }) => active)).toEqual([]);
    });

    it("the page of runners shows none as active and reports no problem", async () => {
      const page = await world().monitor.page("/runners/");
      expect(page).toContain("No runner is active");
      expect(page).not.toMatch(/silent runner|counts? as silent|warning:|error:/i);
    });

    it("monitor show and the list of invocations of a runner have the one call that it ran", async () => {
      const { monitor } = world();
      for (const fact of [ended[0], ended[SHOTS / 2], ended[SHOTS - 1]]) {
        const text = await monitor.text("show", runnerOf(fact));
        expect(text).toContain("ThreadRunner");
        expect(text).toContain(String(fact?.invocation));
        const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>(
          ...["invocations", "--runner", runnerOf(fact)],
        );
        expect(invocations.map(({ invocation_id }) => invocation_id)).toEqual([fact?.invocation]);
        const page = await monitor.page(`/runners/${runnerOf(fact)}`);
        expect(page).toContain(String(fact?.invocation).slice(0, 8));
      }
    });

    it("monitor why calls a runner that has ended silent, as information and not as a problem", async () => {
      const { verdict, others } = await whyEverywhere(world().monitor, runnerOf(ended[7]));
      expect(others).toEqual([]);
      expect(verdict).toMatchObject({ code: "runner_silent", severity: "info" });
      expect(verdict?.sentence).not.toMatch(/killed|crashed|has died/);
    });

    it("a timeline with room for all has a bar for every call, on the runner that ran it", async () => {
      const { counts, density, invocations, runners } = await timeline(...ALL_BARS);
      const ranOn = new Map(
        invocations.flatMap(({ invocation_id, entries }) =>
          entries.filter(({ status }) => status === "running").map(({ runner_id }) => [invocation_id, runner_id]),
        ) as [string, string | null][],
      );
      expect(ended.filter((fact) => ranOn.get(String(fact.invocation)) !== fact.runner)).toEqual([]);
      expect(density).toBeNull();
      expect(counts.invocations).toEqual({ total: SHOTS, drawn: SHOTS });
      const lanes = new Set(runners.map(({ runner_id }) => runner_id));
      expect(ended.filter((fact) => !lanes.has(runnerOf(fact)))).toEqual([]);
    });

    it("the timeline of one runner has its one call and no other", async () => {
      const fact = ended[SHOTS - 2];
      const { invocations, notes } = await timeline("--runner", runnerOf(fact));
      expect(invocations.map(({ invocation_id }) => invocation_id)).toEqual([fact?.invocation]);
      expect(invocations[0]?.entries.map(({ status }) => status)).toEqual(
        "registered pending running success".split(" "),
      );
      expect(notes.filter((note) => note.includes("are drawn"))).toEqual([]);
    });

    it("a timeline with the default limit counts every status change, also those that it does not draw", async () => {
      const { counts, density, notes, options } = await timeline();
      expect(options.limit).toBeLessThan(SHOTS);
      const { total, drawn } = counts.invocations;
      expect(total).toBe(SHOTS);
      // Each call has four entries.
      expect(counts.changes).toMatchObject({ total: 4 * SHOTS, exact: true });
      const counted = (density?.totals ?? []).reduce((sum, one) => sum + one, 0);
      expect(counted).toBe(counts.changes.total - counts.changes.drawn);
      expect(notes.join(" ")).toContain(`Showing the longest ${drawn} of ${total} invocations`);
      expect(await said("timeline", "--since", "1h")).toContain(`Showing the longest ${drawn} of ${total} invocations`);
    });

    it("a timeline with the default limit draws at most the calls that are two pixels wide, and a lane for each runner", async () => {
      // From the end of the runner before it until its own: each call took less than that.
      const wide = ended.filter(({ at }, index) => at - (ended[index - 1]?.at ?? at) > PIXELS * HOUR);
      const { counts, runners } = await timeline();
      expect(counts.invocations.drawn).toBeLessThanOrEqual(wide.length);
      const lanes = new Set(runners.map(({ runner_id }) => runner_id));
      expect(ended.filter((fact) => !lanes.has(runnerOf(fact)))).toEqual([]);
    });

    it("a timeline of the seconds in which a tenth of the calls ran draws exactly these calls", async () => {
      const [before, first, last] = [ended[SHOTS / 2 - 1], SHOTS / 2, SHOTS / 2 + SHOTS / 10];
      const iso = (fact?: Fact) => new Date((fact?.at ?? 0) * 1000).toISOString();
      const span = ["--since", iso(before), "--until", iso(ended[last - 1])];
      const { counts, density, invocations } = await world().monitor.json<Timeline>("timeline", ...span);
      const ran = ended.slice(first, last).map(({ invocation }) => String(invocation));
      expect(invocations.map(({ invocation_id }) => invocation_id).sort()).toEqual(ran.sort());
      expect(counts.invocations).toEqual({ total: ran.length, drawn: ran.length });
      expect(density).toBeNull();
    });

    it("monitor stats by runner has one finished call for every runner, and says if it lists only some", async () => {
      const { monitor } = world();
      const { rows, total } = await monitor.json<Pick<Stats, "total"> & { rows: StatsRow[] }>(
        "stats",
        "--by",
        "runner",
        "--limit",
        "1000",
      );
      const finished = new Map(rows.map((row) => [row.runner_id, row.finished]));
      expect(ended.filter((fact) => finished.get(runnerOf(fact)) !== 1)).toEqual([]);
      expect(total).toMatchObject({ finished: SHOTS, failed: 0 });
      expect(await said("stats", "--by", "runner")).toContain(`The first 100 of ${SHOTS} rows are listed`);
    });

    it("monitor stats by task counts each call once, and a busy time below the time of the whole program", async () => {
      const { truth, monitor } = world();
      const { rows } = await monitor.json<{ rows: StatsRow[] }>("stats");
      const row = rows.find(({ task_id_key }) => task_id_key === "work.ok");
      expect(row).toMatchObject({ registered: SHOTS, finished: SHOTS, failed: 0, retries: 0 });
      const [start] = truth.all({ what: "runs a program" });
      const [end] = truth.all({ what: "the program has ended" });
      expect(row?.busy_seconds).toBeGreaterThan(0);
      expect(row?.busy_seconds).toBeLessThan((end?.at ?? 0) - (start?.at ?? 0));
    });
  },
);
