/** The pages of the atomic service: recorded runs, one run, whose turn it is. */

import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AtomicRun, AtomicScheduling, AtomicTimeline } from "../../src/api/runners.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { describeWithMonitor, type Monitor, monitorAt, monitorOf, sharedMonitor } from "../support/monitor.ts";

const APP = "kitchen_sink";
const NOW = presentOf("kitchen_sink.db");

const TIMELINE = "/runners/atomic-service/timeline";
const SCHEDULING = "/runners/atomic-service/scheduling";
const runPath = (id: string) => `/runners/atomic-service/runs/${encodeURIComponent(id)}`;

/** The only blocked run, what it gave way to, and a run that executed seven triggers. */
const BLOCKED = "b2cc362d-3b88-45d3-a232-b0136b0e7e41";
const PRIOR = "0e13d1e1-13c2-488a-a35b-068bef6aabb2";
const PRIOR_RUNNER = "cd0ba003-9f7a-4a9e-9fc8-1c9a1877f0be";
const BUSY = "e14e673d-8b39-4b91-b694-67dbb99dca1c";

const HTML = { headers: { accept: "text/html" } };
const JSON_WANTED = { headers: { accept: "application/json" } };
describeWithMonitor(
  "the atomic service",
  () => monitorOf("kitchen_sink.db", "in process", { alone: APP }),
  (monitor) => {
    const timeline = (query = "") => monitor().json<AtomicTimeline>(`${TIMELINE}${query}`);
    const scheduling = () => monitor().json<AtomicScheduling>(SCHEDULING);

    it("has one page at both of its addresses, among the views of runners", async () => {
      const main = async (path: string) => parse(await monitor().text(path)).querySelector(".live-region")?.text;
      expect(await main(SCHEDULING)).toBe(await main(TIMELINE));
      const views = parse(await monitor().text("/runners/")).querySelectorAll(".status-links a");
      expect(views.map((link) => link.getAttribute("href"))).toEqual(["/runners/", "/runners/?show=all", TIMELINE]);
    });

    it("shows the newest 25 runs on a page, and as many as a page asks for, but 100 in its JSON", async () => {
      const rows = async (query = "") =>
        parse(await monitor().text(`${TIMELINE}${query}`)).querySelectorAll("#card-runs tbody tr").length;
      const { executions } = await timeline();
      expect(executions.length).toBeGreaterThan(25);
      expect([await rows(), await rows("?limit=40"), await rows("?page=2")]).toEqual([
        25,
        Math.min(40, executions.length),
        Math.min(25, executions.length - 25),
      ]);
    });

    it("opens the page that has the selected run and marks it, and says when that run is not in the list", async () => {
      const query = `?page_size=10&selected_atomic_service_run_id=${BLOCKED}`;
      expect((await timeline(query)).page.number).toBeGreaterThan(1);
      const root = parse(await monitor().text(`${TIMELINE}${query}`));
      expect(root.querySelectorAll("tbody tr").filter((row) => row.text.includes("selected"))).toHaveLength(1);
      // The first page stays within reach.
      const first = root.querySelectorAll(".pager a").find((link) => link.text === "First");
      expect(first?.getAttribute("href")).toBe(`${TIMELINE}?limit=10`);
      expect(await monitor().text(`${TIMELINE}?selected_atomic_service_run_id=gone`)).toContain("not among these rows");
    });

    it("draws a bar for each run and names each setting with its origin", async () => {
      const root = parse(await monitor().text(TIMELINE));
      const settings = root.querySelector("#card-settings")?.text ?? "";
      for (const field of ["interval_minutes", "execution_retention_minutes", "execution_max_records"]) {
        expect(settings).toContain(`atomic_service_${field}`);
      }
      expect((await timeline()).settings.map((row) => row.origin)).toEqual(["default", "default", "default"]);
    });

    it("shows one run with the trigger runs that name it", async () => {
      const run = await monitor().json<AtomicRun>(runPath(BUSY));
      expect(run.execution).toMatchObject({ status: "completed", reason: "", stuck: null, prior_run: null });
      expect(run.trigger_runs).toHaveLength(7);
      expect(run.trigger_runs_truncated).toBe(false);
      const root = parse(await monitor().text(runPath(BUSY)));
      for (const one of run.trigger_runs) {
        expect(root.querySelector(`a[href="/trigger-runs/${one.trigger_run_id}"]`)).not.toBeNull();
        expect(root.querySelector(`a[href="/invocations/${one.triggered_invocation?.invocation_id}"]`)).not.toBeNull();
      }
    });

    it("links a blocked run to the run it gave way to and to that run's runner", async () => {
      const run = await monitor().json<AtomicRun>(runPath(BLOCKED));
      expect(run.execution).toMatchObject({
        status: "blocked",
        duration_seconds: 0,
        prior_run: { atomic_service_run_id: PRIOR, runner_id: PRIOR_RUNNER },
      });
      expect(run.trigger_runs).toEqual([]);
      const root = parse(await monitor().text(runPath(BLOCKED)));
      expect(root.querySelector(`a[href="${runPath(PRIOR)}"]`)).not.toBeNull();
      expect(root.querySelector(`a[href="/runners/${PRIOR_RUNNER}"]`)).not.toBeNull();
      expect((await monitor().get(runPath(PRIOR), HTML)).status).toBe(200);
    });

    it("shows no slots where the recorded runs contradict the settings, and says why", async () => {
      const model = await scheduling();
      expect(model).toMatchObject({
        recorded: true,
        now: isoFromEpoch(NOW),
        cycle: null,
        // The default that the monitor falls back on; the runs are 0.3 s apart.
        fit: { verdict: "contradicted", assumed: true, compared: 2, outside: 2, too_often: true },
        eligible: 3,
        active: 3,
        incomplete: false,
        stuck: [],
      });
      expect(model.blocked.map((run) => run.atomic_service_run_id)).toEqual([BLOCKED]);
      const root = parse(await monitor().text(SCHEDULING));
      const text = root.querySelector("main")?.text.replaceAll(/\s+/g, " ") ?? "";
      expect(text).toMatch(/2 of the 2 runs recorded since [-0-9]+ [:0-9]+ UTC began outside/);
      expect(text).toContain("but by these settings a runner checks every 30 s");
      expect(text).toContain("atomic_service_check_interval_minutes");
      expect(text).not.toMatch(/may start|Slot owner|5 m 00 s/);
    });

    it("is linked from the pages of runners, the orchestrator and the dashboard", async () => {
      const runner = parse(await monitor().text(`/runners/${PRIOR_RUNNER}`));
      expect(runner.querySelector(`a[href="${TIMELINE}?runner_id=${PRIOR_RUNNER}"]`)).not.toBeNull();
      expect(runner.querySelectorAll('a[href^="/runners/atomic-service/runs/"]').length).toBeGreaterThan(5);
      const orchestrator = parse(await monitor().text("/orchestrator/"));
      expect(orchestrator.querySelector(`dl a[href="${SCHEDULING}"]`)).not.toBeNull();
      // 339 runs were completed, the last of them two seconds ago: nothing is wrong with the turns.
      expect(parse(await monitor().text("/")).querySelector(`#verdicts a[href="${SCHEDULING}"]`)).toBeNull();
    });
  },
);

