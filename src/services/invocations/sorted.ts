/** Invocations in other orders. No store has an index for these, so all matches are read and sorted, if there are few enough. */

import type { PageInfo } from "../../api/model/common.ts";
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { SORT_FIELDS } from "../../api/words.ts";
import { InvalidInputError } from "../../errors.ts";
import { grouped } from "../../pynenc/numbers.ts";
import { ascending } from "../../pynenc/order.ts";
import type { Inventory } from "../app/inventory.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { InvocationWalk, type WalkProgress } from "../model/invocation-walk.ts";

/** Limit of matches to sort. */
export const MAX_SORTED = 1_000;

/** Whether a list is known to be short enough for sorting. */
export function isSortable({ total, total_capped }: PageInfo): boolean {
  return total !== null && !total_capped && total <= MAX_SORTED;
}

/** Fields by the heads of the columns that have them. */
const HEADS: Readonly<Record<string, InvocationSort["field"]>> = {
  duration: "duration_seconds",
  registered: "registered_at",
  changed: "status_at",
  retries: "retry_count",
  task: "task_id_key",
};

/** Candidates read to find all matches. */
const SCAN_LIMIT = 50_000;

export interface InvocationSort {
  field: (typeof SORT_FIELDS)[number];
  descending: boolean;
}

/** Parses `duration_seconds`, or `-duration_seconds` for the greatest first. Null for an empty text. @throws InvalidInputError */
export function readSort(text: string | undefined, parameter = "sort"): InvocationSort | null {
  if (text === undefined || text === "") return null;
  const descending = text.startsWith("-");
  const word = text.slice(descending ? 1 : 0).toLowerCase();
  const field = SORT_FIELDS.find((known) => known === (HEADS[word] ?? word));
  if (field !== undefined) return { field, descending };
  const accepted = `one of ${SORT_FIELDS.join(", ")}, with a leading minus for the greatest first`;
  throw new InvalidInputError([{ parameter, value: text, accepted }]);
}

/**
 * All matches in this order; unknown values come last. For `incomplete` see the walk.
 *
 * @throws InvalidInputError if there are too many.
 */
export async function sortedInvocations(
  app: OpenedApp,
  inventory: Inventory,
  filter: InvocationFilter,
  { field, descending }: InvocationSort,
  onProgress?: WalkProgress,
): Promise<{ rows: InvocationRow[]; incomplete: boolean }> {
  const walk = new InvocationWalk(filter, () => inventory);
  const rows = await app.store.read(async (reads) => {
    const ids = await walk.next(reads, MAX_SORTED + 1, SCAN_LIMIT, onProgress);
    if (ids.length <= MAX_SORTED && walk.done) return invocationRows(reads, ids);
    const many =
      ids.length > MAX_SORTED ? `more than ${grouped(MAX_SORTED)} invocations match` : "not all could be searched";
    const accepted = `${many}, and no index has this order: narrow the search, or leave it newest first`;
    throw new InvalidInputError([{ parameter: "sort", value: `${descending ? "-" : ""}${field}`, accepted }]);
  });
  const order = (a: InvocationRow, b: InvocationRow) => {
    const [x, y] = [a[field], b[field]];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return ascending(x, y) * (descending ? -1 : 1);
  };
  // Equal values keep the order of the list.
  return { rows: rows.sort(order), incomplete: walk.incomplete };
}
