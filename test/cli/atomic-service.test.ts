/** `monitor atomic-service` on data that real pynenc runs wrote. */
import { beforeAll, describe, expect, test } from "vitest";
import { type FixtureName, factsOf, sum } from "../support/fixtures.ts";
import { monitor, ownCopy, presentOption, type RunOptions, sharedFolder } from "./monitor.ts";

const folder = sharedFolder();
const APP = "kitchen_sink";
const TOTAL = sum(factsOf("kitchen_sink.db", APP).executions ?? {});
const BLOCKED = "b2cc362d-3b88-45d3-a232-b0136b0e7e41";

function options(fixture: FixtureName): string[] {
  return ["--db", ownCopy(fixture, folder), "--app", APP, "--now", presentOption(fixture), "atomic-service"];
}

let here: string[];
let before: string[];
beforeAll(() => {
  here = options("kitchen_sink.db");
  before = options("kitchen_sink_023.db");
});

// biome-ignore lint/suspicious/noExplicitAny: two documents, looked at member by member
async function json(args: readonly string[], run: RunOptions = {}): Promise<any> {
  const { code, stdout, stderr } = await monitor([...args, "--json"], run);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe("monitor atomic-service", () => {
  test("prints runs as JSON and as text, one page at a time", async () => {
    const list = await json([...here, "--limit", "1000"]);
    expect([list.recorded, list.executions.length, list.page.total]).toEqual([true, TOTAL, TOTAL]);
    const { code, stdout, stderr } = await monitor([...here, "--limit", "7"]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(8);
    expect(stdout).toMatch(/^SERVICE RUN +STATUS +START +TOOK +RUNNER/);
    expect(stderr).toBe(`Runs 1 to 7 of ${TOTAL}. Next: --page 2\n`);
  });

  test("filters by its flags", async () => {
    const { executions, filter } = await json([
      ...here,
      ...["--status", "blocked", "--id-prefix", "b2cc", "--min-duration", "0"],
      ...["--runner", "7bcef75b-ac6f-4f58-bc7e-6a7a1ff0c68d"],
    ]);
    expect(executions.map((run: { atomic_service_run_id: string }) => run.atomic_service_run_id)).toEqual([BLOCKED]);
    expect(filter).toEqual({
      runner_id: "7bcef75b-ac6f-4f58-bc7e-6a7a1ff0c68d",
      atomic_service_run_id: "b2cc",
      status: "blocked",
      min_duration_seconds: 0,
    });
    const none = await monitor([...here, "--status", "running"]);
    expect(none).toEqual({ code: 0, stdout: "", stderr: "No run matches the filter.\n" });
  });

  test.each([
    [["--status", "asleep"], "--status", "completed"],
    [["--min-duration", "soon"], "--min-duration", "seconds"],
    [["--limit", "0"], "--limit", "from 1 to 1000"],
    [["--schedule", "--status", "blocked"], "--status", "--schedule"],
    [["--runner", ""], "--runner", "must not be empty"],
  ])("exits with 2 for %j and names what is accepted", async (args, flag, accepted) => {
    const { code, stdout, stderr } = await monitor([...here, ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(flag);
    expect(stderr).toContain(accepted);
  });

  test("says that a layout records no runs", async () => {
    const { code, stdout, stderr } = await monitor(before);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("since 0.2.4");
    expect((await json(before)).recorded).toBe(false);
  });
});

describe("monitor atomic-service --schedule", () => {
  test("shows the runners, and why it has no slots when the runs contradict the settings", async () => {
    const { code, stdout, stderr } = await monitor([...here, "--schedule"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Now {6}2026-11-21 00:37:10\.375\n/);
    expect(stdout).toMatch(/\nRunners +3 runners taking turns, 3 active\n/);
    expect(stdout).toMatch(/\ncd0ba003-\S+ +124 +2026-11-21 00:37:02\.683\n/);
    expect(stdout).not.toMatch(/Cycle|Slot|DECISION/);
    expect(stderr).toContain("the current turn is not known");
    expect(stderr).toContain("by these settings a runner checks every 30 s");
  });

  test("uses the settings of the environment", async () => {
    const env = {
      PYNENC__ATOMIC_SERVICE_INTERVAL_MINUTES: "0.01",
      PYNENC__ATOMIC_SERVICE_SPREAD_MARGIN_MINUTES: "0.0001",
      PYNENC__ATOMIC_SERVICE_CHECK_INTERVAL_MINUTES: "0.001",
      PYNENC__ATOMIC_SERVICE_MAX_START_SLOT_FRACTION: "1",
    };
    const model = await json([...here, "--schedule"], { env });
    expect(model.fit.verdict).toBe("fits");
    expect(model.runners.filter((row: { slot: { owns_slot: boolean } }) => row.slot.owns_slot)).toHaveLength(1);
    const { stdout } = await monitor([...here, "--schedule"], { env });
    expect(stdout).toMatch(/\nOwner now +ThreadRunner /);
    expect(stdout).toMatch(/SLOT +RUNNER +FROM +TO +OWNER +DECISION/);
  });

  test("takes the last runs from heartbeats before 0.2.4", async () => {
    const { stdout, stderr } = await monitor([...before, "--schedule"]);
    expect(stdout).toContain("2026-11-21 00:40:42.185");
    expect(stderr).toMatch(/of the last runs of 1 runner since [-0-9]+ [:0-9]+ UTC began outside the slot/);
    expect(stderr).toContain("pynenc records service runs since 0.2.4");
  });
});
