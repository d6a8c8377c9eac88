/** The drawing of hostile and of odd data; what holds for real data is in test/http/timeline.test.ts. */
import type { VNode } from "preact";
import { expect, test } from "vitest";
import type { TimelineData, TimelineDensity } from "../../../src/api/timeline.ts";
import { type GeometryOptions, timelineGeometry } from "../../../src/timeline/geometry.ts";
import { TimelineLegend } from "../../../templates/fragments/timeline/timeline-legend.tsx";
import { TimelineSvg } from "../../../templates/svg/timeline.tsx";
import { TimelineFile } from "../../../templates/svg/timeline-file.tsx";
import { dom, HOSTILE, html } from "../render.tsx";

const at = (seconds: number) => `2026-11-21T00:00:${String(seconds).padStart(2, "0")}.000000+00:00`;

const data: TimelineData = {
  start: at(0),
  end: at(10),
  now: at(20),
  invocations: [
    {
      invocation_id: HOSTILE,
      task_id_key: HOSTILE,
      parent_invocation_id: null,
      parent_event_id: null,
      workflow_root: true,
      arguments: HOSTILE,
      exception: { type: HOSTILE, message: HOSTILE },
      entries: [
        { timestamp: at(1), status: HOSTILE, runner_id: HOSTILE },
        { timestamp: at(2), status: "running", runner_id: HOSTILE },
        { timestamp: at(5), status: "success", runner_id: HOSTILE },
      ],
      afterwards: "ongoing",
    },
  ],
  runners: [
    {
      runner_id: HOSTILE,
      runner_cls: HOSTILE,
      hostname: HOSTILE,
      pid: 1,
      thread_id: 2,
      parent_runner_id: null,
      busy_seconds: null,
      silent_seconds: null,
    },
  ],
  events: [
    {
      event_id: HOSTILE,
      event_code: HOSTILE,
      timestamp: at(3),
      matched: true,
      triggered: false,
      emitted_by_invocation_id: HOSTILE,
      emitted_by_task_id: HOSTILE,
      emitted_by_runner_context_id: null,
    },
  ],
  trigger_runs: [],
  atomic_service_runs: [
    { atomic_service_run_id: HOSTILE, runner_id: HOSTILE, start_time: at(1), end_time: null, status: HOSTILE },
  ],
  event_counts: { from: at(0), slice_seconds: 5, slices: 2, totals: [0, 4], cap: 3 },
  density: {
    counted: null,
    whole: false,
    busy: null,
    from: at(0),
    slice_seconds: 5,
    slices: 2,
    totals: [3, 2],
    rows: [{ runner_id: HOSTILE, task_id_key: null, status: HOSTILE, counts: [3, 2] }],
  },
  occupancy: null,
  counts: {
    changes: { total: 8, drawn: 3, exact: true },
    invocations: { total: 2, drawn: 1 },
    events: { total: 1, capped: false, drawn: 1 },
    trigger_runs: { total: 0, capped: false, drawn: 0 },
    atomic_service_runs: { total: 1, capped: false, drawn: 1 },
  },
};

const drawing = (options: GeometryOptions = {}, drawn = data) => (
  <TimelineSvg
    geometry={timelineGeometry(drawn, options)}
    label="Timeline"
    sliceHref={({ start_date, end_date }) => `/slice?${start_date},${end_date}`}
  />
);

test("stored text in a timeline never becomes markup, a class or an address", () => {
  const root = dom(drawing());
  expect(html(drawing())).not.toContain("<script");
  expect(root.querySelectorAll("[onerror], [style], script, img")).toEqual([]);
  for (const text of root.querySelectorAll("text, title").map((element) => element.text)) {
    expect(["\u0000", "\u001b", "\u202e"].filter((unseen) => text.includes(unseen))).toEqual([]);
  }
  expect(root.querySelector("circle.point")?.getAttribute("class")).toBe("point status-unknown");
  expect(root.querySelector(".service")?.getAttribute("class")).toBe("service service-other");
  for (const a of root.querySelectorAll("a")) expect(a.getAttribute("href")).toMatch(/^\/[a-z]/);
});

