/** Auto-purges on Redis, key by key (storage-format.md 5.7, 6.4, 7.3, 9.4), with the cases that the real data does not have. */
import { expect, it } from "vitest";
import { RefusedError, StoreUnreachableError } from "../../../../src/errors.ts";
import { isoFromEpoch } from "../../../../src/pynenc/time.ts";
import type { EventPurge, OrchestratorPurge, OrchestratorRetention } from "../../../../src/stores/ports/actions.ts";
import type { Command } from "../../../../src/stores/redis/server/connection.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { cutLineTo } from "../../../support/cut-line.ts";
import { kitchenSinkOnRedis } from "../../../support/kitchen-sink-on-redis.ts";
import { type AllKeys, allKeys, difference, membersIn } from "../../../support/redis-keys.ts";
import { describeWithRedis, type RedisServer } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const APP = "kitchen_sink";
const P = `__pynenc__:${APP}:`;
const O = `${P}orchestrator:`;
const B = `${P}blocking_control:`;
const T = `${P}trigger:`;
const EVERYTHING: OrchestratorRetention = {
  final_until: Number.MAX_VALUE,
  executions_before: null,
  max_executions: 0,
  with_open_parents: true,
};
const NOTHING: OrchestratorPurge = {
  invocations: 0,
  invocation_args: 0,
  blocking_edges: 0,
  invocations_kept: 0,
  invocations_of_open_parents: 0,
  leaked_index_entries: 0,
  executions_by_age: 0,
  executions_by_capacity: 0,
  executions_kept: 0,
  exact: true,
};
const NO_EVENTS: EventPurge = {
  events_by_age: 0,
  events_by_capacity: 0,
  trigger_runs_by_age: 0,
  trigger_runs_of_events: 0,
  trigger_runs_by_capacity: 0,
  event_conditions: 0,
  event_triggered_invocations: 0,
  trigger_run_conditions: 0,
};

