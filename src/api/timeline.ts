/** The timeline. */
import { z } from "zod";
import { instant, seconds, statusWord, taskIdKey, WindowQuery } from "./model/common.ts";
import { CriticalPath } from "./model/critical-path.ts";
import { ExceptionLine, InvocationFilter } from "./model/invocation-rows.ts";
import { EventHead } from "./model/trigger-objects.ts";
import { LANES } from "./words.ts";

export const TimelineEntry = z
  .object({
    timestamp: instant,
    status: statusWord.describe("Any word; see `statusInfo`."),
    runner_id: z
      .string()
      .nullable()
      .describe("Runner context that made the change; null if the stored entry has none."),
    dead_from: instant
      .optional()
      .describe(
        "From then on its runner, which was silent, did not work on it: since the last heartbeat of the runner, or this entry where none is stored. Absent if that is not so.",
      ),
  })
  .meta({ id: "TimelineEntry", description: "One status change." });

export const Afterwards = z.enum(["ongoing", "continues"]).meta({
  id: "Afterwards",
  description:
    "What is known about an invocation after its last entry. `ongoing`: it is in that status now. `continues`: its next change is after the window.",
});
export type Afterwards = z.infer<typeof Afterwards>;

export const TimelineInvocation = z
  .object({
    invocation_id: z.string(),
    task_id_key: taskIdKey.nullable(),
    parent_invocation_id: z.string().nullable(),
    parent_event_id: z.string().nullable().describe("The event that its definition names as its cause."),
    origin: z.string().optional().describe("What started it, in words: its lane. Only where lanes are causes."),
    workflow_root: z.boolean().describe("It defines a workflow run."),
    arguments: z.string().nullable().describe("Its arguments on one line, cut to a few words; null where not stored."),
    exception: ExceptionLine.nullable().describe(
      "Of one whose last entry here is `failed`; null where none is stored.",
    ),
    entries: z
      .array(TimelineEntry)
      .describe(
        "In the order in which the statuses were entered. The first may lie before the window: the status that the invocation was in when the window began.",
      ),
    afterwards: Afterwards,
  })
  .meta({ id: "TimelineInvocation" });
export type TimelineInvocation = z.infer<typeof TimelineInvocation>;

export const TimelineRunner = z
  .object({
    runner_id: z.string(),
    runner_cls: z.string().nullable().describe("Null where no context is stored under the id."),
    hostname: z.string().nullable(),
    pid: z.int().nullable(),
    thread_id: z.int().nullable(),
    parent_runner_id: z.string().nullable(),
    busy_seconds: seconds
      .nullable()
      .describe(
        "Seconds of the window in which it executed at least one invocation; 0 for a runner that was there and executed none. Null where that is not known, for code outside of runners, and for runners that leave the work to their children.",
      ),
    silent_seconds: seconds
      .nullable()
      .describe("How long it has been silent, where it still holds an invocation of the window; otherwise null."),
  })
  .meta({ id: "TimelineRunner" });
export type TimelineRunner = z.infer<typeof TimelineRunner>;

export const TimelineEvent = EventHead.meta({ id: "TimelineEvent" });
export type TimelineEvent = z.infer<typeof TimelineEvent>;

export const TimelineCause = z
  .object({
    kind: z
      .enum(["event", "status", "result", "exception", "cron"])
      .nullable()
      .describe("event, status, result, exception or cron; null for a context class that is not known."),
    event_id: z.string().nullable(),
    source_invocation_id: z.string().nullable(),
    timestamp: instant.nullable(),
  })
  .meta({ id: "TimelineCause", description: "What took part in a trigger run." });

export const TimelineTriggerRun = z
  .object({
    trigger_run_id: z.string(),
    task_id_key: taskIdKey.describe("The task that was started."),
    claimed_at: instant.nullable(),
    executed_at: instant.nullable(),
    triggered_invocation_id: z.string().nullable(),
    atomic_service_run_id: z.string().nullable(),
    atomic_service_runner_id: z.string().nullable(),
    causes: z.array(TimelineCause),
  })
  .meta({ id: "TimelineTriggerRun" });
export type TimelineTriggerRun = z.infer<typeof TimelineTriggerRun>;

export const TimelineServiceRun = z
  .object({
    atomic_service_run_id: z.string(),
    runner_id: z.string(),
    start_time: instant,
    end_time: instant.nullable().describe("Null while it runs."),
    status: statusWord,
  })
  .meta({ id: "TimelineServiceRun", description: "A run of the atomic service." });
export type TimelineServiceRun = z.infer<typeof TimelineServiceRun>;

