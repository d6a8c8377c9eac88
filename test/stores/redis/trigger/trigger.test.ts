/** Definitions of the real data; events and trigger runs in the keys of a newer plugin, which the tests write. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EventSummary } from "../../../../src/pynenc/records.ts";
import { epochFromIso, isoFromEpoch } from "../../../../src/pynenc/time.ts";
import type { EventFilter, TriggerReads, TriggerRunFilter } from "../../../../src/stores/ports/trigger.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { fixturePath } from "../../../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const ALL = { limit: 10_000, offset: 0 };
const NOBODY = ["no-such-id", "", "*", "日本"];

/** An event of a test. */
interface Emitted {
  id: string;
  code: string;
  /** Microseconds since the start of the test's world. */
  at: number;
  matched: number;
  started: string[];
  emitter: string | null;
}

const START = Date.UTC(2026, 10, 21, 1) * 1000;
const seconds = (at: number) => (START + at) / 1e6;

/** The time as it comes back from a record. */
const told = (at: number) => epochFromIso(isoFromEpoch(seconds(at)));

function eventJson({ id, code, at, matched, emitter }: Emitted): string {
  const ids = Array.from({ length: matched }, (_, i) => `condition${i}`);
  return JSON.stringify({
    event_id: id,
    event_code: code,
    timestamp: isoFromEpoch(seconds(at)),
    payload: { emitted_by_invocation_id: '"nobody"' },
    matched_condition_ids: ids,
    valid_condition_ids: ids,
    triggered_invocation_ids: [],
    emitted_by_invocation_id: emitter,
    emitted_by_task_id: emitter === null ? null : "tasks.emit",
    emitted_by_runner_context_id: null,
  });
}

/** @param score milliseconds as the plugin writes them for a time in microseconds. */
function eventCommands(app: string, event: Emitted, score: (micros: number) => number): string[][] {
  const key = (rest: string) => `__pynenc__:${app}:trigger:${rest}`;
  const at = String(score(START + event.at));
  return [
    ["SET", key(`evts_hash:${event.id}`), eventJson(event)],
    ["ZADD", key("evts_by_time"), at, event.id],
    ["ZADD", key(`evts_by_code:${event.code}`), at, event.id],
    ["SADD", key("evts_codes"), event.code],
    ...(event.matched > 0 ? [["ZADD", key("evts_matched"), at, event.id]] : []),
    ...(event.started.length > 0
      ? [
          ["ZADD", key("evts_triggered"), at, event.id],
          ["RPUSH", key(`evts_triggered_invocations:${event.id}`), ...event.started],
        ]
      : []),
  ];
}

function runCommands(app: string, run: Record<string, unknown> & { trigger_run_id: string }): string[][] {
  const key = (rest: string) => `__pynenc__:${app}:trigger:${rest}`;
  const at = (epochFromIso(String(run.executed_at ?? run.claimed_at)) ?? 0) * 1000;
  const link = (family: string, ids: unknown) =>
    (ids as string[]).map((id) => ["SADD", key(`${family}:${id}`), run.trigger_run_id]);
  return [
    ["SET", key(`trun_hash:${run.trigger_run_id}`), JSON.stringify(run)],
    ["ZADD", key("truns_by_time"), String(at), run.trigger_run_id],
    ...link("truns_for_event", run.event_ids),
    ...link("truns_sourced_by_invocation", run.source_invocation_ids),
    ...link("truns_for_valid_condition", run.valid_condition_ids),
    ...link("truns_for_invocation", run.triggered_invocation_id === null ? [] : [run.triggered_invocation_id]),
  ];
}

