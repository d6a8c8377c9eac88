import { AtomicRunContent } from "../../../templates/pages/atomic-run.tsx";
import { AtomicSchedulingContent, AtomicSchedulingHeader } from "../../../templates/pages/atomic-scheduling.tsx";
import { AtomicTimelineContent, AtomicTimelineHeader } from "../../../templates/pages/atomic-timeline.tsx";
import { atomicRun } from "../../services/runners/atomic-run.ts";
import { atomicScheduling } from "../../services/runners/atomic-scheduling.ts";
import { atomicTimeline } from "../../services/runners/atomic-timeline.ts";
import { atomicLanes } from "../../services/timeline/atomic-lanes.ts";
import { timelineGeometry } from "../../timeline/geometry.ts";
import { windowBar } from "../../timeline/window-bar.ts";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

export const atomicServiceRoutes: Route[] = [
  ...pageRoutes({
    path: "/runners/atomic-service/timeline",
    region: "atomic-service-timeline",
    nav: "atomic_service",
    async load(app, { query }) {
      const model = await atomicTimeline(app, query);
      const lanes = atomicLanes(model, app.now());
      return {
        ...model,
        lanes: lanes === null ? null : timelineGeometry(lanes),
        bars: model.executions.map((run) => windowBar(run, model.window)),
      };
    },
    json: ({ lanes: _lanes, bars: _bars, ...model }) => model,
    title: () => "Atomic service",
    header: AtomicTimelineHeader,
    content: AtomicTimelineContent,
  }),
  ...pageRoutes({
    path: "/runners/atomic-service/scheduling",
    refresh: "/runners/atomic-service/scheduling/refresh",
    region: "atomic-service-panel",
    nav: "atomic_service",
    load: (app) => atomicScheduling(app),
    title: () => "Turn schedule of the atomic service",
    header: AtomicSchedulingHeader,
    content: AtomicSchedulingContent,
  }),
  ...pageRoutes({
    path: "/runners/atomic-service/runs/:run_id",
    region: "atomic-service-run",
    about: { kind: "atomic_service_run", in: "path", name: "run_id" },
    nav: "atomic_service",
    load: (app, { params }) => atomicRun(app, params.run_id ?? ""),
    title: (model) => `Service run ${model.atomic_service_run_id}`,
    content: AtomicRunContent,
  }),
];
