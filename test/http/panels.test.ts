/** Fragments for the panel of the timeline and the small timelines of other pages. */
import { join } from "node:path";
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FamilyPicture } from "../../src/api/causes.ts";
import type { InvocationDetail } from "../../src/api/invocations.ts";
import type { RunnerDetail } from "../../src/api/runners.ts";
import type { Timeline } from "../../src/api/timeline.ts";
import type { WorkflowRunDetail, WorkflowRunList } from "../../src/api/workflows.ts";
import { createDemo } from "../support/demo-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { type Monitor, monitorAt, monitorOf, sharedMonitor } from "../support/monitor.ts";

const DEMO_NOW = Date.UTC(2026, 6, 4, 10, 15) / 1000;

describe("panels", () => {
  let monitor: Monitor;
  let data: Timeline;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" });
    data = await monitor.json<Timeline>("/invocations/timeline?time_range=5m");
  });
  afterAll(() => monitor.close());

  const panelOf = async (path: string) => {
    const response = await monitor.get(`${path}/panel`);
    expect([path, response.status, response.headers.get("etag") !== null]).toEqual([path, 200, true]);
    const root = parse(await response.text());
    expect(root.querySelectorAll("html, script")).toEqual([]);
    expect(root.querySelector("a.panel-page")?.getAttribute("href")).toBe(path);
    return root;
  };

  it("show the whole history and the causes of an invocation", async () => {
    expect(data.invocations.length).toBeGreaterThan(40);
    for (const { invocation_id, entries, parent_event_id } of data.invocations.slice(0, 12)) {
      const panel = await panelOf(`/invocations/${invocation_id}`);
      const text = panel.textContent;
      for (const { status, timestamp } of entries.slice(0, 20)) {
        expect([invocation_id, text.includes(status), text.includes(timestamp.slice(11, 23))]).toEqual([
          invocation_id,
          true,
          true,
        ]);
      }
      if (parent_event_id !== null) expect(panel.innerHTML).toContain(`/events/${parent_event_id}`);
    }
  });

  it("show the family of an invocation, with a link for every member", async () => {
    const caller = data.invocations.find((one) => one.task_id_key === "tasks.root")?.invocation_id;
    const { rows } = await monitor.json<FamilyPicture>(`/invocations/${caller}/family-tree`);
    const links = (await panelOf(`/invocations/${caller}`)).querySelectorAll(".family-name a");
    expect(rows.length).toBeGreaterThan(3);
    expect(new Set(links.map((link) => link.getAttribute("href")))).toEqual(
      new Set(rows.map((row) => `/invocations/${row.id}`)),
    );
  });

  it("show what an event started, why a trigger run happened, and when a service run was", async () => {
    const [event] = data.events.filter((one) => one.triggered);
    const started = data.trigger_runs.filter((run) => run.causes.some((cause) => cause.event_id === event?.event_id));
    const ofEvent = await panelOf(`/events/${event?.event_id}`);
    expect(started.length).toBeGreaterThan(0);
    for (const run of started) {
      expect(ofEvent.innerHTML).toContain(`/invocations/${run.triggered_invocation_id}"`);
      const ofRun = await panelOf(`/trigger-runs/${run.trigger_run_id}`);
      expect(ofRun.textContent).toContain(event?.event_code);
    }
    const [service] = data.atomic_service_runs;
    const ofService = await panelOf(`/runners/atomic-service/runs/${service?.atomic_service_run_id}`);
    expect(ofService.textContent).toContain(service?.start_time.slice(11, 23));
  });

  it("answer 404 for unknown ids", async () => {
    for (const path of ["/invocations/x", "/events/x", "/trigger-runs/x", "/runners/atomic-service/runs/x"]) {
      expect([path, (await monitor.get(`${path}/panel`)).status]).toEqual([path, 404]);
    }
  });

  it("answer 304 while nothing has changed", async () => {
    const path = `/invocations/${data.invocations[0]?.invocation_id}/panel`;
    const etag = (await monitor.get(path)).headers.get("etag") ?? "";
    expect((await monitor.get(path, { headers: { "if-none-match": etag } })).status).toBe(304);
  });
});

