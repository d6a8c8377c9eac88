/** Runners and the atomic service. */
import { z } from "zod";
import { instant, PageInfo, SettingRow, seconds, statusWord, TimelineQuery, taskIdKey } from "./model/common.ts";
import { InvocationRow } from "./model/invocation-rows.ts";
import { RunnerCounts, RunnerName } from "./model/runner-names.ts";
import { BusyRunners, Lately, latelyNote } from "./stats.ts";

export const RecoveredRunner = z
  .object({ runner_id: z.string(), invocation_id: z.string(), at: instant.describe("When it was taken.") })
  .meta({ id: "RecoveredRunner", description: "A runner from which a recovery took an invocation." });

export const AllowedSilence = z
  .object({
    allowed_seconds: seconds,
    told_by: z
      .enum(["setting", "default", "recovery"])
      .describe("A setting that was found, its default, or what a recovery showed."),
    setting_seconds: seconds.describe("runner_considered_dead_after_minutes as this monitor reads it."),
    recovery: RecoveredRunner.nullable().describe(
      "The recovery run that shows a shorter timeout; null if there is none.",
    ),
  })
  .meta({ id: "AllowedSilence", description: "How long a runner may send no heartbeat before it counts as silent." });
export type AllowedSilence = z.infer<typeof AllowedSilence>;

export const RunnerRow = z
  .object({
    runner_id: z.string(),
    name: RunnerName,
    active: z
      .boolean()
      .describe("Its last heartbeat is recent enough; false without one (external callers never send any)."),
    created_at: instant.nullable(),
    last_heartbeat: instant.nullable(),
    age_seconds: seconds.nullable().describe("From the first heartbeat to the last."),
    silent_seconds: seconds.nullable().describe("Since the last heartbeat; negative when clocks disagree."),
    atomic_service_eligible: z.boolean().nullable().describe("Null without heartbeat."),
    consumed_queues: z
      .array(z.string())
      .readonly()
      .nullable()
      .describe(
        "Queues that it is set to take from; empty when it takes from every declared one. Null without heartbeat, and in layouts before 0.4.",
      ),
  })
  .meta({ id: "RunnerRow" });
export type RunnerRow = z.infer<typeof RunnerRow>;

export const RunnerScope = z.enum(["active", "all"]).meta({ id: "RunnerScope" });

const HeldInvocation = z.object({
  runner_id: z.string(),
  invocation_id: z.string(),
  task_id_key: z.string(),
  status: statusWord,
});

export const RunnerList = RunnerCounts.extend({
  scope: RunnerScope,
  runners: z.array(RunnerRow),
  silent: z
    .array(RunnerRow)
    .describe(
      "Beside active ones: runners that count as dead and still have running or paused invocations, the first ones.",
    ),
  page: PageInfo,
  silence: AllowedSilence.describe("How long an active one may be silent."),
  busy: BusyRunners.nullable().describe(
    "Null for commands, while the history is still being read, after a purge of it, and where figures over time are switched off.",
  ),
  held: z
    .array(HeldInvocation)
    .nullable()
    .describe(
      "What the listed ones have taken and not finished. Null for commands, and where more is taken than is read.",
    ),
  idle_since: z
    .array(z.object({ runner_id: z.string(), at: instant }))
    .nullable()
    .describe(
      "When those that hold nothing last let go of an invocation, as far as the newest history entries show it. Null as `held`.",
    ),
  settings: z.array(SettingRow),
}).meta({ id: "RunnerList", description: "Runners with their heartbeats." });
export type RunnerList = z.infer<typeof RunnerList>;

export const RunnersAt = z
  .object({
    runners: z
      .array(
        z.object({
          name: RunnerName,
          since: instant.describe("Its first heartbeat."),
          silent_since: instant
            .nullable()
            .describe("Its last heartbeat, if that came before the instant: whether it still lived is then not known."),
        }),
      )
      .describe("Those with a heartbeat recent enough, the latest first."),
    more: z.boolean().describe("There may be more, whose last heartbeat was earlier."),
  })
  .meta({ id: "RunnersAt", description: "Which runners were active at an instant of the past." });
export type RunnersAt = z.infer<typeof RunnersAt>;

export const ServiceRunRow = z
  .object({
    atomic_service_run_id: z.string(),
    start_time: instant,
    end_time: instant.nullable(),
    duration_seconds: seconds.nullable(),
    status: statusWord,
    reason: z.string(),
  })
  .meta({ id: "ServiceRunRow" });
export type ServiceRunRow = z.infer<typeof ServiceRunRow>;

