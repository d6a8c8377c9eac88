/** The timeline of a window as a whole: which window, what is drawn, what is counted, and what is said. */
import { describe, expect, it } from "vitest";
import type { Timeline } from "../../../src/api/timeline.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { geometryOf, readTimelineInput, timeline } from "../../../src/services/timeline/timeline.ts";
import { sharedLaneName } from "../../../src/timeline/lanes.ts";
import { counting } from "../../support/counting.ts";
import { storedException } from "../../support/histories.ts";
import { at, type MemoryApp, memoryApp, type Step } from "../../support/memory-app/memory-app.ts";

const iso = (seconds: number) => isoFromEpoch(at(seconds));

const drawn = ({ opened }: MemoryApp, raw?: Record<string, string>) => drawnOf(opened, raw);

async function drawnOf(app: OpenedApp, raw: Record<string, string> = {}) {
  const given = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, [value]]));
  return timeline(app, await readTimelineInput(app, given, "drawing"));
}

const countedIn = ({ density }: Timeline) => (density?.totals ?? []).reduce((sum, n) => sum + n, 0);

const busy = (from: number, to: number, runner = "r1"): Step[] => [
  [at(from), "registered"],
  [at(from), "pending", runner],
  [at(from), "running", runner],
  [at(to), "success", runner],
];

describe("the window of a timeline", () => {
  const app = memoryApp({ now: at(600) })
    .invocation("a", { history: busy(10, 12) })
    .event("e", { timestamp: at(50) });

  it("is the last five minutes if all changes have impossible times", async () => {
    const broken = memoryApp({ now: at(600) }).invocation("a", { history: [[-1e300, "registered"]] });
    for (const raw of [{}, { inv_ids: "a" }]) {
      const found = await drawn(broken, raw);
      expect([found.start, found.end]).toEqual([iso(300), iso(600)]);
      expect(geometryOf(found).strands).toEqual([]);
    }
  });

  it("is the requested one", async () => {
    const { start, end, preset, data_span } = await drawn(app, { range: "1h" });
    expect([start, end, preset]).toEqual([iso(600 - 3_600), iso(600), "1h"]);
    expect(data_span).toEqual({ first: iso(10), last: iso(12) });
  });

  it("reaches into the future for entries of a clock that is ahead, at most an hour, with a note", async () => {
    const stamped = (seconds: number) => memoryApp({ now: at(600) }).invocation("a", { history: busy(590, seconds) });
    for (const raw of [{}, { range: "10m" }, { from: iso(0) }] as Record<string, string>[]) {
      const found = await drawn(stamped(720), raw);
      expect(found.end).toBe(iso(720));
      expect(found.invocations.map(({ entries }) => entries.map(({ status }) => status))).toEqual([
        ["registered", "pending", "running", "success"],
      ]);
      expect(found.notes.filter((note) => !note.includes("in separate lanes"))).toEqual([
        "Some entries are dated up to 2 min in the future: the clock of a host is ahead. They are shown.",
      ]);
      expect(await drawn(stamped(600 + 3_601), raw)).toMatchObject({ end: iso(600) });
    }
    // An end that was asked for is never moved, nor does the past have a future.
    expect(await drawn(stamped(720), { from: iso(0), to: iso(600) })).toMatchObject({ end: iso(600) });
    expect((await drawn(stamped(720), { range: "10m", at: iso(595) })).end).toBe(iso(595));
  });

  it("is by default that of the selected invocation or focused event", async () => {
    const selected = await drawn(app, { selected: "a" });
    expect([selected.start, selected.end, selected.preset]).toEqual([iso(9.7), iso(12.3), null]);
    expect(await drawn(app, { inv_ids: "a" })).toMatchObject({ start: iso(9.7), end: iso(12.3) });
    expect(await drawn(app, { focus_event: "e" })).toMatchObject({ start: iso(44.25), end: iso(55.75) });
  });

  it("is otherwise the last five minutes, or goes back to the latest change with a note if these are quiet", async () => {
    const QUIET = /^No status changed in the last 5 min/;
    const changed = (seconds: number) => memoryApp({ now: at(600) }).invocation("a", { history: busy(10, seconds) });
    // The clock is at 600: a change at the very beginning of the last minutes is one of them.
    for (const raw of [{}, { selected: "gone" }, { focus_event: "gone" }]) {
      const busyOne = await drawn(changed(300), raw);
      expect(busyOne).toMatchObject({ start: iso(300), end: iso(600), preset: "5m" });
      expect(busyOne.notes).not.toContainEqual(expect.stringMatching(QUIET));
      const quiet = await drawn(changed(299), raw);
      expect(quiet).toMatchObject({ start: iso(299 - 285), end: iso(299 + 15), preset: null });
      expect(quiet.notes).toContainEqual(expect.stringMatching(QUIET));
    }
    // Where less is stored than that, the window begins with what is stored.
    const short = memoryApp({ now: at(600) }).invocation("a", { history: busy(100, 200) });
    const first = 100 - 0.75;
    expect(await drawn(short)).toMatchObject({ start: iso(first), end: iso(200.75), preset: null });
    // Of an earlier instant it is the minutes around its end, quiet or not.
    const earlier = await drawn(changed(10), { at: iso(400) });
    expect(earlier).toMatchObject({ start: iso(100), end: iso(400), preset: null });
    expect(earlier.notes).not.toContainEqual(expect.stringMatching(QUIET));
    // What the selection did later is not part of it.
    const selected = memoryApp({ now: at(600) }).invocation("a", { history: busy(100, 500) });
    expect(await drawn(selected, { selected: "a", at: iso(400) })).toMatchObject({ end: iso(400) });
    expect(await drawn(selected, { selected: "a", at: iso(50) })).toMatchObject({ end: iso(50) });
    // What was asked for is never moved.
    expect(await drawn(changed(299), { range: "5m" })).toMatchObject({ start: iso(300), end: iso(600), preset: "5m" });
    expect(await drawn(memoryApp({ now: at(600) }))).toMatchObject({ start: iso(300), end: iso(600), preset: "5m" });
  });
});

