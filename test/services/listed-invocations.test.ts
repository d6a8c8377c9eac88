/** Whether a list is certain while the store is still being looked through; the order is held by reference-model.test.ts. */
import { describe, expect, it } from "vitest";
import { CensusTaker } from "../../src/services/census.ts";
import { listInvocations, readInvocationInput } from "../../src/services/invocations.ts";
import { STILL_LOOKING, sliceOfInvocations } from "../../src/services/listed-invocations.ts";
import type { OpenedApp } from "../../src/services/opened-app.ts";
import { at, type MemoryApp, memoryApp } from "../support/memory-app/memory-app.ts";

/** 100 invocations of which the older half is forgotten, looked at back to number 79 or further. */
function halfLooked(): { app: MemoryApp; opened: OpenedApp } {
  const app = memoryApp().invocations(100, (n) => ({
    history: [
      [at(n), "registered"],
      [at(n + 0.5), n % 10 === 0 ? "failed" : "success"],
    ],
    ...(n < 50 ? { status: null } : {}),
  }));
  const taker = new CensusTaker(
    app.store,
    { patience: 0, background: false, steps: { step: 10, young: 1, most_young: 5, waited_for: 20, trusted_above: 0 } },
    () => 0,
  );
  return { app, opened: { ...app.opened, census: () => taker.census(), wholeCensus: () => taker.wholeCensus() } };
}

describe("a list while the store is still being looked through", () => {
  it("is certain as far as it was looked at", async () => {
    const { app, opened } = halfLooked();
    const census = await opened.census();
    expect([census.forgotten.complete, census.forgotten.size]).toEqual([false, 0]);
    const slice = (limit: number, offset = 0) =>
      app.store.read((reads) => sliceOfInvocations(reads, census, {}, { limit, offset }));
    expect((await slice(20)).certain).toBe(true);
    expect((await slice(100 - census.forgotten.reached)).certain).toBe(true);
    expect((await slice(100 - census.forgotten.reached + 1)).certain).toBe(false);
    expect((await slice(60)).certain).toBe(false);
    const failed = await app.store.read((reads) =>
      sliceOfInvocations(reads, census, { statuses: ["failed"] }, { limit: 50, offset: 0 }),
    );
    expect([failed.invocation_ids, failed.certain]).toEqual([["i90", "i80", "i70", "i60", "i50"], false]);
  });

  it("says so, and that its total may be larger", async () => {
    const { opened } = halfLooked();
    const list = async (raw: Record<string, string>) =>
      listInvocations(
        opened,
        await readInvocationInput(opened, Object.fromEntries(Object.entries(raw).map(([k, v]) => [k, [v]]))),
      );
    const first = await list({ status: "failed", limit: "1" });
    expect(first.notes).toEqual([]);
    expect([first.page.total, first.page.total_capped]).toEqual([5, true]);
    const all = await list({ status: "failed" });
    expect(all.notes).toEqual([STILL_LOOKING]);
    await opened.wholeCensus();
    const later = await list({ status: "failed" });
    expect([later.notes, later.page.total, later.page.total_capped]).toEqual([[], 10, false]);
    expect(later.invocations.at(-1)).toMatchObject({ invocation_id: "i0", status_source: "history" });
  });
});
