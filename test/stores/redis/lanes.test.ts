/** Reads in a worker thread: whoever leaves is not waited for, and a thread that hangs is replaced. The clock alone is mocked. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { AbandonedError, RefusedError, StoreUnreachableError } from "../../../src/errors.ts";
import { Catalogue } from "../../../src/stores/redis/keys/catalogue.ts";
import type { RedisStore } from "../../../src/stores/redis/store.ts";
import { fixturePath } from "../../support/fixtures.ts";
import { describeWithRedis, type RedisServer, startRedis } from "../../support/redis-server.ts";
import { storeOn } from "../../support/redis-store.ts";

const APP = "kitchen_sink";

describeWithRedis("a store that is read in a thread", () => {
  let server: RedisServer;
  let store: RedisStore;
  beforeAll(async () => {
    server = await startRedis({ rdb: fixturePath("redis/kitchen_sink_redis.rdb") });
    store = storeOn(server, { threads: 1 });
    // The first look is in this thread.
    await count();
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });
  const count = (signal?: AbortSignal) => store.app(APP).read((reads) => reads.broker.countMessages(), signal);

  it("uses the main thread only to ask whether something changed", async () => {
    await count();
    const before = store.traffic.commands;
    await store.app(APP).read((reads) => reads.orchestrator.countByStatus());
    expect(store.traffic.commands).toBe(before);
  });

  it("reports the load of all threads on the server", async () => {
    const bounded = storeOn(server, { threads: 1, maxCommands: 20_000 });
    try {
      const app = bounded.app(APP);
      for (let i = 0; i < 10; i++) await app.read((reads) => reads.orchestrator.countByTaskAndStatus());
      const [load, ...others] = app.loads;
      expect(others).toEqual([]);
      expect(load).toMatchObject({ most_commands: 20_000, most_bytes: 100_000_000 });
      // This thread has the first look only.
      expect(load?.commands).toBeGreaterThan(bounded.traffic.commands * 1.5);
      expect(load?.bytes).toBeGreaterThan(100);
    } finally {
      await bounded.close();
    }
    expect(store.app(APP).loads).toEqual([]);
  });

  it("drops the reads of a client that leaves, even while the server does not answer, and serves the next", async () => {
    await count();
    server.freeze();
    try {
      const leaving = new AbortController();
      const failed = expect(Promise.all([1, 2, 3].map(() => count(leaving.signal)))).rejects.toBeInstanceOf(
        AbandonedError,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      leaving.abort();
      await failed;
    } finally {
      server.thaw();
    }
    expect(await count()).toBe(6);
  });

  it("runs a few reads at once; others wait in line and lose their place when they leave", async () => {
    let letGo = (): void => undefined;
    const busy = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let begun = 0;
    const held = Array.from({ length: 6 }, () =>
      store.app(APP).read(async () => {
        begun++;
        await busy;
      }),
    );
    await vi.waitFor(() => expect(begun).toBe(4));
    const leaving = new AbortController();
    const gone = expect(count(leaving.signal)).rejects.toBeInstanceOf(AbandonedError);
    leaving.abort();
    await gone;
    expect(begun).toBe(4);
    letGo();
    await Promise.all(held);
    expect(begun).toBe(6);
  });

  it("replaces a thread that does not answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const hung = store.app(APP).read(async ({ orchestrator }) => {
        const asked = orchestrator.countByStatus().catch((error: unknown) => error);
        // For this clock the answer, which is on its way, comes too late.
        vi.advanceTimersByTime(30_000);
        return asked;
      });
      const failure = await hung;
      expect(failure).toBeInstanceOf(StoreUnreachableError);
      expect(failure).toMatchObject({ reason: "timeout", message: "The store did not answer within 30 s." });
    } finally {
      vi.useRealTimers();
    }
    expect(await count()).toBe(6);
  });

  it("runs an action and returns its outcome, and refuses it in read-only mode", async () => {
    const [emptied] = await store.app(APP).actions.purge(["broker"]);
    expect(emptied).toMatchObject({ component: "broker", rows: 6 });
    expect(await count()).toBe(0);
    const readOnly = storeOn(server, { threads: 1, readOnly: true });
    await expect(readOnly.app(APP).actions.purge(["broker"])).rejects.toBeInstanceOf(RefusedError);
    await readOnly.close();
  });

  it("reports that the server is gone, and works again when it is back", async () => {
    await server.stop();
    const failure = await count().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnreachableError);
    await server.start();
    expect(await count()).toBe(6);
  });
});

describeWithRedis("an action in a thread", () => {
  it("makes the store forget expensive names of keys only if it was a purge", async () => {
    const expired = vi.spyOn(Catalogue.prototype, "expire");
    const server = await startRedis();
    const store = storeOn(server);
    try {
      await store.app(APP).read((reads) => reads.broker.countMessages());
      await store.app(APP).actions.purgeQueue("none");
      await store.app(APP).actions.purge(["broker"]);
      expect(expired.mock.calls).toEqual([[1_000], [Number.POSITIVE_INFINITY]]);
    } finally {
      expired.mockRestore();
      await store.close();
      await server.close();
    }
  });
});