describe("the busy time of runners", () => {
  /** Two children of a runner of which one works, a runner on its own that only registers, and code outside of runners. */
  const app = () =>
    memoryApp({ now: at(600) })
      .context("parent", { runner_cls: "MultiThreadRunner" })
      .context("worker", { parent_ctx_id: "parent" })
      .context("idle", { parent_ctx_id: "parent" })
      .context("early", {})
      .context("External", { runner_cls: "ExternalRunner" })
      .heartbeat("parent", { creation_timestamp: at(0), last_heartbeat: at(590) })
      .heartbeat("worker", { creation_timestamp: at(0), last_heartbeat: at(590) })
      .heartbeat("idle", { creation_timestamp: at(0), last_heartbeat: at(590) })
      // Gone before the window, and come after it.
      .heartbeat("early", { creation_timestamp: at(0), last_heartbeat: at(99) })
      .heartbeat("late", { creation_timestamp: at(301), last_heartbeat: at(590) })
      // Two at once count once, what lies outside of the window does not count, and waiting is no work.
      .invocation("a", { history: busy(90, 110, "worker") })
      .invocation("b", { history: busy(105, 120, "worker") })
      .invocation("c", { history: [...busy(130, 140, "worker").slice(0, 3), [at(132), "paused", "worker"]] })
      .invocation("d", { history: [[at(150), "registered", "External"]] })
      .invocation("e", { history: [[at(150), "registered", "nobody"]] });
  const busyOf = async (raw: Record<string, string> = {}) => {
    const { runners } = await drawn(app(), { from: iso(100), to: iso(300), ...raw });
    return Object.fromEntries(runners.map((one) => [one.runner_id, one.busy_seconds]));
  };

  it("is given for runners in the window, and is 0 for idle ones with a heartbeat in it", async () => {
    expect(await busyOf()).toEqual({ parent: null, worker: 22, idle: 0, client: null, External: null, nobody: null });
  });

  it("is not given for idle runners with a filter, or as of an earlier instant", async () => {
    expect(await busyOf({ task_id: "shop.orders.place" })).not.toHaveProperty("idle");
    expect(await busyOf({ at: iso(300) })).toEqual({
      parent: null,
      worker: 22,
      client: null,
      External: null,
      nobody: null,
    });
  });

  it("uses the latest 100 heartbeats only, with a note if there are more", async () => {
    const crowd = app();
    for (let n = 0; n < 99; n++) crowd.runner(`r${n}`, { last: at(599) });
    const note = /only the 100 with the latest heartbeats/;
    const found = await drawn(crowd, { from: iso(100), to: iso(600) });
    expect(found.notes).toContainEqual(expect.stringMatching(note));
    expect(found.runners.filter((one) => one.busy_seconds === 0)).toHaveLength(100);
    expect((await drawn(app(), { from: iso(100), to: iso(600) })).notes).not.toContainEqual(
      expect.stringMatching(note),
    );
  });
});

