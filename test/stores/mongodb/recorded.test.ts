/** Documents that pynenc-mongo 0.3.0 itself wrote (test/lab/scenarios/chunked-values.lab.ts), compared with what the lab saw happen. */
import { readFileSync } from "node:fs";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MongoStore } from "../../../src/stores/mongodb/store.ts";
import type { AppReads } from "../../../src/stores/ports/store.ts";
import { fixturePath } from "../../support/fixtures.ts";
import { recordedContent, writeContent } from "../../support/mongodb-content.ts";
import { mongoPrefix } from "../../support/mongodb-data.ts";
import { describeWithMongo, type MongoServer, startMongo } from "../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../support/mongodb-store.ts";

const APP = "lab";
const RECORDED = fixturePath("mongodb/chunks_and_events.ejson");

interface Fact {
  what: string;
  at: number;
  invocation: string | null;
  task?: string;
  id?: string;
  kwargs?: { order?: string };
}

const { facts } = JSON.parse(readFileSync(fixturePath("mongodb/chunks_and_events.facts.json"), "utf8")) as {
  facts: Fact[];
};
const seen = (what: string, task?: string) =>
  facts.filter((fact) => fact.what === what && (task === undefined || fact.task === task));
const instantOf = (what: string, invocation: string) =>
  facts.find((fact) => fact.what === what && fact.invocation === invocation)?.at ?? Number.NaN;
const ALL = { limit: 1_000, offset: 0 };

/** By their orders: one argument is in the chunks of its call, the other one among the client data. */
const [stated = "", referred = ""] = seen("begins", "source").map((fact) => String(fact.invocation));
const orderOf = (id: string) => facts.find((fact) => fact.what === "begins" && fact.invocation === id)?.kwargs?.order;

describeWithMongo("what pynenc-mongo 0.3.0 wrote", () => {
  let server: MongoServer;
  let store: MongoStore;
  const read = <T>(fn: (reads: AppReads) => Promise<T>) => store.app(APP).read(fn);

  beforeAll(async () => {
    server = await startMongo();
    const client = await MongoClient.connect(server.url);
    await writeContent(client.db("pynenc"), recordedContent(RECORDED));
    await client.close();
    store = mongoStoreOn({ url: server.url, database: "pynenc" });
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  it("is in chunks, in the state backend and among the client data", () => {
    const content = recordedContent(RECORDED);
    const keys = (name: string) => content.get(`${mongoPrefix(APP)}_${name}`)?.documents.map((one) => one.chunk_key);
    expect(keys("state_backend_chunks")?.filter((key) => key === `${stated}:args:order`).length).toBeGreaterThan(1);
    expect(keys("arg_cache_chunks")?.length).toBeGreaterThan(1);
  });

  it("lists the app, and every call that the lab saw, with the status that it ended with", async () => {
    expect((await store.apps()).map(({ app_id }) => app_id)).toEqual([APP]);
    const rows = await read(({ orchestrator }) => orchestrator.listInvocations({}, ALL));
    const own = rows.filter(({ task_id_key }) => task_id_key.startsWith("triggered."));
    const ended = [
      ...seen("returns").map((fact) => [fact.invocation, "success"]),
      ...seen("raises").map((fact) => [fact.invocation, "failed"]),
    ];
    expect(Object.fromEntries(own.map((row) => [row.invocation_id, row.status]))).toEqual(Object.fromEntries(ended));
    expect(await read(({ orchestrator }) => orchestrator.countByStatus())).toEqual({
      failed: 1,
      success: rows.length - 1,
    });
  });

  it("has the four entries of each history, with the instants of the task between them", async () => {
    for (const [id, last, end] of [
      [stated, "success", "returns"],
      [referred, "failed", "raises"],
    ] as const) {
      const entries = await read(({ state_backend }) => state_backend.historyOf([id], 10));
      expect(entries.map(({ status }) => status)).toEqual(["registered", "pending", "running", last]);
      const [, , running, final] = entries.map(({ timestamp }) => timestamp);
      expect(running).toBeLessThanOrEqual(instantOf("begins", id));
      expect(final).toBeGreaterThanOrEqual(instantOf(end, id));
      // Dates have milliseconds only.
      expect(entries.some(({ timestamp }) => !Number.isInteger(timestamp * 1_000))).toBe(true);
    }
  });

  it("has the argument and the result that are in chunks, whole and cut", async () => {
    const [whole] = await read(({ state_backend }) => state_backend.invocationsByIds([stated]));
    const { order } = JSON.parse(whole?.serialized_arguments ?? "{}") as { order: string };
    expect(JSON.parse(order)).toBe(orderOf(stated));
    const [result] = await read(({ state_backend }) => state_backend.outcomesOf(["result"], [stated]));
    expect(JSON.parse(result?.stored ?? "")).toBe(orderOf(stated));
  });

  it("has the argument that is kept by reference in chunks of the client data", async () => {
    const [call] = await read(({ state_backend }) => state_backend.invocationsByIds([referred]));
    const { order: reference } = JSON.parse(call?.serialized_arguments ?? "{}") as { order: string };
    const [value] = await read(({ client_data_store }) => client_data_store.valuesByKeys([reference], 10_000));
    expect(JSON.parse(value?.text ?? "")).toBe(orderOf(referred));
    const [cut] = await read(({ client_data_store }) => client_data_store.valuesByKeys([reference], 20));
    expect(cut?.text).toBe(value?.text.slice(0, 20));
    expect(cut?.size).toBe(value?.size);
  });

  it("leads from the event over its trigger run to the call, and back", async () => {
    const event = String(seen("emits")[0]?.id);
    const started = String(seen("begins", "on_event")[0]?.invocation);
    const [link] = await read(({ trigger }) => trigger.triggeredBy([event], 10));
    expect(link).toMatchObject({ event_id: event, invocation_id: started });
    const runs = await read(({ trigger }) => trigger.triggerRunsOf("event", [event], 10));
    expect(runs).toHaveLength(1);
    const back = await read(({ trigger }) => trigger.triggerRunsOf("triggered_invocation", [started], 10));
    expect(back.map((run) => run.trigger_run_id)).toEqual(runs.map((run) => run.trigger_run_id));
    const [run] = await read(({ trigger }) => trigger.triggerRunsByIds(runs.map((one) => one.trigger_run_id)));
    expect(run).toMatchObject({
      task_id_key: "triggered.on_event",
      triggered_invocation_id: started,
      event_ids: [event],
    });
    const [call] = await read(({ state_backend }) => state_backend.invocationsByIds([started]));
    expect(call).toMatchObject({ parent_event_id: event, parent_invocation_id: null });
  });
});
