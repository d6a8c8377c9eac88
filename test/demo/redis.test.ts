/** The demo in a Redis server compared with the demo in a file, through the ports of both stores. */
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRedisDemo } from "../../src/demo/redis-demo.ts";
import { DEMO_APP_ID, SECOND_APP_ID } from "../../src/demo/story/story.ts";
import { SERVER_LAYOUT } from "../../src/demo/writer/server-writer.ts";
import { RefusedError } from "../../src/errors.ts";
import { connectStore } from "../../src/stores/connect.ts";
import { COMPONENTS } from "../../src/stores/ports/common.ts";
import type { Store } from "../../src/stores/ports/store.ts";
import { createDemo } from "../support/demo-file.ts";
import { temporaryFolder } from "../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../support/redis-server.ts";
import { QUESTIONS } from "./questions.ts";
import { NOW } from "./support.ts";

function storeOf(server: RedisServer): Promise<Store> {
  const endpoints = Object.fromEntries(COMPONENTS.map((component) => [component, server.endpoint]));
  return connectStore({ kind: "redis", endpoints: endpoints as never }, { threads: 0, lockWait: 1, readOnly: false });
}

describeWithRedis("the demo in a Redis server", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  const write = async (seed: number, size?: number) => {
    const writer = await createRedisDemo({ endpoint: server.endpoint, now: NOW, seed, ...(size && { size }) });
    await writer.outbox.connection.close();
  };

  describe.each([
    ["the story", undefined],
    ["bulk data", 2_400],
  ])("%s", (_, size) => {
    const folder = temporaryFolder();
    const path = join(folder.path, "demo.db");
    let file: Store;
    let redis: Store;
    beforeAll(async () => {
      createDemo({ path, now: NOW, seed: 1, layout: SERVER_LAYOUT, ...(size && { size }) });
      await write(1, size);
      file = await connectStore(
        { kind: "sqlite", path, components: new Map() },
        { threads: 0, lockWait: 1, readOnly: false },
      );
      redis = await storeOf(server);
    });
    afterAll(async () => {
      await file.close();
      await redis.close();
      folder.remove();
    });

    it("has the same apps in Redis as in a file", async () => {
      const ids = async (store: Store) => (await store.apps()).map(({ app_id, phantom }) => [app_id, phantom]);
      expect(await ids(redis)).toEqual(await ids(file));
    });

    it.each(Object.keys(QUESTIONS))("has the same %s in Redis as in a file", async (name) => {
      const ask = QUESTIONS[name] ?? (() => Promise.reject(new Error(name)));
      const apps = size === undefined ? [DEMO_APP_ID, SECOND_APP_ID] : [DEMO_APP_ID];
      for (const app of apps) expect(await redis.app(app).read(ask)).toEqual(await file.app(app).read(ask));
    });
  });

  describe("the demo in a Redis database with other apps", () => {
    beforeEach(() => server.exchange([["FLUSHALL"]]));

    const foreign = {
      "__pynenc__:__pynenc__:apps_info:demo-shop-2": "{}",
      "__pynenc__:demo-shop-2:state_backend:invocation:a": "{}",
      "__pynenc__:demo:orchestrator:status:success": "{}",
      "demo-shop": "1",
    };
    const put = (keys: Record<string, string>) =>
      server.exchange(Object.entries(keys).map(([key, value]) => ["SET", key, value]));
    const keys = async () => ((await server.exchange([["KEYS", "*"]]))[0] as string[]).sort();

    it("replaces an earlier demo and nothing else", async () => {
      await put(foreign);
      await write(1, 240);
      const first = await keys();
      await write(2, 24);
      const second = await keys();
      expect(second.length).toBeLessThan(first.length / 3);
      expect(second).toEqual(expect.arrayContaining(Object.keys(foreign)));
      await write(1, 240);
      expect(await keys()).toEqual(first);
    });

    it.each([
      [
        "an app of the same id",
        { "__pynenc__:__pynenc__:apps_info:demo-shop": '{"app_id": "demo-shop", "module": "mine"}' },
      ],
      ["a second app of the same id", { "__pynenc__:__pynenc__:apps_info:demo-billing": '{"module": "billing.app"}' }],
      ["a registration that cannot be read", { "__pynenc__:__pynenc__:apps_info:demo-shop": "demo" }],
      ["keys without a registration", { "__pynenc__:demo-shop:broker:default_queue": "x" }],
    ])("leaves %s alone", async (_, there) => {
      await put({ ...foreign, ...there });
      await expect(write(1, 24)).rejects.toThrow(RefusedError);
      expect(await keys()).toEqual(Object.keys({ ...foreign, ...there }).sort());
    });
  });
});
