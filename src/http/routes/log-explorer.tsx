import { LogExplorerContent } from "../../../templates/pages/log-explorer.tsx";
import { isoFromEpoch } from "../../pynenc/time.ts";
import { exploreLog, type LogExplorerInput, parseLogInput, shownElsewhere } from "../../services/logs/log-explorer.ts";
import { geometryOf } from "../../services/timeline/timeline.ts";
import { occupancyGeometry } from "../../timeline/occupancy.ts";
import type { Route, RouteRequest } from "../context.ts";
import { untimed } from "../page-route.tsx";
import { document, fragment, json } from "../respond.tsx";

const PATH = "/log-explorer/";

/** Maximum bytes of a form with a log in it. */
const LOG_BODY_BYTES = 10 * 1_048_576;

/** A log is too long and too private for an address, so it is sent as a body. A short one may be a parameter. */
export const logExplorerRoutes: Route[] = [
  { method: "GET", path: PATH, handle: (request) => answer(request, parseLogInput(untimed(request).query)) },
  {
    method: "POST",
    path: PATH,
    reads: true,
    bodyLimit: LOG_BODY_BYTES,
    async handle(request) {
      return answer(request, parseLogInput({ ...untimed(request).query, ...(await request.body()) }));
    },
  },
];

async function answer(request: RouteRequest, input: LogExplorerInput): Promise<Response> {
  const app = await request.app();
  const exploration = await exploreLog(app, input);
  if (request.wanted === "json") return json(exploration);
  const drawn = exploration.timeline?.timeline ?? null;
  const geometry = drawn && geometryOf(drawn, { compact: true });
  const occupancy = drawn && geometry && occupancyGeometry(drawn, geometry);
  const elsewhere = await shownElsewhere(app, exploration);
  const content = (
    <LogExplorerContent
      model={{ input, exploration, geometry, occupancy, elsewhere, bodyLimit: LOG_BODY_BYTES }}
      path={PATH}
      query={{}}
      now={isoFromEpoch(app.now())}
      readOnly={request.server.readOnly}
    />
  );
  if (request.wanted === "fragment") return fragment(request, content);
  // Not live, because a refresh would send the request without the log.
  return document(request, { title: "Log lookup", nav: "log_explorer", app, live: false }, content);
}