export const RunnerDetail = z
  .object({
    runner: RunnerRow,
    held: z
      .array(HeldInvocation)
      .nullable()
      .describe(
        "What it has taken and not finished. Null unless it is active and works itself, and where more is taken than is read.",
      ),
    idle_since: instant
      .nullable()
      .describe(
        "When one that holds nothing last let go of an invocation; null if the newest history entries do not show it.",
      ),
    thread_id: z.int().nullable(),
    parent: RunnerRow.nullable(),
    children: z.array(RunnerRow),
    children_truncated: z.boolean(),
    invocations: z.array(InvocationRow).describe("The latest it worked on."),
    timeline: TimelineQuery.nullable().describe("Those on a time line; null when none of them has a time."),
    invocations_note: z.string().nullable().describe("Set when the search for its invocations was cut short."),
    registered: z
      .array(InvocationRow)
      .describe("The latest it registered: what ran on it called them, or it is a process outside of any runner."),
    registered_note: z.string().nullable().describe("Set when the search for those was cut short."),
    service_runs: z.array(ServiceRunRow).nullable().describe("Null where executions are not recorded by this layout."),
    silence: AllowedSilence.describe("How long it may be silent."),
    last_service: z
      .object({ start_time: instant.nullable(), end_time: instant.nullable() })
      .nullable()
      .describe("Layouts up to 0.2.3 keep only the last run of the atomic service."),
    lately: Lately.nullable().describe(
      "Null where figures over time are switched off, while the last hour has not been read, and in the answer of a command.",
    ),
    lately_note: latelyNote,
  })
  .meta({ id: "RunnerDetail", description: "One runner with what it worked on and registered." });
export type RunnerDetail = z.infer<typeof RunnerDetail>;

export const StuckReason = z.enum(["runner_dead", "too_long"]).meta({
  id: "StuckReason",
  description: "Why a run that is recorded as running will not end by itself; null for one that is fine.",
});
export type StuckReason = z.infer<typeof StuckReason>;

export const ExecutionRow = z
  .object({
    atomic_service_run_id: z.string(),
    runner_id: z.string(),
    runner: RunnerName,
    runner_active: z.boolean().describe("Its runner's heartbeat is young enough."),
    start_time: instant,
    end_time: instant.nullable().describe("Null while it runs."),
    duration_seconds: seconds.nullable().describe("Null while it runs."),
    status: statusWord,
    reason: z.string(),
    prior_run: z
      .object({ atomic_service_run_id: z.string(), runner_id: z.string() })
      .nullable()
      .describe("The run that a blocked one gave way to, as its reason names it."),
    stuck: StuckReason.nullable(),
  })
  .meta({ id: "ExecutionRow" });
export type ExecutionRow = z.infer<typeof ExecutionRow>;

export const ServiceTriggerRun = z
  .object({
    trigger_run_id: z.string(),
    trigger_id: z.string(),
    task_id_key: taskIdKey.describe("The task that was started."),
    claimed_at: instant.nullable(),
    executed_at: instant.nullable(),
    triggered_invocation: InvocationRow.nullable().describe("Null when nothing was started."),
  })
  .meta({ id: "ServiceTriggerRun", description: "A trigger run that names the service run in which it was executed." });
export type ServiceTriggerRun = z.infer<typeof ServiceTriggerRun>;

export const AtomicRun = z
  .object({
    atomic_service_run_id: z.string(),
    execution: ExecutionRow.nullable().describe("Null when it was removed and only trigger runs remember it."),
    runner: RunnerName.nullable().describe("As the execution says, else as its trigger runs do."),
    runner_active: z.boolean(),
    runner_last_heartbeat: instant.nullable(),
    trigger_runs: z.array(ServiceTriggerRun).describe("Newest first."),
    trigger_runs_truncated: z.boolean(),
    timeline: TimelineQuery.nullable().describe(
      "Parameters of a timeline around it; null when its record no longer exists.",
    ),
    settings: z.array(SettingRow).describe("How long executions are kept."),
  })
  .meta({ id: "AtomicRun", description: "One run of the atomic service, with the trigger runs that it executed." });
export type AtomicRun = z.infer<typeof AtomicRun>;

export const SlotReason = z
  .enum([
    "assigned",
    "not_assigned_slot",
    "no_stable_runners",
    "scheduled_runner_in_grace",
    "slot_window_invalid",
    "late_start",
  ])
  .meta({ id: "SlotReason", description: "Why a runner that asks now may or may not start. Only `assigned` starts." });

export const SlotRow = z
  .object({
    slot_start: instant,
    slot_end: instant,
    window_start: instant
      .nullable()
      .describe("Part of the slot in which it may start; null when the margin leaves nothing."),
    window_end: instant.nullable(),
    owns_slot: z.boolean().describe("The present lies in its slot."),
    in_grace: z.boolean(),
    may_start: z.boolean(),
    reason: SlotReason,
    explanation: z.string().describe("The reason as a sentence."),
  })
  .meta({ id: "SlotRow", description: "A runner's slot of the cycle, and whether it could start a run now." });
export type SlotRow = z.infer<typeof SlotRow>;

