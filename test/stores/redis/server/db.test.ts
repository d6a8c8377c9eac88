/** What a read does when its client has left, and when it has to wait. The server is a stand-in that answers on command. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AbandonedError } from "../../../../src/errors.ts";
import { type Command, RedisConnection, type Reply } from "../../../../src/stores/redis/server/connection.ts";
import { RedisDb } from "../../../../src/stores/redis/server/db.ts";
import { idsOf, membersInSteps } from "../../../../src/stores/redis/server/members.ts";
import { byScore } from "../../../../src/stores/redis/server/sorted-set.ts";
import { ServerUse } from "../../../../src/stores/server/use.ts";

/** A server without an end: every step of a walk brings more. */
class Endless extends RedisConnection {
  readonly asked: Command[] = [];
  /** Answers nothing. */
  hangs = false;

  constructor(use: ServerUse | null = null) {
    super({ url: "redis://127.0.0.1:1/0", location: "redis://there", connectTimeout: 1, timeout: 60 }, use);
  }

  override exchange(commands: readonly Command[], reserved = 0): Promise<Reply[]> {
    this.asked.push(...commands);
    this.use?.count({ commands: commands.length, bytes: 0, reserved });
    return this.hangs ? new Promise(() => undefined) : Promise.resolve(commands.map(answerTo));
  }
}

function answerTo([name, , , , ...more]: Command): Reply {
  if (name === "SCAN" || name === "SSCAN") return ["1", ["one", "two"]];
  const size = name === "ZREVRANGE" ? 10_000 : Number(more.at(-1));
  const ids = Array.from({ length: size }, (_, i) => `id${i}`);
  return name === "ZREVRANGE" ? ids : ids.flatMap((id) => [id, "1"]);
}

/** Goes on until it fails, and tells how. */
async function failureOf(walk: AsyncIterable<unknown>, onStep: (step: number) => void): Promise<unknown> {
  let step = 0;
  try {
    for await (const _ of walk) onStep(++step);
  } catch (error) {
    return error;
  }
  return null;
}

const WALKS: [name: string, of: (db: RedisDb) => AsyncIterable<unknown>][] = [
  ["over all keys", (db) => db.scan("*")],
  ["over a set", (db) => membersInSteps(db, ["set"])],
  ["over an index", (db) => idsOf(db, "index")],
  ["over scores", (db) => byScore(db, "index", { direction: "down", step: 10, largest: 10 })],
];

/** A server on which these keys exist. */
class Holding extends Endless {
  readonly #keys: ReadonlySet<string>;

  constructor(keys: readonly string[]) {
    super();
    this.#keys = new Set(keys);
  }

