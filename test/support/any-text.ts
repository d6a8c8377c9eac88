import fc from "fast-check";

/** Code points from here on, which alone are no characters, and how many. */
const SURROGATES = 0xd800;
const SURROGATES_NUMBER = 0x800;

/** What fast-check calls "binary", which fills a table of all million characters to find one of them: a second in every worker. */
const character = fc.integer({ min: 0, max: 0x10ffff - SURROGATES_NUMBER }).map(
  (n) => String.fromCodePoint(n < SURROGATES ? n : n + SURROGATES_NUMBER),
  (text) => {
    const point = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error("not one character");
    return point < SURROGATES ? point : point - SURROGATES_NUMBER;
  },
);

/** Texts of any characters. */
export function anyText(constraints: Omit<fc.StringConstraints, "unit"> = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
