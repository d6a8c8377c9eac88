/** Which of the matches of a filter are registered again: as they come, or only those that no other match leads to. */
import type { InvocationFilter, InvocationRow } from "../../api/model/invocation-rows.ts";
import { grouped } from "../../pynenc/numbers.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { exportInvocations } from "../invocations/invocations.ts";
import { MatchingFamilies } from "./matching-families.ts";

/** Matches that are looked at for the topmost of each family; of more that may be registered at once, twice as many as that. */
const LOOK_AT_MOST = 10_000;

export interface ChoiceInput {
  filter: InvocationFilter;
  /** Of the matches only these; null for all of them. */
  selected: readonly string[] | null;
  /** So many at most. */
  limit: number;
  /** Also matches that other matches lead to. */
  all: boolean;
}

export interface Choice {
  /** In the order of the list. */
  chosen: InvocationRow[];
  /** Matches that were looked at. */
  looked: number;
  /** Matches that were left out, each with the topmost match that led to it, which need not be among the chosen. */
  left_out: ReadonlyMap<string, string>;
  /** A sentence where the search ended early although more might have been chosen. */
  notes: string[];
}

/** Whether an invocation leads to another is told by the filter and not by what was looked at: a parent comes after its children. */
export async function choose(
  app: OpenedApp,
  { filter, selected, limit, all }: ChoiceInput,
  lookAtMost = Math.max(LOOK_AT_MOST, 2 * limit),
): Promise<Choice> {
  const chosen: InvocationRow[] = [];
  const left_out = new Map<string, string>();
  let looked = 0;
  const matching = withSelection(filter, selected);
  if (matching === null) return { chosen, looked, left_out, notes: [] };
  const families = new MatchingFamilies(matching);
  for await (const rows of exportInvocations(app, matching)) {
    const topmost = all ? null : await app.store.read((reads) => families.topmost(reads, rows));
    for (const row of rows) {
      if (chosen.length === limit) return { chosen, looked, left_out, notes: [] };
      if (looked === lookAtMost) {
        const note = `The search stopped after ${grouped(looked)} matches; the rest were not searched. Narrow the filter to reach them.`;
        return { chosen, looked, left_out, notes: [note] };
      }
      looked++;
      const above = topmost?.get(row.invocation_id) ?? row.invocation_id;
      if (above === row.invocation_id) chosen.push(row);
      else left_out.set(row.invocation_id, above);
    }
  }
  return { chosen, looked, left_out, notes: [] };
}

/** Null where nothing can match: an empty list of ids restricts nothing. */
function withSelection(filter: InvocationFilter, selected: readonly string[] | null): InvocationFilter | null {
  if (selected === null) return filter;
  const requested = new Set(filter.invocation_ids);
  const invocation_ids = requested.size === 0 ? [...selected] : selected.filter((id) => requested.has(id));
  return invocation_ids.length === 0 ? null : { ...filter, invocation_ids };
}
