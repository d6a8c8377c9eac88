/** Counts above a list, each with a link to the matching part of it. */
import type { InvocationGroups } from "../../api/invocations.ts";
import { GROUPED_BY } from "../../api/words.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { isStatusFilterOnly } from "../model/invocation-filter.ts";
import { type GroupBudget, groupInvocations } from "./groups.ts";
import type { ListRequest } from "./invocations.ts";

/** Pages are loaded often, so without an index only the newest matches are counted. */
const PAGE_BUDGET: GroupBudget = { matches: 500, candidates: 5_000 };

/**
 * Facets of a list. An empty first page has none, so that a scan without matches is not repeated to count them.
 *
 * @param list is waited for only if it may be empty after a scan.
 */
export async function facetsOfList(
  app: OpenedApp,
  { filter, page, after = [] }: ListRequest,
  list: Promise<{ invocations: readonly unknown[] }>,
): Promise<InvocationGroups[]> {
  const facets = isStatusFilterOnly(filter) ? invocationFacets(app, filter) : null;
  const [{ invocations }, early] = await Promise.all([list, facets]);
  const none = invocations.length === 0 && page.number === 1 && after.length === 0;
  return none ? [] : (early ?? invocationFacets(app, filter));
}

/** Facets by status, task and exception; empty ones are omitted. */
export async function invocationFacets(app: OpenedApp, filter: InvocationFilter): Promise<InvocationGroups[]> {
  const count = () => groupInvocations(app, filter, GROUPED_BY, PAGE_BUDGET);
  // While the store is still being searched, more is found without a change of it.
  const { forgotten } = await app.inventory();
  const facets = await (forgotten.complete ? app.memoAcross(`facets ${JSON.stringify(filter)}`, count) : count());
  return facets.filter(({ groups }) => groups.length > 0);
}
