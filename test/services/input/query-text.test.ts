import { describe, expect, it, test } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { type QueryTerm, queryTerms, queryValue } from "../../../src/services/input/query-text.ts";

const plain = { path: null, comparison: ":" as const, negated: false };
const terms = (text: string) => queryTerms(text).map(({ text: _written, ...term }) => term);

describe("the text of a query", () => {
  test.each<[string, Partial<QueryTerm>[]]>([
    ["", []],
    ["  \t ", []],
    ["ORD-10012", [{ field: null, values: ["ORD-10012"] }]],
    ["a,b", [{ field: null, values: ["a,b"] }]],
    ["status:failed,killed", [{ field: "status", values: ["failed", "killed"] }]],
    ["Status=failed", [{ field: "status", values: ["failed"] }]],
    ['error:"no such shelf"', [{ field: "error", values: ["no such shelf"] }]],
    ['error:"say \\"no\\" \\\\",x', [{ field: "error", values: ['say "no" \\', "x"] }]],
    ["arg.region=eu", [{ field: "arg", path: "region", values: ["eu"] }]],
    [
      '"C:\\Users" error:"C:\\temp\\x, \\"y\\""',
      [
        { field: null, values: ["C:\\Users"] },
        { field: "error", values: ['C:\\temp\\x, "y"'] },
      ],
    ],
    ["arg.größe=5", [{ field: "arg", path: "größe", values: ["5"] }]],
    ["arg.order.id:7", [{ field: "arg", path: "order.id", values: ["7"] }]],
    ["-task:pynenc.*", [{ field: "task", values: ["pynenc.*"], negated: true }]],
    ["-word", [{ field: null, values: ["word"], negated: true }]],
    [
      "run>5s wait>=1m retries<3",
      [
        { field: "run", comparison: ">", values: ["5s"] },
        { field: "wait", comparison: ">=", values: ["1m"] },
        { field: "retries", comparison: "<", values: ["3"] },
      ],
    ],
    ["call:shop.pay:ab12", [{ field: "call", values: ["shop.pay:ab12"] }]],
    ['"status:failed"', [{ field: null, values: ["status:failed"] }]],
    ["since:2026-11-21T10:00+02:00", [{ field: "since", values: ["2026-11-21T10:00+02:00"] }]],
  ])("is split into terms: %j", (text, expected) => {
    expect(terms(text)).toEqual(expected.map((term) => ({ ...plain, ...term })));
  });

  test("has a known field in capital letters too", () => {
    const [term] = queryTerms("STATUS:failed", (name) => name === "status");
    expect(term).toMatchObject({ field: "status", values: ["failed"] });
  });

  test.each<[string, string[]]>([
    ["C:\\Users", ["C:\\Users"]],
    ["-https://shop.example/a,b?x=1", ["https://shop.example/a,b?x=1"]],
    ["id:", ["id:"]],
    ["note.größe>5", ["note.größe>5"]],
  ])("is a word if its beginning is not the name of a field: %j", (text, words) => {
    const read = queryTerms(`${text} status:failed`, (name) => name === "status");
    expect(read.map(({ field, path, comparison, values }) => ({ field, path, comparison, values }))).toEqual([
      { field: null, path: null, comparison: ":", values: words },
      { field: "status", path: null, comparison: ":", values: ["failed"] },
    ]);
    expect(read[0]?.negated).toBe(text.startsWith("-"));
  });

  test.each([
    ["status:", "expected a value for status at character 8"],
    ["status:failed,", "expected a value for status at character 15"],
    ["status:, task:x", "expected a value for status at character 8"],
    ['error:"no end', "expected a closing quote for the one that starts at character 7"],
    ['error:"a"b', 'expected a blank before "b" at character 10'],
    ["task:x -", "expected a word at character 9"],
    ['""', "expected a word at character 1"],
    ["x ".repeat(31), "expected at most 30 terms, there is another at character 61"],
    ["x".repeat(2_001), "at most 2000 characters"],
  ])("is refused with the place of the mistake: %j", (text, message) => {
    expect(() => queryTerms(text)).toThrow(InvalidInputError);
    expect(() => queryTerms(text)).toThrow(message);
  });

  it("is kept for each term, and written values are read back the same", () => {
    expect(queryTerms('status:failed  -error:"a b"').map((term) => term.text)).toEqual([
      "status:failed",
      '-error:"a b"',
    ]);
    for (const value of ["plain", "a b", "a,b", 'say "no"', "back\\slash", "-minus", "x:y"]) {
      expect(queryTerms(`field:${queryValue(value)}`)[0]?.values).toEqual([value]);
    }
    expect(queryValue("plain")).toBe("plain");
  });
});
