import { afterAll, beforeAll, expect } from "vitest";
import { connectStore } from "../../src/stores/connect.ts";
import { COMPONENTS, type Rerun } from "../../src/stores/ports.ts";
import type { RedisEndpoint } from "../../src/stores/redis/connection.ts";
import type { ComponentEndpoints } from "../../src/stores/redis/store.ts";
import { copyFixture, type FixtureName, temporaryFolder } from "../support/fixtures.ts";
import type { RedisContent } from "../support/redis-content.ts";
import { type RedisServer, startRedis } from "../support/redis-server.ts";
import type { Everything } from "./everything.ts";
import { redisContentOf } from "./redis-data.ts";
import type { Harness } from "./store-contract.ts";

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

/** Databases of one server, each of which can hold a fixture. */
const DATABASES = 16;

export function endpointsAt(endpoint: RedisEndpoint): ComponentEndpoints {
  return Object.fromEntries(COMPONENTS.map((component) => [component, endpoint])) as unknown as ComponentEndpoints;
}

/** Opens the apps of the fixtures as keys, all fixtures of a test file on one server: call it inside `describe`. */
export function redisHarness(): (fixture: FixtureName) => Promise<Harness> {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ args: ["--databases", String(DATABASES)] });
  });
  afterAll(() => server.close());
  const free = Array.from({ length: DATABASES }, (_, database) => database);
  return async (fixture) => {
    const database = free.shift();
    if (database === undefined) throw new Error("more fixtures are open than the server has databases");
    const select = ["SELECT", String(database)];
    await server.exchange([select, ["FLUSHDB"], ["MSET", ...FOREIGN.flat()], ...contentOf(fixture).commands()]);
    const url = server.url.replace(/\d+$/, String(database));
    const store = connectStore(
      { kind: "redis", endpoints: endpointsAt({ ...server.endpoint, url, location: url }) },
      { threads: 0, lockWait: 1, readOnly: false },
    );
    return {
      store,
      keeps: {
        queue_times: false,
        value_times: false,
        link_times: false,
        link_runs: false,
        empty_families: false,
        layout: false,
      },
      grownBy,
      async close() {
        await store.close();
        free.unshift(database);
        const [, left] = await server.exchange([select, ["MGET", ...FOREIGN.map(([key]) => key)]]);
        expect(left).toEqual(FOREIGN.map(([, value]) => value));
      },
    };
  };
}

/** A registration is of a call that was made before: its sets of the task, of the call and of the arguments are there and win a member. */
function grownBy(registered: readonly Rerun[], before: Everything): Record<string, number> {
  const made = registered.length;
  const roots = registered.filter((one) => one.own_workflow);
  const types = new Set(before.definitions.map((record) => record.workflow_type_key));
  return {
    "broker default_queue": made,
    "orchestrator invocation_status": made,
    "orchestrator invocation_retries": made,
    "orchestrator invocation_to_call": made,
    "orchestrator all_invocations_by_time": made,
    "orchestrator status": before.statuses.some((row) => row.status === "registered") ? 0 : 1,
    "state_backend invocation": made,
    "state_backend history": made,
    "state_backend history_by_timestamp": made,
    "state_backend runner_context": 1,
    "state_backend workflow_invocations": roots.length,
    "state_backend workflow_type_invocations": new Set(
      roots.map((one) => one.task_id_key).filter((task) => !types.has(task)),
    ).size,
  };
}

const contents = new Map<FixtureName, RedisContent>();

function contentOf(fixture: FixtureName): RedisContent {
  const known = contents.get(fixture);
  if (known !== undefined) return known;
  const folder = temporaryFolder();
  try {
    const content = redisContentOf(copyFixture(fixture, folder.path));
    contents.set(fixture, content);
    return content;
  } finally {
    folder.remove();
  }
}
