/** Pages that show the answer to their question as it is. */
import type { Page } from "../../../templates/pages/view.ts";
import { QUESTIONS } from "../../questions/all.ts";
import type { Route } from "../context.ts";
import { routesOf } from "../page-route.tsx";

/** Routes for every question that a service answers and whose page is not among `others`. The page has the name of the question. */
export function answerRoutes(others: readonly Route[]): Route[] {
  const taken = new Set(others.map(({ path }) => path));
  return QUESTIONS.flatMap(({ name, ask, addresses }) => {
    const path = addresses[0]?.path;
    const refresh = addresses.find(({ refreshes }) => refreshes)?.path;
    if (ask === undefined || path === undefined || taken.has(path)) return [];
    const place = { path, ...(refresh !== undefined && { refresh }) };
    return routesOf(place, async () => {
      const { page }: { page: Page<object> } = await import(`../../../templates/pages/${name}.tsx`);
      return { ...place, ...page, load: (app, { query }) => ask(app, query) };
    });
  });
}
