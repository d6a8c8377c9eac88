/** The critical path of what is selected on a timeline. */
import { describe, expect, it } from "vitest";
import { familyPicture, parseFamilyInput } from "../../../src/services/causes/family-picture.ts";
import { geometryOf, readTimelineInput, timeline } from "../../../src/services/timeline/timeline.ts";
import { at, type MemoryApp, memoryApp } from "../../support/memory-app/memory-app.ts";

/** An order is paused while it is paid, on another runner; meanwhile twenty others keep both lanes too busy for bars. */
function shop(): MemoryApp {
  const app = memoryApp({ now: at(60) })
    .invocation("order", {
      workflow: { id: "order" },
      history: [
        [at(0), "registered"],
        [at(1), "pending", "r1"],
        [at(2), "running", "r1"],
        [at(5), "paused", "r1"],
        [at(20), "resumed", "r1"],
        [at(22), "success", "r1"],
      ],
    })
    .invocation("pay", {
      parent: "order",
      history: [
        [at(5), "registered"],
        [at(8), "pending", "r2"],
        [at(9), "running", "r2"],
        [at(20), "success", "r2"],
      ],
    });
  for (let n = 0; n < 40; n++) {
    const runner = n % 2 === 0 ? "r1" : "r2";
    const begin = 1 + n * 0.1;
    app.invocation(`other${n}`, {
      history: [
        [at(begin), "registered"],
        [at(begin + 0.01), "running", runner],
        [at(begin + 0.02), "success", runner],
      ],
    });
  }
  return app;
}

const shown = async (raw: Record<string, string>) => {
  const { opened } = shop();
  const given = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, [value]]));
  return timeline(
    opened,
    await readTimelineInput(opened, { from: [String(at(0))], to: [String(at(30))], ...given }, "drawing"),
  );
};

describe("the critical path on a timeline", () => {
  it("is that of the selected invocation, or of the workflow run that the filter names, as its family has it", async () => {
    const { critical_path } = await familyPicture(shop().opened, "invocation", "order", parseFamilyInput({}));
    expect(critical_path?.segments.map(({ invocation_id: id }) => id)).toContain("pay");
    expect((await shown({ selected: "order" })).critical_path).toEqual(critical_path);
    expect((await shown({ workflow_id: "order" })).critical_path).toEqual(critical_path);
    expect((await shown({})).critical_path).toBeNull();
    expect((await shown({ selected: "order", at: String(at(21)) })).critical_path).toBeNull();
  });

  it("is drawn through the bars of all its members, also in lanes that are otherwise counted, without a gap", async () => {
    const found = await shown({ selected: "order" });
    const { path, strands, lanes, width } = geometryOf(found);
    expect(lanes.some((lane) => lane.closed)).toBe(true);
    const bars = strands.filter((strand) => strand.bars.length > 0);
    expect(new Set(bars.map((strand) => strand.invocation_id))).toEqual(new Set(["order", "pay"]));
    expect(path.map(({ lane_key }) => lane_key)).toEqual(expect.arrayContaining(["r1", "r2"]));
    for (const [index, piece] of path.slice(1).entries()) {
      const before = path[index];
      expect(piece.x).toBeCloseTo((before?.x ?? 0) + (before?.width ?? 0), 6);
      expect(piece.from_y).toBe(before?.y);
    }
    const long = path.reduce((sum, piece) => sum + piece.width, 0);
    expect(long).toBeCloseTo((22 / 30) * width, 6);
  });
});
