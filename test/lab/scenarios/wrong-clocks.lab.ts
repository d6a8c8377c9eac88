import { beforeAll, describe, expect, it } from "vitest";
import type { StatusReport } from "../../../src/api/health.ts";
import type { InvocationDetail, InvocationList } from "../../../src/api/invocations.ts";
import type { RunnerList } from "../../../src/api/runners.ts";
import type { Failures, StatsRow } from "../../../src/api/stats.ts";
import type { Timeline } from "../../../src/api/timeline.ts";
import {
  appVerdicts,
  comesToSay,
  epoch,
  named,
  secondsIn,
  type Verdict,
  type Why,
  why,
  whyEverywhere,
} from "../asked.ts";
import { type Host, host } from "../hosts.ts";
import { scenario } from "../scenario.ts";
import type { Fact } from "../truth.ts";
import { RECOVERY_ONCE, type World } from "../world.ts";

/** Seconds that a report, and what pynenc writes around it, may take on a busy machine. */
const AROUND = 10;

/** Calls that end well, and that fail. */
const GOOD = 4;
const BAD = 2;

/** The only runner has to count as active, by whatever clock: silence is asked about in a scenario of its own. */
const PATIENT = { ...RECOVERY_ONCE, PYNENC__RUNNER_CONSIDERED_DEAD_AFTER_MINUTES: "10" };

/** Entries of a call that ended well. */
const WRITTEN = "registered pending running success".split(" ");

interface Calls {
  good: string[];
  bad: string[];
  /** Waits at a gate. */
  running: string;
  /** Waits for its child, which waits at a gate. */
  parent: string;
  child: string;
  /** Runs longer than a minute, by a search just after they began; null if the machine was too busy to ask in time. */
  long: string[] | null;
}

const ended = ({ good, bad }: Calls): string[] => [...good, ...bad];
const everything = (calls: Calls): string[] => [...ended(calls), calls.running, calls.parent, calls.child];

const detail = (world: World, id: string) => world.monitor.http<InvocationDetail>(`/invocations/${id}`);
const details = (world: World, ids: readonly string[]) => Promise.all(ids.map((id) => detail(world, id)));

/** What the task of an invocation reported. */
function fact(world: World, what: string, invocation: string): Fact {
  const [found] = world.truth.all({ what, invocation });
  if (found === undefined) throw new Error(`${invocation} did not report ${what}`);
  return found;
}

/** Seconds since the task of an invocation really began. */
const sinceItBegan = (world: World, id: string) => Date.now() / 1000 - fact(world, "begins", id).at;

async function found(world: World, query: string): Promise<string[]> {
  const { invocations } = await world.monitor.json<InvocationList>("invocations", query, "--limit", "200");
  return invocations.map(({ invocation_id }) => invocation_id);
}

/** The only runner is on this host and works for a client whose clock is right: some calls succeed, some fail, three still run. */
async function works(world: World, { env }: Host): Promise<Calls> {
  const { truth } = world;
  world.runner({ threads: 4, env });
  await world.recovered();
  const calls: Calls = { good: [], bad: [], running: "", parent: "", child: "", long: null };
  for (let number = 0; number < GOOD; number += 1) calls.good.push(await world.call("ok", { order: `ORD-${number}` }));
  for (let number = 0; number < BAD; number += 1) calls.bad.push(await world.call("fails"));
  for (const id of calls.good) await world.untilStatus(id, "success");
  for (const id of calls.bad) await world.untilStatus(id, "failed");
  calls.running = await world.call("held", { name: "order" });
  await truth.until({ what: "waits", gate: "order" });
  calls.parent = await world.call("waits_for_child", { name: "parcel" });
  calls.child = String((await truth.until({ what: "waits", gate: "parcel" })).invocation);
  const long = await found(world, "run>1m");
  if (sinceItBegan(world, calls.running) < 60) calls.long = long;
  return calls;
}

/** The verdict on the clocks. @throws if there is none */
async function ofClocks(world: World): Promise<Verdict> {
  const verdicts = (await appVerdicts(world.monitor)).filter(({ code }) => code === "clock_skew");
  expect(verdicts).toHaveLength(1);
  return verdicts[0] as Verdict;
}

/** The seconds that a sentence on clocks names. */
function secondsOff({ sentence }: Verdict): number {
  const [, minutes = "0", seconds = "0"] = /at least (?:(\d+) min ?)?(?:(\d[\d.]*) s)?/.exec(sentence) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}