export const TimelineDensity = z
  .object({
    counted: z
      .object({ from: instant, to: instant })
      .nullable()
      .describe(
        "Only changes of this time are counted: in the rest there are too many to read, and the figures over time do not have them. Null: every change is counted.",
      ),
    from: instant.describe(
      "The beginning of the first slice. The first and the last slice may reach beyond the window.",
    ),
    whole: z
      .boolean()
      .describe("Whether the first and the last slice count all that is in them. False: only what is in the window."),
    slice_seconds: seconds.describe("Length of a slice."),
    slices: z.int().describe("Number of slices, all of one length."),
    totals: z.array(z.int()).describe("Changes in each slice."),
    rows: z
      .array(
        z.object({
          runner_id: z.string().nullable(),
          task_id_key: taskIdKey
            .nullable()
            .describe(
              "Null where rows are grouped by runner; where lanes are causes, the `origin` of the invocations.",
            ),
          status: statusWord,
          counts: z.array(z.int()),
        }),
      )
      .describe("By runner, task or cause, as requested. For each slice, `counts` add up to `totals`."),
    busy: z
      .array(
        z.object({
          runner_id: z.string().nullable(),
          task_id_key: taskIdKey.nullable(),
          busy_seconds: z.array(seconds),
          silent: z.int().describe("Invocations that a silent runner holds: time in which nothing is executed."),
        }),
      )
      .nullable()
      .describe(
        "Of the same runners or tasks: seconds of each slice in which they executed an invocation, added up over invocations; those that are drawn included. Null where that is not known.",
      ),
  })
  .meta({
    id: "TimelineDensity",
    description:
      "Status changes that are not drawn one by one, counted by runner or task, status and slice of the window. In a window with too many of them to follow, all are counted, those of invocations that are drawn because they are active included.",
  });
export type TimelineDensity = z.infer<typeof TimelineDensity>;

export const TimelineEventCounts = z
  .object({
    from: instant.describe(
      "The beginning of the first slice. The first and the last slice may reach beyond the window, and count what is in it.",
    ),
    slice_seconds: seconds.describe("Length of a slice."),
    slices: z.int().describe("Number of slices, all of one length."),
    totals: z.array(z.int()).describe("Events in each slice."),
    cap: z.int().describe("Upper limit of a count: a slice that reached it may have more."),
  })
  .meta({ id: "TimelineEventCounts", description: "All events of a window, counted over time." });
export type TimelineEventCounts = z.infer<typeof TimelineEventCounts>;

export const TimelineOccupancy = z
  .object({
    categories: z.array(z.string()).describe("The categories that are counted: registered, pending, running."),
    from: instant.describe(
      "The beginning of the first slice. Slices begin at multiples of their length, so the first and the last may reach beyond the window.",
    ),
    slice_seconds: seconds.describe("Length of a slice."),
    slices: z.int().describe("Those up to the present."),
    totals: z
      .array(z.int().nullable())
      .describe(
        "Invocations in one of the categories in each slice: what `totals_are` says. Null where that is not known.",
      ),
    totals_are: z
      .enum(["at_once", "within"])
      .describe(
        "`at_once`: the most at once, each invocation counted once. `within`, where a window is counted by minutes: all that were in a category at any time of the slice, once in each category.",
      ),
    waiting: z
      .array(z.int().nullable())
      .nullable()
      .describe(
        "Invocations of all tasks that waited for a runner, in each slice. Null with a filter, of a single task, and where it is not known.",
      ),
    waiting_is: z
      .enum(["most", "at_end"])
      .describe("Which number of a slice `waiting` is: the most at once, or as the overview counts them, at its end."),
    waiting_last: z.int().nullable().describe("How many waited at the end of the window, or now."),
    waiting_unknown: z.string().nullable().describe("Why `waiting` is null, in a few words; null if it is not."),
    groups: z
      .array(z.object({ category: z.string(), counts: z.array(z.int().nullable()) }))
      .describe("The same by category: these add up to `totals`."),
    tasks: z
      .array(z.object({ task_id_key: taskIdKey.nullable(), counts: z.array(z.int().nullable()) }))
      .describe("The tasks with the most, then `null` for all others together: these add up to `totals`."),
  })
  .meta({
    id: "TimelineOccupancy",
    description:
      "How many invocations were registered, pending or running in each slice; with a filter, and where `waiting` is null, of those that changed in the window or that a runner held all through it.",
  });
export type TimelineOccupancy = z.infer<typeof TimelineOccupancy>;

const counted = z.record(z.string(), z.int()).describe("Status changes by the status that was entered.");

export const TimelineInCounts = z
  .object({
    start: instant,
    end: instant,
    at: instant.nullable().describe("The instant whose state is counted; null for the present."),
    group: z.enum(LANES).describe("What a lane is."),
    from: instant.describe("When the first slice begins. The first and the last may reach beyond the window."),
    slice_seconds: seconds.describe("Length of a slice."),
    changes: counted,
    totals: z.array(z.int()).describe("Status changes in each slice."),
    failed: z.array(z.int()).describe("How many of them are failures."),
    counted: z
      .object({ from: instant, to: instant })
      .nullable()
      .describe("Only changes of this time are counted; null: of the whole window."),
    lanes: z
      .array(
        z.object({
          runner_id: z.string().nullable(),
          task_id_key: taskIdKey.nullable(),
          runner_cls: z.string().nullable(),
          hostname: z.string().nullable(),
          changes: counted,
          totals: z.array(z.int()),
          busy_seconds: seconds.nullable().describe("Of executions, added up; null where not known."),
        }),
      )
      .describe("Each runner or task with changes, the most first."),
    invocations: z.int().nullable().describe("With a status in the window; null where they were not counted."),
    events: z.int(),
    trigger_runs: z.int(),
    data_span: z.object({ first: instant, last: instant }).nullable().describe("First and last change of the app."),
    notes: z.array(z.string()),
  })
  .meta({ id: "TimelineInCounts", description: "Status changes of a window, counted by slice and by runner or task." });
