/** Actions: what they would do, what they did, and the record of them. */
import { z } from "zod";
import { instant, PageInfo, SettingRow, taskIdKey } from "./model/common.ts";
import { InvocationFilter, InvocationRow } from "./model/invocation-rows.ts";
import { RunnerName } from "./model/runner-names.ts";

export const ActionCount = z
  .object({
    component: z.string().describe("`broker`, `orchestrator` ..."),
    name: z.string().describe("Table, kind or rule."),
    rows: z.int(),
    exact: z
      .boolean()
      .describe(
        "False where the table is too large to count for a preview; the number is then estimated from row numbers.",
      ),
  })
  .meta({ id: "ActionCount", description: "Rows that would go, or went, under one heading." });
export type ActionCount = z.infer<typeof ActionCount>;

export const AliveRunners = z
  .object({
    count: z.int(),
    runners: z.array(RunnerName.extend({ last_heartbeat: instant })).describe("The latest heartbeats."),
  })
  .meta({ id: "AliveRunners" });
export type AliveRunners = z.infer<typeof AliveRunners>;

export const ActionPreview = z
  .object({
    app_id: z.string(),
    location: z.string().describe("Where the data lies, for people."),
    counts: z.array(ActionCount),
    total: z.int().describe("Sum of `counts`."),
    consequences: z.array(z.string()).describe("What breaks or is lost, one sentence each."),
    stays: z.array(z.string()).describe("What stays although one might expect otherwise."),
    runners_alive: AliveRunners,
    settings: z
      .array(SettingRow)
      .describe("Effective values that decide what goes, with their origin; empty where nothing does."),
    refused: z.string().nullable().describe("Why the action would be refused now, or null."),
  })
  .meta({ id: "ActionPreview" });
export type ActionPreview = z.infer<typeof ActionPreview>;

export const ActionOutcome = z
  .object({
    success: z.literal(true),
    action: z.string(),
    app_id: z.string(),
    message: z.string().describe("One sentence for people."),
  })
  .meta({
    id: "ActionOutcome",
    description: "Outcome common to every action; each action adds its own counters.",
  });
export type ActionOutcome = z.infer<typeof ActionOutcome>;

export const PurgeTarget = z
  .enum(["broker", "orchestrator", "state-backend", "client-data-store", "triggers", "all"])
  .meta({ id: "PurgeTarget" });
export type PurgeTarget = z.infer<typeof PurgeTarget>;

export const PurgePreview = ActionPreview.extend({
  target: PurgeTarget,
  queue: z
    .string()
    .nullable()
    .describe("The one queue of the broker that would be emptied; null for everything of the target."),
  title: z.string().describe("What would be emptied: `the broker queue`."),
  empties_queue: z.boolean().describe("The queue is emptied before the rest, or at once with it."),
  stranded_messages: z
    .int()
    .nullable()
    .describe(
      "Messages that would stay although a runner can do nothing with them; null when their number is not known.",
    ),
  queue_shared: z
    .boolean()
    .describe("The queue that would be emptied is kept apart and may hold messages of other apps."),
  purge_is_atomic: z.boolean().describe("As in `Capabilities`."),
}).meta({ id: "PurgePreview", description: "What a purge would remove." });
export type PurgePreview = z.infer<typeof PurgePreview>;

export const PurgeOutcome = ActionOutcome.extend({
  target: PurgeTarget,
  queue: z.string().nullable().describe("As in the preview."),
  deleted: z.int(),
  rows: z.array(ActionCount),
  swept_messages: z
    .int()
    .describe(
      "Messages of calls registered during the purge, removed afterwards because their records no longer exist.",
    ),
}).meta({ id: "PurgeOutcome", description: "What a purge removed." });
export type PurgeOutcome = z.infer<typeof PurgeOutcome>;

export const OrchestratorPurge = z
  .object({
    invocations: z.int(),
    invocation_args: z.int().describe("Rows of their argument index."),
    blocking_edges: z.int().describe("Edges that wait for them."),
    invocations_kept: z
      .int()
      .describe("Due, but a message waits for them, and a runner that takes one without a status stops working."),
    invocations_of_open_parents: z
      .int()
      .describe(
        "Due, but their parent is not known to be final (`knownStatus`) and may still ask for their result, which pynenc cannot give without their status. They stay; `with_open_parents` takes them, and then these are among `invocations`.",
      ),
    leaked_index_entries: z
      .int()
      .describe(
        "Entries of the index by time, as old, whose invocation went earlier: with them goes what else names it.",
      ),
    executions_by_age: z.int(),
    executions_by_capacity: z.int(),
    executions_kept: z.int().describe("Due, but a trigger run still refers to them."),
    exact: z.boolean().describe("False in a preview estimated from a sample; what an action reports is always exact."),
  })
  .meta({ id: "OrchestratorPurge" });
