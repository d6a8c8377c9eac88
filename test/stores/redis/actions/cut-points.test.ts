/**
 * The connection is lost at a command of an action, for every action and its commands: once before the server has it and once before its answer is there. What the action
 * says of it holds: nothing was changed, a part is left and can be done by repeating it, or it may have been done.
 */
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { StoreUnreachableError } from "../../../../src/errors.ts";
import type { Actions } from "../../../../src/stores/ports/actions.ts";
import { COMPONENTS } from "../../../../src/stores/ports/common.ts";
import type { Command } from "../../../../src/stores/redis/server/connection.ts";
import { CALLER } from "../../../support/caller.ts";
import { type Cut, type CutLine, cutLineTo } from "../../../support/cut-line.ts";
import { copyFixture, temporaryFolder } from "../../../support/fixtures.ts";
import { redisContentOf } from "../../../support/redis-data.ts";
import { COPY_ALL } from "../../../support/redis-fixtures.ts";
import { queueNamesOf } from "../../../support/redis-queue-names.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const APP = "pending_triggers";
const P = `__pynenc__:${APP}:`;
const NAMES = queueNamesOf(1);
const NOW = Date.now() / 1000;
const ROUTING = { tasks: {}, fallback: { queue_name: "mail", priority: 1 } };
const RETENTION = { final_until: NOW, executions_before: NOW, max_executions: 0, with_open_parents: true };

/** A digest of all keys with their values, and the keys. */
const STATE = `
local keys = redis.call("KEYS", "*")
table.sort(keys)
local all = {}
for i, key in ipairs(keys) do all[i] = key .. redis.sha1hex(redis.call("DUMP", key)) end
return {redis.sha1hex(table.concat(all)), keys}`;

/** Of the commands that change nothing every fifth is cut: with 1 every command is, which takes a minute and a half. */
const READS_PASSED = 5;

/** What the messages of failures say was done. */
const NOTHING = "Nothing was changed.";
const REST = "Repeat the action to delete the rest.";
const PERHAPS = "It may have been registered anyway";
const AGAIN = "Repeat the action to add only those that are missing.";

