/** Every fact of the fixtures' README on a page and in JSON. */

import { parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import type { OrchestratorOverview, StateBackendOverview } from "../../src/api/components.ts";
import type { Dashboard } from "../../src/api/health.ts";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import type { RunnerList } from "../../src/api/runners.ts";
import type { TaskList } from "../../src/api/tasks.ts";
import type { Timeline } from "../../src/api/timeline.ts";
import type { WorkflowRunList, WorkflowTypeList } from "../../src/api/workflows.ts";
import { STATUSES } from "../../src/pynenc/statuses.ts";
import { FACTS, FIXTURE_NAMES, sum } from "../support/fixtures.ts";
import { type Monitor, monitorOf, sharedMonitor, testMonitor } from "../support/monitor.ts";

/** The text of a page without tags, runs of white space folded: what a reader sees. */
async function seen(monitor: Monitor, path: string): Promise<string> {
  const root = parse(await monitor.text(path));
  return (root.querySelector("main")?.structuredText ?? "").replace(/\s+/g, " ");
}

/** An address as it is in a store with one app: that of a store with several names the app. */
function withoutApp(href = ""): string {
  return href.replace(/[?&]app=[^&]*$/, "");
}

describe.each(FIXTURE_NAMES)("the pages of %s", (fixture) => {
  describe.each(Object.entries(FACTS[fixture]))("%s", (appId, facts) => {
    const monitor = sharedMonitor(() => monitorOf(fixture, "in process", { alone: appId }));

    it("counts every status, zeros included, and the events that were recorded; its page links the statuses that occur", async () => {
      const dashboard = await monitor.json<Dashboard>("/");
      const counts = Object.fromEntries(dashboard.statuses.map((row) => [row.status, row.count]));
      const expected = { ...Object.fromEntries(STATUSES.map((s) => [s.name, 0])), ...facts.statuses };
      expect(counts).toEqual(expected);
      expect(dashboard.overview).toMatchObject({
        queued_messages: facts.queue,
        invocations: sum(facts.statuses),
        known_runners: sum(facts.runner_contexts) - (facts.runner_contexts.ExternalRunner ?? 0),
      });
      expect(dashboard.events).toEqual(
        facts.events === undefined
          ? null
          : {
              recorded: facts.events,
              matched: facts.events_matched,
              triggered: facts.events_triggered,
              codes: Object.keys(facts.event_codes ?? {}).length,
              trigger_runs: facts.trigger_runs,
            },
      );
      const root = parse(await monitor.text("/"));
      for (const { name } of STATUSES) {
        const links = root
          .querySelectorAll("main a")
          .filter((link) => withoutApp(link.getAttribute("href")) === `/invocations/?status=${name}`);
        const count = expected[name] ?? 0;
        expect([name, links.some((link) => link.text.includes(String(count)))]).toEqual([name, count > 0]);
      }
    });

    it("lists every task with its count", async () => {
      const { tasks } = await monitor.json<TaskList>("/tasks/");
      const counted = Object.fromEntries(
        tasks.filter((t) => (t.invocations_count ?? 0) > 0).map((t) => [t.task_id_key, t.invocations_count]),
      );
      expect(counted).toEqual(facts.tasks);
      const links = parse(await monitor.text("/tasks/"))
        .querySelectorAll("main a")
        .map((link) => withoutApp(link.getAttribute("href")));
      for (const key of Object.keys(facts.tasks)) expect(links).toContain(`/tasks/${encodeURIComponent(key)}`);
    });

    it.each(Object.entries(facts.statuses))("lists the invocations that are %s", async (status, count) => {
      const list = await monitor.json<InvocationList>(`/invocations/?limit=1000&status=${status.toUpperCase()}`);
      expect(list.invocations).toHaveLength(count);
      expect(list.page.total).toBe(count);
      expect(new Set(list.invocations.map((row) => row.status))).toEqual(new Set([status]));
    });

    it("shows the messages of the queue, and leaves them there", async () => {
      const { messages } = await monitor.json<{ messages: unknown[] }>("/broker/queue");
      expect(messages).toHaveLength(facts.queue);
      expect((await monitor.json<{ messages: unknown[] }>("/broker/queue")).messages).toEqual(messages);
      expect((await monitor.json<{ messages: number }>("/broker/")).messages).toBe(facts.queue);
    });

    it("shows runners, also those that are dead or never had a heartbeat", async () => {
      const list = await monitor.json<RunnerList>("/runners/?show=all&limit=500");
      const byClass: Record<string, number> = {};
      for (const { name } of list.runners) byClass[name.runner_cls ?? "?"] = (byClass[name.runner_cls ?? "?"] ?? 0) + 1;
      expect(byClass).toEqual(facts.runner_contexts);
      expect(list.runners.filter((runner) => runner.last_heartbeat !== null)).toHaveLength(facts.heartbeats);
      for (const { runner_id } of list.runners.filter((_, n) => n % 4 === 0)) {
        expect([runner_id, (await monitor.get(`/runners/${encodeURIComponent(runner_id)}`)).status]).toEqual([
          runner_id,
          200,
        ]);
      }
    });

    it("shows which invocation waits for which", async () => {
      const { blocking, blocking_count } = await monitor.json<OrchestratorOverview>("/orchestrator/");
      expect(blocking.map((pair) => [pair.waiter.invocation_id, pair.waited.invocation_id])).toEqual(facts.blocking);
      expect(blocking_count).toBe(facts.blocking.length);
      const links = parse(await monitor.text("/orchestrator/"))
        .querySelectorAll("main a")
        .map((a) => withoutApp(a.getAttribute("href")));
      for (const id of facts.blocking.flat()) expect(links).toContain(`/invocations/${id}`);
    });

    it("shows workflow types with their runs, newest first", async () => {
      const { types } = await monitor.json<WorkflowTypeList>("/workflows/");
      expect(Object.fromEntries(types.map((type) => [type.workflow_type_key, type.runs]))).toEqual(
        facts.workflow_types,
      );
      const { runs, page } = await monitor.json<WorkflowRunList>("/workflows/runs?limit=500");
      expect(page.total).toBe(sum(facts.workflow_types));
      // A run row is written at each start: a run that was recovered counts by its latest one.
      const started = await Promise.all(runs.slice(0, 12).map((run) => lastStart(monitor, run.workflow_id)));
      // Processes that start runs at the same moment write them a moment out of order.
      expect(started.every((time, i) => i === 0 || time <= (started[i - 1] ?? 0) + 0.2)).toBe(true);
    });

    it("counts rows per table", async () => {
      const { figures, oldest_entry, newest_entry } = await monitor.json<StateBackendOverview>("/state-backend/");
      const rows = Object.fromEntries(figures.map((figure) => [figure.name, figure.rows]));
      expect(rows).toMatchObject({
        history: facts.history_rows,
        invocations: sum(facts.statuses),
        runner_contexts: sum(facts.runner_contexts),
      });
      expect([Date.parse(oldest_entry ?? "") / 1000, Date.parse(newest_entry ?? "") / 1000]).toEqual([
        expect.closeTo(facts.window[0], 2),
        expect.closeTo(facts.window[1], 2),
      ]);
      expect((await monitor.json<{ values: number }>("/client-data-store/")).values).toBe(facts.client_data);
    });

    it("lists every invocation with its retries", async () => {
      const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1000");
      const retries: Record<string, number> = {};
      for (const { retry_count } of invocations)
        if ((retry_count ?? 0) > 0) retries[retry_count ?? 0] = (retries[retry_count ?? 0] ?? 0) + 1;
      expect(retries).toEqual(facts.retries);
    });
  });
});

async function lastStart(monitor: Monitor, id: string): Promise<number> {
  const history = await monitor.json<{ status: string; timestamp: string }[]>(`/invocations/${id}/history`);
  return Date.parse(history.findLast((entry) => entry.status === "running")?.timestamp ?? "") / 1000;
}

describe("the pages of kitchen_sink.db", () => {
  const monitor = sharedMonitor(() => monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" }));

  it("show type and message of the exception of each failed invocation", async () => {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=failed");
    const types: Record<string, number> = {};
    for (const { invocation_id } of invocations) {
      const { exception } = await monitor.json<InvocationDetail>(`/invocations/${invocation_id}`);
      const name = exception?.exception.error_name ?? "none";
      types[name] = (types[name] ?? 0) + 1;
      expect(await seen(monitor, `/invocations/${invocation_id}`)).toContain(name);
    }
    expect(types).toEqual({ ValueError: 5, CardDeclined: 2, RuntimeError: 2, RetryError: 1 });
  });

  it("show two separate runs of an invocation that ran twice", async () => {
    const query = "status=running_recovery&status_mode=history";
    const { invocations } = await monitor.json<InvocationList>(`/invocations/?limit=1000&${query}`);
    const recovered = await Promise.all(
      invocations
        .filter((row) => row.status === "success")
        .map((row) => monitor.json<InvocationDetail>(`/invocations/${row.invocation_id}`)),
    );
    expect(recovered.length).toBeGreaterThan(0);
    for (const { phases } of recovered)
      expect(phases?.find((phase) => phase.phase === "running")?.stretches).toBeGreaterThan(1);
  });

  it("show externalised values resolved, and numbers such as Infinity exact", async () => {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1000&task_id=tasks.echo");
    const pages = await Promise.all(invocations.map((row) => seen(monitor, `/invocations/${row.invocation_id}`)));
    expect(pages.some((page) => page.includes("Infinity"))).toBe(true);
    const big = await monitor.json<InvocationList>("/invocations/?task_id=tasks.big_blob");
    const detail = await monitor.json<InvocationDetail>(`/invocations/${big.invocations[0]?.invocation_id}`);
    const values = [
      ...detail.arguments.map((argument) => argument.value),
      ...(detail.result === null ? [] : [detail.result]),
    ];
    expect(values.filter((value) => value.resolved !== null).length).toBeGreaterThan(0);
  });

  it("count the runs of the atomic service by status, blocked ones included", async () => {
    const { atomic_service_executions } = await monitor.json<OrchestratorOverview>("/orchestrator/");
    expect(atomic_service_executions).toEqual({ blocked: 1, completed: 339 });
  });

  it("link to the other app, whose id needs encoding", async () => {
    const switcher = parse(await monitor.text("/tasks/")).querySelector(
      '.app-switcher a[href="/tasks/?app=kitchen-sink.two%2F%CE%B2"]',
    );
    expect(switcher?.text).toContain("kitchen-sink.two/β");
  });

  it("have the 105 rows of workflow data, each with its run", async () => {
    const { runs } = await monitor.json<WorkflowRunList>("/workflows/runs?limit=500");
    expect(runs.reduce((total, run) => total + (run.data_rows ?? 0), 0)).toBe(105);
    const { data } = await monitor.json<{ data: unknown[] }>(`/workflows/runs/${runs[0]?.workflow_id}`);
    expect(data).toHaveLength(runs[0]?.data_rows ?? -1);
    expect(runs.filter((run) => run.parent_workflow_id !== null)).toHaveLength(10);
  });
});

describe("the pages of kitchen_sink_023.db", () => {
  it("say that events are not recorded instead of showing zeros, and accept the old status resumed", async () => {
    const monitor = await testMonitor(monitorOf("kitchen_sink_023.db", "in process", { app: "kitchen_sink" }));
    expect((await monitor.json<Dashboard>("/")).layout.label).toBe("0.2.0 to 0.2.3");
    expect(await seen(monitor, "/events/")).toMatch(/records no events/);
    const { invocations } = await monitor.json<Timeline>("/invocations/timeline?time_range=1h&limit=5000");
    const resumed = invocations.filter(({ entries }) => entries.some((entry) => entry.status === "resumed"));
    expect(resumed).toHaveLength(1);
    expect(await seen(monitor, `/invocations/${resumed[0]?.invocation_id}`)).toContain("resumed");
  });
});