export type OrchestratorPurge = z.infer<typeof OrchestratorPurge>;

export const EventPurge = z
  .object({
    events_by_age: z.int(),
    events_by_capacity: z.int(),
    trigger_runs_by_age: z.int(),
    trigger_runs_of_events: z.int().describe("An event that took part in them goes."),
    trigger_runs_by_capacity: z.int(),
    event_conditions: z.int().describe("Rows of the tables that index them."),
    event_triggered_invocations: z.int(),
    trigger_run_conditions: z.int(),
  })
  .meta({ id: "EventPurge", description: "Each event and each run counts under the rule that met it first." });
export type EventPurge = z.infer<typeof EventPurge>;

export const AutoPurgePreview = ActionPreview.extend({
  title: z.string().describe("What would be scanned."),
  older_than: z
    .record(z.string(), z.string().nullable())
    .readonly()
    .describe("By kind: rows older than this are removed. ISO 8601."),
}).meta({ id: "AutoPurgePreview", description: "What an auto-purge would remove." });
export type AutoPurgePreview = z.infer<typeof AutoPurgePreview>;

export const OrchestratorAutoPurgePreview = AutoPurgePreview.extend({
  open_parents: z
    .object({
      children: z.int().describe("Invocations."),
      taken: z.boolean().describe("They would go (`with_open_parents`); otherwise they stay."),
    })
    .describe("Due, but the parent is not known to be final."),
}).meta({ id: "OrchestratorAutoPurgePreview", description: "What an auto-purge of the orchestrator would remove." });
export type OrchestratorAutoPurgePreview = z.infer<typeof OrchestratorAutoPurgePreview>;

export const OrchestratorPurgeOutcome = ActionOutcome.extend(OrchestratorPurge.shape)
  .extend({ deleted: z.int().describe("Invocations and executions.") })
  .meta({ id: "OrchestratorPurgeOutcome", description: "What an auto-purge of the orchestrator removed." });
export type OrchestratorPurgeOutcome = z.infer<typeof OrchestratorPurgeOutcome>;

export const EventPurgeOutcome = ActionOutcome.extend(EventPurge.shape)
  .extend({
    deleted: z.int().describe("Events and trigger runs."),
    enabled: z.boolean().describe("False when `event_auto_purge_enabled` is off: then nothing was looked at."),
  })
  .meta({ id: "EventPurgeOutcome", description: "What an auto-purge of events and trigger runs removed." });
export type EventPurgeOutcome = z.infer<typeof EventPurgeOutcome>;

export const ShownRoute = z
  .object({
    queue_name: z.string(),
    priority: z.number(),
    queue_told_by: z
      .string()
      .describe("A flag, a setting with its origin, or a message that waits already; for people."),
    priority_told_by: z.string(),
  })
  .meta({ id: "ShownRoute", description: "Where the message of a call goes and what says so." });
export type ShownRoute = z.infer<typeof ShownRoute>;

export const RouteGroup = ShownRoute.extend({
  task_id_key: taskIdKey.describe("The first of the tasks."),
  tasks: z.int(),
  messages: z.int(),
}).meta({ id: "RouteGroup", description: "Messages that go the same way for the same reasons." });
export type RouteGroup = z.infer<typeof RouteGroup>;

export const RefusedRequeue = z
  .object({
    kind: z.enum(["unknown", "without_records", "not_waiting", "unsettled", "queued", "unlisted", "undelivered"]),
    reason: z.string(),
  })
  .meta({ id: "RefusedRequeue" });
export type RefusedRequeue = z.infer<typeof RefusedRequeue>;

export const RequeueCandidate = z
  .object({
    invocation: InvocationRow,
    refusal: RefusedRequeue.nullable().describe(
      "Why it gets no message, as a sentence fragment; null when it gets one.",
    ),
  })
  .meta({ id: "RequeueCandidate", description: "An invocation that was asked for." });
export type RequeueCandidate = z.infer<typeof RequeueCandidate>;

