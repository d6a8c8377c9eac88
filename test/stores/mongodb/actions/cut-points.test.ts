/**
 * The connection is lost at a write of an action, for every action and its writes: once before the server has it and once before its answer is there.
 * What the action says of it holds: a part is left and can be done by repeating it, or it may have been done.
 */
import { isDeepStrictEqual } from "node:util";
import { type Db, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { StoreUnreachableError } from "../../../../src/errors.ts";
import type { Actions } from "../../../../src/stores/ports/actions.ts";
import { CALLER } from "../../../support/caller.ts";
import { copyFixture, temporaryFolder } from "../../../support/fixtures.ts";
import { type MongoContent, writeContent } from "../../../support/mongodb-content.ts";
import { mongoContentOf, mongoPrefix } from "../../../support/mongodb-data.ts";
import { allDocuments } from "../../../support/mongodb-fixtures.ts";
import { describeWithMongo, type MongoServer, startMongo } from "../../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../../support/mongodb-store.ts";
import { startWire, type WireServer } from "../../../support/mongodb-wire.ts";

const APP = "pending_triggers";
const P = mongoPrefix(APP);
const NOW = Date.now() / 1000;
const RETENTION = { final_until: NOW, executions_before: NOW, max_executions: 0, with_open_parents: true };
const WRITES = ["insert", "update", "delete"];

/** What the messages of failures say was done. */
const NOTHING = "Nothing was changed.";
const REST = "Repeat the action to delete the rest.";
const PERHAPS = "It may have been registered anyway";
const AGAIN = "Repeat the action to add only those that are missing.";

/** Where the connection is lost: before the server has the write, or before its answer is there. */
type Cut = "request" | "answer";

describeWithMongo("an action on MongoDB whose connection is lost", () => {
  let server: MongoServer;
  let client: MongoClient;
  let line: WireServer;
  let content: MongoContent;
  let ids: string[];
  let made = 0;

  beforeAll(async () => {
    server = await startMongo();
    client = await MongoClient.connect(server.url);
    line = await startWire({}, server.url);
    const folder = temporaryFolder();
    content = mongoContentOf(copyFixture("pending_triggers.db", folder.path));
    folder.remove();
    const statuses = content.get(`${P}_orchestrator_invocations`)?.documents ?? [];
    ids = statuses.map(({ invocation_id }) => String(invocation_id));
    const [lost, done] = statuses;
    // One waits without a message; one that is final still has its own, as has one that nothing is known of. Another is waited for.
    Object.assign(lost ?? {}, { status: "registered", auto_purge_timestamp: null });
    const final = String(statuses.at(-1)?.invocation_id);
    content.get(`${P}_orchestrator_blocking_edges`)?.documents.push({ waiter_id: "another", waited_id: final });
    content
      .get(`${P}_orchestrator_invocation_args`)
      ?.documents.push({ invocation_id: final, arg_key: "order", arg_value: "1" });
    for (const invocation_id of [done?.invocation_id, "unknown"])
      content.get(`${P}_broker_message_queue`)?.documents.push({ invocation_id, created_at: new Date() });
  });
  afterAll(async () => {
    await line.close();
    await client.close();
    await server.close();
  });

  const request = { settled_until: NOW, active_since: NOW, force: true };
  const ACTIONS: [string, (actions: Actions) => Promise<unknown>, string][] = [
    ["purge of two components", (a) => a.purge(["orchestrator", "broker"]), REST],
    ["auto-purge of the orchestrator", (a) => a.autoPurgeOrchestrator(RETENTION), REST],
    ["auto-purge of events", (a) => a.autoPurgeEvents({ before: 0, max_events: 1, max_trigger_runs: 0 }), REST],
    ["rerun", (a) => a.rerun(ids.slice(1, 3), { caller: CALLER, force: true }), PERHAPS],
    ["requeue", (a) => a.requeue(ids.slice(0, 1), request), AGAIN],
    ["sweep of the queue", (a) => a.sweepQueue(), REST],
  ];

  /** How many documents each collection has. Ids of a rerun are new each time. */
  const shapeOf = (documents: ReadonlyMap<string, unknown>) =>
    [...documents].map(([name, stored]) => [name, (stored as unknown[]).length]);

  /** Does on the server what a client has asked for. */
  async function performed({ lsid: _, $db, ...command }: Document): Promise<void> {
    await client.db(String($db)).command(command);
  }

  /** Cuts the line at a write; at no write it holds, and at number 0 it is cut at the first command. Returns the number of writes. */
  function cutAt(number: number | null, cut: Cut): () => number {
    let writes = 0;
    line.script = {
      async answer(command) {
        const [name = ""] = Object.keys(command);
        if (name === "find" && number === 0) return "hang up";
        if (!WRITES.includes(name) || ++writes !== number) return undefined;
        if (cut === "answer") await performed(command);
        return "hang up";
      },
    };
    return () => writes;
  }

  async function run(act: (actions: Actions) => Promise<unknown>, number: number | null, cut: Cut) {
    const database = `cut_${made++}`;
    const db = client.db(database);
    await writeContent(db, content);
    const before = await allDocuments(db);
    const writes = cutAt(number, cut);
    const store = mongoStoreOn({ url: line.url, database });
    const failure = await act(store.app(APP).actions).then(
      () => null,
      (error: unknown) => error,
    );
    await store.close();
    return { db, database, before, failure, after: await allDocuments(db), writes: writes() };
  }

  async function stumblingMessages(db: Db): Promise<string[]> {
    const known = async (name: string) =>
      new Set((await db.collection(`${P}_${name}`).find().toArray()).map(({ invocation_id }) => invocation_id));
    const messages = await known("broker_message_queue");
    const records = ["orchestrator_invocations", "state_backend_invocations", "state_backend_history"].map(known);
    const all = await Promise.all(records);
    return [...messages].filter((id) => id !== "unknown" && !all.every((some) => some.has(id)));
  }

  it.each(ACTIONS)(
    "reports what it did, and does the rest when it is repeated: %s",
    async (_, act, afterwards) => {
      const whole = await run(act, null, "request");
      const complete = shapeOf(whole.after);
      expect([whole.failure, whole.writes > 0]).toEqual([null, true]);
      expect(complete).not.toEqual(shapeOf(whole.before));
      await whole.db.dropDatabase();

      const unread = await run(act, 0, "request");
      expect((unread.failure as Error).message.endsWith(NOTHING)).toBe(true);
      expect(unread.after).toEqual(unread.before);
      await unread.db.dropDatabase();

      const cuts = Array.from({ length: whole.writes }, (_, i) => i + 1).flatMap((number): [number, Cut][] => [
        [number, "request"],
        [number, "answer"],
      ]);
      let finished = 0;
      for (const [number, cut] of cuts) {
        const { db, database, failure, after } = await run(act, number, cut);
        const place = `${cut} ${number} of ${whole.writes}`;
        expect(failure, place).toBeInstanceOf(StoreUnreachableError);
        expect((failure as Error).message, place).toContain(afterwards);
        expect(await stumblingMessages(db), place).toEqual([]);
        if (isDeepStrictEqual(shapeOf(after), complete)) finished++;
        if (afterwards !== PERHAPS) {
          cutAt(null, cut);
          const store = mongoStoreOn({ url: line.url, database });
          await act(store.app(APP).actions);
          await store.close();
          expect(shapeOf(await allDocuments(db)), place).toEqual(complete);
        }
        await db.dropDatabase();
      }
      // Where only the last answer was lost, all was done.
      expect(finished).toBe(1);
    },
    300_000,
  );
});
