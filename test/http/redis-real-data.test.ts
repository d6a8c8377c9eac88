/** The facts of the real Redis data on pages and in JSON. */
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrchestratorOverview } from "../../src/api/components.ts";
import type { Dashboard } from "../../src/api/health.ts";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import type { RunnerList } from "../../src/api/runners.ts";
import type { TaskList } from "../../src/api/tasks.ts";
import type { WorkflowRunList, WorkflowTypeList } from "../../src/api/workflows.ts";
import { STATUSES } from "../../src/pynenc/statuses.ts";
import { sum } from "../support/fixtures.ts";
import { type Monitor, monitorOn } from "../support/monitor.ts";
import { REDIS_FACTS, REDIS_PRESENT, REDIS_RDB, redisFactsOf } from "../support/redis-facts.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const TORN_ROOT = "5f8bcf72-b487-446f-81e0-acc59ef4e6d5";
const LIVE_WORKFLOW = "ebfd6e87-22c1-4f42-8deb-a354c6ed8a1b";
const NEVER_RUN = "8137befa-e4a7-44f3-99fa-bbd772017aa5";

type Tree = { nodes: { invocation_id: string; status: string; depth: number }[] };

describeWithRedis("pages on the real Redis data", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ rdb: REDIS_RDB });
  });
  afterAll(() => server.close());
  const open = (app: string, now = REDIS_PRESENT) => monitorOn({ url: server.url }, "in process", { app, now });

  describe.each(Object.keys(REDIS_FACTS))("%s", (appId) => {
    const facts = redisFactsOf(appId);
    let monitor: Monitor;
    beforeAll(async () => {
      monitor = await open(appId);
    });
    afterAll(() => monitor.close());

    it("count statuses, tasks, messages and runners, and say that events are not recorded", async () => {
      const { statuses, overview, events, layout } = await monitor.json<Dashboard>("/");
      const torn = Object.keys(facts.torn).length;
      const zeros = Object.fromEntries(STATUSES.map(({ name }) => [name, 0]));
      expect(Object.fromEntries(statuses.map((row) => [row.status, row.count]))).toEqual({
        ...zeros,
        ...facts.statuses,
        ...(torn > 0 ? { unknown: torn } : {}),
      });
      expect(overview).toMatchObject({
        queued_messages: facts.queue.length,
        known_runners: sum(facts.runner_contexts) - (facts.runner_contexts.ExternalRunner ?? 0),
        registered_tasks: Object.keys(facts.tasks).length,
        invocations: facts.defined,
        forgotten: torn,
        complete: true,
      });
      expect([events, layout.label]).toEqual([null, expect.stringContaining("0.2.0 to 0.2.3")]);
      const { tasks } = await monitor.json<TaskList>("/tasks/");
      expect(tasks.reduce((total, task) => total + (task.invocations_count ?? 0), 0)).toBe(sum(facts.tasks));
      const { types } = await monitor.json<WorkflowTypeList>("/workflows/");
      expect(Object.fromEntries(types.map((type) => [type.workflow_type_key, type.runs]))).toEqual(
        facts.workflow_types,
      );
    });

    it("show every invocation with its history, its family and its result", async () => {
      const { invocations, page } = await monitor.json<InvocationList>("/invocations/?limit=1000");
      expect([invocations.length, page.total]).toEqual([facts.defined, facts.defined]);
      const unknown = invocations.filter((row) => row.status === "unknown").map((row) => row.invocation_id);
      expect(unknown.sort()).toEqual(Object.keys(facts.torn).sort());
      let entries = 0;
      /** Tasks and statuses that a page was looked at for: pages of the same kind differ only in their values. */
      const looked = new Set<string>();
      for (const { invocation_id } of invocations) {
        const detail = await monitor.json<InvocationDetail>(`/invocations/${invocation_id}`);
        entries += detail.history.length;
        expect(detail.status === "success").toBe(detail.result !== null);
        expect(detail.exception?.exception.error_name).toBe(facts.exceptions[invocation_id]);
        expect(detail.retry_count).toBe(facts.retries[invocation_id] ?? 0);
        expect(detail.queued).toBe(facts.queue.includes(invocation_id));
        expect(detail.arguments.filter((argument) => argument.value.dangling)).toEqual([]);
        const kind = `${detail.task_id_key} ${detail.status}`;
        if (looked.has(kind)) continue;
        looked.add(kind);
        for (const path of [`/invocations/${invocation_id}`, `/invocations/${invocation_id}/family-tree`]) {
          const response = await monitor.get(path, { headers: { accept: "text/html" } });
          expect([path, response.status]).toEqual([path, 200]);
          expect(parse(await response.text()).querySelector("main")?.text).toContain(detail.task_id_key);
        }
      }
      expect(entries).toBe(facts.history_entries);
    });

    it("show the queue in the order in which runners take it", async () => {
      const { messages } = await monitor.json<{ messages: { invocation_id: string; queued_at: null }[] }>(
        "/broker/queue",
      );
      expect(messages.map((message) => message.invocation_id)).toEqual(facts.queue);
      expect(await monitor.text("/broker/queue")).not.toContain("Invalid Date");
    });

    it("show runners, also those that never had a heartbeat", async () => {
      const { runners } = await monitor.json<RunnerList>("/runners/?show=all&limit=500");
      expect(runners).toHaveLength(sum(facts.runner_contexts));
      const silent = runners.filter((runner) => runner.last_heartbeat === null).map((runner) => runner.runner_id);
      expect(silent.sort()).toEqual([...facts.without_heartbeat].sort());
    });

    it("show runs of workflows with their values", async () => {
      const { runs, page } = await monitor.json<WorkflowRunList>("/workflows/runs?limit=500");
      expect([runs.length, page.total]).toEqual([facts.workflow_runs, facts.workflow_runs]);
      const withData = runs.filter((run) => (run.data_rows ?? 0) > 0).map((run) => [run.workflow_id, run.data_rows]);
      expect(Object.fromEntries(withData)).toEqual(facts.workflow_data);
    });
  });

  describe("after a runner was killed in the middle of a write", () => {
    const facts = redisFactsOf("kitchen_sink");
    let monitor: Monitor;
    beforeAll(async () => {
      monitor = await open("kitchen_sink");
    });
    afterAll(() => monitor.close());

    it("draw the whole family tree, with the members that have no status", async () => {
      const { nodes } = await monitor.json<Tree>(`/invocations/${TORN_ROOT}/family-tree`);
      expect(nodes.map((node) => node.depth).sort()).toEqual([0, 1, 1, 1, ...Array(9).fill(2)]);
      const unknown = nodes.filter((node) => node.status === "unknown").map((node) => node.invocation_id);
      expect(unknown.sort()).toEqual(Object.keys(facts.torn).sort());
      const page = await monitor.text(`/invocations/${TORN_ROOT}/family-tree`);
      for (const { invocation_id } of nodes) expect(page).toContain(`/invocations/${invocation_id}`);
    });

    it.each(Object.entries(facts.torn))("show the stored data of %s", async (id, parent) => {
      const detail = await monitor.json<InvocationDetail>(`/invocations/${id}`);
      expect(detail).toMatchObject({ status: "unknown", history: [], registered_at: null, queued: false, owner: null });
      expect(detail.parent?.invocation_id).toBe(parent);
      expect(detail.notes.join(" ")).toMatch(/neither a status nor a history/);
      const { nodes } = await monitor.json<Tree>(`/invocations/${id}/family-tree`);
      expect(nodes.map((node) => node.invocation_id)).toEqual(expect.arrayContaining([id, parent]));
      const page = await monitor.get(`/invocations/${id}`, { headers: { accept: "text/html" } });
      expect([page.status, (await monitor.get(`/invocations/${id}/history`)).status]).toEqual([200, 200]);
      const siblings = await monitor.json<InvocationList>(`/invocations/?parent=${parent}`);
      expect(siblings.invocations.map((row) => row.invocation_id)).toContain(id);
    });

    it("show which invocation waits for which, and from when on one is stuck", async () => {
      const { blocking, blocking_count } = await monitor.json<OrchestratorOverview>("/orchestrator/");
      expect(blocking.map((pair) => [pair.waiter.invocation_id, pair.waited.invocation_id]).sort()).toEqual([
        ["012e9c75-76b9-433b-901e-8693fb62ad80", "dda71b04-f13e-4d80-ad84-49f29fbd845e"],
        [TORN_ROOT, "4135dd35-1e8b-49d3-b7f8-b8b32b441ab5"],
        [LIVE_WORKFLOW, NEVER_RUN],
      ]);
      expect(blocking_count).toBe(3);
      const { verdicts, overview } = await monitor.json<Dashboard>("/");
      // By the default ten minutes all 29 would be alive; a recovery has shown that the app waits less.
      expect([verdicts, overview.active_runners]).toEqual([[], 4]);
      const later = await open("kitchen_sink", REDIS_PRESENT + 660);
      try {
        const found = await later.json<Dashboard>("/");
        const ids = (code: string) => {
          const { evidence = [] } = found.verdicts.find((verdict) => verdict.code === code) ?? {};
          return evidence.flatMap(({ kind, id }) => (kind === "invocation" ? id : [])).sort();
        };
        const open = (status: string, wanted: (id: string) => boolean = () => true) =>
          facts.not_final
            .filter((one) => one.status === status && wanted(one.invocation_id))
            .map((one) => one.invocation_id)
            .sort();
        expect(ids("stuck_pending")).toEqual(open("pending"));
        expect(ids("running_on_dead_runner")).toEqual(open("running"));
        expect(ids("paused_on_dead_runner")).toEqual(open("paused"));
        // A runner takes what another one waits for without its message.
        const isLost = (id: string) => !facts.queue.includes(id) && id !== NEVER_RUN;
        expect(ids("waiting_in_no_queue")).toEqual(open("registered", isLost));
        expect(found.overview.active_runners).toBe(0);
      } finally {
        await later.close();
      }
    });

    it("show the live workflow and its sub-workflow that never ran", async () => {
      expect((await monitor.get(`/workflows/runs/${LIVE_WORKFLOW}`)).status).toBe(200);
      const never = await monitor.json<InvocationDetail>(`/invocations/${NEVER_RUN}`);
      expect(never).toMatchObject({ status: "registered", queued: false });
      expect(never.parent?.invocation_id).toBe(LIVE_WORKFLOW);
    });
  });
});
