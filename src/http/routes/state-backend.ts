import { StateBackendContent } from "../../../templates/pages/state-backend.tsx";
import { stateBackendOverview } from "../../services/components/state-backend.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const stateBackendRoutes: Route[] = pageRoutes({
  path: "/state-backend/",
  region: "state-backend",
  nav: "state_backend",
  load: (app) => stateBackendOverview(app),
  title: () => "State backend",
  content: StateBackendContent,
});