test("runs of the atomic service that follow each other closely are one mark, which leads to their part of the window", () => {
  const part = Math.ceil(10_000 / 24);
  const begins = Math.ceil(Date.parse(at(2)) / part) * part;
  const run = (id: string, after: number, status = "completed") => {
    const [start_time, end_time] = [after, after + 5].map((ms) => new Date(begins + ms).toISOString());
    return {
      atomic_service_run_id: id,
      runner_id: HOSTILE,
      start_time: start_time ?? "",
      end_time: end_time ?? "",
      status,
    };
  };
  const close = ["a", "b", "c", "d"].map((id, at) => run(id, 50 * at));
  const others = [run("selected", 200), run("blocked", 220, "blocked"), run("next", part), run("later", part + 50)];
  const drawn = { ...data, atomic_service_runs: [...close, ...others] };
  const marksOf = (markup: VNode) =>
    dom(markup)
      .querySelectorAll(".service")
      .map((mark) => ({
        id: mark.getAttribute("data-atomic-service-run-id") ?? null,
        runs: mark.querySelectorAll("rect").length,
        href: mark.getAttribute("href") ?? "",
        title: mark.querySelector("title")?.text.split("\n")[0],
      }));
  const geometry = timelineGeometry(drawn);
  const sliceHref = ({ start_date, end_date }: { start_date: string; end_date: string }) =>
    `/${start_date},${end_date}`;
  const marks = marksOf(<TimelineSvg geometry={geometry} label="" sliceHref={sliceHref} selected={["selected"]} />);
  const [from, to] = [begins, begins + part].map((ms) => new Date(ms).toISOString().replace("Z", "000"));
  expect(marks.find(({ id }) => id === null)).toEqual({
    ...{ id: null, runs: 4, href: `/${from},${to}` },
    title: "4 completed runs of the atomic service",
  });
  expect(marks.flatMap(({ id }) => id ?? []).sort()).toEqual(["blocked", "later", "next", "selected"]);
  // Without an address of a part there is no other way to each of them.
  expect(marksOf(<TimelineSvg geometry={geometry} label="" />)).toHaveLength(8);
});

test("counted invocations in a timeline can be zoomed into, slice by slice", () => {
  const root = dom(drawing());
  const slices = root.querySelectorAll("a.slice");
  expect(slices.map((slice) => [slice.getAttribute("href"), slice.getAttribute("data-count")])).toEqual([
    ["/slice?2026-11-21T00:00:00.000000,2026-11-21T00:00:05.000000", "3"],
    ["/slice?2026-11-21T00:00:05.000000,2026-11-21T00:00:10.000000", "2"],
  ]);
  expect(root.querySelectorAll(".lane-cells path").length).toBeGreaterThan(0);
});

test("a slice of a timeline says in which lanes something failed, the most first, and how many lanes more", () => {
  const row = (task: string, status: string, counts: number[]) => ({
    ...{ runner_id: null, task_id_key: `shop.${task}`, status, counts },
  });
  const rows = [
    row("pay", "success", [9, 9]),
    row("pay", "failed", [1, 0]),
    row("ship", "failed", [1, 0]),
    row("ship", "killed", [2, 0]),
    ...["a", "b", "c", "d"].map((task) => row(task, "failed", [1, 0])),
  ];
  const density = { ...(data.density as TimelineDensity), rows, totals: [18, 9] };
  const root = dom(drawing({ group: "task" }, { ...data, invocations: [], density }));
  const titles = root
    .querySelectorAll("a.slice")
    .map((slice) => slice.querySelector("title")?.text.split("\n").slice(1));
  expect(titles).toEqual([
    ["18 status changes", "8 failed or killed: ship 3, pay 1, a 1, b 1, c 1, 1 more lane"],
    ["9 status changes"],
  ]);
});

test("a run in a timeline carries its task, arguments and duration if it is wide enough, but not in a compact one", () => {
  const words = dom(drawing()).querySelectorAll(".strand .bar-words");
  expect(words).toHaveLength(1);
  expect(words[0]?.text).toMatch(/, run 3 s, /);
  expect(dom(drawing({ compact: true })).querySelectorAll(".strand .bar-words")).toEqual([]);
});

