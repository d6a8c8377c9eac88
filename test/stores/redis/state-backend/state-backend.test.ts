/** Against data that the real plugin wrote, read a second time key by key as an oracle; then torn, purged and very large data. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pythonJson } from "../../../../src/pynenc/python-dump.ts";
import { epochFromIso, isoFromEpoch } from "../../../../src/pynenc/time.ts";
import type { DefinitionFilter, StateBackendReads } from "../../../../src/stores/ports/state-backend.ts";
import { AppKeys } from "../../../../src/stores/redis/keys/keys.ts";
import type { Command } from "../../../../src/stores/redis/server/connection.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { fixturePath } from "../../../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

type Document = Record<string, unknown> & {
  workflow_id: string;
  workflow_type_key: string;
  parent_invocation_id: string | null;
  call_id_key: string;
  serialized_arguments: Record<string, string>;
};

interface Entry {
  invocation_id: string;
  written_at: number;
  status: string;
  runner: string;
}

/** Counts of test/fixtures/redis/facts.json. */
const FACTS = {
  kitchen_sink: { defined: 193, histories: 185, entries: 796, runs: 121, contexts: 32, results: 151, exceptions: 10 },
  "kitchen-sink.two/β": { defined: 7, histories: 7, entries: 25, runs: 6, contexts: 3, results: 5, exceptions: 1 },
  "sink[3]*?": { defined: 4, histories: 4, entries: 16, runs: 4, contexts: 2, results: 4, exceptions: 0 },
};

const SLICE = { limit: 10_000, offset: 0 };
const RDB = fixturePath("redis/kitchen_sink_redis.rdb");
const NOBODY = ["no-such-id", "", "*", "\u0000", "types", "invocations:x", "日本"];

/** What the keys of an app hold, read one by one without any index. */
class Oracle {
  readonly definitions = new Map<string, Document>();
  readonly entries: Entry[] = [];
  /** When the entries of each history were written, as listed. */
  readonly lists = new Map<string, number[]>();
  readonly indexed: string[] = [];

  static async of(server: RedisServer, appId: string): Promise<Oracle> {
    const oracle = new Oracle();
    const keys = new AppKeys(appId);
    const [all] = await server.exchange([["KEYS", keys.everything()]]);
    for (const key of (all as string[]).sort()) {
      const name = keys.rest("state_backend", key);
      if (name === null) continue;
      const id = name.slice(name.lastIndexOf(":") + 1);
      if (name.startsWith("invocation:")) {
        oracle.definitions.set(id, JSON.parse((await server.exchange([["GET", key]]))[0] as string));
      }
      if (!name.startsWith("history:")) continue;
      for (const text of (await server.exchange([["LRANGE", key, "0", "-1"]]))[0] as string[]) {
        const { _timestamp, status_record, runner_context_id } = JSON.parse(text);
        const written_at = epochFromIso(_timestamp) ?? Number.NaN;
        oracle.lists.set(id, [...(oracle.lists.get(id) ?? []), written_at]);
        oracle.entries.push({ invocation_id: id, written_at, status: status_record.status, runner: runner_context_id });
      }
    }
    oracle.entries.sort((a, b) => a.written_at - b.written_at);
    const [index] = await server.exchange([
      ["ZREVRANGE", keys.key("orchestrator", "all_invocations_by_time"), "0", "-1"],
    ]);
    oracle.indexed.push(...(index as string[]));
    return oracle;
  }
}

function reader(store: RedisStore, appId: string) {
  return <T>(fn: (reads: StateBackendReads) => Promise<T>): Promise<T> =>
    store.app(appId).read((reads) => fn(reads.state_backend));
}

type Reader = ReturnType<typeof reader>;

async function definedIds(read: Reader, filter: DefinitionFilter, step = 10_000) {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { rows, exhausted, last_cursor } = await read((state) => state.scanDefined(filter, step, step, after));
    ids.push(...rows.map((row) => row.invocation_id));
    if (exhausted) return ids;
    after = last_cursor ?? undefined;
  }
}