describeWithRedis("an action whose connection is lost", () => {
  let server: RedisServer;
  let line: CutLine;
  let ids: string[];
  /** The database that keeps each world as it is. */
  const worlds = { "one list": "1", "named queues": "2" } as const;

  beforeAll(async () => {
    server = await startRedis();
    line = await cutLineTo(server);
    const folder = temporaryFolder();
    for (const [world, names] of [
      ["one list", null],
      ["named queues", NAMES],
    ] as const) {
      const content = redisContentOf(copyFixture("pending_triggers.db", folder.path), names);
      const statuses = content.keys.filter((key) => key.startsWith(`${P}orchestrator:invocation_status:`));
      ids = statuses.map((key) => key.slice(key.lastIndexOf(":") + 1)).sort();
      const [lost = "", done = ""] = ids;
      // One waits without a message; one that is final still has its own, as has one that nothing is known of.
      const registered = { status: "registered", runner_id: null, timestamp: "2026-07-04T10:00:00.000000+00:00" };
      const left = (number: bigint) => String(2n ** 63n - 1n - number).padStart(19, "0");
      await server.exchange([
        ["SELECT", worlds[world]],
        ...content.commands(),
        ["SET", `${P}orchestrator:invocation_status:${lost}`, JSON.stringify(registered)],
        ["ZREM", `${P}orchestrator:invocation_auto_purge`, lost],
        ...(names === null
          ? [["RPUSH", `${P}broker:default_queue`, done, "unknown"]]
          : [
              ["ZADD", `${P}broker:${names.head}mail`, "0", `${left(1n)}:${done}`, "0", `${left(2n)}:unknown`],
              ["SET", `${P}broker:${names.counter}`, "2"],
            ]),
        ["SELECT", "0"],
      ] as Command[]);
    }
    folder.remove();
  });
  afterAll(async () => {
    await line.close();
    await server.close();
  });

  const request = { settled_until: NOW, active_since: NOW, force: true, routing: ROUTING };
  const ACTIONS: Record<
    string,
    { act: (actions: Actions) => Promise<unknown>; afterwards: string; worlds: (keyof typeof worlds)[] }
  > = {
    "purge of everything": { act: (a) => a.purge(COMPONENTS), afterwards: REST, worlds: ["named queues"] },
    "purge of one queue": { act: (a) => a.purgeQueue("mail"), afterwards: REST, worlds: ["named queues"] },
    "auto-purge of the orchestrator": {
      act: (a) => a.autoPurgeOrchestrator(RETENTION),
      afterwards: REST,
      worlds: ["one list"],
    },
    "auto-purge of events": {
      act: (a) => a.autoPurgeEvents({ before: NOW, max_events: 0, max_trigger_runs: 0 }),
      afterwards: REST,
      worlds: ["one list"],
    },
    rerun: {
      act: (a) => a.rerun(ids.slice(1, 3), { caller: CALLER, force: true, routing: ROUTING }),
      afterwards: PERHAPS,
      worlds: ["one list", "named queues"],
    },
    requeue: {
      act: (a) => a.requeue(ids.slice(0, 1), request),
      afterwards: AGAIN,
      worlds: ["one list", "named queues"],
    },
    "sweep of the queue": { act: (a) => a.sweepQueue(), afterwards: REST, worlds: ["one list", "named queues"] },
  };
  const cases = Object.entries(ACTIONS).flatMap(([name, one]) =>
    one.worlds.map((world) => [name, world, one] as const),
  );

  /** Of all values, and the names of all keys. Ids of a rerun are new each time: what counts is how many keys of which kind there are. */
  async function state() {
    const [reply] = await server.exchange([["EVAL", STATE, "0"]]);
    const [digest, keys] = reply as [string, string[]];
    return { digest, shape: keys.map((key) => key.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")).sort() };
  }

  it.each(cases)(
    "reports what it did, and does the rest when it is repeated: %s, %s",
    async (_, world, { act, afterwards }) => {
      /** The action through a line that is cut at a command; null for one that holds. */
      async function run(number: number | null, cut: Cut) {
        line.cutNext(number === null ? null : (_, at) => (at === number ? cut : null));
        await server.exchange([
          ["EVAL", COPY_ALL, "0", worlds[world], "0"],
          ["SELECT", "0"],
        ]);
        const before = await state();
        const store = storeOn(line);
        const failure = await act(store.app(APP).actions).catch((error: unknown) => ({ error }));
        const failed = failure !== null && typeof failure === "object" && "error" in failure;
        return { store, before, failure: failed ? failure.error : null, after: await state(), passed: line.passed };
      }
      const whole = await run(null, "request");
      await whole.store.close();
      const { passed, after: complete } = whole;
      expect([whole.failure, passed.length > 0]).toEqual([null, true]);
      expect(complete.digest).not.toBe(whole.before.digest);
      const cuts = passed.flatMap((name, i): [number, Cut][] => {
        const number = i + 1;
        // What is only read is no other if its answer is lost, and a transaction is none before its end.
        if (name === "EXEC" || name === "EVAL")
          return [
            [number, "request"],
            [number, "answer"],
          ];
        return i % READS_PASSED === 0 ? [[number, "request"]] : [];
      });
      const told = { nothing: 0, other: 0, done: 0 };
      for (const [number, cut] of cuts) {
        const { store, before, failure, after } = await run(number, cut);
        const place = `${cut} ${number} of ${passed.length}`;
        // Whether names are as they were is asked for, but not needed.
        if (failure === null) expect(after.shape, place).toEqual(complete.shape);
        else {
          expect(failure, place).toBeInstanceOf(StoreUnreachableError);
          const { message } = failure as Error;
          line.cutNext(null);
          if (message.endsWith(NOTHING)) {
            told.nothing++;
            expect(after, place).toEqual(before);
          } else {
            told.other++;
            expect(message, place).toContain(afterwards);
            const finished = isDeepStrictEqual(after.shape, complete.shape);
            if (finished) told.done++;
            // What may have been done was done whole or not at all.
            if (afterwards !== REST && !finished) expect(after, place).toEqual(before);
          }
          if (afterwards !== PERHAPS) {
            await act(store.app(APP).actions);
            expect((await state()).shape, place).toEqual(complete.shape);
          }
        }
        await store.close();
      }
      // Where the answer alone was lost, all was done.
      expect(told.done).toBeGreaterThan(0);
      expect([told.nothing > 0, told.other > 0]).toEqual([true, true]);
    },
    120_000,
  );
});
