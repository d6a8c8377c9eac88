import { expect, test } from "vitest";
import { instant, instantOrNull, isoInstant, julianInstant } from "../../../../src/stores/sqlite/tables/columns.ts";

test("a column is read as an instant only if its year has four digits", () => {
  expect([instant(0), instant(1_767_614_400.25), instant(-62135596800)]).toEqual([0, 1_767_614_400.25, -62135596800]);
  for (const value of [null, "1767614400", 1e300, -1e300, 4e12, Number.POSITIVE_INFINITY, Number.NaN]) {
    expect([value, instant(value), instantOrNull(value)]).toEqual([value, Number.NaN, null]);
  }
  expect([julianInstant(2440587.5), julianInstant(1e300), julianInstant("2440587.5")]).toEqual([0, null, null]);
  expect([isoInstant("1970-01-01T00:00:01+00:00"), isoInstant("soon"), isoInstant(1)]).toEqual([1, null, null]);
});