describeWithRedis("auto-purges on Redis", () => {
  let server: RedisServer;
  let store: RedisStore;
  let before: AllKeys;
  kitchenSinkOnRedis((sink) => {
    ({ server, store, before } = sink);
  });

  /** The preview, then the action, which have to agree. */
  async function orchestrator(retention: Partial<OrchestratorRetention>, appId = APP): Promise<OrchestratorPurge> {
    const app = store.app(appId);
    const all = { ...EVERYTHING, final_until: 0, ...retention };
    const untouched = await allKeys(server);
    const preview = await app.read((reads) => reads.preview.autoPurgeOrchestrator(all));
    expect(difference(untouched, await allKeys(server))).toEqual({ gone: [], come: [], changed: [] });
    expect(await app.actions.autoPurgeOrchestrator(all)).toEqual(preview);
    return preview;
  }

  /** Ids in the order of an index by time. */
  const indexed = (keys: AllKeys, key: string) => membersIn(keys, key).filter((_, i) => i % 2 === 0);

  /** Whether a key, or what it holds, names any of these. */
  const naming = (keys: AllKeys, ids: readonly string[], sections: readonly string[]) =>
    [...keys]
      .filter(([key]) => sections.some((section) => key.startsWith(section)))
      .filter(([key, value]) => ids.some((id) => key.includes(id) || value.includes(id)))
      .map(([key]) => key);

  it.each([
    [APP, P, 165, 1],
    ["kitchen-sink.two/β", "__pynenc__:kitchen-sink.two/β:", 6, 0],
    ["sink[3]*?", "__pynenc__:sink__OPEN_BRACKET__3__CLOSE_BRACKET____ASTERISK__?:", 4, 0],
  ])(
    "of the orchestrator of %s remove every trace of final invocations, and nothing else",
    async (appId, prefix, final, ofOpenParents) => {
      const due = indexed(before, `${prefix}orchestrator:invocation_auto_purge`);
      expect(due).toHaveLength(final);
      const done = await orchestrator({ final_until: Number.MAX_VALUE }, appId);
      expect(done).toEqual({
        ...NOTHING,
        invocations: final,
        invocation_args: done.invocation_args,
        invocations_of_open_parents: ofOpenParents,
      });
      const after = await allKeys(server);
      // Who waited is not asked to forget it: that it waits for something else is its own matter.
      expect(naming(after, due, [`${prefix}orchestrator:`, `${prefix}blocking_control:all_waited`])).toEqual([]);
      const { gone, come, changed } = difference(before, after);
      expect(come).toEqual([]);
      const touched = [`${prefix}orchestrator:`, `${prefix}blocking_control:`];
      expect([...gone, ...changed].filter((key) => !touched.some((section) => key.startsWith(section)))).toEqual([]);
      // What changed lost these ids and nothing else.
      for (const key of [...changed, ...gone].filter((one) => !one.includes("invocation_"))) {
        const lost = membersIn(before, key).filter((member) => !membersIn(after, key).includes(member));
        const ids = lost.filter((member) => /^[0-9a-f]{8}-/.test(member));
        expect([key, ids.filter((id) => !due.includes(id))]).toEqual([key, []]);
      }
      const statuses = (keys: AllKeys) =>
        [...keys.keys()].filter((key) => key.startsWith(`${prefix}orchestrator:invocation_status:`));
      expect(statuses(before).length - statuses(after).length).toBe(final);
      expect(await orchestrator({ final_until: Number.MAX_VALUE }, appId)).toEqual(NOTHING);
    },
  );

  it("of the orchestrator keep the result that a real parent still waits for", async () => {
    const due = indexed(before, `${O}invocation_auto_purge`);
    const done = await orchestrator({ final_until: Number.MAX_VALUE, with_open_parents: false });
    expect(done).toMatchObject({ invocations: 164, invocations_of_open_parents: 1 });
    const after = await allKeys(server);
    const [kept = "", ...others] = due.filter((id) => after.has(`${O}invocation_status:${id}`));
    expect(others).toEqual([]);
    const stored = (key: string) => JSON.parse(JSON.parse(before.get(key) ?? "[]")[1] ?? "{}");
    const parent = stored(`${P}state_backend:invocation:${kept}`).parent_invocation_id;
    expect(stored(`${O}invocation_status:${parent}`).status).toMatch(/^(running|paused)$/);
    const traces = (keys: AllKeys) => naming(keys, [kept], [O, B]);
    expect(traces(after)).toEqual(traces(before));
  });

  it("of the orchestrator remove the arguments and waits of an invocation too", async () => {
    const [first = "", second = "", third = ""] = indexed(before, `${O}invocation_auto_purge`);
    const task = (id: string) => {
      const call = (JSON.parse(before.get(`${O}invocation_to_call:${id}`) ?? "[]") as string[])[1] ?? "";
      return call.slice(0, call.lastIndexOf(":"));
    };
    const definition = (id: string, stored: Record<string, string>): Command => [
      "SET",
      `${P}state_backend:invocation:${id}`,
      JSON.stringify({
        call_id_key: `${task(id)}:x`,
        task_id_key: task(id),
        arguments_id: "x",
        serialized_arguments: stored,
      }),
    ];
    await server.exchange([
      definition(first, { a: "1", "b:val": '"*[x]:arg:b"' }),
      ["SADD", `${O}task:${task(first)}:arg:a:val:1`, first, "somebody"],
      ["SADD", `${O}task:${task(first)}:arg:b:val:val:"*[x]:arg:b"`, first],
      // Not in the index: started by a call that writes none.
      definition(second, { a: "2" }),
      ...[first, third].flatMap((waited): Command[] => [
        ["SADD", `${B}waited_by:${waited}`, "waiter 1", "waiter 2"],
        ["SET", `${B}invocation:${waited}`, waited],
        ["ZADD", `${B}all_waited`, "1", waited],
        ["ZADD", `${B}not_waiting`, "1", waited],
      ]),
      ["SADD", `${B}waiting_for:waiter 1`, first, third],
      ["SADD", `${B}waiting_for:waiter 2`, first, third, "another"],
    ]);
    const prepared = await allKeys(server);
    const until = Number(membersIn(before, `${O}invocation_auto_purge`)[5]);
    // The instant itself belongs to it.
    expect(await orchestrator({ final_until: until })).toEqual({
      ...NOTHING,
      invocations: 3,
      invocation_args: 2,
      blocking_edges: 4,
    });
    const after = await allKeys(server);
    expect(membersIn(after, `${O}task:${task(first)}:arg:a:val:1`)).toEqual(["somebody"]);
    expect(membersIn(after, `${B}waiting_for:waiter 2`)).toEqual(["another"]);
    expect(naming(after, [first, second, third], [O, B])).toEqual([]);
    expect(naming(after, [first, second, third], [`${P}state_backend:`])).toEqual(
      naming(prepared, [first, second, third], [`${P}state_backend:`]),
    );
  });

  it("of the orchestrator go by the status of an invocation, not by the index", async () => {
    const [running = "", unreadable = "", stale = ""] = indexed(before, `${O}invocation_auto_purge`);
    await server.exchange([
      [
        "SET",
        `${O}invocation_status:${running}`,
        '{"status": "running", "runner_id": "r", "timestamp": "2026-11-21T01:03:36+00:00"}',
      ],
      ["SET", `${O}invocation_status:${unreadable}`, "{"],
      ["SADD", `${O}status:running`, stale],
      ["SET", `${O}task:tasks.add`, "of another type"],
    ]);
    const prepared = await allKeys(server);
    expect(await orchestrator({ final_until: Number.MAX_VALUE })).toMatchObject({
      invocations: 163,
      leaked_index_entries: 0,
    });
    const after = await allKeys(server);
    expect(after.get(`${O}invocation_status:${running}`)).toBe(prepared.get(`${O}invocation_status:${running}`));
    expect(indexed(after, `${O}invocation_auto_purge`)).toEqual([running, unreadable]);
    expect(membersIn(after, `${O}status:running`)).not.toContain(stale);
    expect(after.get(`${O}task:tasks.add`)).toBe(prepared.get(`${O}task:tasks.add`));
  });

  it("of the orchestrator keep an invocation with a message in the queue", async () => {
    const [queued = ""] = indexed(before, `${O}invocation_auto_purge`);
    await server.exchange([["RPUSH", `${P}broker:default_queue`, queued, queued]]);
    expect(await orchestrator({ final_until: Number.MAX_VALUE })).toMatchObject({
      invocations: 164,
      invocations_kept: 1,
    });
    expect((await allKeys(server)).get(`${O}invocation_status:${queued}`)).toBe(
      before.get(`${O}invocation_status:${queued}`),
    );
    expect(await orchestrator({ final_until: Number.MAX_VALUE })).toEqual({ ...NOTHING, invocations_kept: 1 });
  });

  it("of the orchestrator remove leftovers of the plugin's own auto-purge", async () => {
    const due = indexed(before, `${O}invocation_auto_purge`);
    const taskOf = (id: string) => {
      const call = (JSON.parse(before.get(`${O}invocation_to_call:${id}`) ?? "[]") as string[])[1] ?? "";
      return call.slice(0, call.lastIndexOf(":"));
    };
    // What RedisOrchestrator.auto_purge of 0.1.5 does.
    await server.exchange(
      due.flatMap((id): Command[] => [
        ["SREM", `${O}task:${taskOf(id)}`, id],
        ["SREM", `${O}status:success`, id],
        ["SREM", `${O}status:failed`, id],
        ["SREM", `${O}status:concurrency_controlled_final`, id],
        ["DEL", `${O}invocation_status:${id}`],
        ["ZREM", `${O}invocation_auto_purge`, id],
      ]),
    );
    // Of one nothing tells the call any more, and of another not even the definition is left.
    const [first = "", second = ""] = due;
    await server.exchange([
      ["DEL", `${O}invocation_to_call:${first}`],
      ["DEL", `${O}invocation_to_call:${second}`, `${P}state_backend:invocation:${second}`],
    ]);
    const prepared = await allKeys(server);
    const registered = indexed(prepared, `${O}all_invocations_by_time`);
    const last = registered.filter((id) => due.includes(id)).at(-2) ?? "";
    const until = Number(membersIn(prepared, `${O}all_invocations_by_time`)[registered.indexOf(last) * 2 + 1]);
    expect(await orchestrator({ final_until: until })).toEqual({ ...NOTHING, leaked_index_entries: 164 });
    expect(await orchestrator({ final_until: Number.MAX_VALUE })).toEqual({ ...NOTHING, leaked_index_entries: 1 });
    const after = await allKeys(server);
    // Only the set of the call of the one that nothing tells the call of still names it.
    expect(naming(after, due, [O, B])).toEqual(naming(prepared, [second], [`${O}call_to_invocation:`]));
    const { gone, come, changed } = difference(prepared, after);
    expect(come).toEqual([]);
    expect([...gone, ...changed].filter((key) => !key.startsWith(O) && !key.startsWith(B))).toEqual([]);
    expect(indexed(after, `${O}all_invocations_by_time`)).toEqual(registered.filter((id) => !due.includes(id)));
  });

  it("of the orchestrator remove service executions by age and number, but none that runs or is referred to", async () => {
    const execution = (id: string, start: number, status = "completed", seconds: number | null = 1): Command[] => [
      ["ZADD", `${O}atomic_service_executions`, String(start), id],
      [
        "SET",
        `${O}atomic_service_execution:${id}`,
        JSON.stringify({
          atomic_service_run_id: id,
          runner_id: "r",
          start_time: isoFromEpoch(start),
          end_time: seconds === null ? null : isoFromEpoch(start + seconds),
          status,
          reason: "",
        }),
      ],
    ];
    await server.exchange([
      ...execution("running", 1_000, "running", null),
      ...execution("referred to", 2_000),
      ...execution("old", 3_000),
      ...execution("at the bound", 3_999),
      ...execution("younger", 5_000, "abandoned"),
      ...execution("youngest", 6_000, "blocked", 0),
      ["ZADD", `${T}truns_by_time`, "2000500", "run"],
      ["SET", `${T}trun_hash:run`, '{"trigger_run_id": "run", "atomic_service_run_id": "referred to"}'],
    ]);
    expect(await orchestrator({ executions_before: 4_000 })).toEqual({
      ...NOTHING,
      executions_by_age: 1,
      executions_kept: 1,
    });
    expect(indexed(await allKeys(server), `${O}atomic_service_executions`)).not.toContain("old");
    expect(await orchestrator({ max_executions: 3 })).toEqual({ ...NOTHING, executions_by_capacity: 2 });
    const after = await allKeys(server);
    expect(indexed(after, `${O}atomic_service_executions`)).toEqual(["running", "referred to", "youngest"]);
    expect([...after.keys()].filter((key) => key.startsWith(`${O}atomic_service_execution:`))).toHaveLength(3);
  });

  it("of events are refused when no events are recorded", async () => {
    const retention = { before: Number.MAX_VALUE, max_events: 0, max_trigger_runs: 0 };
    const app = store.app(APP);
    for (const attempt of [
      () => app.actions.autoPurgeEvents(retention),
      () => app.read((reads) => reads.preview.autoPurgeEvents(retention)),
    ]) {
      const error = await attempt().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RefusedError);
      expect(error).toMatchObject({ status: 409, message: expect.stringContaining("records no events") });
    }
    expect(difference(before, await allKeys(server))).toEqual({ gone: [], come: [], changed: [] });
  });

  it("of events follow the five rules, and remove every trace of an event", async () => {
    const event = (id: string, code: string, at: number, matched: string[], started: string[]): Command[] => {
      const ms = String(Math.floor(at * 1000));
      const json = {
        event_id: id,
        event_code: code,
        timestamp: isoFromEpoch(at),
        payload: {},
        matched_condition_ids: matched,
      };
      return [
        [
          "SET",
          `${T}evts_hash:${id}`,
          JSON.stringify({ ...json, valid_condition_ids: matched.map((one) => `v ${one}`) }),
        ],
        ["ZADD", `${T}evts_by_time`, ms, id],
        ["ZADD", `${T}evts_by_code:${code}`, ms, id],
        ["SADD", `${T}evts_codes`, code],
        ...(matched.length > 0 ? [["ZADD", `${T}evts_matched`, ms, id]] : []),
        ...(started.length > 0
          ? [
              ["ZADD", `${T}evts_triggered`, ms, id],
              ["RPUSH", `${T}evts_triggered_invocations:${id}`, ...started],
            ]
          : []),
      ];
    };
    const run = (id: string, executed: number | null, events: string[], sources: string[] = []): Command[] => {
      const participants = [
        ...events.map((event_id) => ({ context_type: "EventContext", event_id, valid_condition_id: `v ${event_id}` })),
        ...sources.map((source_invocation_id) => ({ context_type: "StatusContext", source_invocation_id })),
      ];
      const valid_condition_ids = events.map((one) => `v ${one}`);
      const json = {
        trigger_run_id: id,
        trigger_id: "t",
        task_id_key: "tasks.add",
        logic_value: "and",
        valid_condition_ids,
        condition_ids: [],
        event_ids: events,
        source_invocation_ids: sources,
        triggered_invocation_id: executed === null ? null : `started by ${id}`,
        claimed_at: isoFromEpoch(executed ?? 100),
        executed_at: executed === null ? null : isoFromEpoch(executed),
        participants,
      };
      return [
        ["SET", `${T}trun_hash:${id}`, JSON.stringify(json)],
        ["ZADD", `${T}truns_by_time`, String(Math.floor((executed ?? 100) * 1000)), id],
        ...events.map((one): Command => ["SADD", `${T}truns_for_event:${one}`, id]),
        ...sources.map((one): Command => ["SADD", `${T}truns_sourced_by_invocation:${one}`, id]),
        ...valid_condition_ids.map((one): Command => ["SADD", `${T}truns_for_valid_condition:${one}`, id]),
        ...(executed === null ? [] : [["SADD", `${T}truns_for_invocation:started by ${id}`, id]]),
      ];
    };
    const lasting = [
      ...event("e6", "b", 9_000, ["c"], ["i9"]),
      ...run("r6", 9_000.5, ["e6"], ["s"]),
      ...run("r5", 8_000, [], ["s"]),
    ];
    await server.exchange(lasting);
    const expected = await allKeys(server);
    await server.exchange([
      ...event("e1", "a:*", 1_000, ["c", "d"], ["i1", "i2"]),
      ...event("e2", "a:*", 4_999.9995, [], []),
      // In the millisecond of the bound, and at the bound itself.
      ...event("e3", "b", 5_000.0002, ["c"], []),
      ...event("e4", "b", 5_000.0004, ["c"], ["i4"]),
      ...event("e5", "b", 6_000, ["c"], []),
      ...run("r1", 3_000, ["e1"], ["s"]),
      ...run("r2", 7_000, ["e3", "e6"]),
      ...run("r3", 7_001, ["e4"]),
      // Claimed long ago and never executed: no age counts, only the number.
      ...run("r4", null, [], ["s"]),
      // Torn: entries of indexes without their records.
      ["ZADD", `${T}evts_by_time`, "1", "e0"],
      ["ZADD", `${T}evts_by_code:b`, "1", "e0"],
      ["ZADD", `${T}truns_by_time`, "1", "r0"],
    ]);
    const app = store.app(APP);
    const act = async (retention: { before: number; max_events?: number; max_trigger_runs?: number }) => {
      const all = { max_events: 0, max_trigger_runs: 0, ...retention };
      const untouched = await allKeys(server);
      const preview = await app.read((reads) => reads.preview.autoPurgeEvents(all));
      expect(difference(untouched, await allKeys(server))).toEqual({ gone: [], come: [], changed: [] });
      expect(await app.actions.autoPurgeEvents(all)).toEqual(preview);
      return preview;
    };
    expect(await act({ before: 0 })).toEqual(NO_EVENTS);
    expect(await act({ before: 0, max_events: 7, max_trigger_runs: 7 })).toEqual(NO_EVENTS);
    expect(await act({ before: 5_000.0004 })).toEqual({
      ...NO_EVENTS,
      events_by_age: 4,
      trigger_runs_by_age: 2,
      trigger_runs_of_events: 1,
      event_conditions: 3,
      event_triggered_invocations: 2,
      trigger_run_conditions: 4,
    });
    const halfway = await allKeys(server);
    expect(membersIn(halfway, `${T}evts_codes`)).toEqual(["b"]);
    expect(membersIn(halfway, `${T}truns_for_event:e6`)).toEqual(["r6"]);
    expect(await act({ before: 0, max_events: 1, max_trigger_runs: 2 })).toEqual({
      ...NO_EVENTS,
      events_by_capacity: 2,
      trigger_runs_of_events: 1,
      trigger_runs_by_capacity: 1,
      event_conditions: 2,
      event_triggered_invocations: 1,
      trigger_run_conditions: 2,
    });
    expect(difference(expected, await allKeys(server))).toEqual({ gone: [], come: [], changed: [] });
  });

  it("of very many invocations are previewed by a sample, and marked as estimates", async () => {
    const ids = Array.from({ length: 18_000 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`);
    const finals = ids.filter((_, i) => i % 3 > 0);
    const success = '{"status": "success", "runner_id": null, "timestamp": "2026-11-21T01:03:36.000000+00:00"}';
    await server.exchange([
      ["MSET", ...finals.flatMap((id) => [`${O}invocation_status:${id}`, success])],
      ["ZADD", `${O}invocation_auto_purge`, ...finals.flatMap((id, i) => [String(i), id])],
      ["ZADD", `${O}all_invocations_by_time`, ...ids.flatMap((id, i) => [String(i), id])],
    ]);
    const app = store.app(APP);
    const retention = { ...EVERYTHING, final_until: 20_000 };
    const preview = await app.read((reads) => reads.preview.autoPurgeOrchestrator(retention));
    expect(preview.exact).toBe(false);
    expect(Math.abs(preview.invocations - 12_000)).toBeLessThan(600);
    expect(Math.abs(preview.leaked_index_entries - 6_000)).toBeLessThan(600);
    expect(await app.actions.autoPurgeOrchestrator(retention)).toEqual({
      ...NOTHING,
      invocations: 12_000,
      leaked_index_entries: 6_000,
    });
    expect(difference(before, await allKeys(server))).toEqual({ gone: [], come: [], changed: [] });
  });

  it("in many steps leave each invocation whole when the server is lost in between, and finish when repeated", async () => {
    const ids = Array.from({ length: 4_000 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`);
    const success = '{"status": "success", "runner_id": null, "timestamp": "2026-11-21T01:03:36.000000+00:00"}';
    const families = ["invocation_status", "invocation_to_call", "invocation_retries"];
    const values = [success, "tasks.many:no_args", "0"];
    const indexes = ["all_invocations_by_time", "task_invocations_by_time:tasks.many", "invocation_auto_purge"];
    const sets = ["status:success", "task:tasks.many", "call_to_invocation:tasks.many:no_args"];
    await server.exchange([
      ...families.map((name, i): Command => ["MSET", ...ids.flatMap((id) => [`${O}${name}:${id}`, values[i] ?? ""])]),
      ...indexes.map((name): Command => ["ZADD", `${O}${name}`, ...ids.flatMap((id) => ["1", id])]),
      ...sets.map((name): Command => ["SADD", `${O}${name}`, ...ids]),
    ]);
    const retention = { ...EVERYTHING, final_until: 100 };
    let transactions = 0;
    const line = await cutLineTo(server, ([name]) => (name === "EXEC" && ++transactions === 3 ? "request" : null));
    const cut = storeOn(line);
    const error = await cut
      .app(APP)
      .actions.autoPurgeOrchestrator(retention)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnreachableError);
    expect((error as Error).message).toContain("stays deleted");
    await cut.close();
    await line.close();
    const places = (await server.exchange([
      ...families.map((name): Command => ["MGET", ...ids.map((id) => `${O}${name}:${id}`)]),
    ])) as (string | null)[][];
    const members = await Promise.all([
      ...indexes.map(async (name) => (await server.exchange([["ZRANGE", `${O}${name}`, "0", "-1"]]))[0] as string[]),
      ...sets.map(async (name) => (await server.exchange([["SMEMBERS", `${O}${name}`]]))[0] as string[]),
    ]);
    const named = members.map((some) => new Set(some));
    const tracesOf = (id: string, i: number) =>
      [...places.map((some) => some[i] !== null), ...named.map((some) => some.has(id))].filter(Boolean).length;
    const traces = ids.map(tracesOf);
    const all = families.length + indexes.length + sets.length;
    expect(new Set(traces)).toEqual(new Set([0, all]));
    expect(traces.filter((count) => count === 0)).toHaveLength(1_000);
    expect(await orchestrator(retention)).toEqual({ ...NOTHING, invocations: 3_000 });
    expect(difference(before, await allKeys(server))).toEqual({ gone: [], come: [], changed: [] });
  });

  it("report that the server is gone", async () => {
    await server.stop();
    const error = await store
      .app(APP)
      .actions.autoPurgeOrchestrator(EVERYTHING)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnreachableError);
    await server.start();
    expect(await store.app(APP).actions.autoPurgeOrchestrator(EVERYTHING)).toMatchObject({ invocations: 165 });
  });
});
