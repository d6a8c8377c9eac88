/** Parameters of pages and flags of commands: what is read, what is refused, and in which words. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { InvalidInputError } from "../../../src/errors.ts";
import { number, onOff, type Parameter, text, whole, word } from "../../../src/inputs/parameter.ts";
import { parseInput, partOf, restOf } from "../../../src/services/input/input.ts";

/** What is read of the values of a parameter. */
function read(parameter: Parameter, ...values: string[]): unknown {
  return parseInput({ x: parameter }, values.length > 0 ? { x: values } : {}).x;
}

function refusal(parameter: Parameter, ...values: string[]): string {
  try {
    read(parameter, ...values);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.problems.map(({ accepted }) => accepted).join("; ");
    throw error;
  }
  throw new Error("it was read");
}

describe("a text parameter", () => {
  it("is the last given value, trimmed, and undefined when empty", () => {
    const name = text("a name");
    expect([read(name), read(name, ""), read(name, "  "), read(name, " a ", " b "), read(name, "a", "")]).toEqual([
      undefined,
      undefined,
      undefined,
      "b",
      undefined,
    ]);
  });

  it("keeps the blanks at its ends where they may be a part of a stored name", () => {
    const queue = text("a queue", { read: "exact" });
    expect([read(queue, " a "), read(queue, "  ")]).toEqual([" a ", undefined]);
  });

  it("with several values keeps each as it was given", () => {
    const ids = text("ids", { read: "all" });
    expect([read(ids), read(ids, " a ", "")]).toEqual([[], [" a ", ""]]);
  });

  it("with commas is split, up to a maximum number", () => {
    expect(read(text("ids", { read: "list" }), "a,, b", "c")).toEqual(["a", "b", "c"]);
    expect(refusal(text("ids", { read: "list", most: 2 }), "a,b,c")).toBe(
      "expected at most 2 values separated by commas",
    );
  });

  it("that is required is refused when missing", () => {
    const id = text("", { required: true, accepted: "the id" });
    expect(read(id, " a ")).toBe("a");
    expect([refusal(id), refusal(id, " ")]).toEqual(["expected the id", "expected the id"]);
  });

  it("is refused without the form that it must have", () => {
    const queue = text("a queue", { form: /^[a-z]+$/, accepted: "letters" });
    expect([read(queue, "mail"), read(queue), refusal(queue, "a b")]).toEqual(["mail", undefined, "expected letters"]);
  });

  it("for a length of time is seconds, and a word of the form counts as absent in any case", () => {
    const range = text("a range", { read: "length", absent: "custom" });
    expect([read(range, "1h"), read(range, "Custom"), read(range)]).toEqual([3_600, undefined, undefined]);
    expect(refusal(range, "an hour")).toMatch(/^expected a length of time such as/);
  });
});

describe("a number parameter", () => {
  it("within its bounds is read, and others are refused in the same words", () => {
    fc.assert(
      fc.property(fc.integer({ min: -20, max: 120 }), fc.integer({ min: 0, max: 40 }), (value, min) => {
        const field = whole("rows", { least: min, most: 100 });
        const given = String(value);
        if (value >= min && value <= 100) expect(read(field, given)).toBe(value);
        else expect(refusal(field, given)).toBe(`expected a whole number from ${min} to 100`);
      }),
    );
  });

  test.each(["1.5", "1e2", "0x10", "+1", "-1", "one", "1 2", "9999999999999"])(
    "refuses %s as no whole number",
    (given) => {
      expect(refusal(whole("rows", { least: 0, most: 1e15, usual: 7 }), given)).toMatch(/^expected a whole number/);
    },
  );

  it("has its default when it is missing or empty", () => {
    const rows = whole("rows", { least: 1, most: 9, usual: 5 });
    expect([read(rows), read(rows, ""), read(whole("rows", { least: 1, most: 9 }))]).toEqual([5, 5, undefined]);
  });

  it("may have a fraction if that is allowed", () => {
    const field = number("seconds", { least: 0, most: 10 });
    expect([read(field), read(field, "0.01"), read(field, "10")]).toEqual([undefined, 0.01, 10]);
    for (const given of ["10.1", ".5", "1.", "-1", "1.0000000001"]) {
      expect(refusal(field, given)).toBe("expected a number from 0 to 10");
    }
    expect(refusal(number("", { least: 0 }, { accepted: "some seconds" }), "x")).toBe("expected some seconds");
  });
});

describe("a word parameter", () => {
  const field = word("the way", ["up", "down"]);

  it("is one of the listed words, in any case", () => {
    expect([read(field), read(field, "DOWN"), read(field, "")]).toEqual([undefined, "down", undefined]);
    expect(refusal(field, "left")).toBe("expected one of up, down");
    expect(read(word("the way", ["up", "down"], { usual: "up" }))).toBe("up");
  });
});

describe("a switch", () => {
  it("without a default means yes, no or undefined", () => {
    const field = onOff("force it");
    const values = ["1", "TRUE", "yes", "on", "0", "false", "no", "off"].map((given) => read(field, given));
    expect(values).toEqual([true, true, true, true, false, false, false, false]);
    expect(read(field)).toBeUndefined();
    expect(refusal(field, "maybe")).toContain("one of 1, true");
  });

  it("with a default is 1 or 0 and nothing else", () => {
    const field = onOff("show it", { usual: "1" });
    expect([read(field), read(field, "0"), read(field, "1")]).toEqual([true, false, true]);
    expect(refusal(field, "yes")).toBe("expected one of 1, 0");
  });
});

describe("parseInput", () => {
  const fields = { page: whole("page", { least: 1, most: 9, usual: 1 }), name: text("a name") };

  it("reads all parameters on each call", () => {
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

it("parameters are divided into those of an input and the others", () => {
  const raw = { from: ["1h"], status: ["failed"] };
  const input = { from: text("since when"), to: text("until when") };
  expect([partOf(raw, input), restOf(raw, input)]).toEqual([{ from: ["1h"] }, { status: ["failed"] }]);
});
