/**
 * Small worlds of which anything may be missing. Nothing in Redis ties the keys of an invocation together: a killed process leaves the first
 * few of them, a purge of the plugin leaves the others, and people delete what they like.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { totalOf } from "../../../src/pynenc/groups.ts";
import { historyJson } from "../../../src/pynenc/history-json.ts";
import { pythonJson } from "../../../src/pynenc/python-dump.ts";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { Slice } from "../../../src/stores/ports/common.ts";
import type { StatusFilter } from "../../../src/stores/ports/orchestrator.ts";
import type { AppReads, AppStore, Store } from "../../../src/stores/ports/store.ts";
import { everythingOf } from "../../contract/everything.ts";
import { RedisContent } from "../../support/redis-content.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../support/redis-server.ts";
import { storeOn } from "../../support/redis-store.ts";

const ALL: Slice = { limit: 1_000, offset: 0 };
const APP = "torn[?]*";
const PREFIX = "__pynenc__:torn__OPEN_BRACKET__?__CLOSE_BRACKET____ASTERISK__:";
const BEGIN = Date.UTC(2026, 10, 21) / 1000;
const TASKS = ["mod.a", "mod.b", "odd:mod.c"];
const STATUSES = ["registered", "pending", "running", "paused", "success", "failed", "word_of_tomorrow"];
const FINAL = ["success", "failed"];

interface Invocation {
  id: string;
  at: number;
  task: string;
  status: string;
  parent: string | null;
}

const orchestrator = (rest: string) => `${PREFIX}orchestrator:${rest}`;
const blocking = (rest: string) => `${PREFIX}blocking_control:${rest}`;
const state = (rest: string) => `${PREFIX}state_backend:${rest}`;
const trigger = (rest: string) => `${PREFIX}trigger:${rest}`;

/** What the plugin writes for an invocation, in its order. */
const WRITERS = {
  definition(content, { id, task, parent }) {
    const record = {
      ...{ invocation_id: id, call_id_key: `${task}:no_args`, task_id_key: task, arguments_id: "no_args" },
      ...{ serialized_arguments: {}, parent_invocation_id: parent },
      ...{ workflow_id: id, workflow_type_key: task, parent_workflow_id: null },
    };
    content.set(state(`invocation:${id}`), pythonJson(record));
  },
  children(content, { id, parent }) {
    if (parent !== null) content.add(state(`parent_invocation_children:${parent}`), id);
  },
  workflow(content, { id, task }) {
    content.add(state(`workflow:invocations:${id}`), id);
    content.add(state(`workflow:type_invocations:${task}`), id);
  },
  task: (content, { id, task }) => content.add(orchestrator(`task:${task}`), id),
  call: (content, { id, task }) => content.add(orchestrator(`call_to_invocation:${task}:no_args`), id),
  to_call: (content, { id, task }) => content.set(orchestrator(`invocation_to_call:${id}`), `${task}:no_args`),
  status(content, { id, status, at }) {
    const record = { status, runner_id: FINAL.includes(status) ? null : "r", timestamp: isoFromEpoch(at) };
    content.set(orchestrator(`invocation_status:${id}`), pythonJson(record));
  },
  status_set: (content, { id, status }) => content.add(orchestrator(`status:${status}`), id),
  retries: (content, { id }) => content.set(orchestrator(`invocation_retries:${id}`), "1"),
  time: (content, { id, at }) => content.score(orchestrator("all_invocations_by_time"), id, at),
  task_time: (content, { id, at, task }) => content.score(orchestrator(`task_invocations_by_time:${task}`), id, at),
  history: (content, row) => content.push(state(`history:${row.id}`), entryOf(row)),
  history_time(content, row) {
    content.score(state("history_by_timestamp"), `${row.id}:${row.at}:${entryOf(row)}`, row.at);
  },
  queue: (content, { id }) => content.push(`${PREFIX}broker:default_queue`, id),
  purge_time: (content, { id, at }) => content.score(orchestrator("invocation_auto_purge"), id, at),
  result: (content, { id }) => content.set(state(`result:${id}`), "null"),
  exception(content, { id }) {
    content.set(state(`exception:${id}`), '{"error_name": "E", "pynenc_error": false, "error_data": "{}"}');
  },
  run(content, { id, task }) {
    const record = { workflow_id: id, workflow_type_key: task, parent_workflow_id: null };
    content.set(state(`workflow:run:${id}`), pythonJson(record));
    content.add(state("workflow:types"), task);
    content.add(state(`workflow:type_index:${task}`), id);
  },
} as const satisfies Record<string, (content: RedisContent, row: Invocation) => void>;

