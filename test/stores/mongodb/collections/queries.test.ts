import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  atOrAfter,
  atOrBefore,
  boundedText,
  containing,
  cutText,
} from "../../../../src/stores/mongodb/collections/queries.ts";

const instants = fc.oneof(
  fc.double({ min: 0, max: 9e9, noNaN: true }),
  fc.integer({ min: 0, max: 9e12 }).map((ms) => ms / 1000),
);

describe("bounds of times that are stored with milliseconds", () => {
  it("a date at or after an instant is the first whose seconds are not less", () => {
    fc.assert(
      fc.property(instants, (at) => {
        const ms = atOrAfter(at).getTime();
        expect([ms / 1000 >= at, (ms - 1) / 1000 >= at]).toEqual([true, false]);
      }),
    );
  });

  it("a date at or before an instant is the last whose seconds are not more", () => {
    fc.assert(
      fc.property(instants, (at) => {
        const ms = atOrBefore(at).getTime();
        expect([ms / 1000 <= at, (ms + 1) / 1000 <= at]).toEqual([true, false]);
      }),
    );
  });

  it("instants beyond all dates become dates, not errors", () => {
    for (const at of [Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      for (const date of [atOrAfter(at), atOrBefore(at)]) expect(Number.isNaN(date.getTime())).toBe(false);
  });
});

describe("a text that is shown in part", () => {
  it("has no more bytes than allowed, and its whole size if something is missing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 0, max: 40 }), (whole, bytes) => {
        const { text, whole_size } = boundedText(whole, bytes);
        const size = Buffer.byteLength(whole);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.max(bytes, size > bytes ? 0 : size));
        expect(whole_size).toBe(size > bytes ? size : undefined);
        expect(size > bytes ? whole.startsWith(text) : text === whole).toBe(true);
      }),
    );
  });

  it("ends with an ellipsis where there is no place for its size", () => {
    expect([cutText("12345", 5), cutText("123456", 5), cutText("aä", 2), cutText(null, 5)]).toEqual([
      "12345",
      "12345…",
      "a…",
      "",
    ]);
  });
});

it("a text is searched for literally, whatever its characters mean in a pattern", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (part, around) => {
      const { $regex } = containing(part) as { $regex: string };
      expect(new RegExp($regex).test(`${around}${part}${around}`)).toBe(true);
      expect(new RegExp(`^${$regex}$`).test(`${part}x`)).toBe(false);
    }),
  );
});
