/** Lists of invocations with a status and of purged ones in one order, from any position, while the store is still being scanned too. */
import { describe, expect, it } from "vitest";
import type { OpenedApp } from "../../../src/services/app/opened-app.ts";
import { listInvocations, readInvocationInput } from "../../../src/services/invocations/invocations.ts";
import {
  invocationsAfter,
  notFoundHint,
  STILL_SCANNING,
  sliceOfInvocations,
} from "../../../src/services/model/listed-invocations.ts";
import type { Cursor } from "../../../src/stores/ports/common.ts";
import type { OrchestratorReads, StatusFilter } from "../../../src/stores/ports/orchestrator.ts";
import { storeWith } from "../../support/counting.ts";
import { halfScanned } from "../../support/memory-app/half-scanned.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";
import { portWith } from "../../support/memory-app/port-with.ts";

/** As a server: it looks at ids one by one for their beginning. */
function withoutIdIndex({ opened, store }: MemoryApp): OpenedApp {
  return {
    ...opened,
    store: storeWith(store, (fn, signal) =>
      store.read((reads) => fn({ ...reads, orchestrator: lookingAtIds(reads.orchestrator) }), signal),
    ),
  };
}

function lookingAtIds(orchestrator: OrchestratorReads): OrchestratorReads {
  return portWith(orchestrator, {
    isIndexed: async ({ id_prefix }) => id_prefix === undefined,
    async scanInvocations(filter, limit, scanLimit, after) {
      if (filter.id_prefix === undefined) return orchestrator.scanInvocations(filter, limit, scanLimit, after);
      const looked = await orchestrator.listInvocations({}, { limit: scanLimit, offset: 0 }, after);
      const met = await orchestrator.listInvocations(filter, { limit, offset: 0 }, after);
      const rows = met.filter((row) => looked.some((one) => one.cursor === row.cursor));
      const [last, end] = [rows.at(-1), looked.at(-1)];
      if (rows.length < limit)
        return { rows, scanned: looked.length, stopped: looked.length < scanLimit ? null : (end ?? null) };
      return { rows, scanned: looked.findIndex((one) => one.cursor === last?.cursor) + 1, stopped: null };
    },
  });
}

/** Which of 40 invocations are forgotten; the oldest of the others may have lost their definition. */
const WORLDS: [string, forgotten: (n: number) => boolean, undefinedBelow: number][] = [
  ["the older half is forgotten", (n) => n < 20, 0],
  ["the newer half is forgotten", (n) => n >= 20, 0],
  ["every other one is forgotten", (n) => n % 2 === 0, 0],
  ["most are forgotten", (n) => n % 7 !== 3, 0],
  ["few are forgotten", (n) => n % 11 === 5, 0],
  ["all are forgotten", () => true, 0],
  ["none is forgotten", () => false, 0],
  ["the oldest have no definition", (n) => n >= 14 && n % 3 !== 0, 14],
  ["one has no definition", (n) => n % 4 === 2, 1],
];

