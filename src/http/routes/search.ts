import { SearchContent, SearchHeader } from "../../../templates/pages/search.tsx";
import { searchedPages } from "../../presentation/nav-entries.ts";
import { withPaths } from "../../presentation/thing-links.ts";
import { find } from "../../services/find/find.ts";
import { completeQuery } from "../../services/find/query-completion.ts";
import type { Route } from "../context.ts";
import { jsonRoute } from "../json-route.ts";
import { pageRoutes } from "../page-route.tsx";

export const searchRoutes: Route[] = [
  ...pageRoutes({
    path: "/search",
    region: "search-results",
    nav: null,
    load: async (app, { query, links, server }) =>
      withPaths(links, await find(app, query, searchedPages(app.rollups !== null, server.readOnly))),
    elsewhere({ matches, near, complete }) {
      // A family is of invocations in the list that is found with it.
      const [only, ...others] = matches.filter(({ kind }) => kind !== "family");
      return only !== undefined && others.length + near.length === 0 && complete ? only.path : null;
    },
    title: ({ query }) => (query === "" ? "Search" : `Search: ${query}`),
    header: SearchHeader,
    content: SearchContent,
  }),
  jsonRoute("/search/complete", (app, _, { query }) => completeQuery(app, query)),
];