  override exchange(commands: readonly Command[]): Promise<Reply[]> {
    this.asked.push(...commands);
    return Promise.resolve(commands.map(([, ...keys]) => keys.filter((key) => this.#keys.has(key)).length));
  }
}

describe("keys that exist", () => {
  const keys = Array.from({ length: 1_000 }, (_, i) => `key ${i}`);
  it.each([
    ["all or none of them do", [...keys, "another"], 1],
    ["a few neighbours do", keys.slice(40, 45), 1 + 32 + 32],
    ["every second one does", keys.filter((_, i) => i % 2 === 0), 1 + 32 + 1_000],
  ])("are found among a thousand with few commands where %s", async (_, held, commands) => {
    const server = new Holding(held);
    const wanted = new Set(held);
    expect(await new RedisDb(server, null).existing(keys)).toEqual(keys.filter((key) => wanted.has(key)));
    expect(server.asked).toHaveLength(commands);
  });

  it("are found among as many as a page shows with one command for each where some do", async () => {
    const server = new Holding(["key 3"]);
    expect(await new RedisDb(server, null).existing(keys.slice(0, 30))).toEqual(["key 3"]);
    expect(server.asked).toHaveLength(31);
  });
});

describe("a walk of RedisDb", () => {
  it.each(WALKS)("%s ends when its client leaves", async (_, of) => {
    const server = new Endless();
    const wanted = new AbortController();
    const failure = await failureOf(of(new RedisDb(server, null, wanted.signal)), (step) => {
      if (step === 3) wanted.abort();
    });
    expect(failure).toBeInstanceOf(AbandonedError);
    expect(server.asked.length).toBeGreaterThanOrEqual(3);
    // One more may be on its way.
    expect(server.asked.length).toBeLessThanOrEqual(4);
  });

  it.each(WALKS)("%s ends at the deadline", async (_, of) => {
    const server = new Endless();
    const started = performance.now();
    const now = vi.spyOn(performance, "now");
    const failure = await failureOf(of(new RedisDb(server, started + 20_000)), (step) => {
      if (step === 3) now.mockReturnValue(started + 20_000);
    });
    now.mockRestore();
    expect(failure).toMatchObject({ reason: "timeout" });
    expect(server.asked.length).toBeLessThanOrEqual(4);
  });

  describe("while the server is slow", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
    afterEach(() => void vi.useRealTimers());

    it.each(WALKS)("%s pauses before each step", async (_, of) => {
      const server = new Endless();
      server.pace.record(1);
      for (let i = 0; i < 15; i++) server.pace.record(100);
      const walk = of(new RedisDb(server, null))[Symbol.asyncIterator]();
      const first = walk.next();
      await vi.advanceTimersByTimeAsync(399);
      expect(server.asked).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(1);
      await first;
      expect(server.asked).toHaveLength(1);
      const second = walk.next();
      await vi.advanceTimersByTimeAsync(399);
      expect(server.asked).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      await second;
      expect(server.asked).toHaveLength(2);
    });
  });
});

describe("a command to Redis", () => {
  it("that is not answered is given up when its client leaves or at the deadline", async () => {
    const server = new Endless();
    server.hangs = true;
    const wanted = new AbortController();
    const asked = new RedisDb(server, null, wanted.signal).ask("GET", "key");
    const failed = expect(asked).rejects.toBeInstanceOf(AbandonedError);
    await Promise.resolve();
    wanted.abort();
    await failed;
    const late = new RedisDb(server, performance.now() + 5).ask("GET", "key");
    await expect(late).rejects.toMatchObject({ reason: "timeout" });
  });

  describe("that waits for its turn", () => {
    let now = 0;
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      now = 1_000_000_000;
    });
    afterEach(() => void vi.useRealTimers());
    const bounded = () => new ServerUse({ commands: 10, bytes: 1_000 }, undefined, () => now);

    it("is sent when its turn comes, a long list in parts", async () => {
      const server = new Endless(bounded());
      const answered = new RedisDb(server, null).exchange(Array.from({ length: 50 }, () => ["SCAN"]));
      await vi.advanceTimersByTimeAsync(0);
      expect(server.asked).toHaveLength(20);
      await vi.advanceTimersByTimeAsync(1_999);
      expect(server.asked).toHaveLength(20);
      now += 2_000_000;
      await vi.advanceTimersByTimeAsync(1);
      expect(server.asked).toHaveLength(40);
      now += 1_000_000;
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await answered).toHaveLength(50);
    });

    it("is never sent when its client has left, and leaves its place to others", async () => {
      const server = new Endless(bounded());
      await new RedisDb(server, null).exchange(Array.from({ length: 20 }, () => ["SCAN"]));
      const wanted = new AbortController();
      const asked = new RedisDb(server, null, wanted.signal).ask("GET", "key");
      const failed = expect(asked).rejects.toBeInstanceOf(AbandonedError);
      const other = new RedisDb(server, null).ask("GET", "other");
      wanted.abort();
      await failed;
      await vi.advanceTimersByTimeAsync(10_000);
      await other;
      expect(server.asked.map(([, key]) => key).filter((key) => key !== undefined)).toEqual(["other"]);
      expect(server.use?.reserve(0)).toBe(100);
    });
  });
});
