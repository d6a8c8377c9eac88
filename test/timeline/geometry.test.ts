/** The geometry of a timeline, as properties of generated data and as examples. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TimelineData, TimelineInvocation } from "../../src/api/timeline.ts";
import { epochFromIso, isoFromEpoch } from "../../src/pynenc/time.ts";
import { timelineGeometry } from "../../src/timeline/geometry.ts";
import { traceFile } from "../../src/timeline/trace-events.ts";
import { cases } from "../support/cases.ts";
import { SPAN, START, timelines } from "./worlds.ts";

const TINY = 1e-6;

const WORKER = {
  runner_cls: "PPRWorker",
  hostname: "h",
  pid: 1,
  thread_id: 1,
  busy_seconds: null,
  silent_seconds: null,
};

/** What lanes are. */
const groups = fc.constantFrom("runner" as const, "task" as const);

function within(value: number, low: number, high: number): boolean {
  return value >= low - TINY && value <= high + TINY;
}

describe("the timeline geometry of any data", () => {
  it("has every mark inside the plot and its lane", () => {
    fc.assert(
      fc.property(timelines, fc.tuple(fc.boolean(), fc.boolean()), groups, (data, switches, group) => {
        const [compact, collapseExternal] = switches;
        const geometry = timelineGeometry(data, { compact, collapseExternal, group });
        const lanes = new Map(geometry.lanes.map((lane) => [lane.key, lane]));
        expect(lanes.size).toBe(geometry.lanes.length);
        const inLane = (key: string, y: number) => {
          const lane = lanes.get(key);
          return lane !== undefined && within(y, lane.y, lane.y + lane.height);
        };
        for (const strand of geometry.strands) {
          expect(inLane(strand.lane_key, strand.y)).toBe(true);
          for (const { x, width } of strand.bars) {
            expect(within(x, 0, geometry.width) && within(x + width, 0, geometry.width) && width > 0).toBe(true);
          }
          for (const { x } of strand.points) expect(within(x, 0, geometry.width)).toBe(true);
        }
        for (const marker of geometry.markers) {
          expect(inLane(marker.lane_key, marker.y) && within(marker.x, 0, geometry.width)).toBe(true);
        }
        for (const run of geometry.services) {
          expect(within(run.x, 0, geometry.width) && within(run.x + run.width, 0, geometry.width)).toBe(true);
        }
        const bottom = geometry.lanes.reduce((y, lane) => {
          expect(lane.y).toBeCloseTo(y, 6);
          return lane.y + lane.height;
        }, geometry.axis);
        expect(geometry.height).toBeCloseTo(bottom, 6);
      }),
      { numRuns: cases(60) },
    );
  });

  it("has no two bars of a row that overlap in time", () => {
    fc.assert(
      fc.property(timelines, groups, (data, group) => {
        const rows = new Map<string, [from: number, to: number, id: string][]>();
        const end = epochFromIso(data.end) ?? 0;
        const now = epochFromIso(data.now) ?? 0;
        for (const { lane_key, row, invocation_id, bars } of timelineGeometry(data, { group }).strands) {
          for (const { began, ended, ongoing } of bars) {
            const from = Math.max(START, epochFromIso(began) ?? 0);
            const to =
              ended === null ? (ongoing ? Math.max(from, Math.min(end, now)) : end) : (epochFromIso(ended) ?? 0);
            const key = `${lane_key} ${row}`;
            rows.set(key, [...(rows.get(key) ?? []), [from, Math.min(to, end), invocation_id]]);
          }
        }
        for (const bars of rows.values()) {
          bars.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
          bars.forEach(([from], index) => {
            const before = bars[index - 1];
            expect(before === undefined || before[1] <= from + TINY).toBe(true);
          });
        }
      }),
      { numRuns: cases(60) },
    );
  });

  it("has each status change inside the window once, in the order of the history", () => {
    fc.assert(
      fc.property(timelines, groups, (data, group) => {
        const geometry = timelineGeometry(data, { group });
        for (const { invocation_id, entries } of data.invocations) {
          const own = geometry.strands.filter((strand) => strand.invocation_id === invocation_id);
          const drawn = own.flatMap(({ bars, points }) => [
            ...bars.map((bar) => ({ status: bar.status, at: bar.began, x: bar.x })),
            ...points.map((point) => ({ status: point.status, at: point.at, x: point.x })),
          ]);
          const inside = entries.filter(({ timestamp }) => timestamp >= data.start && timestamp <= data.end);
          const seen = drawn.filter(({ at }) => at >= data.start);
          const words = (list: { status: string; at: string }[]) =>
            list.map(({ status, at }) => `${at} ${status}`).sort();
          expect(words(seen)).toEqual(words(inside.map(({ status, timestamp }) => ({ status, at: timestamp }))));
          const byTime = [...seen].sort((a, b) => (a.at < b.at ? -1 : 1));
          // A bar is widened to be seen, which can push one at the very end of the plot to the left by its least width.
          for (const [index, { x }] of byTime.entries())
            expect(x).toBeGreaterThanOrEqual((byTime[index - 1]?.x ?? 0) - 2);
        }
      }),
      { numRuns: cases(60) },
    );
  });

  it("has relations only between drawn marks, and only those in the data", () => {
    fc.assert(
      fc.property(timelines, (data) => {
        const { relations, strands, markers } = timelineGeometry(data);
        const onMark = (x: number, y: number) =>
          strands.some(
            (strand) =>
              strand.y === y &&
              (strand.bars.some((bar) => within(x, bar.x, bar.x + bar.width)) ||
                strand.points.some((point) => within(x, point.x, point.x))),
          ) || markers.some((marker) => marker.x === x && marker.y === y);
        for (const { kind, from, to, x1, y1, x2, y2, trigger_run_id } of relations) {
          expect(onMark(x1, y1) && onMark(x2, y2)).toBe(true);
          expect(named(data, kind, from, to, trigger_run_id)).toBe(true);
        }
      }),
      { numRuns: cases(60) },
    );
  });

  it("has trace events whose flows have both ends and whose threads have names", () => {
    fc.assert(
      fc.property(timelines, (data) => {
        const geometry = timelineGeometry(data);
        const { traceEvents } = traceFile(geometry);
        const named = new Set(traceEvents.flatMap((e) => (e.name === "thread_name" ? [`${e.pid} ${e.tid}`] : [])));
        const of = (phase: string) => traceEvents.filter((event) => event.ph === phase);
        expect(of("s").map((event) => event.id)).toEqual(of("f").map((event) => event.id));
        expect(of("s")).toHaveLength(geometry.relations.length);
        expect(of("X").filter((event) => !named.has(`${event.pid} ${event.tid}`))).toEqual([]);
        const times = of("X").flatMap(({ ts, dur }) => [ts, dur ?? -1]);
        expect(times.filter((time) => !Number.isInteger(time))).toEqual([]);
        expect(of("X").filter(({ dur }) => (dur ?? -1) < 0)).toEqual([]);
      }),
      { numRuns: cases(60) },
    );
  });
});