describe("a timeline", () => {
  it("has exceptions for invocations whose last entry in the window is failed", async () => {
    const failing = (from: number): Step[] => [...busy(from, from + 4).slice(0, -1), [at(from + 4), "failed", "r1"]];
    const exception = storedException("CardDeclined", "card 42 was declined\nby the bank");
    const app = memoryApp()
      .invocation("a", { history: failing(1), exception })
      .invocation("b", { history: failing(6), exception })
      .invocation("c", { history: failing(1) })
      .invocation("d", { history: busy(1, 5) });
    const told = { type: "CardDeclined", message: "card 42 was declined …" };
    const { invocations } = await drawn(app, { from: iso(0), to: iso(8) });
    expect(Object.fromEntries(invocations.map((one) => [one.invocation_id, one.exception]))).toEqual({
      a: told,
      // Fails behind the window.
      b: null,
      // Its exception is not stored.
      c: null,
      d: null,
    });
    const then = await drawn(app, { from: iso(0), to: iso(20), at: iso(8) });
    expect(then.invocations.flatMap((one) => (one.exception === null ? [] : [one.invocation_id]))).toEqual(["a"]);
  });

  it("has every invocation of the window with all of its changes, and its runners with their parents", async () => {
    const app = memoryApp()
      .invocation("a", { history: busy(1, 5), parent: "p", workflow: { id: "a" } })
      .context("process")
      .context("r1", { parent_ctx_id: "process" });
    const found = await drawn(app);
    expect(found.invocations).toEqual([
      {
        invocation_id: "a",
        task_id_key: "shop.pay",
        parent_invocation_id: "p",
        parent_event_id: null,
        arguments: "",
        exception: null,
        workflow_root: true,
        entries: [
          { timestamp: iso(1), status: "registered", runner_id: "client" },
          { timestamp: iso(1), status: "pending", runner_id: "r1" },
          { timestamp: iso(1), status: "running", runner_id: "r1" },
          { timestamp: iso(5), status: "success", runner_id: "r1" },
        ],
        afterwards: "ongoing",
      },
    ]);
    expect(found.runners.map((runner) => [runner.runner_id, runner.parent_runner_id]).sort()).toEqual([
      ["client", null],
      ["process", null],
      ["r1", "process"],
    ]);
    expect(found.counts).toEqual({
      changes: { total: 4, drawn: 4, exact: true },
      invocations: { total: 1, drawn: 1 },
      events: { total: 0, capped: false, drawn: 0 },
      trigger_runs: { total: 0, capped: false, drawn: 0 },
      atomic_service_runs: { total: 0, capped: false, drawn: 0 },
    });
    expect(found.density).toBeNull();
    expect(found.notes).toEqual([]);
  });

  it("has columns for a lane whose bars could not be read, and bars once it is opened", async () => {
    const app = memoryApp().context("r1").context("client");
    for (let n = 0; n < 40; n++) app.invocation(`i${n}`, { history: busy(n, n + 0.01) });
    const window = { from: iso(0), to: iso(40) };
    const found = await drawn(app, window);
    // The calls are points in the lane of the client.
    expect(found.counts.changes).toEqual({ total: 160, drawn: 40, exact: true });
    expect(found.density?.totals.reduce((sum, n) => sum + n, 0)).toBe(120);
    expect(new Set(found.density?.rows.map((row) => row.runner_id))).toEqual(new Set(["r1"]));
    expect(found.notes).toEqual([]);
    const opened = await drawn(app, { ...window, open: "r1" });
    expect([opened.counts.changes.drawn, opened.density]).toEqual([160, null]);
    // As data, without a drawing, it has all.
    const given = { from: [window.from], to: [window.to] };
    const data = await timeline(app.opened, await readTimelineInput(app.opened, given));
    expect([data.counts.changes.drawn, data.density]).toEqual([160, null]);
    const asked = await drawn(app, { ...window, selected: "i7" });
    expect([asked.counts.changes.drawn, countedIn(asked)]).toEqual([43, 120]);
    // Of very many only so many changes, however the lane was opened: those of the client are fewer.
    for (let n = 40; n < 400; n++) app.invocation(`i${n}`, { history: busy(n * 0.1, n * 0.1 + 0.09) });
    expect((await drawn(app, { ...window, open: "*" })).counts.changes.drawn).toBe(400);
  });

  it("says how long a runner has been silent that still holds an invocation, or held it until another took it over", async () => {
    const recovered = (by: string): Step[] => [
      ...busy(4_000, 6_300, by).slice(0, -1),
      [at(6_300), "running_recovery", "alive"],
    ];
    const app = memoryApp({ now: at(7_200) })
      .context("dead")
      .context("replaced")
      .heartbeat("replaced", { last_heartbeat: at(5_100) })
      .context("alive")
      .heartbeat("dead", { last_heartbeat: at(6_540) })
      .heartbeat("alive", { last_heartbeat: at(7_199) })
      .invocation("left", { history: busy(6_000, 7_300, "dead").slice(0, -1) })
      .invocation("held", { history: busy(6_000, 7_300, "alive").slice(0, -1) })
      .invocation("recovered", { history: recovered("replaced") })
      .invocation("done", { history: busy(5_000, 5_400, "replaced") })
      // It may have gone on: no heartbeat says when it fell silent.
      .context("unheard")
      .invocation("unheard", { history: recovered("unheard") });
    const { runners } = await drawn(app, { from: iso(5_000), to: iso(7_200) });
    const silent = Object.fromEntries(runners.map((runner) => [runner.runner_id, runner.silent_seconds]));
    expect(silent).toMatchObject({ dead: 660, replaced: 1_800, unheard: null, alive: null });
  });

  it("has only counts if there are more changes than can be followed", async () => {
    const app = memoryApp().context("r1").invocation("a", { history: [] });
    app.event("e", { timestamp: at(1) }).execution("s", { start_time: at(1), end_time: at(2) });
    app.change(({ history }) => {
      for (let n = 0; n < 20_001; n++)
        history.push({
          invocation_id: `i${n}`,
          timestamp: at(n / 1_000),
          written_at: at(n / 1_000),
          status: "retry",
          status_runner_id: null,
          runner_context_id: "r1",
          registered_by_inv_id: null,
        });
    });
    const found = await drawn(app);
    expect(found.invocations).toEqual([]);
    expect(found.counts).toMatchObject({
      changes: { total: 20_001, drawn: 0, exact: true },
      invocations: { total: null, drawn: 0 },
      events: { total: 1, drawn: 0 },
      atomic_service_runs: { total: 1, drawn: 0 },
    });
    expect([countedIn(found), found.density?.counted]).toEqual([20_000, { from: iso(-240), to: iso(19.999) }]);
    // No figures divide a minute: the latest changes are counted, and from when on.
    const minute = await drawn(app, { from: iso(0), to: iso(60) });
    expect([countedIn(minute), minute.density?.counted]).toEqual([20_000, { from: iso(0.001), to: iso(60) }]);
    expect(found.notes[0]).toMatch(/^Too many status changes to draw: the columns count those from/);
    const untold = /^Lanes show runners/;
    expect([found.options.group, found.notes.some((note) => untold.test(note))]).toEqual(["runner", false]);
    const byTask = await drawn(app, { group: "task" });
    expect([byTask.options.group, byTask.notes.some((note) => untold.test(note))]).toEqual(["task", false]);
    const byCause = await drawn(app, { group: "cause" });
    expect(byCause.options.group).toBe("runner");
    expect(byCause.notes).toContain(
      "Lanes show runners: so many status changes are not counted by cause. Zoom in for that.",
    );
    expect((await drawn(memoryApp().invocation("a"), { group: "task" })).options.group).toBe("task");
  });

  it("has lanes of what started invocations on request, with each change in one of them", async () => {
    const app = memoryApp({ now: at(60) })
      .event("e", { event_code: "order.placed" })
      .invocation("root", { task: "shop.checkout", history: busy(1, 9) })
      .invocation("call", { task: "shop.pay", parent: "root", history: busy(2, 3) })
      .invocation("gone", { task: "shop.pay", parent: "purged", history: busy(2, 3) })
      .invocation("named", { task: "shop.ship", event: "e", history: busy(3, 4) })
      .invocation("watching", { task: "shop.bill", history: busy(4, 5) })
      .triggerRun("run", {
        triggered_invocation_id: "watching",
        participants: [{ source_invocation_id: "call" }],
      })
      .invocation("many", { task: "shop.pay", parent: "root", history: busy(5, 6) });
    const found = await drawn(app, { group: "cause" });
    expect(found.options.group).toBe("cause");
    expect(
      Object.fromEntries(found.invocations.map((one) => [one.invocation_id, [one.task_id_key, one.origin]])),
    ).toEqual({
      root: ["shop.checkout", "no cause stored"],
      call: ["shop.pay", "called by shop.checkout"],
      gone: ["shop.pay", "called by an invocation that is not stored"],
      named: ["shop.ship", "event order.placed"],
      watching: ["shop.bill", "status of a task that is not stored"],
      many: ["shop.pay", "called by shop.checkout"],
    });
    const lanes = (data: Timeline) =>
      geometryOf(data).lanes.flatMap((lane) => (lane.kind === "cause" ? [sharedLaneName(lane)?.[0]] : []));
    const names = [...new Set(found.invocations.map((one) => one.origin))].sort();
    expect(lanes(found)).toEqual(names);
    // Where there is no room for bars, the same lanes have columns.
    const counted = await drawn(app, { group: "cause", limit: "1" });
    expect(lanes(counted)).toEqual(lanes(found));
    const { drawn: bars } = counted.counts.changes;
    expect(bars + countedIn(counted)).toBe(found.counts.changes.total);
    expect((await drawn(app, { group: "task" })).invocations[0]).not.toHaveProperty("origin");
  });

  it("draws active and selected invocations even if everything else is only counted", async () => {
    const app = memoryApp({ now: at(7_200) }).invocation("done", { history: busy(100, 105) });
    app.invocation("active", { history: busy(7_000, 7_300).slice(0, -1) });
    app.invocation("queued", { history: [[at(7_000), "registered", "client"]] });
    app.change(({ history }) => {
      const [entry] = history;
      for (let n = 0; n < 20_000; n++) {
        const instant = at(n / 3);
        if (entry !== undefined)
          history.push({ ...entry, invocation_id: "x", timestamp: instant, written_at: instant });
      }
    });
    const idsOf = ({ invocations }: Timeline) => invocations.map((one) => one.invocation_id).sort();
    const all = { from: iso(0), to: iso(7_200) };
    const found = await drawn(app, all);
    expect([idsOf(found), found.density?.counted]).toEqual([["active"], null]);
    expect(idsOf(await drawn(app, { ...all, selected: "done" }))).toEqual(["active", "done"]);
    // Neither of a window that is over, nor as of an instant of the past.
    expect(idsOf(await drawn(app, { ...all, to: iso(7_100) }))).toEqual([]);
    expect(idsOf(await drawn(app, { ...all, at: iso(7_150), selected: "done" }))).toEqual(["done"]);
  });

  it("has service runs unless they are switched off or a filter is on", async () => {
    const app = memoryApp()
      .invocation("a")
      .execution("s", { start_time: at(1), end_time: at(2) });
    const runs = async (raw: Record<string, string>) => (await drawn(app, raw)).atomic_service_runs.length;
    expect(await runs({ range: "5m" })).toBe(1);
    expect(await runs({ range: "5m", show_atomic_service: "0" })).toBe(0);
    expect(await runs({ range: "5m", task_id: "shop.pay" })).toBe(0);
  });
});

it("a timeline says why it has no events if the layout has none", async () => {
  expect((await drawn(memoryApp({ capabilities: { events: false } }))).unrecorded).not.toBeNull();
  expect((await drawn(memoryApp())).unrecorded).toBeNull();
});

it("a timeline takes the same number of reads for any number of rows", async () => {
  const reads = async (app: MemoryApp) => {
    const { store, calls } = counting(app.store);
    await timeline({ ...app.opened, store }, await readTimelineInput(app.opened, { range: ["5m"] }));
    return calls();
  };
  const few = memoryApp().invocation("a", { history: busy(1, 5) });
  const many = memoryApp();
  for (let n = 0; n < 200; n++) {
    many.invocation(`i${n}`, { history: busy(n % 50, (n % 50) + 1, `r${n}`), parent: `i${n - 1}` }).context(`r${n}`);
    many
      .event(`e${n}`, { emitted_by_invocation_id: `i${n}` })
      .triggerRun(`t${n}`, { participants: [{ event_id: `e${n}` }] });
  }
  expect(await reads(many)).toBeLessThanOrEqual((await reads(few)) + 1);
});
