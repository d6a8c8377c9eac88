/** What reading everything asks of a server that an app works with. */
import type { Document } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { everythingOf } from "../../../contract/everything.ts";
import { presentOf } from "../../../support/fixtures.ts";
import { type MongoFixture, mongoFixtures } from "../../../support/mongodb-fixtures.ts";
import { describeWithMongo, describeWithMongod } from "../../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../../support/mongodb-store.ts";
import { startWire } from "../../../support/mongodb-wire.ts";
import { monitorOn } from "../../../support/monitor.ts";
import { pagesOf } from "../../../support/pages.ts";

/** What reads, and what ends a list that is not read to its end. */
const READS = ["find", "aggregate", "count", "getMore", "listCollections", "listIndexes", "collStats", "killCursors"];

describeWithMongo("reading all of an app from a MongoDB server", () => {
  const load = mongoFixtures();
  const commands: Document[] = [];
  const names = (command: Document) => Object.keys(command)[0] ?? "";
  const ofKind = (name: string) => commands.filter((command) => names(command) === name);

  beforeAll(async () => {
    const fixture = await load("kitchen_sink.db");
    const wire = await startWire({}, fixture.url);
    const store = mongoStoreOn({ url: wire.url, database: fixture.database }, { readOnly: true });
    try {
      await store.apps();
      await store.version();
      await everythingOf(store.app("kitchen_sink"));
      await store
        .app("kitchen_sink")
        .read(({ orchestrator }) => orchestrator.scanInvocations({ task_id_key: "none" }, 1, 9));
      await store.app("kitchen_sink").version();
      commands.push(...wire.commands);
    } finally {
      await store.close();
      await wire.close();
      await fixture.close();
    }
  });

  afterAll(() => commands.splice(0));

  it("sends nothing but reads", () => {
    expect(commands.length).toBeGreaterThan(30);
    expect([...new Set(commands.map(names))].filter((name) => !READS.includes(name))).toEqual([]);
  });

  it("has a limit of time for every command that may take long", () => {
    const long = commands.filter((command) => ["find", "aggregate", "count"].includes(names(command)));
    expect(long.filter(({ maxTimeMS }) => !(Number(maxTimeMS) > 0 && Number(maxTimeMS) <= 30_000))).toEqual([]);
  });

  it("has a limit of documents for every list", () => {
    expect(ofKind("find").filter(({ limit }) => !(Number(limit) > 0))).toEqual([]);
    const pipelines = ofKind("aggregate").map(({ pipeline }) => pipeline as Document[]);
    expect(pipelines.filter((pipeline) => pipeline.at(-1)?.$limit === undefined)).toEqual([]);
  });

  it("evaluates no code on the server, joins no collections and asks for no index but that of ids", () => {
    const text = JSON.stringify(commands);
    expect(
      ["$where", "$function", "$accumulator", "$lookup", "$graphLookup"].filter((word) => text.includes(word)),
    ).toEqual([]);
    expect(commands.filter(({ hint }) => hint !== undefined && JSON.stringify(hint) !== '{"_id":1}')).toEqual([]);
  });
});

/** What pages walk over without an index, by collection and by what is asked of it. */
const WALKS = [
  // They do not grow: the triggers that the code defines, the description of the app.
  /^(trg_triggers|state_backend_app_info) /,
  // The names of tasks, once; the messages of one invocation; a call, among the newest; the runs of a workflow type.
  /^orchestrator_invocations aggregate .*"\$group":\{"_id":"\$task_id_key"\}/,
  /^orchestrator_invocations aggregate .*"\$group":\{"_id":\{"task"/,
  /^orchestrator_invocations \w+ .*"call_id_key"/,
  /^broker_message_queue find .*"invocation_id"/,
  /^state_backend_workflows find .*"workflow_type_key"/,
  /^state_backend_workflows aggregate .*"\$group":\{"_id":"\$workflow_type_key"/,
];

describeWithMongod("the pages of an app, as the profiler of a MongoDB server sees them", () => {
  const load = mongoFixtures();
  let fixture: MongoFixture;
  let profiled: Document[];
  const nameOf = ({ command }: Document) => Object.keys((command ?? {}) as Document)[0] ?? "";

  beforeAll(async () => {
    fixture = await load("kitchen_sink.db");
    const { url, database, db } = fixture;
    const env = { PYNENC__MONGO_DB: database };
    const monitor = await monitorOn({ url }, "in process", {
      alone: "kitchen_sink",
      now: presentOf("kitchen_sink.db"),
      env,
    });
    try {
      const pages = await pagesOf(monitor);
      await db.createCollection("system.profile", { capped: true, size: 50_000_000 });
      await db.command({ profile: 2 });
      for (const { path, status = 200 } of pages) {
        const answer = await monitor.get(path, { headers: { accept: "text/html" } });
        expect([path, answer.status]).toEqual([path, status]);
      }
      await db.command({ profile: 0 });
      profiled = await db.collection("system.profile").find({ appName: "pynenc-monitor" }).toArray();
      await db.collection("system.profile").drop();
    } finally {
      await monitor.close();
    }
  }, 120_000);
  afterAll(() => fixture.close());

  it("have a limit of time for every command, also for the rest of a list", () => {
    expect(profiled.length).toBeGreaterThan(1_000);
    const long = profiled.filter((one) => !["collStats", "listIndexes", "listCollections"].includes(nameOf(one)));
    const limits = long.map(({ command, originatingCommand }) => (originatingCommand ?? command)?.maxTimeMS);
    expect(limits.filter((limit) => !(Number(limit) > 0))).toEqual([]);
  });

  it("walk over no collection that grows, but for what no index has", () => {
    const walked = profiled
      // One document of any kind tells whether there is one.
      .filter(({ command, planSummary }) => planSummary === "COLLSCAN" && !isOneOfAny((command ?? {}) as Document))
      .map(({ ns, command }) => {
        const { filter, query, pipeline } = (command ?? {}) as Document;
        const collection = String(ns).replace(/^.*?_[0-9a-f]{8}_/, "");
        return `${collection} ${nameOf({ command })} ${JSON.stringify(filter ?? query ?? pipeline)}`;
      });
    expect(walked.length).toBeGreaterThan(0);
    expect([...new Set(walked)].filter((one) => !WALKS.some((allowed) => allowed.test(one)))).toEqual([]);
  });

  it("evaluate no code and join nothing", () => {
    const text = JSON.stringify(profiled.map(({ command }) => command as Document));
    expect(["$where", "$function", "$lookup", "mapReduce"].filter((word) => text.includes(word))).toEqual([]);
  });
});

function isOneOfAny({ filter, limit, sort }: Document): boolean {
  return limit === 1 && sort === undefined && Object.keys((filter ?? {}) as Document).length === 0;
}
