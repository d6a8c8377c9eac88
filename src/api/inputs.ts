/**
 * Query parameters and body fields of every address. The services parse them (`src/services/input`); a test compares the names here with the
 * names the services accept.
 */
import { z } from "zod";
import { CONTEXT_KINDS } from "../pynenc/context-summary.ts";
import { LOG_LEVELS } from "../pynenc/log-levels.ts";

const text = (description: string) => z.string().exactOptional().describe(description);
const yesOrNo = (description: string) => z.enum(["1", "0"]).exactOptional().describe(description);
const allYesNo = (description: string) => z.enum(["all", "yes", "no"]).default("all").describe(description);

const page = z.int().min(1).default(1).describe("Page number, from 1.");
const limit = (most: number, fallback: number, description = "Rows per page.") =>
  z.int().min(1).max(most).default(fallback).describe(description);

const moment = (description: string) =>
  text(`${description} ISO 8601, UTC unless it has an offset; how long ago (90m, 2h); or a time of day (14:05).`);

const at = text("A past instant: shows everything as it was then, from the status history.");

/** The time range. */
const time = {
  from: moment("Start of the range.").meta({ "x-other-names": ["start", "start_date"] }),
  to: moment("End of the range.").meta({ "x-other-names": ["end", "end_date"] }),
  range: text("A length of time back from now: 15m, 1h30m, 2d.").meta({ "x-other-names": ["time_range"] }),
};

/** Filters of invocations. */
const filter = {
  q: text("A search: terms separated by spaces, such as `status:failed task:orders`."),
  status: text("Statuses, comma-separated."),
  status_mode: z
    .enum(["current", "history"])
    .default("current")
    .describe("Current statuses, or those of any history entry."),
  task_id: text("`module.function`."),
  call_id: text("`module.function:arguments_id`."),
  workflow_id: text("Only invocations inside this workflow run."),
  workflow_type: text("Only invocations inside runs of this workflow type."),
  runner: text("Only invocations that this runner worked on."),
  registered_by: text("Only invocations that this runner or process registered."),
  parent: text("Only invocations called by this one."),
  id_prefix: text("Only invocations whose id starts with this."),
  ...time,
  inv_ids: text("Only these ids, comma-separated."),
};

export const FindInput = z.object({
  q: text("An id in any form, a name, or a log line."),
  kind: text("Only things of this kind."),
});

export const DiffInput = z.object({
  a: text("The id of an invocation or a workflow run."),
  b: text("Another, or `last-success`: the newest success of the same task that was registered before `a`."),
});

export const WhyInput = z.object({
  id: text("An id of any kind in any form, or the name of a task; the app if absent."),
});

export const UnmuteInput = z.object({
  code: z.string().describe("The code of a verdict."),
  ids: z
    .array(z.string())
    .exactOptional()
    .describe("Only verdicts about these things; every verdict with this code if absent."),
});

export const MuteInput = UnmuteInput.extend({
  everything: z.enum(["0", "1"]).default("0").describe("Every verdict with this code, whatever `ids` names."),
  for: text("How long: 8h, 3d; 8h if absent, at most 90 days."),
});

/** Read by pages alone. */
const fields = text("Columns of the page, or usual; browsers keep them. JSON has all members.");

export const QueryCompletionInput = z.object({ q: text("A query up to the cursor.") });

/** Paging. */
export const Paging = z.object({ page, limit: limit(500, 50) });

export const QueueInput = z.object({
  page,
  limit: limit(1_000, 50),
  queue: text("Only messages of this queue, where queues have names (pynenc 0.4)."),
});

export const ClientDataInput = z.object({
  reference: text("The value to show: a full reference or its key."),
  page,
  limit: limit(500, 50),
});

export const RunnerListInput = z.object({
  show: z.enum(["active", "all"]).default("active").describe("Runners with a recent heartbeat, or all."),
  page,
  limit: limit(500, 100),
  fields,
});

export const AtomicTimelineInput = z.object({
  runner_id: text("The full id of a runner."),
  atomic_service_run_id: text("The beginning of the id of a run."),
  status: z.enum(["running", "completed", "abandoned", "blocked"]).exactOptional(),
  min_duration_seconds: z.number().min(0).exactOptional().describe("In seconds; fractions are allowed."),
  selected_atomic_service_run_id: text("The run to go to: without `page`, the page that holds it."),
  page,
  limit: limit(1_000, 100),
});

export const CallInput = z.object({
  call_id_key: z.string().describe("`module.function:arguments_id`."),
  page,
  limit: limit(500, 50),
});