export type TimelineInCounts = z.infer<typeof TimelineInCounts>;

export const DrawnCount = z.object({ total: z.int(), capped: z.boolean(), drawn: z.int() }).meta({ id: "DrawnCount" });
export type DrawnCount = z.infer<typeof DrawnCount>;

export const TimelineCounts = z
  .object({
    changes: z
      .object({ total: z.int(), drawn: z.int(), exact: z.boolean() })
      .describe("Status changes in the window, and those of them that are drawn one by one."),
    invocations: z
      .object({ total: z.int().nullable(), drawn: z.int() })
      .describe("Invocations with a status in the window; null where they were not counted."),
    events: DrawnCount.describe("Each `total` is a lower bound where it was `capped`: counting stopped there."),
    trigger_runs: DrawnCount,
    atomic_service_runs: DrawnCount,
  })
  .meta({ id: "TimelineCounts", description: "How many of how many are drawn." });
export type TimelineCounts = z.infer<typeof TimelineCounts>;

export const TimelineData = z
  .object({
    start: instant,
    end: instant,
    now: instant.describe("The present, or the instant that is shown; bars of ongoing statuses end here."),
    invocations: z.array(TimelineInvocation),
    runners: z.array(TimelineRunner),
    events: z.array(TimelineEvent),
    trigger_runs: z.array(TimelineTriggerRun),
    atomic_service_runs: z.array(TimelineServiceRun),
    density: TimelineDensity.nullable().describe("Null when every status change is drawn."),
    event_counts: TimelineEventCounts.nullable().describe(
      "Set if there are too many events to draw each; `events` then has only the focused one. Otherwise null.",
    ),
    occupancy: TimelineOccupancy.nullable().describe(
      "Null where it is not known: a part of the history has not been read yet, was purged, or figures over time are switched off.",
    ),
    counts: TimelineCounts,
  })
  .meta({ id: "TimelineData" });
export type TimelineData = z.infer<typeof TimelineData>;

export const TimelineMoves = z
  .object({
    earlier: WindowQuery,
    later: WindowQuery,
    zoom_in: WindowQuery,
    zoom_out: WindowQuery,
    all: WindowQuery.nullable().describe("All that is stored; null when nothing is."),
    latest: WindowQuery.nullable().describe("A window of the same length that ends with the latest status change."),
  })
  .meta({ id: "TimelineMoves", description: "Other windows that one can go to from this one." });
export type TimelineMoves = z.infer<typeof TimelineMoves>;

export const TimelineOptions = z
  .object({
    group: z.enum(LANES).describe("What a lane is."),
    collapse_external: z.boolean(),
    show_system: z.boolean(),
    show_atomic_service: z.boolean(),
    limit: z.int().describe("Invocations drawn one by one at most; the rest is counted."),
    open: z
      .array(z.string())
      .describe("Runners or tasks whose lanes were opened, `*` for all: they have bars even if those are short."),
    selected: z.string().nullable().describe("The selected invocation."),
    focus_event: z.string().nullable().describe("The focused event."),
    categories: z.array(z.string()).describe("Categories of the occupancy."),
  })
  .meta({ id: "TimelineOptions" });
export type TimelineOptions = z.infer<typeof TimelineOptions>;

export const Timeline = TimelineData.extend({
  preset: z.string().nullable().describe("The preset that the window is, when it is one."),
  at: instant
    .nullable()
    .describe("The instant as of which invocations, events and runs are shown; null for the present."),
  filter: InvocationFilter,
  options: TimelineOptions,
  filtered: z.boolean().describe("A filter restricts the invocations of the window."),
  data_span: z
    .object({ first: instant, last: instant })
    .nullable()
    .describe(
      "First and last status change of the app: where there is something to see. Null when there is none at all.",
    ),
  critical_path: CriticalPath.nullable().describe(
    "Of the selected invocation, else of the workflow run of the filter. Null without one, as of an instant, and where nothing is known about its time.",
  ),
  moves: TimelineMoves,
  unrecorded: z.string().nullable().describe("Why no events are shown; null where the store records them."),
  notes: z.array(z.string()).describe("Sentences about what is left out or grouped."),
}).meta({ id: "Timeline", description: "Status changes, events and trigger runs in a window of time." });
export type Timeline = z.infer<typeof Timeline>;