describeWithRedis("triggers in Redis", () => {
  let server: RedisServer;
  let store: RedisStore;
  let apps = 0;
  beforeAll(async () => {
    server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    store = storeOn(server);
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });
  const newApp = () => `app${apps++}`;
  const read = <T>(app: string, fn: (trigger: TriggerReads) => Promise<T>) =>
    store.app(app).read((reads) => fn(reads.trigger));
  const idsOf = (events: readonly EventSummary[]) => events.map((event) => event.event_id);

  it("are read as the real data has them", async () => {
    const triggers = await read("kitchen_sink", (trigger) => trigger.triggers({}, ALL));
    expect(triggers).toHaveLength(13);
    expect(triggers.map((trigger) => trigger.task_id_key)).toEqual(triggers.map((t) => t.task_id_key).sort());
    const of = (task: string) => triggers.filter((trigger) => trigger.task_id_key === task);
    expect(of("tasks.on_both")).toMatchObject([
      {
        condition_ids: ["event#and.left#static_no_args", "event#and.right#static_no_args"],
        logic_value: "and",
        argument_provider_json: expect.stringContaining("StaticArgumentProvider"),
      },
    ]);
    expect(of("tasks.on_either")).toMatchObject([{ logic_value: "or" }]);
    expect(of("tasks.every_minute")).toMatchObject([{ argument_provider_json: null }]);
    expect(await read("kitchen_sink", (trigger) => trigger.triggers({}, { limit: 2, offset: 4 }))).toEqual(
      triggers.slice(4, 6),
    );
    const ids = triggers.map((trigger) => trigger.trigger_id);
    expect(
      await read("kitchen_sink", (trigger) =>
        trigger.triggers({ by: "trigger_id", ids: [...NOBODY, ...ids.slice(3, 5)] }, ALL),
      ),
    ).toEqual(triggers.slice(3, 5));
    expect(await read("kitchen_sink", (trigger) => trigger.countDefinitions())).toEqual({
      triggers: 13,
      conditions: 13,
    });
    expect(await read("sink[3]*?", (trigger) => trigger.countDefinitions())).toEqual({ triggers: 2, conditions: 1 });
  });

  it("are found by conditions whose ids are patterns", async () => {
    const cron = "cron_* * * * *";
    const [condition, ...more] = await read("kitchen_sink", (trigger) => trigger.conditionsByIds([...NOBODY, cron]));
    expect(more).toEqual([]);
    expect(condition).toEqual({
      condition_id: cron,
      condition_json: expect.stringContaining('"cron_expression": "* * * * *"'),
      last_cron_execution: epochFromIso("2026-11-21T01:03:00.274643Z"),
    });
    const having = await read("kitchen_sink", (trigger) =>
      trigger.triggers({ by: "condition_id", ids: [cron, ...NOBODY] }, { limit: 10, offset: 0 }),
    );
    expect(having.map((trigger) => trigger.task_id_key)).toEqual([
      "pynenc.core_tasks.recover_pending_invocations",
      "pynenc.core_tasks.recover_running_invocations",
      "tasks.every_minute",
    ]);
    expect(
      await read("kitchen_sink", (trigger) =>
        trigger.triggers({ by: "condition_id", ids: [cron] }, { limit: 2, offset: 0 }),
      ),
    ).toEqual(having.slice(0, 2));
  });

  it("are counted for the tasks that they start, and other watched tasks are listed", async () => {
    const tasks = await read("kitchen_sink", (trigger) => trigger.triggeredTasks());
    expect(tasks.filter((task) => task.triggers === 0).map((task) => task.task_id_key)).toEqual([
      "tasks.add",
      "tasks.async_task",
      "tasks.fail_custom",
      "tasks.fail_value",
    ]);
    expect(tasks.filter((task) => task.triggers === 1)).toHaveLength(13);
    expect(tasks).toHaveLength(17);
  });

  it("have valid conditions that are still waiting", async () => {
    expect(await read("kitchen_sink", (trigger) => trigger.countValidConditions())).toBe(2);
    const prefix = "__pynenc__:kitchen_sink:trigger:valid_condition:";
    const [, keys] = (await server.exchange([["SCAN", "0", "MATCH", `${prefix}*`, "COUNT", "100000"]]))[0] as [
      string,
      string[],
    ];
    const ids = keys.map((key) => key.slice(prefix.length));
    const met = await read("kitchen_sink", (trigger) => trigger.validConditionsByIds([...NOBODY, ...ids]));
    expect(met.map((condition) => condition.valid_condition_id)).toEqual(ids);
    for (const { valid_condition_json } of met) expect(JSON.parse(valid_condition_json)).toHaveProperty("context");
  });

  it("have no events when none are recorded", async () => {
    const answers = await read("kitchen_sink", (trigger) =>
      Promise.all([
        trigger.eventCounters(),
        trigger.listEvents({}, ALL),
        trigger.listEvents({ from: 0, to: 9e9 }, ALL, "oldest"),
        trigger.countEvents([{ matched: false }], 10),
        trigger.eventCodes(10),
        trigger.eventsByIds(NOBODY),
        trigger.eventsEmittedBy(NOBODY, 10),
        trigger.triggeredBy(NOBODY, { each: 3 }),
        trigger.triggerRunsOf("event", NOBODY, 10),
        trigger.listTriggerRuns({ task_id_key: "tasks.add" }, ALL),
        trigger.countTriggerRuns({}, 10),
      ]),
    );
    expect(answers).toEqual([null, [], [], [0], [], [], [], [], [], [], 0]);
  });

  const SCORES = {
    "as exact as a double": (micros: number) => (micros / 1e6) * 1000,
    "cut to milliseconds": (micros: number) => Math.floor(micros / 1000),
    "rounded to milliseconds": (micros: number) => Math.round(micros / 1000),
  };

  it.each(Object.entries(SCORES))(
    "and events are listed by filter, each once, in order, on every page, with times %s",
    async (_, score) => {
      const event = fc.record({
        code: fc.constantFrom("order.created", "a:b", "*", "日本"),
        // Within a few milliseconds, so that the ends of a range fall among events of the same one.
        at: fc.integer({ min: 0, max: 6_000 }),
        matched: fc.nat({ max: 2 }),
        started: fc.nat({ max: 2 }),
        isGone: fc.boolean(),
      });
      const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
      const filter = fc.record({
        event_code: maybe(fc.constantFrom("order.created", "a:b", "none")),
        from: maybe(fc.integer({ min: -1_000, max: 7_000 })),
        to: maybe(fc.integer({ min: -1_000, max: 7_000 })),
        matched: maybe(fc.boolean()),
        triggered: maybe(fc.boolean()),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(event, { maxLength: 25 }),
          filter,
          fc.nat({ max: 4 }),
          async (drawn, asked, offset) => {
            const app = newApp();
            const events = drawn.map(({ isGone, ...event }, i) => ({
              ...event,
              id: `e${i}`,
              isGone,
              // What starts an invocation has met a condition.
              started: event.matched === 0 ? [] : Array.from({ length: event.started }, (_, j) => `i${i}.${j}`),
              emitter: null,
            }));
            const key = (rest: string) => `__pynenc__:${app}:trigger:${rest}`;
            const commands = events.flatMap((event) => eventCommands(app, event, score));
            const gone = events.filter((event) => event.isGone).map((event) => ["DEL", key(`evts_hash:${event.id}`)]);
            await server.exchange([...commands, ...gone]);
            const wanted: EventFilter = {
              ...(asked.event_code !== undefined && { event_code: asked.event_code }),
              ...(asked.from !== undefined && { from: seconds(asked.from) }),
              ...(asked.to !== undefined && { to: seconds(asked.to) }),
              ...(asked.matched !== undefined && { matched: asked.matched }),
              ...(asked.triggered !== undefined && { triggered: asked.triggered }),
            };
            const expected = events
              .filter((event) => !event.isGone)
              .filter((event) => asked.event_code === undefined || event.code === asked.event_code)
              .filter((event) => wanted.from === undefined || (told(event.at) ?? 0) >= wanted.from)
              .filter((event) => wanted.to === undefined || (told(event.at) ?? 0) <= wanted.to)
              .filter((event) => asked.matched === undefined || event.matched > 0 === asked.matched)
              .filter((event) => asked.triggered === undefined || event.started.length > 0 === asked.triggered)
              .map((event) => ({ id: event.id, place: score(START + event.at) }))
              .sort((a, b) => b.place - a.place || (a.id < b.id ? 1 : -1))
              .map(({ id }) => id);
            const [listed, forward, page, count] = await read(app, (trigger) =>
              Promise.all([
                trigger.listEvents(wanted, ALL),
                trigger.listEvents(wanted, ALL, "oldest"),
                trigger.listEvents(wanted, { limit: 3, offset }),
                trigger.countEvents([wanted], 10_000),
              ]),
            );
            expect(idsOf(listed)).toEqual(expected);
            expect(idsOf(forward)).toEqual([...expected].reverse());
            const dangling = events.length > 0 && events.some((event) => event.isGone);
            if (!dangling) {
              expect(idsOf(page)).toEqual(expected.slice(offset, offset + 3));
              expect(count).toEqual([expected.length]);
            }
            // Slices of a chart, whose ends fall among events of the same millisecond.
            const ends = [0, 700, 1_000, 3_300, 5_000, 6_001].map(seconds);
            const slices = ends.slice(1).map((end, i) => ({ ...wanted, from: ends[i] ?? end, to: end - 1e-6 }));
            if (!dangling) {
              const [together, apart] = await read(app, (trigger) =>
                Promise.all([
                  trigger.countEvents(slices, 10_000),
                  Promise.all(slices.map((one) => trigger.countEvents([one], 10_000))),
                ]),
              );
              expect(together).toEqual(apart.flat());
            }
            const walked: string[] = [];
            for (let after: EventSummary | undefined; ; ) {
              const rows = await read(app, (trigger) =>
                trigger.listEvents(wanted, { limit: 4, offset: 0 }, "newest", after),
              );
              walked.push(...idsOf(rows));
              after = rows.at(-1);
              if (after === undefined) break;
            }
            expect(walked).toEqual(expected);
            for (const row of listed) {
              const event = events.find(({ id }) => id === row.event_id);
              expect(row).toEqual({
                event_id: event?.id,
                event_code: event?.code,
                timestamp: told(event?.at ?? 0),
                matched_conditions: event?.matched,
                triggered: (event?.started.length ?? 0) > 0,
                emitted_by_invocation_id: null,
                emitted_by_task_id: null,
                emitted_by_runner_context_id: null,
              });
            }
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  it("and events can be continued after an event that is gone", async () => {
    const app = newApp();
    const events = Array.from({ length: 9 }, (_, i) => ({
      ...{ id: `e${i}`, code: "a", at: i * 1_000_000, matched: 0, started: [], emitter: null },
    }));
    await server.exchange(events.flatMap((event) => eventCommands(app, event, SCORES["as exact as a double"])));
    const first = await read(app, (trigger) => trigger.listEvents({}, { limit: 4, offset: 0 }));
    expect(idsOf(first)).toEqual(["e8", "e7", "e6", "e5"]);
    const key = (rest: string) => `__pynenc__:${app}:trigger:${rest}`;
    await server.exchange([
      ["ZREM", key("evts_by_time"), "e5"],
      ["DEL", key("evts_hash:e5")],
    ]);
    const next = await read(app, (trigger) => trigger.listEvents({}, { limit: 3, offset: 0 }, "newest", first.at(-1)));
    expect(idsOf(next)).toEqual(["e4", "e3", "e2"]);
  });

  it("and events are counted, and read with or without payload, by code", async () => {
    const app = newApp();
    const event = { id: "e", code: "b", at: 1, matched: 2, started: ["i"], emitter: "source" };
    await server.exchange([
      ...eventCommands(app, event, Math.floor),
      ...eventCommands(app, { ...event, id: "f", code: "a", at: 2, matched: 0, started: [] }, Math.floor),
      ["SET", `__pynenc__:${app}:trigger:evts_hash:torn`, '{"event_id": "torn"}'],
      ["ZADD", `__pynenc__:${app}:trigger:evts_by_time`, "5", "torn"],
    ]);
    expect(await read(app, (trigger) => trigger.eventCounters())).toEqual({
      ...{ recorded: 3, matched: 1, triggered: 1, codes: 2, trigger_runs: 0 },
    });
    expect(await read(app, (trigger) => trigger.eventCodes(10))).toEqual(["a", "b"]);
    expect(await read(app, (trigger) => trigger.eventCodes(1))).toEqual(["a"]);
    const whole = await read(app, (trigger) => trigger.eventsByIds(["e", "f", "e", "torn", ...NOBODY]));
    expect(whole).toHaveLength(2);
    expect(whole[0]).toEqual({
      event_id: "e",
      event_code: "b",
      timestamp: told(1),
      matched_condition_ids: ["condition0", "condition1"],
      valid_condition_ids: ["condition0", "condition1"],
      payload: { emitted_by_invocation_id: '"nobody"' },
      emitted_by_invocation_id: "source",
      emitted_by_task_id: "tasks.emit",
      emitted_by_runner_context_id: null,
    });
    const [bare] = await read(app, (trigger) => trigger.eventsByIds(["e"], 10));
    expect(bare).toEqual({ ...whole[0], payload: null, whole_size: expect.any(Number) });
  });

  it("and events are found by the time in which the invocation that emitted them ran, oldest first", async () => {
    const app = newApp();
    const event = { code: "a", matched: 0, started: [] };
    const history = (id: string, ...entries: [at: number, status: string][]) =>
      entries.map(([at, status]) => [
        "RPUSH",
        `__pynenc__:${app}:state_backend:history:${id}`,
        JSON.stringify({
          invocation_id: id,
          _timestamp: isoFromEpoch(seconds(at)),
          status_record: { status, runner_id: null, timestamp: isoFromEpoch(seconds(at)) },
          runner_context_id: "runner",
          registered_by_inv_id: null,
        }),
      ]);
    const second = 1_000_000;
    await server.exchange([
      ...history("done", [0, "registered"], [10 * second, "success"]),
      ...history("running", [100 * second, "registered"], [101 * second, "running"]),
      ...history("silent", [0, "registered"], [200 * second, "success"]),
      ...[
        { ...event, id: "first", at: 5 * second, emitter: "done" },
        { ...event, id: "late", at: 10.5 * second, emitter: "done" },
        { ...event, id: "other", at: 6 * second, emitter: "somebody" },
        { ...event, id: "nobody", at: 7 * second, emitter: null },
        { ...event, id: "long after", at: 900 * second, emitter: "running" },
      ].flatMap((one) => eventCommands(app, one, (micros) => micros / 1000)),
    ]);
    const emitted = (ids: string[], limit: Parameters<TriggerReads["eventsEmittedBy"]>[1]) =>
      read(app, (trigger) => trigger.eventsEmittedBy(ids, limit)).then(idsOf);
    expect(await emitted(["running", "done", "silent", ...NOBODY], 10)).toEqual(["first", "late", "long after"]);
    expect(await emitted(["running", "done"], 2)).toEqual(["first", "late"]);
    expect(await emitted(["running", "done"], { each: 1 })).toEqual(["first", "long after"]);
    expect(await emitted(["silent"], 10)).toEqual([]);
  });

  it("and events link to what they started and to the trigger runs", async () => {
    const app = newApp();
    const run = (id: string, more: Record<string, unknown>) => ({
      ...{ trigger_run_id: id, trigger_id: "t", task_id_key: "tasks.on", logic_value: "and" },
      ...{ valid_condition_ids: ["v"], condition_ids: ["c"], event_ids: [], source_invocation_ids: [] },
      ...{ triggered_invocation_id: null, claimed_at: isoFromEpoch(seconds(0)), executed_at: null, participants: [] },
      ...{ atomic_service_run_id: null, atomic_service_runner_id: null },
      ...more,
    });
    const event = { code: "a", at: 0, matched: 1, emitter: null };
    await server.exchange([
      ...eventCommands(app, { ...event, id: "e1", started: ["i1", "i2", "i3"] }, Math.floor),
      ...eventCommands(app, { ...event, id: "e2", started: ["i4"] }, Math.floor),
      ...runCommands(
        app,
        run("r1", { event_ids: ["e1"], triggered_invocation_id: "i1", executed_at: isoFromEpoch(seconds(9)) }),
      ),
      ...runCommands(
        app,
        run("r2", { event_ids: ["e1", "e2"], triggered_invocation_id: "i2", executed_at: isoFromEpoch(seconds(5)) }),
      ),
      ...runCommands(app, run("r3", { source_invocation_ids: ["s"], executed_at: isoFromEpoch(seconds(7)) })),
    ]);
    const links = await read(app, (trigger) => trigger.triggeredBy(["e2", "e1", ...NOBODY], 10));
    expect(links).toEqual([
      { event_id: "e2", invocation_id: "i4", trigger_run_id: null, linked_at: null },
      { event_id: "e1", invocation_id: "i1", trigger_run_id: "r1", linked_at: null },
      { event_id: "e1", invocation_id: "i2", trigger_run_id: "r2", linked_at: null },
      { event_id: "e1", invocation_id: "i3", trigger_run_id: null, linked_at: null },
    ]);
    expect(await read(app, (trigger) => trigger.triggeredBy(["e2", "e1"], 3))).toEqual(links.slice(0, 3));
    expect(await read(app, (trigger) => trigger.triggeredBy(["e2", "e1"], { each: 1 }))).toEqual(links.slice(0, 2));
    const runsOf = (...given: Parameters<TriggerReads["triggerRunsOf"]>) =>
      read(app, (trigger) => trigger.triggerRunsOf(...given)).then((found) =>
        found.map((link) => `${link.of} ${link.trigger_run_id}`),
      );
    expect(await runsOf("event", ["e2", "e1", ...NOBODY], 10)).toEqual(["e2 r2", "e1 r2", "e1 r1"]);
    expect(await runsOf("event", ["e1"], 1)).toEqual(["e1 r2"]);
    expect(await runsOf("valid_condition", ["v"], { each: 2 })).toEqual(["v r2", "v r3"]);
    expect(await runsOf("source_invocation", ["s"], 10)).toEqual(["s r3"]);
    expect(await runsOf("triggered_invocation", ["i1", "i2", "i4"], 10)).toEqual(["i1 r1", "i2 r2"]);
  });

  it("have runs that are listed by every filter, newest first", async () => {
    const app = newApp();
    const runs = Array.from({ length: 40 }, (_, i) => ({
      trigger_run_id: `r${i}`,
      trigger_id: `t${i % 3}`,
      task_id_key: i % 2 === 0 ? "tasks.even" : "tasks.größe",
      logic_value: "or",
      valid_condition_ids: [],
      condition_ids: [],
      event_ids: [],
      source_invocation_ids: [],
      triggered_invocation_id: null,
      claimed_at: isoFromEpoch(seconds(i * 700)),
      executed_at: i % 5 === 0 ? null : isoFromEpoch(seconds(i * 700 + 100)),
      participants: [{ context_type: i % 4 === 0 ? "CronContext" : "EventContext" }],
      atomic_service_run_id: `run ${i % 7}`,
      atomic_service_runner_id: null,
    }));
    await server.exchange(runs.flatMap((run) => runCommands(app, run)));
    const timeOf = (run: (typeof runs)[number]) => epochFromIso(run.executed_at ?? run.claimed_at) ?? 0;
    const filters: [TriggerRunFilter, (run: (typeof runs)[number]) => boolean][] = [
      [{}, () => true],
      [{ task_id_key: "tasks.größe" }, (run) => run.task_id_key === "tasks.größe"],
      [
        { trigger_id: "t1", context_type: "CronContext" },
        (run) => run.trigger_id === "t1" && run.participants[0]?.context_type === "CronContext",
      ],
      [{ atomic_service_run_id: "run 3" }, (run) => run.atomic_service_run_id === "run 3"],
      [
        { from: seconds(7_100), to: seconds(14_000) },
        (run) => timeOf(run) >= seconds(7_100) && timeOf(run) <= seconds(14_000),
      ],
      [{ trigger_id: "none" }, () => false],
    ];
    for (const [filter, meets] of filters) {
      const expected = runs
        .filter(meets)
        .sort((a, b) => timeOf(b) - timeOf(a))
        .map((run) => run.trigger_run_id);
      const [listed, page, count, capped] = await read(app, (trigger) =>
        Promise.all([
          trigger.listTriggerRuns(filter, ALL),
          trigger.listTriggerRuns(filter, { limit: 3, offset: 2 }),
          trigger.countTriggerRuns(filter, 1_000),
          trigger.countTriggerRuns(filter, 2),
        ]),
      );
      expect(listed.map((run) => run.trigger_run_id)).toEqual(expected);
      expect(page.map((run) => run.trigger_run_id)).toEqual(expected.slice(2, 5));
      expect([count, capped]).toEqual([expected.length, Math.min(2, expected.length)]);
    }
    const [one] = await read(app, (trigger) => trigger.triggerRunsByIds(["r7", "r7", ...NOBODY]));
    expect(one).toMatchObject({
      trigger_run_id: "r7",
      trigger_id: "t1",
      claimed_at: told(4_900),
      executed_at: told(5_000),
    });
  });

  it("have runs that are searched only in the time of their service run", async () => {
    const app = newApp();
    const key = (rest: string) => `__pynenc__:${app}:orchestrator:${rest}`;
    const minute = 60_000_000;
    const runs = Array.from({ length: 5_000 }, (_, i) => ({
      ...{ trigger_run_id: `r${i}`, trigger_id: "t", task_id_key: "tasks.on", logic_value: "or" },
      ...{ valid_condition_ids: [], condition_ids: [], event_ids: [], source_invocation_ids: [], participants: [] },
      ...{ triggered_invocation_id: null, claimed_at: isoFromEpoch(seconds(i * minute)), executed_at: null },
      ...{ atomic_service_run_id: `service ${i}`, atomic_service_runner_id: null },
    }));
    await server.exchange([
      ...runs.flatMap((run) => runCommands(app, run)),
      ["ZADD", key("atomic_service_executions"), String(seconds(70 * minute)), "service 70"],
      [
        ...["SET", key("atomic_service_execution:service 70")],
        JSON.stringify({
          ...{ atomic_service_run_id: "service 70", runner_id: "runner", status: "completed", reason: "" },
          ...{ start_time: isoFromEpoch(seconds(70 * minute)), end_time: isoFromEpoch(seconds(70.1 * minute)) },
        }),
      ],
    ]);
    const seek = async (atomic_service_run_id: string) => {
      const before = store.traffic.round_trips;
      const found = await read(app, (trigger) => trigger.listTriggerRuns({ atomic_service_run_id }, ALL));
      return { found: found.map((run) => run.trigger_run_id), trips: store.traffic.round_trips - before };
    };
    const known = await seek("service 70");
    expect(known.found).toEqual(["r70"]);
    expect(known.trips).toBeLessThan(10);
    // Of a service run that is gone all trigger runs are looked at, a thousand at a time.
    const gone = await seek("service 71");
    expect(gone.found).toEqual(["r71"]);
    expect(gone.trips).toBeGreaterThanOrEqual(10);
  });

  it("and events are listed in a fixed number of round trips", async () => {
    const app = newApp();
    const events = Array.from({ length: 3_000 }, (_, i) => ({
      ...{ id: `e${i}`, code: `c${i % 2}`, at: i * 1_000, matched: i % 3, started: [], emitter: null },
    }));
    await server.exchange(events.flatMap((event) => eventCommands(app, event, (micros) => micros / 1000)));
    const tripsOf = async (filter: EventFilter, offset: number) => {
      const before = store.traffic.round_trips;
      const rows = await read(app, (trigger) => trigger.listEvents(filter, { limit: 50, offset }));
      expect(rows).toHaveLength(50);
      return store.traffic.round_trips - before;
    };
    const first = await tripsOf({}, 0);
    expect([await tripsOf({}, 2_900), await tripsOf({ event_code: "c1" }, 1_400)]).toEqual([first, first]);
    expect(await tripsOf({ matched: true }, 1_900)).toBe(first);
  });
});
