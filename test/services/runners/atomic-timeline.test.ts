/** The list of the recorded runs of the atomic service: filters, pages, sums of a page, and where each run lies in it. */
import { describe, expect, it } from "vitest";
import type { AtomicTimeline } from "../../../src/api/runners.ts";
import { InvalidInputError } from "../../../src/errors.ts";
import type { RawInput } from "../../../src/services/input/input.ts";
import { atomicTimeline } from "../../../src/services/runners/atomic-timeline.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const list = (app: MemoryApp, raw: RawInput = {}) => atomicTimeline(app.opened, raw);
const idsOf = ({ executions }: AtomicTimeline) => executions.map((row) => row.atomic_service_run_id);

/** Runs of two runners; the last one still runs. */
function runs(): MemoryApp {
  return memoryApp()
    .runner("r1")
    .runner("r2")
    .execution("a1", { start_time: at(0), end_time: at(4) })
    .execution("a2", { runner_id: "r2", start_time: at(10), end_time: at(12) })
    .execution("b1", { runner_id: "r2", start_time: at(12), end_time: at(12), status: "blocked" })
    .execution("b2", { start_time: at(20), end_time: null, status: "running" });
}

describe("the list of service runs", () => {
  it("has all runs, newest first, with counts by status and the unfinished ones separately", async () => {
    const all = await list(runs());
    expect(idsOf(all)).toEqual(["b2", "b1", "a2", "a1"]);
    expect(all).toMatchObject({
      recorded: true,
      page: { number: 1, size: 100, total: 4, has_next: false },
      statuses: { completed: 2, blocked: 1, running: 1 },
      filter: { runner_id: null, atomic_service_run_id: null, status: null, min_duration_seconds: null },
      selected: null,
    });
    expect(all.running.map((row) => row.atomic_service_run_id)).toEqual(["b2"]);
    expect(all.settings.map((row) => row.field)).toEqual([
      "atomic_service_interval_minutes",
      "atomic_service_execution_retention_minutes",
      "atomic_service_execution_max_records",
    ]);
  });

  it("is empty without recorded runs, and marked if the layout has no such records", async () => {
    const none = await list(memoryApp({ capabilities: { executions: false } }));
    expect(none).toMatchObject({
      recorded: false,
      executions: [],
      page: { total: 0 },
      statuses: {},
      window: null,
      durations: { runs: 0, average_seconds: null, longest_seconds: null },
      running: [],
    });
    expect(none.settings.map((row) => row.field)).toEqual(["atomic_service_interval_minutes"]);
  });

  it.each<[RawInput, string[]]>([
    [{ runner_id: ["r2"] }, ["b1", "a2"]],
    [{ atomic_service_run_id: ["a"] }, ["a2", "a1"]],
    [{ status: ["blocked"] }, ["b1"]],
    [{ status: ["abandoned"] }, []],
    [{ min_duration_seconds: ["2.5"] }, ["a1"]],
    [{ min_duration_seconds: ["2"] }, ["a2", "a1"]],
    // Nothing is shorter than nothing, and what runs has no length yet.
    [{ min_duration_seconds: ["0"] }, ["b2", "b1", "a2", "a1"]],
    [{ status: [""], runner_id: [""] }, ["b2", "b1", "a2", "a1"]],
    [{ runner_id: ["r2"], status: ["completed"] }, ["a2"]],
  ])("filtered by %j has exactly the matching runs and their number", async (raw, ids) => {
    const filtered = await list(runs(), raw);
    expect(idsOf(filtered)).toEqual(ids);
    expect(filtered.page.total).toBe(ids.length);
    // Whatever the filter.
    expect(filtered.statuses).toEqual({ completed: 2, blocked: 1, running: 1 });
    expect(filtered.running).toHaveLength(1);
  });

  it("repeats the filter as it was read", async () => {
    const raw = { runner_id: ["r2"], atomic_service_run_id: ["a"], status: ["completed"], min_duration_seconds: ["0"] };
    expect((await list(runs(), raw)).filter).toEqual({
      runner_id: "r2",
      atomic_service_run_id: "a",
      status: "completed",
      min_duration_seconds: 0,
    });
  });

  it.each<RawInput>([
    { status: ["lost"] },
    { min_duration_seconds: ["-1"] },
    { page: ["0"] },
    { limit: ["1001"] },
    { x: ["1"] },
  ])("refuses %j", async (raw) => {
    await expect(list(runs(), raw)).rejects.toThrow(InvalidInputError);
  });
});

describe("a page of service runs", () => {
  it("covers the time from its earliest start to its latest end", async () => {
    expect((await list(runs(), { status: ["completed"] })).window).toEqual({
      start: "2026-01-05T12:00:00.000000+00:00",
      end: "2026-01-05T12:00:12.000000+00:00",
      duration_seconds: 12,
    });
    // The one that runs began last, and has no end.
    expect((await list(runs())).window).toMatchObject({
      end: "2026-01-05T12:00:20.000000+00:00",
      duration_seconds: 20,
    });
  });

  it("has the average and longest duration of its completed runs", async () => {
    expect((await list(runs())).durations).toEqual({ runs: 2, average_seconds: 3, longest_seconds: 4 });
    expect((await list(runs(), { page: ["2"], limit: ["3"] })).durations).toEqual({
      runs: 1,
      average_seconds: 4,
      longest_seconds: 4,
    });
    expect((await list(runs(), { status: ["blocked"] })).durations).toMatchObject({ runs: 0, average_seconds: null });
  });
});

describe("the selected service run", () => {
  const many = () => {
    const app = memoryApp();
    for (let n = 0; n < 25; n++) app.execution(`run-${n}`, { start_time: at(n), end_time: at(n + 1) });
    return app;
  };
  const select = (id: string, more: RawInput = {}) =>
    list(many(), { selected_atomic_service_run_id: [id], limit: ["10"], ...more });

  it.each([
    ["run-24", 1],
    ["run-15", 1],
    ["run-14", 2],
    ["run-0", 3],
  ])("%s is shown on the page that has it", async (id, page) => {
    const listed = await select(id);
    expect(listed).toMatchObject({ page: { number: page }, selected: { atomic_service_run_id: id, on_page: true } });
    expect(listed.executions.map((row) => row.atomic_service_run_id)).toContain(id);
  });

  it("does not change the requested page", async () => {
    expect(await select("run-0", { page: ["1"] })).toMatchObject({ page: { number: 1 }, selected: { on_page: false } });
  });

  it("is looked for among the filtered runs, and the first page is shown if it is not there", async () => {
    expect(await select("run-9", { atomic_service_run_id: ["run-1"] })).toMatchObject({
      page: { number: 1 },
      selected: { atomic_service_run_id: "run-9", on_page: false },
    });
    expect(await select("run-1", { atomic_service_run_id: ["run-1"] })).toMatchObject({
      page: { number: 2 },
      selected: { on_page: true },
    });
  });
});

it("a list of service runs has a note on an unknown runner, and none if other filters exclude its runs", async () => {
  const notes = async (raw: RawInput) => (await atomicTimeline(runs().opened, raw)).notes;
  expect(await notes({ runner_id: ["nothing"] })).toEqual(['No runner "nothing" is stored.']);
  expect(await notes({ runner_id: ["r2"], status: ["abandoned"] })).toEqual([]);
  expect(await notes({ runner_id: ["r2"] })).toEqual([]);
  // A single run is the only record of it.
  const once = runs().execution("single", { runner_id: "once" });
  expect((await atomicTimeline(once.opened, { runner_id: ["once"], status: ["abandoned"] })).notes).toEqual([]);
});
