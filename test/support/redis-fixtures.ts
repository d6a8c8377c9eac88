/** The fixtures as keys on one server for all tests of a file, each in a database of its own. */
import { afterAll, beforeAll, expect } from "vitest";
import type { RedisEndpoint } from "../../src/stores/redis/server/connection.ts";
import { copyFixture, FIXTURE_NAMES, type FixtureName, temporaryFolder } from "./fixtures.ts";
import type { RedisContent } from "./redis-content.ts";
import { redisContentOf } from "./redis-data.ts";
import type { QueueNames } from "./redis-queue-names.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

/** What lies on the same server and is nobody's business here: names that a careless pattern would take along. */
const FOREIGN: readonly (readonly [string, string])[] = [
  ["celery", "a queue of something else"],
  ["__pynenc__", "no app"],
  ["__pynenc__:kitchen_sink", "no section"],
  ["__pynenc__:kitchen_sink_2:orchestrator:invocation_status:a", "{}"],
  ["__pynenc__:kitchen-sinkXtwo/β:state_backend:invocation:a", "{}"],
  ["__pynenc__:pending_triggers2:broker:default_queue", "of an app that is not registered"],
  ["rustvello:kitchen_sink:broker:global", "another program"],
];

/** Of one server; each can hold a fixture that a test changes. One more for each kind of fixture holds it as it is. */
const DATABASES = 16;

/** Empties a database and copies all keys of another into it: from, to. The server does that faster than it can be sent the keys. */
export const COPY_ALL = `
local values = {}
redis.call("SELECT", ARGV[1])
for _, key in ipairs(redis.call("KEYS", "*")) do values[key] = {redis.call("PTTL", key), redis.call("DUMP", key)} end
redis.call("SELECT", ARGV[2])
redis.call("FLUSHDB")
for key, value in pairs(values) do redis.call("RESTORE", key, math.max(0, value[1]), value[2]) end`;

export interface RedisFixture {
  endpoint: RedisEndpoint;
  /** Gives the database back, once what was not ours in it is found to be as it was. */
  close(): Promise<void>;
}

/**
 * Call it inside `describe`: the server lives as long as its tests.
 *
 * @param names as in `redisContentOf`.
 */
export function redisFixtures(names: QueueNames | null = null): (fixture: FixtureName) => Promise<RedisFixture> {
  let server: RedisServer;
  /** Fixtures that are on the server. */
  const kept = new Set<FixtureName>();
  beforeAll(async () => {
    server = await startRedis({ args: ["--databases", String(DATABASES + FIXTURE_NAMES.length)] });
  });
  afterAll(() => server.close());
  const free = Array.from({ length: DATABASES }, (_, database) => database);
  return async (fixture) => {
    const database = free.shift();
    if (database === undefined) throw new Error("more fixtures are open than the server has databases");
    const select = ["SELECT", String(database)];
    const original = String(DATABASES + FIXTURE_NAMES.indexOf(fixture));
    if (!kept.has(fixture)) {
      await server.exchange([
        ["SELECT", original],
        ["MSET", ...FOREIGN.flat()],
        ...contentOf(fixture, names).commands(),
      ]);
      kept.add(fixture);
    }
    await server.exchange([["EVAL", COPY_ALL, "0", original, String(database)], select]);
    const url = server.url.replace(/\d+$/, String(database));
    return {
      endpoint: { ...server.endpoint, url, location: url },
      async close() {
        free.unshift(database);
        const [, left] = await server.exchange([select, ["MGET", ...FOREIGN.map(([key]) => key)]]);
        expect(left).toEqual(FOREIGN.map(([, value]) => value));
      },
    };
  };
}

const contents = new Map<string, RedisContent>();

function contentOf(fixture: FixtureName, names: QueueNames | null): RedisContent {
  const asked = `${fixture} ${JSON.stringify(names)}`;
  const known = contents.get(asked);
  if (known !== undefined) return known;
  const folder = temporaryFolder();
  try {
    const content = redisContentOf(copyFixture(fixture, folder.path), names);
    contents.set(asked, content);
    return content;
  } finally {
    folder.remove();
  }
}
