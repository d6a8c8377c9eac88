import { AtomicRunContent } from "../../../templates/pages/atomic-run.tsx";
import {
  AtomicServiceContent,
  AtomicServiceHeader,
  type AtomicServiceModel,
} from "../../../templates/pages/atomic-service.tsx";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import type { RawInput } from "../../services/input/input.ts";
import { atomicRun } from "../../services/runners/atomic-run.ts";
import { atomicScheduling } from "../../services/runners/atomic-scheduling.ts";
import { atomicTimeline } from "../../services/runners/atomic-timeline.ts";
import { atomicLanes } from "../../services/timeline/atomic-lanes.ts";
import { timelineGeometry } from "../../timeline/geometry.ts";
import type { Route } from "../context.ts";
import type { Wanted } from "../negotiate.ts";
import { pageRoutes } from "../page-route.tsx";

/** Runs on a page; the JSON has as many as it always had. */
const RUNS_SHOWN = ["25"];

async function section(app: OpenedApp, asked: RawInput, wanted: Wanted): Promise<AtomicServiceModel> {
  const query = wanted === "json" ? asked : { limit: RUNS_SHOWN, ...asked };
  const [runs, turns] = await Promise.all([atomicTimeline(app, query), atomicScheduling(app)]);
  const lanes = atomicLanes(runs, app.now());
  return { runs, turns, lanes: lanes === null ? null : timelineGeometry(lanes) };
}

/** One section of Runners has the addresses of two pages of pynenc's monitor; their JSON is that of the part they are about. */
const SECTION = {
  nav: "atomic_service",
  header: AtomicServiceHeader,
  content: AtomicServiceContent,
} as const;

export const atomicServiceRoutes: Route[] = [
  ...pageRoutes<AtomicServiceModel>({
    ...SECTION,
    path: "/runners/atomic-service/timeline",
    region: "atomic-service-timeline",
    title: () => "Atomic service",
    load: (app, { query, wanted }) => section(app, query, wanted),
    json: ({ runs }) => runs,
  }),
  ...pageRoutes<AtomicServiceModel>({
    ...SECTION,
    path: "/runners/atomic-service/scheduling",
    refresh: "/runners/atomic-service/scheduling/refresh",
    region: "atomic-service-panel",
    title: () => "Atomic service, turns",
    // Its JSON is about the turns, which take no filter.
    load: (app, { query, wanted }) => section(app, wanted === "json" ? {} : query, wanted),
    json: ({ turns }) => turns,
  }),
  ...pageRoutes({
    path: "/runners/atomic-service/runs/:run_id",
    region: "atomic-service-run",
    about: { kind: "atomic_service_run", in: "path", name: "run_id" },
    nav: "runners",
    load: (app, { params }) => atomicRun(app, params.run_id ?? ""),
    title: (model) => `Service run ${model.atomic_service_run_id}`,
    content: AtomicRunContent,
  }),
];
