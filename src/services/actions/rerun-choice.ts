/** Chooses the matches of a filter to register again: all of them, or only those that no other match called. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { grouped } from "../../pynenc/numbers.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { exportInvocations } from "../invocations/invocations.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { MatchingFamilies } from "./matching-families.ts";

/** Matches read to find the topmost of each family; if more than this may be registered, twice that number. */
const SCAN_LIMIT = 10_000;

export interface ChoiceInput {
  filter: InvocationFilter;
  /** Only these matches; null for all. */
  selected: readonly string[] | null;
  /** Limit of invocations to register. */
  limit: number;
  /** Include matches that other matches called. */
  all: boolean;
}

export interface Choice {
  /** In the order of the list. */
  chosen: InvocationRow[];
  /** Number of matches read. */
  scanned: number;
  /** Matches left out, each with the topmost match above it, which may not be among the chosen. */
  left_out: ReadonlyMap<string, string>;
  /** A sentence if the search ended early and more might have been chosen. */
  notes: string[];
}

/** Checks parents against the filter, not against the rows read so far, because parents come after their children in the list. */
export async function choose(
  app: OpenedApp,
  { filter, selected, limit, all }: ChoiceInput,
  scanLimit = Math.max(SCAN_LIMIT, 2 * limit),
): Promise<Choice> {
  const chosen: InvocationRow[] = [];
  const left_out = new Map<string, string>();
  let scanned = 0;
  const matching = withSelection(filter, selected);
  if (matching === null) return { chosen, scanned, left_out, notes: [] };
  const families = new MatchingFamilies(matching);
  for await (const rows of exportInvocations(app, matching)) {
    const topmost = all ? null : await app.store.read((reads) => families.topmost(reads, rows));
    for (const row of rows) {
      if (chosen.length === limit) return { chosen, scanned, left_out, notes: [] };
      if (scanned === scanLimit) {
        const note = `The search stopped after ${grouped(scanned)} matches; the rest were not searched. Narrow the filter to reach them.`;
        return { chosen, scanned, left_out, notes: [note] };
      }
      scanned++;
      const above = topmost?.get(row.invocation_id) ?? row.invocation_id;
      if (above === row.invocation_id) chosen.push(row);
      else left_out.set(row.invocation_id, above);
    }
  }
  return { chosen, scanned, left_out, notes: [] };
}

/** Null if nothing can match, because an empty list of ids would not restrict anything. */
function withSelection(filter: InvocationFilter, selected: readonly string[] | null): InvocationFilter | null {
  if (selected === null) return filter;
  const requested = new Set(filter.invocation_ids);
  const invocation_ids = requested.size === 0 ? [...selected] : selected.filter((id) => requested.has(id));
  return invocation_ids.length === 0 ? null : { ...filter, invocation_ids };
}
