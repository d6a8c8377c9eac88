import { EventContent } from "../../../templates/pages/event.tsx";
import { EventsContent, EventsHeader } from "../../../templates/pages/events.tsx";
import { parseTraceInput, trace } from "../../services/causes/trace.ts";
import { choice, parseInput } from "../../services/input/input.ts";
import { EXPORT_FORMATS } from "../../services/model/export-lines.ts";
import { eventApi, eventTriggerRuns } from "../../services/triggers/event-api.ts";
import { eventDetail } from "../../services/triggers/event-detail.ts";
import { eventMarkers } from "../../services/triggers/event-markers.ts";
import { exportEvents, listEvents, parseEventInput } from "../../services/triggers/events.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";
import { download, json } from "../respond.tsx";

/** Literal paths before those with an id. */
export const eventRoutes: Route[] = [
  ...pageRoutes({
    path: "/events/",
    region: "events",
    nav: "events",
    timed: true,
    load: (app, { query }) => listEvents(app, parseEventInput(query, app.now())),
    title: () => "Events",
    header: EventsHeader,
    content: EventsContent,
  }),
  {
    method: "GET",
    path: "/events/export",
    async handle(request) {
      const { format: given, ...filters } = request.query;
      const { format } = parseInput(
        { format: choice(EXPORT_FORMATS, "csv") },
        given === undefined ? {} : { format: given },
      );
      const app = await request.app();
      const { conditions } = parseEventInput(filters, app.now());
      const type = format === "csv" ? "text/csv" : "application/x-ndjson";
      return download(exportEvents(app, conditions, format), type, `events.${format}`);
    },
  },
  {
    method: "GET",
    path: "/events/api/markers",
    json: true,
    handle: async (request) => json(await eventMarkers(await request.app(), request.query)),
  },
  ...pageRoutes({
    path: "/events/:event_id",
    region: "event",
    about: { kind: "event", in: "path", name: "event_id" },
    nav: "events",
    load: (app, { params }) => eventDetail(app, params.event_id ?? ""),
    title: (model) => `${model.event_code} ${model.event_id}`,
    content: EventContent,
  }),
  {
    method: "GET",
    path: "/events/:event_id/api",
    json: true,
    handle: async (request) => json(await eventApi(await request.app(), request.params.event_id ?? "")),
  },
  {
    method: "GET",
    path: "/events/:event_id/trigger-runs",
    json: true,
    handle: async (request) => json(await eventTriggerRuns(await request.app(), request.params.event_id ?? "")),
  },
  {
    method: "GET",
    path: "/events/:event_id/trace",
    json: true,
    async handle(request) {
      const input = parseTraceInput(request.query);
      return json(await trace(await request.app(), "event", request.params.event_id ?? "", input));
    },
  },
];
