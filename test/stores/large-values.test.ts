/** Values that are too large to be read whole: every store hands out their beginning and their size, and copies them whole. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { pythonJson } from "../../src/pynenc/python-dump.ts";
import { externalCaller } from "../../src/pynenc/rerun.ts";
import { connectStore } from "../../src/stores/connect.ts";
import type { AppReads, Store } from "../../src/stores/ports.ts";
import { PREVIEW_BYTES, VALUE_BYTES } from "../../src/stores/value-limit.ts";
import { fixturePath } from "../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { storeOn } from "./redis/store-on.ts";
import { change, copies, inspect } from "./sqlite/rows.ts";

const APP = "kitchen_sink";
const ALL = { limit: 10_000, offset: 0 };

/** What a store is made to hold, and what it holds. */
interface LargeStore {
  store: Store;
  setArguments(id: string, json: string): Promise<void>;
  argumentsOf(id: string): Promise<string>;
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

  it("cuts arguments to what was asked for, and keeps the rest of the definition", async () => {
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

  it("never copies a part of the arguments into a call that is registered again", async () => {
    const whole = await large.argumentsOf(id);
    expect(whole.length).toBeGreaterThan(VALUE_BYTES);
    const [done] = await large.store
      .app(APP)
      .actions.rerun([id], { caller: externalCaller("monitor", 1), force: true });
    expect(done).toMatchObject({ refusal: null, new_invocation_id: expect.any(String) });
    expect(await large.argumentsOf(done?.new_invocation_id ?? "")).toBe(whole);
  });

  it("cuts results and exceptions between characters and tells how large they are", async () => {
    for (const extra of [0, 1, 2, 3]) {
      const stored = `"${"x".repeat(extra)}${"é日😀".repeat(VALUE_BYTES / 8)}"`;
      const size = Buffer.byteLength(stored);
      await large.setResult(id, stored);
      await large.setException(id, stored);
      const [[result], [exception]] = await read(({ state_backend }) =>
        Promise.all([state_backend.resultsOf([id]), state_backend.exceptionsOf([id])]),
      );
      for (const found of [result, exception]) {
        expect(found?.whole_size).toBe(size);
        expect(stored.startsWith(found?.stored ?? "?")).toBe(true);
        expect(Buffer.byteLength(found?.stored ?? "")).toBeGreaterThan(VALUE_BYTES - 4);
        expect(Buffer.byteLength(found?.stored ?? "")).toBeLessThanOrEqual(VALUE_BYTES);
      }
    }
  });

  it("hands out whole, and without a mark, what is no larger than the limit", async () => {
    const stored = "y".repeat(VALUE_BYTES);
    await large.setResult(id, stored);
    expect(await read((reads) => reads.state_backend.resultsOf([id]))).toEqual([{ invocation_id: id, stored }]);
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
      setResult: set("results", "result_data"),
      setException: set("exceptions", "exception_data"),
      close: async () => undefined,
    };
  });
});

describeWithRedis("large values on a server", () => {
  const key = (family: string, id: string) => `__pynenc__:${APP}:state_backend:${family}:${id}`;
  suite(async () => {
    const server: RedisServer = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    const store = storeOn(server);
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
      setResult: set("result"),
      setException: set("exception"),
      async close() {
        await store.close();
        await server.close();
      },
    };
  });
});