/** In the order of pynenc's transitions, each once. */
async function entriesInOrder(world: World, { good, bad, running }: Calls): Promise<void> {
  const statuses = async (ids: string[]) =>
    (await details(world, ids)).map(({ history }) => history.map(({ status }) => status).join(" "));
  expect(await statuses(good)).toEqual(good.map(() => "registered pending running success"));
  expect(await statuses(bad)).toEqual(bad.map(() => "registered pending running failed"));
  expect(await statuses([running])).toEqual(["registered pending running"]);
}

/** Nothing goes on in a final status; in a run, only that. */
async function goingOn(world: World, calls: Calls): Promise<void> {
  for (const { phases } of await details(world, ended(calls))) {
    expect(phases?.filter(({ ongoing }) => ongoing)).toEqual([]);
  }
  for (const { phases } of await details(world, [calls.running, calls.child])) {
    expect(phases?.filter(({ ongoing }) => ongoing).map(({ phase }) => phase)).toEqual(["running"]);
  }
}

/** No sentence about entries that are missing, late or impossible: all of them are stored, as pynenc wrote them. */
async function nothingMissing(world: World, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const texts = [
      await world.monitor.page(`/invocations/${id}`),
      await world.monitor.text("invocation", id),
      await world.monitor.text("why", id),
      JSON.stringify((await detail(world, id)).notes),
    ];
    for (const text of texts) expect(text).not.toMatch(/history ends with|missing or late|not a pynenc transition/);
  }
}

/** Start by the clock of the client, end by that of the host, and how long it took, which is no more than the clocks differ. */
async function startEndAndTook(world: World, calls: Calls, off: number): Promise<void> {
  for (const one of await details(world, ended(calls))) {
    const begins = fact(world, "begins", one.invocation_id).at;
    expect(Math.abs(epoch(one.registered_at) - begins)).toBeLessThan(AROUND);
    expect(Math.abs(epoch(one.completed_at) - begins - off)).toBeLessThan(AROUND);
    expect(one.duration_seconds).not.toBeNull();
    expect(one.duration_seconds).toBeGreaterThanOrEqual(0);
    expect(one.duration_seconds).toBeLessThan(Math.abs(off) + AROUND);
  }
  const { invocations } = await world.monitor.json<InvocationList>("invocations", "--limit", "200");
  for (const row of invocations.filter(({ invocation_id }) => ended(calls).includes(invocation_id))) {
    expect(row.registered_at).not.toBeNull();
    expect(row.duration_seconds).not.toBeNull();
  }
}

/** The failures among all that ended, by every list and figure that ends now. */
async function failuresUntilNow(world: World, { bad }: Calls): Promise<void> {
  const { total, groups } = await world.monitor.json<Failures>("failures", "--since", "10m");
  expect(total).toBe(bad.length);
  expect(groups.map(({ task_id_key, count }) => [task_id_key, count])).toEqual([["work.fails", bad.length]]);
  expect((await world.monitor.tool<Failures>("failures", { since: "10m" })).total).toBe(bad.length);
}

async function checkFails(world: World, { bad }: Calls): Promise<void> {
  const args = ["check", "--max-failed", "5%", "--since", "30m"];
  const { code, stdout } = await world.monitor.run(args);
  expect(code).toBe(1);
  expect(stdout).toMatch(new RegExp(`\\b${bad.length} of \\d+ finished invocations failed`));
}

/** Counts of the last half hour, with the seconds that waits took at most. */
async function statsUntilNow(world: World, longestWait = AROUND): Promise<void> {
  const { rows } = await world.monitor.json<{ rows: StatsRow[] }>("stats", "--since", "30m");
  const row = (name: string) => rows.find(({ task_id_key }) => task_id_key === `work.${name}`);
  expect(row("ok")).toMatchObject({ registered: GOOD, started: GOOD, finished: GOOD, failed: 0 });
  expect(row("fails")).toMatchObject({ registered: BAD, started: BAD, finished: BAD, failed: BAD });
  for (const name of ["ok", "fails"]) {
    expect(row(name)?.wait.max_seconds ?? 0).toBeLessThan(longestWait);
    expect(row(name)?.run.max_seconds).toBeLessThan(AROUND);
  }
}

/** Each ended one was running on its runner, and is over. */
async function onTheTimeline(world: World, calls: Calls): Promise<void> {
  const { invocations } = await world.monitor.json<Timeline>("timeline", "--since", "10m");
  for (const id of ended(calls)) {
    const entries = invocations.find(({ invocation_id }) => invocation_id === id)?.entries ?? [];
    expect(entries.map(({ status }) => status).slice(0, -1)).toEqual(["registered", "pending", "running"]);
    expect(["success", "failed"]).toContain(entries.at(-1)?.status);
  }
}

async function exported(world: World, calls: Calls): Promise<void> {
  const text = await world.monitor.text("export", "--format", "otlp");
  for (const id of ended(calls)) expect(text).toContain(id);
}