describe("small timelines", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" }));

  /** The small timeline of a page, the link beside it, and what both say. */
  async function miniOf(path: string) {
    const page = parse(await monitor.text(path));
    const part = page.querySelector(".mini-timeline");
    const address = part?.getAttribute("data-lazy") ?? "";
    const link = part?.closest(".card")?.querySelector(".card-header a")?.getAttribute("href") ?? "";
    const small = parse(await monitor.text(address));
    return {
      address,
      link,
      plot: small.querySelector(".timeline-compact .timeline-plot"),
      whole: await monitor.json<Timeline>(link),
    };
  }

  it("draw the same window and invocations as the timeline that they link to", async () => {
    const { invocations } = await monitor.json<Timeline>("/invocations/timeline?time_range=5m");
    const triggered = invocations.find((one) => one.parent_event_id !== null);
    const runner = triggered?.entries.find((entry) => entry.status === "running")?.runner_id ?? "";
    const { address, link, plot, whole } = await miniOf(`/runners/${runner}`);
    expect(address).toBe(link.replace("/invocations/timeline?", "/invocations/timeline/compact?"));
    expect(`${plot?.getAttribute("data-start")}+00:00`).toBe(whole.start);
    const drawn = new Set(plot?.querySelectorAll(".strand").map((mark) => mark.getAttribute("data-invocation-id")));
    expect([...drawn].sort()).toEqual(whole.invocations.map((one) => one.invocation_id).sort());
    expect(drawn.size).toBeGreaterThan(0);
  });

  it("show the load of a task with too many invocations to draw each of them", async () => {
    const folder = temporaryFolder();
    const { path } = createDemo({ path: join(folder.path, "demo.db"), now: DEMO_NOW, seed: 1 });
    const demo = await monitorAt(path, "in process", { app: "demo-shop", now: DEMO_NOW }, folder.remove);
    const page = parse(await demo.text("/tasks/shop.payments.charge_card"));
    const load = parse(await demo.text(page.querySelector(".mini-timeline")?.getAttribute("data-lazy") ?? ""));
    await demo.close();
    expect(load.querySelectorAll(".strand, .marker")).toEqual([]);
    expect(load.querySelectorAll(".lane-cells").length).toBeGreaterThan(0);
  });

  it("are left out for things without a time, and the JSON has the parameters of their timeline", async () => {
    const { invocations } = await monitor.json<{ invocations: { invocation_id: string }[] }>("/invocations/?limit=1");
    const detail = await monitor.json<InvocationDetail>(`/invocations/${invocations[0]?.invocation_id}`);
    expect(detail.timeline).toMatchObject({ selected: detail.invocation_id });
    const { runs } = await monitor.json<WorkflowRunList>("/workflows/runs");
    const workflow = await monitor.json<WorkflowRunDetail>(`/workflows/runs/${runs[0]?.workflow_id}`);
    expect(workflow.timeline?.inv_ids?.split(",")).toContain(runs[0]?.workflow_id);
    const { runners } = await monitor.json<{ runners: { runner_id: string }[] }>("/runners/?show=all");
    expect(runners.length).toBeGreaterThan(10);
    for (const { runner_id } of runners.slice(0, 10)) {
      const path = `/runners/${encodeURIComponent(runner_id)}`;
      const { timeline } = await monitor.json<RunnerDetail>(path);
      const page = parse(await monitor.text(path));
      expect([runner_id, page.querySelectorAll(".mini-timeline").length]).toEqual([
        runner_id,
        timeline === null ? 0 : 1,
      ]);
    }
  });

  it("have lanes for the runners that took turns in the atomic service", async () => {
    const path = "/runners/atomic-service/timeline?page_size=20";
    const { executions } = await monitor.json<{ executions: { atomic_service_run_id: string; runner_id: string }[] }>(
      path,
    );
    const plot = parse(await monitor.text(path)).querySelector(".timeline-plot");
    const ids = plot?.querySelectorAll(".service").map((mark) => mark.getAttribute("data-atomic-service-run-id"));
    expect(ids?.sort()).toEqual(executions.map((run) => run.atomic_service_run_id).sort());
    const lanes = plot?.querySelectorAll(".lane").map((lane) => lane.getAttribute("data-lane-key"));
    expect(lanes).toEqual(expect.arrayContaining([...new Set(executions.map((run) => run.runner_id))]));
    expect(Object.keys(await monitor.json(path))).not.toContain("lanes");
  });
});