export const InvocationListInput = z.object({
  ...filter,
  limit: limit(1_000, 50),
  page,
  after: text(
    "A cursor from `older`: continues after it, whatever was registered since. If there are several, the last one counts.",
  ),
  fields: text(
    "Columns of the page and of exports, as `--fields` takes them, or usual; browsers keep them. JSON has all members.",
  ),
  sort: text(
    "registered_at, status_at, duration_seconds, retry_count, task_id_key or status, with a leading minus for descending order. Refused where more than 1,000 invocations match.",
  ),
});

const format = z.enum(["csv", "jsonl"]).default("csv").describe("Format of the file.");

export const InvocationExportInput = InvocationListInput.omit({ after: true }).extend({ format });

export const TimelineInput = z.object({
  ...filter,
  limit: limit(5_000, 500, "Maximum number of invocations drawn one by one."),
  group: z.enum(["runner", "task"]).default("runner").describe("What a lane is."),
  collapse_external: z
    .enum(["1", "0"])
    .default("1")
    .describe("Processes outside of runners share one lane, and the one-shot workers of a runner share another."),
  show_system: z.enum(["1", "0"]).default("1").describe("Include pynenc's own tasks."),
  show_atomic_service: z.enum(["1", "0"]).default("1").describe("Include runs of the atomic service."),
  selected: text("The selected invocation."),
  focus_event: text("The selected event."),
  histogram_status: text("Statuses to count over time, comma-separated: registered, pending, running."),
  resolution: z
    .enum(["auto", "100ms", "250ms", "500ms", "1s", "5s", "10s", "30s", "1m", "5m", "15m", "30m", "1h"])
    .default("auto")
    .describe("The minimum time between two ticks of the axis."),
  at,
  breaks: z
    .enum(["1", "0", "auto"])
    .default("auto")
    .describe("Cut long idle times out of the drawing; auto: if most of a window that ends in the past is idle."),
});

export const TimelinePageInput = TimelineInput.extend({
  format: z.enum(["svg", "trace", "json"]).exactOptional().describe("A file to save instead of the page."),
});

export const FamilyTreeInput = z.object({
  expand: text("Invocations whose children are shown too, comma-separated."),
  depth: z.int().min(1).max(100).default(8).describe("Generations shown below the root, and below the invocation."),
  limit: limit(2_000, 60, "Maximum number of invocations."),
  bare: z.enum(["0", "1"]).default("0").describe("Only the picture, even in a browser."),
  at,
});

export const FamilyPictureInput = z.object({
  limit: limit(1_000, 200, "Maximum number of events, trigger runs and invocations."),
  at,
});

export const WorkflowRunInput = z.object({
  page: page.describe("Page of the members, from 1."),
  limit: limit(500, 50, "Members of a page."),
  data_page: page.describe("Page of the data, from 1."),
});

const eventFilter = {
  event_code: text("Events with this code."),
  ...time,
  matched: allYesNo("Whether it met a condition."),
  triggered: allYesNo("Whether it helped to start an invocation."),
};

export const TASK_ORDERS = ["failing", "name"] as const;

export const STATS_GROUPS = ["task", "runner", "host", "exception"] as const;
export const STATS_ORDERS = ["failed", "finished", "p95", "wait", "busy", "name"] as const;

export const StatsInput = z.object({
  ...time,
  by: z
    .enum(STATS_GROUPS)
    .optional()
    .describe("What rows stand for. Default: task, or runner if one runner is requested."),
  sort: z
    .enum(STATS_ORDERS)
    .default("failed")
    .describe(
      "Descending by: failed; finished; p95 (of runs); wait (p95); busy (seconds). Or by name. Exceptions: failed or name.",
    ),
  task_id: text("Only this task."),
  runner: text("Only this runner."),
  compare: text("Another range to compare with: previous, yesterday, last-week, or how long before (1d)."),
  limit: limit(1_000, 100, "Rows."),
});

export const FAILURE_GROUPS = ["group", "exception", "task"] as const;

export const FailuresInput = z.object({
  ...time,
  by: z
    .enum(FAILURE_GROUPS)
    .default("group")
    .describe(
      "group: by task, exception and kind of message; exception: by exception and kind of message; task: by task.",
    ),
  task_id: text("Only this task."),
  limit: limit(500, 50, "Groups."),
});

export const CompareInput = z.object({
  ...filter,
  with: text(
    "The baseline: rest (all others in the range), before (the preceding range of the same length), or another search. Default: rest, or before without a search.",
  ),
  limit: limit(200, 30, "Differences."),
});

export const TaskListInput = z.object({
  name: text("Only tasks whose `module.function` contains this, ignoring case."),
  sort: z
    .enum(TASK_ORDERS)
    .default("failing")
    .describe("failing: those with the most failed invocations first; name: by name."),
  fields,
});