export const RequeuePreview = z
  .object({
    app_id: z.string(),
    location: z.string(),
    candidates: z
      .array(RequeueCandidate)
      .describe("Those that have waited longest come first, as their messages would."),
    requeued: z.int().describe("How many of them would get a message."),
    force: z.boolean(),
    routes: z.array(RouteGroup).describe("Where the messages would go; empty where the one queue has no name."),
    notes: z.array(z.string()).describe("What a reader should know before."),
    runners_alive: AliveRunners,
    refused: z.string().nullable().describe("Why it would be refused now, or null."),
    forcible: z.boolean().describe("`force` would help."),
  })
  .meta({ id: "RequeuePreview", description: "Which lost messages would be put back." });
export type RequeuePreview = z.infer<typeof RequeuePreview>;

export const RequeueOutcome = ActionOutcome.extend({
  invocation_ids: z.array(z.string()).describe("Those that got a message."),
  routes: z.array(RouteGroup).describe("Where the messages went; empty where the one queue has no name."),
  refused: z.array(RefusedRequeue.extend({ invocation_id: z.string() })),
}).meta({ id: "RequeueOutcome", description: "Which lost messages were put back." });
export type RequeueOutcome = z.infer<typeof RequeueOutcome>;

export const ControlTold = z.enum(["some", "none_at_registration", "unknown"]).meta({
  id: "ControlTold",
  description:
    "What earlier calls of a task reveal about its concurrency control, which is set in code and stored nowhere. - `some`: pynenc indexed the arguments of the newest call, so the task has control at registration, while running, or both. - `none_at_registration`: pynenc left them unindexed. Calls that wait are not looked at; what runs may be: calls that are made in a batch (`parallelize`) are never indexed, and only control at registration forbids batches. - `unknown`: no call is left that tells. Those without arguments never do.",
});
export type ControlTold = z.infer<typeof ControlTold>;

export const RerunPreview = z
  .object({
    app_id: z.string(),
    location: z.string(),
    invocation: InvocationRow,
    force: z.boolean().describe("Register although the same call waits already."),
    own_workflow: z.boolean().describe("The new invocation starts a new workflow run."),
    indexed_arguments: z
      .int()
      .describe("Arguments that are put into the index for concurrency control, whether or not the task has any."),
    control: ControlTold,
    notes: z.array(z.string()).describe("What a reader should know before."),
    runners_alive: AliveRunners,
    refused: z.string().nullable().describe("Why it would be refused now, or null."),
    forcible: z.boolean().describe("`force` would help."),
    requeue_instead: z
      .string()
      .nullable()
      .describe(
        "The call that is in the way, where the queue has no message of it: no runner takes it up, and requeue helps instead.",
      ),
    route: ShownRoute.nullable().describe(
      "Where the message would go; null where it would not, and where the one queue has no name.",
    ),
  })
  .meta({ id: "RerunPreview", description: "Whether the call of an invocation would be registered again." });
export type RerunPreview = z.infer<typeof RerunPreview>;

export const RerunOutcome = ActionOutcome.extend({
  invocation_id: z.string(),
  new_invocation_id: z.string(),
  route: ShownRoute.nullable().describe("Where its message went; null where the one queue has no name."),
}).meta({ id: "RerunOutcome", description: "The invocation that a call was registered again as." });
export type RerunOutcome = z.infer<typeof RerunOutcome>;

export const RerunGroup = z
  .object({
    task_id_key: taskIdKey.nullable(),
    exception_type: z
      .string()
      .nullable()
      .describe(
        "Class of the stored exception, dotted where the serializer records the module; null where none is stored.",
      ),
    registered: z.int(),
    refused: z.int(),
  })
  .meta({ id: "RerunGroup" });
export type RerunGroup = z.infer<typeof RerunGroup>;

export const RerunCall = InvocationRow.extend({
  exception_type: z.string().nullable(),
  arguments_line: z.string().nullable().describe("On one line, cut; null when no definition is stored."),
  led_to: z.int().describe("Matches that are left out because this one led to them."),
  refusal: z.string().nullable().describe("Why it would not be registered, a sentence fragment, or null."),
}).meta({ id: "RerunCall" });
export type RerunCall = z.infer<typeof RerunCall>;

export const RefusalCount = z
  .object({
    kind: z.enum(["unknown", "unreadable", "dangling", "duplicate"]),
    reason: z.string().describe("A sentence fragment: `the stored arguments cannot be read`."),
    count: z.int(),
  })
  .meta({ id: "RefusalCount" });
export type RefusalCount = z.infer<typeof RefusalCount>;

