/** Queues of pynenc 0.4 in Redis: found under whatever names, not confused with other keys, and written to only if their form is known for sure. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RefusedError } from "../../../../src/errors.ts";
import type { AppStore } from "../../../../src/stores/ports/store.ts";
import { performedChanges } from "../../../../src/stores/redis/actions/changes.ts";
import { requeue } from "../../../../src/stores/redis/actions/requeue.ts";
import { BoundedMap } from "../../../../src/stores/redis/keys/bounded-map.ts";
import { AppKeys } from "../../../../src/stores/redis/keys/keys.ts";
import { QueueFinder } from "../../../../src/stores/redis/keys/queue-keys.ts";
import type { RedisReading } from "../../../../src/stores/redis/keys/reading.ts";
import { type Command, RedisConnection } from "../../../../src/stores/redis/server/connection.ts";
import { RedisDb } from "../../../../src/stores/redis/server/db.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { CALLER } from "../../../support/caller.ts";
import { allKeys } from "../../../support/redis-keys.ts";
import { queueNamesOf } from "../../../support/redis-queue-names.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const APP = "shop";
const BROKER = `__pynenc__:${APP}:broker:`;
const ALL = { limit: 100, offset: 0 };
const NOW = Date.now() / 1000;

/** The member of a message, spelled here without a line of the adapter. */
const member = (number: bigint, id: string) => `${String(2n ** 63n - 1n - number).padStart(19, "0")}:${id}`;

const status = (id: string, word = "registered"): Command => [
  "SET",
  `__pynenc__:${APP}:orchestrator:invocation_status:${id}`,
  JSON.stringify({ status: word, runner_id: "r", timestamp: "2026-07-04T10:00:00.000000+00:00" }),
];

/** An invocation of shop.pay that waits. */
function waiting(id: string): Command[] {
  const call = "shop.pay###abc";
  return [
    status(id),
    ["SET", `__pynenc__:${APP}:orchestrator:invocation_to_call:${id}`, call],
    ["ZADD", `__pynenc__:${APP}:orchestrator:all_invocations_by_time`, "1", id],
    ["ZADD", `__pynenc__:${APP}:orchestrator:task_invocations_by_time:shop.pay`, "1", id],
    [
      "SET",
      `__pynenc__:${APP}:state_backend:invocation:${id}`,
      JSON.stringify({
        ...{ invocation_id: id, call_id_key: call, task_id_key: "shop.pay", arguments_id: "abc" },
        ...{ serialized_arguments: { n: "1" }, parent_invocation_id: null, parent_event_id: null },
        ...{ workflow_id: null, workflow_type_key: null, parent_workflow_id: null },
      }),
    ],
  ];
}

