import type { PageInfo } from "../../api/model/common.ts";
import type { Slice } from "../../stores/ports/common.ts";

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
