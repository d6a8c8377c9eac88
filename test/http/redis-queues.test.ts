/** The store of pynenc 0.4 as keys of a Redis server: pages and JSON say what the same store in SQLite says, and that it is provisional. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrokerOverview, QueuePage } from "../../src/api/components.ts";
import type { Dashboard } from "../../src/api/health.ts";
import type { RunnerList } from "../../src/api/runners.ts";
import { type Monitor, monitorOf, monitorOn } from "../support/monitor.ts";
import { type RedisFixture, redisFixtures } from "../support/redis-fixtures.ts";
import { queueNamesOf } from "../support/redis-queue-names.ts";
import { describeWithRedis } from "../support/redis-server.ts";

const HTML = { headers: { accept: "text/html" } };
const NOW = Date.parse("2026-11-22T01:08:54.708Z") / 1000;

describeWithRedis("queues of pynenc 0.4 in Redis", () => {
  const load = redisFixtures(queueNamesOf(7));
  let fixture: RedisFixture;
  let monitor: Monitor;
  let sqlite: Monitor;
  beforeAll(async () => {
    fixture = await load("queues_040.db");
    const url = fixture.endpoint.url;
    monitor = await monitorOn({ url }, "in process", { app: "queue-shop", now: NOW });
    sqlite = await monitorOf("queues_040.db", "in process", { now: NOW });
  });
  afterAll(async () => {
    await Promise.all([monitor.close(), sqlite.close()]);
    await fixture.close();
  });

  it("are those of the same store in SQLite, apart from times that Redis does not keep", async () => {
    const told = async (one: Monitor) => {
      const overview = await one.json<BrokerOverview>("/broker/");
      const page = await one.json<QueuePage>("/broker/queue");
      const { runners } = await one.json<RunnerList>("/runners/?show=all");
      return {
        queues: overview.queues.map(({ oldest_queued_at: _, oldest_seconds: __, ...queue }) => queue),
        next: overview.next.map((row) => [row.queue_name, row.place, row.invocation_id]),
        messages: page.messages.map((row) => [row.queue_name, row.place, row.priority, row.invocation_id]),
        runners: runners.map(({ runner_id, consumed_queues }) => [runner_id, consumed_queues]).sort(),
      };
    };
    const here = await told(monitor);
    expect(here).toEqual(await told(sqlite));
    expect([here.messages.length, here.queues.length]).toEqual([29, 5]);
  });

  it("are marked as provisional on every page", async () => {
    const notes = [
      (await monitor.json<BrokerOverview>("/broker/")).queue_note,
      (await monitor.json<QueuePage>("/broker/queue?queue=mail")).queue_note,
      (await monitor.json<Dashboard>("/")).overview.queue_note,
    ];
    expect(notes).toEqual(notes.map(() => expect.stringMatching(/^Provisional: /)));
    for (const path of ["/", "/broker/", "/broker/queue"]) {
      expect([path, (await (await monitor.get(path, HTML)).text()).includes("Provisional: ")]).toEqual([path, true]);
    }
    expect((await sqlite.json<BrokerOverview>("/broker/")).queue_note).toBeNull();
  });

  it("take the message of a rerun, and one queue can be emptied alone", async () => {
    const page = await monitor.json<{ invocations: { invocation_id: string }[] }>(
      "/invocations/?status=success&limit=1",
    );
    const id = page.invocations[0]?.invocation_id ?? "";
    const fields = { queue: "mail", priority: "-100", force: "1" };
    const done = await (await monitor.post(`/invocations/${id}/rerun`, fields)).json();
    const queue = async () =>
      (await monitor.json<QueuePage>("/broker/queue?queue=mail")).messages.map((m) => m.invocation_id);
    expect((await queue()).at(-1)).toBe(done.new_invocation_id);
    expect(await (await monitor.post("/broker/purge", { queue: "mail" })).json()).toMatchObject({ deleted: 11 });
    expect([await queue(), (await monitor.json<BrokerOverview>("/broker/")).messages]).toEqual([[], 19]);
  });
});
