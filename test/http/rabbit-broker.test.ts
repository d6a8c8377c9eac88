/** An app in a SQLite file whose queue is in RabbitMQ: counted and changed where it is, never looked into, and away while the rest is there. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PurgeOutcome, PurgePreview, RequeueOutcome, RequeuePreview } from "../../src/api/actions.ts";
import type { BrokerOverview, QueuePage } from "../../src/api/components.ts";
import type { Dashboard } from "../../src/api/health.ts";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import type { RerunManyOutcome, RerunOutcome, RerunPreview } from "../../src/api/reruns.ts";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { RabbitQueue } from "../../src/stores/rabbitmq/queue.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { monitor as command } from "../cli/monitor.ts";
import { changes, contentsOf } from "../support/contents.ts";
import { factsOf, presentOf } from "../support/fixtures.ts";
import { mongoPrefix } from "../support/mongodb-data.ts";
import { mongoFixtures } from "../support/mongodb-fixtures.ts";
import { describeWithMongo } from "../support/mongodb-server.ts";
import { type Monitor, type MonitorOptions, monitorOf, monitorOn, sharedMonitor } from "../support/monitor.ts";
import { describeWithRabbit, type RabbitServer, startRabbit } from "../support/rabbitmq-server.ts";
import { REDIS_PRESENT, REDIS_RDB } from "../support/redis-facts.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const APP = "kitchen_sink";
const OTHER = "kitchen-sink.two/β";
const PREFIX = tablePrefix(APP);
const FACTS = factsOf("kitchen_sink.db", APP);
const QUEUE = "sink_broker_messages";
const NO_SERVER = {
  PYNENC__BROKER_CLS: "RabbitMqBroker",
  // A port that is reserved and never listened on.
  PYNENC__RABBITMQ_PORT: "1",
  PYNENC__RABBITMQ_HOST: "127.0.0.1",
  PYNENC__RABBITMQ_PASSWORD: "geheim-8c1f",
};

function served(env: Record<string, string>, more: MonitorOptions = {}): Promise<Monitor> {
  return monitorOf("kitchen_sink.db", "in process", { app: APP, lockWait: 0.3, env, ...more });
}

/** Rows of the tables of the app that changed, without the prefix. */
function changed(before: ReturnType<typeof contentsOf>, after: ReturnType<typeof contentsOf>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(changes(before, after)).map(([table, rows]) => [table.replace(`${PREFIX}__`, ""), rows as number]),
  );
}

async function finalInvocation(monitor: Monitor): Promise<string> {
  const { invocations } = await monitor.json<InvocationList>("/invocations/?status=success&limit=1");
  return invocations[0]?.invocation_id ?? "";
}

/** Of all tests here: it takes long to start. */
let started: Promise<RabbitServer> | null = null;
const rabbit = () => {
  started ??= startRabbit();
  return started;
};
afterAll(async () => (await started)?.close());

/** Counts the two messages of the queue, adds to it, and empties it before the rest. */
async function expectQueueOf(monitor: Monitor, queues: RabbitServer): Promise<void> {
  expect(await monitor.json("/broker/")).toMatchObject({ messages: 2, queue_peek: false, queue_shared: true });
  const id = await finalInvocation(monitor);
  const done = (await (await monitor.post(`/invocations/${id}/rerun`)).json()) as RerunOutcome;
  expect((await monitor.json<InvocationDetail>(`/invocations/${done.new_invocation_id}`)).status).toBe("registered");
  expect((await queues.take(QUEUE)).map(({ body }) => body)).toEqual(["one", "two", done.new_invocation_id]);
  await queues.put(QUEUE, ["three"]);
  const purged = (await (await monitor.post("/purge")).json()) as PurgeOutcome;
  expect(purged.rows[0]).toEqual({ component: "broker", name: QUEUE, rows: 1, exact: true });
  expect(await queues.count(QUEUE)).toBe(0);
  expect(await monitor.json("/")).toMatchObject({ overview: { invocations: 0, queued_messages: 0 } });
}

