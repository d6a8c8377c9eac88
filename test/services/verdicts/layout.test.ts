/** The layout of the store, as a verdict: the same sentences as `doctor` finds. */
import { describe, expect, it } from "vitest";
import { at } from "../../support/memory-app/memory-app.ts";
import type { MemoryRows } from "../../support/memory-app/rows.ts";
import { codesOf, healthyApp, verdictsOf } from "../../support/verdicts.ts";

const NOW = at(600);
const withLayout = (change: (rows: MemoryRows) => void) => healthyApp({ now: NOW }).change(change);

describe("the layout of the store", () => {
  it("has no verdict if all of it is known", async () => {
    expect(await codesOf(healthyApp({ now: NOW }))).toEqual([]);
  });

  it("has a warning if columns are missing, tables are unknown, or actions are refused", async () => {
    const [verdict, ...others] = await verdictsOf(
      withLayout(({ layout }) => {
        layout.gaps.push("No column priority.");
        layout.unknown_tables.push("shop_novel");
      }),
    );
    expect(others).toEqual([]);
    expect(verdict).toMatchObject({ code: "layout_trouble", severity: "warning", count: 2 });
    expect(verdict?.sentence).toBe("This monitor knows only part of this store's layout");
    expect(verdict?.detail).toBe("No column priority. Not shown, because this monitor does not know it: shop_novel.");
    const refused = withLayout((rows) => {
      rows.capabilities.writes_refused = "the table has required columns";
    });
    expect((await verdictsOf(refused))[0]?.detail).toBe("Actions are refused: the table has required columns.");
  });

  it("has an error if its tables are of two versions", async () => {
    const app = healthyApp({ now: NOW, capabilities: { consumed_queues: true } });
    Object.assign(app.opened.store, { kind: "sqlite" });
    const [verdict] = await verdictsOf(app);
    expect(verdict).toMatchObject({ code: "layout_trouble", severity: "error", count: 1 });
    expect(verdict?.sentence).toBe("The store mixes tables of two pynenc versions");
    expect(verdict?.detail).toContain("the heartbeats have the layout of 0.4");
  });
});
