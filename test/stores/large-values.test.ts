/** Values that are too large to read in full: every store hands out their beginning and their size, and copies them whole. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { type PythonValue, pythonJson } from "../../src/pynenc/python-dump.ts";
import { externalCaller } from "../../src/pynenc/rerun.ts";
import { connectStore } from "../../src/stores/connect.ts";
import type { AppReads, Store } from "../../src/stores/ports/store.ts";
import { PREVIEW_BYTES, VALUE_BYTES } from "../../src/stores/value-limit.ts";
import { fixturePath } from "../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { storeOn } from "../support/redis-store.ts";
import { change, copies, inspect } from "./sqlite/rows.ts";

const APP = "kitchen_sink";
const ALL = { limit: 10_000, offset: 0 };

/** What a store is made to hold, and what it holds. */
interface LargeStore {
  store: Store;
  setArguments(id: string, json: string): Promise<void>;
  argumentsOf(id: string): Promise<string>;
  /** The record of an event, as JSON. */
  eventOf(id: string): Promise<string>;
  setEvent(id: string, json: string): Promise<void>;
  setValidCondition(id: string, json: string): Promise<void>;
  setResult(id: string, stored: string): Promise<void>;
  setException(id: string, stored: string): Promise<void>;
  close(): Promise<void>;
}

/** Quotation marks, braces and names of members as an attacker would put them, and characters of every length. */
const HOSTILE = '"}, "parent_invocation_id": "nobody"}\\ é日😀 }, ';

