import fc from "fast-check";
import { expect, it } from "vitest";
import { cursorsIn, pageOf, sliceOf } from "../../../src/services/input/paging.ts";

it("pages of any size make up the whole list, and only the last has no next page", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }), (length, size) => {
      const list = Array.from({ length }, (_, n) => n);
      const shown: number[] = [];
      for (let number = 1; ; number++) {
        const { limit, offset } = sliceOf({ number, size });
        const { rows, page } = pageOf(list.slice(offset, offset + limit), { number, size }, length);
        expect(page).toMatchObject({ number, size, total: length, total_capped: false });
        expect([page.first_row, page.last_row]).toEqual(
          rows.length === 0 ? [0, 0] : [shown.length + 1, shown.length + rows.length],
        );
        shown.push(...rows);
        expect(page.has_next).toBe(shown.length < length);
        if (!page.has_next) break;
      }
      expect(shown).toEqual(list);
    }),
  );
});

it("an unknown total is null, and a capped total is marked", () => {
  const wanted = { number: 1, size: 2 };
  expect(pageOf([1], wanted).page).toMatchObject({ total: null, total_capped: false });
  expect(pageOf([1], wanted, 10, true).page).toMatchObject({ total: 10, total_capped: true });
});

it("a cursor beside a parameter that contradicts it is refused, with the cursor of the page itself as the wrong value", () => {
  expect(() => cursorsIn(["first", "last"], "page")).toThrow(
    expect.objectContaining({ problems: [expect.objectContaining({ parameter: "after", value: "last" })] }),
  );
  expect(cursorsIn([], "page")).toEqual([]);
  expect(cursorsIn(["first", "", "last"], null)).toEqual(["first", "last"]);
});
