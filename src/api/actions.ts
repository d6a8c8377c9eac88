/** Actions: what they would do, what they did, and the record of them. */

import { z } from "zod";
import { instant, PageInfo, SettingRow, taskIdKey } from "./model/common.ts";
import { InvocationFilter, InvocationRow } from "./model/invocation-rows.ts";
import { RunnerName } from "./model/runner-names.ts";
import { PURGE_TARGETS } from "./words.ts";

export const ActionCount = z
  .object({
    component: z.string().describe("`broker`, `orchestrator` ..."),
    name: z.string().describe("Table, kind or rule."),
    rows: z.int(),
    exact: z
      .boolean()
      .describe(
        "False if the table is too large to count for a preview; the number is then estimated from row numbers.",
      ),
  })
  .meta({ id: "ActionCount", description: "Rows that would be, or were, removed under one heading." });
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
    location: z.string().describe("Where the data is, as text for people."),
    counts: z.array(ActionCount),
    total: z.int().describe("Sum of `counts`."),
    consequences: z.array(z.string()).describe("What breaks or is lost, as sentences."),
    stays: z.array(z.string()).describe("What is kept although one might expect otherwise."),
    runners_alive: AliveRunners,
    settings: z
      .array(SettingRow)
      .describe("Effective settings that decide what is removed, with their origin; empty if none do."),
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

export const PurgeTarget = z.enum(PURGE_TARGETS).meta({ id: "PurgeTarget" });
export type PurgeTarget = z.infer<typeof PurgeTarget>;

export const PurgePreview = ActionPreview.extend({
  target: PurgeTarget,
  queue: z
    .string()
    .nullable()
    .describe("The only queue of the broker that would be emptied; null for everything of the target."),
  title: z.string().describe("What would be emptied: `the broker queue`."),
  empties_queue: z.boolean().describe("The queue is emptied before the rest, or together with it."),
  stranded_messages: z
    .int()
    .nullable()
    .describe("Messages that would be kept although runners cannot process them; null if their number is not known."),
  queue_shared: z
    .boolean()
    .describe("The queue that would be emptied is outside the store and may contain messages of other apps."),
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
    blocking_edges: z.int().describe("Recorded waits for them."),
    invocations_kept: z
      .int()
      .describe(
        "Due, but a message of them is queued, and a runner that takes a message without a status stops working.",
      ),
    invocations_of_open_parents: z
      .int()
      .describe(
        "Due, but their parent is not known to be final (`knownStatus`) and may still ask for their result, which pynenc cannot return without their status. They are kept unless `with_open_parents` is given; then they are among `invocations`.",
      ),
    leaked_index_entries: z
      .int()
      .describe(
        "Equally old entries of the index by time whose invocation was removed earlier; whatever else names it is removed with them.",
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
    trigger_runs_of_events: z.int().describe("Trigger runs removed because an event that took part in them is."),
    trigger_runs_by_capacity: z.int(),
    event_conditions: z.int().describe("Rows in the tables that index them."),
    event_triggered_invocations: z.int(),
    trigger_run_conditions: z.int(),
  })
  .meta({ id: "EventPurge", description: "Each event and each run counts under the first rule that applies." });
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
      taken: z.boolean().describe("They would be removed (`with_open_parents`); otherwise they are kept."),
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
    enabled: z.boolean().describe("False if `event_auto_purge_enabled` is off: nothing was checked then."),
  })
  .meta({ id: "EventPurgeOutcome", description: "What an auto-purge of events and trigger runs removed." });
export type EventPurgeOutcome = z.infer<typeof EventPurgeOutcome>;

export const ShownRoute = z
  .object({
    queue_name: z.string(),
    priority: z.number(),
    queue_told_by: z
      .string()
      .describe("The source, as text: a flag, a setting with its origin, or a message that is already waiting."),
    priority_told_by: z.string(),
  })
  .meta({ id: "ShownRoute", description: "Queue and priority of a call's message, and where they come from." });
export type ShownRoute = z.infer<typeof ShownRoute>;

export const RouteGroup = ShownRoute.extend({
  task_id_key: taskIdKey.describe("The first of the tasks."),
  tasks: z.int(),
  messages: z.int(),
}).meta({ id: "RouteGroup", description: "Messages with the same queue and priority for the same reasons." });
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
    refusal: RefusedRequeue.nullable().describe("Why it gets no message, as a sentence fragment; null if it gets one."),
  })
  .meta({ id: "RequeueCandidate", description: "A requested invocation." });
