import { figuresRange } from "../../../templates/layout/time-menu.tsx";
import { RunnerContent } from "../../../templates/pages/runner.tsx";
import { RunnersContent, RunnersHeader } from "../../../templates/pages/runners.tsx";
import { RunnersThen } from "../../../templates/pages/runners-then.tsx";
import { columnNames } from "../../presentation/facts/column.ts";
import { RUNNER_COLUMNS } from "../../presentation/facts/runner.ts";
import { listRunners, runnerDetail } from "../../services/runners/runners.ts";
import { runnersAt } from "../../services/runners/runners-at.ts";
import type { Route } from "../context.ts";
import { pageRoutes, rangeAsked, untimed } from "../page-route.tsx";
import { withoutVerdicts, withVerdicts } from "../verdicts-on-page.ts";

export const runnerRoutes: Route[] = [
  ...pageRoutes({
    path: "/runners/",
    refresh: "/runners/refresh",
    region: "runners-table",
    nav: "runners",
    columns: columnNames(RUNNER_COLUMNS),
    async past(app, _request, at) {
      return { title: "Runners", content: <RunnersThen model={await runnersAt(app, at)} /> };
    },
    load: (app, request) =>
      withVerdicts(app, request, "runner", listRunners(app, untimed(request).query, rangeAsked(request)), () => ({
        kind: "runner",
        id: null,
      })),
    timed: ({ busy }) => figuresRange(busy),
    json: withoutVerdicts,
    title: () => "Runners",
    header: RunnersHeader,
    content: RunnersContent,
  }),
  ...pageRoutes({
    path: "/runners/:runner_id",
    region: "runner",
    about: { kind: "runner", in: "path", name: "runner_id" },
    nav: "runners",
    load: (app, request) =>
      withVerdicts(
        app,
        request,
        "runner",
        runnerDetail(app, request.params.runner_id ?? "", rangeAsked(request)),
        ({ runner }) => ({
          kind: "runner",
          id: runner.runner_id,
        }),
      ),
    timed: ({ lately }) => figuresRange(lately),
    json: withoutVerdicts,
    title: (model) => `Runner ${model.runner.runner_id}`,
    content: RunnerContent,
  }),
];
