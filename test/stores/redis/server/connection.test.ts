import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { StoreUnreachableError } from "../../../../src/errors.ts";
import { AppKeys } from "../../../../src/stores/redis/keys/keys.ts";
import { RedisConnection } from "../../../../src/stores/redis/server/connection.ts";
import { RedisDb } from "../../../../src/stores/redis/server/db.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { fixturePath } from "../../../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

describeWithRedis("a connection to a Redis server", () => {
  let server: RedisServer;
  let store: RedisStore;
  beforeAll(async () => {
    server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    store = storeOn(server);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  it("lists the registered apps by their ids", async () => {
    expect((await store.apps()).map((app) => app.app_id)).toEqual(["kitchen-sink.two/β", "kitchen_sink", "sink[3]*?"]);
  });

  it("answers commands in order, with null for a key of another type", async () => {
    const queue = new AppKeys("kitchen_sink").key("broker", "default_queue");
    expect(await server.exchange([["LLEN", queue], ["GET", queue], ["PING"]])).toEqual([6, null, "PONG"]);
  });

  it("counts what it is asked for at once as one round trip", async () => {
    const connection = new RedisConnection(server.endpoint);
    await connection.exchange([["PING"]]);
    await Promise.all([connection.exchange([["PING"], ["PING"]]), connection.exchange([["DBSIZE"]])]);
    expect(connection.traffic).toEqual({ round_trips: 2, commands: 4 });
    await connection.exchange([["PING"]]);
    expect(connection.traffic).toEqual({ round_trips: 3, commands: 5 });
    await connection.close();
  });

  it("gives the same version token until something changes", async () => {
    const app = store.app("kitchen_sink");
    const before = await app.version();
    expect(await app.version()).toBe(before);
    await server.exchange([["SET", "something", "else"]]);
    expect(await app.version()).not.toBe(before);
  });

  it("reports that the server is gone, and works again when it is back", async () => {
    const connection = new RedisConnection(server.endpoint);
    expect(await connection.exchange([["DBSIZE"]])).not.toEqual([0]);
    await server.stop();
    const error = await connection.exchange([["DBSIZE"]]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnreachableError);
    expect(await store.app("kitchen_sink").version()).not.toBe(await store.app("kitchen_sink").version());
    await server.start();
    expect(await connection.exchange([["PING"]])).toEqual(["PONG"]);
    expect(await store.app("kitchen_sink").read((reads) => reads.broker.countMessages())).toBe(6);
    await connection.close();
  });

  it("notices a slow server, and is not misled by its own slowness", async () => {
    const connection = new RedisConnection(server.endpoint);
    await connection.exchange([["PING"]]);
    for (let i = 0; i < 2; i++) {
      const asked = connection.exchange([["PING"]]);
      // The answer has come when this thread gets to it.
      const until = performance.now() + 200;
      while (performance.now() < until);
      await asked;
    }
    expect(connection.pace.pause("background")).toBe(0);
    // Three slow answers are enough, unless the machine is too busy to stop the server in time.
    for (let i = 0; i < 15 && connection.pace.pause("background") <= 400; i++) {
      server.freeze();
      const asked = connection.exchange([["PING"]]);
      await new Promise((resolve) => setTimeout(resolve, 200));
      server.thaw();
      await asked;
    }
    expect(connection.pace.pause("background")).toBeGreaterThan(400);
    await connection.close();
  });

  it("fails only reads of a server that hangs, and works again when it answers", async () => {
    const hasty = storeOn(server, { timeout: 1 });
    const read = () =>
      hasty
        .app("kitchen_sink")
        .read((reads) =>
          Promise.all([reads.layout.capabilities(), reads.broker.countMessages(), reads.layout.report()]),
        );
    await read();
    server.freeze();
    try {
      const failures = await Promise.all([read, read, read].map((one) => one().catch((error: unknown) => error)));
      for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnreachableError);
    } finally {
      server.thaw();
    }
    expect((await read())[1]).toBe(6);
    await hasty.close();
  });
});

describeWithRedis("reads of many members of one key", () => {
  const SCORED = "scored";
  const SET = "members";
  const ASKED = Array.from({ length: 2_500 }, (_, i) => `m${i}`);

  /** Answers of a server about every third of 2,500 members, and the commands that it was sent. */
  async function asked(args: readonly string[]) {
    const server = await startRedis({ args });
    const connection = new RedisConnection(server.endpoint);
    try {
      const some = ASKED.filter((_, i) => i % 3 === 0);
      await server.exchange([
        ["ZADD", SCORED, ...some.flatMap((member) => [member.slice(1), member])],
        ["SADD", SET, ...some],
        ["SET", "text", "of another type"],
      ]);
      const db = new RedisDb(connection, null);
      const answers = {
        scores: await db.scores(SCORED, ASKED),
        membership: await db.membership(SET, ASKED),
        absent: await db.scores("nothing", ["a", "b"]),
        other_type: await db.scores("text", ["a", "b"]),
      };
      return { answers, again: await db.scores(SCORED, ["m3", "m4"]), commands: connection.traffic.commands };
    } finally {
      await connection.close();
      await server.close();
    }
  }

  it("need few commands, and on an older server one for each member, with the same answers", async () => {
    const new6 = await asked([]);
    expect(new6.answers).toEqual({
      scores: ASKED.map((_, i) => (i % 3 === 0 ? i : null)),
      membership: ASKED.map((_, i) => i % 3 === 0),
      absent: [null, null],
      other_type: [null, null],
    });
    expect(new6.again).toEqual([3, null]);
    expect(new6.commands).toBe(3 + 3 + 1 + 1 + 1);
    const old = await asked(["--rename-command", "ZMSCORE", "", "--rename-command", "SMISMEMBER", ""]);
    expect({ ...old, commands: 0 }).toEqual({ ...new6, commands: 0 });
    // It is tried once.
    expect(old.commands).toBe(3 + 2_500 + 3 + 2_500 + 2 + 2 + 2);
  });
});

describe("a command after the deadline", () => {
  const never = new RedisConnection({ url: "redis://127.0.0.1:1/0", location: "x", connectTimeout: 1, timeout: 1 });
  const late = new RedisDb(never, performance.now() - 1);

  it.each(["exchange", "transaction"] as const)("is rejected as a promise, not thrown, by %s", async (way) => {
    // Thrown at once it would leave the promises that were made before it to nobody.
    const asked = late[way]([["PING"]]);
    await expect(asked).rejects.toMatchObject({ name: "StoreUnreachableError", reason: "timeout" });
  });
});

describe("a server that accepts connections", () => {
  let listener: Server;
  const sockets: Socket[] = [];
  async function listening(
    onConnection: (socket: Socket) => void,
  ): Promise<(connectTimeout: number) => RedisConnection> {
    listener = createServer((socket) => {
      sockets.push(socket.on("error", () => undefined));
      onConnection(socket);
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const url = `redis://:secret@127.0.0.1:${(listener.address() as AddressInfo).port}/1`;
    return (connectTimeout) => new RedisConnection({ url, location: "redis://there", connectTimeout, timeout: 60 });
  }
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  });

  it("but never answers is given up after the time limit for connecting", async () => {
    const connect = await listening(() => undefined);
    await expect(connect(0.2).exchange([["PING"]])).rejects.toMatchObject({
      reason: "timeout",
      message: "redis://there did not answer within 0.2 s.",
    });
  });

  it("but never answers does not delay the closing of the connection", async () => {
    let taken = () => {};
    const accepted = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const connection = (await listening(() => taken()))(3_600);
    const asked = connection.exchange([["PING"]]).catch((error: unknown) => error);
    await accepted;
    await connection.close();
    expect(await asked).toBeInstanceOf(StoreUnreachableError);
  });

  it("but speaks another protocol is reported as unreachable", async () => {
    const connect = await listening((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await expect(connect(0.5).exchange([["PING"]])).rejects.toBeInstanceOf(StoreUnreachableError);
  });
});
