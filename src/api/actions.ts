/** Actions: what they would do, what they did, and the record of them. */

import { z } from "zod";
import { instant, SettingRow, taskIdKey } from "./model/common.ts";
import { InvocationRow } from "./model/invocation-rows.ts";
import { QueuedInvocation } from "./model/queued-invocations.ts";
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
    takes_from: z
      .string()
      .nullable()
      .describe("Only runners that take from this queue, or may do so, as for its purge; null: all active runners."),
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
  messages: z
    .array(QueuedInvocation)
    .describe("Of a purge of the broker, the first messages that would be deleted, in the order they are taken."),
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

export const AutoPurgePreviews = z
  .object({
    orchestrator: OrchestratorAutoPurgePreview.exactOptional(),
    events: AutoPurgePreview.exactOptional(),
  })
  .meta({ id: "AutoPurgePreviews", description: "What an auto-purge would remove, for each requested part." });

export const AutoPurgeOutcomes = z
  .object({ orchestrator: OrchestratorPurgeOutcome.exactOptional(), events: EventPurgeOutcome.exactOptional() })
  .meta({ id: "AutoPurgeOutcomes", description: "What an auto-purge removed, for each requested part." });
