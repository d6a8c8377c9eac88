import { figuresRange } from "../../../templates/layout/time-menu.tsx";
import { AppsContent } from "../../../templates/pages/apps.tsx";
import { DashboardContent, type OverviewPage } from "../../../templates/pages/dashboard.tsx";
import { OverviewThen } from "../../../templates/pages/overview-then.tsx";
import { withSteps } from "../../presentation/verdict-steps.ts";
import { appOverview } from "../../services/health/app-overview.ts";
import { currentVerdicts } from "../../services/health/current-verdicts.ts";
import { dashboard, overviewPage } from "../../services/health/dashboard.ts";
import { overviewAt } from "../../services/health/overview-at.ts";
import { parseInput } from "../../services/input/input.ts";
import { verdictKey } from "../../services/verdicts/appearances.ts";
import { PAST_PATIENCE, untilThen } from "../as-of.ts";
import type { Route } from "../context.ts";
import { health } from "../health.ts";
import { jsonRoute } from "../json-route.ts";
import { pageRoutes } from "../page-route.tsx";
import { json, redirect } from "../respond.tsx";

export const homeRoutes: Route[] = [
  ...pageRoutes({
    path: "/",
    region: "dashboard",
    nav: "dashboard",
    timed: ({ range }) => figuresRange(range),
    async past(app, { query }, at) {
      const model = await overviewAt(app, untilThen(query, at), at, PAST_PATIENCE);
      return { title: "Overview", content: <OverviewThen model={model} /> };
    },
    // The page shows less than its JSON has, and reads less.
    load: async (app, { query, links, wanted }): Promise<OverviewPage> =>
      wanted === "json"
        ? withSteps(links, await dashboard(app, query))
        : withSteps(links, await overviewPage(app, query)),
    title: () => "Overview",
    problems({ verdicts }) {
      const loud = verdicts.filter(({ muted_until }) => muted_until === null);
      return { number: loud.length, error: loud.some(({ severity }) => severity === "error") };
    },
    content: DashboardContent,
  }),
  ...pageRoutes({
    path: "/apps/",
    region: "apps",
    nav: null,
    beyondStore: true,
    load: (_app, { server, query }) => appOverview(server.workspace, query),
    title: () => "Apps",
    content: AppsContent,
  }),
  {
    method: "GET",
    path: "/health",
    json: true,
    probe: true,
    light: true,
    async handle({ server }) {
      return json(await health(server));
    },
  },
  jsonRoute("/verdicts", async (app, _, { query, links }) => {
    parseInput({}, query);
    const found = await currentVerdicts(app);
    return { ...withSteps(links, found), keys: found.verdicts.map(verdictKey) };
  }),
  {
    method: "GET",
    path: "/switch-app/:app_id",
    async handle({ server, params, links }) {
      await server.workspace.activate(params.app_id ?? "");
      return redirect(links.start());
    },
  },
];
