/** Every fact of the fixtures' README on a page and in JSON. */
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrchestratorOverview } from "../../src/api/components.ts";
import type { Dashboard } from "../../src/api/health.ts";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import type { WorkflowRunList } from "../../src/api/workflows.ts";
import { sum } from "../support/fixtures.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";
import { factsOverHttp, seen } from "./facts.ts";

factsOverHttp("SQLite", (fixture, app) => monitorOf(fixture, "in process", { alone: app }), {
  rowsOf: (facts) => ({
    history: facts.history_rows,
    invocations: sum(facts.statuses),
    runner_contexts: sum(facts.runner_contexts),
  }),
  runsOrderedBy: "running",
});

describe("the pages of kitchen_sink.db", () => {
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" });
  });
  afterAll(() => monitor.close());

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
    const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1000&status=success");
    const details = await Promise.all(
      invocations.map((row) => monitor.json<InvocationDetail>(`/invocations/${row.invocation_id}`)),
    );
    const recovered = details.filter((detail) => detail.history.some((entry) => entry.status === "running_recovery"));
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
    const monitor = await monitorOf("kitchen_sink_023.db", "in process", { app: "kitchen_sink" });
    try {
      expect((await monitor.json<Dashboard>("/")).layout.label).toBe("0.2.0 to 0.2.3");
      expect(await seen(monitor, "/")).toMatch(/records no events/);
      const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1000");
      const details = await Promise.all(
        invocations.map((row) => monitor.json<InvocationDetail>(`/invocations/${row.invocation_id}`)),
      );
      const resumed = details.filter((detail) => detail.history.some((entry) => entry.status === "resumed"));
      expect(resumed).toHaveLength(1);
      expect(await seen(monitor, `/invocations/${resumed[0]?.invocation_id}`)).toContain("resumed");
      expect(details.every((detail) => detail.workflow !== null)).toBe(true);
    } finally {
      await monitor.close();
    }
  });
});
