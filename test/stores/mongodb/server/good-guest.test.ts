/** What reading everything asks of a server that an app works with. */
import type { Document } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { everythingOf } from "../../../contract/everything.ts";
import { mongoFixtures } from "../../../support/mongodb-fixtures.ts";
import { describeWithMongo } from "../../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../../support/mongodb-store.ts";
import { startWire } from "../../../support/mongodb-wire.ts";

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
