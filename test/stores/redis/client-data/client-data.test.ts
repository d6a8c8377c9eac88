import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClientDataReads } from "../../../../src/stores/ports/client-data.ts";
import type { RedisStore } from "../../../../src/stores/redis/store.ts";
import { fixturePath } from "../../../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../../support/redis-server.ts";
import { storeOn } from "../../../support/redis-store.ts";

const ALL = { limit: 10_000, offset: 0 };

/** Values of kitchen_sink by the beginnings of their hashes, in bytes. */
const SIZES = {
  "0e433b7c": 1504,
  "579bf0be": 3002,
  "583c72bb": 3123,
  "77ce7643": 1503,
  "9b35e7a1": 4034,
  b6212bfb: 10_900,
  d988b287: 4002,
  da25d71b: 1502,
};

describeWithRedis("client data in Redis", () => {
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
  const read = <T>(fn: (values: ClientDataReads) => Promise<T>, app = "kitchen_sink") =>
    store.app(app).read((reads) => fn(reads.client_data_store));
  const put = (app: string, values: Record<string, string>) =>
    server.exchange(
      Object.entries(values).map(([reference, value]) => [
        "SET",
        `__pynenc__:${app}:client_data_store:client_data_store:${reference}`,
        value,
      ]),
    );

  it("is listed by reference, with sizes and without times", async () => {
    const listed = await read((values) => values.listValues(ALL));
    expect(Object.fromEntries(listed.map(({ data_key, size }) => [data_key.split(":")[1]?.slice(0, 8), size]))).toEqual(
      SIZES,
    );
    expect(listed.map((value) => value.data_key)).toEqual(listed.map((value) => value.data_key).sort());
    expect(listed.every((value) => value.created_at === null)).toBe(true);
    expect(await read((values) => values.listValues({ limit: 3, offset: 2 }))).toEqual(listed.slice(2, 5));
    expect(await read((values) => values.figures())).toEqual({
      values: 8,
      bytes: Object.values(SIZES).reduce((sum, size) => sum + size),
      oldest: null,
      newest: null,
    });
    expect(await read((values) => values.listValues(ALL), "sink[3]*?")).toEqual([]);
    expect(await read((values) => values.figures(), "sink[3]*?")).toMatchObject({ values: 0, bytes: 0 });
  });

  it("is read by reference, whole or cut between characters", async () => {
    const reference = "__pynenc__client_data__:da25d71bddd9418a5374be77e57ba98630a6ab3b4196faa0380fdeb535c56f44";
    const [whole] = await read((values) => values.valuesByKeys([reference, "no such value", reference], 1_000_000));
    expect(whole).toMatchObject({ data_key: reference, size: 1502, created_at: null });
    expect(whole?.text).toHaveLength(1502);
    // The bytes that are read end inside the second or the third character.
    await put("texts", { a: "é".repeat(9), b: "日本語".repeat(3), c: "x😀".repeat(3) });
    const cut = await read((values) => values.valuesByKeys(["a", "b", "c"], 2), "texts");
    expect(cut.map(({ text, size }) => [text, size])).toEqual([
      ["éé", 18],
      ["日本", 27],
      ["x\ud83d", 15],
    ]);
    expect(await read((values) => values.valuesByKeys(["a"], 0), "texts")).toMatchObject([{ text: "", size: 18 }]);
    expect(await read((values) => values.valuesByKeys([], 10), "texts")).toEqual([]);
  });

  describe("with more values than are measured", () => {
    it("has an estimate of its bytes", async () => {
      const many = Array.from({ length: 12_000 }, (_, i) => [`ref${String(i).padStart(5, "0")}`, "12345678"]);
      await put("many", Object.fromEntries(many));
      expect(await read((values) => values.figures(), "many")).toMatchObject({ values: 12_000, bytes: 96_000 });
      const page = await read((values) => values.listValues({ limit: 2, offset: 11_998 }), "many");
      expect(page.map((value) => value.data_key)).toEqual(["ref11998", "ref11999"]);
    });
  });
});
