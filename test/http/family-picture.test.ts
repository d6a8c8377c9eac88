/** The family over time as a page, as JSON, and as a part of the pages of what it is about. */
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FamilyPicture } from "../../src/api/causes.ts";
import type { TriggerRunList } from "../../src/api/trigger-runs.ts";
import type { WorkflowRunList } from "../../src/api/workflows.ts";
import { parseTraceInput, trace } from "../../src/services/causes/trace.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

const ROOT = "b5b33649-501e-46c6-9471-8b5487ed90d3";
const LEAF = "eb425c2c-4164-4643-8c87-ae30ec3cb57c";

describe("the family over time", () => {
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { alone: "kitchen_sink" });
  });
  afterAll(() => monitor.close());

  const drawnOn = async (path: string) =>
    parse(await monitor.text(path))
      .querySelectorAll(".family-picture .family-row")
      .map((row) => row.getAttribute("data-id"));

  it("is a page and JSON with the same members, in the same order", async () => {
    const { rows, focus_id } = await monitor.json<FamilyPicture>(`/trace/${LEAF}`);
    expect([focus_id, rows.length, rows[0]?.id]).toEqual([LEAF, 13, ROOT]);
    expect(await drawnOn(`/trace/${LEAF}`)).toEqual(rows.map((row) => row.id));
    const page = parse(await monitor.text(`/trace/${LEAF}`));
    expect(page.querySelectorAll(".family-picture .path-line").length).toBeGreaterThan(0);
    expect(page.querySelectorAll("main [style]")).toEqual([]);
    // Every member is a link, on both sides.
    const links = page.querySelectorAll(".family-name a").map((link) => link.getAttribute("href"));
    expect(links).toEqual(rows.map((row) => `/invocations/${row.id}`));
  });

  it("is drawn on the pages of invocations, trigger runs and workflow runs, but is not in their JSON", async () => {
    const { runs } = await monitor.json<WorkflowRunList>("/workflows/runs");
    const run = runs.find((one) => one.members_count > 1)?.workflow_id ?? "";
    const { trigger_runs } = await monitor.json<TriggerRunList>("/trigger-runs/");
    const started = trigger_runs.find((one) => one.triggered_invocation !== null);
    for (const [path, member] of [
      [`/invocations/${LEAF}`, ROOT],
      [`/workflows/runs/${run}`, run],
      [`/trigger-runs/${started?.trigger_run_id}`, started?.triggered_invocation?.invocation_id],
    ] as const) {
      expect([path, await drawnOn(path)]).toEqual([path, expect.arrayContaining([member])]);
      expect(await monitor.json(path)).not.toHaveProperty("picture");
    }
  });

  it("says how many the invocation led to where the family has others, as many as its trace has", async () => {
    const captionOf = async (id: string) =>
      parse(await monitor.text(`/trace/${id}`)).querySelector(".family-caption span")?.text ?? "";
    expect(await captionOf(ROOT)).not.toContain("led to");
    expect(await captionOf(LEAF)).toMatch(/\. This invocation led to none of the others\.$/);
    const { rows } = await monitor.json<FamilyPicture>(`/trace/${ROOT}`);
    const second = rows[1]?.id ?? "";
    const down = parseTraceInput({ direction: ["down"] });
    const { invocations } = await trace(await monitor.workspace.open(), "invocation", second, down);
    expect(await captionOf(second)).toContain(`This invocation led to ${invocations.length - 1} of the others.`);
  });

  it("links to more members when some are left out", async () => {
    const page = parse(await monitor.text(`/trace/${LEAF}?limit=4`));
    expect(page.querySelectorAll(".family-row")).toHaveLength(4);
    expect(page.querySelectorAll(".family-caption a").map((link) => link.getAttribute("href"))).toEqual([
      `/trace/${ROOT}`,
      `/trace/${LEAF}?limit=2000`,
    ]);
    expect(await drawnOn(`/trace/${LEAF}?limit=2000`)).toHaveLength(13);
  });

  it("accepts the beginning of an id, and answers 404 for an unknown one", async () => {
    const short = await monitor.get(`/trace/${LEAF.slice(0, 8)}`, { headers: { accept: "text/html" } });
    expect([short.status, short.headers.get("location")]).toEqual([303, `/trace/${LEAF}`]);
    expect((await monitor.get("/trace/00000000-0000-4000-8000-000000000000")).status).toBe(404);
    for (const query of ["limit=0", "limit=2001", "depth=3"]) {
      expect([query, (await monitor.get(`/trace/${LEAF}?${query}`)).status]).toEqual([query, 400]);
    }
  });
});
