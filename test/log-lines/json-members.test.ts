import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonLine } from "../../src/log-lines/json-line.ts";
import { type Characters, stringMembers } from "../../src/log-lines/json-members.ts";

const NAMES = ["text", "id"];

describe("the string members of a JSON object", () => {
  it.each<[string, Record<string, string> | null]>([
    ['{"text":"a"}', { text: '"a"' }],
    [' { "other" : 1 , "text" : "a" , "id" : "b" } ', { text: '"a"', id: '"b"' }],
    ['{"text":"a \\" \\\\","id":"{[,:"}', { text: '"a \\" \\\\"', id: '"{[,:"' }],
    ['{"x":{"text":"inner"},"y":[{"id":"inner"},"]}"],"text":"outer"}', { text: '"outer"' }],
    ['{"text":"first","text":"last"}', { text: '"last"' }],
    ['{"text":"first","text":1}', {}],
    ['{"text":null,"id":[]}', {}],
    ['{"n":NaN,"m":-1.5e+3,"t":true,"text":"a"}', { text: '"a"' }],
    ["{}", {}],
    ["", null],
    ["[]", null],
    ['"text"', null],
    ["{", null],
    ['{"text"', null],
    ['{"text":', null],
    ['{"text":}', null],
    ['{"text":"a"', null],
    ['{"text":"a}', null],
    ['{"text":"a",}', null],
    ['{"text":"a"} x', null],
    ['{"text":"a"}{"id":"b"}', null],
    ['{"text" "a"}', null],
    ["{text:1}", null],
    ['{"x":[1,"text":"a"}', null],
  ])("are read correctly from %s", (json, members) => {
    const found = stringMembers(json, NAMES);
    expect(found === null ? null : Object.fromEntries(found)).toEqual(members);
  });

  it("equal those of a JSON parser, in any JSON that is not deeply nested", () => {
    const members = fc.dictionary(fc.constantFrom(...NAMES, "a", "b"), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(members, fc.constantFrom(undefined, 1, "\t"), (object, indent) => {
        const found = stringMembers(JSON.stringify(object, null, indent), NAMES);
        const read = [...(found ?? [])].map(([name, literal]) => [name, JSON.parse(literal)]);
        const strings = Object.entries(object).filter(
          ([name, value]) => NAMES.includes(name) && typeof value === "string",
        );
        expect(found).not.toBeNull();
        expect(read.sort()).toEqual(strings.sort());
      }),
    );
  });

  it("are not looked for in deeply nested JSON", () => {
    const nested = (levels: number) => `{"text":"a","x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(stringMembers(nested(50), NAMES)).not.toBeNull();
    expect(stringMembers(nested(51), NAMES)).toBeNull();
  });
});

/** A text that counts the characters that are looked at or taken out of it. */
function counting(text: string): Characters & { visited: number } {
  return {
    visited: 0,
    length: text.length,
    charCodeAt(at) {
      this.visited++;
      return text.charCodeAt(at);
    },
    slice(start, end) {
      const part = text.slice(start, end);
      this.visited += part.length;
      return part;
    },
  };
}

describe("the scan of a JSON line", () => {
  const visited = (line: string) => {
    const characters = counting(line);
    stringMembers(characters, NAMES);
    return characters.visited;
  };

  it.each<[string, (n: number) => string]>([
    ["objects in objects", (n) => `${'{"a":'.repeat(n)}1${"}".repeat(n)}`],
    ["objects that stay open", (n) => `${'{"a":'.repeat(n)}}`],
    ["arrays in arrays", (n) => `{"a":${"[".repeat(n)}${"]".repeat(n)}}`],
    ["arrays in a row", (n) => `{"a":[${"[],".repeat(n)}[]]}`],
    ["members", (n) => `{${'"text":"a",'.repeat(n)}"id":"b"}`],
    ["long names", (n) => `{"${"a".repeat(n)}":1}`],
    ["backslashes", (n) => `{"text":"${"\\\\".repeat(n)}"}`],
    ["quotes", (n) => `{"a":${'"'.repeat(n)}}`],
    ["blanks", (n) => `{${" ".repeat(n)}"text"${" ".repeat(n)}:"a"}`],
    ["commas", (n) => `{"a":1${",".repeat(n)}}`],
  ])("reads each character a limited number of times in a line of %s", (_, shape) => {
    for (const n of [1_000, 2_000, 4_000]) {
      const line = shape(n);
      // Each once to find where a part ends, once to see what follows, and once to take it out.
      expect(visited(line)).toBeLessThanOrEqual(3 * line.length + 20);
    }
  });

  it("stops as soon as the line is nested too deeply", () => {
    expect(visited('{"a":'.repeat(100_000))).toBeLessThan(1_000);
  });
});

describe("the exception of a JSON line", () => {
  const textOf = (text: string, exception: string) => readJsonLine(JSON.stringify({ text, exception }))?.text;

  it.each([
    ["is added to the text", "2026 ERROR a", "Traceback\n  x", "2026 ERROR a\nTraceback\n  x"],
    ["is not repeated if the text ends with it", "2026 ERROR a\nTraceback", "Traceback\n", "2026 ERROR a\nTraceback"],
    [
      "is added if the text only mentions it",
      "2026 ERROR KeyError happened",
      "KeyError",
      "2026 ERROR KeyError happened\nKeyError",
    ],
    ["may be empty", "2026 ERROR a", "", "2026 ERROR a"],
  ])("%s", (_, text, exception, whole) => {
    expect(textOf(text, exception)).toBe(whole);
  });

  it("is left out if it is not a string", () => {
    expect(readJsonLine('{"text":"a","exception":{"x":1}}')?.text).toBe("a");
  });

  it("is only compared with the end of the text, not searched for in it", () => {
    const exception = `${"a".repeat(300_000)}b${"a".repeat(300_000)}`;
    expect(textOf("a".repeat(1_200_000), exception)).toHaveLength(1_800_002);
  });
});

it("a line whose text is not valid JSON is not read as a JSON line", () => {
  expect(readJsonLine('{"text":"a\\x"}')).toBeNull();
  expect(readJsonLine('{"text":"a\nb"}')).toBeNull();
});
