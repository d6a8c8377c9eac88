import { CompactTimeline } from "../../../templates/fragments/timeline/mini-timeline.tsx";
import { TimelineContent, TimelineHeader } from "../../../templates/pages/timeline.tsx";
import { timelineFormat } from "../../inputs/timeline.ts";
import { parseInput } from "../../services/input/input.ts";
import { filterChoices } from "../../services/invocations/invocations.ts";
import { formQuery } from "../../services/model/invocation-query.ts";
import { statusAt } from "../../services/stats/status-at.ts";
import { overviewOf } from "../../services/timeline/occupancy.ts";
import { geometryOf, readTimelineInput, timeline } from "../../services/timeline/timeline.ts";
import { occupancyGeometry, overviewGeometry } from "../../timeline/occupancy.ts";
import { PAST_PATIENCE } from "../as-of.ts";
import type { Route, RouteRequest } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";
import { download, fragment } from "../respond.tsx";
import { timelineFile } from "../timeline-file.tsx";

const PATH = "/invocations/timeline";

const page = pageRoutes({
  path: PATH,
  region: "timeline",
  nav: "timeline",
  timed: ({ timeline: { start, end, preset } }) => ({ start, end, preset: preset ?? "" }),
  async load(app, { query, wanted }) {
    const loaded = await timeline(app, await readTimelineInput(app, query, wanted === "json" ? "data" : "drawing"));
    const geometry = geometryOf(loaded);
    const [overview, choices, statuses] = await Promise.all([
      wanted === "json" ? null : overviewOf(app, loaded, loaded.options),
      filterChoices(app),
      loaded.at === null ? null : statusAt(app, { at: [loaded.at] }, PAST_PATIENCE),
    ]);
    return {
      ...{ timeline: loaded, geometry, choices, statuses },
      occupancy: occupancyGeometry(loaded, geometry),
      overview: overviewGeometry(overview, loaded, geometry.width),
      form: formQuery(query),
    };
  },
  json: (model) => model.timeline,
  title: () => "Timeline",
  header: TimelineHeader,
  content: TimelineContent,
});

/** Must come before the routes of invocations, because `timeline` is not an id. */
export const timelineRoutes: Route[] = [
  ...page.map((route) => ({
    ...route,
    handle: (request: RouteRequest) => (request.query.format === undefined ? route.handle(request) : saved(request)),
  })),
  { method: "GET", path: `${PATH}/compact`, handle: compact },
];

/** Invocations drawn in a small timeline by default. */
const COMPACT_LIMIT = "100";
/** Width for which axis ticks are chosen; wider places stretch the drawing. */
const COMPACT_WIDTH = 640;

/** Only the drawing, in small, for other pages. */
async function compact(request: RouteRequest): Promise<Response> {
  const app = await request.app();
  const loaded = await timeline(
    app,
    await readTimelineInput(app, { limit: [COMPACT_LIMIT], ...request.query }, "drawing"),
  );
  const { selected, focus_event } = loaded.options;
  const geometry = geometryOf(loaded, { compact: true, width: COMPACT_WIDTH });
  return fragment(
    request,
    <CompactTimeline
      geometry={geometry}
      occupancy={occupancyGeometry(loaded, geometry)}
      query={request.query}
      notes={loaded.notes}
      selected={[selected, focus_event]}
    />,
  );
}

async function saved(request: RouteRequest): Promise<Response> {
  const { format: given, ...query } = request.query;
  const { format = "json" } = parseInput({ format: timelineFormat }, { format: given });
  const app = await request.app();
  const loaded = await timeline(app, await readTimelineInput(app, query, format === "svg" ? "drawing" : "data"));
  const { text, type, name } = timelineFile(app.app_id, loaded, format, request.server.assets);
  return download(once(text), type, name);
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
