import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutLargeMember } from "../../src/pynenc/large-document.ts";
import { pythonJson } from "../../src/pynenc/python-dump.ts";
import { cases } from "../support/cases.ts";

/** The ends of a document, as bytes. */
function endsOf(text: string, head: number, tail: number): [head: string, tail: string, size: number] {
  const bytes = Buffer.from(text);
  return [
    bytes.subarray(0, head).toString(),
    bytes.subarray(Math.max(0, bytes.length - tail)).toString(),
    bytes.length,
  ];
}

describe("a document with a large member", () => {
  const around = {
    before: { id: "i", call: 'a"}, "b' },
    after: { parent: "p", ids: ["x", "y"], nested: { n: "1" }, none: null },
  };
  const documentOf = (payload: Record<string, string>) => ({ ...around.before, payload, ...around.after });

  it("is read without that member from its first and last bytes", () => {
    const payload = { a: "1", blob: "x".repeat(5_000) };
    const text = pythonJson(documentOf(payload));
    const read = withoutLargeMember(...endsOf(text, 1_000, 500), "payload");
    expect(JSON.parse(read?.json ?? "")).toEqual(documentOf({}));
    expect(pythonJson(payload).startsWith(read?.beginning ?? "?")).toBe(true);
    expect(read?.size).toBe(pythonJson(payload).length);
  });

  it("is read without that member whatever its strings contain", () => {
    const piece = fc.constantFrom(
      '"',
      "}",
      ", ",
      '}, "',
      '": ',
      "{",
      "\\",
      ":",
      "parent",
      '"parent": "q"',
      "é",
      " ",
      "1",
    );
    const string = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.dictionary(string, string, { maxKeys: 4 }), fc.integer({ min: 60, max: 400 }), (map, tail) => {
        const payload = { ...map };
        const text = pythonJson(documentOf(payload));
        const rest = text.length - text.indexOf(', "parent": ');
        const read = withoutLargeMember(
          ...endsOf(text, text.indexOf('"payload": ') + 13, Math.max(tail, rest + 1)),
          "payload",
        );
        expect(JSON.parse(read?.json ?? "null")).toEqual(documentOf({}));
        expect(read?.size).toBe(Buffer.byteLength(pythonJson(payload)));
      }),
      { numRuns: cases(500) },
    );
  });

  it.each([
    ["the member does not begin in the head", '{"id": "i", "call"', '"}, "parent": "p"}'],
    ["the member is not a map", '{"id": "i", "payload": [1', '"}, "parent": "p"}'],
    ["nothing in the tail ends it", '{"id": "i", "payload": {"a": "', "xxxxxxxx"],
    ["the tail is cut off", '{"id": "i", "payload": {"a": "', '"}, "parent": "p"'],
    ["there is no tail", '{"id": "i", "payload": {"a": "', ""],
  ])("is read as null if %s", (_, head, tail) => {
    expect(withoutLargeMember(head, tail, 1_000, "payload")).toBeNull();
  });
});
