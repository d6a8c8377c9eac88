import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type InventoryLimits, InventoryScanner } from "../../../src/services/app/inventory.ts";
import type { AppStore } from "../../../src/stores/ports/store.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

const STEPS: InventoryLimits = { step: 10, young: 4, most_young: 12, wait_up_to: 20, trusted_above: 50 };

const SUCCESS = (n: number) => [[at(n), "registered"] as const, [at(n + 0.5), "success"] as const];

/** `count` invocations, of which the first `forgotten` have lost their status. */
function app(count: number, forgotten: number): MemoryApp {
  return memoryApp().invocations(count, (n) => ({ history: SUCCESS(n), ...(n < forgotten ? { status: null } : {}) }));
}

/** The app's store, counting the definitions that were looked at. */
function watched(store: AppStore): { store: AppStore; scanned: () => number } {
  let scanned = 0;
  const read: AppStore["read"] = (fn) =>
    store.read((reads) =>
      fn({
        ...reads,
        forgotten: {
          orderOf: (ids) => reads.forgotten.orderOf(ids),
          async scan(limit, after) {
            const step = await reads.forgotten.scan(limit, after);
            scanned += step.scanned;
            return step;
          },
        },
      }),
    );
  return { store: { ...bound(store), read }, scanned: () => scanned };
}

/** The app's store, in which counting and each look at definitions do something besides. */
function slowed(store: AppStore, { onCount, onScan }: { onCount?: () => void; onScan?: () => void }): AppStore {
  const read: AppStore["read"] = (fn) =>
    store.read((reads) =>
      fn({
        ...reads,
        forgotten: {
          orderOf: (ids) => reads.forgotten.orderOf(ids),
          scan(limit, after) {
            onScan?.();
            return reads.forgotten.scan(limit, after);
          },
        },
        state_backend: Object.create(reads.state_backend, {
          countDefined: {
            value: () => {
              onCount?.();
              return reads.state_backend.countDefined();
            },
          },
        }),
      }),
    );
  return { ...bound(store), read };
}

function bound(store: AppStore): AppStore {
  return {
    app_id: store.app_id,
    location: store.location,
    kind: store.kind,
    gaps: store.gaps,
    loads: store.loads,
    readOnly: store.readOnly,
    isolated: store.isolated,
    actions: store.actions,
    read: (fn) => store.read(fn),
    version: () => store.version(),
  };
}

function taker(store: AppStore, options: { background?: boolean; clock?: () => number } = {}): InventoryScanner {
  const { background = false, clock = () => 0 } = options;
  return new InventoryScanner(store, { patience: 0, background, steps: STEPS }, clock);
}