/** What is true and said whatever the clock of the host. */
function saidAnyway(world: () => World, calls: () => Calls, off: number): void {
  it("the tasks really see the wrong clock, and each entry has the time of the host that wrote it", async () => {
    for (const one of await details(world(), everything(calls()))) {
      const { at, clock } = fact(world(), "begins", one.invocation_id);
      expect(Math.abs((clock ?? 0) - at - off)).toBeLessThan(AROUND);
      const stamped = (status: string) => epoch(one.history.find((entry) => entry.status === status)?.timestamp);
      expect(Math.abs(stamped("running") - at - off)).toBeLessThan(AROUND);
      // A child is registered by the host that called it.
      const from = one.invocation_id === calls().child ? off : 0;
      expect(Math.abs(stamped("registered") - at - from)).toBeLessThan(AROUND);
    }
  });

  it("the runs of ended invocations, measured by one clock, are no longer than they really were", async () => {
    for (const { invocation_id, phases } of await details(world(), ended(calls()))) {
      const [over] = world().truth.all({ invocation: invocation_id }).slice(-1);
      const ran = (over?.at ?? 0) - fact(world(), "begins", invocation_id).at;
      expect(secondsIn(phases, "running")).toBeGreaterThan(0);
      expect(secondsIn(phases, "running")).toBeLessThan(ran + AROUND);
    }
  });

  it("the wait of a child that was called and taken on one host counts, because it is measured by one clock", async () => {
    const { phases } = await detail(world(), calls().child);
    const queued = secondsIn(phases, "queued");
    expect(queued).toBeGreaterThan(0);
    expect(queued).toBeLessThan(AROUND);
  });

  it("the list has all invocations with their right statuses", async () => {
    const { invocations } = await world().monitor.json<InvocationList>("invocations", "--limit", "200");
    const statusOf = new Map(invocations.map(({ invocation_id, status }) => [invocation_id, status]));
    expect(calls().good.map((id) => statusOf.get(id))).toEqual(calls().good.map(() => "success"));
    expect(calls().bad.map((id) => statusOf.get(id))).toEqual(calls().bad.map(() => "failed"));
    const { running, parent, child } = calls();
    expect([running, parent, child].map((id) => statusOf.get(id))).toEqual(["running", "running", "running"]);
  });

  it("a search for long runs finds none that has ended", async () => {
    const long = await found(world(), "run>1m");
    expect(long.filter((id) => ended(calls()).includes(id))).toEqual([]);
  });

  it("the only verdict on the app is about clocks", async () => {
    const codes = (await appVerdicts(world().monitor)).map(({ code }) => code);
    expect(codes.filter((code) => code !== "clock_skew")).toEqual([]);
    expect((await world().monitor.run(["check"])).code).toBe(0);
  });

  it("the runner counts as active, and monitor status counts what runs and what ended", async () => {
    const { runners, statuses } = await world().monitor.json<StatusReport>("status");
    expect(runners.active).toBe(1);
    const recoveries = await world().recovered();
    expect(statuses).toMatchObject({ running: 3, success: GOOD + recoveries, failed: BAD, pending: 0, registered: 0 });
    const { runners: listed } = await world().monitor.json<RunnerList>("runners");
    expect(listed.map(({ runner_id }) => runner_id)).toEqual([
      (await detail(world(), calls().running)).owner?.runner_id,
    ]);
  });

  it("monitor why names the child that an invocation waits for, and calls the others in progress", async () => {
    const of = async (id: string) => {
      const { verdict, others } = await whyEverywhere(world().monitor, id);
      return [verdict, ...others].find((one) => one !== null && one.code !== "clock_skew");
    };
    const waits = await of(calls().parent);
    expect(waits?.code).toBe("waits_for_invocation");
    expect(waits?.evidence.map(({ id }) => id)).toContain(calls().child);
    expect((await of(calls().running))?.code).toBe("in_progress");
    expect((await of(calls().child))?.code).toBe("in_progress");
  });
}

/** Last, because it adds a call. */
function rerunsAnyway(world: () => World, calls: () => Calls): void {
  it("a rerun of a failed invocation registers the call that its answer names, and the host runs it once", async () => {
    const [failed = ""] = calls().bad;
    const { monitor, truth } = world();
    const { refused } = await monitor.json<{ refused: string | null }>("rerun", failed, "--dry-run");
    expect(refused).toBeNull();
    const { new_invocation_id: id } = await monitor.json<{ new_invocation_id: string }>("rerun", failed, "--yes");
    await world().untilStatus(id, "failed");
    expect(truth.all({ what: "begins", invocation: id })).toHaveLength(1);
    expect(truth.all({ what: "begins", task: "fails" })).toHaveLength(BAD + 1);
  });
}

