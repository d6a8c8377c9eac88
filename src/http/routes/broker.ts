import { BrokerContent } from "../../../templates/pages/broker.tsx";
import { QueueContent } from "../../../templates/pages/queue.tsx";
import { brokerOverview, queuePage } from "../../services/components/broker.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";
import { withoutVerdicts, withVerdicts } from "../verdicts-on-page.ts";

export const brokerRoutes: Route[] = [
  ...pageRoutes({
    path: "/broker/",
    refresh: "/broker/refresh",
    region: "broker-info-content",
    nav: "broker",
    load: (app, request) =>
      withVerdicts(app, request, "queue", brokerOverview(app, true), () => ({ kind: "queue", id: null })),
    json: withoutVerdicts,
    title: () => "Queue",
    content: BrokerContent,
  }),
  ...pageRoutes({
    path: "/broker/queue",
    region: "queue",
    nav: "broker",
    load: (app, request) =>
      withVerdicts(app, request, "queue", queuePage(app, request.query), ({ queue }) => ({ kind: "queue", id: queue })),
    json: withoutVerdicts,
    title: () => "Messages",
    content: QueueContent,
  }),
];