export const RerunManyPreview = z
  .object({
    app_id: z.string(),
    location: z.string(),
    filter: InvocationFilter,
    matching: PageInfo.pick({ total: true, total_capped: true }).describe("How many meet the filter."),
    limit: z.int().describe("At most this many are taken, from the start of the list."),
    all: z.boolean().describe("Every match is taken, also those that other matches lead to."),
    force: z.boolean(),
    taken: z.int().describe("Matches that are taken: those that would be registered and those that would be refused."),
    registered: z.int(),
    refusals: z.array(RefusalCount),
    requeue_instead: z
      .array(z.string())
      .describe(
        "Calls that are in the way because they wait already, although the queue has no message of them: requeue helps instead.",
      ),
    called_again: z
      .int()
      .describe(
        "Matches that are left out because one that would be registered led to them: it calls them again if it goes the same way.",
      ),
    left_out: z
      .int()
      .describe(
        "Matches that are left out although what led to them is not registered either: it is refused, or beyond the limit.",
      ),
    groups: z.array(RerunGroup).describe("What is taken, by task and exception, largest groups first."),
    calls: z.array(RerunCall).describe("What is taken, group by group: the first 1,000."),
    routes: z.array(RouteGroup).describe("Where the messages would go; empty where the one queue has no name."),
    notes: z.array(z.string()),
    runners_alive: AliveRunners,
    refused: z.string().nullable().describe("Why nothing would be registered, or null."),
  })
  .meta({ id: "RerunManyPreview", description: "Which calls would be registered again." });
export type RerunManyPreview = z.infer<typeof RerunManyPreview>;

export const RerunManyOutcome = ActionOutcome.extend({
  taken: z.int().describe("How many of those taken were processed."),
  registered: z.int(),
  refusals: z.array(RefusalCount),
  called_again: z.int().describe("As in the preview."),
  no_longer_matching: z.int().describe("How many of those selected no longer match the filter."),
  new_invocation_ids: z.array(z.string()),
  routes: z.array(RouteGroup).describe("Where their messages went; empty where the one queue has no name."),
  unqueued_invocation_ids: z
    .array(z.string())
    .describe("Those of them that have no message in the queue, so that no runner executes them."),
  stopped: z.string().nullable().describe("Why it ended before all had their turn, or null."),
}).meta({ id: "RerunManyOutcome", description: "Which calls were registered again." });
export type RerunManyOutcome = z.infer<typeof RerunManyOutcome>;

export const AuditEntry = z
  .object({
    id: z.string().describe("Random."),
    at: instant.describe("ISO 8601."),
    app_id: z.string(),
    location: z.string().describe("Of the store, for people: a path or a masked URL."),
    action: z.string().describe("`purge broker`, `rerun` ..."),
    via: z.enum(["cli", "server", "agent"]).describe("`agent`: an assistant, through `monitor mcp`."),
    who: z.string().describe("The user of the shell, or the address of the client."),
    outcome: z.enum(["done", "refused", "failed"]),
    message: z.string(),
    counters: z.record(z.string(), z.unknown()).readonly().describe("What was counted; empty unless it was done."),
  })
  .meta({ id: "AuditEntry", description: "What somebody did, or tried to do." });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = z
  .object({
    app_id: z.string(),
    location: z.string().describe("Of the store whose actions these are."),
    entries: z.array(AuditEntry).describe("Newest first."),
    page: PageInfo,
    file: z.string().nullable().describe("Where the record is kept; null for a user without a home."),
    notes: z.array(z.string()).describe("What the list leaves out."),
  })
  .meta({ id: "AuditPage", description: "What was changed through monitors of this user, newest first." });
export type AuditPage = z.infer<typeof AuditPage>;

export const AutoPurgePreviews = z
  .object({
    orchestrator: OrchestratorAutoPurgePreview.exactOptional(),
    events: AutoPurgePreview.exactOptional(),
  })
  .meta({ id: "AutoPurgePreviews", description: "What an auto-purge would remove, by what was asked for." });
export type AutoPurgePreviews = z.infer<typeof AutoPurgePreviews>;

export const AutoPurgeOutcomes = z
  .object({ orchestrator: OrchestratorPurgeOutcome.exactOptional(), events: EventPurgeOutcome.exactOptional() })
  .meta({ id: "AutoPurgeOutcomes", description: "What an auto-purge removed, by what was asked for." });
export type AutoPurgeOutcomes = z.infer<typeof AutoPurgeOutcomes>;