describe("InventoryScanner", () => {
  test("a small store is scanned in full before the first answer", async () => {
    const { forgotten, kept, defined } = await taker(app(18, 7).store).inventory();
    expect([forgotten.complete, forgotten.size, kept, defined]).toEqual([true, 7, { success: 11 }, 18]);
  });

  test("a first answer about a large store has the latest part of it, and is marked as incomplete", async () => {
    const inventory = await taker(app(100, 100).store).inventory();
    expect(inventory.forgotten.complete).toBe(false);
    expect(inventory.forgotten.size).toBeGreaterThanOrEqual(20);
    expect(inventory.forgotten.size).toBeLessThan(100);
    expect(inventory.forgotten.matching({}).slice(0, 2)).toEqual([
      { invocation_id: "i99", order: 100 },
      { invocation_id: "i98", order: 99 },
    ]);
    expect(inventory.forgotten.reached).toBe(101 - inventory.forgotten.size);
  });

  test("a large store that takes long to count is not scanned completely before the first answer either", async () => {
    let now = 0;
    const slow = slowed(app(100, 100).store, { onCount: () => (now += 10_000) });
    const { store, scanned } = watched(slow);
    expect((await taker(store, { clock: () => now }).inventory()).forgotten.complete).toBe(false);
    expect(scanned()).toBeLessThan(100);
  });

  test("without a background scan each request continues where the last one stopped", async () => {
    const { store, scanned } = watched(app(100, 60).store);
    const inventory = taker(store);
    let questions = 0;
    while (!(await inventory.inventory()).forgotten.complete && questions < 100) {
      questions++;
      await setImmediate();
    }
    expect(questions).toBeGreaterThan(1);
    expect((await inventory.inventory()).forgotten.size).toBe(60);
    expect(scanned()).toBe(100);
  });

  test("during a long background scan only the first requests wait a little; later ones get what is known so far", async () => {
    let now = 0;
    const { store, scanned } = watched(app(2_000, 2_000).store);
    const read: AppStore["read"] = (fn) => {
      now += 10;
      return store.read(fn);
    };
    const options = { patience: 65, background: true, steps: STEPS };
    const inventory = new InventoryScanner({ ...store, read }, options, () => now);
    const asked: number[] = [];
    for (let n = 0; n < 4; n++) {
      const before = now;
      expect((await inventory.inventory()).forgotten.complete).toBe(false);
      asked.push(now - before);
    }
    expect(asked[0]).toBeGreaterThanOrEqual(60);
    expect(Math.max(...asked.slice(1))).toBeLessThan(30);
    expect(scanned()).toBeLessThan(300);
    inventory.stop();
  });

  test("a complete inventory is awaited, however long the scan is", async () => {
    const { forgotten } = await taker(app(500, 480).store).completeInventory();
    expect([forgotten.complete, forgotten.size]).toEqual([true, 480]);
  });

  test("an unchanged store is not scanned again, and a changed one only for recent invocations", async () => {
    const shop = app(100, 60);
    const { store, scanned } = watched(shop.store);
    const inventory = taker(store);
    await inventory.completeInventory();
    await inventory.completeInventory();
    expect(scanned()).toBe(100);
    shop.invocation("new", { history: SUCCESS(200) });
    expect((await inventory.completeInventory()).kept).toEqual({ success: 41 });
    expect(scanned()).toBeLessThan(120);
  });

  test("an auto-purge of the oldest statuses causes no full scan", async () => {
    const shop = app(400, 300);
    const { store, scanned } = watched(shop.store);
    const inventory = taker(store);
    await inventory.completeInventory();
    const before = scanned();
    shop.change((rows) => rows.statuses.splice(0, 20));
    const { forgotten } = await inventory.completeInventory();
    expect(forgotten.size).toBe(320);
    expect(forgotten.matching({}).slice(0, 1)).toEqual([{ invocation_id: "i319", order: 320 }]);
    expect(scanned() - before).toBeLessThan(130);
  });

  test("after a purge of the state backend no forgotten invocations are left", async () => {
    const shop = app(100, 60);
    const inventory = taker(shop.store);
    await inventory.completeInventory();
    await shop.store.actions.purge(["state_backend"]);
    const { forgotten, defined, kept } = await inventory.completeInventory();
    expect([forgotten.size, defined, kept]).toEqual([0, 0, { success: 40 }]);
  });

  test("a different store in place of this one is noticed, even with the same number of rows", async () => {
    const shop = app(60, 30);
    const inventory = taker(shop.store);
    await inventory.completeInventory();
    shop.change((rows) => {
      for (const table of [rows.definitions, rows.statuses, rows.history])
        for (const row of table) row.invocation_id = `other-${row.invocation_id}`;
    });
    const { forgotten } = await inventory.completeInventory();
    expect(forgotten.matching({}).slice(0, 1)).toEqual([{ invocation_id: "other-i29", order: 30 }]);
    expect(forgotten.size).toBe(30);
  });

  test.each([100, 5])(
    "positions that restart after a purge of %i are not mistaken for old ones, even if totals agree",
    async (count) => {
      const shop = app(count, 0);
      const inventory = taker(shop.store);
      expect((await inventory.completeInventory()).forgotten.size).toBe(0);
      await shop.store.actions.purge(["orchestrator", "state_backend"]);
      const orphan = { history: SUCCESS(200), definition: null };
      shop.invocation("torn", { status: null, history: [] }).invocations(1, () => orphan);
      shop.invocation("new", { history: SUCCESS(201) });
      const { forgotten, kept, defined } = await inventory.completeInventory();
      expect([forgotten.complete, forgotten.size, kept, defined]).toEqual([true, 1, { success: 2 }, 2]);
      expect(forgotten.matching({}).slice(0, 1)).toEqual([{ invocation_id: "torn", order: 1 }]);
    },
  );

  test("an invocation whose registration is in progress does not stay forgotten once it has a status", async () => {
    const shop = app(60, 30).invocation("torn", { status: null, history: [] });
    const inventory = taker(shop.store);
    expect((await inventory.completeInventory()).forgotten.size).toBe(31);
    shop.change((rows) => {
      const call = { task_id_key: "shop.pay", call_id_key: "shop.pay:0" };
      const record = { status_runner_id: null, status_timestamp: at(99), retry_count: 0, auto_purge_timestamp: null };
      rows.statuses.push({ invocation_id: "torn", ...call, status: "registered", ...record });
    });
    const { forgotten, kept } = await inventory.completeInventory();
    expect([forgotten.size, kept.registered]).toEqual([30, 1]);
  });

  test("the rescanned part stays small, however many invocations are registered", async () => {
    const shop = app(10, 5);
    const { store, scanned } = watched(shop.store);
    const inventory = taker(store);
    for (let n = 0; n < 50; n++) {
      shop.invocation(`n${n}`, { history: SUCCESS(100 + n), ...(n % 5 === 0 ? { status: null } : {}) });
      const { forgotten } = await inventory.completeInventory();
      expect(forgotten.size).toBe(5 + Math.floor(n / 5) + 1);
    }
    expect(scanned()).toBeLessThan(50 * 30);
  });

  test("with as many statuses as definitions, only the latest invocations are scanned", async () => {
    const { store, scanned } = watched(app(200, 0).store);
    expect((await taker(store).inventory()).forgotten.complete).toBe(true);
    expect(scanned()).toBe(4);
  });

  test("statuses without a definition hide no forgotten invocation, and cause no full rescan", async () => {
    const shop = app(100, 60).invocations(5, (n) => ({ history: SUCCESS(n + 0.5), definition: null }));
    shop.change((rows) => {
      for (const row of rows.statuses.slice(-5)) row.invocation_id = `orphan-${row.invocation_id}`;
    });
    const { store, scanned } = watched(shop.store);
    const inventory = taker(store);
    expect((await inventory.completeInventory()).forgotten.size).toBe(60);
    shop.invocation("new", { history: SUCCESS(200) });
    const { forgotten, kept } = await inventory.completeInventory();
    expect([forgotten.complete, forgotten.size, kept]).toEqual([true, 60, { success: 46 }]);
    expect(scanned()).toBeLessThan(120);
  });

  test("an invocation forgotten during a scan makes the answer incomplete, and the next request rescans", async () => {
    const shop = app(100, 60);
    let scans = 0;
    const store = slowed(shop.store, {
      onScan: () => {
        scans++;
        if (scans === 4) shop.change((rows) => rows.statuses.pop());
      },
    });
    // However busy the machine is, no look is put off.
    const inventory = new InventoryScanner(
      store,
      {
        patience: 0,
        background: false,
        steps: { ...STEPS, wait_up_to: 1_000 },
      },
      () => 0,
    );
    const first = await inventory.inventory();
    expect([first.forgotten.complete, first.forgotten.size, first.kept]).toEqual([false, 60, { success: 39 }]);
    const second = await inventory.inventory();
    expect([second.forgotten.complete, second.forgotten.size]).toEqual([true, 61]);
    expect(second.forgotten.matching({}).slice(0, 1)).toEqual([{ invocation_id: "i99", order: 100 }]);
  });

  test("a slow count is reused for ten times as long as it took, however often the store changes", async () => {
    let now = 1_000;
    const shop = app(18, 7);
    const count = { takes: 30 };
    const onCount = () => {
      now += count.takes;
    };
    const inventory = taker(slowed(shop.store, { onCount }), { clock: () => now });
    const registered = async (id: string) => {
      shop.invocation(id, { history: SUCCESS(200) });
      return (await inventory.inventory()).defined;
    };
    expect((await inventory.inventory()).defined).toBe(18);
    expect(await registered("a")).toBe(18);
    now += 299;
    expect((await inventory.inventory()).defined).toBe(18);
    now += 1;
    expect((await inventory.inventory()).defined).toBe(19);
    // Counted without a look at everything, which counts as well.
    expect(await registered("b")).toBe(19);
    now += 299;
    expect((await inventory.inventory()).defined).toBe(19);
    now += 1;
    count.takes = 25;
    expect((await inventory.inventory()).defined).toBe(20);
    expect(await registered("c")).toBe(21);
    count.takes = 30;
    expect(await registered("d")).toBe(22);
    expect(await registered("e")).toBe(22);
    // Nobody waits for that after an action of this process, or where nothing may be missing.
    expect((await inventory.completeInventory()).defined).toBe(23);
    expect(await registered("f")).toBe(23);
    inventory.expire();
    expect((await inventory.inventory()).defined).toBe(24);
  });

  test("a slow scan is not repeated for ten times as long as it took, and until then nothing is called complete", async () => {
    let now = 1_000;
    const shop = app(18, 7);
    const onScan = () => {
      now += 30;
    };
    const watch = watched(slowed(shop.store, { onScan }));
    const inventory = taker(watch.store, { clock: () => now });
    expect((await inventory.inventory()).forgotten.complete).toBe(true);
    // Two steps besides the latest registrations.
    const passed = { at: now, cost: 60 };
    shop.change((rows) => rows.statuses.splice(0, 2));
    const before = watch.scanned();
    const soon = await inventory.inventory();
    expect([soon.forgotten.complete, soon.forgotten.size, soon.kept]).toEqual([false, 7, { success: 9 }]);
    expect(watch.scanned() - before).toBe(4);
    now = passed.at + passed.cost * 10 - 100;
    expect((await inventory.inventory()).forgotten.complete).toBe(false);
    now = passed.at + passed.cost * 10 + 300;
    const late = await inventory.inventory();
    expect([late.forgotten.complete, late.forgotten.size]).toEqual([true, 9]);

    shop.change((rows) => rows.statuses.splice(0, 2));
    const { forgotten } = await inventory.completeInventory();
    expect([forgotten.complete, forgotten.size]).toEqual([true, 11]);

    // After an action of this process nobody waits for that either.
    shop.invocation("another", { history: SUCCESS(300), status: null }).change((rows) => rows.statuses.splice(0, 2));
    expect((await inventory.inventory()).forgotten.complete).toBe(false);
    inventory.expire();
    const after = await inventory.inventory();
    expect([after.forgotten.complete, after.forgotten.size]).toEqual([true, 14]);
  });

  test("an auto-purge is noticed by the next request if a scan is cheap", async () => {
    const shop = app(18, 7);
    const inventory = taker(shop.store);
    await inventory.inventory();
    shop.change((rows) => rows.statuses.splice(0, 2));
    const { forgotten } = await inventory.inventory();
    expect([forgotten.complete, forgotten.size]).toEqual([true, 9]);
  });

  test("a background scan goes on without requests until it is stopped", async () => {
    const inventory = taker(app(100, 100).store, { background: true });
    await inventory.inventory();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await inventory.inventory()).forgotten.complete).toBe(true);

    const stopped = taker(app(400, 400).store, { background: true });
    await stopped.inventory();
    stopped.stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await stopped.inventory()).forgotten.complete).toBe(false);
  });

  test("an unreadable store causes an error, and is rescanned afterwards", async () => {
    const shop = app(100, 60);
    let broken = false;
    const read: AppStore["read"] = (fn) => (broken ? Promise.reject(new Error("gone")) : shop.store.read(fn));
    const inventory = taker({ ...bound(shop.store), read });
    await inventory.completeInventory();
    broken = true;
    shop.change(() => undefined);
    await expect(inventory.inventory()).rejects.toThrow("gone");
    broken = false;
    expect((await inventory.completeInventory()).forgotten.size).toBe(60);
  });
});