test("a run in a timeline that was paused is named with the sum of its parts", () => {
  const step = (seconds: number, status: string) => ({ timestamp: at(seconds), status, runner_id: HOSTILE });
  const entries = [step(1, "running"), step(2, "paused"), step(3, "running"), step(5, "success")];
  const paused = { ...data, invocations: data.invocations.map((one) => ({ ...one, entries })) };
  expect(dom(drawing({}, paused)).querySelector(".bar-words")?.text).toMatch(/, run 3 s in 2 parts, /);
});

test("a run whose runner died is drawn and named as on a silent runner, taken by a recovery or not", () => {
  const silent = (more: number) => {
    const invocations = data.invocations.map((one) => ({
      ...one,
      entries: one.entries.flatMap((entry) =>
        entry.status === "running"
          ? [{ ...entry, dead_from: entry.timestamp }]
          : entry.timestamp < at(more)
            ? [entry]
            : [],
      ),
    }));
    const root = dom(drawing({}, { ...data, invocations }));
    return [root.querySelector(".bar-words")?.text, root.querySelector(".bar.dead")?.getAttribute("class")];
  };
  for (const more of [0, 20]) {
    expect(silent(more)).toEqual([
      expect.stringContaining(", on a silent runner, "),
      expect.stringContaining("status-running_recovery"),
    ]);
  }
});

test("a compact timeline is lower and has no words beside its markers", () => {
  const height = (options: GeometryOptions) =>
    Number(dom(drawing(options)).querySelector(".timeline-plot")?.getAttribute("height"));
  expect(height({ compact: true })).toBeLessThan(height({}));
  expect(dom(drawing({ compact: true })).querySelectorAll(".marker .bar-words")).toEqual([]);
  expect(dom(drawing()).querySelectorAll(".marker .bar-words")).toHaveLength(1);
});

test("marks of a timeline are where the geometry places them, in their lanes", () => {
  const geometry = timelineGeometry({ ...data, end: at(13), event_counts: null });
  const root = dom(<TimelineSvg geometry={geometry} label="" />);
  /** Of an element of the plot: the sum of what it and those around it are moved by; across in percent. */
  const placed = (selector: string, [across, down]: [string, string] = ["x", "y"]) => {
    const shape = root.querySelector(`.timeline-plot ${selector}`);
    const lane = Number(
      /^translate\(0 ([\d.]+)\)$/.exec(shape?.closest("g[transform]")?.getAttribute("transform") ?? "")?.[1],
    );
    const own = (name: string) => Number.parseFloat(shape?.getAttribute(name) ?? "");
    return { x: own(across), y: lane + own(down) };
  };
  const share = (x: number) => (x / geometry.width) * 100;
  const strand = geometry.strands.find(({ bars }) => bars.length > 0);
  const [bar] = strand?.bars ?? [];
  const [service] = geometry.services;
  const [marker] = geometry.markers;
  if (strand === undefined || bar === undefined || service === undefined || marker === undefined)
    throw new Error("none");
  const near = (x: number, y: number) => ({ x: expect.closeTo(share(x), 2), y: expect.closeTo(y, 0.5) });
  expect(placed(".strand .bar")).toEqual(near(bar.x, strand.y - geometry.barHeight / 2));
  expect(placed(".service rect")).toEqual(near(service.x, service.y));
  expect(placed(".marker-shape")).toEqual(near(marker.x, marker.y));
  expect(placed(".stem", ["x1", "y1"])).toEqual(near(marker.x, marker.y));
  expect(placed(".stem", ["x2", "y2"])).toEqual(near(marker.x, marker.stem ?? 0));
});

test("a timeline in a file has no links", () => {
  const file = <TimelineFile geometry={timelineGeometry(data)} title="kitchen_sink" styles=".bar > .x { fill: red }" />;
  const root = dom(file);
  expect(root.querySelectorAll("a, [href], [src]")).toEqual([]);
  expect(root.querySelectorAll("[data-invocation-id]").length).toBeGreaterThan(0);
  expect(html(file)).toContain("<style>.bar > .x { fill: red }</style>");
});

