/** Fragments for the panel of the timeline: the details of the selected mark, as on its page. */
import type { FunctionComponent } from "preact";
import { EventPanel } from "../../../templates/panels/event-panel.tsx";
import { InvocationPanel, type InvocationPanelModel } from "../../../templates/panels/invocation-panel.tsx";
import { ServiceRunPanel } from "../../../templates/panels/service-run-panel.tsx";
import { TriggerRunPanel } from "../../../templates/panels/trigger-run-panel.tsx";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { invocationDetail } from "../../services/invocations/invocation-detail.ts";
import { atomicRun } from "../../services/runners/atomic-run.ts";
import { eventFacts } from "../../services/triggers/event-detail.ts";
import { triggerRunDetail } from "../../services/triggers/trigger-run-detail.ts";
import type { Route } from "../context.ts";
import { withPicture } from "../picture-on-page.ts";
import { fragment } from "../respond.tsx";

export const panelRoutes: Route[] = [
  panel("/invocations/:id/panel", invocationWithFamily, InvocationPanel),
  panel("/events/:id/panel", (app, id) => eventFacts(app, id), EventPanel),
  panel("/trigger-runs/:id/panel", triggerRunDetail, TriggerRunPanel),
  panel("/runners/atomic-service/runs/:id/panel", atomicRun, ServiceRunPanel),
];

function invocationWithFamily(app: OpenedApp, id: string): Promise<InvocationPanelModel> {
  return withPicture(app, "fragment", "invocation", id, invocationDetail(app, id));
}

function panel<Model>(
  path: string,
  load: (app: OpenedApp, id: string) => Promise<Model>,
  Content: FunctionComponent<{ model: Model; readOnly: boolean }>,
): Route {
  return {
    method: "GET",
    path,
    handle: async (request) =>
      fragment(
        request,
        <Content model={await load(await request.app(), request.params.id ?? "")} readOnly={request.server.readOnly} />,
      ),
  };
}
