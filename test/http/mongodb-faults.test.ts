/**
 * What goes wrong with a real MongoDB server, on pages, as JSON and on the terminal (docs/mongodb.md has the table). What a server answers by a script
 * is in test/stores/mongodb/server/faults.test.ts.
 */
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Dashboard } from "../../src/api/health.ts";
import type { InvocationDetail, InvocationList } from "../../src/api/invocations.ts";
import { monitor as command, type Run } from "../cli/monitor.ts";
import { copyFixture, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { type MongoContent, readContent, writeContent } from "../support/mongodb-content.ts";
import { mongoContentOf, mongoPrefix } from "../support/mongodb-data.ts";
import { describeWithMongod, type MongoServer, startMongo } from "../support/mongodb-server.ts";
import { mongoStoreOn } from "../support/mongodb-store.ts";
import { startWire } from "../support/mongodb-wire.ts";
import { type Monitor, type MonitorOptions, monitorOn } from "../support/monitor.ts";
import { pagesOf } from "../support/pages.ts";

const FIXTURE = "queues_040.db";
const APP = "queue-shop";
const NOW = presentOf(FIXTURE);
const HTML = { headers: { accept: "text/html" } };
const JSON_WANTED = { headers: { accept: "application/json" } };

const content = ((): MongoContent => {
  const folder = temporaryFolder();
  try {
    return mongoContentOf(copyFixture(FIXTURE, folder.path));
  } finally {
    folder.remove();
  }
})();

/** The words for a failure on a page, as JSON and on the terminal. */
async function expectTold(monitor: Monitor, cli: Cli, words: string): Promise<void> {
  const page = await monitor.get("/tasks/", HTML);
  const document = await monitor.get("/", JSON_WANTED);
  const typed = await cli("status");
  const health = await monitor.get("/health", JSON_WANTED);
  expect([page.status, page.headers.get("refresh"), document.status, typed.code]).toEqual([503, "3", 503, 4]);
  for (const text of [await page.text(), await document.text(), typed.stderr]) expect(text).toContain(words);
  expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ store: "unreachable" })]);
}

type Cli = (...args: string[]) => Promise<Run>;

const cliOn =
  (url: string): Cli =>
  (...args) =>
    command(["--url", url, "--app", APP, ...args]);

const served = (url: string, options: MonitorOptions = {}) =>
  monitorOn({ url }, "in process", { app: APP, now: NOW, ...options });

const invocationsOf = async (monitor: Monitor) => (await monitor.json<Dashboard>("/")).overview.invocations;

const answersAgain = (monitor: Monitor, invocations: number) =>
  expect.poll(() => invocationsOf(monitor).catch(String), { timeout: 60_000, interval: 200 }).toBe(invocations);

/** An action that fails. */
async function refused(monitor: Monitor, path: string, fields = {}): Promise<[status: number, detail: string]> {
  const response = await monitor.post(path, fields);
  return [response.status, ((await response.json()) as { detail: string }).detail];
}

const succeeded = async (monitor: Monitor) =>
  (await monitor.json<InvocationList>("/invocations/?status=success&limit=1")).invocations[0]?.invocation_id ?? "";

const connected = async <T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = await MongoClient.connect(url);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
};

