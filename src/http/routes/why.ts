import { WhyContent } from "../../../templates/pages/why.tsx";
import { placedWhy } from "../../presentation/verdict-steps.ts";
import { why } from "../../services/why/why.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const whyRoutes: Route[] = pageRoutes({
  path: "/why",
  region: "why",
  nav: null,
  load: async (app, { query, links }) => placedWhy(links, await why(app, query)),
  title: ({ subject }) => (subject.kind === "app" ? "Why" : `Why: ${subject.label}`),
  content: WhyContent,
});
