/** The timeline of real data: page, JSON, files, and the ways that lead into it. */
import { type HTMLElement, parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import type { Timeline } from "../../src/api/timeline.ts";
import type { TraceFile } from "../../src/timeline/trace-events.ts";
import { factsOf, sum } from "../support/fixtures.ts";
import { monitorOf, sharedMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const facts = factsOf("kitchen_sink.db", APP);
const PATH = "/invocations/timeline";
/** All of the fixture's data lies in it. */
const ALL = "start_date=2026-11-21T00:34:00&end_date=2026-11-21T00:38:00";
const BUSY = "start_date=2026-11-21T00:34:35&end_date=2026-11-21T00:35:00&open=*";

const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { alone: APP }));

const data = (query: string) => monitor.json<Timeline>(`${PATH}?${query}`);
const page = async (query: string) => parse(await monitor.text(`${PATH}?${query}`));
const attribute = (root: HTMLElement, selector: string, name: string) =>
  root.querySelectorAll(selector).map((element) => element.getAttribute(name) ?? "");

describe("a timeline of all the data", () => {
  it("draws every invocation with every status change, and counts what it does not draw", async () => {
    const found = await data(`${ALL}&limit=5000&open=*`);
    expect(found.counts).toEqual({
      changes: { total: facts.history_rows, drawn: facts.history_rows, exact: true },
      invocations: { total: sum(facts.statuses), drawn: sum(facts.statuses) },
      events: { total: facts.events, capped: false, drawn: facts.events },
      trigger_runs: { total: facts.trigger_runs, capped: false, drawn: facts.trigger_runs },
      atomic_service_runs: { total: sum(facts.executions ?? {}), capped: false, drawn: sum(facts.executions ?? {}) },
    });
    expect(found.density).toBeNull();
    expect(found.notes).toEqual([]);
    const statuses: Record<string, number> = {};
    for (const { entries } of found.invocations) {
      const last = entries.at(-1)?.status ?? "";
      statuses[last] = (statuses[last] ?? 0) + 1;
    }
    expect(statuses).toEqual(facts.statuses);
    const classes: Record<string, number> = {};
    for (const { runner_cls } of found.runners) classes[runner_cls ?? ""] = (classes[runner_cls ?? ""] ?? 0) + 1;
    expect(classes).toEqual(facts.runner_contexts);
    expect(found.invocations.filter((one) => one.workflow_root).length).toBeGreaterThan(10);
  });

  it("counts in strips what a lower limit does not draw, so that every status change is in one of both", async () => {
    const { counts, density } = await data(`${ALL}&limit=20`);
    expect(counts.changes.drawn + sum(Object.fromEntries((density?.totals ?? []).entries()))).toBe(facts.history_rows);
    const root = await page(`${ALL}&limit=20`);
    expect(root.querySelectorAll(".lane-cells").length).toBeGreaterThan(3);
    expect(root.querySelectorAll("a.slice").length).toBeGreaterThan(10);
    expect(root.querySelectorAll("a.lane-switch").length).toBeGreaterThan(3);
  });

  it("ignores what old bookmarks say of its scale", async () => {
    const strands = async (more: string) => attribute(await page(`${BUSY}${more}`), ".strand", "data-invocation-id");
    const drawn = await strands("");
    expect(drawn.length).toBeGreaterThan(10);
    expect(await strands("&resolution=100ms&breaks=1")).toEqual(drawn);
  });

  it("shows an invocation that ran twice with both runs, on two runners", async () => {
    const { invocations } = await data(`${ALL}&limit=5000&open=*`);
    const twice = invocations.filter(({ entries }) => entries.filter((e) => e.status === "running").length > 1);
    expect(twice.length).toBeGreaterThan(3);
    const recovered = twice.find(({ entries }) => entries.some((entry) => entry.status === "running_recovery"));
    const root = await page(`inv_ids=${recovered?.invocation_id}`);
    const { entries = [] } = recovered ?? {};
    // What is left of a run after its runner died is a bar of its own.
    const ends = entries.flatMap(({ status, timestamp, dead_from = timestamp }, i) => {
      const end = entries[i + 1]?.status ?? "";
      return status !== "running" ? [] : dead_from > timestamp ? [end, end] : [end];
    });
    const runs = attribute(root, '.timeline-plot .bar[data-status="running"]', "data-outcome");
    expect(runs.sort()).toEqual(ends.sort());
    expect(runs).toContain("running_recovery");
    expect(new Set(attribute(root, ".strand", "data-runner-id")).size).toBeGreaterThan(1);
  });
});

