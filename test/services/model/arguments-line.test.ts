/** The arguments of a call on one line of a list. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { clientDataKey } from "../../../src/pynenc/identifiers.ts";
import { argumentsLine } from "../../../src/services/model/arguments-line.ts";

/** As pynenc stores a call: every value is text of its own. */
const stored = (values: Record<string, unknown>) =>
  JSON.stringify(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)])));

it("the arguments line names each argument with its value, in stored order", () => {
  expect(argumentsLine(stored({ order_id: "O-1", amount: 3, again: true }))).toBe(
    'order_id="O-1", amount=3, again=true',
  );
});

it("the arguments line of a call without arguments is empty", () => {
  expect(argumentsLine("{}")).toBe("");
});

it("the arguments line stays on one line, whatever white space a value contains", () => {
  expect(argumentsLine(JSON.stringify({ note: "a\n\n  b\tc" }))).toBe("note=a b c");
});

it("the arguments line keeps the blanks of a text and drops the indentation of a JSON document", () => {
  expect(argumentsLine(stored({ name: "a  b", order: { lines: ["x   y", 2] } }))).toBe(
    'name="a  b", order={ "lines": [ "x   y", 2 ] }',
  );
});

it("a value in client data is shown as (client data) on the arguments line", () => {
  const reference = clientDataKey('"large"');
  expect(argumentsLine(JSON.stringify({ blob: reference, n: "1" }))).toBe("blob=(client data), n=1");
});

it("arguments that are no JSON record are shown as they are stored, and marked where they are cut", () => {
  expect(argumentsLine("not JSON")).toBe("not JSON");
  expect(argumentsLine("x".repeat(500))).toBe(`${"x".repeat(160)}…`);
});

it("a value that is too long for the arguments line is cut with one ellipsis, at the same place as the line", () => {
  expect(argumentsLine(JSON.stringify({ n: "x".repeat(158) }))).toBe(`n=${"x".repeat(158)}`);
  expect(argumentsLine(JSON.stringify({ n: "x".repeat(159) }))).toBe(`n=${"x".repeat(158)}…`);
  const cut = argumentsLine(JSON.stringify({ a: "1", text: "x".repeat(200), b: "2" }));
  expect(cut).toBe(`a=1, text=${"x".repeat(160 - "a=1, text=".length)}…`);
  // Shorter than a line, yet not all of the value: white space is folded after the cut.
  expect(argumentsLine(JSON.stringify({ wide: `a${" ".repeat(200)}b`, z: "1" }))).toBe("wide=a …, z=1");
});

it("the arguments line is never longer than its limit, and ends with an ellipsis if it is cut", () => {
  const name = fc.string({ maxLength: 30 });
  fc.assert(
    fc.property(
      fc.dictionary(
        name,
        fc.oneof(
          fc.string({ maxLength: 400 }),
          fc.jsonValue().map((v) => JSON.stringify(v)),
        ),
      ),
      (values) => {
        const line = argumentsLine(JSON.stringify(values));
        expect(line.length).toBeLessThanOrEqual(161);
        if (line.length === 161) expect(line.endsWith("…")).toBe(true);
      },
    ),
    { numRuns: 25 },
  );
});