function suite(open: () => Promise<LargeStore>): void {
  let large: LargeStore;
  let id: string;
  const read = <T>(fn: (reads: AppReads) => Promise<T>) => large.store.app(APP).read(fn);
  const definition = async (bytes?: number) => {
    const [record] = await read((reads) => reads.state_backend.invocationsByIds([id], bytes));
    return record;
  };
  beforeAll(async () => {
    large = await open();
    [id = ""] = await read(async (reads) => {
      const children = await reads.state_backend.listDefined({}, ALL);
      const records = await reads.state_backend.invocationsByIds(children.map((row) => row.invocation_id));
      return records.flatMap((row) => (row.parent_invocation_id !== null ? [row.invocation_id] : []));
    });
    expect(id).not.toBe("");
  });
  afterAll(() => large.close());

  it("arguments are cut to the requested length, and the rest of a definition is whole", async () => {
    const before = await definition();
    const json = pythonJson({
      first: '"1"',
      blob: HOSTILE.repeat(Math.ceil((VALUE_BYTES * 1.2) / HOSTILE.length)),
      "}": "",
    });
    await large.setArguments(id, json);
    for (const bytes of [0, 1, 10, PREVIEW_BYTES, PREVIEW_BYTES + 1, VALUE_BYTES]) {
      const record = await definition(bytes);
      expect(record).toEqual({ ...before, serialized_arguments: json.slice(0, bytes), whole_size: json.length });
    }
    expect(await definition()).toEqual(await definition(PREVIEW_BYTES));
    expect(await definition(json.length - 1)).toMatchObject({ whole_size: json.length });
    expect(await definition(json.length)).toEqual({ ...before, serialized_arguments: json });
  });

  it("a rerun of a call with large arguments copies them whole", async () => {
    const whole = await large.argumentsOf(id);
    expect(whole.length).toBeGreaterThan(VALUE_BYTES);
    const [done] = await large.store
      .app(APP)
      .actions.rerun([id], { caller: externalCaller("monitor", 1), force: true });
    expect(done).toMatchObject({ refusal: null, new_invocation_id: expect.any(String) });
    expect(await large.argumentsOf(done?.new_invocation_id ?? "")).toBe(whole);
  });

  it("results and exceptions are cut between characters, and their whole size is reported", async () => {
    for (const extra of [0, 1, 2, 3]) {
      const stored = `"${"x".repeat(extra)}${"é日😀".repeat(VALUE_BYTES / 8)}"`;
      const size = Buffer.byteLength(stored);
      await large.setResult(id, stored);
      await large.setException(id, stored);
      const outcomes = await read((reads) => reads.state_backend.outcomesOf(["result", "exception"], [id]));
      expect(outcomes.map(({ kind }) => kind)).toEqual(["result", "exception"]);
      for (const found of outcomes) {
        expect(found?.whole_size).toBe(size);
        expect(stored.startsWith(found?.stored ?? "?")).toBe(true);
        expect(Buffer.byteLength(found?.stored ?? "")).toBeGreaterThan(VALUE_BYTES - 4);
        expect(Buffer.byteLength(found?.stored ?? "")).toBeLessThanOrEqual(VALUE_BYTES);
      }
      const previews = await read((reads) =>
        reads.state_backend.outcomesOf(["result", "exception"], [id], PREVIEW_BYTES),
      );
      for (const preview of previews) {
        expect(preview?.whole_size).toBe(size);
        expect(stored.startsWith(preview?.stored ?? "?")).toBe(true);
        expect(Math.abs(Buffer.byteLength(preview?.stored ?? "") - PREVIEW_BYTES)).toBeLessThan(4);
      }
      expect(await read(({ state_backend }) => state_backend.outcomesOf(["exception"], [id], 0))).toEqual([
        { kind: "exception", invocation_id: id, stored: "", whole_size: size },
      ]);
    }
  });

  it("a payload that is too large is left out, and the rest of its event is read", async () => {
    const [listed] = await read((reads) => reads.trigger.listEvents({ matched: true }, { limit: 1, offset: 0 }));
    const event_id = listed?.event_id ?? "";
    const [before] = await read((reads) => reads.trigger.eventsByIds([event_id]));
    expect(before?.matched_condition_ids.length).toBeGreaterThan(0);
    const record = JSON.parse(await large.eventOf(event_id)) as Record<string, PythonValue>;
    for (const [bytes, asked] of [
      [VALUE_BYTES, undefined],
      [VALUE_BYTES, 0],
      [30_000, 10_000],
      [30_000, 0],
      [12_000, 10_000],
    ] as const) {
      const payload = { first: "1", blob: HOSTILE.repeat(Math.ceil(bytes / HOSTILE.length)) };
      await large.setEvent(event_id, pythonJson({ ...record, payload }));
      const [found] = await read((reads) => reads.trigger.eventsByIds([event_id], asked));
      expect(found).toEqual({ ...before, payload: null, whole_size: pythonJson(payload).length });
      const [row] = await read((reads) => reads.trigger.listEvents({ matched: true }, { limit: 1, offset: 0 }));
      expect(row).toEqual(listed);
    }
    await large.setEvent(event_id, pythonJson({ ...record, payload: { blob: "x".repeat(VALUE_BYTES - 5_000) } }));
    const [whole] = await read((reads) => reads.trigger.eventsByIds([event_id]));
    expect(whole?.payload?.blob?.length).toBe(VALUE_BYTES - 5_000);
    expect(whole).not.toHaveProperty("whole_size");
    // Members of another order, as no version of pynenc writes them.
    const { payload: _, ...others } = record;
    await large.setEvent(event_id, pythonJson({ ...others, payload: { blob: "x".repeat(VALUE_BYTES) } }));
    const [odd] = await read((reads) => reads.trigger.eventsByIds([event_id], 10_000));
    expect(odd).toMatchObject({ ...before, payload: null, whole_size: expect.any(Number) });
  });

  it("a valid condition that is too large is cut, and its whole size is reported", async () => {
    const json = `{"condition": "${"x".repeat(VALUE_BYTES)}"}`;
    await large.setValidCondition("large", json);
    expect(await read((reads) => reads.trigger.validConditionsByIds(["large"]))).toEqual([
      { valid_condition_id: "large", valid_condition_json: json.slice(0, VALUE_BYTES), whole_size: json.length },
    ]);
  });

  it("a result within the limit is read whole, without a size", async () => {
    const stored = "y".repeat(VALUE_BYTES);
    await large.setResult(id, stored);
    expect(await read((reads) => reads.state_backend.outcomesOf(["result"], [id]))).toEqual([
      { kind: "result", invocation_id: id, stored },
    ]);
  });
}

