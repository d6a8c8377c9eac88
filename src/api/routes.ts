/** The answers of every address. `GET /openapi.json` is generated from this list; tests compare it with the table of routes. */
import type { z } from "zod";
import {
  AuditPage,
  AutoPurgePreview,
  EventPurgeOutcome,
  OrchestratorAutoPurgePreview,
  OrchestratorPurgeOutcome,
  PurgeOutcome,
  PurgePreview,
  RequeueOutcome,
  RequeuePreview,
  RerunManyOutcome,
  RerunManyPreview,
  RerunOutcome,
  RerunPreview,
} from "./actions.ts";
import { SignInAddress } from "./app.ts";
import { FamilyPicture, FamilyTree, Trace } from "./causes.ts";
import { Comparison } from "./compare.ts";
import {
  BrokerOverview,
  ClientDataOverview,
  OrchestratorOverview,
  QueuePage,
  StateBackendOverview,
  StoreReport,
} from "./components.ts";
import { ConditionDetail, ValidConditionDetail } from "./conditions.ts";
import { Diff } from "./diff.ts";
import { EventApi, EventDetail, EventList, EventMarkers, EventTriggerRuns } from "./events.ts";
import { FindAnswer, QueryCompletion } from "./find.ts";
import { Dashboard, Health } from "./health.ts";
import {
  AtomicTimelineInput,
  AuditInput,
  BrokerPurgeInput,
  CallInput,
  ClientDataInput,
  CompareInput,
  ConditionInput,
  Confirmation,
  DashboardInput,
  DiffInput,
  EmptyQueueInput,
  EventAutoPurgeInput,
  EventExportInput,
  EventListInput,
  EventMarkersInput,
  FailuresInput,
  FamilyPictureInput,
  FamilyTreeInput,
  FindInput,
  InvocationExportInput,
  InvocationListInput,
  LogInput,
  MuteInput,
  NoInput,
  OrchestratorAutoPurgeInput,
  Paging,
  QueryCompletionInput,
  QueueInput,
  RequeueInput,
  RerunInput,
  RerunManyInput,
  RunnerListInput,
  SignInInput,
  StatsInput,
  TaskListInput,
  TimelineInput,
  TimelinePageInput,
  TokenInput,
  TraceInput,
  TriggerListInput,
  TriggerRunListInput,
  UnmuteInput,
  ValidConditionInput,
  WhyInput,
  WorkflowRunInput,
} from "./inputs.ts";
import { InvocationDetail, InvocationList } from "./invocations.ts";
import { InvocationApi, InvocationHistory, TriggerContextApi, TriggerRunApi } from "./legacy.ts";
import { LogExploration } from "./logs.ts";
import { AtomicRun, AtomicScheduling, AtomicTimeline, RunnerDetail, RunnerList } from "./runners.ts";
import { Failures, Stats } from "./stats.ts";
import { CallDetail, TaskDetail, TaskList } from "./tasks.ts";
import { Timeline } from "./timeline.ts";
import { TriggerRunDetail, TriggerRunList } from "./trigger-runs.ts";
import { TriggerDetail, TriggerList } from "./triggers.ts";
import { MuteOutcome, MutePreview, UnmuteOutcome, UnmutePreview, VerdictList } from "./verdicts.ts";
import { WhyAnswer } from "./why.ts";
import { WorkflowDebug, WorkflowRunDetail, WorkflowRunList, WorkflowTypeList } from "./workflows.ts";

/** One method of one address. */
export interface Operation {
  /** The group that it is listed in. */
  area: string;
  summary: string;
  /** Schema of its JSON; null if it has none. */
  answer: z.ZodType | null;
  /** Media types of its other answers: a page, a fragment or a file. */
  forms: readonly string[];
  /** Its query parameters, without `app`, which every address takes. */
  query: z.ZodObject;
  /** Fields of its body. */
  body?: z.ZodObject;
  /** It redirects. */
  redirects?: true;
}

const HTML = ["text/html"];

/** A page with its fragment and its JSON. */
const page = (area: string, summary: string, answer: z.ZodType, query: z.ZodObject = NoInput): Operation => ({
  area,
  summary,
  answer,
  forms: HTML,
  query,
});

