/** Dashboard, status, doctor and the health check. */
import { z } from "zod";
import { AppEntry, LastLook } from "./app.ts";
import { SettingProblem } from "./config.ts";
import {
  ComponentName,
  InvocationTotals,
  instant,
  ServerLoad,
  StatusCount,
  StorageFigure,
  seconds,
  taskIdKey,
} from "./model/common.ts";
import { InvocationRow } from "./model/invocation-rows.ts";
import { RunnerCounts } from "./model/runner-names.ts";
import { LayoutReport, StoreFacts } from "./model/store-facts.ts";
import { RunnerRow } from "./runners.ts";
import { Recent } from "./stats.ts";
import { Verdict } from "./verdicts.ts";

export const QueueState = z.enum(["consuming", "not_consumed", "not_configured", "unknown"]).meta({
  id: "QueueState",
  description:
    "`consuming`: an active runner takes messages from it. `not_consumed`: none does. `not_configured`: it is not a declared queue, so a runner takes from it only if the runner's own settings name it. `unknown`: whether the active runners take from it is not known.",
});
export type QueueState = z.infer<typeof QueueState>;

export const QueueHealth = z
  .object({
    queue_name: z.string().nullable().describe("Null for the only queue of layouts without queue names."),
    messages: z.int(),
    waiting: z
      .int()
      .describe("Messages of invocations that are not final; all messages if the two were not distinguished."),
    finished: z
      .int()
      .nullable()
      .describe(
        "Messages of invocations that are already final. Usually a runner that waited for the invocation ran it and left the message; the runner that takes the message drops it. Null if the two were not distinguished.",
      ),
    oldest_queued_at: instant.nullable().describe("Of waiting messages; null if the queue records no times."),
    oldest_seconds: seconds.nullable(),
    active_consumers: z.int().describe("Active runners that take from it."),
    declared: z
      .boolean()
      .nullable()
      .describe(
        "Whether broker.queues names it; null if the only queue has no name, or if that setting was not found.",
      ),
    health: QueueState,
  })
  .meta({ id: "QueueHealth" });
export type QueueHealth = z.infer<typeof QueueHealth>;

export const queueNote = z
  .string()
  .nullable()
  .describe("A sentence about what is uncertain in this list of queues; null if nothing is.");

export const queuesComplete = z
  .boolean()
  .describe("False while it is not known whether there are more queues, and so more messages.");

export const EventCounters = z
  .object({
    recorded: z.int(),
    matched: z.int().describe("Events that met at least one condition."),
    triggered: z
      .int()
      .describe("Events with a row in the triggered-invocations index: the stored counter undercounts."),
    codes: z.int().describe("Distinct event codes."),
    trigger_runs: z.int(),
  })
  .meta({
    id: "EventCounters",
    description: "Counters of the trigger component. `null` as a whole where the layout records no events.",
  });
export type EventCounters = z.infer<typeof EventCounters>;

const notExamined = z.array(z.string()).describe("What could not be examined, and why.");

export const Dashboard = z
  .object({
    ...StoreFacts.shape,
    overview: InvocationTotals.pick({ invocations: true, forgotten: true, complete: true }).extend({
      queued_messages: z.int().nullable().describe("Null if the broker cannot be reached; `verdicts` says why."),
      active_runners: z.int(),
      known_runners: z.int(),
      known_runners_capped: z.boolean(),
      registered_tasks: z.int(),
      queues: z.array(QueueHealth).describe("As on the broker page; empty if the broker cannot be reached."),
      more_queues: z.int(),
      named_queues: z.boolean(),
      queue_note: queueNote,
    }),
    statuses: z.array(StatusCount),
    events: EventCounters.nullable().describe("Null if this layout records no events."),
    verdicts: z.array(Verdict),
    not_looked_at: notExamined,
    newest: z.array(InvocationRow).describe("The last registered invocations, newest first, at most 8."),
    newest_note: z.string().nullable().describe("Why some may be missing in `newest`; null if none are."),
    recent_note: z.string().nullable().describe("Why `recent` is null; null if figures over time are switched off."),
    range: z.object({ from: instant, to: instant }).describe("The range of `recent`."),
    recent: Recent.nullable().describe(
      "Null if figures over time are switched off, and while the history of the range is still being read.",
    ),
  })
  .meta({ id: "Dashboard", description: "The state of an app at a glance." });