scenario(
  {
    story: "The only runner is on a host whose clock is 90 s behind",
    app: "work",
    settings: PATIENT,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    const OFF = -90;
    let calls: Calls;

    beforeAll(async () => {
      calls = await works(world(), host(world(), "slow-box", OFF));
    });

    saidAnyway(world, () => calls, OFF);

    it("the entries of each invocation are in the order in which they were written", () =>
      entriesInOrder(world(), calls));

    it("no phase is ongoing after a final status, and only the run is ongoing for a running invocation", () =>
      goingOn(world(), calls));

    it("no history is called incomplete or impossible", () => nothingMissing(world(), ended(calls)));

    it("ended invocations have their start, their end and their duration", () => startEndAndTook(world(), calls, OFF));

    it("a search for long runs does not find those that began seconds ago and whose rows show the wrong clock", ({
      skip,
    }) => {
      if (calls.long === null) return skip("the machine was too busy to ask in time");
      // All entries of the child are by the clock of the host that called it: nothing in its rows contradicts the time that it shows.
      expect(calls.long.filter((id) => id !== calls.child)).toEqual([]);
    });

    it("an ongoing run has lasted as long as it really has", async () => {
      const [called] = world().truth.all({ what: "calls", id: calls.running });
      const least = sinceItBegan(world(), calls.running);
      const { phases } = await detail(world(), calls.running);
      expect(secondsIn(phases, "running")).toBeGreaterThan(least);
      // Its clock is moved to the registration, which is by the clock of the client.
      expect(secondsIn(phases, "running")).toBeLessThan(Date.now() / 1000 - Number(called?.asked));
    });

    it("the timeline has the registration of each invocation first and its end last", () =>
      onTheTimeline(world(), calls));

    it("an export of traces has every run that ended", () => exported(world(), calls));

    it("the host was busy no longer than its runner was there", async () => {
      const { rows } = await world().monitor.json<{ rows: StatsRow[] }>("stats", "--since", "30m", "--by", "host");
      const [started] = world().truth.all({ what: "starts a runner" });
      // In none of its runs that ended; what runs now may count too, in three threads.
      const most = 3 * (Date.now() / 1000 - (started?.at ?? 0));
      expect(rows.find((row) => row.host === "slow-box")?.busy_seconds).toBeLessThan(most);
    });

    it("a search for long waits finds none, because by the clocks they were taken before they were called", async () => {
      expect(await found(world(), "wait>1m")).toEqual([]);
    });

    it("the failures of the last ten minutes are the right ones, in commands and for an assistant", () =>
      failuresUntilNow(world(), calls));

    it("a check against 5 % of failures exits with 1 and says how many failed", () => checkFails(world(), calls));

    it("statistics of the last half hour count each call, without waits that only the clocks make", () =>
      statsUntilNow(world()));

    it("one warning says which host's clock is behind, and by how much", async () => {
      const verdict = await ofClocks(world());
      expect(verdict.severity).toBe("warning");
      expect(verdict.sentence).toMatch(/clock of slow-box is at least .* behind/);
      expect(Math.abs(secondsOff(verdict) - Math.abs(OFF))).toBeLessThan(AROUND);
      // All but the child were called from another host.
      expect(verdict.count).toBe(everything(calls).length - 1);
    });

    it("status, why, doctor, the dashboard and an assistant have the warning, and doctor exits with 1", async () => {
      const { monitor } = world();
      const { sentence } = await ofClocks(world());
      for (const text of [await monitor.text("status"), await monitor.text("why"), await monitor.page("/")]) {
        expect(text.split(sentence)).toHaveLength(2);
      }
      const { code, stdout } = await monitor.run(["doctor"]);
      expect(code).toBe(1);
      expect(stdout).toContain(sentence);
      expect((await monitor.tool<Why>("why")).verdict?.sentence).toBe(sentence);
    });

    rerunsAnyway(world, () => calls);
  },
);

