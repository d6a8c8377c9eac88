/**
 * What goes wrong with a Redis server, on pages, as JSON and on the terminal (docs/redis-and-rabbitmq.md has the table): what is told, that nothing
 * ends or hangs, that an action did what it says, and that the next request finds the server again.
 */
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Dashboard } from "../../src/api/health.ts";
import type { Command } from "../../src/stores/redis/server/connection.ts";
import { BIN, monitor as command, type Run, runProgram } from "../cli/monitor.ts";
import { type CutLine, cutLineTo } from "../support/cut-line.ts";
import { copyFixture, fixturePath, presentOf, temporaryFolder } from "../support/fixtures.ts";
import { freePort } from "../support/free-port.ts";
import { type Monitor, monitorOn } from "../support/monitor.ts";
import { redisContentOf } from "../support/redis-data.ts";
import { allKeys, difference } from "../support/redis-keys.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";

const FIXTURE = "queues_040.db";
const APP = "queue-shop";
const P = `__pynenc__:${APP}:`;
const NOW = presentOf(FIXTURE);
const HTML = { headers: { accept: "text/html" } };
const JSON_WANTED = { headers: { accept: "application/json" } };
const PAGES = [
  ...["/", "/broker/", "/broker/queue", "/orchestrator/", "/state-backend/", "/client-data-store/", "/tasks/"],
  ...["/runners/?show=all", "/runners/atomic-service/timeline", "/runners/atomic-service/scheduling", "/audit"],
  ...["/invocations/", "/invocations/timeline?time_range=5m", "/workflows/", "/workflows/runs", "/log-explorer/"],
  ...["/triggers/", "/events/", "/trigger-runs/", "/search?q=mail", "/broker/purge", "/orchestrator/auto-purge"],
];