/** JSON whatever the client accepts. */
const data = (area: string, summary: string, answer: z.ZodType, query: z.ZodObject = NoInput): Operation => ({
  ...page(area, summary, answer, query),
  forms: [],
});

/** A part of a page, for browsers only. */
const fragment = (area: string, summary: string, query: z.ZodObject = NoInput): Operation => ({
  area,
  summary,
  answer: null,
  forms: HTML,
  query,
});

const file = (area: string, summary: string, forms: readonly string[], query: z.ZodObject = NoInput): Operation => ({
  ...fragment(area, summary, query),
  forms,
});

/** GET previews the action, POST performs it. The body takes what the preview takes as a query. */
function action(
  path: string,
  what: string,
  preview: z.ZodType,
  outcome: z.ZodType,
  input: z.ZodObject = NoInput,
): Record<string, Operation> {
  return {
    [`GET ${path}`]: page("actions", `Preview: ${what}`, preview, input),
    [`POST ${path}`]: { ...page("actions", what, outcome), body: input.extend(Confirmation.shape) },
  };
}

const purge = (path: string, what: string, input: z.ZodObject = NoInput) =>
  action(path, what, PurgePreview, PurgeOutcome, input);

/** By method and path, with parameters as the table of routes writes them: `GET /invocations/:id`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET /": page("health", "What is wrong and what happened lately", Dashboard, DashboardInput),
  "GET /health": data("health", "Whether the monitor answers and could read its store", Health),
  "GET /verdicts": data("health", "What looks wrong now, and nothing else", VerdictList),
  "GET /metrics": file("health", "Metrics of an app in the text format of Prometheus (docs/metrics.md)", [
    "text/plain",
  ]),
  "GET /login": file("access", "A page to sign in; with a one-time code it signs in and redirects", HTML, SignInInput),
  "POST /login": {
    area: "access",
    summary: "Signs a browser in with the token: sets a cookie and redirects",
    answer: null,
    forms: [],
    query: NoInput,
    body: TokenInput,
    redirects: true,
  },
  "POST /login/code": page("access", "Makes an address that signs another browser in, once", SignInAddress),
  "GET /switch-app/:app_id": {
    area: "health",
    summary: "Shows another app from now on",
    answer: null,
    forms: [],
    query: NoInput,
    redirects: true,
  },
  "GET /openapi.json": file("health", "This document", ["application/json"]),
  "GET /assets/**:name": file("health", "A stylesheet, script or picture of the pages", ["*/*"]),

  "GET /search": page("find", "What an id in any form, a name or a log line means", FindAnswer, FindInput),
  "GET /diff": page("causes", "Two invocations or workflow runs side by side", Diff, DiffInput),
  "GET /why": page("health", "The verdict on the app or on one thing, and what it follows from", WhyAnswer, WhyInput),
  ...action("/why/mute", "Mutes a verdict for a time", MutePreview, MuteOutcome, MuteInput),
  ...action("/why/unmute", "Tells a verdict again that was muted", UnmutePreview, UnmuteOutcome, UnmuteInput),
  "GET /search/complete": data(
    "find",
    "What may stand at the end of a query that is being written",
    QueryCompletion,
    QueryCompletionInput,
  ),

  "GET /broker/": page("components", "Queues and the messages that are taken next", BrokerOverview),
  "GET /broker/refresh": page("components", "The refreshed part of the broker page", BrokerOverview),
  "GET /broker/queue": page("components", "Waiting messages, in the order they will be taken", QueuePage, QueueInput),
  "GET /orchestrator/": page("components", "Statuses, waits and recovery", OrchestratorOverview),
  "GET /orchestrator/refresh": page("components", "The refreshed part of the orchestrator page", OrchestratorOverview),
  "GET /store/": page("components", "The store: layout, components, size and settings", StoreReport),
  "GET /state-backend/": page("components", "What the state backend holds", StateBackendOverview),
  "GET /client-data-store/": page("components", "Externalised values", ClientDataOverview, ClientDataInput),

  "GET /runners/": page("runners", "Runners", RunnerList, RunnerListInput),
  "GET /runners/refresh": page("runners", "The refreshed part of the list of runners", RunnerList, RunnerListInput),
  "GET /runners/:runner_id": page("runners", "One runner", RunnerDetail),
  "GET /runners/atomic-service/timeline": page(
    "runners",
    "Runs of the atomic service",
    AtomicTimeline,
    AtomicTimelineInput,
  ),
  "GET /runners/atomic-service/scheduling": page("runners", "Turn schedule of the atomic service", AtomicScheduling),
  "GET /runners/atomic-service/scheduling/refresh": page(
    "runners",
    "The refreshed part of the scheduling page",
    AtomicScheduling,
  ),
  "GET /runners/atomic-service/runs/:run_id": page("runners", "One run of the atomic service", AtomicRun),
  "GET /runners/atomic-service/runs/:id/panel": fragment(
    "runners",
    "One run of the atomic service, for the timeline's panel",
  ),

  "GET /stats/": page("tasks", "Counts and durations of a range of time", Stats, StatsInput),
  "GET /failures/": page("tasks", "Failures of a range of time, in groups", Failures, FailuresInput),
  "GET /compare/": page("invocations", "What differs between some invocations and others", Comparison, CompareInput),
  "GET /tasks/": page("tasks", "Tasks", TaskList, TaskListInput),
  "GET /tasks/refresh": page("tasks", "The refreshed part of the list of tasks", TaskList, TaskListInput),
  "GET /tasks/:task_id_key": page("tasks", "One task with its calls and invocations", TaskDetail, Paging),
  "GET /calls/": page("tasks", "One call, given by a query parameter", CallDetail, CallInput),
  "GET /calls/**:call_id_key": page("tasks", "One call", CallDetail, Paging),

  "GET /invocations/": page("invocations", "Invocations", InvocationList, InvocationListInput),
  "GET /invocations/table": page(
    "invocations",
    "The refreshed part of the list of invocations",
    InvocationList,
    InvocationListInput,
  ),
  "GET /invocations/export": file(
    "invocations",
    "All invocations that match, as a file",
    ["text/csv", "application/x-ndjson"],
    InvocationExportInput,
  ),
  "GET /invocations/:id": page("invocations", "One invocation", InvocationDetail),
  "GET /invocations/:id/api": data("invocations", "One invocation, as clients of pynmon read it", InvocationApi),
  "GET /invocations/:id/history": data("invocations", "The history of an invocation", InvocationHistory),
  "GET /invocations/:id/trigger-context": data(
    "invocations",
    "What triggered an invocation and what it triggered",
    TriggerContextApi,
  ),
  "GET /invocations/:id/family-tree": page(
    "causes",
    "What led to an invocation and what it led to",
    FamilyTree,
    FamilyTreeInput,
  ),
  "GET /trace/:id": page(
    "causes",
    "The family of an event, an invocation, a trigger run or a workflow run over time",
    FamilyPicture,
    FamilyPictureInput,
  ),
  "GET /invocations/:id/panel": fragment("invocations", "One invocation, for the timeline's panel"),

  "GET /invocations/timeline": {
    ...page("timeline", "Status changes, events and trigger runs in a window of time", Timeline, TimelinePageInput),
    forms: ["text/html", "image/svg+xml"],
  },
  "GET /invocations/timeline/compact": fragment("timeline", "A small timeline, for other pages", TimelineInput),

  "GET /workflows/": page("workflows", "Workflow types", WorkflowTypeList),
  "GET /workflows/refresh": page("workflows", "The refreshed part of the list of workflow types", WorkflowTypeList),
  "GET /workflows/runs": page("workflows", "Workflow runs of all types", WorkflowRunList, Paging),
  "GET /workflows/runs/refresh": page(
    "workflows",
    "The refreshed part of the list of workflow runs",
    WorkflowRunList,
    Paging,
  ),
  "GET /workflows/runs/:workflow_id": page("workflows", "One workflow run", WorkflowRunDetail, WorkflowRunInput),
  "GET /workflows/:type_key": page("workflows", "Workflow runs of one type", WorkflowRunList, Paging),
  "GET /workflows/:type_key/refresh": page(
    "workflows",
    "The refreshed part of the runs of one type",
    WorkflowRunList,
    Paging,
  ),
  "GET /workflows/debug": data("workflows", "What workflows are made from, for development", WorkflowDebug),

  "GET /events/": page("events", "Events", EventList, EventListInput),
  "GET /events/export": file(
    "events",
    "All events that match, as a file",
    ["text/csv", "application/x-ndjson"],
    EventExportInput,
  ),
  "GET /events/api/markers": data(
    "events",
    "Events in a window of time, as marks on a timeline",
    EventMarkers,
    EventMarkersInput,
  ),
  "GET /events/:event_id": page("events", "One event", EventDetail),
  "GET /events/:event_id/api": data("events", "One event with its trigger runs", EventApi),
  "GET /events/:event_id/trigger-runs": data("events", "The trigger runs that an event took part in", EventTriggerRuns),
  "GET /events/:event_id/trace": data("causes", "The causal chain around an event", Trace, TraceInput),
  "GET /events/:id/panel": fragment("events", "One event, for the timeline's panel"),

  "GET /trigger-runs/": page("triggers", "Trigger runs", TriggerRunList, TriggerRunListInput),
  "GET /trigger-runs/condition": page("triggers", "One condition with its triggers", ConditionDetail, ConditionInput),
  "GET /trigger-runs/valid-condition": page(
    "triggers",
    "One condition that was met",
    ValidConditionDetail,
    ValidConditionInput,
  ),
  "GET /trigger-runs/:id": page("triggers", "One trigger run", TriggerRunDetail),
  "GET /trigger-runs/:id/api": data("triggers", "One trigger run, as clients of pynmon read it", TriggerRunApi),
  "GET /trigger-runs/:id/panel": fragment("triggers", "One trigger run, for the timeline's panel"),
  "GET /triggers/": page("triggers", "Registered triggers by task", TriggerList, TriggerListInput),
  "GET /triggers/:id": page("triggers", "One trigger", TriggerDetail),

  "GET /log-explorer/": page("logs", "Log lines with what they name", LogExploration, LogInput),
  "POST /log-explorer/": {
    ...page("logs", "The same for a log that is sent as a body; nothing is changed", LogExploration),
    body: LogInput,
  },

  ...purge("/purge", "Empty everything"),
  ...purge("/broker/purge", "Empty the broker", BrokerPurgeInput),
  ...purge("/orchestrator/purge", "Empty the orchestrator", EmptyQueueInput),
  ...purge("/state-backend/purge", "Empty the state backend", EmptyQueueInput),
  ...purge("/client-data-store/purge", "Empty the client data store"),
  ...purge("/triggers/purge", "Empty the trigger component"),
  ...action(
    "/orchestrator/auto-purge",
    "Remove what the orchestrator no longer keeps",
    OrchestratorAutoPurgePreview,
    OrchestratorPurgeOutcome,
    OrchestratorAutoPurgeInput,
  ),
  ...action(
    "/events/auto-purge",
    "Remove events and trigger runs that are no longer kept",
    AutoPurgePreview,
    EventPurgeOutcome,
    EventAutoPurgeInput,
  ),
  ...action(
    "/invocations/rerun",
    "Register the calls of all invocations that match again",
    RerunManyPreview,
    RerunManyOutcome,
    RerunManyInput,
  ),
  ...action(
    "/invocations/:id/rerun",
    "Register the call of an invocation again",
    RerunPreview,
    RerunOutcome,
    RerunInput,
  ),
  ...action(
    "/invocations/requeue",
    "Put back the lost messages of several invocations",
    RequeuePreview,
    RequeueOutcome,
  ),
  ...action(
    "/invocations/:id/requeue",
    "Put back the lost message of an invocation",
    RequeuePreview,
    RequeueOutcome,
    RequeueInput,
  ),
  "GET /audit": page("actions", "What was changed through monitors of this user", AuditPage, AuditInput),
};