describeWithRabbit("an app whose queue is in RabbitMQ", () => {
  let server: RabbitServer;
  let monitor: Monitor;
  beforeAll(async () => {
    server = await rabbit();
  });
  beforeEach(async () => {
    await server.put(QUEUE, ["one", "two", "three"]);
    monitor = await served(server.env("sink"));
  });
  afterEach(async () => {
    await monitor.close();
    await server.remove(QUEUE);
  });

  it("shows how many messages wait on every page with the queue", async () => {
    const dashboard = await monitor.json<Dashboard>("/");
    expect(dashboard).toMatchObject({
      overview: { queued_messages: 3 },
      location: expect.stringMatching(/kitchen_sink\.db, amqp:\/\/127\.0\.0\.1:\d+\/%2Fshop%252Fa$/),
    });
    expect(dashboard.verdicts.map(({ code }) => code)).not.toContain("unreachable_queue");
    expect(await monitor.json<BrokerOverview>("/broker/")).toMatchObject({
      present: true,
      queue_peek: false,
      queue_shared: true,
      messages: 3,
      oldest_queued_at: null,
      next: [],
    });
    expect(await monitor.json<QueuePage>("/broker/queue")).toMatchObject({ messages: [], page: { total: 3 } });
    expect((await server.take(QUEUE)).map(({ body }) => body)).toEqual(["one", "two", "three"]);
  });

  it("says that messages can only be counted, and not that the queue is empty", async () => {
    const [broker, queue] = [await monitor.text("/broker/"), await monitor.text("/broker/queue")];
    for (const page of [broker, queue]) {
      expect(page).toContain("3 messages in the queue");
      expect(page).toContain("so only the count is shown");
    }
    expect(broker + queue).not.toContain("The queue is empty");
    expect(broker).toContain(String(server.address().port));
    await server.take(QUEUE);
    const empty = await served(server.env("sink"));
    expect(await empty.text("/broker/queue")).toContain("The queue is empty");
    await empty.close();
  });

  it("does not say of an invocation whether its message is in the queue", async () => {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=registered&limit=1");
    const id = invocations[0]?.invocation_id ?? "";
    const detail = await monitor.json<InvocationDetail>(`/invocations/${id}`);
    expect([detail.status, detail.queued]).toEqual(["registered", null]);
    expect(detail.notes.join()).not.toContain("queue");
    expect(await monitor.text(`/invocations/${id}`)).toContain("not known");
  });

  it("counts a missing queue as empty, and does not create it", async () => {
    const elsewhere = await served(server.env("nothing"));
    expect(await elsewhere.json("/broker/")).toMatchObject({ present: true, messages: 0 });
    const id = await finalInvocation(elsewhere);
    expect((await elsewhere.json<RerunPreview>(`/invocations/${id}/rerun`)).refused).toContain("no queue nothing_");
    const before = contentsOf(elsewhere.path);
    const refused = await elsewhere.post(`/invocations/${id}/rerun`);
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("Nothing was registered")]);
    expect(changes(before, contentsOf(elsewhere.path))).toEqual({});
    expect(await (await elsewhere.post("/broker/purge")).json()).toMatchObject({ success: true, deleted: 0 });
    expect(await server.count("nothing_broker_messages")).toBeNull();
    await elsewhere.close();
  });

  it("registers a call in the file and puts its message into the queue", async () => {
    const id = await finalInvocation(monitor);
    const before = contentsOf(monitor.path);
    const done = (await (await monitor.post(`/invocations/${id}/rerun`)).json()) as RerunOutcome;
    expect(done.success).toBe(true);
    const tables = changed(before, contentsOf(monitor.path));
    expect(tables).toMatchObject({ orchestrator_invocations: 1, state_backend_invocations: 1 });
    expect(tables).not.toHaveProperty("broker_message_queue");
    const messages = await server.take(QUEUE);
    expect(messages.map(({ body }) => body)).toEqual(["one", "two", "three", done.new_invocation_id]);
    expect(messages.at(-1)?.persistent).toBe(true);
  });

  it("registers all invocations that match a filter", async () => {
    const done = (await (await monitor.post("/invocations/rerun", { status: "failed" })).json()) as RerunManyOutcome;
    expect(done).toMatchObject({ stopped: null, unqueued_invocation_ids: [] });
    expect(done.registered).toBeGreaterThan(1);
    expect((await server.take(QUEUE)).slice(3).map(({ body }) => body)).toEqual(done.new_invocation_ids);
  });

  it("puts a message back only when the queue is empty and no runner is active, or by force", async () => {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=registered&limit=2");
    const [id = "", other = ""] = invocations.map((row) => row.invocation_id);
    const before = contentsOf(monitor.path);
    // A day after the data ends no runner is active.
    const later = await served(server.env("sink"), { now: presentOf("kitchen_sink.db") + 86_400 });
    const untouched = contentsOf(later.path);
    const attempt = async (at: Monitor, fields?: Record<string, unknown>) => {
      const answer = await at.post(`/invocations/${id}/requeue`, fields);
      return [answer.status, await answer.text()] as const;
    };
    const full = await later.json<RequeuePreview>(`/invocations/${id}/requeue`);
    expect([full.refused, full.forcible]).toEqual([expect.stringContaining("it has 3 messages"), true]);
    expect(await later.text(`/invocations/${id}/requeue`)).toContain(`/invocations/${id}/requeue?force=1`);
    expect(await attempt(later)).toEqual([409, expect.stringContaining("can only be counted")]);
    expect(await server.count(QUEUE)).toBe(3);
    const forced = await later.json<RequeuePreview>(`/invocations/${id}/requeue?force=1`);
    expect([forced.refused, forced.notes.join(" ")]).toEqual([null, expect.stringContaining("may run twice")]);
    expect((await attempt(later, { force: "1" }))[0]).toBe(200);
    const taken = await server.take(QUEUE);
    expect(taken.at(-1)).toEqual({ body: id, persistent: true });
    expect(taken).toHaveLength(4);

    // Beside an active runner an empty queue proves nothing.
    const soon = await served(server.env("sink"), { now: presentOf("kitchen_sink.db") + 120 });
    const db = openDatabase(soon.path, { mode: "write" });
    const heartbeats = `"${tablePrefix("kitchen_sink")}__orchestrator_runner_heartbeats"`;
    db.exec(`UPDATE ${heartbeats} SET last_heartbeat = ${presentOf("kitchen_sink.db") + 119}`);
    db.close();
    expect(await attempt(soon)).toEqual([409, expect.stringContaining("31 runners are active")]);
    await soon.close();
    // Two at once: the second finds the message of the first.
    const both = await Promise.all([attempt(later), later.post(`/invocations/${other}/requeue`)]);
    expect([both[0][0], both[1].status].sort()).toEqual([200, 409]);
    expect(await server.count(QUEUE)).toBe(1);
    expect(changes(untouched, contentsOf(later.path))).toEqual({});
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
    await later.close();
  });

  it("refuses to put messages back when the queue is missing or takes no messages", async () => {
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=registered&limit=3");
    const ids = invocations.map((row) => row.invocation_id);
    await server.remove(QUEUE);
    const target = "/invocations/requeue";
    const later = await served(server.env("sink"), { now: presentOf("kitchen_sink.db") + 86_400 });
    const absent = await later.post(target, { inv_ids: ids, force: "1" });
    expect([absent.status, await absent.text()]).toEqual([409, expect.stringContaining(`no queue ${QUEUE}`)]);
    expect(await server.count(QUEUE)).toBeNull();
    await server.put(QUEUE, ["one"], 1);
    const full = await later.post(target, { inv_ids: ids, force: "1" });
    expect([full.status, await full.text()]).toEqual([503, expect.stringContaining("did not accept the message")]);
    await server.remove(QUEUE);
    await server.put(QUEUE, [], 2);
    const some = (await (await later.post(target, { inv_ids: ids, force: "1" })).json()) as RequeueOutcome;
    const queued = (await server.take(QUEUE)).map(({ body }) => body);
    expect(some.invocation_ids).toEqual(queued);
    expect(some.refused.map((one) => one.kind)).toContain("undelivered");
    expect([...queued, ...some.refused.map((one) => one.invocation_id)].sort()).toEqual([...ids].sort());
    await later.close();
  });

  it("empties the queue by a purge of the broker and by a purge of everything", async () => {
    const preview = await monitor.json<PurgePreview>("/broker/purge");
    expect(preview.counts).toEqual([{ component: "broker", name: QUEUE, rows: 3, exact: true }]);
    expect(preview.consequences.join()).toContain("share this queue");
    expect(await monitor.text("/purge")).not.toMatch(/not touched|or nothing/);
    expect(await monitor.text("/orchestrator/purge")).toMatch(/not touched.*or nothing/s);
    const before = contentsOf(monitor.path);
    const done = (await (await monitor.post("/broker/purge")).json()) as PurgeOutcome;
    expect(done.rows).toEqual(preview.counts);
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
    expect(await server.count(QUEUE)).toBe(0);
    await server.put(QUEUE, ["four"]);
    const all = (await (await monitor.post("/purge")).json()) as PurgeOutcome;
    expect(all.rows[0]).toEqual({ component: "broker", name: QUEUE, rows: 1, exact: true });
    expect(await server.count(QUEUE)).toBe(0);
    const tables = changed(before, contentsOf(monitor.path));
    expect(tables).toMatchObject({ orchestrator_invocations: expect.any(Number) });
    // Rows that the app left in the file when its queue was still there are not its queue.
    expect(tables).not.toHaveProperty("broker_message_queue");
  });

  it("leaves the queue alone in read-only mode and while the store is locked", async () => {
    const readOnly = await served(server.env("sink"), { readOnly: true });
    for (const path of ["/broker/purge", "/purge", `/invocations/${await finalInvocation(readOnly)}/rerun`]) {
      expect((await readOnly.post(path)).status).toBe(403);
    }
    await readOnly.close();
    const writer = openDatabase(monitor.path, { mode: "write" });
    writer.exec("BEGIN IMMEDIATE");
    const locked = await monitor.post("/purge");
    expect([locked.status, await locked.text()]).toEqual([503, expect.stringContaining("nothing was changed")]);
    writer.exec("ROLLBACK");
    writer.close();
    expect(await server.count(QUEUE)).toBe(3);
  });

  it("reports that the queue was emptied when the rest of a purge failed", async () => {
    const db = openDatabase(monitor.path, { mode: "write" });
    db.exec(
      `CREATE TRIGGER no BEFORE DELETE ON "${PREFIX}__orchestrator_invocations" BEGIN SELECT RAISE(ABORT, 'no'); END`,
    );
    db.close();
    const before = contentsOf(monitor.path);
    const failed = await monitor.post("/purge");
    expect([failed.status, await failed.text()]).toEqual([
      503,
      expect.stringMatching(
        /The queue was emptied \(3 messages deleted\)\. The rest was not deleted: \S+ could not be written/,
      ),
    ]);
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
    expect(await server.count(QUEUE)).toBe(0);
  });

  it("names the calls that were registered without a message", async () => {
    const id = await finalInvocation(monitor);
    await server.remove(QUEUE);
    await server.put(QUEUE, ["one"], 1);
    const before = contentsOf(monitor.path);
    const failed = await monitor.post(`/invocations/${id}/rerun`);
    const { detail } = (await failed.json()) as { detail: string };
    expect([failed.status, detail]).toEqual([503, expect.stringContaining("without a message in the queue")]);
    expect(changed(before, contentsOf(monitor.path))).toMatchObject({ orchestrator_invocations: 1 });
    const { invocations } = await monitor.json<InvocationList>("/invocations/?status=registered&limit=1");
    expect(detail).toContain(invocations[0]?.invocation_id);

    await server.remove(QUEUE);
    await server.put(QUEUE, [], 2);
    const many = (await (await monitor.post("/invocations/rerun", { status: "failed" })).json()) as RerunManyOutcome;
    const queued = (await server.take(QUEUE)).map(({ body }) => body);
    expect(queued.length).toBeGreaterThan(0);
    expect(many.unqueued_invocation_ids.length).toBeGreaterThan(0);
    expect([...queued, ...many.unqueued_invocation_ids].sort()).toEqual([...many.new_invocation_ids].sort());
    expect(many.stopped).toContain("not in the queue");
  });

  it("shows the count of a shared queue for every app", async () => {
    expect(await monitor.json(`/broker/?app=${encodeURIComponent(OTHER)}`)).toMatchObject({ messages: 3 });
  });

  it("shows the queue in commands on the terminal", async () => {
    const run = (...args: string[]) =>
      command([...args, "--db", monitor.path, "--app", APP], { env: server.env("sink") });
    expect((await run("queue")).stdout).toContain("3 messages; this broker cannot list them.");
    expect((await run("status")).stdout).toMatch(/Queue +3 messages\n/);
    const config = await run("config", "--json");
    expect(config.stdout).toContain("RabbitMqBroker");
    expect(config.stdout).not.toContain(server.address().password);
    const doctor = JSON.parse((await run("doctor", "--json")).stdout);
    expect(doctor.tables[0]).toEqual({ name: QUEUE, component: "broker", rows: 3, exact: true, bytes: null });
    expect(doctor.files[0].components).not.toContain("broker");
    expect(await run("purge", "broker", "--yes")).toMatchObject({ code: 0 });
    expect(await server.count(QUEUE)).toBe(0);
  });
});