describe.each(WORLDS)("where %s", (_, forgotten, undefinedBelow) => {
  const status = (n: number) => (n % 3 === 0 ? "failed" : "success");
  const world = () =>
    memoryApp().invocations(40, (n) => ({
      task: n % 5 < 2 ? "shop.ship" : "shop.pay",
      history: [
        [at(n), "registered"],
        [at(n + 0.5), status(n)],
      ],
      ...(forgotten(n) ? { status: null } : {}),
      ...(n < undefinedBelow ? { definition: null } : {}),
    }));
  const app = world();
  const FILTERS: [StatusFilter, (n: number) => boolean][] = [
    [{}, () => true],
    [{ statuses: ["failed"] }, (n) => status(n) === "failed"],
    [{ statuses: ["success"], task_id_key: "shop.ship" }, (n) => status(n) === "success" && n % 5 < 2],
    [{ id_prefix: "i1" }, (n) => `${n}`.startsWith("1")],
    [{ statuses: [] }, () => false],
  ];
  const expected = (meets: (n: number) => boolean) =>
    Array.from({ length: 40 }, (_, n) => 39 - n)
      .filter(meets)
      .map((n) => `i${n}`);

  it.each([
    [1, 1],
    [2, 3],
    [7, 3],
    [7, 10],
    [3, 1_000],
  ])(
    "a walk in steps of %d, scanning %d registrations at a time for an id prefix, meets each invocation once",
    async (size, scanLimit) => {
      const unindexed = withoutIdIndex(world());
      const inventory = await unindexed.completeInventory();
      for (const [filter, meets] of FILTERS) {
        const met: string[] = [];
        let steps = 0;
        for (let after: Cursor | undefined; ; ) {
          const step = await unindexed.store.read((reads) =>
            invocationsAfter(reads, inventory, filter, size, after, scanLimit),
          );
          expect(step.scanned).toBeLessThanOrEqual(Math.max(size, scanLimit));
          met.push(...step.invocation_ids);
          steps++;
          if (step.next === null) break;
          after = step.next;
        }
        expect([filter, met]).toEqual([filter, expected(meets)]);
        expect(steps).toBeLessThan(45);
      }
    },
  );

  it.each([0, 13, 1_000])(
    "slices found from position %d on equal the slices of the whole list",
    async (readFromStart) => {
      const inventory = await app.opened.completeInventory();
      const wanted: [unknown, string[]][] = [];
      const found = await app.store.read(async (reads) => {
        const slices: [unknown, string[]][] = [];
        for (const [filter, meets] of FILTERS) {
          for (let offset = 0; offset < 42; offset++) {
            const slice = { limit: offset % 2 === 0 ? 1 : 7, offset };
            const { invocation_ids } = await sliceOfInvocations(reads, inventory, filter, slice, readFromStart);
            slices.push([{ ...filter, ...slice }, invocation_ids]);
            wanted.push([{ ...filter, ...slice }, expected(meets).slice(offset, offset + slice.limit)]);
          }
        }
        return slices;
      });
      expect(found).toEqual(wanted);
    },
  );

  it("a walk meets each invocation once, in the order of the list, and ends", async () => {
    const inventory = await app.opened.completeInventory();
    for (const [filter, meets] of FILTERS) {
      for (const size of [1, 3, 8, 100]) {
        const met: string[] = [];
        let after: Cursor | undefined;
        let steps = 0;
        do {
          const step = await app.store.read((reads) => invocationsAfter(reads, inventory, filter, size, after));
          expect(step.certain).toBe(true);
          met.push(...step.invocation_ids);
          after = step.next ?? undefined;
        } while (after !== undefined && ++steps < 50);
        expect([filter, size, met]).toEqual([filter, size, expected(meets)]);
        expect(steps).toBe(Math.floor(met.length / size));
      }
    }
  });
});

it("a walk continues where it stopped after new registrations, and after its last invocation is forgotten or purged", async () => {
  const app = memoryApp().invocations(20, (n) => ({
    history: [[at(n), "success"]],
    ...(n % 2 === 0 ? { status: null } : {}),
  }));
  const next = async (after: Cursor | undefined) => {
    const inventory = await app.opened.completeInventory();
    return app.store.read((reads) => invocationsAfter(reads, inventory, {}, 4, after));
  };
  const first = await next(undefined);
  expect(first.invocation_ids).toEqual(["i19", "i18", "i17", "i16"]);
  app.invocation("new", { history: [[at(50), "success"]] });
  const second = await next(first.next ?? undefined);
  expect(second.invocation_ids).toEqual(["i15", "i14", "i13", "i12"]);
  app.change((rows) => rows.definitions.splice(12, 1));
  expect((await next(second.next ?? undefined)).invocation_ids).toEqual(["i11", "i10", "i9", "i8"]);
});