describe("the atomic service with hostile, stuck or purged data", () => {
  const EVIL = `"><script>alert(1)</script>/%2F?#\u202e`;
  const PURGED = "11111111-2222-4333-8444-555555555555";
  const prefix = tablePrefix(APP);
  let monitor: Monitor;
  beforeAll(async () => {
    const folder = temporaryFolder();
    const path = copyFixture("kitchen_sink.db", folder.path);
    const db = openDatabase(path, { mode: "write" });
    const executions = `${prefix}__orchestrator_atomic_service_executions`;
    const insert = db.prepare(
      `INSERT INTO ${executions} (runner_id, start_time, end_time, atomic_service_run_id, status, reason) VALUES (?, ?, ?, ?, ?, ?)`,
    );
    const at = (seconds: number) => isoFromEpoch(NOW + seconds);
    insert.run("no-such-runner", at(-1000), null, "stuck-run", "running", "");
    insert.run(EVIL, "not a time", "neither", EVIL, EVIL, EVIL);
    insert.run(EVIL, at(-5), at(-6), "skewed", "completed", "prior_running: runner:");
    insert.run("r", at(-7), at(-7), "word", "constructor", "");
    insert.run("atomic-service", at(-4), at(-4), "long", "blocked", "x".repeat(1_000_000));
    db.prepare(
      `UPDATE ${prefix}__trg_trigger_runs SET triggered_invocation_id = 'gone-invocation',
       trigger_run_json = json_set(trigger_run_json, '$.atomic_service_run_id', ?, '$.triggered_invocation_id', 'gone-invocation')
       WHERE rowid = (SELECT max(rowid) FROM ${prefix}__trg_trigger_runs)`,
    ).run(PURGED);
    db.prepare(
      `INSERT INTO ${prefix}__orchestrator_runner_heartbeats (runner_id, creation_timestamp, allow_to_run_atomic_service, last_heartbeat) VALUES (?, ?, 1, ?)`,
    ).run("atomic-service", NOW - 1, NOW);
    db.prepare(
      `INSERT INTO ${prefix}__orchestrator_runner_heartbeats (runner_id, creation_timestamp, allow_to_run_atomic_service, last_heartbeat) VALUES (?, ?, 1, ?)`,
    ).run(EVIL, NOW - 1, NOW);
    db.close();
    monitor = await monitorAt(path, "in process", { alone: APP, now: NOW }, folder.remove);
  });
  afterAll(() => monitor.close());

  it("calls a run on a runner without a heartbeat stuck on every page", async () => {
    const list = await monitor.json<AtomicTimeline>(TIMELINE);
    expect(
      list.running.map((run) => [run.atomic_service_run_id, run.stuck, run.end_time, run.duration_seconds]),
    ).toEqual([["stuck-run", "runner_dead", null, null]]);
    const model = await monitor.json<AtomicScheduling>(SCHEDULING);
    expect(model.stuck.map((run) => run.atomic_service_run_id)).toEqual(["stuck-run"]);
    for (const path of [TIMELINE, SCHEDULING, runPath("stuck-run")]) {
      expect(await monitor.text(path)).toContain("Its runner is silent");
    }
    const verdicts = parse(await monitor.text("/")).querySelector("#verdicts");
    expect(verdicts?.querySelector('a[href="/runners/atomic-service/runs/stuck-run"]')).not.toBeNull();
  });

  it("shows hostile text as text on every page", async () => {
    const paths = [`${TIMELINE}?page_size=1000`, SCHEDULING, runPath(EVIL), "/orchestrator/"];
    for (const path of paths) {
      const response = await monitor.get(path, HTML);
      const body = await response.text();
      // Attributes for scripts hold ids exactly as they are; nobody reads them.
      const read = body.replaceAll(/ data-[\w-]+="[^"]*"/g, "");
      expect([path, response.status, /<script>alert|native code|\u202e/.test(read)]).toEqual([path, 200, false]);
      const hrefs = parse(body).querySelectorAll("a[href]");
      expect(hrefs.filter((link) => /javascript:|"/.test(link.getAttribute("href") ?? ""))).toEqual([]);
    }
    // A megabyte of reason stands on its own page only.
    expect((await monitor.text(TIMELINE)).length).toBeLessThan(500_000);
    expect((await monitor.text(SCHEDULING)).length).toBeLessThan(500_000);
    expect(await monitor.text(runPath("long"))).toContain("x".repeat(1_000_000));
  });

  it("shows a purged run by the trigger run that is left of it", async () => {
    const run = await monitor.json<AtomicRun>(runPath(PURGED));
    expect(run.execution).toBeNull();
    expect(run.trigger_runs).toHaveLength(1);
    expect(run.trigger_runs[0]?.triggered_invocation).toMatchObject({ invocation_id: "gone-invocation" });
    expect(run.runner?.runner_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await monitor.text(runPath(PURGED))).toContain("The record of this run is not stored.");
  });

  it("a runner whose id is atomic-service has its own page", async () => {
    const page = await monitor.get("/runners/atomic-service", HTML);
    expect(page.status).toBe(200);
    expect(parse(await page.text()).querySelector(".fact-line")?.text).toContain("atomic-service");
  });
});

describe("the atomic service on a layout that records no runs", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink_023.db", "in process", { alone: APP }));

  it("says so instead of showing zeros", async () => {
    const list = await monitor.json<AtomicTimeline>(TIMELINE);
    expect([list.recorded, list.executions]).toEqual([false, []]);
    const root = parse(await monitor.text(TIMELINE));
    expect(root.text).toContain("This layout does not record the runs");
    expect(root.querySelector(".tiles, .filter-form")).toBeNull();
    const response = await monitor.get(runPath(BUSY), JSON_WANTED);
    expect([response.status, (await response.text()).includes("0.2.4")]).toEqual([404, true]);
  });
});
