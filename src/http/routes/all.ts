import type { Route, ServerContext } from "../context.ts";
import { actionsRoutes } from "./actions.ts";
import { answerRoutes } from "./answers.ts";
import { assetRoutes } from "./assets.ts";
import { atomicServiceRoutes } from "./atomic-service.ts";
import { brokerRoutes } from "./broker.tsx";
import { callRoutes } from "./calls.ts";
import { diffRoutes } from "./diff.ts";
import { eventRoutes } from "./events.ts";
import { familyRoutes } from "./family.ts";
import { homeRoutes } from "./home.tsx";
import { invocationRoutes } from "./invocations.tsx";
import { logExplorerRoutes } from "./log-explorer.tsx";
import { metricsRoutes } from "./metrics.ts";
import { openApiRoute } from "./openapi.ts";
import { panelRoutes } from "./panels.tsx";
import { runnerRoutes } from "./runners.tsx";
import { searchRoutes } from "./search.ts";
import { signInRoutes } from "./sign-in.tsx";
import { taskRoutes } from "./tasks.ts";
import { timelineRoutes } from "./timeline.tsx";
import { triggerRunRoutes } from "./trigger-runs.ts";
import { triggerRoutes } from "./triggers.ts";
import { whyRoutes } from "./why.ts";
import { workflowRoutes } from "./workflows.ts";

/** All routes; tests iterate over them. */
export function allRoutes({ dev }: Pick<ServerContext, "dev">): Route[] {
  const others = [
    ...assetRoutes,
    ...homeRoutes,
    ...metricsRoutes,
    ...signInRoutes,
    ...searchRoutes,
    ...whyRoutes,
    ...familyRoutes,
    ...diffRoutes,
    ...actionsRoutes,
    ...brokerRoutes,
    ...runnerRoutes,
    ...atomicServiceRoutes,
    ...taskRoutes,
    ...timelineRoutes,
    ...panelRoutes,
    ...invocationRoutes,
    ...callRoutes,
    ...workflowRoutes(dev),
    ...eventRoutes,
    ...triggerRunRoutes,
    ...triggerRoutes,
    ...logExplorerRoutes,
  ];
  const routes = [...others, ...answerRoutes(others)];
  return [...routes, openApiRoute(routes)];
}