describe("a list while the store is still being scanned", () => {
  it("is certain up to the point that the scan has reached", async () => {
    const { app, opened } = halfScanned();
    const inventory = await opened.inventory();
    expect([inventory.forgotten.complete, inventory.forgotten.size]).toEqual([false, 0]);
    const slice = (limit: number, offset = 0) =>
      app.store.read((reads) => sliceOfInvocations(reads, inventory, {}, { limit, offset }));
    expect((await slice(20)).certain).toBe(true);
    expect((await slice(101 - inventory.forgotten.reached)).certain).toBe(true);
    expect((await slice(101 - inventory.forgotten.reached + 1)).certain).toBe(false);
    expect((await slice(60)).certain).toBe(false);
    const failed = await app.store.read((reads) =>
      sliceOfInvocations(reads, inventory, { statuses: ["failed"] }, { limit: 50, offset: 0 }),
    );
    expect([failed.invocation_ids, failed.certain]).toEqual([["i90", "i80", "i70", "i60", "i50"], false]);
  });

  it("is certain as far as a walk in pieces stays within the scanned part", async () => {
    const { app, opened } = halfScanned();
    const inventory = await opened.inventory();
    expect(notFoundHint(inventory)).toBe(STILL_SCANNING);
    const rest = (size: number) => app.store.read((reads) => invocationsAfter(reads, inventory, {}, size, undefined));
    const scanned = 101 - inventory.forgotten.reached;
    expect([(await rest(scanned)).certain, (await rest(scanned + 1)).certain]).toEqual([true, false]);
    // i9 has not been looked at: it may follow i99 to i90.
    const ofNines = (limit: number) =>
      app.store.read((reads) => sliceOfInvocations(reads, inventory, { id_prefix: "i9" }, { limit, offset: 0 }));
    expect([(await ofNines(10)).certain, (await ofNines(11)).certain]).toEqual([true, false]);
    expect(notFoundHint(await opened.completeInventory())).toBeNull();
  });

  it("has a note that the scan goes on, and a total that may be too small", async () => {
    const { opened } = halfScanned();
    const list = async (raw: Record<string, string>) =>
      listInvocations(
        opened,
        await readInvocationInput(opened, Object.fromEntries(Object.entries(raw).map(([k, v]) => [k, [v]])), "list"),
      );
    const first = await list({ status: "failed", limit: "1" });
    expect(first.notes).toEqual([]);
    expect([first.page.total, first.page.total_capped]).toEqual([5, true]);
    const all = await list({ status: "failed" });
    expect(all.notes).toEqual([STILL_SCANNING]);
    for (const raw of [{ status: "failed", sort: "status" }, { q: "status:failed -task:shop.nothing" }]) {
      const { notes, page } = await list(raw);
      expect([raw, notes, page.total_capped]).toEqual([raw, [STILL_SCANNING], true]);
      // It is looked through meanwhile, step by step.
      expect(page.total).toBeGreaterThanOrEqual(5);
      expect(page.total).toBeLessThan(10);
    }
    await opened.completeInventory();
    for (const raw of [{ status: "failed", sort: "status" }, { q: "status:failed -task:shop.nothing" }]) {
      const { notes, page } = await list(raw);
      expect([raw, notes, page.total, page.total_capped]).toEqual([raw, [], 10, false]);
    }
    const later = await list({ status: "failed" });
    expect([later.notes, later.page.total, later.page.total_capped]).toEqual([[], 10, false]);
    expect(later.invocations.at(-1)).toMatchObject({ invocation_id: "i0", status_source: "history" });
  });
});

it("an id prefix without an index is searched for a bounded number of rows, and the next page continues from there", async () => {
  const app = withoutIdIndex(
    memoryApp().invocations(300, (n) => ({
      history: [[at(n / 10), "success"]],
      ...(n % 100 === 7 ? { status: null } : {}),
    })),
  );
  const list = async (raw: Record<string, string[]>, scanLimit?: number) =>
    listInvocations(app, await readInvocationInput(app, raw, "list"), scanLimit);
  await app.completeInventory();
  const whole = await list({ id_prefix: ["i10"] });
  expect(whole.invocations.map((row) => row.invocation_id)).toEqual([
    ...["i109", "i108", "i107", "i106", "i105", "i104", "i103", "i102", "i101", "i100", "i10"],
  ]);
  expect([whole.page.total, whole.older, whole.notes]).toEqual([11, null, []]);
  const some = await list({ id_prefix: ["i"], limit: ["20"] });
  expect([some.invocations.length, some.page.total, some.page.has_next]).toEqual([20, null, true]);
  const next = await list({ id_prefix: ["i"], limit: ["20"], after: [some.older ?? ""] });
  expect(next.invocations[0]?.invocation_id).toBe("i279");
});
