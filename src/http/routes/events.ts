import { EventContent, type EventPage } from "../../../templates/pages/event.tsx";
import { EventsContent, EventsHeader } from "../../../templates/pages/events.tsx";
import { columnNames } from "../../presentation/facts/column.ts";
import { EVENT_COLUMNS } from "../../presentation/facts/event.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { parseTraceInput, trace } from "../../services/causes/trace.ts";
import { eventApi, eventTriggerRuns } from "../../services/triggers/event-api.ts";
import { eventDetail, eventFacts } from "../../services/triggers/event-detail.ts";
import { eventMarkers } from "../../services/triggers/event-markers.ts";
import { exportEvents, listEvents, parseEventInput } from "../../services/triggers/events.ts";
import type { Route, RouteRequest } from "../context.ts";
import { exportRoute } from "../export-route.ts";
import { jsonRoute } from "../json-route.ts";
import { pageRoutes } from "../page-route.tsx";
import { withPicture } from "../picture-on-page.ts";
import { withoutVerdicts, withVerdicts } from "../verdicts-on-page.ts";

/** JSON has the chains; the page has a picture of them. */
function eventPage(app: OpenedApp, { params: { event_id = "" }, wanted }: RouteRequest): Promise<EventPage> {
  if (wanted === "json") return eventDetail(app, event_id, true);
  return withPicture(app, wanted, "event", event_id, eventFacts(app, event_id, true));
}

/** Literal paths must come before those with an id. */
export const eventRoutes: Route[] = [
  ...pageRoutes({
    path: "/events/",
    region: "events",
    nav: "events",
    timed: true,
    follows: "range",
    present: "Events until then; what they led to later is counted too.",
    columns: columnNames(EVENT_COLUMNS),
    load: (app, { query }) => listEvents(app, parseEventInput(query, app.now(), "list"), true),
    title: () => "Events",
    header: EventsHeader,
    content: EventsContent,
  }),
  exportRoute("/events/export", "events", async (app, filters, format) => {
    const { conditions } = parseEventInput(filters, app.now());
    return exportEvents(app, conditions, format);
  }),
  jsonRoute("/events/api/markers", (app, _, { query }) => eventMarkers(app, query)),
  ...pageRoutes({
    path: "/events/:event_id",
    region: "event",
    about: { kind: "event", in: "path", name: "event_id" },
    nav: "events",
    load: (app, request) =>
      withVerdicts(app, request, "event", eventPage(app, request), (detail) => ({ kind: "event", detail })),
    json: withoutVerdicts,
    title: (model) => `${model.event_code} ${model.event_id}`,
    content: EventContent,
  }),
  jsonRoute("/events/:event_id/api", eventApi),
  jsonRoute("/events/:event_id/trigger-runs", eventTriggerRuns),
  jsonRoute("/events/:event_id/trace", (app, id, { query }) => trace(app, "event", id, parseTraceInput(query))),
];
