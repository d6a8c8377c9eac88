/** The facts of the real Redis data on the terminal. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isoFromEpoch } from "../../src/pynenc/time.ts";
import { sum } from "../support/fixtures.ts";
import { REDIS_FACTS, REDIS_PRESENT, REDIS_RDB, redisFactsOf } from "../support/redis-facts.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { monitor } from "./monitor.ts";

const TORN_ROOT = "5f8bcf72-b487-446f-81e0-acc59ef4e6d5";

describeWithRedis("commands on the real Redis data", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ rdb: REDIS_RDB });
  });
  afterAll(() => server.close());

  async function run(app: string, ...command: string[]): Promise<string> {
    const place = ["--url", server.url, "--app", app, "--now", isoFromEpoch(REDIS_PRESENT)];
    const { code, stdout, stderr } = await monitor([...place, ...command]);
    expect([command, code, stderr]).toEqual([command, 0, ""]);
    return stdout;
  }

  async function json<T>(app: string, ...command: string[]): Promise<T> {
    return JSON.parse(await run(app, ...command, "--json")) as T;
  }

  describe.each(Object.keys(REDIS_FACTS))("%s", (app) => {
    const facts = redisFactsOf(app);

    it("show counts, tasks, runners, the queue and workflows", async () => {
      const { invocations, statuses } = await json<{ invocations: number; statuses: Record<string, number> }>(
        app,
        "status",
      );
      const torn = Object.keys(facts.torn).length;
      expect(Object.fromEntries(Object.entries(statuses).filter(([, count]) => count > 0))).toEqual({
        ...facts.statuses,
        ...(torn > 0 ? { unknown: torn } : {}),
      });
      expect(invocations).toBe(facts.defined);
      const { tasks } = await json<{ tasks: { task_id_key: string }[] }>(app, "tasks");
      expect(tasks.map((task) => task.task_id_key)).toEqual(expect.arrayContaining(Object.keys(facts.tasks)));
      const { runners } = await json<{ runners: unknown[] }>(app, "runners", "--all");
      expect(runners).toHaveLength(sum(facts.runner_contexts));
      const { messages } = await json<{ messages: { invocation_id: string }[] }>(app, "queue");
      expect(messages.map((message) => message.invocation_id)).toEqual(facts.queue);
      const { page } = await json<{ page: { total: number } }>(app, "workflows", "--runs");
      expect(page.total).toBe(facts.workflow_runs);
    });
  });

  it("draw a tree whose members have no status, and show one of them", async () => {
    const facts = redisFactsOf("kitchen_sink");
    const tree = await run("kitchen_sink", "tree", TORN_ROOT);
    for (const id of Object.keys(facts.torn)) expect(tree).toContain(id.slice(0, 8));
    for (const id of Object.keys(facts.torn)) {
      const detail = await json<{ invocation_id: string; status: string }>("kitchen_sink", "invocation", id);
      expect(detail).toMatchObject({ invocation_id: id, status: "unknown" });
    }
  });
});
