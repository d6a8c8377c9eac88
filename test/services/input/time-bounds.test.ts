import { expect, it, test } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { TIME_RANGE } from "../../../src/inputs/common.ts";
import { parseInput, type RawInput, restOf } from "../../../src/services/input/input.ts";
import { canonicalNames, withGivenNames } from "../../../src/services/input/parameter-names.ts";
import { timeBounds } from "../../../src/services/input/time-bounds.ts";

const NOW = Date.UTC(2026, 10, 21, 12) / 1000;
const bounds = (raw: RawInput) => timeBounds(parseInput(TIME_RANGE, raw), raw, NOW);

test("the rest of the parameters is what does not belong to the time range", () => {
  const raw = { from: ["1h"], to: ["5m"], range: ["2h"], status: ["failed"], q: ["run>5s"] };
  expect(restOf(raw, TIME_RANGE)).toEqual({ status: ["failed"], q: ["run>5s"] });
});

test("range counts back from now, and from overrides it", () => {
  expect(bounds({})).toEqual({});
  expect(bounds({ range: ["90m"] })).toEqual({ from: NOW - 5_400 });
  expect(bounds({ range: ["1h"], to: ["5m"] })).toEqual({ from: NOW - 3_600, to: NOW - 300 });
  expect(bounds({ range: ["1h"], from: ["2h"] })).toEqual({ from: NOW - 7_200 });
  expect(bounds({ range: ["Custom"], from: [""], to: ["14:05"] })).toEqual({ to: NOW - 86_400 + 7_500 });
  expect(bounds({ from: ["5m"], to: ["5m"] })).toEqual({ from: NOW - 300, to: NOW - 300 });
});

test.each([
  [{ from: ["1h"], to: ["2h"] }, 'from: "1h" is not accepted; it is later than the end, "2h"; were the two swapped?'],
  [{ range: ["1h"], to: ["2h"] }, 'range: "1h" is not accepted; it is later than the end, "2h"; were the two swapped?'],
  [{ range: ["2y"] }, 'range: "2y" is not accepted; expected a length of time such as 90s'],
  [{ from: ["soon"] }, 'from: "soon" is not accepted; expected how long ago (90m'],
  [{ from: ["9999-12-31"] }, 'from: "9999-12-31" is not accepted; expected a time between 1970-01-01 and 2255-01-01'],
  [{ to: ["99999d"] }, 'to: "99999d" is not accepted; expected a time between 1970-01-01 and 2255-01-01'],
  [{ range: ["99999d"] }, 'range: "99999d" is not accepted; expected a length of time whose other end is between 1970'],
  [{ range: ["99999999d"] }, 'range: "99999999d" is not accepted; expected a length of time such as 90s'],
])("the time range %j is refused", (raw, message) => {
  expect(() => bounds(raw)).toThrow(message);
});

test("the names of the HTTP contract are read as the same parameters", () => {
  expect(
    canonicalNames({ start_date: ["a"], end_date: ["b"], page_size: ["5"], time_range: ["1h"], page: ["2"] }),
  ).toEqual({
    from: ["a"],
    to: ["b"],
    limit: ["5"],
    range: ["1h"],
    page: ["2"],
  });
  expect(canonicalNames({ start: ["a"], end: ["b"] })).toEqual({ from: ["a"], to: ["b"] });
});

it("a parameter that is given under two names is kept under both, to be refused", () => {
  for (const raw of [
    { from: ["a"], start_date: ["b"] },
    { start_date: ["b"], from: ["a"] },
  ]) {
    expect(canonicalNames(raw)).toEqual(raw);
  }
  expect(Object.keys(canonicalNames({ start: ["a"], start_date: ["b"] }))).toEqual(["from", "start_date"]);
});

it("an error names a parameter as it was given", () => {
  const error = new InvalidInputError([
    { parameter: "from", value: "x", accepted: "a time" },
    { parameter: "limit", value: "y", accepted: "a number" },
  ]);
  expect(withGivenNames(error, ["start", "limit"])).toMatchObject({
    problems: [{ parameter: "start", value: "x" }, { parameter: "limit" }],
    message: expect.stringContaining('start: "x" is not accepted'),
  });
  expect(withGivenNames(error, ["from"])).toBe(error);
  const other = new Error("other");
  expect(withGivenNames(other, ["start"])).toBe(other);
});