/** What else may lie there: of runners, waiting, the atomic service, values, events and triggers, each under the id of an invocation. */
const OTHERS = {
  heartbeat(content, { id, at }) {
    const fields = { creation_timestamp: String(at), last_heartbeat: String(at + 1), can_run_atomic_service: "1" };
    content.hash(orchestrator(`runner_heartbeat:${id}`), fields);
  },
  heartbeats: (content, { id, at }) => content.score(orchestrator("runner_heartbeats"), id, at),
  execution(content, { id, at }) {
    const [start_time, end_time] = [isoFromEpoch(at), isoFromEpoch(at + 1)];
    const record = { runner_id: "r", start_time, end_time, atomic_service_run_id: id, status: "completed", reason: "" };
    content.set(orchestrator(`atomic_service_execution:${id}`), pythonJson(record));
  },
  executions: (content, { id, at }) => content.score(orchestrator("atomic_service_executions"), id, at),
  waited_by: (content, { id, parent }) => content.add(blocking(`waited_by:${id}`), parent ?? "nobody"),
  waiting_for: (content, { id, parent }) => content.add(blocking(`waiting_for:${parent}`), id),
  all_waited: (content, { id, at }) => content.score(blocking("all_waited"), id, at),
  context(content, { id, parent }) {
    const of = (runner_id: string) => ({ hostname: "h", pid: 1, runner_cls: "R", runner_id, thread_id: 2 });
    const parent_ctx = parent === null ? {} : { parent_ctx: of(parent) };
    content.set(state(`runner_context:${id}`), pythonJson({ ...of(id), ...parent_ctx }));
  },
  sub_invocations: (content, { id, parent }) => content.add(state(`workflow:${parent}:sub_invocations`), id),
  workflow_data: (content, { id }) => content.set(state(`workflow:${id}:data:step:a`), "1"),
  value(content, { id }) {
    content.set(`${PREFIX}client_data_store:client_data_store:__pynenc__client_data__:${id}`, '"text"');
  },
  condition: (content, { id }) => content.set(trigger(`condition:${id}`), '{"condition_type": "CronCondition"}'),
  trigger(content, { id, task }) {
    const record = { trigger_id: id, task_id_key: task, condition_ids: [id], logic_value: "and" };
    content.set(trigger(`trigger:${id}`), pythonJson({ ...record, argument_provider_json: null }));
  },
  condition_triggers: (content, { id }) => content.add(trigger(`condition_triggers:${id}`), id),
  valid_condition: (content, { id }) => content.set(trigger(`valid_condition:${id}`), "{}"),
  source_tasks: (content, { id, task }) => content.add(trigger(`source_task_conditions:${task}`), id),
  event(content, { id, at, parent }) {
    const record = {
      ...{ event_id: id, event_code: "code", timestamp: isoFromEpoch(at), payload: {}, triggered_invocation_ids: [] },
      ...{ matched_condition_ids: [id], valid_condition_ids: [id], emitted_by_invocation_id: parent },
    };
    content.set(trigger(`evts_hash:${id}`), pythonJson(record));
  },
  event_times: (content, { id, at }) => content.score(trigger("evts_by_time"), id, at * 1000),
  event_codes: (content, { id, at }) => content.score(trigger("evts_by_code:code"), id, at * 1000),
  codes: (content) => content.add(trigger("evts_codes"), "code"),
  matched: (content, { id, at }) => content.score(trigger("evts_matched"), id, at * 1000),
  triggered: (content, { id, at }) => content.score(trigger("evts_triggered"), id, at * 1000),
  started: (content, { id, parent }) => content.push(trigger(`evts_triggered_invocations:${id}`), parent ?? "nobody"),
  trigger_run(content, { id, at, task, parent }) {
    const record = {
      ...{ trigger_run_id: id, trigger_id: id, task_id_key: task, logic_value: "and", triggered_invocation_id: parent },
      ...{ event_ids: [id], valid_condition_ids: [id], executed_at: isoFromEpoch(at), participants: [] },
    };
    content.set(trigger(`trun_hash:${id}`), pythonJson(record));
  },
  run_times: (content, { id, at }) => content.score(trigger("truns_by_time"), id, at * 1000),
  run_of_event: (content, { id }) => content.add(trigger(`truns_for_event:${id}`), id),
  run_of_invocation: (content, { id }) => content.add(trigger(`truns_for_invocation:${id}`), id),
} as const satisfies Record<string, (content: RedisContent, row: Invocation) => void>;

