import { expect, test } from "vitest";
import type { Answered } from "../../../src/rollups/reads.ts";
import { countedBack, rangeNotes, rangeOf } from "../../../src/services/stats/stats-range.ts";
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
  expect(rangeOf(answered({ checking: true }))).toMatchObject({ complete: false, reach: expect.any(String) });
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
