/** Family timelines of all recorded invocations. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { familyPicture, parseFamilyInput } from "../../../src/services/causes/family-picture.ts";
import { familiesOf, membersOf } from "../../support/families.ts";
import { type Monitor, monitorOf } from "../../support/monitor.ts";

const USUAL = parseFamilyInput({});

describe("the families of the kitchen sink", () => {
  let monitor: Monitor;
  beforeAll(async () => {
    monitor = await monitorOf("kitchen_sink.db", "in process", { app: "kitchen_sink" });
  });
  afterAll(() => monitor.close());

  it("are complete, in order, and without gaps in time", async () => {
    const app = await monitor.workspace.open();
    const families = [...(await familiesOf(monitor)).values()];
    expect(families.length).toBeGreaterThan(50);
    for (const tree of families) {
      const { rows, critical_path } = await familyPicture(app, "invocation", tree.focus_id, USUAL);
      const ids = rows.map((row) => row.id);
      expect(ids).toEqual(expect.arrayContaining(membersOf(tree)));
      expect(new Set(ids).size).toBe(ids.length);
      for (const [index, row] of rows.entries()) {
        const above = rows.findIndex((other) => other.id === row.above_id);
        expect([row.id, above < index, row.depth]).toEqual([
          row.id,
          true,
          above < 0 ? 0 : (rows[above]?.depth ?? 0) + 1,
        ]);
        for (const [n, stretch] of row.stretches.slice(1).entries()) expect(stretch.from).toBe(row.stretches[n]?.to);
      }
      const path = critical_path?.segments.reduce((sum, one) => sum + one.microseconds, 0);
      expect(path).toBe(critical_path?.microseconds);
    }
  });
});
