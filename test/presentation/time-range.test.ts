import { expect, test } from "vitest";
import { momentWords, rangeWords } from "../../src/presentation/time-range.ts";

const TODAY = "2026-11-28";

test("an instant is shown without today's date and without seconds that are zero", () => {
  expect(momentWords("2026-11-28T13:45:00.000000+00:00", TODAY)).toBe("13:45");
  expect(momentWords("2026-11-28T13:45:07.5Z", TODAY)).toBe("13:45:07");
  expect(momentWords("2026-11-27T13:45:00Z", TODAY)).toBe("2026-11-27 13:45");
  expect(momentWords("2026-11-28T13:45Z", null)).toBe("2026-11-28 13:45");
  expect(momentWords("2h", TODAY)).toBe("2h");
});

test("a range names its day once, and an open one says on which side it is open", () => {
  const [from, to] = ["2026-11-27T13:45:00Z", "2026-11-27T14:46:00Z"];
  expect(rangeWords(from, to, TODAY)).toBe("2026-11-27 13:45 to 14:46");
  expect(rangeWords(from, "2026-11-28T01:00:00Z", TODAY)).toBe("2026-11-27 13:45 to 2026-11-28 01:00");
  expect(rangeWords(from, null, TODAY)).toBe("since 2026-11-27 13:45");
  expect(rangeWords(null, to, TODAY)).toBe("until 2026-11-27 14:46");
  expect(rangeWords(null, null, TODAY)).toBe("All time");
});