export type RequeueCandidate = z.infer<typeof RequeueCandidate>;

export const RequeuePreview = z
  .object({
    app_id: z.string(),
    location: z.string(),
    candidates: z.array(RequeueCandidate).describe("Ordered like their messages would be: longest waiting first."),
    requeued: z.int().describe("Number of invocations that would get a message."),
    force: z.boolean(),
    routes: z.array(RouteGroup).describe("Where the messages would go; empty if the only queue has no name."),
    notes: z.array(z.string()).describe("What to know before confirming."),
    runners_alive: AliveRunners,
    refused: z.string().nullable().describe("Why it would be refused now, or null."),
    forcible: z.boolean().describe("`force` would override the refusal."),
  })
  .meta({ id: "RequeuePreview", description: "Which lost messages would be put back." });
export type RequeuePreview = z.infer<typeof RequeuePreview>;

export const RequeueOutcome = ActionOutcome.extend({
  invocation_ids: z.array(z.string()).describe("Invocations that got a message."),
  routes: z.array(RouteGroup).describe("Where the messages went; empty if the only queue has no name."),
  refused: z.array(RefusedRequeue.extend({ invocation_id: z.string() })),
}).meta({ id: "RequeueOutcome", description: "Which lost messages were put back." });
export type RequeueOutcome = z.infer<typeof RequeueOutcome>;

export const ControlTold = z.enum(["some", "none_at_registration", "unknown"]).meta({
  id: "ControlTold",
  description:
    "What earlier calls of a task reveal about its concurrency control, which is set in code and stored nowhere. - `some`: pynenc indexed the arguments of the newest call, so the task has control at registration, while running, or both. - `none_at_registration`: pynenc left them unindexed. Waiting calls are then not checked, but running ones may be: calls made in a batch (`parallelize`) are never indexed, and only control at registration forbids batches. - `unknown`: no stored call shows it. Calls without arguments never do.",
});
export type ControlTold = z.infer<typeof ControlTold>;

export const CalledAgain = z
  .object({
    called_again: z
      .int()
      .describe(
        "Calls below those that would be registered: all of them are made again if everything runs the same way.",
      ),
    called_again_capped: z.boolean().describe("There are more of them than were read."),
    called_again_by_task: z
      .array(
        z.object({
          task_id_key: taskIdKey,
          calls: z.int(),
          succeeded: z.int().describe("How many of them had succeeded."),
        }),
      )
      .describe("Those that had succeeded first."),
  })
  .meta({ id: "CalledAgain", description: "What calls that are registered again would call again." });
export type CalledAgain = z.infer<typeof CalledAgain>;

export const RerunPreview = CalledAgain.extend({
  app_id: z.string(),
  location: z.string(),
  invocation: InvocationRow,
  force: z.boolean().describe("Register even if the same call is already waiting."),
  own_workflow: z.boolean().describe("The new invocation starts a new workflow run."),
  indexed_arguments: z
    .int()
    .describe("Arguments added to the index for concurrency control, whether or not the task uses it."),
  control: ControlTold,
  notes: z.array(z.string()).describe("What to know before confirming."),
  runners_alive: AliveRunners,
  refused: z.string().nullable().describe("Why it would be refused now, or null."),
  forcible: z.boolean().describe("`force` would override the refusal."),
  requeue_instead: z
    .string()
    .nullable()
    .describe(
      "The waiting call that blocks this one although its message is lost: no runner will run it, so requeue it instead.",
    ),
  route: ShownRoute.nullable().describe(
    "Where the message would go; null if nothing would be registered, or if the only queue has no name.",
  ),
}).meta({ id: "RerunPreview", description: "Whether the call of an invocation would be registered again." });
export type RerunPreview = z.infer<typeof RerunPreview>;

export const RerunOutcome = ActionOutcome.extend({
  invocation_id: z.string(),
  new_invocation_id: z.string(),
  route: ShownRoute.nullable().describe("Where its message went; null if the only queue has no name."),
}).meta({ id: "RerunOutcome", description: "The invocation created by registering a call again." });
export type RerunOutcome = z.infer<typeof RerunOutcome>;

export const RerunGroup = z
  .object({
    task_id_key: taskIdKey.nullable(),
    exception_type: z
      .string()
      .nullable()
      .describe("Class of the stored exception, dotted if the serializer records the module; null if none is stored."),
    registered: z.int(),
    refused: z.int(),
  })
  .meta({ id: "RerunGroup" });
