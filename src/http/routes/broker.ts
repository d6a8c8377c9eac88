import { BrokerContent } from "../../../templates/pages/broker.tsx";
import { QueueContent } from "../../../templates/pages/queue.tsx";
import { brokerOverview, queuePage } from "../../services/components/broker.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const brokerRoutes: Route[] = [
  ...pageRoutes({
    path: "/broker/",
    refresh: "/broker/refresh",
    region: "broker-info-content",
    nav: "broker",
    load: (app) => brokerOverview(app, true),
    title: () => "Broker",
    content: BrokerContent,
  }),
  ...pageRoutes({
    path: "/broker/queue",
    region: "queue",
    nav: "broker",
    load: (app, { query }) => queuePage(app, query),
    title: () => "Queue",
    content: QueueContent,
  }),
];
