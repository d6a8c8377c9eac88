import { afterEach, beforeEach, expect, test } from "vitest";
import { RefusedError, StoreUnreachableError } from "../../src/errors.ts";
import { MixedStore } from "../../src/stores/mixed-store.ts";
import { COMPONENTS } from "../../src/stores/ports/common.ts";
import type { AppStore } from "../../src/stores/ports/store.ts";
import { onePath } from "../../src/stores/sqlite/file/component-paths.ts";
import { SqliteStore } from "../../src/stores/sqlite/store.ts";
import { type MixedFixture, mixedFixtures } from "../support/mixed-fixtures.ts";
import { describeWithRedis } from "../support/redis-server.ts";
import { storeOn } from "../support/redis-store.ts";

const APP = "pending_triggers";
const OPTIONS = { threads: 0, lockWait: 1, readOnly: false };

describeWithRedis("an app with its queue and orchestrator in Redis and the rest in SQLite", () => {
  const load = mixedFixtures(["redis", "sqlite"]);
  let fixture: MixedFixture;
  let store: MixedStore;
  let app: AppStore;

  function opened(url: string): MixedStore {
    const redis = { endpoint: { url, location: url, connectTimeout: 1, timeout: 10 } };
    return new MixedStore([
      {
        store: new SqliteStore(onePath(String(fixture.env.PYNENC__SQLITE_DB_PATH)), OPTIONS),
        keeps: ["state_backend", "client_data_store", "trigger"],
      },
      { store: storeOn(redis), keeps: ["broker", "orchestrator"] },
    ]);
  }

  const rows = (one: AppStore) =>
    one.read(async ({ layout }) =>
      (await layout.figures()).map(({ component, name, rows: count }) => `${component} ${name} ${count}`),
    );

  beforeEach(async () => {
    const [s, r] = ["sqlite", "redis"] as const;
    const kinds = { broker: r, orchestrator: r, state_backend: s, client_data_store: s, trigger: s };
    fixture = await load("pending_triggers.db", kinds);
    store = opened(String(fixture.env.PYNENC__REDIS_URL));
    app = store.app(APP);
  });
  afterEach(async () => {
    await store.close();
    await fixture.close();
  });

  test("has all components, and figures of each from the store that keeps it", async () => {
    const { components } = await app.read(({ layout }) => layout.capabilities());
    expect(Object.values(components)).toEqual(COMPONENTS.map(() => true));
    const found = await rows(app);
    expect(found.some((row) => row.startsWith("orchestrator "))).toBe(true);
    expect(found.some((row) => row.startsWith("state_backend "))).toBe(true);
  });

  test("refuses an action that takes steps in both, in a preview and before anything is changed", async () => {
    const before = await rows(app);
    const request = { settled_until: 0, active_since: 0, force: true };
    const refused = [
      app.actions.purge(COMPONENTS),
      app.actions.requeue(["a"], request),
      app.read(({ preview }) => preview.purge(COMPONENTS)),
    ];
    for (const answer of await Promise.allSettled(refused)) {
      expect(answer).toMatchObject({ status: "rejected", reason: expect.any(RefusedError) });
    }
    await expect(app.actions.purge(COMPONENTS)).rejects.toThrow(
      "Nothing was changed: this purge needs the broker and the state backend in one store, and this app keeps them in two.",
    );
    expect(await rows(app)).toEqual(before);
  });

  test("leaves an action to the only store that it changes, and its token changes with it", async () => {
    const tokens = [await app.version()];
    const of = (all: readonly string[], component: string) => all.filter((row) => row.startsWith(`${component} `));
    const before = await rows(app);
    await app.actions.purge(["orchestrator"]);
    tokens.push(await app.version());
    await app.actions.purge(["trigger"]);
    tokens.push(await app.version());
    expect(new Set(tokens).size).toBe(3);
    const after = await rows(app);
    for (const component of ["orchestrator", "trigger"]) {
      expect([component, of(after, component)]).not.toEqual([component, of(before, component)]);
    }
    for (const component of ["broker", "state_backend", "client_data_store"]) {
      expect([component, of(after, component)]).toEqual([component, of(before, component)]);
    }
  });

  test("does not list its apps while one of its stores cannot be reached", async () => {
    expect((await store.apps()).map(({ app_id }) => app_id)).toContain(APP);
    const without = opened("redis://127.0.0.1:1/");
    await expect(without.apps()).rejects.toBeInstanceOf(StoreUnreachableError);
    await without.close();
  });
});
