import { FailuresContent, FailuresHeader } from "../../../templates/pages/failures.tsx";
import { StatsContent, StatsHeader } from "../../../templates/pages/stats.tsx";
import { failures } from "../../services/stats/failures.ts";
import { stats } from "../../services/stats/stats.ts";
import { STATS_LENGTH } from "../../services/stats/stats-range.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const statsRoutes: Route[] = [
  ...pageRoutes({
    path: "/stats/",
    region: "stats",
    nav: "stats",
    timed: ({ from, to }) => ({ start: from, end: to, preset: STATS_LENGTH }),
    load: (app, { query }) => stats(app, query),
    title: () => "Statistics",
    header: StatsHeader,
    content: StatsContent,
  }),
  ...pageRoutes({
    path: "/failures/",
    region: "failures",
    nav: "failures",
    timed: ({ from, to }) => ({ start: from, end: to, preset: STATS_LENGTH }),
    load: (app, { query }) => failures(app, query),
    title: () => "Failures",
    header: FailuresHeader,
    content: FailuresContent,
  }),
];
