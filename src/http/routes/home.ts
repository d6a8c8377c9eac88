import { DashboardContent } from "../../../templates/pages/dashboard.tsx";
import { dashboard } from "../../services/dashboard.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";
import { json, redirect } from "../respond.tsx";

export const homeRoutes: Route[] = [
  ...pageRoutes({
    path: "/",
    region: "dashboard",
    nav: "dashboard",
    load: (app) => dashboard(app),
    title: () => "Dashboard",
    content: DashboardContent,
  }),
  {
    method: "GET",
    path: "/health",
    json: true,
    // A check every second must not depend on the store.
    async handle({ server }) {
      return json({ status: "ok", ...(await server.workspace.lastLook()), version: server.version });
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