describe("large values in a file", () => {
  const copyOf = copies();
  const P = `${tablePrefix(APP)}__`;
  suite(async () => {
    const path = copyOf("kitchen_sink.db");
    const set = (table: string, column: string) => async (id: string, value: string) => {
      const into = `INSERT INTO ${P}state_backend_${table} (invocation_id, ${column}) VALUES (?, ?)`;
      change(path, [`DELETE FROM ${P}state_backend_${table} WHERE invocation_id = ?`, id], [into, id, value]);
    };
    return {
      store: await connectStore(
        { kind: "sqlite", path, components: new Map() },
        { threads: 0, lockWait: 1, readOnly: false },
      ),
      setArguments: async (id, json) =>
        change(path, [
          `UPDATE ${P}state_backend_invocations SET serialized_arguments = ? WHERE invocation_id = ?`,
          json,
          id,
        ]),
      argumentsOf: async (id) =>
        inspect(path, (db) =>
          String(
            db
              .prepare(`SELECT serialized_arguments FROM ${P}state_backend_invocations WHERE invocation_id = ?`)
              .value(id),
          ),
        ),
      eventOf: async (id) =>
        inspect(path, (db) => String(db.prepare(`SELECT event_json FROM ${P}trg_events WHERE event_id = ?`).value(id))),
      setEvent: async (id, json) =>
        change(path, [`UPDATE ${P}trg_events SET event_json = ? WHERE event_id = ?`, json, id]),
      setValidCondition: async (id, json) =>
        change(path, [
          `INSERT INTO ${P}trg_valid_conditions (valid_condition_id, valid_condition_json) VALUES (?, ?)`,
          id,
          json,
        ]),
      setResult: set("results", "result_data"),
      setException: set("exceptions", "exception_data"),
      close: async () => undefined,
    };
  });
});

describeWithRedis("large values on a server", () => {
  const key = (family: string, id: string) => `__pynenc__:${APP}:state_backend:${family}:${id}`;
  const trigger = (family: string, id: string) => `__pynenc__:${APP}:trigger:${family}:${id}`;
  suite(async () => {
    const server: RedisServer = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    const store = storeOn(server);
    // The plugin that wrote the fixture recorded no events.
    const at = "1795221292402.73";
    const event = {
      ...{ event_id: "emitted", event_code: "order.created", timestamp: "2026-11-21T00:34:52.402730+00:00" },
      ...{ payload: {}, matched_condition_ids: ["c"], valid_condition_ids: ["v"], triggered_invocation_ids: [] },
      ...{ emitted_by_invocation_id: null, emitted_by_task_id: null, emitted_by_runner_context_id: "r" },
    };
    const index = (name: string) => `__pynenc__:${APP}:trigger:${name}`;
    await server.exchange([
      ["SET", trigger("evts_hash", "emitted"), pythonJson(event)],
      ["ZADD", index("evts_by_time"), at, "emitted"],
      ["ZADD", index("evts_matched"), at, "emitted"],
      ["SADD", index("evts_codes"), "order.created"],
    ]);
    const document = async (id: string) => String((await server.exchange([["GET", key("invocation", id)]]))[0]);
    const set = (family: string) => async (id: string, value: string) =>
      void (await server.exchange([["SET", key(family, id), value]]));
    return {
      store,
      async setArguments(id, json) {
        const text = await document(id);
        const start = text.indexOf('"serialized_arguments": ') + '"serialized_arguments": '.length;
        const rest = text.slice(text.lastIndexOf(', "parent_invocation_id"'));
        await server.exchange([["SET", key("invocation", id), `${text.slice(0, start)}${json}${rest}`]]);
      },
      argumentsOf: async (id) =>
        pythonJson(
          (JSON.parse(await document(id)) as { serialized_arguments: Record<string, string> }).serialized_arguments,
        ),
      eventOf: async (id) => String((await server.exchange([["GET", trigger("evts_hash", id)]]))[0]),
      setEvent: async (id, json) => void (await server.exchange([["SET", trigger("evts_hash", id), json]])),
      setValidCondition: async (id, json) =>
        void (await server.exchange([["SET", trigger("valid_condition", id), json]])),
      setResult: set("result"),
      setException: set("exception"),
      async close() {
        await store.close();
        await server.close();
      },
    };
  });
});