export type Dashboard = z.infer<typeof Dashboard>;

export const Worker = RunnerRow.extend({
  running: z
    .array(z.object({ invocation_id: z.string(), task_id_key: taskIdKey, since: instant }))
    .describe("What it is running now, the longest first."),
}).meta({ id: "Worker", description: "A runner with what it runs." });
export type Worker = z.infer<typeof Worker>;

export const Top = Dashboard.extend({
  as_of: instant,
  workers: z.array(Worker).describe("Active runners, busy ones first."),
  running_left_out: z.boolean().describe("More is running than was read, so some of it is missing in `workers`."),
}).meta({ id: "Top", description: "What `monitor top` shows." });
export type Top = z.infer<typeof Top>;

export const StatusReport = z
  .object({
    app_id: z.string(),
    location: z.string(),
    layout: LayoutReport,
    as_of: instant.describe("The current time used to judge heartbeats and waits."),
    invocations: z.int().describe("Every invocation with a stored status or definition."),
    forgotten_invocations: z
      .int()
      .describe("Those without a status in the orchestrator; they are counted by the last entry of their history."),
    invocations_complete: z.boolean().describe("False while a large store is still being scanned: more may be found."),
    statuses: z
      .record(z.string(), z.int())
      .describe(
        "Every status of pynenc, zeros included, in the order of an invocation's life, followed by other stored words.",
      ),
    queue: z
      .object({
        messages: z.int().nullable(),
        waiting: z.int().nullable(),
        oldest_queued_at: instant.nullable(),
        oldest_seconds: seconds.nullable(),
      })
      .describe(
        "Numbers are null if the broker cannot be reached; `verdicts` says why. The oldest is null if messages cannot be listed.",
      ),
    queues: z.array(QueueHealth).describe("As on the broker page; empty if the broker cannot be reached."),
    more_queues: z.int(),
    queue_note: queueNote,
    runners: RunnerCounts,
    events: EventCounters.nullable().describe("Null if this layout records no events."),
    verdicts: z.array(Verdict),
    not_looked_at: notExamined,
  })
  .meta({ id: "StatusReport", description: "Counts of an app, and what looks wrong." });
export type StatusReport = z.infer<typeof StatusReport>;

export const StatusAt = z
  .object({
    app_id: z.string(),
    location: z.string(),
    at: instant.describe("The requested instant; a status entered at this very instant counts."),
    invocations: z.int().nullable().describe("Invocations registered by then."),
    statuses: z
      .record(z.string(), z.int())
      .nullable()
      .describe(
        "Every status of pynenc, zeros included; words that this monitor does not know are summed up as `other`. Null if not known.",
      ),
    why_not: z.string().nullable().describe("Why the counts are not known; null if they are."),
    not_known: z.array(z.string()).describe("What the store only records for the present."),
  })
  .meta({
    id: "StatusAt",
    description: "Counts of an app at a past instant, from its status history.",
  });
export type StatusAt = z.infer<typeof StatusAt>;

export const CheckPart = z
  .object({
    name: z.enum(["verdicts", "failures", "queue_age"]),
    ok: z.boolean().nullable().describe("Null if not known; the check has not passed then."),
    sentence: z.string(),
  })
  .meta({ id: "CheckPart", description: "One part of a check." });
export type CheckPart = z.infer<typeof CheckPart>;