describeWithRedis("an app in Redis", () => {
  describeWithRabbit("whose queue is in RabbitMQ", () => {
    let queues: RabbitServer;
    let redis: RedisServer;
    let monitor: Monitor;
    beforeAll(async () => {
      [queues, redis] = await Promise.all([rabbit(), startRedis({ rdb: REDIS_RDB })]);
      await queues.put(QUEUE, ["one", "two"]);
      const options = { app: APP, now: REDIS_PRESENT, env: queues.env("sink") };
      monitor = await monitorOn({ url: redis.url }, "in process", options);
    });
    afterAll(async () => {
      await monitor.close();
      await redis.close();
    });

    it("counts and adds to that queue, and empties it before the rest", async () => {
      const list = ["LRANGE", `__pynenc__:${APP}:broker:default_queue`, "0", "-1"];
      const [left] = await redis.exchange([list]);
      await expectQueueOf(monitor, queues);
      expect(await redis.exchange([list])).toEqual([left]);
    });
  });
});

describeWithMongo("an app in MongoDB", () => {
  const load = mongoFixtures();
  describeWithRabbit("whose queue is in RabbitMQ", () => {
    it("counts and adds to that queue, and empties it before the rest", async () => {
      const queues = await rabbit();
      await queues.put(QUEUE, ["one", "two"]);
      const { url, database, db, close } = await load("kitchen_sink.db");
      const env = { ...queues.env("sink"), PYNENC__MONGO_DB: database };
      const monitor = await monitorOn({ url }, "in process", { app: APP, now: presentOf("kitchen_sink.db"), env });
      try {
        const messages = () => db.collection(`${mongoPrefix(APP)}_broker_message_queue`).countDocuments();
        const left = await messages();
        await expectQueueOf(monitor, queues);
        expect(await messages()).toBe(left);
      } finally {
        await monitor.close();
        await close();
      }
    });
  });
});

