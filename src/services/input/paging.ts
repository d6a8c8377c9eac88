import type { PageInfo } from "../../api/model/common.ts";
import { InvalidInputError } from "../../errors.ts";
import type { Slice } from "../../stores/ports/common.ts";

/** Limit of cursors in a URL: that of the page itself and those of the pages before it, for going back. */
const MAX_CURSORS = 30;
const LONGEST_CURSOR = 400;

/**
 * Cursors of the previous pages, with that of the page itself last. The oldest are dropped because URLs have limited room.
 *
 * @param other a parameter that contradicts a cursor; null if there is none.
 * @throws InvalidInputError
 */
export function cursorsIn(values: readonly string[], other: string | null): string[] {
  const after = values.filter((cursor) => cursor !== "" && cursor.length <= LONGEST_CURSOR).slice(-MAX_CURSORS);
  if (after.length === 0 || other === null) return after;
  const accepted = `${other} cannot be combined with it: a page starts after a cursor or at a number, in the order of the list`;
  throw new InvalidInputError([{ parameter: "after", value: after.at(-1) ?? "", accepted }]);
}

/** One row more than the page shows, to know whether there is a next page. */
export function sliceOf(page: { number: number; size: number }): Slice {
  return { limit: page.size + 1, offset: (page.number - 1) * page.size };
}

/** Rows and position of the page, from the rows read with `sliceOf`. */
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