scenario(
  {
    story: "The only runner is on a host whose clock is 120 s ahead",
    app: "work",
    settings: PATIENT,
    also: [
      ["sqlite", "0.2.3"],
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    const OFF = 120;
    let calls: Calls;

    beforeAll(async () => {
      calls = await works(world(), host(world(), "fast-box", OFF));
    });

    saidAnyway(world, () => calls, OFF);

    it("the entries of each invocation are in the order in which they were written", () =>
      entriesInOrder(world(), calls));

    it("no phase is ongoing after a final status, and only the run is ongoing for a running invocation", () =>
      goingOn(world(), calls));

    it("no history is called incomplete or impossible", () => nothingMissing(world(), ended(calls)));

    it("ended invocations have their start, their end and their duration by the two clocks", () =>
      startEndAndTook(world(), calls, OFF));

    it("an export of traces has every run that ended", () => exported(world(), calls));

    it("the runner has a heartbeat in the future", async () => {
      const { runners } = await world().monitor.json<RunnerList>("runners");
      expect(epoch(runners[0]?.last_heartbeat)).toBeGreaterThan(Date.now() / 1000);
    });

    it("one warning says which host's clock is ahead, and by how much", async () => {
      const verdict = await ofClocks(world());
      expect(verdict.severity).toBe("warning");
      expect(verdict.sentence).toMatch(/clock of fast-box is at least .* ahead/);
      expect(Math.abs(secondsOff(verdict) - OFF)).toBeLessThan(AROUND);
    });

    it("monitor runners says that a heartbeat in the future is of another clock", async () => {
      const { stdout, stderr } = await world().monitor.run(["runners"]);
      expect(`${stdout}${stderr}`).toMatch(/clock/);
    });

    it("doctor exits with 1", async () => {
      expect((await world().monitor.run(["doctor"])).code).toBe(1);
    });

    it("the failures of the last ten minutes are the right ones, in commands and for an assistant", () =>
      failuresUntilNow(world(), calls));

    it("a check against 5 % of failures exits with 1 and says how many failed", () => checkFails(world(), calls));

    // Figures stay what they were when the rows were read, and rows do not say whose clock was ahead: only the last heartbeat of a runner is stored.
    it("statistics of the last half hour count each call, with waits no longer than the clocks make them", () =>
      statsUntilNow(world(), OFF + AROUND));

    it("the timeline up to now has the run and the end of each invocation", () => onTheTimeline(world(), calls));

    it("the wait of an ended invocation is marked as measured by two clocks", async () => {
      const [id = ""] = calls.good;
      for (const text of [await world().monitor.text("invocation", id), await world().monitor.text("why", id)]) {
        expect(text).toMatch(/\bclocks?\b/);
      }
    });

    it("a search for long waits finds none, because no invocation waited long", async () => {
      expect(await found(world(), "wait>1m")).toEqual([]);
    });

    it("an ongoing run is never shown as running for 0 s", async () => {
      const texts = [
        await world().monitor.text("invocation", calls.running),
        await world().monitor.text("why", calls.running),
      ];
      for (const text of texts) expect(text).not.toMatch(/\brunning +0 s|\bfor 0 s/);
    });

    rerunsAnyway(world, () => calls);
  },
);

/** Calls that each of two runners takes at the same time. */
const EACH = 3;

scenario(
  {
    story: "Of two hosts with a runner, one has a clock that is 90 s behind",
    settings: PATIENT,
    also: [
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    const OFF = -90;
    /** Ended calls by the host that ran them. */
    let right: string[];
    let slow: string[];

    beforeAll(async () => {
      const { truth } = world();
      const started = [host(world(), "right-box", 0), host(world(), "slow-box", OFF)].map(({ env }) =>
        world().runner({ threads: EACH, env }),
      );
      await world().recovered();
      const called: string[] = [];
      for (let number = 0; number < 2 * EACH; number += 1) called.push(await world().call("held", { name: "order" }));
      await truth.until({ what: "waits", gate: "order" }, 2 * EACH);
      truth.open("order");
      for (const id of called) await world().untilStatus(id, "success");
      const ranBy = (at: number) => called.filter((id) => fact(world(), "begins", id).pid === started[at]?.pid);
      right = ranBy(0);
      slow = ranBy(1);
    });

    it("each host really ran its share, by its own clock", () => {
      for (const [ids, off] of [
        [right, 0],
        [slow, OFF],
      ] as const) {
        expect(ids).toHaveLength(EACH);
        for (const id of ids) {
          const { at, clock } = fact(world(), "begins", id);
          expect(Math.abs((clock ?? 0) - at - off)).toBeLessThan(AROUND);
        }
      }
    });

    it("one warning is about the slow host and exactly the calls that it ran", async () => {
      const verdict = await ofClocks(world());
      expect(verdict.sentence).toMatch(/clock of slow-box is at least .* behind/);
      expect(`${verdict.sentence} ${verdict.detail}`).not.toContain("right-box");
      expect(Math.abs(secondsOff(verdict) - Math.abs(OFF))).toBeLessThan(AROUND);
      expect(verdict.count).toBe(EACH);
      expect(named(verdict).sort()).toEqual([...slow].sort());
    });

    it("there is no other verdict, and both runners count as active", async () => {
      const codes = (await appVerdicts(world().monitor)).map(({ code }) => code);
      expect(codes).toEqual(["clock_skew"]);
      expect((await world().monitor.json<StatusReport>("status")).runners.active).toBe(2);
    });

    it("the calls of the right host have the right entries, start, end and duration", async () => {
      for (const one of await details(world(), right)) {
        const begins = fact(world(), "begins", one.invocation_id).at;
        const returns = fact(world(), "returns", one.invocation_id).at;
        expect(one.history.map(({ status }) => status)).toEqual(WRITTEN);
        expect(Math.abs(epoch(one.completed_at) - returns)).toBeLessThan(AROUND);
        expect(Math.abs(secondsIn(one.phases, "running") - (returns - begins))).toBeLessThan(AROUND);
        expect(one.duration_seconds).toBeGreaterThanOrEqual(returns - begins - 1);
      }
      await nothingMissing(world(), right);
    });

    it("monitor why says that a call of the right host succeeded, and does not mention clocks", async () => {
      for (const id of right) {
        expect((await why(world().monitor, id)).verdict?.code).toBe("ended_well");
        expect(await world().monitor.text("why", id)).not.toMatch(/\bclocks?\b/);
      }
    });

    it("statistics by host count what each really ran, and the recoveries of one of them", async () => {
      const { rows } = await world().monitor.json<{ rows: StatsRow[] }>("stats", "--since", "30m", "--by", "host");
      const finished = (name: string) => rows.find((row) => row.host === name)?.finished ?? 0;
      expect(finished("right-box")).toBeGreaterThanOrEqual(EACH);
      expect(finished("slow-box")).toBeGreaterThanOrEqual(EACH);
      expect(finished("right-box") + finished("slow-box")).toBe(2 * EACH + (await world().recovered()));
    });

    it("the calls of the slow host have their four entries in order, and no ongoing phase", async () => {
      for (const { history, phases } of await details(world(), slow)) {
        expect(history.map(({ status }) => status)).toEqual(WRITTEN);
        expect(phases?.filter(({ ongoing }) => ongoing)).toEqual([]);
      }
    });
  },
);

/** The only runner is on a host whose clock is behind, and runs enough for that to be noticed. @returns the id of one that still runs */
async function runsLate(world: World, seconds: number): Promise<string> {
  const { truth, monitor } = world;
  world.runner({ threads: 2, env: host(world, "late-box", -seconds).env });
  await world.recovered();
  for (const order of ["ORD-1", "ORD-2", "ORD-3"]) {
    await world.untilStatus(await world.call("ok", { order }), "success");
  }
  const running = await world.call("held", { name: "order" });
  await truth.until({ what: "waits", gate: "order" });
  await comesToSay(monitor, "clock_skew");
  return running;
}

/** The verdict says which host is behind, and by how much. */
async function saysLate(world: World, seconds: number): Promise<void> {
  const verdict = await ofClocks(world);
  expect(verdict.sentence).toMatch(/clock of late-box is at least .* behind/);
  expect(Math.abs(secondsOff(verdict) - seconds)).toBeLessThan(AROUND);
}

scenario(
  {
    story: "The only runner is on a host whose clock is 5 minutes behind, and may be silent for 12 s",
    settings: RECOVERY_ONCE,
    also: [
      ["redis", "0.3.1"],
      ["mongodb", "0.3.1"],
    ],
  },
  (world) => {
    let running = "";
    let verdicts: Verdict[];

    beforeAll(async () => {
      running = await runsLate(world(), 300);
      verdicts = await appVerdicts(world().monitor);
    });

    const codes = () => verdicts.map(({ code }) => code);

    it("the runner really works: it begins every call soon after it was made", () => {
      const called = world().truth.all({ what: "calls" });
      expect(called).toHaveLength(4);
      for (const { at, id } of called) expect(fact(world(), "begins", String(id)).at - at).toBeLessThan(60);
    });

    it("one warning says that the host's clock is 5 minutes behind", () => saysLate(world(), 300));

    it("no message or invocation is called lost, stuck or deadlocked", () => {
      expect(codes().filter((code) => /no_queue|without_invocation|stuck|deadlock/.test(code))).toEqual([]);
    });

    it("the running invocation is not called killed or recovered", async () => {
      expect((await detail(world(), running)).status).toBe("running");
      expect(await world().monitor.text("why", running)).not.toMatch(/was killed|was recovered/);
    });

    it("the runner is not called silent, in verdicts or by monitor why on its invocation", async () => {
      expect(codes()).not.toContain("running_on_dead_runner");
      const { verdict, others } = await why(world().monitor, running);
      expect([verdict, ...others].map((one) => one?.code)).not.toContain("running_on_dead_runner");
    });

    // The figure is pynenc's: whoever asks it by a right clock, as a recovery on another host does, gets no active runner.
    it("monitor status counts active runners as pynenc does, with the warning beside the figure", async () => {
      const { runners, verdicts: beside } = await world().monitor.json<StatusReport & { verdicts: Verdict[] }>(
        "status",
      );
      expect(runners.active).toBe(0);
      expect(beside.map(({ code }) => code)).toEqual(["clock_skew"]);
    });

    it("the only verdict is about clocks, and check exits with 0", async () => {
      expect(codes()).toEqual(["clock_skew"]);
      expect((await world().monitor.run(["check"])).code).toBe(0);
    });
  },
);

// Two lengths, because the second alarm explains the first.
for (const [seconds, alarm, title] of [
  [240, "schedule_overdue", "no schedule is called overdue"],
  [330, "starved_atomic_service", "the atomic service is not called stopped"],
] as const) {
  scenario(
    {
      story: `The only runner is on a host whose clock is ${seconds} s behind, and its schedules come true every minute`,
      settings: { PYNENC__RUNNER_CONSIDERED_DEAD_AFTER_MINUTES: "10" },
    },
    (world) => {
      let codes: string[];

      beforeAll(async () => {
        await runsLate(world(), seconds);
        codes = (await appVerdicts(world().monitor)).map(({ code }) => code);
      });

      it("the schedules really run: both recoveries have run", async () => {
        expect(await world().recovered()).toBeGreaterThanOrEqual(2);
      });

      it("one warning says which host's clock is behind, and by how much", () => saysLate(world(), seconds));

      it("there is no verdict but those that the clocks explain, and the runner counts as active", async () => {
        expect(codes.filter((code) => code !== "clock_skew" && code !== alarm)).toEqual([]);
        expect((await world().monitor.json<StatusReport>("status")).runners.active).toBe(1);
      });

      it(title, async () => {
        expect(codes).not.toContain(alarm);
      });
    },
  );
}

/** Calls that run when the clock of their host jumps. */
const CAUGHT = 3;

/** The runner's clock is right until it runs some calls; then it jumps, and they end. */
async function jumps(world: World, at: Host, seconds: number): Promise<string[]> {
  const { truth } = world;
  world.runner({ threads: 4, env: at.env });
  await world.recovered();
  const caught: string[] = [];
  for (let number = 0; number < CAUGHT; number += 1) caught.push(await world.call("held", { name: `order-${number}` }));
  for (let number = 0; number < CAUGHT; number += 1) await truth.until({ what: "waits", gate: `order-${number}` });
  at.set(seconds);
  for (let number = 0; number < CAUGHT; number += 1) truth.open(`order-${number}`);
  for (const id of caught) await world.untilStatus(id, "success");
  return caught;
}

scenario({ story: "The clock of the only host is set 120 s ahead while it runs calls", settings: PATIENT }, (world) => {
  const JUMP = 120;
  let caught: string[];

  beforeAll(async () => {
    caught = await jumps(world(), host(world(), "fast-box", 0), JUMP);
  });

  it("the clock really jumps during each run", () => {
    for (const id of caught) {
      const begins = fact(world(), "begins", id);
      const returns = fact(world(), "returns", id);
      expect(Math.abs((returns.clock ?? 0) - (begins.clock ?? 0) - (returns.at - begins.at) - JUMP)).toBeLessThan(1);
    }
  });

  it("each invocation has its four entries in order, no ongoing phase, and no history called incomplete", async () => {
    for (const { history, phases } of await details(world(), caught)) {
      expect(history.map(({ status }) => status)).toEqual(WRITTEN);
      expect(phases?.filter(({ ongoing }) => ongoing)).toEqual([]);
    }
    await nothingMissing(world(), caught);
  });

  it("each run is as long as the clock of its host says, the jump included, because the rows have no other time", async () => {
    for (const { invocation_id, phases } of await details(world(), caught)) {
      const really = fact(world(), "returns", invocation_id).at - fact(world(), "begins", invocation_id).at;
      expect(Math.abs(secondsIn(phases, "running") - JUMP - really)).toBeLessThan(AROUND);
    }
    expect((await found(world(), "run>1m")).sort()).toEqual([...caught].sort());
  });

  it("the waits before the jump are as long as they really were", async () => {
    expect(await found(world(), "wait>1m")).toEqual([]);
    for (const { invocation_id, phases } of await details(world(), caught)) {
      const [called] = world().truth.all({ what: "calls", id: invocation_id });
      const waited = fact(world(), "begins", invocation_id).at - (called?.at ?? 0);
      // The note of the call is later than its registration.
      expect(secondsIn(phases, "queued")).toBeLessThan(waited + AROUND);
    }
  });

  it("monitor status counts the invocations as successes, and the runner as active", async () => {
    const { runners, statuses } = await world().monitor.json<StatusReport>("status");
    expect(runners.active).toBe(1);
    expect(statuses).toMatchObject({ success: CAUGHT + (await world().recovered()), running: 0, failed: 0 });
  });

  it("the only verdict is about clocks", async () => {
    const codes = (await appVerdicts(world().monitor)).map(({ code }) => code);
    expect(codes.filter((code) => code !== "clock_skew")).toEqual([]);
  });

  it("the warning says that the clock is ahead", async () => {
    const verdict = await ofClocks(world());
    expect(verdict.sentence).toMatch(/clock of fast-box is at least .* ahead/);
    expect(Math.abs(secondsOff(verdict) - JUMP)).toBeLessThan(AROUND);
  });

  it("statistics of the last half hour count the calls that ended after the jump", async () => {
    const { rows } = await world().monitor.json<{ rows: StatsRow[] }>("stats", "--since", "30m");
    expect(rows.find(({ task_id_key }) => task_id_key === "work.held")).toMatchObject({
      registered: CAUGHT,
      finished: CAUGHT,
    });
  });
});

scenario({ story: "The clock of the only host is set 60 s back while it runs calls", settings: PATIENT }, (world) => {
  const JUMP = -60;
  let caught: string[];

  beforeAll(async () => {
    caught = await jumps(world(), host(world(), "slow-box", 0), JUMP);
  });

  it("by the clock of its host, each task returned before it began", () => {
    for (const id of caught) {
      expect(fact(world(), "returns", id).clock).toBeLessThan(fact(world(), "begins", id).clock ?? 0);
    }
  });

  it("monitor status counts the invocations as successes, and the runner as active", async () => {
    const { runners, statuses } = await world().monitor.json<StatusReport>("status");
    expect(runners.active).toBe(1);
    expect(statuses).toMatchObject({ success: CAUGHT + (await world().recovered()), running: 0, failed: 0 });
  });

  it("statistics count each call as finished, and no negative run", async () => {
    const { rows } = await world().monitor.json<{ rows: StatsRow[] }>("stats", "--since", "30m");
    const row = rows.find(({ task_id_key }) => task_id_key === "work.held");
    expect(row).toMatchObject({ registered: CAUGHT, finished: CAUGHT, failed: 0 });
    expect(row?.run.p50_seconds ?? 0).toBeGreaterThanOrEqual(0);
    expect(row?.wait.max_seconds ?? 0).toBeLessThan(AROUND);
  });

  it("the only verdict is about clocks", async () => {
    const codes = (await appVerdicts(world().monitor)).map(({ code }) => code);
    expect(codes.filter((code) => code !== "clock_skew")).toEqual([]);
  });

  it("a search for long runs and long waits finds none of the calls", async () => {
    expect(await found(world(), "run>30s")).toEqual([]);
    expect(await found(world(), "wait>30s")).toEqual([]);
  });

  it("the entries of each invocation are in the order in which they were written", async () => {
    for (const { history } of await details(world(), caught)) {
      expect(history.map(({ status }) => status)).toEqual(WRITTEN);
    }
  });

  it("no phase is ongoing after a final status", async () => {
    for (const { phases } of await details(world(), caught)) {
      expect(phases?.filter(({ ongoing }) => ongoing)).toEqual([]);
    }
  });

  it("no history is called incomplete or impossible", () => nothingMissing(world(), caught));

  it("each invocation has its start and its end", async () => {
    for (const { invocation_id, registered_at, completed_at } of await details(world(), caught)) {
      const { at } = fact(world(), "returns", invocation_id);
      expect(Math.abs(epoch(registered_at) - at)).toBeLessThan(AROUND);
      expect(Math.abs(epoch(completed_at) - at - JUMP)).toBeLessThan(AROUND);
    }
  });

  it("the warning names the host on which a run ended before it began", async () => {
    expect((await ofClocks(world())).sentence).toContain("slow-box");
  });

  describe("after three more calls", () => {
    beforeAll(async () => {
      for (const order of ["ORD-1", "ORD-2", "ORD-3"]) {
        await world().untilStatus(await world().call("ok", { order }), "success");
      }
    });

    it("the warning says that the clock is behind by as much as it was set back", async () => {
      const verdict = await ofClocks(world());
      expect(verdict.sentence).toMatch(/clock of slow-box is at least .* behind/);
      expect(Math.abs(secondsOff(verdict) - Math.abs(JUMP))).toBeLessThan(AROUND);
    });
  });
});
