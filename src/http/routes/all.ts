import type { Route, ServerContext } from "../context.ts";
import { actionsRoutes } from "./actions.ts";
import { assetRoutes } from "./assets.ts";
import { atomicServiceRoutes } from "./atomic-service.ts";
import { brokerRoutes } from "./broker.ts";
import { callRoutes } from "./calls.ts";
import { clientDataStoreRoutes } from "./client-data-store.ts";
import { compareRoutes } from "./compare.ts";
import { diffRoutes } from "./diff.ts";
import { eventRoutes } from "./events.ts";
import { homeRoutes } from "./home.ts";
import { invocationRoutes } from "./invocations.ts";
import { logExplorerRoutes } from "./log-explorer.tsx";
import { metricsRoutes } from "./metrics.ts";
import { openApiRoute } from "./openapi.ts";
import { orchestratorRoutes } from "./orchestrator.ts";
import { panelRoutes } from "./panels.tsx";
import { runnerRoutes } from "./runners.ts";
import { searchRoutes } from "./search.ts";
import { signInRoutes } from "./sign-in.tsx";
import { stateBackendRoutes } from "./state-backend.ts";
import { statsRoutes } from "./stats.ts";
import { storeRoutes } from "./store.ts";
import { taskRoutes } from "./tasks.ts";
import { timelineRoutes } from "./timeline.tsx";
import { traceRoutes } from "./trace.ts";
import { triggerRunRoutes } from "./trigger-runs.ts";
import { triggerRoutes } from "./triggers.ts";
import { whyRoutes } from "./why.ts";
import { workflowRoutes } from "./workflows.ts";

/** All routes; tests iterate over them. */
export function allRoutes({ dev }: Pick<ServerContext, "dev">): Route[] {
  const routes = [
    ...assetRoutes,
    ...homeRoutes,
    ...metricsRoutes,
    ...signInRoutes,
    ...searchRoutes,
    ...whyRoutes,
    ...traceRoutes,
    ...diffRoutes,
    ...actionsRoutes,
    ...brokerRoutes,
    ...orchestratorRoutes,
    ...runnerRoutes,
    ...atomicServiceRoutes,
    ...statsRoutes,
    ...compareRoutes,
    ...taskRoutes,
    ...timelineRoutes,
    ...panelRoutes,
    ...invocationRoutes,
    ...callRoutes,
    ...workflowRoutes(dev),
    ...eventRoutes,
    ...triggerRunRoutes,
    ...triggerRoutes,
    ...storeRoutes,
    ...stateBackendRoutes,
    ...clientDataStoreRoutes,
    ...logExplorerRoutes,
  ];
  return [...routes, openApiRoute(routes)];
}
