import { TimelineContent, TimelineHeader } from "../../../templates/pages/timeline.tsx";
import { filterChoices } from "../../services/invocations.ts";
import { geometryOf, readTimelineInput, timeline } from "../../services/timeline.ts";
import { occupancyGeometry } from "../../timeline/occupancy.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

/** Before the routes of invocations: `timeline` is no id. */
export const timelineRoutes: Route[] = pageRoutes({
  path: "/invocations/timeline",
  region: "timeline",
  nav: "timeline",
  async load(app, { query }) {
    const loaded = await timeline(app, await readTimelineInput(app, query));
    const geometry = geometryOf(loaded);
    return {
      timeline: loaded,
      geometry,
      occupancy: loaded.occupancy === null ? null : occupancyGeometry(loaded.occupancy, loaded, geometry.width),
      choices: await filterChoices(app),
    };
  },
  json: (model) => model.timeline,
  title: () => "Timeline",
  header: TimelineHeader,
  content: TimelineContent,
});
