import { expect, test } from "vitest";
import { isoFromEpoch } from "../../../src/pynenc/time.ts";
import type { Answered } from "../../../src/rollups/reads.ts";
import { countedBack, rangeNotes, rangeOf, shownEnd } from "../../../src/services/stats/stats-range.ts";
import { at } from "../../support/memory-app/memory-app.ts";

const answered = (reach: Partial<Answered["reach"]>): Answered => ({
  span: { from: at(0), to: at(3_600) },
  complete: false,
  reach: {
    since: at(1_800),
    whole: false,
    until: Number.POSITIVE_INFINITY,
    purged_at: null,
    checking: false,
    ...reach,
  },
});

test("figures of an earlier run are called still being compared instead of too low, with the time reached", () => {
  expect(rangeNotes(answered({}))[0]).toMatch(
    /still being read: figures so far\. Everything since .* has been read\.$/,
  );
  const [note] = rangeNotes(answered({ checking: true }));
  expect(note).toMatch(/from an earlier run.* still being checked\. Everything since .* has been compared\.$/);
  expect(rangeNotes(answered({ checking: true, since: null }))[0]).toMatch(/still being checked\.$/);
  const shown = answered({ checking: true });
  expect(rangeOf(shown, shown.span, 0)).toMatchObject({ complete: false, reach: expect.any(String) });
});

test("a range that was extended to the end of the minute that has begun is shown to end now", () => {
  const noon = 1_795_219_200;
  const end = (requested: number, now: number) => shownEnd({ from: 0, to: noon + 60 }, { from: 0, to: requested }, now);
  expect(end(noon + 8, noon + 8)).toBe(isoFromEpoch(noon + 8));
  expect(end(noon + 3, noon + 8)).toBe(isoFromEpoch(noon + 8));
  // A minute that has passed is counted whole, and a later end was asked for.
  expect(end(noon + 8, noon + 500)).toBe(isoFromEpoch(noon + 60));
  expect(end(noon + 50, noon + 8)).toBe(isoFromEpoch(noon + 50));
});

test("an hour that ends within a minute is the sixty minutes up to the end of that minute, and at least one minute is whole", () => {
  const noon = 1_795_219_200;
  expect(noon % 3_600).toBe(0);
  expect(countedBack(3_600, noon)).toBe(noon - 3_600);
  expect(countedBack(3_600, noon + 0.1)).toBe(noon + 60 - 3_600);
  expect(countedBack(3_600, noon + 59.9)).toBe(noon + 60 - 3_600);
  expect(countedBack(60, noon + 5)).toBe(noon - 60);
  expect(countedBack(120, noon + 5)).toBe(noon - 60);
  expect(countedBack(180, noon + 5)).toBe(noon - 120);
});
