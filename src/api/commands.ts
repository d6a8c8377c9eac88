/** The schema of what each command prints with `--json`. Tests compare this list with the table of commands. */
import type { z } from "zod";
import {
  AuditPage,
  AutoPurgeOutcomes,
  AutoPurgePreviews,
  PurgeOutcome,
  PurgePreview,
  RequeueOutcome,
  RequeuePreview,
  RerunManyOutcome,
  RerunManyPreview,
  RerunOutcome,
  RerunPreview,
} from "./actions.ts";
import { AppList, CompletionScript, DemoStore, ServedMonitor } from "./app.ts";
import { FamilyTree, Trace } from "./causes.ts";
import { Comparison } from "./compare.ts";
import { QueuePage } from "./components.ts";
import { ConfigReport } from "./config.ts";
import { Diff } from "./diff.ts";
import { EventDetail, EventList, EventRow } from "./events.ts";
import { FindAnswer } from "./find.ts";
import { AppCheck, DoctorReport, DoctorReports, StatusAt, StatusReport, Top } from "./health.ts";
import {
  FollowedStatus,
  InvocationDetail,
  InvocationGroups,
  InvocationList,
  InvocationTable,
  WaitAnswer,
} from "./invocations.ts";
import { LogLine } from "./logs.ts";
import { MetricList } from "./metrics.ts";
import { AtomicScheduling, AtomicTimeline, RunnerDetail, RunnerList } from "./runners.ts";
import { ShownThing } from "./show.ts";
import { Failures, Stats } from "./stats.ts";
import { CallDetail, TaskDetail, TaskList } from "./tasks.ts";
import { Timeline } from "./timeline.ts";
import { TriggerRunDetail, TriggerRunList } from "./trigger-runs.ts";
import { TriggerList } from "./triggers.ts";
import { MuteList, MuteOutcome, MutePreview, UnmuteOutcome, UnmutePreview } from "./verdicts.ts";
import { WhyAnswer } from "./why.ts";
import { WorkflowRunDetail, WorkflowRunList, WorkflowTypeList } from "./workflows.ts";

/** By command name. Several if the options decide which one is printed. */
export const PRINTED: Readonly<Record<string, readonly z.ZodType[]>> = {
  serve: [ServedMonitor],
  demo: [DemoStore, ServedMonitor],
  status: [StatusReport, StatusAt],
  top: [Top],
  check: [AppCheck],
  metrics: [MetricList],
  why: [WhyAnswer],
  mute: [MuteList, MuteOutcome, MutePreview],
  unmute: [UnmuteOutcome, UnmutePreview],
  invocations: [InvocationList, InvocationTable, InvocationGroups, FollowedStatus],
  invocation: [InvocationDetail],
  wait: [WaitAnswer],
  tree: [FamilyTree],
  diff: [Diff],
  find: [FindAnswer],
  show: [ShownThing, FindAnswer],
  stats: [Stats],
  failures: [Failures],
  compare: [Comparison],
  tasks: [TaskList],
  task: [TaskDetail],
  call: [CallDetail],
  timeline: [Timeline],
  runners: [RunnerList],
  runner: [RunnerDetail],
  "atomic-service": [AtomicTimeline, AtomicScheduling],
  workflows: [WorkflowTypeList, WorkflowRunList],
  workflow: [WorkflowRunDetail],
  events: [EventList, EventRow],
  event: [EventDetail],
  "trigger-runs": [TriggerRunList],
  "trigger-run": [TriggerRunDetail],
  triggers: [TriggerList],
  trace: [Trace],
  logs: [LogLine],
  queue: [QueuePage],
  purge: [PurgePreview, PurgeOutcome],
  "auto-purge": [AutoPurgePreviews, AutoPurgeOutcomes],
  rerun: [RerunPreview, RerunOutcome, RerunManyPreview, RerunManyOutcome],
  requeue: [RequeuePreview, RequeueOutcome],
  audit: [AuditPage],
  apps: [AppList],
  config: [ConfigReport],
  doctor: [DoctorReport, DoctorReports],
  completion: [CompletionScript],
  // Files for other programs.
  export: [],
  bundle: [],
  // The protocol of assistants: its answers are those of other commands.
  mcp: [],
  // For shells: lines.
  complete: [],
};