export type RerunGroup = z.infer<typeof RerunGroup>;

export const RerunCall = InvocationRow.extend({
  exception_type: z.string().nullable(),
  arguments_line: z.string().nullable().describe("On one line, cut; null if no definition is stored."),
  led_to: z
    .int()
    .describe(
      "Calls below this one, which it makes again if it runs the same way. At least so many if `called_again_capped`.",
    ),
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

export const RerunManyPreview = CalledAgain.extend({
  app_id: z.string(),
  location: z.string(),
  filter: InvocationFilter,
  matching: PageInfo.pick({ total: true, total_capped: true }).describe("How many match the filter."),
  limit: z.int().describe("At most this many matches are taken, from the start of the list."),
  all: z.boolean().describe("Every match is taken, including those that other matches led to."),
  force: z.boolean(),
  taken: z.int().describe("Matches taken: those that would be registered plus those that would be refused."),
  registered: z.int(),
  refusals: z.array(RefusalCount),
  requeue_instead: z
    .array(z.string())
    .describe("Waiting calls that block others although their messages are lost: requeue them instead."),
  matches_below: z
    .int()
    .describe("Matches left out because a match that would be registered led to them; `called_again` includes them."),
  left_out: z
    .int()
    .describe(
      "Matches left out although the match that led to them is not registered either: it is refused, or beyond the limit.",
    ),
  groups: z.array(RerunGroup).describe("The matches taken, by task and exception, largest groups first."),
  calls: z.array(RerunCall).describe("The matches taken, group by group: the first 1,000."),
  routes: z.array(RouteGroup).describe("Where the messages would go; empty if the only queue has no name."),
  notes: z.array(z.string()),
  runners_alive: AliveRunners,
  refused: z.string().nullable().describe("Why nothing would be registered, or null."),
}).meta({ id: "RerunManyPreview", description: "Which calls would be registered again." });
export type RerunManyPreview = z.infer<typeof RerunManyPreview>;

export const RerunManyOutcome = ActionOutcome.extend({
  taken: z.int().describe("How many of the matches taken were processed."),
  not_taken: z
    .int()
    .describe(
      "How many were not, because the rerun stopped; `stopped` says whether some may be registered all the same.",
    ),
  registered: z.int(),
  refusals: z.array(RefusalCount),
  called_again: z.int().describe("Calls below those registered, as in the preview."),
  matches_below: z.int().describe("As in the preview."),
  no_longer_matching: z.int().describe("How many selected invocations no longer match the filter."),
  new_invocation_ids: z.array(z.string()),
  routes: z.array(RouteGroup).describe("Where their messages went; empty if the only queue has no name."),
  unqueued_invocation_ids: z
    .array(z.string())
    .describe("New invocations without a message in the queue, so no runner executes them."),
  stopped: z.string().nullable().describe("Why it ended before all were processed, or null."),
}).meta({ id: "RerunManyOutcome", description: "Which calls were registered again." });
export type RerunManyOutcome = z.infer<typeof RerunManyOutcome>;

export const AuditEntry = z
  .object({
    id: z.string().describe("Random."),
    at: instant.describe("ISO 8601."),
    app_id: z.string(),
    location: z.string().describe("The store, as text for people: a path or a masked URL."),
    action: z.string().describe("`purge broker`, `rerun` ..."),
    via: z.enum(["cli", "server", "agent"]).describe("`agent`: an assistant, through `monitor mcp`."),
    who: z.string().describe("The user of the shell, or the address of the client."),
    outcome: z.enum(["done", "refused", "failed"]),
    message: z.string(),
    counters: z
      .record(z.string(), z.unknown())
      .readonly()
      .describe("The counters of the outcome; empty unless it was done."),
  })
  .meta({ id: "AuditEntry", description: "What somebody did, or tried to do." });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = z
  .object({
    app_id: z.string(),
    location: z.string().describe("The store of these actions."),
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
  .meta({ id: "AutoPurgePreviews", description: "What an auto-purge would remove, for each requested part." });
export type AutoPurgePreviews = z.infer<typeof AutoPurgePreviews>;

export const AutoPurgeOutcomes = z
  .object({ orchestrator: OrchestratorPurgeOutcome.exactOptional(), events: EventPurgeOutcome.exactOptional() })
  .meta({ id: "AutoPurgeOutcomes", description: "What an auto-purge removed, for each requested part." });
export type AutoPurgeOutcomes = z.infer<typeof AutoPurgeOutcomes>;