describeWithRedis("queues of pynenc 0.4 in Redis", () => {
  let server: RedisServer;
  let store: RedisStore;
  let app: AppStore;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    await store?.close();
    await server.exchange([["FLUSHALL"], ["SET", `__pynenc__:__pynenc__:apps_info:${APP}`, "{}"]]);
    store = storeOn(server);
    app = store.app(APP);
  });
  afterAll(() => store.close());

  const layout = () => app.read((reads) => reads.broker.layout());
  const counts = async () =>
    Object.fromEntries((await app.read((reads) => reads.broker.queues())).map((one) => [one.queue_name, one.messages]));
  const rerun = (id: string, queue_name = "mail") =>
    app.actions.rerun([id], {
      caller: CALLER,
      force: true,
      routing: { tasks: {}, fallback: { queue_name, priority: 2 } },
    });
  const refusal = async (acting: Promise<unknown>) => {
    const thrown = await acting.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(RefusedError);
    return (thrown as RefusedError).message;
  };

  it.each(Array.from({ length: 12 }, (_, seed) => queueNamesOf(seed)))(
    "are found in keys as $head<name> with the counter $counter",
    async ({ head, counter }) => {
      const big = 2n ** 60n + 1n;
      await server.exchange([
        [
          "ZADD",
          `${BROKER}${head}mail`,
          "1",
          member(big, "old"),
          "1",
          member(big + 1n, "young"),
          "-2.5",
          member(7n, "low"),
        ],
        ["ZADD", `${BROKER}${head}a.b-c_9`, "100", member(big + 2n, "id:with:colons")],
        ["SET", `${BROKER}${counter}`, String(big + 2n)],
        // Of other apps, and what is no queue.
        ["ZADD", `__pynenc__:${APP}2:broker:${head}mail`, "1", member(9n, "theirs")],
        ["ZADD", `${BROKER}scores`, "1", "12345:short"],
        ["SET", `${BROKER}words`, "not a number"],
        ["HSET", `${BROKER}table`, "a", "1"],
      ]);
      expect(await layout()).toMatchObject({
        named: true,
        complete: true,
        note: expect.stringContaining("Provisional"),
      });
      expect(await counts()).toEqual({ "a.b-c_9": 1, mail: 3 });
      const listed = (await app.read((reads) => reads.broker.peekMessages(ALL))).map(Object.values);
      const [c, mail] = ["a.b-c_9", "mail"];
      expect(listed).toEqual([
        ["id:with:colons", null, c, 100],
        ["old", null, mail, 1],
        ["young", null, mail, 1],
        ["low", null, mail, -2.5],
      ]);
      expect(
        (await app.read((reads) => reads.broker.peekMessages({ limit: 2, offset: 2 }))).map((m) => m.invocation_id),
      ).toEqual(["young", "low"]);
      const part = await app.read((reads) => reads.broker.peekMessages({ limit: 1, offset: 1 }));
      expect(part.map((message) => message.invocation_id)).toEqual(["old"]);
      const odd = await app.read((reads) => reads.broker.messagesOf(["id:with:colons"]));
      expect(odd.map((m) => m.invocation_id)).toEqual(["id:with:colons"]);
      const some = await app.read((reads) => reads.broker.messagesOf(["young", "old", "low", "theirs"]));
      expect(some.map((m) => m.invocation_id)).toEqual(["low", "old", "young"]);

      await server.exchange(waiting("again"));
      const [done] = await rerun("again", "late");
      expect(done?.route).toEqual({ queue_name: "late", priority: 2 });
      const keys = await allKeys(server);
      const made = member(big + 3n, done?.new_invocation_id ?? "");
      expect(keys.get(`${BROKER}${head}late`)).toBe(JSON.stringify(["zset", [made, "2"]]));
      expect(keys.get(`${BROKER}${counter}`)).toBe(JSON.stringify(["string", String(big + 3n)]));
    },
  );

  it("are not reported when there is only the list of older releases, or nothing", async () => {
    expect(await layout()).toEqual({ named: false, complete: true, note: null });
    await server.exchange([["RPUSH", `${BROKER}default_queue`, "a", "b"]]);
    expect(await layout()).toEqual({ named: false, complete: true, note: null });
    expect(await counts()).toEqual({ null: 2 });
    // Of another type, it is neither a counter nor a queue.
    await server.exchange([["SET", `${BROKER}default_queue`, "17"]]);
    expect([await layout(), await counts()]).toEqual([{ named: false, complete: true, note: null }, {}]);
  });

  it("are listed beside the list of older releases, which is marked as one that 0.4 does not read", async () => {
    await server.exchange([
      ["ZADD", `${BROKER}q:mail`, "0", member(1n, "new")],
      ["SET", `${BROKER}n`, "1"],
      ["RPUSH", `${BROKER}default_queue`, "old-1", "old-2"],
    ]);
    expect((await layout()).note).toContain("default_queue is the list of pynenc before 0.4");
    expect(await counts()).toEqual({ default_queue: 2, mail: 1 });
    const some = await app.read((reads) => reads.broker.messagesOf(["old-2", "new", "nobody"]));
    expect(some.map((m) => m.invocation_id)).toEqual(["old-2", "new"]);
    await server.exchange(waiting("again"));
    await rerun("again");
    expect(await counts()).toEqual({ default_queue: 2, mail: 2 });
    expect(await app.actions.purgeQueue("default_queue")).toMatchObject({ rows: 2 });
    expect(await counts()).toEqual({ mail: 2 });
  });

  describe("and messages for them", () => {
    const CASES: [why: string, keys: Command[]][] = [
      ["only be learned from a queue that had a message", [["SET", `${BROKER}sequence`, "12"]]],
      ["the counter that numbers messages was not found", [["ZADD", `${BROKER}q:mail`, "0", member(5n, "a")]]],
      // It is behind the newest message.
      [
        "the counter that numbers messages was not found",
        [
          ["ZADD", `${BROKER}q:mail`, "0", member(5n, "a")],
          ["SET", `${BROKER}n`, "4"],
        ],
      ],
      [
        "several keys could be the counter",
        [
          ["ZADD", `${BROKER}q:mail`, "0", member(5n, "a")],
          ["SET", `${BROKER}n`, "5"],
          ["SET", `${BROKER}m`, "6"],
        ],
      ],
      [
        "not follow one naming pattern",
        [
          ["ZADD", `${BROKER}q:mail`, "0", member(5n, "a")],
          ["ZADD", `${BROKER}p:fax`, "0", member(6n, "b")],
          ["SET", `${BROKER}n`, "6"],
        ],
      ],
      [
        "is not a queue",
        [
          ["ZADD", `${BROKER}default`, "0", member(5n, "a")],
          ["SET", `${BROKER}mail`, "5"],
        ],
      ],
      [
        "only be learned from a queue",
        [
          ["ZADD", `__pynenc__:${APP}:orchestrator:runner_heartbeats`, "1", "r"],
          [
            "HSET",
            `__pynenc__:${APP}:orchestrator:runner_heartbeat:r`,
            "last_heartbeat",
            String(NOW),
            "consumed_queues",
            "[]",
          ],
        ],
      ],
    ];
    it.each(CASES)("are refused when %s", async (why, keys) => {
      await server.exchange([...keys, ...waiting("again")]);
      const before = await allKeys(server);
      expect((await layout()).named).toBe(true);
      const request = {
        settled_until: NOW,
        active_since: NOW,
        force: false,
        routing: { tasks: {}, fallback: { queue_name: "mail", priority: 0 } },
      };
      expect(await refusal(rerun("again"))).toContain(why);
      expect(await refusal(app.actions.requeue(["again"], request))).toContain(why);
      expect(await refusal(app.read((reads) => reads.preview.requeue(["again"], request)))).toContain(why);
      expect(await allKeys(server)).toEqual(before);
    });

    it("are accepted by a queue that is empty now, but had a message while the monitor ran", async () => {
      await server.exchange([
        ["ZADD", `${BROKER}q:mail`, "0", member(5n, "a")],
        ["SET", `${BROKER}n`, "5"],
        ...waiting("again"),
      ]);
      expect(await counts()).toEqual({ mail: 1 });
      await server.exchange([["ZPOPMAX", `${BROKER}q:mail`]]);
      expect([await counts(), (await layout()).named]).toEqual([{}, true]);
      const [done] = await rerun("again", "fax");
      expect((await allKeys(server)).get(`${BROKER}q:fax`)).toContain(member(6n, done?.new_invocation_id ?? ""));
    });
  });

  it("get no second message when one is added between check and write", async () => {
    await server.exchange([
      ["ZADD", `${BROKER}q:mail`, "0", member(999_999_998n, "a")],
      ["SET", `${BROKER}n`, "999999998"],
      ...waiting("lost"),
    ]);
    const connection = new RedisConnection(server.endpoint);
    const db = new RedisDb(connection, null);
    const keys = new AppKeys(APP);
    const finder = new QueueFinder(keys);
    const names = { names: ["q:mail", "n"], total: 2, complete: true, settled: true };
    const reading: RedisReading = {
      ...{ appId: APP, keys, db: () => db, registered: async () => true, queues: () => finder.find(db, db, names) },
      catalogue: { names: () => Promise.reject(new Error("nobody walks")) },
      endedExecutions: new BoundedMap(1),
    };
    const request = {
      settled_until: NOW,
      active_since: NOW,
      force: false,
      routing: { tasks: {}, fallback: { queue_name: "mail", priority: 0 } },
    };
    /** @param commands of somebody else, in that moment. */
    const beside = async (...commands: Command[]) => {
      const performed = performedChanges(reading, () => undefined);
      const changes: typeof performed = {
        ...performed,
        async attempt(component, scripts) {
          expect(scripts).toHaveLength(1);
          await server.exchange(commands);
          return performed.attempt(component, scripts);
        },
      };
      return (await requeue(reading, changes, ["lost"], request))[0]?.refusal;
    };
    try {
      const others = (from: number, to: number, id: string): Command[] =>
        Array.from({ length: to - from }, (_, i) => [
          "ZADD",
          `${BROKER}q:mail`,
          "3",
          member(BigInt(from + i), `${id}${i}`),
        ]);
      // The last three numbers have a digit more in front.
      await beside(
        ...others(999_999_999, 1_000_000_002, "x"),
        ["ZADD", `${BROKER}q:mail`, "9", member(1_000_000_002n, "lost")],
        ["SET", `${BROKER}n`, "1000000002"],
      ).then((kind) => expect(kind).toEqual({ kind: "queued" }));
      await server.exchange([["ZREM", `${BROKER}q:mail`, member(1_000_000_002n, "lost")]]);
      expect(await beside(status("lost", "pending"))).toMatchObject({ kind: "unsettled" });
      await server.exchange([status("lost")]);
      expect(await beside(["DEL", `__pynenc__:${APP}:state_backend:invocation:lost`])).toMatchObject({
        kind: "without_records",
      });
      await server.exchange(waiting("lost"));
      const before = await allKeys(server);
      expect(
        await beside(...others(1_000_000_003, 1_000_000_006, "y"), ["SET", `${BROKER}n`, "1000000005"]),
      ).toBeNull();
      const after = await allKeys(server);
      expect(after.get(`${BROKER}n`)).toBe(JSON.stringify(["string", "1000000006"]));
      expect(after.get(`${BROKER}q:mail`)).toContain(member(1_000_000_006n, "lost"));
      expect([...after.keys()]).toEqual([...before.keys()]);
    } finally {
      await connection.close();
    }
  });

  it("are marked as incomplete while the keys are being searched for the first time", async () => {
    await server.exchange([
      ["ZADD", `${BROKER}q:mail`, "0", member(1n, "a")],
      ["SET", `${BROKER}n`, "1"],
    ]);
    const connection = new RedisConnection(server.endpoint);
    const db = new RedisDb(connection, null);
    const finder = new QueueFinder(new AppKeys(APP));
    try {
      const unsettled = { names: [], total: 0, complete: true, settled: false };
      expect(await finder.find(db, db, unsettled)).toMatchObject({ named: false, complete: false });
      await finder.find(db, db, { ...unsettled, names: ["n", "q:mail"], settled: true });
      // What was seen once is looked at again.
      expect((await finder.find(db, db, unsettled)).queues.map(({ name }) => name)).toEqual(["mail"]);
    } finally {
      await connection.close();
    }
  });
});