export const TurnRow = z
  .object({
    position: z.int().describe("From 1, in the order of the first heartbeats, which is that of the slots."),
    runner_id: z.string(),
    runner: RunnerName,
    created_at: instant,
    last_heartbeat: instant,
    slot: SlotRow.nullable().describe("Null where the runners follow other settings than those that were found."),
    recorded_runs: z.int().nullable().describe("Its runs among the newest that are recorded; null before 0.2.4."),
    last_service_start: instant
      .nullable()
      .describe("Its latest run among the newest that are recorded; up to 0.2.3 what its heartbeat says."),
    last_service_end: instant.nullable(),
    last_atomic_service_run_id: z.string().nullable().describe("Null where runs are not recorded."),
  })
  .meta({ id: "TurnRow", description: "A runner that takes turns." });
export type TurnRow = z.infer<typeof TurnRow>;

export const CycleView = z
  .object({
    cycle_start: instant,
    cycle_end: instant,
    interval_seconds: seconds,
    spread_seconds: seconds,
    slot_seconds: seconds.nullable().describe("Null without runners."),
    most_runners: z
      .int()
      .nullable()
      .describe("With more runners than this no runner can start a run; null when any number works."),
    every_window_invalid: z.boolean(),
    owner: RunnerName.nullable(),
  })
  .meta({ id: "CycleView", description: "The cycle that the settings make." });
export type CycleView = z.infer<typeof CycleView>;

export const SettingsFit = z
  .object({
    verdict: z
      .enum(["fits", "contradicted", "untested"])
      .describe("`contradicted`: the runners follow other settings. `untested`: no run could be compared."),
    assumed: z.boolean().describe("Cycle and margin are defaults: no other value was found."),
    since: instant
      .nullable()
      .describe("Exactly the present runners have taken turns since then; null without runners."),
    compared: z.int().describe("Runs since then, among the newest that are recorded."),
    outside: z.int().describe("Of these, begun outside of the slot that the settings give their runner."),
    check_interval_seconds: seconds,
    shortest_repeat_seconds: seconds.nullable().describe("The shortest time between two runs of one of these runners."),
    too_often: z.boolean().describe("That is shorter than the time between two checks."),
    contradictions: z
      .array(z.string())
      .describe("Why the settings cannot be those of the runners, a sentence each; empty unless contradicted."),
  })
  .meta({ id: "SettingsFit", description: "What recorded runs say about the settings." });
export type SettingsFit = z.infer<typeof SettingsFit>;

export const AtomicScheduling = z
  .object({
    recorded: z.boolean().describe("False before 0.2.4."),
    now: instant,
    cycle: CycleView.nullable().describe("Null if recorded runs contradict the settings: then it is not known."),
    fit: SettingsFit,
    eligible: z.int().describe("Runners that take turns now."),
    active: z.int().describe("Runners with a young heartbeat, those that take no turns included."),
    incomplete: z
      .boolean()
      .describe("More runners are active than were read, so the slots are not those that the runners compute."),
    runners: z.array(TurnRow).describe("In the order of their slots."),
    running: z.array(ExecutionRow),
    stuck: z.array(ExecutionRow),
    blocked: z.array(ExecutionRow).describe("The newest first."),
    settings: z.array(SettingRow),
  })
  .meta({
    id: "AtomicScheduling",
    description: "Schedule of the atomic service, and what recorded runs say about the settings.",
  });
export type AtomicScheduling = z.infer<typeof AtomicScheduling>;

export const TimelineFilter = z
  .object({
    runner_id: z.string().nullable(),
    atomic_service_run_id: z.string().nullable().describe("Beginning of a run id."),
    status: statusWord.nullable(),
    min_duration_seconds: seconds.nullable(),
  })
  .meta({ id: "TimelineFilter" });

export const AtomicTimeline = z
  .object({
    recorded: z.boolean().describe("False before 0.2.4, which keeps only the last run of each runner."),
    executions: z.array(ExecutionRow),
    page: PageInfo,
    filter: TimelineFilter,
    statuses: z.record(z.string(), z.int()).describe("All recorded runs by status, ignoring the filter."),
    window: z
      .object({ start: instant, end: instant, duration_seconds: seconds })
      .nullable()
      .describe("Earliest start and latest end on this page; null without rows."),
    durations: z
      .object({ runs: z.int(), average_seconds: seconds.nullable(), longest_seconds: seconds.nullable() })
      .describe("Of the runs on this page that ended after doing something: neither running nor blocked ones."),
    running: z.array(ExecutionRow),
    selected: z.object({ atomic_service_run_id: z.string(), on_page: z.boolean() }).nullable(),
    settings: z.array(SettingRow),
    notes: z.array(z.string()).describe("Why nothing is listed, if the filter names a runner that is not known."),
  })
  .meta({ id: "AtomicTimeline", description: "Recorded runs of the atomic service, newest first." });
export type AtomicTimeline = z.infer<typeof AtomicTimeline>;
