import type { PageInfo } from "../../api/model/common.ts";
import { InvalidInputError } from "../../errors.ts";
import type { Slice } from "../../stores/ports/common.ts";
import { mapped, texts } from "./input.ts";

/** The cursors of the pages that led to this one, the last of them its own: the way back goes through them. */
const MAX_CURSORS = 30;
const LONGEST_CURSOR = 400;

/** Places of the way to a page, the page's own last. Of more the oldest are forgotten: an address has no room for them. */
export const cursors = mapped(texts, (values) =>
  values.filter((cursor) => cursor !== "" && cursor.length <= LONGEST_CURSOR).slice(-MAX_CURSORS),
);

/** @param other the parameter that says otherwise where the page begins; null if there is none. @throws InvalidInputError */
export function rejectBoth(after: readonly string[], other: string | null): void {
  if (after.length === 0 || other === null) return;
  const accepted = `${other} cannot be combined with it: a page begins behind a cursor or at a number, in the order of the list`;
  throw new InvalidInputError([{ parameter: "after", value: after.at(-1) ?? "", accepted }]);
}

/** Reads one row more than the page shows, to know whether there is a next page. */
export function sliceOf(page: { number: number; size: number }): Slice {
  return { limit: page.size + 1, offset: (page.number - 1) * page.size };
}

/** Rows and position of the page, from the rows read for `sliceOf`. */
export function pageOf<Row>(
  answered: readonly Row[],
  { number, size }: { number: number; size: number },
  total: number | null = null,
  totalCapped = false,
): { rows: Row[]; page: PageInfo } {
  const rows = answered.slice(0, size);
  const before = (number - 1) * size;
  return {
    rows,
    page: {
      number,
      size,
      total,
      total_capped: totalCapped,
      has_next: answered.length > size,
      first_row: rows.length === 0 ? 0 : before + 1,
      last_row: rows.length === 0 ? 0 : before + rows.length,
    },
  };
}