describeWithMongod("a MongoDB server", () => {
  let server: MongoServer;
  let monitor: Monitor;
  let invocations: number;
  let id: string;
  const onServer = <T>(work: (client: MongoClient) => Promise<T>) => connected(server.url, work);

  beforeAll(async () => {
    server = await startMongo();
    await onServer((client) => writeContent(client.db("pynenc"), content));
    monitor = await served(server.url);
    invocations = await invocationsOf(monitor);
    id = await succeeded(monitor);
  });
  afterAll(async () => {
    await monitor.close();
    await server.close();
  });

  it("answers every page and the main commands", async () => {
    for (const { path, status = 200 } of await pagesOf(monitor))
      expect([path, (await monitor.get(path, HTML)).status]).toEqual([path, status]);
    const cli = cliOn(server.url);
    for (const args of [
      ...[["status"], ["doctor"], ["check"], ["invocations"], ["show", id], ["why", id], ["timeline"]],
      ...[["tasks"], ["runners"], ["queue"], ["events"], ["triggers"], ["workflows"], ["stats"], ["failures"]],
      ...[["purge", "all", "--dry-run"], ["rerun", id, "--dry-run", "--force"], ["apps"], ["find", id]],
    ]) {
      const { code, stdout } = await cli(...args, "--now", new Date(NOW * 1000).toISOString());
      expect([args, [0, 1, 6].includes(code ?? -1), stdout.length > 0]).toEqual([args, true, true]);
    }
  });

  it("that is frozen is reported before the deadline of an answer, and nothing is changed", async () => {
    const before = await onServer((client) => readContent(client.db("pynenc")));
    server.freeze();
    try {
      await expectTold(monitor, cliOn(server.url), "does not respond: no answer within 2.");
      expect(await refused(monitor, "/purge")).toEqual([
        503,
        expect.stringMatching(/does not respond.*Nothing was changed\.$/s),
      ]);
    } finally {
      server.thaw();
    }
    await answersAgain(monitor, invocations);
    expect(await onServer((client) => readContent(client.db("pynenc")))).toEqual(before);
  });

  it("that was killed is reported, and read again with its data once it is started", async () => {
    const words = `No MongoDB server answers at mongodb://127.0.0.1:${server.port}/`;
    await server.stop();
    try {
      // The first answer may still be about the connection that the dead server leaves.
      await expect.poll(async () => (await monitor.get("/tasks/", HTML)).text(), { timeout: 60_000 }).toContain(words);
      await expectTold(monitor, cliOn(server.url), words);
    } finally {
      await server.start();
    }
    await answersAgain(monitor, invocations);
  });

  it("that kills a cursor while it is read is reported, and read again by the next request", async () => {
    const results = `${mongoPrefix(APP)}_state_backend_results`;
    const kill = (command: Document) =>
      onServer((client) => client.db("pynenc").command({ killCursors: results, cursors: [command.getMore] }));
    const wire = await startWire({}, server.url);
    const store = mongoStoreOn({ url: wire.url, database: "pynenc" });
    const ids = ["large 1", "large 2", "large 3"];
    try {
      await onServer((client) =>
        client
          .db("pynenc")
          .collection(results)
          .insertMany(ids.map((invocation_id) => ({ invocation_id, inline: { result: "x".repeat(9_000_000) } }))),
      );
      const read = () => store.app(APP).read(({ state_backend }) => state_backend.outcomesOf(["result"], ids, 100));
      wire.script = {
        async answer(command) {
          if (command.getMore) await kill(command);
          return undefined;
        },
      };
      await expect(read()).rejects.toThrow("dropped a cursor that was being read");
      wire.script = {};
      expect(await read()).toHaveLength(3);
    } finally {
      await store.close();
      await wire.close();
    }
  });

  it("with a result of 16 MB shows the beginning of it", async () => {
    const size = 16_777_216 - 200;
    await onServer((client) =>
      client
        .db("pynenc")
        .collection(`${mongoPrefix(APP)}_state_backend_results`)
        .updateOne({ invocation_id: id }, { $set: { inline: { result: JSON.stringify("x".repeat(size)) } } }),
    );
    expect((await monitor.get(`/invocations/${id}`, HTML)).status).toBe(200);
    const { result_raw } = await monitor.json<InvocationDetail>(`/invocations/${id}`);
    expect(result_raw).toMatch(/^"x{1000}/);
    expect(result_raw?.length).toBeLessThan(1_000_000);
    expect((await cliOn(server.url)("show", id)).code).toBe(0);
  });

  it("without a single index answers every page", async () => {
    await onServer(async (client) => {
      const db = client.db("pynenc");
      for (const name of content.keys()) await db.collection(name).dropIndexes();
    });
    for (const { path, status = 200 } of await pagesOf(monitor))
      expect([path, (await monitor.get(path, HTML)).status]).toEqual([path, status]);
  });
});

describeWithMongod("a MongoDB server with logins", () => {
  let server: MongoServer;
  let monitor: Monitor;
  const as = (login: string, options = "") => server.url.replace("//", `//${login}@`) + options;
  const ROOT = "root:pw-root-41";

  beforeAll(async () => {
    server = await startMongo(["--auth"]);
    const [user, pwd] = ROOT.split(":");
    await connected(server.url, (client) => client.db("admin").command({ createUser: user, pwd, roles: ["root"] }));
    await connected(as(ROOT), async (client) => {
      await writeContent(client.db("pynenc"), content);
      await client.db("pynenc").command({ createUser: "reader", pwd: "pw-reader-42", roles: ["read"] });
    });
    monitor = await served(as("reader:pw-reader-42", "pynenc"));
  });
  afterAll(async () => {
    await monitor.close();
    await server.close();
  });

  it("is read by a user with the role read, who may change nothing", async () => {
    const id = await succeeded(monitor);
    expect((await monitor.get("/tasks/", HTML)).status).toBe(200);
    const before = await connected(as(ROOT), (client) => readContent(client.db("pynenc")));
    expect(await refused(monitor, `/invocations/${id}/rerun`, { force: "1" })).toEqual([
      503,
      expect.stringMatching(/does not give this user the permissions it needs.*Nothing was changed\.$/s),
    ]);
    expect(await connected(as(ROOT), (client) => readContent(client.db("pynenc")))).toEqual(before);
  });

  it.each([
    ["a wrong password", "reader:pw-wrong-43", "rejected the given user name and password"],
    ["the database of another user", "root:pw-root-41", "rejected the given user name and password"],
    ["no user", "", "requires a user name and password"],
  ])("says with %s what is refused, and no password", async (_, login, words) => {
    const url = login === "" ? server.url : as(login, "pynenc");
    const without = await served(url);
    try {
      await expectTold(without, cliOn(url), words);
      const text = await without.text("/tasks/");
      expect(text + (await cliOn(url)("status")).stderr).not.toMatch(/pw-\w+-4/);
    } finally {
      await without.close();
    }
  });
});

describeWithMongod("a MongoDB replica set of three", () => {
  let members: MongoServer[];
  let url: string;
  let invocations: number;
  const direct = <T>(member: MongoServer, work: (client: MongoClient) => Promise<T>) =>
    connected(`${member.url}?directConnection=true`, work);
  const asked = (member: MongoServer, command: Document) =>
    direct(member, (client) => client.db("admin").command(command));

  async function primary(): Promise<MongoServer> {
    for (;;) {
      const greetings = await Promise.all(members.map((one) => asked(one, { isMaster: 1 }).catch(() => null)));
      const found = members[greetings.findIndex((greeting) => greeting?.ismaster === true)];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** What only a primary has that is killed, the next one does not know. */
  const everyMemberHasAll = () =>
    connected(url, (client) =>
      client
        .db("pynenc")
        .collection("written")
        .insertOne({}, { writeConcern: { w: 3 } }),
    );

  beforeAll(async () => {
    members = await Promise.all([1, 2, 3].map(() => startMongo(["--replSet", "r", "--oplogSize", "16"])));
    const config = members.map(({ port }, _id) => ({ _id, host: `127.0.0.1:${port}` }));
    const settings = { electionTimeoutMillis: 2_000 };
    await asked(members[0] as MongoServer, { replSetInitiate: { _id: "r", members: config, settings } });
    await primary();
    url = `mongodb://${config.map(({ host }) => host).join(",")}/?replicaSet=r`;
    await connected(url, (client) => writeContent(client.db("pynenc"), content));
    await everyMemberHasAll();
  });
  afterAll(() => Promise.all(members.map((member) => member.close())));

  it("without a primary is reported, or read from the others if the URL allows it; no action changes anything", async () => {
    const monitor = await served(url);
    const patient = await served(`${url}&readPreference=secondaryPreferred`);
    try {
      invocations = await invocationsOf(monitor);
      const id = await succeeded(monitor);
      const first = await primary();
      for (const member of members) if (member !== first) await asked(member, { replSetFreeze: 3_600 });
      // In 3.6 this cuts the connection by which it is asked.
      await asked(first, { replSetStepDown: 3_600, force: true }).catch(() => undefined);
      await expectTold(monitor, cliOn(url), "has no primary at the moment");
      await answersAgain(patient, invocations);
      for (const { path, status = 200 } of (await pagesOf(patient)).slice(0, 3))
        expect([path, (await patient.get(path, HTML)).status]).toEqual([path, status]);
      expect(await refused(patient, `/invocations/${id}/rerun`, { force: "1" })).toEqual([
        503,
        expect.stringContaining("has no primary at the moment"),
      ]);
      for (const member of members) await asked(member, { replSetFreeze: 0 });
      await asked(members.find((member) => member !== first) as MongoServer, { replSetStepUp: 1 });
      await answersAgain(monitor, invocations);
      expect((await monitor.post(`/invocations/${id}/rerun`, { force: "1" })).status).toBe(200);
      expect(await invocationsOf(monitor)).toBe(invocations + 1);
    } finally {
      for (const member of members) await asked(member, { replSetFreeze: 0 }).catch(() => undefined);
      await monitor.close();
      await patient.close();
    }
  });

  it("whose primary is killed is read again from the next one", async () => {
    const monitor = await served(url);
    try {
      const before = await invocationsOf(monitor);
      await everyMemberHasAll();
      const first = await primary();
      await first.stop();
      await answersAgain(monitor, before);
      expect(await primary()).not.toBe(first);
    } finally {
      await monitor.close();
    }
  });
});
