import { CompareContent, CompareHeader } from "../../../templates/pages/compare.tsx";
import { compare } from "../../services/compare/compare.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const compareRoutes: Route[] = pageRoutes({
  path: "/compare/",
  region: "compare",
  nav: "compare",
  timed: true,
  still: true,
  load: (app, { query }) => compare(app, query),
  title: () => "Compare",
  header: CompareHeader,
  content: CompareContent,
});