test.each([
  ["ExternalRunner@vm-30360", "ExternalRunner@vm-30360", "vm-30360"],
  ["ExternalRunner@backoffice.example-77", "ExternalRunner@ba…ample-77", "backoff…-77"],
])("the label of a runner such as %s is cut once, and has a short name for phones, without its class", (id, ...cut) => {
  const runner = (runner_id: string, runner_cls: string) => ({ ...data.runners[0], runner_id, runner_cls });
  const ids = ["b6276e23-0000-4000-8000-000000000000", id];
  const runners = [runner(ids[0] ?? "", "ThreadRunner"), runner(id, "ExternalRunner")];
  const invocations = data.invocations.map((one) => ({
    ...one,
    entries: one.entries.map((entry, n) => ({ ...entry, runner_id: ids[n % 2] ?? null })),
  }));
  const geometry = timelineGeometry({ ...data, runners, invocations } as TimelineData, { compact: true });
  const names = dom(<TimelineSvg geometry={geometry} label="" />)
    .querySelectorAll(".lane-name")
    .map((name) => [".lane-wide", ".lane-narrow"].map((one) => name.querySelector(one)?.text));
  expect(names).toEqual(expect.arrayContaining([["ThreadRunner b6276e23", "b6276e23"], cut]));
});

test("a lane that becomes higher moves the drawings below it without changing them", () => {
  const runner = (id: string) => ({ ...data.runners[0], runner_id: id, runner_cls: "ThreadRunner", hostname: id });
  const invocation = (
    id: string,
    parent: string | null,
    ...entries: [second: number, status: string, runner: string][]
  ) => ({
    ...data.invocations[0],
    invocation_id: id,
    task_id_key: "tasks.add",
    parent_invocation_id: parent,
    entries: entries.map(([second, status, runner_id]) => ({ timestamp: at(second), status, runner_id })),
  });
  const below = [
    invocation("b", null, [1, "running", "r1"], [8, "success", "r1"]),
    invocation("c", "b", [2, "registered", "r1"], [4, "running", "r2"], [6, "success", "r2"]),
  ];
  const above = ["a", "d"].map((id) => invocation(id, null, [1, "running", "r0"], [9, "success", "r0"]));
  const drawn = [1, 2].map((n) => {
    const invocations = [...above.slice(0, n), ...below];
    const one = {
      ...data,
      invocations,
      runners: ["r0", "r1", "r2"].map(runner),
      events: [],
      atomic_service_runs: [],
      density: null,
      event_counts: null,
    } as TimelineData;
    const root = dom(<TimelineSvg geometry={timelineGeometry(one)} label="Timeline" />);
    const own = (selector: string) => root.querySelectorAll(selector).map((element) => element.outerHTML);
    const lanes = root.querySelectorAll(".lane-label").map((lane) => lane.getAttribute("transform"));
    return {
      lines: own(".transition, .relation"),
      strands: own(".strand").filter((strand) => /data-invocation-id="[bc]"/.test(strand)),
      labels: root
        .querySelectorAll(".lane-label")
        .slice(1)
        .map((lane) => lane.innerHTML),
      lanes: lanes.slice(1),
    };
  });
  const [before, after] = drawn;
  expect([before?.lines.length, before?.strands.length, before?.labels.length]).toEqual([2, 3, 2]);
  expect({ ...after, lanes: [] }).toEqual({ ...before, lanes: [] });
  expect(after?.lanes).not.toEqual(before?.lanes);
});

test("more than 100 lines between runners are marked as many, and the legend says when scripts show them", () => {
  const runners = ["r1", "r2"].map((id) => ({ ...data.runners[0], runner_id: id, runner_cls: "ThreadRunner" }));
  const drawn = (count: number) => {
    const invocations = Array.from({ length: count }, (_, n) => ({
      ...data.invocations[0],
      invocation_id: `i${n}`,
      entries: [
        { timestamp: at(1), status: "registered", runner_id: "r1" },
        { timestamp: at(2), status: "running", runner_id: "r2" },
      ],
    }));
    const geometry = timelineGeometry({ ...data, runners, invocations, events: [] } as TimelineData);
    const root = dom(
      <div>
        <TimelineSvg geometry={geometry} label="Timeline" />
        <TimelineLegend geometry={geometry} />
      </div>,
    );
    return {
      count: root.querySelectorAll(".transition").filter((one) => one.closest(".legend") === null).length,
      group: root.querySelector(".transitions")?.getAttribute("class"),
      legend: root
        .querySelectorAll(".legend li")
        .map((entry) => entry.text)
        .filter((text) => text.includes("went next")),
    };
  };
  expect([100, 101].map(drawn)).toEqual([
    { count: 100, group: "transitions", legend: ["where an invocation went next"] },
    {
      count: 101,
      group: "transitions transitions-many",
      legend: ["where an invocation went next, shown for what is pointed at or selected"],
    },
  ]);
});

