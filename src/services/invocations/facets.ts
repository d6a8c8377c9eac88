/** The counts above a list, each of which leads to a part of it. */
import type { InvocationGroups } from "../../api/invocations.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { GROUPED_BY, type GroupBudget, groupInvocations } from "./groups.ts";
import type { ListRequest } from "./invocations.ts";

/** A page is looked at again and again: the counts of what no index answers are those of the newest matches. */
const PAGE_BUDGET: GroupBudget = { matches: 500, candidates: 5_000 };

/**
 * Those of a list. What was looked through without a match is not looked through again to count the matches.
 *
 * @param found rows of the list.
 */
export async function facetsOfList(
  app: OpenedApp,
  { filter, page, after = [] }: ListRequest,
  found: readonly unknown[],
): Promise<InvocationGroups[]> {
  const none = found.length === 0 && page.number === 1 && after.length === 0;
  return none ? [] : invocationFacets(app, filter);
}

/** By status, by task and by exception, without those that have nothing to tell. */
export async function invocationFacets(app: OpenedApp, filter: InvocationFilter): Promise<InvocationGroups[]> {
  const facets = await groupInvocations(app, filter, GROUPED_BY, PAGE_BUDGET);
  return facets.filter(({ groups }) => groups.length > 0);
}