export const AppCheck = z
  .object({
    app_id: z.string(),
    location: z.string(),
    as_of: instant,
    ok: z.boolean().describe("All parts have passed."),
    fail_on: z.enum(["error", "warning"]).describe("The lowest severity that counts."),
    checks: z.array(CheckPart).describe("Verdicts first, then the requested limits."),
    verdicts: z.array(Verdict).describe("The verdicts that count."),
    not_looked_at: notExamined,
  })
  .meta({ id: "AppCheck", description: "Whether an app is healthy." });
export type AppCheck = z.infer<typeof AppCheck>;

export const FoundFile = z
  .object({
    path: z.string(),
    origin: z.string().describe("The flag, variable or setting that names it."),
    components: z.array(ComponentName),
    bytes: z.int(),
    wal_bytes: z.int().nullable().describe("Size of the write-ahead log; null if there is none."),
    journal_mode: z.enum(["wal", "rollback"]).nullable(),
    modified_at: instant,
  })
  .meta({ id: "FoundFile", description: "A file of the store and how it was found." });
export type FoundFile = z.infer<typeof FoundFile>;

export const FoundServer = z
  .object({
    location: z.string().describe("With secrets masked."),
    origin: z.string(),
    components: z.array(ComponentName),
  })
  .meta({ id: "FoundServer", description: "A server of the store and how it was found." });
export type FoundServer = z.infer<typeof FoundServer>;

export const UnknownWriters = z
  .object({
    runner_ids: z.array(z.string()).describe("The first few."),
    count: z.int(),
    active: z.int().describe("How many of them are active now."),
    entries: z.int().describe("Entries they wrote among the newest ones examined."),
    looked_at: z.int(),
  })
  .meta({
    id: "UnknownWriters",
    description: "Runners whose class, host and process are not known, because their contexts are not stored.",
  });
export type UnknownWriters = z.infer<typeof UnknownWriters>;

export const DoctorReport = z
  .object({
    app_id: z.string(),
    kind: z.string(),
    origin: z.string().describe("How the store was found."),
    tried: z.array(z.string()).describe("Every place that was searched."),
    files: z.array(FoundFile).describe("Empty for stores on a server."),
    servers: z.array(FoundServer).describe("Empty for stores in files."),
    loads: z.array(ServerLoad).describe("The load that this report itself caused. Empty for stores in files."),
    layout: LayoutReport,
    components: z.record(ComponentName, z.boolean()),
    lacks: z.array(z.string()).describe("What this layout does not record."),
    apps: z.array(AppEntry),
    tables: z.array(StorageFigure),
    oldest_entry: instant.nullable(),
    newest_entry: instant.nullable(),
    writes: z.object({ possible: z.boolean(), reason: z.string().nullable() }),
    verdicts: z.array(Verdict),
    setting_problems: z.array(SettingProblem),
    findings: z.array(z.string()).describe("Further problems, as sentences."),
    notes: z
      .array(z.string())
      .describe("Remarks on the figures and verdicts here, as sentences; none of them is a problem."),
    unknown_writers: UnknownWriters.nullable().describe(
      "Runners without a stored context among those that wrote the newest history entries; null if there are none.",
    ),
    looked_at: z.array(z.string()).describe('What was examined: the scope of "nothing wrong was found".'),
    not_looked_at: notExamined,
    ok: z.boolean().describe("Nothing wrong was found in what was examined."),
  })
  .meta({ id: "DoctorReport", description: "What a check of the store found." });
export type DoctorReport = z.infer<typeof DoctorReport>;

export const Health = LastLook.extend({
  status: z.literal("ok"),
  version: z.string().describe("Version of pynenc-monitor."),
}).meta({ id: "Health", description: "Whether the monitor answers and could read its store." });
export type Health = z.infer<typeof Health>;

export const DoctorReports = z
  .object({ reports: z.array(DoctorReport) })
  .meta({ id: "DoctorReports", description: "The reports of a store with several apps, one per app." });