function named(data: TimelineData, kind: string, from: string, to: string, run: string | null): boolean {
  if (kind === "direct-call")
    return data.invocations.some((one) => one.invocation_id === to && one.parent_invocation_id === from);
  if (kind === "event-origin")
    return data.events.some((event) => event.event_id === to && event.emitted_by_invocation_id === from);
  if (run === null) return data.invocations.some((one) => one.invocation_id === to && one.parent_event_id === from);
  const causes = data.trigger_runs.find((one) => one.trigger_run_id === run)?.causes ?? [];
  if (kind === "cron-trigger") return from === run && causes.some((cause) => cause.kind === "cron");
  const of = kind.replace("-trigger", "");
  return causes.some((c) => c.kind === of && (of === "event" ? c.event_id : c.source_invocation_id) === from);
}

function invocation(entries: [seconds: number, status: string, runner: string | null][]): TimelineInvocation {
  return {
    invocation_id: "i",
    task_id_key: "tasks.add",
    parent_invocation_id: null,
    parent_event_id: null,
    workflow_root: false,
    arguments: null,
    exception: null,
    entries: entries.map(([seconds, status, runner_id]) => ({
      timestamp: isoFromEpoch(START + seconds),
      status,
      runner_id,
    })),
    afterwards: "ongoing",
  };
}

