import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closedJson } from "../../src/pynenc/cut-json.ts";
import { scanPythonJson } from "../../src/pynenc/python-json.ts";

describe("a cut JSON document that is closed", () => {
  it.each([
    ['{"a": 1, "b": tru', '{"a": 1}'],
    ['{"a": 1, "b": "tr', '{"a": 1, "b": "tr"}'],
    ['{"a": {"b": ["x", "y\\u00e', '{"a": {"b": ["x", "y"]}}'],
    ['{"a": [1, 2', '{"a": [1]}'],
    ['{"a": "x", "na', '{"a": "x"}'],
    ['{"a": "x", "name": ', '{"a": "x"}'],
    ['{"a": "say \\"hi', '{"a": "say \\"hi"}'],
    ["{", "{}"],
  ])("is read from %s as %s", (beginning, closed) => {
    expect(closedJson(beginning)).toBe(closed);
  });

  it.each(["", "12", '"text', "plain words"])("is null for %j", (beginning) => {
    expect(closedJson(beginning)).toBeNull();
  });

  it("is always valid JSON without new members, and a whole document stays unchanged", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, at) => {
        const whole = JSON.stringify(value);
        expect(closedJson(whole)).toBe(whole);
        const closed = closedJson(whole.slice(0, 1 + (at % whole.length))) ?? "";
        expect(scanPythonJson(closed)).not.toBeNull();
        const names = Object.keys(value);
        expect(Object.keys(JSON.parse(closed)).filter((name) => !names.includes(name))).toEqual([]);
      }),
    );
  });
});
