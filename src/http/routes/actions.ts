import { AuditContent } from "../../../templates/pages/audit.tsx";
import { EventAutoPurgeContent, OrchestratorAutoPurgeContent } from "../../../templates/pages/auto-purge.tsx";
import { PurgeContent } from "../../../templates/pages/purge.tsx";
import { RequeueContent } from "../../../templates/pages/requeue.tsx";
import { RerunContent } from "../../../templates/pages/rerun.tsx";
import { RerunManyContent } from "../../../templates/pages/rerun-many.tsx";
import { auditPage } from "../../services/actions/audit.ts";
import {
  autoPurgeEvents,
  autoPurgeOrchestrator,
  previewEventAutoPurge,
  previewOrchestratorAutoPurge,
} from "../../services/actions/auto-purge.ts";
import { previewPurge, purge } from "../../services/actions/purge.ts";
import { previewRequeue, readRequeueList, requeue } from "../../services/actions/requeue.ts";
import { previewRerun, rerun } from "../../services/actions/rerun.ts";
import { planRerunMany, previewRerunMany, rerunMany } from "../../services/actions/rerun-many.ts";
import { actionRoutes } from "../action-route.tsx";
import type { Route } from "../context.ts";
import { pageRoutes } from "../page-route.tsx";

/** Address of each purge, and the link to the page that it leads to. */
const PURGES = [
  { target: "all", path: "/purge", nav: "store", after: "store" },
  { target: "broker", path: "/broker/purge", nav: "broker", after: "broker" },
  { target: "orchestrator", path: "/orchestrator/purge", nav: "orchestrator", after: "orchestrator" },
  { target: "state-backend", path: "/state-backend/purge", nav: "state_backend", after: "stateBackend" },
  { target: "client-data-store", path: "/client-data-store/purge", nav: "client_data", after: "clientDataStore" },
  { target: "triggers", path: "/triggers/purge", nav: "triggers", after: "triggers" },
] as const;

export const actionsRoutes: Route[] = [
  ...PURGES.flatMap(({ target, path, nav, after }) =>
    actionRoutes({
      path,
      nav,
      action: `purge ${target}`,
      preview: (app, input) => previewPurge(app, target, input),
      perform: (app, input) => purge(app, target, input),
      title: (preview) => `Purge ${preview.title}`,
      content: PurgeContent,
      after: (links, { queue }) => (queue === null ? links[after]() : links.queue({ queue })),
    }),
  ),
  ...actionRoutes({
    path: "/orchestrator/auto-purge",
    nav: "orchestrator",
    action: "auto-purge orchestrator",
    preview: previewOrchestratorAutoPurge,
    perform: autoPurgeOrchestrator,
    title: () => "Auto-purge the orchestrator",
    content: OrchestratorAutoPurgeContent,
    after: (links) => links.orchestrator(),
  }),
  ...actionRoutes({
    path: "/events/auto-purge",
    nav: "events",
    action: "auto-purge events",
    preview: previewEventAutoPurge,
    perform: autoPurgeEvents,
    title: () => "Auto-purge events",
    content: EventAutoPurgeContent,
    after: (links) => links.events(),
  }),
  ...actionRoutes({
    path: "/invocations/rerun",
    nav: "invocations",
    action: "rerun",
    preview: async (app, input) => previewRerunMany(app, await planRerunMany(app, input)),
    perform: async (app, input) => rerunMany(app, await planRerunMany(app, input)),
    title: () => "Rerun these",
    content: RerunManyContent,
    after: (links) => links.invocations(),
  }),
  ...actionRoutes({
    path: "/invocations/:id/rerun",
    nav: "invocations",
    action: "rerun",
    preview: (app, input, { params }) => previewRerun(app, params.id ?? "", input),
    perform: (app, input, { params }) => rerun(app, params.id ?? "", input),
    title: () => "Rerun",
    content: RerunContent,
    after: (links, outcome) => links.invocation(outcome.new_invocation_id),
  }),
  ...actionRoutes({
    path: "/invocations/requeue",
    nav: "invocations",
    action: "requeue",
    preview: (app, input) => {
      const { ids, rest } = readRequeueList(input);
      return previewRequeue(app, ids, rest);
    },
    perform: (app, input) => {
      const { ids, rest } = readRequeueList(input);
      return requeue(app, ids, rest);
    },
    title: () => "Requeue several",
    content: RequeueContent,
    after: (links) => links.queue(),
  }),
  ...actionRoutes({
    path: "/invocations/:id/requeue",
    nav: "invocations",
    action: "requeue",
    preview: (app, input, { params }) => previewRequeue(app, [params.id ?? ""], input),
    perform: (app, input, { params }) => requeue(app, [params.id ?? ""], input),
    title: () => "Requeue",
    content: RequeueContent,
    after: (links, outcome) => links.invocation(outcome.invocation_ids[0] ?? ""),
  }),
  ...pageRoutes({
    path: "/audit",
    region: "audit-list",
    nav: "audit",
    beyondStore: true,
    load: (app, { server, query }) => auditPage(app, server.actions, query),
    title: () => "Audit",
    content: AuditContent,
  }),
];
