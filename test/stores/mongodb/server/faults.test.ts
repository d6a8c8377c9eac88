/** What the store makes of servers of any version, and of those that fail, over a server that answers by a script. */
import { type Document, Long, ObjectId } from "mongodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { StoreUnreachableError, type UnreachableReason } from "../../../../src/errors.ts";
import type { MongoStore } from "../../../../src/stores/mongodb/store.ts";
import { mongoPrefix } from "../../../support/mongodb-data.ts";
import { describeWithMongo, startMongo } from "../../../support/mongodb-server.ts";
import { mongoStoreOn } from "../../../support/mongodb-store.ts";
import { failure, type Scripted, startWire, type WireScript, type WireServer } from "../../../support/mongodb-wire.ts";

const REGISTRY = `${mongoPrefix("shop")}_state_backend_app_info`;

/** A database with one registered app and nothing else. */
function oneApp(document: Document = { app_id: "shop", app_info_json: "{}" }): (command: Document) => Scripted {
  const cursor = (ns: string, documents: Document[]) => ({
    ok: 1,
    cursor: { id: Long.ZERO, ns, firstBatch: documents },
  });
  return (command) => {
    if (command.listCollections) return cursor("pynenc.$cmd.listCollections", [{ name: REGISTRY, type: "collection" }]);
    if (command.find === REGISTRY) return cursor(`pynenc.${REGISTRY}`, [{ _id: new ObjectId(), ...document }]);
    return undefined;
  };
}

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function serving(script: WireScript, timeout = 30): Promise<{ wire: WireServer; store: MongoStore }> {
  const wire = await startWire(script);
  const store = mongoStoreOn({ url: wire.url, database: "pynenc" }, { timeout });
  opened.push(
    () => wire.close(),
    () => store.close(),
  );
  return { wire, store };
}

/** What was found out about a server holds for a moment, and on a busy machine an answer may take longer than it is given. */
const answersAgain = (store: MongoStore, ids: readonly string[]) =>
  vi.waitFor(async () => expect(await idsOf(store)).toEqual(ids), { timeout: 60_000, interval: 100 });

const idsOf = async (store: MongoStore) => (await store.apps()).map(({ app_id }) => app_id);

async function failureOf(reading: Promise<unknown>): Promise<StoreUnreachableError> {
  const error = await reading.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StoreUnreachableError);
  return error as StoreUnreachableError;
}