test("a lane on a phone says how many failed, what a runner did, or what a cause has to do with its task", () => {
  const narrow = (options: GeometryOptions, changes: object) =>
    dom(<TimelineSvg geometry={timelineGeometry({ ...data, ...changes } as TimelineData, options)} label="" />)
      .querySelectorAll(".lane-place .lane-narrow")
      .map((words) => words.text);
  const invocation = (more: object, status = "success") => ({
    ...{ ...data.invocations[0], task_id_key: "shop.pay", ...more },
    entries: [
      { timestamp: at(2), status: "running", runner_id: HOSTILE },
      { timestamp: at(5), status, runner_id: HOSTILE },
    ],
  });
  expect(narrow({ group: "task" }, { invocations: [invocation({}, "failed")] })).toContain("1 failure");
  expect(narrow({ group: "cause" }, { invocations: [invocation({ origin: "called by shop.order" })] })).toContain(
    "called by",
  );
  expect(narrow({}, { runners: [{ ...data.runners[0], busy_seconds: 3 }] })).toContain("busy 3 s");
  expect(narrow({}, { runners: [{ ...data.runners[0], busy_seconds: 150 }] })).toContain("busy 2 min");
});

test("a lane of columns says how many invocations a silent runner holds, because no column counts that time", () => {
  const density = (silent: number) => ({
    ...{ from: at(0), slice_seconds: 5, slices: 2, totals: [1, 0], counted: null, whole: false },
    rows: [{ runner_id: null, task_id_key: "shop.pay", status: "failed", counts: [1, 0] }],
    busy: [{ runner_id: null, task_id_key: "shop.pay", busy_seconds: [1, 0], silent }],
  });
  const lane = (silent: number) => {
    const changes = {
      ...{ invocations: [], events: [], atomic_service_runs: [], event_counts: null },
      density: density(silent),
    };
    const geometry = timelineGeometry({ ...data, ...changes } as TimelineData, { group: "task" });
    const label = dom(<TimelineSvg geometry={geometry} label="" />).querySelector(".lane-label");
    return [label?.querySelector(".lane-place .lane-wide")?.text, label?.querySelector("title")?.text];
  };
  expect([0, 2].map(lane)).toEqual([
    ["1 failed or killed · shop", "shop.pay"],
    ["1 failed or killed · 2 silent · shop", "shop.pay\n2 invocations on a silent runner: no column counts that time"],
  ]);
});

test("the legend has the texture of runs that failed or were killed, and failed where that is only counted", () => {
  const legend = (changes: object) =>
    dom(<TimelineLegend geometry={timelineGeometry({ ...data, ...changes } as TimelineData)} />).querySelectorAll(
      ".legend li",
    );
  const [one] = data.invocations;
  const killed = [
    { timestamp: at(2), status: "running", runner_id: HOSTILE },
    { timestamp: at(5), status: "killed", runner_id: HOSTILE },
  ];
  const entry = legend({ invocations: [{ ...one, entries: killed }] }).find(({ text }) => text.trim() === "killed");
  expect(entry?.querySelector(".bar-texture")?.getAttribute("fill")).toMatch(/^url\(#texture-/);
  const row = { runner_id: HOSTILE, task_id_key: null, status: "failed", counts: [1, 0] };
  const density = {
    ...{ from: at(0), slice_seconds: 5, slices: 2, totals: [1, 0], rows: [row] },
    ...{ busy: null, counted: null, whole: false },
  };
  expect(legend({ invocations: [], density }).map(({ text }) => text.trim())).toContain("failed");
});
