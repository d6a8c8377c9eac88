/** A purge on Redis, key by key (storage-format.md 9.4). Names of keys are written out here, so that a wrong one in the adapter shows. */
import { expect, it } from "vitest";
import { RefusedError, StoreUnreachableError } from "../../../../src/errors.ts";
import { COMPONENTS, type ComponentName } from "../../../../src/stores/ports/common.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { kitchenSinkOnRedis } from "../../../support/kitchen-sink-on-redis.ts";
import { type AllKeys, allKeys, difference } from "../../../support/redis-keys.ts";
import { describeWithRedis, type RedisServer } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const PREFIXES: Readonly<Record<string, string>> = {
  kitchen_sink: "__pynenc__:kitchen_sink:",
  "kitchen-sink.two/β": "__pynenc__:kitchen-sink.two/β:",
  "sink[3]*?": "__pynenc__:sink__OPEN_BRACKET__3__CLOSE_BRACKET____ASTERISK__?:",
};

const SECTIONS: Readonly<Record<ComponentName, readonly string[]>> = {
  broker: ["broker:"],
  orchestrator: ["orchestrator:", "blocking_control:"],
  state_backend: ["state_backend:"],
  client_data_store: ["client_data_store:"],
  trigger: ["trigger:"],
};

/** A purge of these is expected to delete. */
function keysOf(keys: AllKeys, appId: string, components: readonly ComponentName[]): string[] {
  const beginnings = components.flatMap((component) => SECTIONS[component].map((section) => PREFIXES[appId] + section));
  return [...keys.keys()].filter((key) => beginnings.some((beginning) => key.startsWith(beginning)));
}

