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

  test("empties one component, which changes the token of the app", async () => {
    const before = await app.version();
    expect(await app.version()).toBe(before);
    await app.actions.purge(["orchestrator"]);
    const emptied = await app.version();
    expect(emptied).not.toBe(before);
    await app.actions.purge(["trigger"]);
    expect(await app.version()).not.toBe(emptied);
    const ids = await app.read(({ state_backend }) => state_backend.listDefined({}, { limit: 10, offset: 0 }));
    const forgotten = await app.read((reads) => reads.forgotten.scan(3));
    expect(forgotten).toMatchObject({ scanned: 3, last: ids[2]?.invocation_id });
    const rest = await app.read((reads) => reads.forgotten.scan(3, forgotten.next ?? undefined));
    expect([...forgotten.rows, ...rest.rows].map(({ invocation_id }) => invocation_id).sort()).toEqual(
      ids.map(({ invocation_id }) => invocation_id).sort(),
    );
    expect(rest.next).toBeNull();
  });

  test("is not found well while one of its stores cannot be reached", async () => {
    expect((await store.apps()).map(({ app_id }) => app_id)).toEqual([APP]);
    const halved = opened("redis://127.0.0.1:1/0");
    await expect(halved.apps()).rejects.toThrow(StoreUnreachableError);
    await halved.close();
  });
});
