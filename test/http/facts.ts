/** The facts of the fixtures on pages and in JSON, whatever the store is made of. */
import { parse } from "node-html-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrchestratorOverview, StateBackendOverview } from "../../src/api/components.ts";
import type { Dashboard } from "../../src/api/health.ts";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import type { RunnerList } from "../../src/api/runners.ts";
import type { TaskList } from "../../src/api/tasks.ts";
import type { WorkflowRunList, WorkflowTypeList } from "../../src/api/workflows.ts";
import { STATUSES } from "../../src/pynenc/statuses.ts";
import { type AppFacts, FACTS, FIXTURE_NAMES, type FixtureName, sum } from "../support/fixtures.ts";
import type { Monitor } from "../support/monitor.ts";

/** The text of a page without tags, runs of white space folded: what a reader sees. */
export async function seen(monitor: Monitor, path: string): Promise<string> {
  const root = parse(await monitor.text(path));
  return (root.querySelector("main")?.structuredText ?? "").replace(/\s+/g, " ");
}

/** What differs between stores. */
export interface StoreWords {
  /** What the figures of storage have to hold. */
  rowsOf(facts: AppFacts): Record<string, number>;
  /** The status that workflow runs are ordered by: when it was last entered. */
  runsOrderedBy: "running" | "registered";
}

/** An address as it is in a store with one app: that of a store with several names the app. */
function withoutApp(href = ""): string {
  return href.replace(/[?&]app=[^&]*$/, "");
}

/** @param open a monitor of this app. */
export function factsOverHttp(
  kind: string,
  open: (fixture: FixtureName, app: string) => Promise<Monitor>,
  { rowsOf, runsOrderedBy }: StoreWords,
): void {
  describe.each(FIXTURE_NAMES)(`the monitor of a store in ${kind}: %s`, (fixture: FixtureName) => {
    describe.each(Object.entries(FACTS[fixture]))("%s", (appId, facts) => {
      let monitor: Monitor;
      beforeAll(async () => {
        monitor = await open(fixture, appId);
      });
      afterAll(() => monitor.close());

      it("counts every status, zeros included, and the events that were recorded", async () => {
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
          expect([name, links.some((link) => link.text.includes(String(expected[name])))]).toEqual([name, true]);
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
        for (const { name } of list.runners)
          byClass[name.runner_cls ?? "?"] = (byClass[name.runner_cls ?? "?"] ?? 0) + 1;
        expect(byClass).toEqual(facts.runner_contexts);
        expect(list.runners.filter((runner) => runner.last_heartbeat !== null)).toHaveLength(facts.heartbeats);
        for (const { runner_id } of list.runners) {
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
        const started = await Promise.all(
          runs.slice(0, 12).map(async (run) => lastEntered(monitor, run.workflow_id, runsOrderedBy)),
        );
        // Processes that start runs at the same moment write them a moment out of order.
        expect(started.every((time, i) => i === 0 || time <= (started[i - 1] ?? 0) + 0.2)).toBe(true);
      });

      it("counts rows per table", async () => {
        const { figures, oldest_entry, newest_entry } = await monitor.json<StateBackendOverview>("/state-backend/");
        const rows = Object.fromEntries(figures.map((figure) => [figure.name, figure.rows]));
        expect(rows).toMatchObject(rowsOf(facts));
        expect([Date.parse(oldest_entry ?? "") / 1000, Date.parse(newest_entry ?? "") / 1000]).toEqual([
          expect.closeTo(facts.window[0], 2),
          expect.closeTo(facts.window[1], 2),
        ]);
        expect((await monitor.json<{ values: number }>("/client-data-store/")).values).toBe(facts.client_data);
      });

      it("has a page for every invocation, with a possible history and phases that add up", async () => {
        const { invocations } = await monitor.json<InvocationList>("/invocations/?limit=1000");
        const retries: Record<string, number> = {};
        let entries = 0;
        for (const { invocation_id } of invocations) {
          const detail = await monitor.json<InvocationDetail>(`/invocations/${invocation_id}`);
          entries += detail.history.length;
          const retried = detail.retry_count ?? 0;
          if (retried > 0) retries[retried] = (retries[retried] ?? 0) + 1;
          expect(detail.history.filter((entry) => !entry.possible)).toEqual([]);
          expect(detail.history.at(-1)?.status).toBe(detail.status);
          const phases = (detail.phases ?? []).reduce((total, phase) => total + phase.seconds, 0);
          expect(phases).toBeCloseTo(detail.elapsed_seconds ?? 0, 1);
          expect(detail.status === "success").toBe(detail.result !== null && detail.final && detail.exception === null);
          expect(detail.arguments_unreadable).toBeNull();
          expect(detail.arguments.filter((argument) => argument.value.dangling)).toEqual([]);
        }
        expect(entries).toBe(facts.history_rows);
        expect(retries).toEqual(facts.retries);
      });
    });
  });
}

async function lastEntered(monitor: Monitor, id: string, status: string): Promise<number> {
  const history = await monitor.json<{ status: string; timestamp: string }[]>(`/invocations/${id}/history`);
  return Date.parse(history.findLast((entry) => entry.status === status)?.timestamp ?? "") / 1000;
}
