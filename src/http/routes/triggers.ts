import { TriggerContent } from "../../../templates/pages/trigger.tsx";
import { triggerDetail } from "../../services/triggers/triggers.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";
import { withoutVerdicts, withVerdicts } from "../verdicts-on-page.ts";

export const triggerRoutes: Route[] = [
  ...pageRoutes({
    path: "/triggers/:id",
    region: "trigger",
    about: { kind: "trigger", in: "path", name: "id" },
    nav: "triggers",
    load: (app, request) =>
      withVerdicts(app, request, "trigger", triggerDetail(app, request.params.id ?? ""), (detail) => ({
        kind: "trigger",
        detail,
      })),
    json: withoutVerdicts,
    title: (model) => `Trigger ${model.trigger_id}`,
    content: TriggerContent,
  }),
];