describeWithRedis("a purge on Redis", () => {
  let server: RedisServer;
  let store: RedisStore;
  kitchenSinkOnRedis((sink) => {
    ({ server, store } = sink);
  });

  const cases = Object.keys(PREFIXES).flatMap((appId) =>
    [...COMPONENTS.map((component): ComponentName[] => [component]), [...COMPONENTS], []].map(
      (components) => [appId, components.join(", ") || "nothing", components] as const,
    ),
  );
  it.each(cases)("of %s empties %s and touches no other key", async (appId, _, components) => {
    const before = await allKeys(server);
    const expected = keysOf(before, appId, components);
    expect(expected.length > 0).toBe(
      components.length > 0 && (appId !== "sink[3]*?" || !["broker", "client_data_store"].includes(components.join())),
    );
    const app = store.app(appId);
    const preview = await app.read((reads) => reads.preview.purge(components));
    expect(await allKeys(server)).toEqual(before);
    const purged = await app.actions.purge(components);
    const after = await allKeys(server);
    expect(difference(before, after)).toEqual({ gone: expected, come: [], changed: [] });
    expect(purged).toEqual(preview);
    expect(await app.actions.purge(components)).toEqual([]);
  });

  it("counts members of collections and keys of families", async () => {
    const rows = await store.app("kitchen_sink").actions.purge(COMPONENTS);
    const counts = Object.fromEntries(rows.map(({ component, name, rows: count }) => [`${component} ${name}`, count]));
    expect(counts).toMatchObject({
      "broker default_queue": 6,
      "orchestrator invocation_status": 188,
      "orchestrator all_invocations_by_time": 188,
      "orchestrator invocation_auto_purge": 165,
      "orchestrator task": 37,
      "orchestrator task_arguments": 17,
      "orchestrator blocking_control:waited_by": 3,
      "state_backend history": 185,
      "state_backend history_by_timestamp": 796,
      "state_backend workflow_data": 88,
      "client_data_store client_data_store": 8,
      "trigger valid_condition": 2,
    });
  });

  it("takes an app id literally, even if it is a pattern", async () => {
    const ids = ["a?", "ab", "a\\", "a^", "a-b", "{a}"];
    const keyOf = (id: string, rest: string) => `__pynenc__:${id}:${rest}`;
    const rests = [
      "broker:default_queue",
      "orchestrator:invocation_status:1",
      "orchestratorx:y",
      "trigger:condition:*",
    ];
    await server.exchange(ids.flatMap((id) => rests.map((rest) => ["SET", keyOf(id, rest), id])));
    for (const id of ids) {
      const before = await allKeys(server);
      await store.app(id).actions.purge(["orchestrator", "trigger"]);
      const gone = ["orchestrator:invocation_status:1", "trigger:condition:*"].map((rest) => keyOf(id, rest));
      expect(difference(before, await allKeys(server))).toEqual({ gone, come: [], changed: [] });
    }
  });

  it("deletes more keys than fit into one step", async () => {
    const many = Array.from({ length: 12_000 }, (_, i) => `__pynenc__:big:state_backend:result:${i}`);
    await server.exchange([["MSET", ...many.flatMap((key) => [key, "1"])]]);
    const [before] = await server.exchange([["DBSIZE"]]);
    expect(await store.app("big").actions.purge(["state_backend"])).toEqual([
      { component: "state_backend", name: "result", rows: many.length, exact: true },
    ]);
    expect(await server.exchange([["DBSIZE"]])).toEqual([Number(before) - many.length]);
  });

  it("empties the queue first", async () => {
    const log: string[] = [];
    const monitored = await watched(server, log, () =>
      store.app("kitchen_sink").actions.purge(["state_backend", "orchestrator", "broker"]),
    );
    expect(monitored.map((row) => row.component)).toEqual(
      expect.arrayContaining(["broker", "orchestrator", "state_backend"]),
    );
    const unlinks = log.filter((line) => /"unlink"/i.test(line));
    const place = (section: string) => unlinks.findIndex((line) => line.includes(`:kitchen_sink:${section}:`));
    expect(place("broker")).toBe(0);
    expect(place("orchestrator")).toBeGreaterThan(place("broker"));
    expect(place("state_backend")).toBeGreaterThan(place("orchestrator"));
  });

  it("is refused by a read-only monitor and by a replica", async () => {
    const before = await allKeys(server);
    const readOnly = storeOn(server, { readOnly: true });
    expect(
      await readOnly
        .app("kitchen_sink")
        .actions.purge(COMPONENTS)
        .catch((error: unknown) => error),
    ).toMatchObject({
      status: 403,
    });
    await readOnly.close();
    await server.exchange([["REPLICAOF", "127.0.0.1", "1"]]);
    const refused = await store
      .app("kitchen_sink")
      .actions.purge(COMPONENTS)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RefusedError);
    expect(refused).toMatchObject({ status: 409, message: expect.stringContaining("replica") });
    await server.exchange([["REPLICAOF", "NO", "ONE"]]);
    expect(await allKeys(server)).toEqual(before);
  });

  it("reports that the server cannot be reached, and works when it is back", async () => {
    await server.stop();
    const error = await store
      .app("kitchen_sink")
      .actions.purge(["broker"])
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnreachableError);
    expect((error as Error).message).not.toContain("stays deleted");
    await server.start();
    expect(await store.app("kitchen_sink").actions.purge(["broker"])).toHaveLength(1);
  });
});

/** What the server was told while `act` ran, in order. */
async function watched<T>(server: RedisServer, log: string[], act: () => Promise<T>): Promise<T> {
  await server.exchange([
    ["CONFIG", "SET", "slowlog-log-slower-than", "0"],
    ["CONFIG", "SET", "slowlog-max-len", "100000"],
    ["SLOWLOG", "RESET"],
  ]);
  const answer = await act();
  const [entries] = (await server.exchange([["SLOWLOG", "GET", "-1"]])) as [[number, number, number, string[]][]];
  log.push(...entries.reverse().map(([, , , command]) => command.map((word) => JSON.stringify(word)).join(" ")));
  return answer;
}
