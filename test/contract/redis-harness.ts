import { argumentsMap } from "../../src/pynenc/values.ts";
import type { Rerun } from "../../src/stores/ports/actions.ts";
import { AppKeys } from "../../src/stores/redis/keys/keys.ts";
import { RedisConnection } from "../../src/stores/redis/server/connection.ts";
import type { FixtureName } from "../support/fixtures.ts";
import { redisFixtures } from "../support/redis-fixtures.ts";
import { allKeys } from "../support/redis-keys.ts";
import type { QueueNames } from "../support/redis-queue-names.ts";
import { storeOn } from "../support/redis-store.ts";
import type { Everything } from "./everything.ts";
import type { Harness } from "./store-contract.ts";

/**
 * Opens the apps of the fixtures as keys: call it inside `describe`.
 *
 * @param names of the keys of queues of 0.4; without them there is one list.
 * @param threads as in ConnectOptions.
 */
export function redisHarness(names: QueueNames | null = null, threads = 0): (fixture: FixtureName) => Promise<Harness> {
  const load = redisFixtures(names);
  return async (fixture) => {
    const loaded = await load(fixture);
    const store = storeOn(loaded, { threads });
    const connection = new RedisConnection(loaded.endpoint);
    return {
      store,
      keeps: {
        queue_times: false,
        value_times: false,
        link_times: false,
        link_runs: false,
        empty_families: false,
        layout: false,
        microseconds: true,
      },
      grownBy: (registered, before) => grownBy(registered, before, names),
      stored: () => allKeys(connection),
      queuePlaces(appId, queues) {
        const key = (rest: string) => `__pynenc__:${appId}:broker:${rest}`;
        if (names === null) return { messages: [key("default_queue")], besides: [] };
        return { messages: queues.map((queue) => key(`${names.head}${queue}`)), besides: [key(names.counter)] };
      },
      async setStatus(appId, id, status) {
        const keys = new AppKeys(appId);
        const key = keys.key("orchestrator", "invocation_status", id);
        const finals = keys.key("orchestrator", "invocation_auto_purge");
        const [stored] = await connection.exchange([["GET", key]]);
        const record = JSON.parse(String(stored)) as Record<string, unknown>;
        await connection.exchange([
          status === null ? ["DEL", key] : ["SET", key, JSON.stringify({ ...record, status: status.word })],
          status === null || status.final_since === null
            ? ["ZREM", finals, id]
            : ["ZADD", finals, String(status.final_since), id],
        ]);
      },
      argument_index: "orchestrator task_arguments",
      stride: 1,
      async close() {
        await store.close();
        await connection.close();
        await loaded.close();
      },
    };
  };
}

/**
 * A registration is of a call that was made before: its sets of the task and of the call are there and win a member. Those of the arguments
 * are there if the task has concurrency control.
 */
function grownBy(registered: readonly Rerun[], before: Everything, names: QueueNames | null): Record<string, number> {
  const made = registered.length;
  const roots = registered.filter((one) => one.own_workflow);
  const types = new Set(before.definitions.map((record) => record.workflow_type_key));
  return {
    ...messagesByPlace(registered, names),
    "orchestrator invocation_status": made,
    "orchestrator invocation_retries": made,
    "orchestrator invocation_to_call": made,
    "orchestrator all_invocations_by_time": made,
    "orchestrator task_arguments": new Set(
      registered.filter((one) => one.control !== "some").flatMap((one) => argumentsOf(one, before)),
    ).size,
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

function messagesByPlace(registered: readonly Rerun[], names: QueueNames | null): Record<string, number> {
  const places: Record<string, number> = {};
  for (const { route } of registered) {
    const place = `broker ${names === null ? "default_queue" : `${names.head}${route?.queue_name}`}`;
    places[place] = (places[place] ?? 0) + 1;
  }
  return places;
}

/** Task, name and value of each argument. */
function argumentsOf({ invocation_id, task_id_key }: Rerun, before: Everything): string[] {
  const definition = before.definitions.find((record) => record.invocation_id === invocation_id);
  const stored = argumentsMap(definition?.serialized_arguments ?? "") ?? new Map();
  return [...stored].map((argument) => JSON.stringify([task_id_key, ...argument]));
}
