/** What real runners wrote, one of which was killed while it worked, as read by the ports: all facts, not samples. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InvocationRecord, InvocationStatusRecord } from "../../../src/pynenc/records.ts";
import type { Slice } from "../../../src/stores/ports/common.ts";
import type { AppReads, AppStore, Store } from "../../../src/stores/ports/store.ts";
import { REDIS_FACTS, REDIS_PRESENT, REDIS_RDB, redisFactsOf } from "../../support/redis-facts.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../support/redis-server.ts";
import { storeOn } from "../../support/redis-store.ts";

const ALL: Slice = { limit: 10_000, offset: 0 };
const MANY = 10_000;

const CHAIN = "37f1ab6e-cb55-4791-846b-3675ab55d3a8";
const TORN_ROOT = "5f8bcf72-b487-446f-81e0-acc59ef4e6d5";
const LIVE_WORKFLOW = "ebfd6e87-22c1-4f42-8deb-a354c6ed8a1b";
const NEVER_RUN = "8137befa-e4a7-44f3-99fa-bbd772017aa5";
const KILLED_RUNNER = "26b5c471-8df7-4231-925f-76dfe40a3cfe";

describeWithRedis("the real data of a Redis server", () => {
  let server: RedisServer;
  let store: Store;
  beforeAll(async () => {
    server = await startRedis({ rdb: REDIS_RDB });
    store = storeOn(server);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  it("has three registered apps with their own settings", async () => {
    const apps = await store.apps();
    expect(apps.map((app) => [app.app_id, app.phantom])).toEqual(
      ["kitchen-sink.two/β", "kitchen_sink", "sink[3]*?"].map((id) => [id, false]),
    );
    expect(apps.map((app) => [app.info?.module, app.info?.config_values])).toEqual([
      ["tasks2", null],
      ["shop.orders.jobs", null],
      ["tasks3", null],
    ]);
    expect(await store.app("kitchen_sink").read((reads) => reads.state_backend.appInfo())).toEqual({
      app_id: "kitchen_sink",
      config_values: null,
      config_filepath: null,
      module: "shop.orders.jobs",
      module_filepath: "/srv/kitchen_sink/shop/orders/jobs.py",
      app_variable: "app",
    });
  });

  describe.each(Object.keys(REDIS_FACTS))("%s", (appId) => {
    const facts = redisFactsOf(appId);
    const torn = Object.keys(facts.torn);
    let app: AppStore;
    let statuses: InvocationStatusRecord[];
    let definitions: InvocationRecord[];
    /** With a status. */
    let ids: string[];
    const read = <T>(fn: (reads: AppReads) => Promise<T>) => app.read(fn);
    beforeAll(async () => {
      app = store.app(appId);
      statuses = await read((reads) => reads.orchestrator.listInvocations({}, ALL));
      ids = statuses.map((row) => row.invocation_id);
      definitions = await read((reads) => reads.state_backend.invocationsByIds([...ids, ...torn]));
    });

    it("counts invocations by status and by task", async () => {
      const { counts, byTask, keys, whole, defined } = await read(async ({ orchestrator, state_backend }) => ({
        counts: await orchestrator.countByStatus(),
        byTask: await orchestrator.countByTaskAndStatus(),
        keys: await orchestrator.taskKeys(),
        whole: await orchestrator.countInvocations({}, MANY),
        defined: await state_backend.countDefined(),
      }));
      expect(counts).toEqual(facts.statuses);
      expect(tally(byTask.flatMap((row) => Array(row.count).fill(row.status)))).toEqual(facts.statuses);
      expect(tally(definitions.map((record) => record.task_id_key))).toEqual(facts.tasks);
      expect(tally(byTask.flatMap((row) => Array(row.count).fill(row.task_id_key)))).toEqual(
        tally(statuses.map((row) => row.task_id_key)),
      );
      expect(keys).toEqual(Object.keys(facts.tasks).sort());
      expect([whole, defined]).toEqual([facts.with_status, facts.defined]);
    });

    it("lists invocations with a status, the newest registration first", async () => {
      expect(new Set(ids).size).toBe(facts.with_status);
      expect(tally(statuses.map((row) => row.status))).toEqual(facts.statuses);
      expect(ids.filter((id) => torn.includes(id))).toEqual([]);
      if (facts.newest !== undefined) expect(ids.slice(0, facts.newest.length)).toEqual(facts.newest);
      if (facts.oldest !== undefined) expect(ids.at(-1)).toBe(facts.oldest);
      for (const [status, count] of Object.entries(facts.statuses)) {
        const expected = statuses.filter((row) => row.status === status).map((row) => row.invocation_id);
        const listed = await read((reads) => reads.orchestrator.listInvocations({ statuses: [status] }, ALL));
        expect(listed.map((row) => row.invocation_id)).toEqual(expected);
        expect(expected).toHaveLength(count);
      }
      for (const task_id_key of Object.keys(facts.tasks)) {
        const expected = statuses.filter((row) => row.task_id_key === task_id_key).map((row) => row.invocation_id);
        const listed = await read((reads) => reads.orchestrator.listInvocations({ task_id_key }, ALL));
        expect(listed.map((row) => row.invocation_id)).toEqual(expected);
      }
    });

    it("has the recorded statuses and owners of invocations that are not final", async () => {
      const open = await read((reads) =>
        reads.orchestrator.statusesByIds(facts.not_final.map((one) => one.invocation_id)),
      );
      const found = new Map(open.map((row) => [row.invocation_id, row]));
      const byId = new Map(definitions.map((record) => [record.invocation_id, record]));
      for (const one of facts.not_final) {
        expect(found.get(one.invocation_id)).toMatchObject({
          status: one.status,
          task_id_key: one.task_id_key,
          status_runner_id: one.runner_id,
          auto_purge_timestamp: null,
        });
        expect(found.get(one.invocation_id)?.status_timestamp).toBeCloseTo(one.since, 2);
        expect(byId.get(one.invocation_id)).toMatchObject({
          serialized_arguments: one.arguments,
          parent_invocation_id: one.parent,
          parent_event_id: null,
        });
      }
      const final = statuses.filter((row) => row.auto_purge_timestamp !== null);
      expect(final).toHaveLength(facts.with_status - facts.not_final.length);
    });

    it("has the recorded numbers of retries", () => {
      const retried = statuses
        .filter((row) => row.retry_count !== 0)
        .map((row) => [row.invocation_id, row.retry_count]);
      expect(Object.fromEntries(retried)).toEqual(facts.retries);
    });

    it("shows the queue in the order in which runners take it, and which invocations are not in it", async () => {
      const { messages, length, queued } = await read(async ({ broker }) => ({
        messages: await broker.peekMessages(ALL),
        length: await broker.countMessages(),
        queued: (await broker.messagesOf(ids)).map((message) => message.invocation_id),
      }));
      expect(messages).toEqual(
        facts.queue.map((invocation_id) => ({ invocation_id, queued_at: null, queue_name: null, priority: null })),
      );
      expect(length).toBe(facts.queue.length);
      expect([...queued].sort()).toEqual([...facts.queue].sort());
    });

    it("has the whole history, by invocation and by time", async () => {
      const { history, spans, count, span, between } = await read(async ({ state_backend }) => ({
        history: await state_backend.historyOf([...ids, ...torn], MANY),
        spans: await state_backend.historySpanOf([...ids, ...torn]),
        count: await state_backend.countHistory({}),
        span: await state_backend.historySpan(),
        between: await state_backend.historyBetween({}, MANY, "earliest"),
      }));
      expect(tally(history.map((entry) => entry.status))).toEqual(facts.history_by_status);
      expect(history).toHaveLength(facts.history_entries);
      expect(count).toEqual({ entries: facts.history_entries, exact: true });
      expect(spans).toHaveLength(facts.with_history);
      expect([span?.first, span?.last]).toEqual(facts.window.map((at) => expect.closeTo(at, 5)));
      const byRow = (rows: typeof history) => rows.map((row) => JSON.stringify(row)).sort();
      expect(byRow(between)).toEqual(byRow(history));
      // A list is in the order of insertion, which here and there is not that of time.
      expect(between.every((entry, i) => i === 0 || entry.written_at >= (between[i - 1]?.written_at ?? 0))).toBe(true);
      // Statuses are the truth, and the last entry of each history agrees with them here.
      const status = new Map(statuses.map((row) => [row.invocation_id, row.status]));
      expect(spans.filter((row) => row.last.status !== status.get(row.invocation_id))).toEqual([]);
      for (const minute of facts.per_minute ?? []) {
        const window = { from: minute.from, to: minute.from + 59.999999 };
        const entries = await read((reads) => reads.state_backend.historyBetween(window, MANY, "latest"));
        expect(entries).toHaveLength(minute.entries);
        expect(new Set(entries.map((entry) => entry.invocation_id)).size).toBe(minute.invocations);
        const counted = await read((reads) => reads.state_backend.countHistory(window));
        expect(counted).toEqual({ entries: minute.entries, exact: true });
      }
    });

    it("has the recorded results and exceptions, some of them by reference", async () => {
      const [results, exceptions] = await read(({ state_backend }) =>
        Promise.all([
          state_backend.outcomesOf(["result"], [...ids, ...torn]),
          state_backend.outcomesOf(["exception"], [...ids, ...torn]),
        ]),
      );
      expect(results.map((row) => row.invocation_id).sort()).toEqual(
        statuses
          .filter((row) => row.status === "success")
          .map((row) => row.invocation_id)
          .sort(),
      );
      expect(results).toHaveLength(facts.results);
      expect(results.filter((row) => row.stored.startsWith("__pynenc__client_data__:"))).toHaveLength(
        facts.results_by_reference,
      );
      expect(
        Object.fromEntries(
          exceptions.map((row) => [row.invocation_id, (JSON.parse(row.stored) as { error_name: string }).error_name]),
        ),
      ).toEqual(facts.exceptions);
    });

    it("has the recorded externalised values", async () => {
      const { listed, figures, whole } = await read(async ({ client_data_store }) => {
        const values = await client_data_store.listValues(ALL);
        return {
          listed: values,
          figures: await client_data_store.figures(),
          whole: await client_data_store.valuesByKeys(
            values.map((value) => value.data_key),
            1_000_000,
          ),
        };
      });
      const hash = (reference: string) => reference.replace("__pynenc__client_data__:", "").slice(0, 8);
      expect(Object.fromEntries(whole.map((value) => [hash(value.data_key), value.text.length]))).toEqual(
        facts.client_data,
      );
      expect(listed).toHaveLength(Object.keys(facts.client_data).length);
      expect(figures).toEqual({
        values: listed.length,
        bytes: listed.reduce((bytes, value) => bytes + value.size, 0),
        oldest: null,
        newest: null,
      });
      const references = definitions.flatMap(
        (record) => record.serialized_arguments.match(/"__pynenc__client_data__:[0-9a-f]{64}"/g) ?? [],
      );
      expect(references).toHaveLength(facts.arguments_by_reference);
    });

    it("walks families even if members are missing", async () => {
      const roots = definitions.filter((record) => record.parent_invocation_id === null);
      expect(roots).toHaveLength(facts.roots);
      const ofRoots = await read(({ state_backend }) =>
        state_backend.childrenOf(
          roots.map((record) => record.invocation_id),
          MANY,
        ),
      );
      expect(new Set(ofRoots.map((row) => row.parent_id)).size).toBe(facts.roots_with_children);
      for (const { root, task, members, depth } of facts.families) {
        const levels = await familyOf(app, root);
        expect([root, levels.flat().length, levels.length - 1]).toEqual([root, members, depth]);
        const [record] = await read((reads) => reads.state_backend.invocationsByIds([root]));
        expect(record?.task_id_key).toBe(task);
      }
    });

    it("counts workflow runs and their values", async () => {
      const { types, runs, counted } = await read(async ({ state_backend }) => ({
        types: await state_backend.workflowTypes(),
        runs: await state_backend.workflowRuns(ALL),
        counted: await state_backend.countWorkflowData(Object.keys(facts.workflow_data)),
      }));
      expect(types).toEqual(
        Object.entries(facts.workflow_types)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([workflow_type_key, count]) => ({ workflow_type_key, runs: count })),
      );
      expect(runs).toHaveLength(facts.workflow_runs);
      expect(tally(runs.map((run) => run.workflow_type_key))).toEqual(facts.workflow_types);
      expect(tally(runs.filter((run) => run.parent_workflow_id !== null).map((run) => run.workflow_type_key))).toEqual(
        facts.sub_workflows,
      );
      expect(new Set(definitions.map((record) => record.workflow_id)).size).toBe(facts.workflow_ids);
      expect(counted).toEqual(facts.workflow_data);
      for (const [id, count] of Object.entries(facts.workflow_data)) {
        const data = await read((reads) => reads.state_backend.workflowData(id, ALL));
        expect(data).toHaveLength(count);
        expect(data.map((row) => row.data_key)).toEqual(data.map((row) => row.data_key).sort());
      }
      for (const run of runs.filter((one) => one.parent_workflow_id !== null)) {
        const below = await read((reads) => reads.state_backend.subWorkflows(run.parent_workflow_id ?? "", 100));
        expect(below).toContainEqual(run);
      }
    });

    it("has the recorded runners, with contexts and heartbeats", async () => {
      const { contexts, count, heartbeats, alive } = await read(async ({ state_backend, orchestrator }) => ({
        contexts: await state_backend.listRunnerContexts(ALL),
        count: await state_backend.countRunnerContexts("all"),
        heartbeats: await orchestrator.heartbeats(ALL),
        alive: await orchestrator.countHeartbeats(),
      }));
      expect(tally(contexts.map((context) => context.runner_cls))).toEqual(facts.runner_contexts);
      expect(count).toBe(contexts.length);
      const parents = contexts.flatMap((context) => context.parent_ctx_id ?? []);
      expect(parents).toHaveLength(facts.contexts_with_parent);
      const known = new Set(contexts.map((context) => context.runner_id));
      expect(parents.filter((id) => !known.has(id))).toEqual([]);
      expect([heartbeats.length, alive]).toEqual([facts.heartbeats, facts.heartbeats]);
      expect(heartbeats.filter((row) => row.allow_to_run_atomic_service)).toHaveLength(facts.heartbeats_for_service);
      expect(heartbeats.filter((row) => row.last_service_end !== null)).toHaveLength(facts.heartbeats_with_service);
      const beating = new Set(heartbeats.map((row) => row.runner_id));
      expect(
        contexts
          .map((context) => context.runner_id)
          .filter((id) => !beating.has(id))
          .sort(),
      ).toEqual([...facts.without_heartbeat].sort());
      for (const { runner_id, runner_cls, created, last, service } of facts.runners) {
        const [heartbeat] = await read((reads) => reads.orchestrator.heartbeatsByIds([runner_id]));
        expect(heartbeat).toMatchObject({
          creation_timestamp: expect.closeTo(created, 2),
          last_heartbeat: expect.closeTo(last, 2),
          allow_to_run_atomic_service: service,
        });
        const [context] = await read((reads) => reads.state_backend.runnerContexts([runner_id]));
        expect(context?.runner_cls).toBe(runner_cls);
        for (const parent of new Set(parents)) {
          const children = await read((reads) => reads.state_backend.listRunnerContexts(ALL, parent));
          expect(children).toHaveLength(parents.filter((id) => id === parent).length);
        }
      }
    });

    it.runIf(facts.repeated_calls !== undefined)("has the recorded calls that were made more than once", async () => {
      const byCall = tally(definitions.map((record) => record.call_id_key));
      const repeated = Object.entries(byCall).filter(([, count]) => count > 1);
      expect(repeated).toHaveLength(facts.repeated_calls ?? 0);
      for (const { call, invocations } of facts.most_repeated ?? []) {
        const [key = ""] = repeated.find(([one]) => one.startsWith(call)) ?? [];
        const listed = await read((reads) => reads.orchestrator.listInvocations({ call_id_key: key }, ALL));
        expect([call, listed.length]).toEqual([call, invocations]);
      }
    });

    it("has the recorded triggers and conditions, and no events", async () => {
      const { triggers, counts, valid, events, capabilities } = await read(async ({ trigger, layout }) => ({
        triggers: await trigger.triggers({}, ALL),
        counts: await trigger.countDefinitions(),
        valid: await trigger.countValidConditions(),
        events: await trigger.eventCounters(),
        capabilities: await layout.capabilities(),
      }));
      expect(triggers).toHaveLength(facts.triggers);
      expect(counts).toEqual({ triggers: facts.triggers, conditions: facts.conditions });
      expect(valid).toBe(facts.valid_conditions);
      expect(events).toBeNull();
      expect(capabilities).toMatchObject({
        events: false,
        executions: false,
        queue_peek: true,
        consumed_queues: false,
        queue_shared: false,
        purge_is_atomic: false,
        writes_refused: null,
      });
      expect(Object.values(capabilities.components)).toEqual(Array(5).fill(true));
      const conditionIds = [...new Set(triggers.flatMap((trigger) => trigger.condition_ids))];
      const conditions = await read((reads) => reads.trigger.conditionsByIds(conditionIds));
      expect(
        tally(conditions.map((row) => (JSON.parse(row.condition_json) as { condition_type: string }).condition_type)),
      ).toEqual(facts.condition_types);
      const crons = conditions.filter((row) => row.last_cron_execution !== null);
      expect(Object.fromEntries(crons.map((row) => [row.condition_id, row.last_cron_execution]))).toEqual(
        Object.fromEntries(Object.entries(facts.cron).map(([id, at]) => [id, expect.closeTo(at, 5)])),
      );
    });

    it("answers for invocations torn by a kill with what is left of them", async () => {
      const definedTorn = definitions.filter((record) => torn.includes(record.invocation_id));
      expect(definedTorn.map((record) => [record.invocation_id, record.parent_invocation_id]).sort()).toEqual(
        Object.entries(facts.torn).sort(),
      );
      const { found, history, spans } = await read(async ({ orchestrator, state_backend }) => ({
        found: await orchestrator.statusesByIds(torn),
        history: await state_backend.historyOf([...torn, ...facts.without_history], MANY),
        spans: await state_backend.historySpanOf([...torn, ...facts.without_history]),
      }));
      expect([found, history, spans]).toEqual([[], [], []]);
      for (const [id, parent] of Object.entries(facts.torn)) {
        const children = await read((reads) => reads.state_backend.childrenOf([parent], MANY));
        expect(children.map((row) => row.invocation_id)).toContain(id);
        const defined = await read((reads) =>
          reads.state_backend.listDefined({ parent_invocation_id: parent }, { limit: MANY, offset: 0 }),
        );
        expect(defined.map((row) => row.invocation_id)).toContain(id);
        expect(await read((reads) => reads.state_backend.countDefined(parent))).toBe(children.length);
      }
      for (const id of facts.without_history)
        expect(statuses.find((row) => row.invocation_id === id)?.status).toBe("registered");
    });
  });

  describe("kitchen_sink at different instants", () => {
    const facts = redisFactsOf("kitchen_sink");
    const at = (clock: string) => Date.parse(`2026-11-21T${clock}Z`) / 1000;
    let app: AppStore;
    beforeAll(() => {
      app = store.app("kitchen_sink");
    });
    const read = <T>(fn: (reads: AppReads) => Promise<T>) => app.read(fn);

    it("has a stuck pending invocation from the right instant on", async () => {
      const pending = facts.not_final.filter((one) => one.status === "pending").map((one) => one.invocation_id);
      const stuckAt = async (now: number, seconds: number) =>
        (await read((reads) => reads.orchestrator.pendingSince(now - seconds, 100))).map((row) => row.invocation_id);
      expect(await stuckAt(at("01:03:45.858"), 5)).toEqual([]);
      expect(await stuckAt(at("01:03:45.861"), 5)).toEqual(pending);
      expect(await stuckAt(at("01:03:44.861"), 4)).toEqual(pending);
      expect(pending).toHaveLength(1);
    });

    it("has stuck invocations of the killed runner from the right instant on", async () => {
      const owned = (status: string) =>
        facts.not_final
          .filter((one) => one.status === status && one.runner_id === KILLED_RUNNER)
          .sort((a, b) => a.since - b.since)
          .map((one) => one.invocation_id);
      const stuckAt = async (status: "running" | "paused", now: number, minutes: number) =>
        (await read((reads) => reads.orchestrator.ownedByDeadRunner([status], now - minutes * 60, 100))).map(
          (row) => row.invocation_id,
        );
      expect(owned("running")).toHaveLength(6);
      expect(await stuckAt("running", at("01:13:40.477"), 10)).toEqual([]);
      expect(await stuckAt("running", at("01:13:40.480"), 10)).toEqual(owned("running"));
      expect(await stuckAt("running", at("01:03:49.477"), 0.15)).toEqual([]);
      expect(await stuckAt("running", at("01:03:49.480"), 0.15)).toEqual(owned("running"));
      expect(await stuckAt("paused", at("01:13:40.480"), 10)).toEqual(owned("paused"));
    });

    it("has the right active runners", async () => {
      const activeAt = (now: number) => read((reads) => reads.orchestrator.heartbeats(ALL, now - 600));
      const all = await activeAt(REDIS_PRESENT);
      expect(all).toHaveLength(29);
      expect([all.at(-1)?.last_heartbeat, all[0]?.last_heartbeat]).toEqual([
        expect.closeTo(at("01:01:42.139"), 2),
        expect.closeTo(at("01:03:41.560"), 2),
      ]);
      expect(all.every((row, i) => i === 0 || row.last_heartbeat <= (all[i - 1]?.last_heartbeat ?? 0))).toBe(true);
      const later = at("01:13:41.000");
      expect((await activeAt(later)).map((row) => row.runner_id)).toEqual(["74e16e57-72f6-4b5f-b905-6503e759915d"]);
      expect(await read((reads) => reads.orchestrator.countHeartbeats(later - 600))).toBe(1);
    });
  });

  describe("kitchen_sink in detail", () => {
    let app: AppStore;
    beforeAll(() => {
      app = store.app("kitchen_sink");
    });
    const read = <T>(fn: (reads: AppReads) => Promise<T>) => app.read(fn);

    it("has the recorded waits, also those of which the killed runner left only half", async () => {
      const expected = [
        ["012e9c75-76b9-433b-901e-8693fb62ad80", "dda71b04-f13e-4d80-ad84-49f29fbd845e"],
        [TORN_ROOT, "4135dd35-1e8b-49d3-b7f8-b8b32b441ab5"],
        [LIVE_WORKFLOW, NEVER_RUN],
      ];
      const pairs = (edges: readonly { waiter_id: string; waited_id: string }[]) =>
        edges.map((edge) => [edge.waiter_id, edge.waited_id]).sort();
      expect(pairs(await read((reads) => reads.orchestrator.blockingEdges(ALL)))).toEqual(expected);
      expect(await read((reads) => reads.orchestrator.countBlockingEdges())).toBe(3);
      for (const pair of expected)
        for (const side of pair)
          expect(
            pairs(await read((reads) => reads.orchestrator.blockingEdges({ limit: 10, offset: 0 }, side))),
          ).toEqual([pair]);
    });

    it("has a family tree in which most members are torn", async () => {
      const [root, branches = [], leaves = []] = await familyOf(app, TORN_ROOT);
      expect([root, branches.length, leaves.length]).toEqual([[TORN_ROOT], 3, 9]);
      const members = [TORN_ROOT, ...branches, ...leaves];
      const { statuses, spans, definitions } = await read(async ({ orchestrator, state_backend }) => ({
        statuses: await orchestrator.statusesByIds(members),
        spans: await state_backend.historySpanOf(members),
        definitions: await state_backend.invocationsByIds(members),
      }));
      expect(definitions).toHaveLength(13);
      expect(statuses).toHaveLength(13 - 5);
      expect(spans).toHaveLength(13 - 5 - 3);
      expect(statuses.filter((row) => branches.includes(row.invocation_id)).map((row) => row.status)).toEqual(
        Array(3).fill("running"),
      );
    });

    it("has a family of five levels", async () => {
      const levels = await familyOf(app, CHAIN);
      expect(levels.map((level) => level.length)).toEqual([1, 1, 1, 1, 1]);
    });

    it("has a live workflow whose sub-workflow never ran", async () => {
      const { runs, below, children, statuses } = await read(async ({ orchestrator, state_backend }) => ({
        runs: await state_backend.workflowRuns(ALL, { workflow_ids: [LIVE_WORKFLOW, NEVER_RUN] }),
        below: await state_backend.subWorkflows(LIVE_WORKFLOW, 100),
        children: await state_backend.childrenOf([LIVE_WORKFLOW], MANY),
        statuses: await orchestrator.statusesByIds([LIVE_WORKFLOW, NEVER_RUN]),
      }));
      expect(runs.map((run) => [run.workflow_id, run.workflow_type_key])).toEqual([[LIVE_WORKFLOW, "tasks.wf_outer"]]);
      expect(below).toEqual([]);
      expect(children.map((row) => row.invocation_id)).toContain(NEVER_RUN);
      expect(Object.fromEntries(statuses.map((row) => [row.invocation_id, row.status]))).toEqual({
        [LIVE_WORKFLOW]: "running",
        [NEVER_RUN]: "registered",
      });
    });

    it("has workflows within workflows, three levels deep", async () => {
      const runs = await read((reads) => reads.state_backend.workflowRuns(ALL));
      const parent = new Map(runs.map((run) => [run.workflow_id, run.parent_workflow_id]));
      const deep = runs.filter((run) => parent.get(run.parent_workflow_id ?? "") != null);
      expect(deep).toHaveLength(4);
      const below = async (id: string) =>
        (await read((reads) => reads.state_backend.subWorkflows(id, 100))).map((run) => run.workflow_id);
      expect(await below("30da3dd1-e24b-411b-800d-94503b9ee672")).toContain("654a1c8a-1893-4184-8739-28cc16f5482b");
      expect(await below("654a1c8a-1893-4184-8739-28cc16f5482b")).toContain("f233b3e7-cf26-4188-ac81-ff8c6f3381d8");
      const byEvent = runs.find((run) => run.workflow_id.startsWith("77017bc7"));
      expect(byEvent?.parent_workflow_id).toMatch(/^9d645eb5/);
    });

    it("has results as jsonpickle wrote them", async () => {
      const echoes = await read(async ({ orchestrator, state_backend }) => {
        const rows = await orchestrator.listInvocations({ task_id_key: "tasks.echo" }, ALL);
        return state_backend.outcomesOf(
          ["result"],
          rows.map((row) => row.invocation_id),
        );
      });
      expect(echoes.map((row) => row.stored)).toEqual(
        expect.arrayContaining(["null", "true", "3.5", "Infinity", '""', expect.stringContaining("py/tuple")]),
      );
    });
  });
});

/** Ids of a family by level, from the root on. */
async function familyOf(app: AppStore, root: string): Promise<string[][]> {
  const levels = [[root]];
  for (let level = levels[0] ?? []; level.length > 0; ) {
    const children = await app.read((reads) => reads.state_backend.childrenOf(level, MANY));
    level = children.map((row) => row.invocation_id);
    if (level.length > 0) levels.push(level);
  }
  return levels;
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
