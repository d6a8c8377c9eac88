import { WorkflowRunContent } from "../../../templates/pages/workflow-run.tsx";
import { WorkflowRunsContent } from "../../../templates/pages/workflow-runs.tsx";
import { WorkflowTypesContent } from "../../../templates/pages/workflows.tsx";
import { workflowDebug, workflowRunDetail, workflowRuns, workflowTypes } from "../../services/workflows/workflows.ts";
import type { Route } from "../context.ts";
import { jsonRoute } from "../json-route.ts";
import { pageRoutes } from "../page-route.tsx";
import { withPicture } from "../picture-on-page.ts";
import { withoutVerdicts, withVerdicts } from "../verdicts-on-page.ts";

/** @param dev adds the debug overview (behaviour.md 3.6: a development-only route). */
export function workflowRoutes(dev: boolean): Route[] {
  return [
    ...pageRoutes({
      path: "/workflows/",
      refresh: "/workflows/refresh",
      region: "workflows-content",
      nav: "workflows",
      load: (app) => workflowTypes(app),
      title: () => "Workflows",
      content: WorkflowTypesContent,
    }),
    ...pageRoutes({
      path: "/workflows/runs",
      refresh: "/workflows/runs/refresh",
      region: "workflow-runs-content",
      nav: "workflows",
      load: (app, { query }) => workflowRuns(app, query),
      title: () => "Workflow runs",
      content: WorkflowRunsContent,
    }),
    ...pageRoutes({
      path: "/workflows/runs/:workflow_id",
      region: "workflow-run",
      about: { kind: "workflow", in: "path", name: "workflow_id" },
      nav: "workflows",
      // A run has the id of its defining invocation.
      load(app, request) {
        const { workflow_id = "" } = request.params;
        const detail = workflowRunDetail(app, workflow_id, request.query);
        const loading = withPicture(app, request.wanted, "invocation", workflow_id, detail);
        return withVerdicts(app, request, "workflow", loading, ({ run }) => ({
          kind: "workflow",
          id: run.workflow_id,
        }));
      },
      json: withoutVerdicts,
      title: (model) => `Workflow run ${model.run.workflow_id}`,
      content: WorkflowRunContent,
    }),
    ...(dev ? [debugRoute] : []),
    ...pageRoutes({
      path: "/workflows/:type_key",
      refresh: "/workflows/:type_key/refresh",
      region: "workflow-detail-content",
      nav: "workflows",
      load: (app, { params, query }) => workflowRuns(app, query, params.type_key ?? ""),
      title: (model) => `Workflow ${model.workflow_type_key}`,
      content: WorkflowRunsContent,
    }),
  ];
}

const debugRoute = jsonRoute("/workflows/debug", workflowDebug);
