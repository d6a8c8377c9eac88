import { DashboardContent } from "../../../templates/pages/dashboard.tsx";
import { withSteps } from "../../presentation/verdict-steps.ts";
import { dashboard } from "../../services/health/dashboard.ts";
import { STATS_LENGTH } from "../../services/stats/stats-range.ts";
import type { Route } from "../context.ts";
import { health } from "../health.ts";
import { pageRoutes } from "../page-route.tsx";
import { json, redirect } from "../respond.tsx";

export const homeRoutes: Route[] = [
  ...pageRoutes({
    path: "/",
    region: "dashboard",
    nav: "dashboard",
    timed: ({ range }) => ({ start: range.from, end: range.to, preset: STATS_LENGTH }),
    load: async (app, { query, links }) => withSteps(links, await dashboard(app, query)),
    title: () => "Now",
    content: DashboardContent,
  }),
  {
    method: "GET",
    path: "/health",
    json: true,
    probe: true,
    async handle({ server }) {
      return json(await health(server));
    },
  },
  {
    method: "GET",
    path: "/switch-app/:app_id",
    async handle({ server, params }) {
      await server.workspace.activate(params.app_id ?? "");
      return redirect("/");
    },
  },
];
