import { TriggerRunContent } from "../../../templates/pages/trigger-run.tsx";
import { triggerRunDetail } from "../../services/triggers/trigger-run-detail.ts";
import type { Route } from "../context.ts";
import { jsonRoute } from "../json-route.ts";
import { triggerRunApi } from "../legacy/trigger-run.ts";
import { pageRoutes } from "../page-route.tsx";
import { withPicture } from "../picture-on-page.ts";

export const triggerRunRoutes: Route[] = [
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
  jsonRoute("/trigger-runs/:id/api", (app, id, { links }) => triggerRunApi(app, id, links)),
];
