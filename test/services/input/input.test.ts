/** Parameters of pages and flags of commands: what is read, what is refused, and in which words. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import {
  choice,
  commaList,
  type Field,
  integer,
  mapped,
  optionalFlag,
  optionalInteger,
  optionalNumber,
  parseInput,
  requiredText,
  text,
  texts,
} from "../../../src/services/input/input.ts";

/** What a field makes of the values of a parameter. */
function read<Value>(field: Field<Value>, ...values: string[]): Value {
  return parseInput({ x: field }, values.length > 0 ? { x: values } : {}).x;
}

function refusal(field: Field<unknown>, ...values: string[]): string {
  try {
    read(field, ...values);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.problems.map(({ accepted }) => accepted).join("; ");
    throw error;
  }
  throw new Error("it was read");
}

describe("a text parameter", () => {
  it("is the last given value, trimmed, and undefined when empty", () => {
    expect([read(text), read(text, ""), read(text, "  "), read(text, " a ", " b "), read(text, "a", "")]).toEqual([
      undefined,
      undefined,
      undefined,
      "b",
      undefined,
    ]);
  });

  it("with several values keeps each as it was given", () => {
    expect([read(texts), read(texts, " a ", "")]).toEqual([[], [" a ", ""]]);
  });

  it("that is required is refused when missing", () => {
    expect(read(requiredText("the id"), " a ")).toBe("a");
    expect([refusal(requiredText("the id")), refusal(requiredText("the id"), " ")]).toEqual([
      "expected the id",
      "expected the id",
    ]);
  });
});

describe("a number parameter", () => {
  it("within its bounds is read, and others are refused in the same words", () => {
    fc.assert(
      fc.property(fc.integer({ min: -20, max: 120 }), fc.integer({ min: 0, max: 40 }), (value, min) => {
        const field = optionalInteger(min, 100);
        const given = String(value);
        if (value >= min && value <= 100) expect(read(field, given)).toBe(value);
        else expect(refusal(field, given)).toBe(`expected a whole number from ${min} to 100`);
      }),
    );
  });

  test.each(["1.5", "1e2", "0x10", "+1", "-1", "one", "1 2", "9999999999999"])(
    "refuses %s as no whole number",
    (given) => {
      expect(refusal(integer(0, 1e15, 7), given)).toMatch(/^expected a whole number/);
    },
  );

  it("has its default when it is missing or empty", () => {
    expect([read(integer(1, 9, 5)), read(integer(1, 9, 5), ""), read(optionalInteger(1, 9))]).toEqual([
      5,
      5,
      undefined,
    ]);
  });

  it("may have a fraction if that is allowed", () => {
    const field = optionalNumber(0, 10);
    expect([read(field), read(field, "0.01"), read(field, "10")]).toEqual([undefined, 0.01, 10]);
    for (const given of ["10.1", ".5", "1.", "-1", "1.0000000001"]) {
      expect(refusal(field, given)).toBe("expected a number from 0 to 10");
    }
    expect(refusal(optionalNumber(0, 10, "some seconds"), "x")).toBe("expected some seconds");
  });
});

describe("a word parameter", () => {
  const field = choice(["", "Up", "down"], "");

  it("is one of the listed words, in any case", () => {
    expect([read(field), read(field, "DOWN"), read(field, "")]).toEqual(["", "down", ""]);
    expect(refusal(field, "left")).toBe("expected one of Up, down");
  });

  it("for a flag means yes, no or undefined", () => {
    const values = ["1", "TRUE", "yes", "on", "0", "false", "no", "off"].map((given) => read(optionalFlag, given));
    expect(values).toEqual([true, true, true, true, false, false, false, false]);
    expect(read(optionalFlag)).toBeUndefined();
    expect(refusal(optionalFlag, "maybe")).toContain("one of 1, true");
  });

  it("with commas is split, up to a maximum number", () => {
    expect(read(commaList(3), "a,,b", "c")).toEqual(["a", "b", "c"]);
    expect(refusal(commaList(2), "a,b,c")).toBe("expected at most 2 values separated by commas");
  });
});

it("the value that a field reads can be mapped, and errors stay the same", () => {
  expect(
    read(
      mapped(integer(0, 9, 1), (value) => value * 10),
      "4",
    ),
  ).toBe(40);
  expect(
    refusal(
      mapped(integer(0, 9, 1), (value) => value * 10),
      "44",
    ),
  ).toBe("expected a whole number from 0 to 9");
});

describe("parseInput", () => {
  const fields = { page: integer(1, 9, 1), name: text };

  it("reads all fields on each call", () => {
    expect(parseInput(fields, { page: ["2"], name: ["a"] })).toEqual({ page: 2, name: "a" });
    expect(parseInput(fields, {})).toEqual({ page: 1, name: undefined });
  });

  it("names every wrong parameter with its value, and unknown ones", () => {
    const refused = () => parseInput(fields, { page: ["0"], nome: ["a", "b"] });
    expect(refused).toThrow(InvalidInputError);
    try {
      refused();
    } catch (error) {
      expect((error as InvalidInputError).problems).toEqual([
        { parameter: "nome", value: "a, b", accepted: "the parameters here are page, name" },
        { parameter: "page", value: "0", accepted: "expected a whole number from 1 to 9" },
      ]);
    }
    expect(() => parseInput(fields, { page: ["1", "x"] })).toThrow('"1, x" is not accepted');
    expect(() => parseInput({}, { x: ["1"] })).toThrow(/no parameters are accepted here/);
  });

  it("treats a name of Object's own like any other parameter", () => {
    expect(() => parseInput(fields, { constructor: ["x"] })).toThrow(/constructor/);
  });
});