/** Invocations by their latest entry that counts, the latest first. */
const byWriting = <T extends { written_at: number }>(entries: readonly T[]) =>
  [...entries].sort((a, b) => a.written_at - b.written_at);

async function activeIds(read: Reader, filter: Parameters<StateBackendReads["listActive"]>[0], step = 5, scan = 50) {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const answer = await read((state) => state.listActive(filter, step, scan, after));
    expect(answer.scanned).toBeLessThanOrEqual(scan);
    ids.push(...answer.rows.map((row) => row.invocation_id));
    if (answer.exhausted) return ids;
    after = answer.last_cursor ?? undefined;
  }
}

function tally(words: readonly (string | null)[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const word of words) found[String(word)] = (found[String(word)] ?? 0) + 1;
  return found;
}

describeWithRedis("the state backend of real Redis data", () => {
  let server: RedisServer;
  let store: RedisStore;
  beforeAll(async () => {
    server = await startRedis({ rdb: RDB });
    store = storeOn(server);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  describe.each(Object.entries(FACTS))("%s", (appId, facts) => {
    let read: Reader;
    let oracle: Oracle;
    beforeAll(async () => {
      read = reader(store, appId);
      oracle = await Oracle.of(server, appId);
    });

    it("has the counts of the data", async () => {
      const ids = [...oracle.definitions.keys()];
      const found = await read(async (state) => ({
        defined: await state.countDefined(),
        histories: (await state.historySpanOf(ids)).length,
        entries: (await state.countHistory({})).entries,
        runs: (await state.workflowTypes()).reduce((sum, { runs }) => sum + runs, 0),
        contexts: await state.countRunnerContexts("all"),
        results: (await state.outcomesOf(["result"], ids)).length,
        exceptions: (await state.outcomesOf(["exception"], ids)).length,
      }));
      expect(found).toEqual(facts);
      expect((await read((state) => state.appInfo()))?.app_id).toBe(appId);
    });

    it("reads definitions with arguments in the form that SQLite has", async () => {
      const ids = [...oracle.definitions.keys()];
      const records = await read((state) => state.invocationsByIds([...ids, ...NOBODY, ...ids]));
      expect(records).toEqual(
        [...oracle.definitions].map(([invocation_id, document]) => ({
          parent_event_id: null,
          ...document,
          invocation_id,
          serialized_arguments: pythonJson(document.serialized_arguments),
        })),
      );
    });

    it("lists every definition once, newest first and torn ones last, both page by page and in one list", async () => {
      const whole = await definedIds(read, {});
      const indexed = oracle.indexed.filter((id) => oracle.definitions.has(id));
      const torn = [...oracle.definitions.keys()].filter((id) => !oracle.indexed.includes(id)).sort();
      expect(whole).toEqual([...indexed, ...torn]);
      expect(await definedIds(read, {}, 3)).toEqual(whole);
    });

    it("reads each history in order, cut to the oldest entries, and finds its first and last", async () => {
      const ids = [...oracle.definitions.keys()];
      const found = await read((state) => state.historyOf([...NOBODY, ...ids], 10_000));
      for (const [id, list] of oracle.lists) {
        const own = found.filter((entry) => entry.invocation_id === id);
        expect(own.map(({ written_at }) => written_at)).toEqual(list);
      }
      const history = byWriting(found);
      const shown = (entry: { invocation_id: string; written_at: number; status: string }) =>
        `${isoFromEpoch(entry.written_at)} ${entry.invocation_id} ${entry.status}`;
      expect(history.map(shown)).toEqual(oracle.entries.map(shown));
      expect(history.map((entry) => entry.runner_context_id)).toEqual(oracle.entries.map((entry) => entry.runner));
      expect(byWriting(await read((state) => state.historyOf(ids, 9))).map(shown)).toEqual(
        oracle.entries.slice(0, 9).map(shown),
      );
      expect(await read((state) => state.historyOf(ids, 0))).toEqual([]);
      const spans = await read((state) => state.historySpanOf([...ids, ...NOBODY]));
      expect(
        spans
          .map(({ invocation_id, first, last }) => [
            invocation_id,
            ...[first, last].map((end) => shown({ invocation_id, ...end })),
          ])
          .sort(),
      ).toEqual(
        [...new Set(oracle.entries.map((entry) => entry.invocation_id))]
          .map((id) => oracle.entries.filter((entry) => entry.invocation_id === id).map(shown))
          .map((own) => [own[0]?.split(" ")[1], own[0], own.at(-1)])
          .sort(),
      );
      const middle = oracle.entries[Math.floor(oracle.entries.length / 2)]?.written_at ?? 0;
      const expected = new Map(
        oracle.entries.filter((entry) => entry.written_at < middle).map((entry) => [entry.invocation_id, shown(entry)]),
      );
      const before = await read((state) => state.lastEntriesBefore([...ids, ...NOBODY], middle));
      expect(new Map(before.map((entry) => [entry.invocation_id, shown(entry)]))).toEqual(expected);
    });
  });

  it("has the recorded runner classes, history entries and the tree torn by a kill", async () => {
    const read = reader(store, "kitchen_sink");
    const contexts = await read((state) => state.listRunnerContexts(SLICE));
    expect(tally(contexts.map((context) => context.runner_cls))).toEqual({
      ExternalRunner: 1,
      MultiThreadRunner: 1,
      PPRWorker: 7,
      PersistentProcessRunner: 1,
      ProcessRunner: 1,
      ProcessRunnerWorker: 10,
      ThreadRunner: 11,
    });
    expect(contexts.filter((context) => context.parent_ctx_id !== null)).toHaveLength(19);
    const history = await read((state) => state.historyBetween({}, 10_000, "earliest"));
    expect(tally(history.map((entry) => entry.status))).toMatchObject({ registered: 185, rerouted: 24, retry: 5 });
    expect(history.filter((entry) => entry.registered_by_inv_id !== null).length).toBeGreaterThan(0);
    // Of its thirteen members five have neither status nor history.
    const root = "5f8bcf72-b487-446f-81e0-acc59ef4e6d5";
    const branches = await read((state) => state.childrenOf([root], 100));
    const leaves = await read((state) =>
      state.childrenOf(
        branches.map((row) => row.invocation_id),
        100,
      ),
    );
    expect([branches.length, leaves.length]).toEqual([3, 9]);
    const spans = await read((state) => state.historySpanOf(leaves.map((row) => row.invocation_id)));
    const dated = spans.map((span) => span.invocation_id);
    expect(leaves.slice(-5).filter((row) => dated.includes(row.invocation_id))).toEqual([]);
  });

  it("reads the data of a workflow whose keys have colons", async () => {
    const read = reader(store, "kitchen_sink");
    const runs = await read((state) => state.workflowRuns(SLICE));
    const counts = await read((state) => state.countWorkflowData(runs.map((run) => run.workflow_id)));
    expect(Object.values(counts ?? {}).sort((a, b) => b - a)).toEqual([
      15, 13, 11, 11, 9, 7, 5, 4, 3, 3, 2, 2, 1, 1, 1,
    ]);
    const id = "ebfd6e87-22c1-4f42-8deb-a354c6ed8a1b";
    const data = await read((state) => state.workflowData(id, SLICE));
    expect(data.map((datum) => datum.data_key.replace(/[0-9a-f]{64}/, "<sha>"))).toEqual([
      "attempt",
      "big",
      "counter:random",
      "counter:time",
      "order",
      "random:1",
      "step:a",
      "task_invocation:tasks.wf_inner:<sha>",
      "task_invocation:tasks.wf_step:<sha>",
      "time:1",
      "workflow:base_time",
    ]);
    expect(data.find((datum) => datum.data_key === "order")?.data_value).toBe('"ORD-5-live"');
    expect(await read((state) => state.workflowData(id, { limit: 2, offset: 4 }))).toEqual(data.slice(4, 6));
    expect(await read((state) => state.workflowData(`${id}:data:task_invocation`, SLICE))).toEqual([]);
    expect(await read((state) => state.countWorkflowData([...NOBODY, "*", `${id.slice(0, -1)}?`]))).toEqual({});
  });

  it("needs as many round trips for many ids as for one", async () => {
    const read = reader(store, "kitchen_sink");
    const ids = await definedIds(read, {});
    const asks: ((state: StateBackendReads, some: string[]) => Promise<unknown>)[] = [
      (state, some) => state.invocationsByIds(some),
      (state, some) => state.historyOf(some, 10_000),
      (state, some) => state.historySpanOf(some),
      (state, some) => state.lastEntriesBefore(some, 1e10),
      (state, some) => state.childrenOf(some, 10_000),
      (state, some) => state.workflowRuns(SLICE, { workflow_ids: some }),
      (state, some) => state.countWorkflowMembers(some),
      (state, some) => state.countWorkflowData(some),
      (state, some) => state.outcomesOf(["result"], some),
    ];
    const trips = async (ask: () => Promise<unknown>) => {
      const before = store.traffic.round_trips;
      await ask();
      return store.traffic.round_trips - before;
    };
    const root = ids.filter((id) => id === "5f8bcf72-b487-446f-81e0-acc59ef4e6d5");
    for (const ask of asks) {
      const one = await trips(() => read((state) => ask(state, root)));
      // Long histories are looked at a second time.
      expect(await trips(() => read((state) => ask(state, ids)))).toBeLessThanOrEqual(one + 1);
    }
  });
});

describeWithRedis("the tasks of invocations in Redis", () => {
  it("are read by one command for a thousand, and one more for each that the orchestrator has forgotten", async () => {
    const server = await startRedis({ rdb: RDB });
    const store = storeOn(server);
    const read = reader(store, "kitchen_sink");
    const [lost = "", ...others] = await definedIds(read, {});
    const asked = async (ids: string[]) => {
      const before = store.traffic.commands;
      const rows = await read((state) => state.tasksOf(ids));
      return { rows, commands: store.traffic.commands - before };
    };
    const whole = await asked([lost, ...others]);
    expect(whole.rows).toHaveLength(193);
    const before = await asked(others);
    await server.exchange([["DEL", new AppKeys("kitchen_sink").key("orchestrator", "invocation_to_call", lost)]]);
    const torn = await asked([lost, ...others]);
    expect(new Map(torn.rows.map((row) => [row.invocation_id, row.task_id_key]))).toEqual(
      new Map(whole.rows.map((row) => [row.invocation_id, row.task_id_key])),
    );
    // Beside what every read asks once.
    expect(whole.commands).toBe(before.commands);
    expect(whole.commands).toBeLessThan(10);
    expect(torn.commands - whole.commands).toBe(1);
    await store.close();
    await server.close();
  });
});

describeWithRedis("the state backend in Redis, purged or torn", () => {
  const APP = "kitchen_sink";
  const keys = new AppKeys(APP);
  let server: RedisServer;
  let store: RedisStore;
  let read: Reader;
  let oracle: Oracle;
  beforeAll(async () => {
    server = await startRedis({ rdb: RDB });
    oracle = await Oracle.of(server, APP);
  });
  afterAll(() => server.close());

  async function without(sections: readonly ("orchestrator" | "state_backend")[]): Promise<void> {
    await server.stop();
    await server.start();
    for (const section of sections) {
      const [all] = await server.exchange([["KEYS", keys.pattern(section, "")]]);
      await server.exchange([["DEL", ...(all as string[])]]);
    }
    store = storeOn(server);
    read = reader(store, APP);
  }

  it("lists all definitions after a purge of the orchestrator, in the order of the history", async () => {
    await without(["orchestrator"]);
    const ids = await definedIds(read, {});
    const registered = oracle.entries.filter((entry) => entry.status === "registered").map((e) => e.invocation_id);
    expect(ids.slice(0, registered.length)).toEqual(registered.reverse());
    expect(new Set(ids)).toEqual(new Set(oracle.definitions.keys()));
    expect(await definedIds(read, {}, 4)).toEqual(ids);
    expect(await read((state) => state.countDefined())).toBe(193);
    const runs = await read((state) => state.workflowRuns(SLICE));
    expect(runs.map((run) => run.workflow_id)).toEqual(ids.filter((id) => runs.some((run) => run.workflow_id === id)));
    expect(runs).toHaveLength(121);
    expect(
      await read((state) => state.workflowRuns({ limit: 3, offset: 2 }, { workflow_type_key: "tasks.add" })),
    ).toEqual(runs.filter((run) => run.workflow_type_key === "tasks.add").slice(2, 5));
    expect(await read((state) => state.childrenOf(ids, 10_000))).toHaveLength(66);
    expect(await read((state) => state.listRunnerContexts(SLICE))).toHaveLength(32);
    await store.close();
  });

  it("lists nothing after a purge of the state backend", async () => {
    await without(["state_backend"]);
    expect(await definedIds(read, {})).toEqual([]);
    const found = await read(async (state) => [
      await state.countDefined(),
      await state.historySpan(),
      await state.workflowRuns(SLICE),
      await state.listRunnerContexts(SLICE),
      (await state.listActive({}, 10, 100)).exhausted,
      (await state.appInfo())?.app_id,
    ]);
    expect(found).toEqual([0, null, [], [], true, APP]);
    await store.close();
  });

  it("reads from the orchestrator's own server where it has one", async () => {
    await without(["orchestrator"]);
    await store.close();
    const other = await startRedis({ rdb: RDB });
    const [all] = await other.exchange([["KEYS", keys.pattern("state_backend", "")]]);
    await other.exchange([["DEL", ...(all as string[])]]);
    store = storeOn(server, { orchestrator: other });
    read = reader(store, APP);
    const ids = await definedIds(read, {});
    expect(ids.slice(0, 188)).toEqual(oracle.indexed);
    expect(new Set(ids)).toEqual(new Set(oracle.definitions.keys()));
    expect(await read((state) => state.workflowRuns(SLICE))).toHaveLength(121);
    expect((await read((state) => state.listRunnerContexts({ limit: 1, offset: 0 })))[0]?.runner_id).toBe(
      "74e16e57-72f6-4b5f-b905-6503e759915d",
    );
    await store.close();
    await other.close();
  });

  it("leaves out what is unreadable, and treats keys of another type as absent", async () => {
    await without([]);
    const state = (...parts: string[]) => keys.key("state_backend", ...parts);
    const definition = pythonJson({ ...oracle.definitions.values().next().value, invocation_id: "numbered" });
    await server.exchange([
      ["SET", state("invocation", "broken"), "{"],
      ["SADD", state("invocation", "a-set"), "x"],
      [
        "SET",
        state("invocation", "numbered"),
        definition.replace(/"serialized_arguments": \{[^}]*\}/, '"serialized_arguments": {"b": "1", "1": "2"}'),
      ],
      [
        "ZADD",
        keys.key("orchestrator", "all_invocations_by_time"),
        "1795223500",
        "broken",
        "1795223501",
        "no definition",
      ],
      ["ZADD", keys.key("orchestrator", "all_invocations_by_time"), "1795223502", "numbered"],
      [
        "RPUSH",
        state("history", "broken"),
        "{",
        "[]",
        '{"_timestamp": "soon", "status_record": {"status": "running"}}',
      ],
      ["SET", state("history", "a-string"), "x"],
      ["ZADD", state("history_by_timestamp"), "1795223600", "broken:1795223600.0:{", "1795223601", "without colons"],
      ["SET", state("runner_context", "broken"), '{"runner_cls": "ThreadRunner"}'],
      ["SET", state("workflow", "run", "broken"), "null"],
      ["SET", state("parent_invocation_children", "a-string"), "x"],
      ["SADD", state("parent_invocation_children", "torn"), "unregistered", "numbered"],
      ["SADD", state("parent_event_children", "event"), "numbered", "unregistered"],
    ]);
    const ids = ["broken", "a-set", "a-string", "numbered"];
    const [numbered, ...others] = await read((reads) => reads.invocationsByIds(ids));
    expect(others).toEqual([]);
    expect(numbered?.serialized_arguments).toBe('{"b": "1", "1": "2"}');
    expect((await definedIds(read, {}))[0]).toBe("numbered");
    expect((await definedIds(read, {})).filter((id) => ids.includes(id) || id === "no definition")).toEqual([
      "numbered",
    ]);
    expect(await read((reads) => reads.historyOf(ids, 10))).toEqual([]);
    expect(await read((reads) => reads.historySpanOf(ids))).toEqual([]);
    expect(await read((reads) => reads.lastEntriesBefore(ids, 1e10))).toEqual([]);
    expect(await read((reads) => reads.historyBetween({ from: 1795223400 }, 10, "latest"))).toEqual([]);
    expect(await read((reads) => reads.runnerContexts(["broken"]))).toEqual([]);
    expect(await read((reads) => reads.workflowRuns(SLICE, { workflow_ids: ["broken"] }))).toEqual([]);
    expect(await read((reads) => reads.childrenOf(["a-string", "torn"], 10))).toEqual([
      { parent_id: "torn", invocation_id: "numbered" },
      { parent_id: "torn", invocation_id: "unregistered" },
    ]);
    expect(await read((reads) => reads.childrenOf(["event", "a-string"], { each: 1 }, "event"))).toEqual([
      { parent_id: "event", invocation_id: "numbered" },
    ]);
    await store.close();
  });
});

describeWithRedis("the state backend in Redis, with much data", () => {
  const APP = "large";
  const keys = new AppKeys(APP);
  /** Beyond what is sorted. */
  const COUNT = 25_000;
  const START = 1_795_000_000;
  const idOf = (i: number) => `id-${String(i).padStart(6, "0")}`;
  const state = (...parts: string[]) => keys.key("state_backend", ...parts);
  let server: RedisServer;
  let store: RedisStore;
  let read: Reader;
  beforeAll(async () => {
    server = await startRedis();
    const commands: Command[] = [];
    // Ten share a time, as on a clock that is coarse.
    const timeOf = (i: number) => START + Math.floor(i / 10) / 10;
    for (let from = 0; from < COUNT; from += 5_000) {
      const ids = Array.from({ length: 5_000 }, (_, i) => from + i);
      commands.push([
        "ZADD",
        keys.key("orchestrator", "all_invocations_by_time"),
        ...ids.flatMap((i) => [String(timeOf(i)), idOf(i)]),
      ]);
      const members = ids.filter((i) => i > 0).map(idOf);
      for (const set of [
        state("parent_invocation_children", idOf(0)),
        state("workflow", idOf(0), "sub_invocations"),
        state("workflow", "invocations", idOf(0)),
      ]) {
        commands.push(["SADD", set, ...members]);
      }
      commands.push(["SADD", state("workflow", "type_index", "tasks.a"), ...ids.filter((i) => i % 4 === 0).map(idOf)]);
      const definition = { call_id_key: "tasks.a:no_args", task_id_key: "tasks.a", arguments_id: "no_args" };
      commands.push([
        "MSET",
        ...ids.flatMap((i) => [
          state("invocation", idOf(i)),
          pythonJson({ ...definition, serialized_arguments: {}, workflow_id: idOf(0), parent_invocation_id: idOf(0) }),
        ]),
      ]);
      const run = { workflow_type_key: "tasks.a", parent_workflow_id: null };
      commands.push([
        "MSET",
        ...ids
          .filter((i) => i % 4 === 0)
          .flatMap((i) => [
            state("workflow", "run", idOf(i)),
            pythonJson({ ...run, workflow_id: idOf(i), parent_workflow_id: i % 1_000 === 0 && i > 0 ? idOf(0) : null }),
          ]),
      ]);
    }
    commands.push(["SADD", state("workflow", "types"), "tasks.a"]);
    const entry = (i: number) =>
      pythonJson({
        _timestamp: isoFromEpoch(START + i),
        status_record: { status: i === 0 ? "registered" : "running", runner_id: "r" },
        runner_context_id: "r",
      });
    const entries = Array.from({ length: 2_500 }, (_, i) => entry(i));
    commands.push(["RPUSH", state("history", idOf(7)), ...entries]);
    commands.push([
      "ZADD",
      state("history_by_timestamp"),
      ...entries.flatMap((json, i) => [String(START + i), `${idOf(7)}:${START + i}.0:${json}`]),
    ]);
    commands.push(["ZADD", state("history_by_timestamp"), String(START), `${idOf(8)}:${START}.0:${entry(0)}`]);
    await server.exchange(commands);
    store = storeOn(server);
    read = reader(store, APP);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  const newest = (from: number, count: number) => Array.from({ length: count }, (_, i) => idOf(from - i));
  const oldest = (from: number, count: number) => Array.from({ length: count }, (_, i) => idOf(from + i));

  it("lists a large workflow newest first, by cursor also through invocations of the same time", async () => {
    const filter = { workflow_id: idOf(0) };
    const found: string[] = [];
    let after: string | undefined;
    for (const _ of [1, 2, 3, 4]) {
      const { rows, last_cursor } = await read((reads) => reads.scanDefined(filter, 7, 7, after));
      found.push(...rows.map((row) => row.invocation_id));
      after = last_cursor ?? undefined;
    }
    expect(found).toEqual(newest(COUNT - 1, 28));
    expect(await definedIds(read, filter, 9_000)).toEqual(newest(COUNT - 1, COUNT - 1));
    expect(await definedIds(read, {}, 9_000)).toEqual(newest(COUNT - 1, COUNT));
    expect(await read((reads) => reads.countDefined())).toBe(COUNT);
  });

  it("finds the oldest children and members of a large family", async () => {
    const children = await read((reads) => reads.childrenOf([idOf(0), idOf(1)], { each: 30 }));
    expect(children.map((row) => row.invocation_id)).toEqual(oldest(1, 30));
    expect(await read((reads) => reads.countDefined(idOf(0)))).toBe(COUNT - 1);
    expect(await read((reads) => reads.workflowMembers(idOf(0), { limit: 5, offset: 12_000 }))).toEqual(
      oldest(12_001, 5),
    );
    const { [idOf(0)]: counted } = await read((reads) => reads.countWorkflowMembers([idOf(0)]));
    expect(counted).toEqual({ members: COUNT - 1, exact: false });
    const below = await read((reads) => reads.subWorkflows(idOf(0), 10));
    expect(below.map((run) => run.workflow_id)).toEqual(Array.from({ length: 10 }, (_, i) => idOf((i + 1) * 1_000)));
  });

  it("pages through many workflow runs", async () => {
    const page = (offset: number) => read((reads) => reads.workflowRuns({ limit: 3, offset }, undefined));
    expect((await page(0)).map((run) => run.workflow_id)).toEqual([24_996, 24_992, 24_988].map(idOf));
    expect((await page(6_000)).map((run) => run.workflow_id)).toEqual([996, 992, 988].map(idOf));
    expect((await page(6_248)).map((run) => run.workflow_id)).toEqual([4, 0].map(idOf));
  });

  it("reads a history is too long from either end", async () => {
    const [id, other] = [idOf(7), idOf(8)];
    expect(await read((reads) => reads.historySpanOf([id, other]))).toMatchObject([
      {
        invocation_id: id,
        first: { written_at: START },
        last: { written_at: START + 2_499, status: "running" },
      },
    ]);
    for (const before of [1, 2, 100, 2_000, 2_499.5, 9_999]) {
      const [entry] = await read((reads) => reads.lastEntriesBefore([other, id], START + before));
      expect(entry?.written_at).toBe(START + Math.min(2_499, Math.ceil(before) - 1));
    }
    expect(await read((reads) => reads.lastEntriesBefore([id], START))).toEqual([]);
    expect((await read((reads) => reads.historyOf([id], 3))).map((entry) => entry.written_at)).toEqual([
      START,
      START + 1,
      START + 2,
    ]);
    expect(await activeIds(read, {}, 1, 1_000)).toEqual([id, other]);
    expect(await activeIds(read, { to: START + 2_000, by: { runner_id: "r", role: "worker" } }, 1, 700)).toEqual([id]);
  });

  describe("on a server with very many keys", () => {
    const other = idOf(9);
    beforeAll(async () => {
      const commands: Command[] = [["SET", state("workflow", idOf(4), "data", "step:a"), "1"]];
      for (let from = 0; from < 110_000; from += 10_000) {
        const some = Array.from({ length: 10_000 }, (_, i) => from + i);
        commands.push(["MSET", ...some.flatMap((i) => [state("workflow", other, "data", `step:${i}`), "1"])]);
        commands.push(["MSET", ...some.flatMap((i) => [`somebody:${i}`, "1"])]);
      }
      await server.exchange(commands);
    });

    it("finds the data of a workflow though not all names are remembered", async () => {
      // By a store that remembers no names from before.
      const fresh = storeOn(server);
      const read = reader(fresh, APP);
      // Until the first walk has ended no number is told.
      await expect
        .poll(() => read((reads) => reads.countWorkflowData([idOf(4)])), { timeout: 60_000 })
        .toEqual({ [idOf(4)]: 1 });
      const counts = await read((reads) => reads.countWorkflowData([idOf(4), other, idOf(5)]));
      expect(counts).toEqual({ [idOf(4)]: 1, [other]: 110_000 });
      expect(await read((reads) => reads.workflowData(idOf(4), SLICE))).toEqual([
        { data_key: "step:a", data_value: "1" },
      ]);
      const data = await read((reads) => reads.workflowData(other, { limit: 2, offset: 109_998 }));
      expect(data.map((datum) => datum.data_key)).toEqual(["step:99998", "step:99999"]);
      await fresh.close();
    });

    it("estimates deleted definitions by a sample, and lists invocations that the orchestrator has forgotten by history", async () => {
      expect(await read((reads) => reads.countDefined())).toBe(COUNT);
      // The sample is not repeated while the server has no fewer keys.
      const before = store.traffic.commands;
      expect(await read((reads) => reads.countDefined())).toBe(COUNT);
      expect(store.traffic.commands - before).toBeLessThan(10);
      const gone = Array.from({ length: 5_000 }, (_, i) => state("invocation", idOf(i * 5)));
      await server.exchange([["DEL", ...gone]]);
      expect(Math.abs((await read((reads) => reads.countDefined())) - 20_000)).toBeLessThan(2_000);
      await server.exchange([["DEL", keys.key("orchestrator", "all_invocations_by_time")]]);
      expect(await definedIds(read, {}, 1)).toEqual([idOf(8), idOf(7)]);
      // By a store that remembers no names from before.
      const fresh = storeOn(server);
      expect(await reader(fresh, APP)((reads) => reads.countDefined())).toBe(20_000);
      await fresh.close();
    });
  });
});