describe("the drawing of the timeline", () => {
  it("has its window as attributes, and every mark is a link with a name", async () => {
    const root = await page(BUSY);
    const plot = root.querySelector("svg.timeline-plot");
    expect(plot?.getAttribute("data-start")).toBe("2026-11-21T00:34:35.000000");
    expect(plot?.getAttribute("data-end")).toBe("2026-11-21T00:35:00.000000");
    expect(plot?.getAttribute("data-plot-width")).toBe("1200");
    for (const selector of ["a.strand", "a.marker", "a.service", "a.lane-link"]) {
      const marks = root.querySelectorAll(selector);
      expect([selector, marks.length > 1]).toEqual([selector, true]);
      for (const mark of marks) {
        expect(mark.getAttribute("href")).toMatch(/^\/(invocations|events|trigger-runs|runners)\//);
        expect(mark.querySelector("title")?.text ?? "").not.toBe("");
      }
    }
    const hrefs = [...new Set(attribute(root, ".timeline a", "href"))];
    for (const href of hrefs.slice(0, 60)) {
      expect([href, (await monitor.get(href.replaceAll("&amp;", "&"))).status]).toEqual([href, 200]);
    }
    expect(root.querySelectorAll("[style]")).toEqual([]);
  });

  it("draws relations only for recorded causes", async () => {
    const found = await data(`${ALL}&limit=5000&open=*`);
    const root = await page(`${ALL}&limit=5000&open=*`);
    const kinds = new Set(attribute(root, ".timeline-plot .relation", "data-relation-kind"));
    expect([...kinds].sort()).toEqual([
      "cron-trigger",
      "direct-call",
      "event-trigger",
      "exception-trigger",
      "result-trigger",
      "status-trigger",
    ]);
    const calls = root.querySelectorAll('.relation[data-relation-kind="direct-call"]');
    expect(calls).toHaveLength(found.invocations.filter((one) => one.parent_invocation_id !== null).length);
    const services = new Set(found.atomic_service_runs.map((run) => run.atomic_service_run_id));
    for (const relation of root.querySelectorAll(".timeline-plot .relation")) {
      expect(services.has(relation.getAttribute("data-from") ?? "")).toBe(false);
      expect(services.has(relation.getAttribute("data-to") ?? "")).toBe(false);
    }
  });

  it("outlines invocations that define a workflow run, and marks the selected one", async () => {
    const { invocations } = await data(BUSY);
    const [root_] = invocations.filter((one) => one.workflow_root);
    const root = await page(`${BUSY}&selected=${root_?.invocation_id}`);
    expect(root.querySelectorAll(".workflow-root").length).toBeGreaterThan(0);
    expect(new Set(attribute(root, ".strand.selected", "data-invocation-id"))).toEqual(new Set([root_?.invocation_id]));
  });
});

it("a timeline around an event selects its marker", async () => {
  const event = "c0baec27-3325-4d0f-8485-a0cb205c8e46";
  const root = await page(`focus_event=${event}`);
  expect(attribute(root, ".marker.selected", "data-event-id")).toEqual([event]);
});

describe("links to other windows", () => {
  it("work without scripts, and have addresses without an offset", async () => {
    const root = await page(BUSY);
    const moves = root.querySelectorAll("[data-move]");
    expect(moves.map((move) => move.getAttribute("data-move"))).toEqual([
      "earlier",
      "zoom-in",
      "zoom-out",
      "later",
      "fit",
      "all",
    ]);
    for (const href of moves.map((move) => (move.getAttribute("href") ?? "").replaceAll("&amp;", "&"))) {
      expect(decodeURIComponent(href)).not.toContain("+00:00");
      expect((await monitor.get(href)).status).toBe(200);
    }
  });

  it("of the presets lead back to the present, and keep the filter but not the window", async () => {
    const root = await page(`${BUSY}&task_id=tasks.add`);
    const hour = root.querySelectorAll("#time-range a").find((link) => link.text === "Last hour");
    expect(hour?.getAttribute("href")).toBe("/invocations/timeline?open=*&task_id=tasks.add&range=1h");
    expect(root.querySelector("#time-range [aria-current]")).toBeNull();
    const chosen = await page("time_range=1h");
    expect(chosen.querySelector("#time-range [aria-current]")?.text).toBe("Last hour");
    expect(chosen.querySelector('.filter-form input[type="hidden"][name="range"]')?.getAttribute("value")).toBe("1h");
  });

  it("are named in the header by a length for the present, and by times for the past", async () => {
    const named = async (query: string) => (await page(query)).querySelector("#time-range bdi")?.text;
    const [following, past] = await Promise.all(
      ["", "at=2026-11-21T00:34:40"].map((query) => monitor.json<Timeline>(`/invocations/timeline?${query}`)),
    );
    expect([following?.preset, past?.preset]).toEqual(["5m", null]);
    expect(await named("")).toBe("Last 5 minutes");
    expect(await named("time_range=1h")).toBe("Last hour");
    expect(await named("at=2026-11-21T00:34:40")).toMatch(/^\d\d:\d\d:\d\d to \d\d:\d\d(?::\d\d)?$/);
    expect(await named(BUSY)).toMatch(/^\d\d:\d\d:\d\d to \d\d:\d\d(?::\d\d)?$/);
  });

  it("say when something is recorded if a window is empty", async () => {
    const root = await page("start_date=2026-11-20&end_date=2026-11-20T01:00");
    const text = root.querySelector(".empty")?.text ?? "";
    expect(text).toContain("Nothing is recorded in this window");
    const links = root.querySelectorAll(".empty a").map((a) => (a.getAttribute("href") ?? "").replaceAll("&amp;", "&"));
    for (const href of links) {
      const found = await monitor.json<Timeline>(href);
      expect(found.counts.invocations.drawn).toBeGreaterThan(0);
    }
    expect(links).toHaveLength(2);
  });
});

describe("downloads of the timeline", () => {
  it("are a self-contained SVG, trace events and the data as JSON", async () => {
    const svg = await monitor.get(`${PATH}?${BUSY}&format=svg`);
    expect(svg.headers.get("content-disposition")).toBe('attachment; filename="timeline.svg"');
    const text = await svg.text();
    expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(text).toContain(".timeline-plot");
    expect(text).toContain(".status-running");
    expect(text.match(/(?:href|src|url\(|@import)/g)).toBeNull();

    const trace = (await (await monitor.get(`${PATH}?${BUSY}&format=trace`)).json()) as TraceFile;
    const running = trace.traceEvents.filter((event) => event.ph === "X" && event.cat === "running");
    const found = await data(BUSY);
    const runs = found.invocations.flatMap((one) => one.entries.filter((entry) => entry.status === "running"));
    expect(running).toHaveLength(runs.length);
    const names = trace.traceEvents.flatMap((event) =>
      event.name === "process_name" ? [String(event.args?.name)] : [],
    );
    expect(names.some((name) => name.startsWith("ThreadRunner "))).toBe(true);

    const json = await (await monitor.get(`${PATH}?${BUSY}&format=json`)).json();
    expect(json).toEqual(found);
  });
});

describe("links to the timeline from other pages", () => {
  it("open the window of the thing that the page shows", async () => {
    const [failed] = (
      await monitor.json<{ invocations: { invocation_id: string }[] }>("/invocations/?status=failed&limit=1")
    ).invocations;
    const event = "c0baec27-3325-4d0f-8485-a0cb205c8e46";
    const run = "56782980f24c1fc0982b078cd8dc9b104c8043cdc81d74cc20861ef869333eb3";
    const service = "b2cc362d-3b88-45d3-a232-b0136b0e7e41";
    for (const [path, selector] of [
      [`/invocations/${failed?.invocation_id}`, `[data-invocation-id="${failed?.invocation_id}"]`],
      ["/invocations/?status=failed", `[data-invocation-id="${failed?.invocation_id}"]`],
      [`/events/${event}`, `[data-event-id="${event}"]`],
      [`/trigger-runs/${run}`, ".relation"],
      [`/runners/atomic-service/runs/${service}`, `[data-atomic-service-run-id="${service}"]`],
      ["/runners/atomic-service/timeline", ".service"],
    ] as const) {
      const links = parse(await monitor.text(path)).querySelectorAll('main a[href^="/invocations/timeline"]');
      expect([path, links.length > 0]).toEqual([path, true]);
      const target = parse(await monitor.text((links[0]?.getAttribute("href") ?? "").replaceAll("&amp;", "&")));
      expect([path, target.querySelectorAll(selector).length > 0]).toEqual([path, true]);
    }
    const api = await monitor.json<{ timeline_url: string }>(`/trigger-runs/${run}/api`);
    expect((await monitor.get(api.timeline_url)).status).toBe(200);
    const invocation = await monitor.json<{ timeline_url: string }>(`/invocations/${failed?.invocation_id}/api`);
    expect(invocation.timeline_url).toContain(`selected=${failed?.invocation_id}`);
  });
});

describe("small timelines", () => {
  const compact = async (ids: readonly string[]) =>
    parse(await monitor.text(`${PATH}/compact?inv_ids=${ids.join(",")}`));
  const ofTask = async (task: string) => {
    const { invocations } = await data(`${ALL}&limit=5000&open=*&task_id=${task}`);
    return invocations.map((one) => one.invocation_id);
  };

  it("show the number of invocations at work over time, by status, with links to parts of the time", async () => {
    const ids = [...(await ofTask("tasks.wf_inner")), ...(await ofTask("tasks.wf_step"))].slice(0, 20);
    const root = await compact(ids);
    const { occupancy } = await data(`inv_ids=${ids.join(",")}`);
    const most = Math.max(...(occupancy?.totals ?? []).map((total) => total ?? 0));
    expect(most).toBeGreaterThan(1);
    expect(root.querySelector(".occupancy-labels strong")?.text).toBe(`${most} at once`);
    expect(root.querySelectorAll(".occupancy-plot .load").map((path) => path.getAttribute("class"))).toEqual([
      "load status-running",
      "load status-pending",
    ]);
    const [href = ""] = attribute(root, ".occupancy-plot a.slice", "href");
    const part = await data(href.slice(href.indexOf("?") + 1).replaceAll("&amp;", "&"));
    expect(part.filter.invocation_ids).toEqual(ids);
  });

  it("of one invocation have no chart of the number at work", async () => {
    const [id = ""] = await ofTask("tasks.wf_step");
    const root = await compact([id]);
    expect(root.querySelectorAll(".timeline-plot")).toHaveLength(1);
    expect(root.querySelectorAll(".occupancy-plot")).toEqual([]);
  });
});
