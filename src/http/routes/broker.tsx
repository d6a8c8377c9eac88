import { figuresRange } from "../../../templates/layout/time-menu.tsx";
import { BrokerContent } from "../../../templates/pages/broker.tsx";
import { QueueContent } from "../../../templates/pages/queue.tsx";
import { QueueThen } from "../../../templates/pages/queue-then.tsx";
import { isoFromEpoch } from "../../pynenc/time.ts";
import { brokerOverview, queuePage } from "../../services/components/broker.ts";
import { PAST_PATIENCE } from "../as-of.ts";
import type { Route } from "../context.ts";
import { type PageDefinition, pageRoutes, rangeAsked } from "../page-route.tsx";
import { withoutVerdicts, withVerdicts } from "../verdicts-on-page.ts";

/** Both pages show the same of the past: what waited, without the names of queues. */
const past: PageDefinition<object>["past"] = async (app, { query, pathname }, at) => {
  const { page, limit } = query;
  const model = await queuePage(app, { page, limit, at: [isoFromEpoch(at)] }, PAST_PATIENCE);
  return { title: "Queues", content: <QueueThen view={{ model, path: pathname, query: { page, limit } }} /> };
};

export const brokerRoutes: Route[] = [
  ...pageRoutes({
    path: "/broker/",
    refresh: "/broker/refresh",
    region: "broker-info-content",
    nav: "broker",
    past,
    load: (app, request) =>
      withVerdicts(app, request, "queue", brokerOverview(app, rangeAsked(request)), () => ({
        kind: "queue",
        id: null,
      })),
    timed: ({ lately }) => figuresRange(lately),
    json: withoutVerdicts,
    title: () => "Queues",
    content: BrokerContent,
  }),
  ...pageRoutes({
    path: "/broker/queue",
    region: "queue",
    nav: "broker",
    past,
    load: (app, request) =>
      withVerdicts(app, request, "queue", queuePage(app, request.query), ({ queue }) => ({ kind: "queue", id: queue })),
    json: withoutVerdicts,
    title: () => "Messages",
    content: QueueContent,
  }),
];
