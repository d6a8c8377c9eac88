import { afterAll, beforeAll, expect, it } from "vitest";
import type { LayoutReads } from "../../../../src/stores/ports/layout.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { fixturePath } from "../../../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

/** Keys of each family, and members of each collection, in the real data; claims have expired. */
const ROWS: Record<string, Record<string, number>> = {
  kitchen_sink: {
    default_queue: 6,
    all_invocations_by_time: 188,
    "blocking_control:all_waited": 2,
    "blocking_control:invocation": 3,
    "blocking_control:not_waiting": 4,
    "blocking_control:waited_by": 3,
    "blocking_control:waiting_for": 2,
    call_to_invocation: 158,
    invocation_auto_purge: 165,
    invocation_retries: 188,
    invocation_status: 188,
    invocation_to_call: 189,
    runner_heartbeat: 29,
    runner_heartbeats: 29,
    status: 14,
    task: 37,
    task_arguments: 17,
    task_invocations_by_time: 37,
    exception: 10,
    history: 185,
    history_by_timestamp: 796,
    invocation: 193,
    parent_invocation_children: 33,
    result: 151,
    runner_context: 32,
    workflow_data: 88,
    workflow_invocations: 137,
    workflow_run: 121,
    workflow_sub_invocations: 17,
    workflow_type_index: 35,
    workflow_type_invocations: 35,
    workflow_types: 35,
    client_data_store: 8,
    condition: 13,
    condition_triggers: 13,
    cron_last_execution: 1,
    source_task_conditions: 4,
    task_triggers: 13,
    trigger: 13,
    valid_condition: 2,
  },
  "kitchen-sink.two/β": {
    default_queue: 1,
    all_invocations_by_time: 7,
    call_to_invocation: 7,
    invocation_auto_purge: 6,
    invocation_retries: 7,
    invocation_status: 7,
    invocation_to_call: 7,
    runner_heartbeat: 1,
    runner_heartbeats: 1,
    status: 3,
    task: 5,
    task_invocations_by_time: 5,
    exception: 1,
    history: 7,
    history_by_timestamp: 25,
    invocation: 7,
    result: 5,
    runner_context: 3,
    workflow_invocations: 7,
    workflow_run: 6,
    workflow_type_index: 5,
    workflow_type_invocations: 5,
    workflow_types: 5,
    client_data_store: 1,
    condition: 1,
    condition_triggers: 1,
    cron_last_execution: 1,
    task_triggers: 2,
    trigger: 2,
  },
  "sink[3]*?": {
    all_invocations_by_time: 4,
    call_to_invocation: 4,
    invocation_auto_purge: 4,
    invocation_retries: 4,
    invocation_status: 4,
    invocation_to_call: 4,
    runner_heartbeat: 1,
    runner_heartbeats: 1,
    status: 1,
    task: 3,
    task_invocations_by_time: 3,
    history: 4,
    history_by_timestamp: 16,
    invocation: 4,
    result: 4,
    runner_context: 2,
    workflow_invocations: 4,
    workflow_run: 4,
    workflow_type_index: 3,
    workflow_type_invocations: 3,
    workflow_types: 3,
    condition: 1,
    condition_triggers: 1,
    cron_last_execution: 1,
    task_triggers: 2,
    trigger: 2,
  },
};

