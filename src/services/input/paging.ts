import type { Slice } from "../../stores/ports.ts";

/** Where a page of rows lies in its list. */
export interface PageInfo {
  /** From 1. */
  number: number;
  size: number;
  /** Rows in the whole list; null where counting them would cost more than the page. */
  total: number | null;
  /** `total` is a lower bound: counting stopped there. */
  total_capped: boolean;
  has_next: boolean;
  /** Number of the first and the last row shown, from 1; both 0 on an empty page. */
  first_row: number;
  last_row: number;
}

/** One row more than the page shows is asked for: whether it comes tells if there is a next page. */
export function sliceOf(page: { number: number; size: number }): Slice {
  return { limit: page.size + 1, offset: (page.number - 1) * page.size };
}

/** Rows of the page and its place, from an answer to `sliceOf`. */
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