type Part = keyof typeof WRITERS;

const PARTS = Object.keys(WRITERS) as Part[];

type OtherPart = keyof typeof OTHERS;

const OTHER_PARTS = Object.keys(OTHERS) as OtherPart[];

/** The orchestrator's record and its indexes are one transaction of the plugin. */
const STATUS_PARTS: readonly Part[] = ["status", "status_set", "retries", "time", "task_time"];

function entryOf({ id, at, status, parent }: Invocation): string {
  const iso = isoFromEpoch(at);
  return historyJson(id, status, "r", "r", iso, iso, parent);
}

const idOf = (index: number) => `${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;

/** Instants repeat: ids of one instant have an order all the same. */
const invocations = fc
  .array(
    fc.record({
      seconds: fc.integer({ min: 0, max: 5 }),
      task: fc.constantFrom(...TASKS),
      status: fc.constantFrom(...STATUSES),
      parent: fc.option(fc.nat({ max: 8 })),
    }),
    { maxLength: 9 },
  )
  .map((rows) =>
    rows.map(
      ({ seconds, task, status, parent }, i): Invocation => ({
        id: idOf(i),
        at: BEGIN + seconds,
        task,
        status,
        // A parent that is not there dangles.
        parent: parent === null || parent === i ? null : idOf(parent),
      }),
    ),
  );

const FILTERS: StatusFilter[] = [
  ...STATUSES.map((status) => ({ statuses: [status] })),
  { statuses: ["registered", "success", "failed"] },
  ...TASKS.map((task_id_key) => ({ task_id_key })),
  { task_id_key: "odd:mod.c", statuses: ["success", "pending"] },
  { call_id_key: "odd:mod.c:no_args" },
  { call_id_key: "mod.a:no_args", statuses: FINAL },
  { id_prefix: "00000001" },
  { id_prefix: idOf(2) },
];

function meets(row: { invocation_id: string; status: string; task_id_key: string }, filter: StatusFilter): boolean {
  return (
    (filter.statuses?.includes(row.status) ?? true) &&
    (filter.task_id_key ?? row.task_id_key) === row.task_id_key &&
    (filter.call_id_key ?? `${row.task_id_key}:no_args`) === `${row.task_id_key}:no_args` &&
    row.invocation_id.startsWith(filter.id_prefix ?? "")
  );
}

interface HarmedWorld {
  rows: Invocation[];
  /** Of each row. */
  parts: Part[][];
  others: OtherPart[][];
  /** What lies instead at a key of so many. */
  harm: { key: number; kind: string }[];
}

describeWithRedis("reads of torn data in Redis", () => {
  let server: RedisServer;
  let store: Store;
  let app: AppStore;
  const read = <T>(fn: (reads: AppReads) => Promise<T>) => app.read(fn);
  /** One store for all worlds: what it remembers of one must not be told of the next. */
  const become = (content: RedisContent, wanted?: (key: string) => boolean) =>
    server.exchange([["FLUSHALL"], ...content.commands(wanted)]);
  beforeAll(async () => {
    server = await startRedis();
    store = storeOn(server);
    app = store.app(APP);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  it("return exactly what was written before a kill and left by a purge", async () => {
    // So many parts of it were written before the process was killed; then perhaps the plugin's own purge took away what it takes.
    const world = invocations.chain((rows) =>
      fc.record({
        rows: fc.constant(rows),
        written: fc.array(fc.integer({ min: 1, max: PARTS.length }), {
          minLength: rows.length,
          maxLength: rows.length,
        }),
        purged: fc.array(fc.boolean(), { minLength: rows.length, maxLength: rows.length }),
        lies: fc.array(fc.constantFrom(...STATUSES), { minLength: rows.length, maxLength: rows.length }),
      }),
    );
    const one = async ({
      rows,
      written,
      purged,
      lies,
    }: {
      rows: Invocation[];
      written: number[];
      purged: boolean[];
      lies: string[];
    }) => {
      const content = new RedisContent();
      const has = new Map<string, Set<Part>>();
      rows.forEach((row, i) => {
        const first = PARTS.slice(0, written[i]);
        const parts = new Set<Part>(first.includes("status") ? [...first, ...STATUS_PARTS] : first);
        if (parts.has("history")) parts.add("history_time");
        const gone: Part[] =
          purged[i] && FINAL.includes(row.status) ? ["status", "status_set", "task", "purge_time"] : [];
        for (const part of gone) parts.delete(part);
        has.set(row.id, parts);
        for (const part of parts) WRITERS[part](content, row);
        // Two changes at once leave an id in a set where it does not belong, for ever.
        if (parts.has("status")) content.add(`${PREFIX}orchestrator:status:${lies[i]}`, row.id);
      });
      await become(content);
      const having = (part: Part) => rows.filter((row) => has.get(row.id)?.has(part));
      const everybody = rows.map((row) => row.id);

      const expected = having("status").sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
      const whole = await read((reads) => reads.orchestrator.listInvocations({}, ALL));
      expect(whole.map((row) => row.invocation_id)).toEqual(expected.map((row) => row.id));
      for (const row of whole) {
        const origin = rows.find(({ id }) => id === row.invocation_id);
        expect([row.status, row.task_id_key, row.call_id_key]).toEqual([
          origin?.status,
          origin?.task,
          `${origin?.task}:no_args`,
        ]);
      }
      for (const filter of FILTERS) {
        const listed = await read((reads) => reads.orchestrator.listInvocations(filter, ALL));
        expect(listed).toEqual(whole.filter((row) => meets(row, filter)));
        const paged = await read((reads) => reads.orchestrator.listInvocations(filter, { limit: 2, offset: 1 }));
        expect(paged).toEqual(listed.slice(1, 3));
        const [head] = listed;
        const after = await read((reads) => reads.orchestrator.listInvocations(filter, ALL, head?.cursor));
        expect(after).toEqual(head === undefined ? listed : listed.slice(1));
        expect(await read((reads) => reads.orchestrator.countInvocations(filter, 1_000))).toBe(listed.length);
      }
      const { counts, pairs, tasks, found, defined, definitions, history, spans, children, queue } = await read(
        async ({ orchestrator, state_backend, broker }) => ({
          counts: await orchestrator.countByStatus(),
          pairs: await orchestrator.countByTaskAndStatus(),
          tasks: await orchestrator.taskKeys(),
          found: await orchestrator.statusesByIds(everybody),
          defined: await state_backend.countDefined(),
          definitions: await state_backend.invocationsByIds(everybody),
          history: await state_backend.historyOf(everybody, 1_000),
          spans: await state_backend.historySpanOf(everybody),
          children: await state_backend.childrenOf(everybody, 1_000),
          queue: await broker.peekMessages(ALL),
        }),
      );
      expect(counts).toEqual(tally(whole.map((row) => row.status)));
      expect(tally(pairs.flatMap((pair) => Array(pair.count).fill(`${pair.task_id_key} ${pair.status}`)))).toEqual(
        tally(whole.map((row) => `${row.task_id_key} ${row.status}`)),
      );
      expect(tasks).toEqual([...new Set(whole.map((row) => row.task_id_key))].sort());
      const ids = (of: readonly { invocation_id: string }[]) => of.map((row) => row.invocation_id).sort();
      const idsOf = (part: Part) => having(part).map((row) => row.id);
      expect(ids(found)).toEqual(idsOf("status"));
      expect([defined, ids(definitions)]).toEqual([idsOf("definition").length, idsOf("definition")]);
      // Without a filter by their own keys, with one by the set that names them.
      const listed = async (filter: Parameters<AppReads["state_backend"]["listDefined"]>[0]) =>
        ids(await read((reads) => reads.state_backend.listDefined(filter, { limit: 1_000, offset: 0 })));
      const definedWith = (part: Part, wanted: (row: Invocation) => boolean) =>
        having("definition")
          .filter((row) => has.get(row.id)?.has(part) && wanted(row))
          .map((row) => row.id);
      expect(await listed({})).toEqual(idsOf("definition"));
      expect(await listed({ parent_invocation_id: idOf(1) })).toEqual(
        definedWith("children", (row) => row.parent === idOf(1)),
      );
      expect(await listed({ workflow_id: idOf(2) })).toEqual(definedWith("workflow", (row) => row.id === idOf(2)));
      for (const task of TASKS) {
        const here = (row: Invocation) => row.task === task;
        expect(await listed({ workflow_type_key: task })).toEqual(definedWith("workflow", here));
      }
      expect([ids(history), ids(spans)]).toEqual([idsOf("history"), idsOf("history")]);
      expect(queue.map((message) => message.invocation_id)).toEqual(idsOf("queue"));
      expect(children.map((row) => `${row.parent_id} ${row.invocation_id}`).sort()).toEqual(
        having("children")
          .filter((row) => row.parent !== null && everybody.includes(row.parent))
          .map((row) => `${row.parent} ${row.id}`)
          .sort(),
      );
    };
    await fc.assert(fc.asyncProperty(world, one), { numRuns: 60 });
  });

  it("never fail, whatever is missing, garbled or of another type", async () => {
    const world = invocations.chain((rows) =>
      fc.record({
        rows: fc.constant(rows),
        parts: fc.array(fc.subarray(PARTS), { minLength: rows.length, maxLength: rows.length }),
        others: fc.array(fc.subarray(OTHER_PARTS), { minLength: rows.length, maxLength: rows.length }),
        harm: fc.array(
          fc.record({
            key: fc.nat(),
            kind: fc.constantFrom(
              "no JSON",
              "[]",
              "null",
              "{}",
              '{"status": 5, "timestamp": "yesterday"}',
              "list",
              "set",
            ),
          }),
          { maxLength: 6 },
        ),
      }),
    );
    const one = async ({ rows, parts, others, harm }: HarmedWorld) => {
      const content = new RedisContent();
      rows.forEach((row, i) => {
        for (const part of parts[i] ?? []) WRITERS[part](content, row);
        for (const part of others[i] ?? []) OTHERS[part](content, row);
      });
      await become(content);
      const keys = content.keys;
      for (const { key, kind } of keys.length === 0 ? [] : harm) {
        const name = keys[key % keys.length] ?? "";
        const value =
          kind === "list" ? ["RPUSH", name, "x"] : kind === "set" ? ["SADD", name, "x"] : ["SET", name, kind];
        await server.exchange([["DEL", name], value]);
      }
      const everything = await everythingOf(app);
      const listed = everything.statuses.map((row) => row.invocation_id);
      expect(new Set(listed).size).toBe(listed.length);
      for (const filter of FILTERS) {
        const some = await read((reads) => reads.orchestrator.listInvocations(filter, ALL));
        // Nothing but an index may tell the task of some; their rows say none, or what stands in its place.
        expect(some.filter((row) => TASKS.includes(row.task_id_key) && !meets(row, filter))).toEqual([]);
        expect(new Set(some.map((row) => row.invocation_id)).size).toBe(some.length);
        expect(await read((reads) => reads.orchestrator.countInvocations(filter, 1_000))).toBe(some.length);
      }
      const everybody = rows.map((row) => row.id);
      const { counts, events, runs, executions, edges, values } = await read(
        async ({ orchestrator, state_backend, broker, trigger, client_data_store, layout, ids }) => ({
          counts: await orchestrator.countByStatus(),
          others: [
            await orchestrator.countByTaskAndStatus(),
            await orchestrator.lastActivityOfTasks(TASKS),
            await orchestrator.pendingSince(BEGIN + 10, 10),
            await orchestrator.ownedByDeadRunner(["running"], BEGIN + 10, 10),
            await orchestrator.blockingEdges({ limit: 10, offset: 0 }, idOf(0)),
            await ids.runnersLike(["r"], "anywhere", 10),
            await state_backend.historySpanOf(everybody),
            await state_backend.listActive({}, 10, 100),
            await state_backend.listActive({ by: { runner_id: "r", role: "worker" } }, 10, 100),
            await state_backend.childrenOf(everybody, { each: 2 }),
            await state_backend.listDefined({ workflow_id: idOf(1) }, { limit: 10, offset: 0 }),
            await state_backend.listDefined({ workflow_type_key: "mod.a" }, { limit: 10, offset: 0 }),
            await state_backend.listDefined({ parent_invocation_id: idOf(1) }, { limit: 10, offset: 0 }),
            await state_backend.workflowTypes(),
            await state_backend.workflowMembers(idOf(1), ALL),
            await state_backend.subWorkflows(idOf(1), 10),
            await state_backend.historyBetween({ from: BEGIN }, 10, "latest"),
            await state_backend.lastEntriesBefore(everybody, BEGIN + 3),
            await state_backend.historySpan(),
            await broker.messagesOf(everybody),
            await trigger.eventCounters(),
            await trigger.triggeredTasks(),
            await trigger.listEvents({ event_code: "code", matched: true, triggered: false }, ALL),
            await trigger.listEvents({ from: BEGIN + 1, to: BEGIN + 4, triggered: true }, ALL, "oldest"),
            await trigger.eventCodes(10),
            await trigger.eventsEmittedBy(everybody, { each: 2 }),
            await trigger.triggerRunsOf("event", everybody, 100),
            await trigger.triggerRunsOf("triggered_invocation", everybody, 100),
            await trigger.listTriggerRuns({ task_id_key: "mod.a" }, ALL),
            await trigger.conditionsByIds(everybody),
            await trigger.triggers({ by: "condition_id", ids: everybody }, { limit: 10, offset: 0 }),
            await trigger.validConditionsByIds(everybody),
            await state_backend.workflowData(idOf(1), ALL),
            await state_backend.runnerContexts(everybody),
            await state_backend.listRunnerContexts(ALL, idOf(1)),
            await layout.capabilities(),
          ],
          events: (await trigger.countEvents([{}], 1_000))[0],
          runs: await trigger.countTriggerRuns({}, 1_000),
          executions: totalOf(await orchestrator.countExecutions()),
          edges: await orchestrator.countBlockingEdges(),
          values: (await client_data_store.figures()).values,
        }),
      );
      expect(counts).toEqual(tally(everything.statuses.map((row) => row.status)));
      expect(edges).toBe(everything.edges.length);
      // Counted by indexes and names, behind some of which is no record; nothing is listed that is not counted.
      expect(values).toBeGreaterThanOrEqual(everything.values.length);
      expect(events).toBeGreaterThanOrEqual(everything.events.length);
      expect(runs).toBeGreaterThanOrEqual(everything.trigger_runs.length);
      expect(executions).toBeGreaterThanOrEqual(everything.executions.length);
    };
    await fc.assert(fc.asyncProperty(world, one), { numRuns: 80 });
  });
});

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
