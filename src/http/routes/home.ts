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
    // Answers from memory: a check every second must not depend on the store. `store` says whether the last look at it worked.
    async handle({ server }) {
      const apps = await server.workspace.apps(true).catch(() => null);
      const active = apps?.find((app) => app.active)?.app_id ?? null;
      return json({ status: "ok", app: active, store: apps === null ? "unreachable" : "ok", version: server.version });
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