describeWithRedis("the layout of an app in Redis", () => {
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
  const read = <T>(app: string, fn: (layout: LayoutReads) => Promise<T>) =>
    store.app(app).read((reads) => fn(reads.layout));

  it("is looked at once for all parts of a page", async () => {
    const commands = async (fn: (layout: LayoutReads) => Promise<unknown>) => {
      const before = store.traffic.commands;
      await read("kitchen_sink", fn);
      return store.traffic.commands - before;
    };
    const one = await commands((layout) => layout.capabilities());
    expect(one).toBeLessThanOrEqual(30);
    expect(await commands((layout) => Promise.all([layout.capabilities(), layout.capabilities()]))).toBe(one);
  });

  it.each(Object.keys(ROWS))("counts the keys of %s by family", async (app) => {
    const figures = await read(app, (layout) => layout.figures());
    expect(Object.fromEntries(figures.map(({ name, rows }) => [name, rows]))).toEqual(ROWS[app]);
    expect(figures.every(({ exact }) => exact)).toBe(true);
    expect(figures.filter(({ bytes }) => bytes === null || bytes < 50)).toEqual([]);
    const components = figures.map(({ component }) => component);
    expect([...new Set(components)]).toEqual(
      ["broker", "orchestrator", "state_backend", "client_data_store", "trigger"].filter((component) =>
        components.some((one) => one === component),
      ),
    );
    expect(await read(app, (layout) => layout.files())).toEqual([]);
  });

  it.each(Object.keys(ROWS))("is recognised for %s as older than 0.2.4", async (app) => {
    expect(await read(app, (layout) => layout.report())).toEqual({
      label: "0.2.0 to 0.2.3 (pynenc_redis 0.1.5)",
      evidence: ["heartbeats carry last_service_start", "no data that only pynenc 0.2.4 or newer writes"],
      trigger_schema: null,
      unknown_tables: [],
      gaps: [],
    });
    expect(await read(app, (layout) => layout.capabilities())).toEqual({
      events: false,
      executions: false,
      components: { broker: true, orchestrator: true, state_backend: true, client_data_store: true, trigger: true },
      queue_peek: true,
      consumed_queues: false,
      queue_shared: false,
      purge_is_atomic: false,
      writes_refused: null,
    });
  });

  it("is empty for an unknown app, even if its id is a pattern", async () => {
    for (const app of ["nobody", "kitchen_sin?", "*", "kitchen_sink:broker"]) {
      const [report, capabilities, figures] = await read(app, (layout) =>
        Promise.all([layout.report(), layout.capabilities(), layout.figures()]),
      );
      expect(report).toEqual({ label: "incomplete", evidence: [], trigger_schema: null, unknown_tables: [], gaps: [] });
      expect(new Set(Object.values(capabilities.components))).toEqual(new Set([false]));
      expect(figures).toEqual([]);
    }
  });

  it.each([
    ["an event", ["ZADD", "trigger:evts_by_time", "1", "e"], { events: true, executions: false }],
    ["a trigger run", ["ZADD", "trigger:truns_by_time", "1", "r"], { events: true, executions: false }],
    ["an execution", ["ZADD", "orchestrator:atomic_service_executions", "1", "x"], { events: false, executions: true }],
  ])("is recognised as newer by %s", async (what, [command = "", key = "", ...rest], expected) => {
    const app = `with ${what}`;
    await server.exchange([[command, `__pynenc__:${app}:${key}`, ...rest]]);
    expect(await read(app, (layout) => layout.capabilities())).toMatchObject({
      ...expected,
      components: { broker: true, client_data_store: true },
    });
    expect((await read(app, (layout) => layout.report())).label).toBe("0.2.4 or newer");
  });

  it("is recognised as newer by any definition, though the newest invocations have lost theirs", async () => {
    const key = (rest: string) => `__pynenc__:newer:${rest}`;
    await server.exchange([
      ...["torn", "whole", "older"].map((id, i) => [
        "ZADD",
        key("orchestrator:all_invocations_by_time"),
        `${9 - i}`,
        id,
      ]),
      ["SET", key("state_backend:invocation:whole"), '{"invocation_id": "whole", "parent_event_id": null}'],
      ["SET", key("state_backend:invocation:older"), "no JSON"],
    ]);
    expect(await read("newer", (layout) => layout.capabilities())).toMatchObject({ events: true, executions: true });
    expect(await read("newer", (layout) => layout.report())).toMatchObject({
      label: "0.2.4 or newer",
      evidence: expect.arrayContaining(["invocations carry parent_event_id"]),
    });
  });

  it("is left open for an app that is registered and has no data yet", async () => {
    await server.exchange([["SET", "__pynenc__:__pynenc__:apps_info:fresh", '{"app_id": "fresh"}']]);
    const { components, events, executions } = await read("fresh", (layout) => layout.capabilities());
    expect(Object.values(components)).toEqual([true, true, true, true, true]);
    expect([events, executions]).toEqual([true, true]);
    expect((await read("fresh", (layout) => layout.report())).label).toBe("0.2.0 or newer");
  });

  it("lists unknown keys by name", async () => {
    await server.exchange([
      ["MSET", "__pynenc__:odd:orchestrator:edge:a", "1", "__pynenc__:odd:orchestrator:edge:b", "2"],
      ["MSET", "__pynenc__:odd:nowhere:a", "1", "__pynenc__:odd:broker:lock", "2"],
    ]);
    const figures = await read("odd", (layout) => layout.figures());
    expect(figures.map(({ component, name, rows }) => [component, name, rows])).toEqual([
      ["broker", "lock", 1],
      ["orchestrator", "edge:*", 2],
    ]);
  });

  it("is estimated by a sample for a large database, with exact counts of collections", async () => {
    const ids = Array.from({ length: 60_000 }, (_, i) => `i${i}`);
    const key = (rest: string) => `__pynenc__:large:${rest}`;
    for (let start = 0; start < ids.length; start += 10_000) {
      const some = ids.slice(start, start + 10_000);
      await server.exchange([
        ["MSET", ...some.flatMap((id) => [key(`orchestrator:invocation_status:${id}`), "{}"])],
        ["MSET", ...some.flatMap((id) => [`other:${id}`, "{}"])],
        ["ZADD", key("orchestrator:all_invocations_by_time"), ...some.flatMap((id) => ["1", id])],
      ]);
    }
    const figures = await read("large", (layout) => layout.figures());
    expect(figures.map(({ name, exact }) => [name, exact])).toEqual([
      ["all_invocations_by_time", true],
      ["invocation_status", false],
    ]);
    expect(figures[0]?.rows).toBe(60_000);
    expect(Math.abs((figures[1]?.rows ?? 0) - 60_000)).toBeLessThan(3_000);
  });
});

describeWithRedis("a server without the MEMORY command", () => {
  it("gets figures without bytes", async () => {
    const server = await startRedis({ args: ["--rename-command", "MEMORY", ""] });
    const store = storeOn(server);
    try {
      await server.exchange([["RPUSH", "__pynenc__:app:broker:default_queue", "a", "b"]]);
      expect(await store.app("app").read((reads) => reads.layout.figures())).toEqual([
        { component: "broker", name: "default_queue", rows: 2, exact: true, bytes: null },
      ]);
    } finally {
      await store.close();
      await server.close();
    }
  });
});