describe("an app whose RabbitMQ cannot be reached", () => {
  const monitor = sharedMonitor(() => served(NO_SERVER));

  it("has pages for everything else", async () => {
    const dashboard = await monitor.json<Dashboard>("/");
    expect(dashboard.overview).toMatchObject({
      queued_messages: null,
      registered_tasks: Object.keys(FACTS.tasks).length,
    });
    expect(dashboard.verdicts.map(({ code }) => code)).toContain("unreachable_queue");
    expect(await monitor.text("/")).toContain("The queue cannot be reached");
    const id = await finalInvocation(monitor);
    for (const path of [
      "/orchestrator/",
      "/invocations/",
      `/invocations/${id}`,
      "/state-backend/",
      "/tasks/",
      "/orchestrator/purge",
      "/events/",
    ]) {
      expect([path, (await monitor.get(path)).status]).toEqual([path, 200]);
    }
  });

  it("reports that the queue cannot be reached, and changes nothing", async () => {
    const before = contentsOf(monitor.path);
    const id = await finalInvocation(monitor);
    const answers = [
      await monitor.get("/broker/"),
      await monitor.get("/broker/queue"),
      await monitor.get("/broker/purge"),
      await monitor.post("/broker/purge"),
      await monitor.post("/purge"),
      await monitor.post(`/invocations/${id}/rerun`),
    ];
    for (const answer of answers) {
      const text = await answer.text();
      expect([answer.status, text]).toEqual([
        503,
        expect.stringContaining("No RabbitMQ server answers at amqp://127.0.0.1:1/"),
      ]);
      expect(text).not.toContain("geheim");
    }
    expect(changes(before, contentsOf(monitor.path))).toEqual({});
  });

  it("says on the terminal that the queue cannot be reached", async () => {
    const run = (...args: string[]) => command([...args, "--db", monitor.path, "--app", APP], { env: NO_SERVER });
    expect(await run("queue")).toMatchObject({ code: 4, stderr: expect.stringContaining("connection refused") });
    expect(await run("status")).toMatchObject({ code: 0, stdout: expect.stringContaining("cannot be reached") });
    const doctor = await run("doctor");
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("The queue cannot be reached")]);
    expect(doctor.stdout + doctor.stderr).not.toContain("geheim");
  });
});

describe("a RabbitMQ server named by the store alone", () => {
  it.each([
    ["rabbit.example.org", "named only by the app's registration"],
    ["127.0.0.1", "connection refused"],
  ])("at %s is reported as: %s", async (host, words) => {
    const monitor = await served({ PYNENC__RABBITMQ_PASSWORD: "geheim-8c1f" });
    const db = openDatabase(monitor.path, { mode: "write" });
    const values = { broker_cls: "RabbitMqBroker", rabbitmq_host: host, rabbitmq_port: 1 };
    db.prepare(
      `UPDATE "${PREFIX}__state_backend_app_info" SET app_info_json = json_set(app_info_json, '$.config_values', json(?))`,
    ).run(JSON.stringify(values));
    db.close();
    const answer = await monitor.get("/broker/", { headers: { accept: "application/json" } });
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining(words)]);
    await monitor.close();
  });
});

describe("the location of a RabbitMQ queue", () => {
  it("has neither user nor password", () => {
    const address = { host: "::1", port: 5672, username: "shop", password: "geheim", virtual_host: "/", queue: "q" };
    expect(new RabbitQueue({ ...address, refused: null }).location).toBe("amqp://[::1]:5672/%2F");
  });
});
