/** The geometry of all recorded families. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { familyPicture } from "../../src/services/causes/family-picture.ts";
import { familyGeometry } from "../../src/timeline/family.ts";
import { familiesOf } from "../support/families.ts";
import { type Monitor, monitorOf } from "../support/monitor.ts";

describe("a family picture of real families", () => {
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" });
  });
  afterAll(() => monitor.close());

  it("has everything inside the plot, and a critical path that covers its owner's time", async () => {
    const app = await monitor.workspace.open();
    let paths = 0;
    for (const { focus_id } of (await familiesOf(monitor)).values()) {
      const picture = await familyPicture(app, "invocation", focus_id, { limit: 200, expand: [] });
      const drawn = familyGeometry(picture);
      for (const { bars, marks } of drawn.rows) {
        for (const bar of bars) {
          expect(bar.x).toBeGreaterThanOrEqual(0);
          expect(bar.width).toBeGreaterThanOrEqual(0);
          expect(bar.x + bar.width).toBeLessThanOrEqual(1000 + 1e-6);
        }
        for (const { x } of marks) expect(x >= 0 && x <= 1000 + 1e-6).toBe(true);
      }
      const owner = drawn.rows.find(({ row }) => row.id === picture.path_of);
      if (picture.critical_path === null || owner === undefined) continue;
      paths++;
      const covered = drawn.rows.flatMap((row) => row.path).reduce((sum, { width }) => sum + width, 0);
      const [first, last] = [owner.bars[0], owner.bars.at(-1)];
      expect(covered).toBeCloseTo((last?.x ?? 0) + (last?.width ?? 0) - (first?.x ?? 0), 3);
    }
    expect(paths).toBeGreaterThan(50);
  });
});