describe("a MongoDB server", () => {
  it.each([
    [6, "3.6"],
    [7, "4.0"],
    [8, "4.2"],
    [9, "4.4"],
    [13, "5.0"],
    [17, "6.0"],
    [21, "7.0"],
    [25, "8.0"],
    [27, "8.2"],
  ])("of wire version %i (MongoDB %s) is read", async (version) => {
    const { store } = await serving({ wire: version, answer: oneApp() });
    expect(await idsOf(store)).toEqual(["shop"]);
  });

  it("that is older than MongoDB 3.6 is refused with the versions that are supported", async () => {
    const { store } = await serving({ wire: 5, answer: oneApp() });
    const error = await failureOf(store.apps());
    expect(error.message).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/pynenc is of a version that this monitor does not/);
    expect(error.hint).toBe("MongoDB 3.6 to 8 is supported.");
  });

  it.each<[name: string, code: number, reason: UnreachableReason, message: RegExp]>([
    ["NotWritablePrimary", 10_107, "busy", /has no primary at the moment/],
    ["InterruptedDueToReplStateChange", 11_602, "busy", /has no primary at the moment/],
    ["PrimarySteppedDown", 189, "busy", /has no primary at the moment/],
    ["Unauthorized", 13, "no-permission", /does not give this user the permissions/],
    ["AuthenticationFailed", 18, "no-permission", /rejected the given user name and password/],
    ["MaxTimeMSExpired", 50, "timeout", /did not finish in the time that a page may take/],
    ["CursorNotFound", 43, "failed", /dropped a cursor/],
    ["OutOfDiskSpace", 14_031, "failed", /answered: out of luck/],
  ])(
    "that answers %s is reported as what it is, and read again when it is over",
    async (name, code, reason, message) => {
      const { wire, store } = await serving({
        answer: (command) => commandFails(command, failure(code, name, "out of luck")),
      });
      const error = await failureOf(store.apps());
      expect([error.reason, error.message]).toEqual([reason, expect.stringMatching(message)]);
      wire.script = { answer: oneApp() };
      expect(await idsOf(store)).toEqual(["shop"]);
    },
  );

  it("that is not there is reported as unreachable", async () => {
    const { wire, store } = await serving({ answer: oneApp() });
    await wire.close();
    const error = await failureOf(store.apps());
    expect([error.reason, error.message]).toEqual(["missing", expect.stringMatching(/^No MongoDB server answers at /)]);
  });

  it("whose name cannot have members is refused with the reason, not as a connection that was lost", async () => {
    const store = mongoStoreOn({ url: "mongodb+srv://host.invalid/", database: "pynenc" }, { timeout: 30 });
    opened.push(() => store.close());
    const { message } = await failureOf(store.apps());
    expect(message).toMatch(/^The address mongodb\+srv:\/\/host\.invalid\/pynenc cannot be used: .*hostname/);
  });

  it("that cuts the connection while it is read is read again by the next request", async () => {
    const { wire, store } = await serving({ answer: (command) => commandFails(command, "hang up") });
    expect((await failureOf(store.apps())).message).toMatch(/was lost/);
    wire.script = { answer: oneApp() };
    expect(await idsOf(store)).toEqual(["shop"]);
  });

  it("that takes 300 ms for every answer is read all the same", async () => {
    const slow = async (command: Document) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return oneApp()(command);
    };
    const { store } = await serving({ answer: slow });
    expect(await idsOf(store)).toEqual(["shop"]);
  });

  it("that greets and then never answers is given up when its time is over", async () => {
    const { wire, store } = await serving({ answer: (command) => commandFails(command, "silence") }, 1);
    const error = await failureOf(store.apps());
    expect([error.reason, error.message]).toEqual(["timeout", expect.stringContaining("did not answer within 1 s")]);
    wire.script = { answer: oneApp() };
    await answersAgain(store, ["shop"]);
  });

  it("that lets several commands wait too long has no connection left once the store is closed", async () => {
    let unanswered = 2;
    const answer = (command: Document) => {
      const found = commandFails(command, "silence");
      return found !== undefined && unanswered-- > 0 ? found : oneApp()(command);
    };
    const { wire, store } = await serving({ answer }, 1);
    // The first failure opens a new connection, before the second is noticed.
    const again = failureOf(store.apps()).then(() => idsOf(store));
    expect((await failureOf(store.apps())).reason).toBe("timeout");
    expect(await again).toEqual(["shop"]);
    await store.close();
    await vi.waitUntil(() => wire.connections === 0, { timeout: 30_000 });
  });

  it.each<[what: string, document: Document]>([
    ["an ObjectId as its app id", { app_id: new ObjectId(), app_info_json: "{}" }],
    ["no app id", { app_info_json: "{}" }],
    ["a number as its description", { app_id: "shop", app_info_json: Long.MAX_VALUE }],
    ["a description that is no JSON", { app_id: "shop", app_info_json: "{" }],
    ["a description of 15 MB", { app_id: "shop", app_info_json: `{"module": "${"x".repeat(15_000_000)}"}` }],
  ])("with a registration that has %s shows the app of the collection's name at most", async (_, document) => {
    const { store } = await serving({ answer: oneApp(document) });
    for (const id of await idsOf(store)) expect(id).toBe("shop");
    expect(await store.version()).not.toMatch(/^unknown/);
  });
});

/** Fails what a store asks, but not what its driver does. */
function commandFails(command: Document, answer: Exclude<Scripted, undefined>): Scripted {
  return command.find || command.listCollections || command.aggregate ? answer : undefined;
}

describeWithMongo("a MongoDB server that is stopped", () => {
  it("is reported after less than three seconds, and read again when it goes on", async () => {
    const server = await startMongo();
    const store = mongoStoreOn({ url: server.url, database: "pynenc" });
    try {
      expect(await idsOf(store)).toEqual([]);
      server.freeze();
      // It may answer some more before all of its threads stand still.
      const asked = async () => {
        for (;;) await store.apps();
      };
      const error = await failureOf(asked());
      expect(error.message).toContain("does not respond: no answer within 2.6 s, not even to a second connection");
      server.thaw();
      await answersAgain(store, []);
    } finally {
      server.thaw();
      await store.close();
      await server.close();
    }
  });
});
