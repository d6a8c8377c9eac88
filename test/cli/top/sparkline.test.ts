import fc from "fast-check";
import { expect, test } from "vitest";
import { sparkline } from "../../../src/cli/top/sparkline.ts";

test.each([
  [[0, 1, 2, 3, 4, 5, 6, 7], 8, "sum", "▁▂▃▄▅▆▇█"],
  [[0, 0, 0], 8, "sum", "▁▁▁"],
  [[null, 0, 1], 8, "max", " ▁█"],
  [[1, 1, 0, 8], 2, "sum", "▃█"],
  [[1, 1, 0, 8], 2, "max", "▂█"],
  [[1, null, null, null], 2, "max", "█ "],
  [[1, 100_000], 2, "sum", "▂█"],
  [[], 8, "sum", ""],
] as const)("the sparkline of %j in %i cells, merged by %s, is %s", (values, width, merge, drawn) => {
  expect(sparkline(values, width, merge)).toBe(drawn);
});

test("a sparkline draws each value in exactly one cell", () => {
  fc.assert(
    fc.property(fc.nat(300), fc.integer({ min: 1, max: 200 }), (at, width) => {
      const values = Array.from({ length: 301 }, (_, n) => (n === at ? 1 : 0));
      const drawn = sparkline(values, width, "sum");
      expect([Array.from(drawn).length, drawn.replaceAll("▁", "")]).toEqual([width, "█"]);
    }),
  );
});