describeWithRedis("a Redis server", () => {
  let server: RedisServer;
  let monitor: Monitor;
  let content: Command[];
  let id: string;
  beforeAll(async () => {
    server = await startRedis();
    const folder = temporaryFolder();
    content = redisContentOf(copyFixture(FIXTURE, folder.path)).commands();
    folder.remove();
    await server.exchange(content);
    const [statuses] = (await server.exchange([["SMEMBERS", `${P}orchestrator:status:success`]])) as [string[]];
    id = statuses.sort()[0] ?? "";
  });
  beforeEach(async () => {
    await server.exchange([["FLUSHALL"], ...content]);
    monitor = await monitorOn({ url: server.url }, "in process", { app: APP, now: NOW });
    expect((await monitor.get("/", JSON_WANTED)).status).toBe(200);
  });
  afterEach(() => monitor.close());
  afterAll(() => server.close());

  const cli = (...args: string[]): Promise<Run> => command(["--url", server.url, "--app", APP, ...args]);

  /** The same failure on a page, as JSON and on the terminal. */
  async function expectTold(words: string): Promise<void> {
    const [page, document, typed, health] = await Promise.all([
      monitor.get("/tasks/", HTML),
      monitor.get("/", JSON_WANTED),
      cli("status"),
      monitor.get("/health", JSON_WANTED),
    ]);
    expect([page.status, page.headers.get("refresh"), document.status, typed.code]).toEqual([503, "3", 503, 4]);
    for (const text of [await page.text(), await document.text(), typed.stderr]) expect(text).toContain(words);
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ store: "unreachable" })]);
  }

  async function expectBack(): Promise<void> {
    const status = async () => (await monitor.get("/", JSON_WANTED)).status;
    await expect.poll(status, { timeout: 20_000 }).toBe(200);
    expect((await cli("status")).code).toBe(0);
  }

  /** An action that fails, and what is changed afterwards. */
  async function acted(path: string, fields: Record<string, unknown> = {}) {
    const before = await allKeys(server);
    const response = await monitor.post(path, fields);
    const { detail = "" } = (await response.json()) as { detail?: string };
    return { status: response.status, detail, changed: difference(before, await allKeys(server)) };
  }
  const UNCHANGED = { gone: [], come: [], changed: [] };
  const rerun = () => acted(`/invocations/${id}/rerun`, { force: "1" });

  it("that hangs is reported before the deadline of an answer, and read again when it continues", async () => {
    const before = await allKeys(server);
    server.freeze();
    try {
      await expectTold("does not respond: no answer within 2.6 s");
      const response = await monitor.post("/purge", {});
      const { detail } = (await response.json()) as { detail: string };
      expect([response.status, detail]).toEqual([
        503,
        expect.stringMatching(/does not respond.*Nothing was changed\.$/s),
      ]);
    } finally {
      server.thaw();
    }
    await expectBack();
    expect(await allKeys(server)).toEqual(before);
  });

  it("that was killed and comes back empty shows no app, and shows the app once its data is loaded", async () => {
    await server.stop();
    await expectTold(`No Redis server answers at redis://127.0.0.1:${server.port}/0`);
    await server.start();
    // The server of pages goes on with the app that it has shown, of which nothing is left.
    const left = async () => (await monitor.json<Dashboard>("/")).overview.invocations;
    await expect.poll(left, { timeout: 20_000 }).toBe(0);
    expect((await monitor.json<Dashboard>("/")).layout.label).toBe("incomplete");
    const typed = await command(["--url", server.url, "status"]);
    expect([typed.code, typed.stderr]).toEqual([4, expect.stringContaining("holds no pynenc app")]);
    await server.exchange(content);
    await expectBack();
  });

  it("whose password was changed is reported, and is read again once the password is right", async () => {
    const kill: Command = ["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"];
    await server.exchange([["CONFIG", "SET", "requirepass", "changed"], kill]);
    try {
      await expectTold("requires a user name and password, or rejected the given ones");
    } finally {
      await server.exchange([["CONFIG", "SET", "requirepass", ""]]);
    }
    await expectBack();
  });

  it("that forbids commands is reported with the command", async () => {
    await server.exchange([["ACL", "SETUSER", "default", "-exists"]]);
    try {
      const words = "does not give this user the permissions it needs";
      const response = await monitor.get("/", JSON_WANTED);
      expect([response.status, await response.text()]).toEqual([503, expect.stringContaining(words)]);
      const typed = await cli("status");
      expect([typed.code, typed.stderr]).toEqual([4, expect.stringContaining(words)]);
    } finally {
      await server.exchange([["ACL", "SETUSER", "default", "+@all"]]);
    }
    await expectBack();
  });

  it("that is a replica is read, and every action is refused", async () => {
    await server.exchange([["REPLICAOF", "127.0.0.1", "1"]]);
    try {
      expect((await monitor.get("/", HTML)).status).toBe(200);
      for (const [path, fields] of [
        [`/invocations/${id}/rerun`, { force: "1" }],
        ["/purge", {}],
        ["/broker/purge", {}],
      ] as const) {
        const refused = await acted(path, fields);
        expect([path, refused.status, refused.changed]).toEqual([path, 409, UNCHANGED]);
        expect(refused.detail).toMatch(/^Nothing was changed: .* is a replica/);
      }
      const typed = await cli("purge", "broker", "--yes");
      expect([typed.code, typed.stderr]).toEqual([5, expect.stringContaining("is a replica and accepts no writes")]);
      await server.exchange([["CONFIG", "SET", "replica-serve-stale-data", "no"]]);
      await expectTold("MASTERDOWN");
    } finally {
      await server.exchange([
        ["REPLICAOF", "NO", "ONE"],
        ["CONFIG", "SET", "replica-serve-stale-data", "yes"],
      ]);
    }
    await expectBack();
  });

  it("that has no memory left is read, and actions are refused", async () => {
    await server.exchange([["CONFIG", "SET", "maxmemory", "1mb"]]);
    try {
      expect((await monitor.get("/", HTML)).status).toBe(200);
      const refused = await rerun();
      expect([refused.status, refused.changed]).toEqual([503, UNCHANGED]);
      expect(refused.detail).toMatch(/OOM .* Nothing was changed\.$/);
      const typed = await cli("rerun", id, "--yes", "--force");
      expect([typed.code, typed.stderr]).toEqual([4, expect.stringContaining("Nothing was changed.")]);
      // The server refuses every transaction, also one that only deletes.
      const purge = await acted("/broker/purge");
      expect([purge.status, purge.changed]).toEqual([503, UNCHANGED]);
      expect(purge.detail).toMatch(/OOM .* Nothing was changed\.$/);
    } finally {
      await server.exchange([["CONFIG", "SET", "maxmemory", "0"]]);
    }
    expect((await rerun()).status).toBe(200);
  });

  it("that has another type under a key makes a rerun fail with that key, and changes nothing", async () => {
    const before = await allKeys(server);
    expect((await rerun()).status).toBe(200);
    const { changed } = difference(before, await allKeys(server));
    expect(changed.length).toBeGreaterThan(5);
    for (const key of changed) {
      await server.exchange([["FLUSHALL"], ...content, ["DEL", key], ["HSET", key, "something", "else"]]);
      const refused = await rerun();
      expect([key, refused.status, refused.changed]).toEqual([key, 503, UNCHANGED]);
      const words = `the key "${key.slice(0, 60)}`;
      expect(refused.detail).toContain(words);
      expect(refused.detail).toMatch(/ has another type\. Nothing was changed\.$/);
    }
  });

  const OTHERS: Record<string, (key: string) => Command> = {
    string: (key) => ["SET", key, "something else"],
    list: (key) => ["RPUSH", key, "something", "else"],
    set: (key) => ["SADD", key, "something", "else"],
    "sorted set": (key) => ["ZADD", key, "1", "something", "2", "else"],
    hash: (key) => ["HSET", key, "something", "else"],
    stream: (key) => ["XADD", key, "*", "something", "else"],
  };

  it.each(Object.keys(OTHERS))("that has a %s under every key does not break any page", async (type) => {
    const [found] = (await server.exchange([["KEYS", `${P}*`]])) as [string[]];
    await server.exchange(found.flatMap((key) => [["DEL", key], OTHERS[type]?.(key) ?? []]));
    for (const path of PAGES) {
      // A search that finds one thing leads there.
      const statuses = path.startsWith("/search") ? [200, 303] : [200];
      // Both are made of the same reads.
      for (const wanted of type === "string" ? [HTML, JSON_WANTED] : [HTML]) {
        const { status } = await monitor.get(path, wanted);
        expect([path, status, statuses.includes(status)]).toEqual([path, status, true]);
      }
    }
    for (const args of [["doctor"], ["queue"], ["purge", "all", "--dry-run"]])
      expect([args, [0, 1, 6].includes((await cli(...args)).code ?? -1)]).toEqual([args, true]);
    expect((await acted("/purge")).status).toBe(200);
    expect((await server.exchange([["KEYS", `${P}*`]]))[0]).toEqual([]);
  });

  it("whose connection is cut at any command of a page is reported, and answers the next request", async () => {
    const line: CutLine = await cutLineTo(server);
    const far = await monitorOn({ url: line.endpoint.url }, "in process", { app: APP, now: NOW });
    try {
      const whole = await far.get("/broker/", JSON_WANTED);
      const commands = line.passed.length;
      expect([whole.status, commands > 10]).toEqual([200, true]);
      const statuses = new Set<number>();
      for (let number = 1; number < commands; number += 4) {
        line.cutNext((_, at) => (at === number ? "answer" : null));
        const response = await far.get("/broker/", JSON_WANTED);
        statuses.add(response.status);
        if (response.status === 503) expect(await response.text()).toContain("was lost");
        line.cutNext(null);
        expect((await far.get("/broker/", JSON_WANTED)).status).toBe(200);
      }
      expect([...statuses].filter((status) => status !== 200)).toEqual([503]);
      line.cutNext((_, at) => (at === 1 ? "answer" : null));
      const typed = await command(["--url", line.endpoint.url, "--app", APP, "status"]);
      expect([typed.code, typed.stderr]).toEqual([4, expect.stringContaining("The connection to redis://")]);
    } finally {
      await far.close();
      await line.close();
    }
  });

  describe("with encrypted connections", () => {
    const file = (name: string) => join(fixturePath("tls"), name);
    let secure: RedisServer;
    let url: string;
    beforeAll(async () => {
      const port = String(await freePort());
      const files = [
        "--tls-cert-file",
        file("cert.pem"),
        "--tls-key-file",
        file("key.pem"),
        "--tls-auth-clients",
        "no",
      ];
      secure = await startRedis({
        args: ["--tls-port", port, ...files, "--requirepass", "pass word"],
        userInfo: ":pass%20word@",
      });
      url = `rediss://:pass%20word@localhost:${port}/0`;
      await secure.exchange(content);
    });
    afterAll(() => secure?.close());
    const status = (address: string, env: Record<string, string> = {}) =>
      runProgram(process.execPath, [BIN, "--url", address, "--app", APP, "status"], { env });

    it("is read when its certificate is trusted; an untrusted one, or a plain side, is reported", async () => {
      const trusted = { NODE_EXTRA_CA_CERTS: file("cert.pem") };
      const [read, strange, wrong, plain, toPlain] = await Promise.all([
        status(url, trusted),
        status(url),
        status(url.replace("pass%20word", "other"), trusted),
        status(url.replace("rediss:", "redis:")),
        status(secure.url.replace("redis:", "rediss:"), trusted),
      ]);
      expect([read.code, read.stdout]).toEqual([0, expect.stringContaining("29 messages")]);
      const told = [strange, wrong, plain, toPlain].map(({ code, stdout, stderr }) => [code, stdout, stderr]);
      const failure = (words: RegExp) => [4, "", expect.stringMatching(words)];
      expect(told).toEqual([
        failure(/Could not establish a trusted encrypted connection .*NODE_EXTRA_CA_CERTS/s),
        failure(/requires a user name and password, or rejected the given ones/),
        failure(/rediss?:\/\/localhost/),
        failure(/rediss?:\/\/127/),
      ]);
      for (const { stderr } of [strange, wrong, plain, toPlain]) expect(stderr).not.toMatch(/pass%20word|pass word/);
    });
  });
});
