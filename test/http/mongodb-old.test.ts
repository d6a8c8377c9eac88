/** An app in MongoDB with more registrations than are looked through for a task or a call. */
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { InvocationList } from "../../src/api/invocations.ts";
import type { CallDetail, TaskDetail } from "../../src/api/tasks.ts";
import { LOOKED_THROUGH } from "../../src/stores/ports/orchestrator.ts";
import { monitor as command } from "../cli/monitor.ts";
import { mongoPrefix } from "../support/mongodb-data.ts";
import { describeWithMongod, type MongoServer, startMongo } from "../support/mongodb-server.ts";
import { type Monitor, monitorOn } from "../support/monitor.ts";

const APP = "small";
const HTML = { headers: { accept: "text/html" } };
const JSON_WANTED = { headers: { accept: "application/json" } };
const NEWEST = "among the newest 100,000 registrations; older ones were not searched.";

const registered = (name: string, i: number) => ({
  invocation_id: `${name}${i}`,
  task_id_key: `shop.${name}`,
  call_id_key: `shop.${name}:a`,
  status: "success",
  status_runner_id: null,
  status_timestamp: new Date(1_000 + i),
  retry_count: 0,
  auto_purge_timestamp: null,
});

describeWithMongod("a task of a large MongoDB app", () => {
  let server: MongoServer;
  let monitor: Monitor;
  const told = async (path: string) => {
    const [page, json] = await Promise.all([monitor.get(path, HTML), monitor.get(path, JSON_WANTED)]);
    return { status: page.status, html: await page.text(), json: (await json.json()) as unknown };
  };
  const cli = (...args: string[]) => command(["--url", server.url, "--app", APP, ...args]);

  beforeAll(async () => {
    server = await startMongo();
    const client = await MongoClient.connect(server.url);
    const stored = client.db("pynenc").collection(`${mongoPrefix(APP)}_orchestrator_invocations`);
    await stored.createIndex({ status: 1 });
    await stored.insertMany([registered("old", 0), registered("both", 0)]);
    for (let i = 0; i < LOOKED_THROUGH; i += 10_000)
      await stored.insertMany(
        Array.from({ length: 10_000 }, (_, k) => registered(i + k === 0 ? "both" : "new", i + k + 1)),
      );
    await client
      .db("pynenc")
      .collection(`${mongoPrefix(APP)}_state_backend_app_info`)
      .insertOne({ app_id: APP });
    await client.close();
    monitor = await monitorOn({ url: server.url }, "in process", { app: APP, now: 2_000 });
  }, 120_000);
  afterAll(async () => {
    await monitor.close();
    await server.close();
  });

  it("says that older registrations were not searched where its list is empty, and where the list may go on", async () => {
    const old = await told("/tasks/shop.old");
    expect(old.html).toContain(`No invocation of this task ${NEWEST}`);
    expect(old.html).toContain("No invocation found");
    expect(old.html).not.toContain("the store has no invocation of it");
    expect(old.json).toMatchObject({ invocations: [], notes: [`No invocation of this task ${NEWEST}`] });
    const both = (await told("/tasks/shop.both")).json as TaskDetail;
    expect(both.invocations.map((row) => row.invocation_id)).toEqual(["both1"]);
    expect(both.notes).toEqual([`The invocations listed are those ${NEWEST}`]);
    const { stderr } = await cli("show", "shop.old");
    expect(stderr.replace(/\s+/g, " ")).toContain(`No invocation of this task ${NEWEST}`);
  });

  it("says nothing of that where the list is full, and searches further back in the list of invocations", async () => {
    expect(((await told("/tasks/shop.new")).json as TaskDetail).notes).toEqual([]);
    const first = await monitor.json<InvocationList>("/invocations/?task_id=shop.old");
    expect([first.invocations, first.notes]).toEqual([[], [expect.stringMatching(/^Searched 100,000 .* not yet\.$/)]]);
    const further = `/invocations/?task_id=shop.old&after=${encodeURIComponent(first.older ?? "")}`;
    const { invocations } = await monitor.json<InvocationList>(further);
    expect(invocations.map((row) => row.invocation_id)).toEqual(["old0"]);
  });

  it("has calls that are not found among the newest, instead of none, and at least as many invocations as were found", async () => {
    const old = await told("/calls/?call_id_key=shop.old:a");
    expect(old.status).toBe(404);
    expect(old.html).toContain(NEWEST);
    expect(old.json).toMatchObject({
      detail: `No call "shop.old:a" ${NEWEST}`,
      hint: expect.stringContaining("can be searched further back for this call") as string,
    });
    const { stderr, code } = await cli("call", "shop.old:a");
    expect([code, stderr.replace(/\s+/g, " ")]).toEqual([3, expect.stringContaining(NEWEST)]);
    const both = await told("/calls/?call_id_key=shop.both:a");
    expect((both.json as CallDetail).page).toMatchObject({ total: 1, total_capped: true });
    expect(both.html).toContain("Invocations (at least 1)");
  });
});