function drawn(...invocations: TimelineInvocation[]): TimelineData {
  const [empty] = fc.sample(timelines, { numRuns: 1, seed: 1 });
  if (empty === undefined) throw new Error("no sample");
  return {
    ...empty,
    event_counts: null,
    now: isoFromEpoch(START + 30),
    invocations,
    runners: [],
    events: [],
    trigger_runs: [],
    atomic_service_runs: [],
  };
}

describe("lanes by task", () => {
  const of = (id: string, task: string | null, status: string): TimelineInvocation => ({
    ...invocation([
      [1, "registered", "client"],
      [2, "running", "a"],
      [3, status, "a"],
    ]),
    invocation_id: id,
    task_id_key: task,
  });

  it("are ordered by failures, then by name, with invocations without a task last", () => {
    const data = drawn(
      of("1", "t.calm", "success"),
      of("2", "t.bad", "failed"),
      of("3", "t.worst", "failed"),
      of("4", "t.worst", "failed"),
      of("5", "t.able", "success"),
      of("6", null, "success"),
    );
    const service = { atomic_service_run_id: "s", runner_id: "a", start_time: data.start, end_time: null, status: "x" };
    const { lanes, strands, services } = timelineGeometry(
      { ...data, atomic_service_runs: [service] },
      { group: "task" },
    );
    expect(lanes.map(({ kind, task_id_key, failed }) => [kind, task_id_key, failed])).toEqual([
      ["task", "t.worst", 2],
      ["task", "t.bad", 1],
      ["task", "t.able", 0],
      ["task", "t.calm", 0],
      ["taskless", null, 0],
      ["apart", null, 0],
    ]);
    const keyOf = (id: string) => [
      ...new Set(strands.filter((one) => one.invocation_id === id).map((one) => one.lane_key)),
    ];
    expect(keyOf("2")).toEqual([lanes[1]?.key]);
    expect(services[0]?.lane_key).toBe(lanes[5]?.key);
  });

  it("have the events of invocations that are counted instead of drawn, as far as their task has a lane", () => {
    const event = (event_id: string, task: string | null) => ({
      ...{ event_id, event_code: "x", timestamp: isoFromEpoch(START + 2), matched: false, triggered: false },
      ...{ emitted_by_invocation_id: "counted", emitted_by_task_id: task, emitted_by_runner_context_id: "a" },
    });
    const data = drawn(of("1", "t.able", "success"));
    const run = {
      ...{ trigger_run_id: "r", task_id_key: "t.able", claimed_at: null, executed_at: null },
      ...{ triggered_invocation_id: "counted, too", atomic_service_run_id: null, atomic_service_runner_id: null },
      causes: [{ kind: "event" as const, event_id: "e4", source_invocation_id: null, timestamp: null }],
    };
    const events = [event("e1", "t.able"), event("e2", "t.gone"), event("e3", null), event("e4", "t.gone")];
    const own = { ...data, events, trigger_runs: [run] };
    const { lanes, markers } = timelineGeometry(own, { group: "task" });
    expect(lanes.map(({ kind }) => kind)).toEqual(["task", "apart"]);
    expect(markers.map(({ event_id, lane_key }) => [event_id, lane_key])).toEqual([
      ["e1", lanes[0]?.key],
      ["e4", lanes[0]?.key],
      ["e2", lanes[1]?.key],
      ["e3", lanes[1]?.key],
    ]);
  });

  it("have all strands of an invocation in one row", () => {
    const rows = new Map<string, Set<number>>();
    for (const { invocation_id, row } of timelineGeometry(drawn(of("1", "t", "failed"), of("2", "t", "failed")), {
      group: "task",
    }).strands) {
      rows.set(invocation_id, (rows.get(invocation_id) ?? new Set()).add(row));
    }
    expect([...rows.values()].map((one) => [...one])).toEqual([[0], [1]]);
  });

  it("with the fewest marks are put together", () => {
    const many = Array.from({ length: 6 }, (_, n) => of(String(n), `t.${n}`, n === 4 ? "failed" : "success"));
    const { lanes } = timelineGeometry(drawn(...many), { group: "task", maxLanes: 2 });
    expect(lanes.map(({ kind, task_id_key, tasks }) => [kind, task_id_key, tasks])).toEqual([
      ["task", "t.4", 1],
      ["task", "t.0", 1],
      ["other", null, 4],
    ]);
  });
});

