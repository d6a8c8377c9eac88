/** Verdicts: what is wrong or notable, with its evidence and what to do. */
import { z } from "zod";
import { ID_KINDS } from "../pynenc/id-kinds.ts";
import { ActionOutcome } from "./actions.ts";
import { instant } from "./model/common.ts";

/** About the app as a whole. */
export const AppVerdictCode = z.enum([
  "unreachable_queue",
  "layout_trouble",
  "wait_cycle",
  "deadlocked_pool",
  "unconsumed_queue",
  "undeclared_queue",
  "stuck_atomic_service",
  "running_on_dead_runner",
  "paused_on_dead_runner",
  "waiting_in_no_queue",
  "left_behind",
  "waits_for_ended",
  "no_service_runner",
  "invalid_slots",
  "starved_atomic_service",
  "no_triggers",
  "no_recovery",
  "stuck_pending",
  "condition_not_claimed",
  "schedule_overdue",
  "held_by_concurrency",
  "purge_before_read",
  "retries_exhausted",
  "failure_rate_up",
  "retry_storm",
  "slow_run",
  "task_slower",
  "queue_grows",
  "old_message",
  "app_silent",
  "message_without_invocation",
  "clock_skew",
]);
export type AppVerdictCode = z.infer<typeof AppVerdictCode>;

/** About one thing: its state, if no verdict on the app concerns it. */
export const ThingVerdictCode = z.enum([
  "failed",
  "failed_below",
  "dropped_by_concurrency_control",
  "ended_well",
  "waits_for_invocation",
  "waits_for_runner",
  "in_progress",
  "status_not_known",
  "trigger_waits",
  "trigger_is_due",
  "trigger_not_met",
  "trigger_ran",
  "event_started_something",
  "event_met_no_condition",
  "event_not_watched",
  "runner_active",
  "runner_silent",
  "task_failed",
  "task_ended_well",
  "queue_waits",
  "queue_empty",
]);

export const VerdictCode = z
  .enum([...AppVerdictCode.options, ...ThingVerdictCode.options])
  .meta({ id: "VerdictCode", description: "What kind of verdict it is." });
export type VerdictCode = z.infer<typeof VerdictCode>;

export const Evidence = z
  .object({
    kind: z.enum([...ID_KINDS, "task", "queue"]),
    id: z.string(),
    role: z.string().nullable().describe("Its role in this verdict, as a short text; null if the verdict says it."),
  })
  .meta({ id: "Evidence", description: "A stored object that a verdict is based on." });
export type Evidence = z.infer<typeof Evidence>;

export const NextStep = z
  .object({
    label: z.string(),
    path: z.string().describe("A page to look at, or a form that asks for confirmation."),
    command: z.string().nullable().describe("The equivalent command; null if there is none."),
  })
  .meta({ id: "NextStep", description: "What to look at or do about a verdict." });
export type NextStep = z.infer<typeof NextStep>;

export const Severity = z.enum(["info", "warning", "error"]).meta({
  id: "Severity",
  description: "`error`: something makes no progress. `warning`: it may stop making progress. `info`: an explanation.",
});
export type Severity = z.infer<typeof Severity>;

export const Verdict = z
  .object({
    code: VerdictCode,
    severity: Severity,
    sentence: z.string(),
    detail: z.string().describe("What it is based on, what follows from it and what usually helps."),
    since: instant.nullable().describe("Null if the stored data does not say."),
    evidence: z.array(Evidence).describe("The first few."),
    count: z.int().describe("How many things are concerned; `evidence` may name fewer."),
    count_capped: z
      .literal(true)
      .exactOptional()
      .describe("There may be more than `count`: not everything was examined."),
    next: z.array(NextStep),
    muted_until: instant.nullable().describe("Until when this user has muted it; null if it is not muted."),
  })
  .meta({ id: "Verdict", description: "One thing that looks wrong, with its evidence." });
export type Verdict = z.infer<typeof Verdict>;

export const VerdictList = z
  .object({
    app_id: z.string(),
    location: z.string().describe("Of the store."),
    as_of: instant,
    verdicts: z.array(Verdict),
    keys: z
      .array(z.string())
      .describe(
        "A key for each verdict: it stays equal as long as the verdict is the same, even if its sentence changes.",
      ),
    not_looked_at: z.array(z.string()).describe("What could not be examined, and why."),
  })
  .meta({ id: "VerdictList", description: "What looks wrong with an app now." });
export type VerdictList = z.infer<typeof VerdictList>;

export const VerdictAlarm = z
  .object({
    app_id: z.string(),
    location: z.string().describe("Of the store."),
    url: z
      .string()
      .nullable()
      .describe("Address of the monitor; the paths of `verdict.next` are relative to it. Null without a server."),
    as_of: instant.describe("Of the check that found the change."),
    change: z.enum(["appeared", "ended"]),
    verdict: Verdict.describe("One that ended is as it was last found."),
  })
  .meta({
    id: "VerdictAlarm",
    description: "A verdict that appears or ends: the input of the --on-verdict command, and a line of check --follow.",
  });
export type VerdictAlarm = z.infer<typeof VerdictAlarm>;

export const Mute = z
  .object({
    app_id: z.string(),
    location: z.string().describe("Of the store."),
    code: AppVerdictCode,
    id: z.string().nullable().describe("The muted thing; null for every verdict with this code."),
    until: instant,
    muted_at: instant,
  })
  .meta({ id: "Mute", description: "A verdict that this user has muted for a while." });
export type Mute = z.infer<typeof Mute>;

export const MutePreview = z
  .object({
    app_id: z.string(),
    location: z.string(),
    code: AppVerdictCode,
    ids: z.array(z.string()).describe("The things it would be muted for; empty for every verdict with this code."),
    until: instant,
    quiet: z.array(z.string()).describe("Sentences of the verdicts that would be muted now."),
    named_now: z.array(z.string()).describe("The things that verdicts with this code currently concern."),
    refused: z.string().nullable().describe("Why it would be refused now, or null."),
  })
  .meta({ id: "MutePreview", description: "What would be muted." });
export type MutePreview = z.infer<typeof MutePreview>;

export const MuteOutcome = ActionOutcome.extend({
  code: AppVerdictCode,
  ids: z.array(z.string()),
  until: instant,
}).meta({ id: "MuteOutcome", description: "What was muted." });
export type MuteOutcome = z.infer<typeof MuteOutcome>;

export const UnmutePreview = z
  .object({
    app_id: z.string(),
    location: z.string(),
    mutes: z.array(Mute).describe("The mutes that would end."),
    refused: z.string().nullable().describe("Why it would be refused now, or null."),
  })
  .meta({ id: "UnmutePreview", description: "Which mutes would end." });
export type UnmutePreview = z.infer<typeof UnmutePreview>;

export const UnmuteOutcome = ActionOutcome.extend({ removed: z.int() }).meta({
  id: "UnmuteOutcome",
  description: "How many mutes ended.",
});
export type UnmuteOutcome = z.infer<typeof UnmuteOutcome>;

export const MuteList = z
  .object({
    app_id: z.string(),
    location: z.string(),
    mutes: z.array(Mute).describe("The mutes in effect."),
    file: z.string().nullable().describe("Where they are kept; null for a user without a home."),
  })
  .meta({ id: "MuteList", description: "What is muted for an app." });
export type MuteList = z.infer<typeof MuteList>;