const after = text(
  "A cursor from `older`: continues after it, whatever came since. If there are several, the last one counts.",
);

export const EventListInput = z.object({ ...eventFilter, page, limit: limit(200, 25), after, fields });

export const EventExportInput = EventListInput.omit({ after: true, fields: true }).extend({ format });

export const EventMarkersInput = z.object({
  ...time,
  event_code: text("Events with this code."),
  state: z.enum(["all", "matched", "unmatched", "triggered", "untriggered"]).default("all"),
  limit: limit(5_000, 1_000, "Maximum number of events."),
  offset: z.int().min(0).default(0).describe("Number of events to skip."),
});

export const TraceInput = z.object({
  direction: z.enum(["down", "up", "both"]).default("down").describe("down: what it caused; up: what led to it."),
  limit: limit(20_000, 5_000, "Maximum number of nodes to read."),
});

export const TriggerRunListInput = z.object({
  task: text("Only runs that started this task: `module.function`."),
  trigger: text("Only runs of this trigger."),
  ...time,
  kind: z.enum(CONTEXT_KINDS).exactOptional().describe("Only runs caused by this kind of participant."),
  page,
  limit: limit(200, 25),
  after,
  fields,
});

export const ConditionInput = z.object({ condition_id: z.string() });

export const ValidConditionInput = z.object({ valid_condition_id: z.string() });

export const TriggerListInput = z.object({ page, limit: limit(200, 50) });

export const LogInput = z.object({
  log: text("The log as text."),
  file: text("The log as a file of a form; it wins over `log`."),
  level: z.enum(LOG_LEVELS).exactOptional().describe("The least severe level to show."),
  text: text("Only entries that contain this text; case is ignored."),
  reference: text("Only entries that name this object: an id, its beginning, or `kind:id`."),
  page,
  limit: limit(1_000, 200, "Entries per page."),
});

export const AuditInput = z.object({ page, limit: limit(1_000, 50) });

export const NoInput = z.object({});

/** The range of what happened recently. */
export const DashboardInput = z.object(time);

export const SignInInput = z.object({
  code: z.string().exactOptional().describe("One-time code that the monitor printed or made."),
  next: z.string().exactOptional().describe("Path to go to afterwards."),
});

export const TokenInput = z.object({
  token: z.string().exactOptional(),
  next: z.string().exactOptional().describe("Path to go to afterwards."),
});

/** A purge of one queue, where queues have names. */
export const BrokerPurgeInput = z.object({ queue: text("Empty only this queue (pynenc 0.4).") });

export const EmptyQueueInput = z.object({ empty_queue: yesOrNo("Empty the queue first.") });

export const OrchestratorAutoPurgeInput = z.object({
  auto_final_invocation_purge_hours: z.number().min(0).exactOptional().describe("Hours to keep final invocations."),
  atomic_service_execution_retention_minutes: z.number().min(0).exactOptional().describe("Minutes to keep executions."),
  atomic_service_execution_max_records: z.int().min(0).exactOptional().describe("Executions to keep; 0 is no limit."),
  with_open_parents: yesOrNo("Also invocations whose parent is not final."),
});

export const EventAutoPurgeInput = z.object({
  event_auto_purge_enabled: yesOrNo("Whether to remove events at all."),
  event_retention_days: z.number().min(0).exactOptional().describe("Days to keep events and trigger runs."),
  event_max_records: z.int().min(0).exactOptional().describe("Events to keep; 0 is no limit."),
  trigger_run_max_records: z.int().min(0).exactOptional().describe("Trigger runs to keep; 0 is no limit."),
});

const messageRoute = {
  queue: text("Queue of the message (pynenc 0.4)."),
  priority: z.number().min(-100).max(100).exactOptional().describe("Higher is taken first (pynenc 0.4)."),
};

export const RerunInput = z.object({ force: yesOrNo("Also if the same call is already waiting."), ...messageRoute });

export const RerunManyInput = z.object({
  ...filter,
  limit: limit(100_000, 1_000, "Maximum number of matches to take, from the start of the list."),
  all: yesOrNo("Also matches that other matches led to."),
  selected: text("Only this match; may be repeated."),
  force: RerunInput.shape.force,
  ...messageRoute,
});

export const RequeueInput = z.object({
  force: yesOrNo("Also where the message may still be in a queue that can only be counted."),
  ...messageRoute,
});

export const RequeueManyInput = z.object({
  inv_ids: z.string().describe("Ids, comma-separated."),
  ...RequeueInput.shape,
});

/** Body fields of every action, in addition to the parameters of its preview. */
export const Confirmation = z.object({
  app_id: text("The intended app; refused if the request is addressed to another one."),
});