describe("the timeline geometry", () => {
  it("shows an invocation that ran twice as two runs with their outcomes, and its way between the runners", () => {
    const twice = invocation([
      [1, "registered", "client"],
      [2, "pending", "a"],
      [3, "running", "a"],
      [10, "running_recovery", "b"],
      [11, "rerouted", "b"],
      [12, "pending", "b"],
      [13, "running", "b"],
      [20, "success", "b"],
    ]);
    const { strands, transitions, width } = timelineGeometry(drawn(twice));
    const runs = strands.flatMap((strand) => strand.bars).filter((bar) => bar.status === "running");
    expect(runs.map(({ outcome, seconds, x }) => [outcome, seconds, x])).toEqual([
      ["running_recovery", 7, (3 / SPAN) * width],
      ["success", 7, (13 / SPAN) * width],
    ]);
    expect(strands.map((strand) => strand.runner_id)).toEqual(["client", "a", "b", "b", "b"]);
    expect(transitions.map((step) => `${step.from_status} ${step.to_status}`)).toEqual([
      "registered pending",
      "running running_recovery",
      "running_recovery rerouted",
      "rerouted pending",
    ]);
  });

  it("draws an earlier status from the left edge, and an ongoing one up to the present", () => {
    const { strands, width } = timelineGeometry(drawn(invocation([[-100, "running", "a"]])));
    expect(strands[0]?.bars).toMatchObject([{ x: 0, width: width / 2, ongoing: true, ended: null, seconds: null }]);
    const later = { ...invocation([[-100, "running", "a"]]), afterwards: "continues" as const };
    expect(timelineGeometry(drawn(later)).strands[0]?.bars).toMatchObject([{ x: 0, width, ongoing: false }]);
  });

  it("keeps everything in a lane at its place when more runs start at the same time", () => {
    const run = (id: string, from: number, to: number): TimelineInvocation => ({
      ...invocation([
        [from, "running", "a"],
        [to, "success", "a"],
      ]),
      invocation_id: id,
    });
    const queued = { ...invocation([[5, "registered", "a"]]), invocation_id: "queued" };
    const child = { ...invocation([[6, "registered", "a"]]), invocation_id: "child", parent_invocation_id: "first" };
    const service = { atomic_service_run_id: "s", runner_id: "a", start_time: isoFromEpoch(START + 7), end_time: null };
    const placed = (...more: TimelineInvocation[]) => {
      const data = drawn(run("first", 1, 20), queued, child, ...more);
      const { lanes, strands, services } = timelineGeometry({
        ...data,
        atomic_service_runs: [{ ...service, status: "running" }],
      });
      const marks = [...strands, ...services.map((one) => ({ ...one, invocation_id: "service", row: -1 }))];
      return { depth: lanes[0]?.height ?? 0, rows: new Map(marks.map((one) => [one.invocation_id, [one.y, one.row]])) };
    };
    const [before, after] = [placed(), placed(run("second", 10, 25), run("third", 15, 25))];
    expect(after.depth).toBeGreaterThan(before.depth);
    expect(new Map([...after.rows].filter(([id]) => before.rows.has(id)))).toEqual(before.rows);
    expect(before.rows.get("child")).toEqual(before.rows.get("first"));
    // From the top: what has no bar, the service, then bars.
    const order = [...after.rows].sort(([, [a = 0]], [, [b = 0]]) => a - b).map(([id]) => id);
    expect(order).toEqual(["queued", "service", "first", "child", "second", "third"]);
  });

  it("has one lane for entries without a runner, and one for each unknown runner", () => {
    const { lanes } = timelineGeometry(
      drawn(
        invocation([
          [1, "registered", null],
          [2, "running", "gone"],
        ]),
      ),
    );
    expect(lanes.map((lane) => [lane.kind, lane.runner?.runner_cls, lane.runner_ids])).toEqual([
      ["runner", null, ["gone"]],
      ["unrecorded", undefined, []],
    ]);
  });

  it("has children below their parent, which is listed even if it did nothing itself", () => {
    const runner = { ...WORKER, hostname: "h", pid: 2, thread_id: 1, parent_runner_id: "parent" };
    const data = {
      ...drawn(
        invocation([
          [1, "pending", "w2"],
          [2, "killed", "w1"],
        ]),
      ),
      runners: [
        { ...runner, runner_id: "w1", pid: 3 },
        { ...runner, runner_id: "w2" },
        { ...runner, runner_id: "parent", runner_cls: "PersistentProcessRunner", pid: 1, parent_runner_id: null },
      ],
    };
    const { lanes } = timelineGeometry(data);
    expect(lanes.map((lane) => [lane.key, lane.depth])).toEqual([
      ["parent", 0],
      ["w2", 1],
      ["w1", 1],
    ]);
  });

  it("has external callers in one lane on request", () => {
    const external = { ...WORKER, runner_cls: "ExternalRunner", parent_runner_id: null };
    const data = {
      ...drawn(
        invocation([
          [1, "registered", "x"],
          [2, "rerouted", "y"],
        ]),
      ),
      runners: ["x", "y"].map((runner_id) => ({ ...external, runner_id })),
    };
    expect(timelineGeometry(data).lanes.map((lane) => lane.runner_ids)).toEqual([["x", "y"]]);
    const apart = timelineGeometry(data, { collapseExternal: false });
    expect(apart.lanes.map((lane) => lane.runner_ids)).toEqual([["x"], ["y"]]);
  });

  it("has lanes for idle runners, below their parents, and one lane for many of them", () => {
    const idle = (many: number) => ({
      ...drawn(invocation([[1, "running", "w"]])),
      runners: [
        { ...WORKER, runner_id: "parent", runner_cls: "PersistentProcessRunner", parent_runner_id: null },
        { ...WORKER, runner_id: "w", parent_runner_id: "parent", busy_seconds: 3 },
        // Whether it did nothing is not known: it has no mark, and no lane.
        { ...WORKER, runner_id: "x", parent_runner_id: "parent" },
        ...Array.from({ length: many }, (_, n) => ({
          ...{ ...WORKER, runner_id: `idle ${n}`, parent_runner_id: "parent", busy_seconds: 0 },
        })),
      ],
    });
    expect(timelineGeometry(idle(6)).lanes.map(({ key, depth }) => [key, depth])).toEqual([
      ["parent", 0],
      ...[0, 1, 2, 3, 4, 5].map((n) => [`idle ${n}`, 1]),
      ["w", 1],
    ]);
    const { lanes } = timelineGeometry(idle(7));
    expect(lanes.map(({ kind, runner_ids }) => [kind, runner_ids.length])).toEqual([
      ["runner", 1],
      ["runner", 1],
      ["idle", 7],
    ]);
    expect(timelineGeometry(idle(2), { group: "task" }).lanes.map(({ kind }) => kind)).toEqual(["task"]);
  });

  it("has several one-shot workers of a runner in one lane below it", () => {
    const process = WORKER;
    const child = (runner_id: string, parent_runner_id: string, runner_cls = "ProcessRunnerWorker") => ({
      ...{ ...process, runner_id, parent_runner_id, runner_cls },
    });
    const ids = ["p1 a", "p1 b", "p1 c", "p2 a", "t a", "t b"];
    const data = {
      ...drawn(...ids.map((id, n) => ({ ...invocation([[n, "running", id]]), invocation_id: `i${n}` })), {
        ...invocation([[9, "success", "p1 b"]]),
        invocation_id: "again",
      }),
      runners: [
        { ...process, runner_id: "p1", runner_cls: "ProcessRunner", parent_runner_id: null },
        { ...process, runner_id: "t", runner_cls: "PersistentProcessRunner", parent_runner_id: null },
        ...["p1 a", "p1 b", "p1 c"].map((id) => child(id, "p1")),
        // Alone: its lane says more.
        child("p2 a", "p2"),
        ...["t a", "t b"].map((id) => child(id, "t", "PPRWorker")),
      ],
    };
    const shown = (options = {}) =>
      timelineGeometry(data, options).lanes.map(({ kind, runner_ids, depth }) => [kind, runner_ids.join(), depth]);
    const others = [
      ["runner", "t", 0],
      ["runner", "t a", 1],
      ["runner", "t b", 1],
    ];
    const first = shown();
    expect(first).toEqual(
      expect.arrayContaining([
        ["runner", "p1", 0],
        ["one-shot", "p1 a,p1 b,p1 c", 1],
        ["runner", "p2 a", 1],
        ...others,
      ]),
    );
    expect(first.findIndex(([, id]) => id === "p1")).toBe(first.findIndex(([kind]) => kind === "one-shot") - 1);
    // One lane, however many lanes there may be.
    expect(shown({ maxLanes: 2 })).toContainEqual(["one-shot", "p1 a,p1 b,p1 c", 1]);
    expect(shown({ collapseExternal: false })).toEqual(
      expect.arrayContaining([["runner", "p1 a", 1], ["runner", "p1 b", 1], ["runner", "p1 c", 1], ...others]),
    );
    expect(timelineGeometry(data).strands).toHaveLength(ids.length + 1);
  });

  it("has slices cut at the window, with links to the whole slices", () => {
    const rows = [{ runner_id: "a", task_id_key: null, status: "success", counts: [1, 2, 3] }];
    const from = isoFromEpoch(START - SPAN / 4);
    const density = {
      counted: null,
      busy: null,
      whole: true,
      from,
      slice_seconds: SPAN / 2,
      slices: 3,
      totals: [1, 2, 3],
      rows,
    };
    const { cells, slices, width } = timelineGeometry({ ...drawn(), density });
    const quarters = [0, 1, 3, 4].map((n) => (n * width) / 4);
    expect(cells[0]?.runs.map(({ x, width: w }) => [x, x + w])).toEqual([
      [quarters[0], quarters[1]],
      [quarters[1], quarters[2]],
      [quarters[2], quarters[3]],
    ]);
    expect(slices.map(({ x, start, end, total }) => [x, start, end, total])).toEqual([
      [quarters[0], from, isoFromEpoch(START + SPAN / 4), 1],
      [quarters[1], isoFromEpoch(START + SPAN / 4), isoFromEpoch(START + (3 * SPAN) / 4), 2],
      [quarters[2], isoFromEpoch(START + (3 * SPAN) / 4), isoFromEpoch(START + (5 * SPAN) / 4), 3],
    ]);
    // Where only what is in the window was counted, that is what they name and lead to.
    const cut = timelineGeometry({ ...drawn(), density: { ...density, whole: false } }).slices;
    expect([cut[0]?.start, cut[0]?.end, cut[2]?.start, cut[2]?.end]).toEqual([
      isoFromEpoch(START),
      isoFromEpoch(START + SPAN / 4),
      isoFromEpoch(START + (3 * SPAN) / 4),
      isoFromEpoch(START + SPAN),
    ]);
  });

  it("has a lane above the others for events that are too many to draw, as high as their counts", () => {
    const counts = { slices: 4, totals: [0, 2, 2, 4], cap: 1_000 };
    const event_counts = { ...counts, from: isoFromEpoch(START), slice_seconds: SPAN / 4 };
    const { lanes, cells, width } = timelineGeometry({ ...drawn(invocation([[1, "running", "a"]])), event_counts });
    expect(lanes.map(({ kind }) => kind)).toEqual(["events", "runner"]);
    const [events, ...others] = cells;
    expect([others, events?.of, events?.total, events?.most]).toEqual([[], "events", 8, 4]);
    const columns = events?.runs.map((run) => [run.x / width, run.width / width, run.height / events.height]);
    expect(columns).toEqual([
      [0.25, 0.5, 0.5],
      [0.75, 0.25, 1],
    ]);
    expect(events?.y).toBeGreaterThan(lanes[0]?.y ?? Number.NaN);
    expect((events?.y ?? 0) + (events?.height ?? 0)).toBeLessThanOrEqual((lanes[0]?.y ?? 0) + (lanes[0]?.height ?? 0));
  });

  it("keeps the busiest lanes and puts the others together", () => {
    const many = Array.from({ length: 9 }, (_, n) => ({
      ...invocation([[n, "running", `r${n}`]]),
      invocation_id: `i${n}`,
    }));
    const { lanes } = timelineGeometry(drawn(...many), { maxLanes: 3 });
    expect(lanes.map((lane) => lane.runner_ids.length)).toEqual([1, 1, 1, 6]);
    expect(lanes.at(-1)?.kind).toBe("other");
  });
});
