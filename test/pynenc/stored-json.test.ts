import { describe, expect, test } from "vitest";
import { StoredJson, writeJson } from "../../src/pynenc/stored-json.ts";

const stored = (text: string) => StoredJson.of(text);

describe("StoredJson", () => {
  test.each([
    "1.0",
    "1e3",
    "12345678901234567890",
    '{"price": 19.90,  "items": [1.0, {"n": -0.0}]}',
    '"text with \\u00e9"',
  ])("is written exactly as %s is stored", (text) => {
    expect(writeJson({ payload: { value: stored(text) } })).toBe(`{"payload":{"value":${text}}}`);
  });

  test("is written at its place in a document with several, also when indented", () => {
    const value = { a: stored("1.0"), b: [stored("2.0"), "plain", stored("3.0")], c: 1 };
    expect(writeJson(value)).toBe('{"a":1.0,"b":[2.0,"plain",3.0],"c":1}');
    expect(writeJson(value, 2)).toBe('{\n  "a": 1.0,\n  "b": [\n    2.0,\n    "plain",\n    3.0\n  ],\n  "c": 1\n}');
  });

  test("is written with its dollar signs unchanged", () => {
    expect(writeJson([stored('"$& $1 $$"')])).toBe('["$& $1 $$"]');
  });

  test.each(["NaN", "[Infinity]", "gAROLg==", "", "__pynenc__client_data__:00"])(
    "is null for %s, which is not JSON",
    (text) => {
      expect(stored(text)).toBeNull();
    },
  );

  test("is the plain value outside writeJson", () => {
    expect(JSON.stringify({ a: stored('{"b": 1.0}') })).toBe('{"a":{"b":1}}');
  });

  test("leaves nothing behind after a document that cannot be written", () => {
    const circle: unknown[] = [stored("1.0")];
    circle.push(circle);
    expect(() => writeJson(circle)).toThrow();
    expect(JSON.stringify([stored("1.0")])).toBe("[1]");
  });
});
