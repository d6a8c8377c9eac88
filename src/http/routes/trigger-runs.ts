import { ConditionContent } from "../../../templates/pages/condition.tsx";
import { TriggerRunContent } from "../../../templates/pages/trigger-run.tsx";
import { TriggerRunsContent, TriggerRunsHeader } from "../../../templates/pages/trigger-runs.tsx";
import { ValidConditionContent } from "../../../templates/pages/valid-condition.tsx";
import { columnNames } from "../../presentation/facts/column.ts";
import { TRIGGER_RUN_COLUMNS } from "../../presentation/facts/trigger-run.ts";
import { conditionDetail } from "../../services/triggers/conditions.ts";
import { triggerRunDetail } from "../../services/triggers/trigger-run-detail.ts";
import { listTriggerRuns } from "../../services/triggers/trigger-runs.ts";
import { validConditionDetail } from "../../services/triggers/valid-conditions.ts";
import type { Route } from "../context.ts";
import { triggerRunApi } from "../legacy/trigger-run.ts";
import { pageRoutes } from "../page-route.tsx";
import { withPicture } from "../picture-on-page.ts";
import { json } from "../respond.tsx";

export const triggerRunRoutes: Route[] = [
  ...pageRoutes({
    path: "/trigger-runs/",
    region: "trigger-runs-table",
    nav: "trigger_runs",
    timed: true,
    columns: columnNames(TRIGGER_RUN_COLUMNS),
    load: (app, { query }) => listTriggerRuns(app, query),
    title: () => "Trigger runs",
    header: TriggerRunsHeader,
    content: TriggerRunsContent,
  }),
  ...pageRoutes({
    path: "/trigger-runs/condition",
    region: "condition",
    about: { kind: "condition", in: "query", name: "condition_id" },
    nav: "triggers",
    load: (app, { query }) => conditionDetail(app, query),
    title: (model) => `Condition ${model.condition.condition_id}`,
    content: ConditionContent,
  }),
  ...pageRoutes({
    path: "/trigger-runs/valid-condition",
    region: "valid-condition",
    about: { kind: "valid_condition", in: "query", name: "valid_condition_id" },
    nav: "triggers",
    load: (app, { query }) => validConditionDetail(app, query),
    title: (model) => `Valid condition ${model.valid_condition_id}`,
    content: ValidConditionContent,
  }),
  ...pageRoutes({
    path: "/trigger-runs/:id",
    region: "trigger-run",
    about: { kind: "trigger_run", in: "path", name: "id" },
    nav: "trigger_runs",
    load: (app, { params, wanted }) =>
      withPicture(app, wanted, "trigger_run", params.id ?? "", triggerRunDetail(app, params.id ?? "")),
    title: (model) => `Trigger run ${model.trigger_run_id}`,
    content: TriggerRunContent,
  }),
  {
    method: "GET",
    path: "/trigger-runs/:id/api",
    json: true,
    handle: async (request) => json(await triggerRunApi(await request.app(), request.params.id ?? "", request.links)),
  },
];
