import { OrchestratorContent } from "../../../templates/pages/orchestrator.tsx";
import { orchestratorOverview } from "../../services/components/orchestrator.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const orchestratorRoutes: Route[] = pageRoutes({
  path: "/orchestrator/",
  refresh: "/orchestrator/refresh",
  region: "orchestrator-stats",
  nav: "orchestrator",
  load: (app) => orchestratorOverview(app),
  title: () => "Orchestrator",
  content: OrchestratorContent,
});
