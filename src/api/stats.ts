/** Counts and durations over time. */
import { z } from "zod";
import { instant, seconds, taskIdKey } from "./model/common.ts";
import { FAILURE_GROUPS, STATS_GROUPS, STATS_ORDERS } from "./words.ts";

/** The range of the figures. */
const range = {
  from: instant.describe("Start of the first full minute (for more than two days: full hour) that is counted."),
  to: instant.describe("End of the last one, exclusive."),
  reach: instant.nullable().describe("Everything since then has been read; null while not known, and if all was read."),
  complete: z.boolean().describe("False while part of the range has not been read yet: figures are too low then."),
};

export const DurationFigures = z
  .object({
    count: z.int(),
    p50_seconds: seconds.nullable(),
    p95_seconds: seconds.nullable(),
    p99_seconds: seconds.nullable(),
    max_seconds: seconds.nullable(),
  })
  .meta({
    id: "DurationFigures",
    description:
      "Quantiles (nearest rank) of durations in seconds, accurate to within 1 %, and the exact maximum; null if there are none.",
  });

export const StatsFigures = z
  .object({
    registered: z.int(),
    started: z.int().describe("Number of runs that began; one invocation may run several times."),
    finished: z.int().describe("Invocations that became final."),
    failed: z.int(),
    retries: z.int(),
    reroutes: z.int().describe("How often invocations were put back into the queue."),
    killed: z.int(),
    failed_share: z.number().nullable().describe("Share of the finished ones; null if none finished."),
    per_minute: z.number().describe("Finished per minute of the elapsed part of the range."),
    wait: DurationFigures.describe(
      "From registration, or from being put back into the queue, to running. None by runner and host.",
    ),
    run: DurationFigures.describe("From running to success, failure or retry, without pauses; each attempt counts."),
    busy_seconds: seconds.describe("In `running`, of runs and parts of runs that ended in the range."),
    paused_seconds: seconds.describe("In `paused`, of pauses that ended in the range."),
  })
  .meta({ id: "StatsFigures" });
export type StatsFigures = z.infer<typeof StatsFigures>;

export const StatsRow = StatsFigures.extend({
  task_id_key: taskIdKey.nullable().exactOptional().describe("Null for invocations without a stored definition."),
  runner_id: z.string().nullable().exactOptional(),
  host: z.string().nullable().exactOptional().describe("Null for runners without a stored context."),
  before: StatsFigures.nullable().describe("The same figures for the other range; null if nothing is compared."),
}).meta({ id: "StatsRow", description: "The figures of one task, runner or host." });
export type StatsRow = z.infer<typeof StatsRow>;

export const ExceptionStatsRow = z
  .object({
    exception: z.string().nullable().describe("Class name; null if no exception is stored, as for a retry."),
    failed: z.int(),
    retries: z.int(),
    tasks: z.int().describe("Tasks that it occurred in."),
    before: z.object({ failed: z.int(), retries: z.int() }).nullable(),
  })
  .meta({ id: "ExceptionStatsRow" });
export type ExceptionStatsRow = z.infer<typeof ExceptionStatsRow>;

export const StatsSlice = z
  .object({
    from: instant,
    registered: z.int(),
    finished: z.int(),
    failed: z.int(),
    retries: z.int(),
    wait_p95_seconds: seconds.nullable(),
    run_p50_seconds: seconds.nullable(),
    run_p95_seconds: seconds.nullable(),
    queued: z.int().nullable().describe("Invocations waiting for a runner at the end of the slice; null if not known."),
    running: z.int().nullable().describe("Invocations running at the end of the slice; null if not known."),
  })
  .meta({ id: "StatsSlice" });
export type StatsSlice = z.infer<typeof StatsSlice>;

export const DurationMap = z
  .object({
    bounds_seconds: z.array(seconds).describe("Lower bounds of the duration ranges, ascending."),
    end_seconds: seconds.describe("Upper bound of the last range."),
    counts: z.array(z.array(z.int())).describe("By slice, then by range."),
  })
  .meta({ id: "DurationMap", description: "How long runs took over time." });
export type DurationMap = z.infer<typeof DurationMap>;

export const Stats = z
  .object({
    ...range,
    filter: z.object({
      by: z.enum(STATS_GROUPS),
      sort: z.enum(STATS_ORDERS),
      task_id_key: taskIdKey.nullable(),
      runner_id: z.string().nullable(),
      compare: z.string().nullable(),
    }),
    entries: z.int().describe("History entries written in the range, of any status."),
    total: StatsFigures,
    compared: z
      .object({ from: instant, to: instant, complete: z.boolean(), total: StatsFigures })
      .nullable()
      .describe("The range of `before`; null if nothing is compared."),
    slice_seconds: seconds.describe("Length of a slice."),
    slices: z.array(StatsSlice).describe("Of equal length, in order of time; the last one may be shorter."),
    durations: DurationMap.nullable().describe("Null unless one task or runner is requested."),
    rows: z.array(z.union([StatsRow, ExceptionStatsRow])),
    rows_total: z.int().describe("Total number of rows; the first are listed."),
    newest: instant.nullable().describe("When the newest history entry was written; null if there is none."),
    notes: z.array(z.string()),
  })
  .meta({ id: "Stats", description: "Counts and durations of a range of time, by task, runner, host or exception." });
export type Stats = z.infer<typeof Stats>;

export const FailureGroup = z
  .object({
    task_id_key: taskIdKey.nullable().describe("Null for several tasks, and if no definition is stored."),
    type: z.string().nullable().describe("Class of the exception; null if the cause is not stored, and for several."),
    message: z
      .string()
      .nullable()
      .describe(
        "With ids, numbers, paths, quoted values, addresses and dates replaced; null as `type`, and for several kinds of message.",
      ),
    other_messages: z
      .boolean()
      .describe("Its exception also came with other kinds of message, outside the range: `ever` is of all of them."),
    query: z
      .string()
      .nullable()
      .describe(
        "A search that finds its invocations, with its task and the range, and those whose message contains the same. Null as `type`, and where none failed for good.",
      ),
    count: z.int().describe("Entries `failed` and `retry`."),
    failed: z.int(),
    retries: z.int(),
    tasks: z.array(z.string()).describe("Tasks of the group."),
    causes: z
      .int()
      .describe("Number of different exceptions and kinds of message in the range, as far as they are stored."),
    share: z
      .number()
      .nullable()
      .describe(
        "Share of the failed ones among all that its tasks finished in the range; if none failed, of the retries among all ended runs. Null if there are none.",
      ),
    trend: z.array(z.int()).describe("Count by slice of the range."),
    first_seen: instant.nullable().describe("In the range."),
    last_seen: instant.nullable(),
    ever: z
      .object({
        failed: z.int(),
        retries: z.int(),
        first_seen: instant.nullable(),
        complete: z
          .boolean()
          .describe("All of the stored history was read; otherwise there may be more, and earlier ones."),
      })
      .describe("The same group over all that was read, not only the range."),
    runners: z
      .array(z.object({ runner_id: z.string(), examples: z.int() }))
      .describe("Runners of the examples, the most frequent first."),
    same_arguments: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .describe("Arguments with the same value in all examples, if there are three or more."),
    stands_out: z
      .array(
        z.object({
          kind: z.enum(["argument", "runner"]),
          name: z.string().nullable().describe("Name of the argument; null for runners."),
          value: z.string().describe("Value of the argument on one line, or the id of the runner."),
          failures: z.int().describe("How many of the examined failures have it."),
          failures_looked_at: z.int(),
          successes: z.int(),
          successes_looked_at: z.int(),
        }),
      )
      .describe(
        "What is more frequent in a sample of the failures than in a sample of successes of the same task at about the same time, if chance is an unlikely explanation; at most 3. Empty for groups of several tasks, for all but the 20 most frequent groups, and in `Recent`.",
      ),
    invocation_ids: z.array(z.string()).describe("The examples: the newest failures of the range, newest first."),
  })
  .meta({ id: "FailureGroup", description: "Failures with one task and exception, or whatever `by` groups them by." });
export type FailureGroup = z.infer<typeof FailureGroup>;

export const Failures = z
  .object({
    ...range,
    filter: z.object({ by: z.enum(FAILURE_GROUPS), task_id_key: taskIdKey.nullable() }),
    slice_seconds: seconds,
    groups: z.array(FailureGroup).describe("The most frequent first."),
    groups_total: z.int().describe("Total number of groups; the first are listed."),
    groups_failed: z.int().describe("Those of them with failures; the others were only retried."),
    total: z.int().describe("Entries `failed` and `retry` in the range."),
    newest: instant.nullable().describe("When the newest history entry was written; null if there is none."),
    notes: z.array(z.string()),
  })
  .meta({
    id: "Failures",
    description: "Failures and retries of a range of time, grouped by what they have in common.",
  });
export type Failures = z.infer<typeof Failures>;

export const Trends = z
  .object({
    from: instant,
    to: instant,
    slice_seconds: seconds,
    notes: z.array(z.string()),
    rows: z
      .array(
        z.object({
          task_id_key: taskIdKey,
          finished: z.array(z.int()).describe("Invocations that became final, by slice."),
          failed: z.array(z.int()).describe("Those of them that failed."),
        }),
      )
      .describe("Tasks that finished anything in the range."),
    first_failures: z
      .array(z.object({ task_id_key: taskIdKey, at: instant }))
      .describe("The first failure known of each task, whatever the range."),
  })
  .meta({ id: "Trends", description: "What tasks finished in the range of the page, the last hour by default." });
export type Trends = z.infer<typeof Trends>;

export const BusyRunners = z
  .object({
    from: instant,
    to: instant,
    slice_seconds: seconds,
    rows: z
      .array(
        z.object({
          runner_id: z.string(),
          running: z.array(z.int()).describe("Invocations it had running at any time during each slice."),
        }),
      )
      .describe("The runners of the list, unless there are too many to count separately."),
  })
  .meta({ id: "BusyRunners", description: "What runners ran in the range of the page, the last hour by default." });
export type BusyRunners = z.infer<typeof BusyRunners>;

export const Lately = Stats.pick({
  from: true,
  to: true,
  newest: true,
  notes: true,
  entries: true,
  total: true,
  slice_seconds: true,
  slices: true,
  durations: true,
})
  .extend({
    failing_since: instant
      .nullable()
      .describe(
        "The first failure known, whatever the range. Null if there is none, or retries cannot be told from it.",
      ),
    last_failed: instant.nullable().describe("The last failure known, whatever the range. Null as `failing_since`."),
  })
  .meta({
    id: "Lately",
    description:
      "Figures of one task or the whole app in the range of the page, the last hour by default, or of one runner.",
  });
export type Lately = z.infer<typeof Lately>;

/** Members of the answer about a thing whose page has figures over time. */
export const latelyMembers = {
  lately: Lately.nullable().describe(
    "Null where figures over time are switched off, while the last hour has not been read, and in the answer of a command.",
  ),
  lately_note: z.string().nullable().describe("That the range is not read yet, as text; null otherwise."),
};

export const Recent = Stats.pick({
  from: true,
  to: true,
  complete: true,
  newest: true,
  notes: true,
  entries: true,
  total: true,
  slice_seconds: true,
  slices: true,
})
  .extend({
    tasks: z.array(StatsRow).describe("The first 5 of them, those that failed most first, unless asked otherwise."),
    groups: z.array(FailureGroup).describe("The 5 most frequent ones by default."),
    groups_failed: z.int().describe("Total number of groups with failures."),
  })
  .meta({ id: "Recent", description: "What happened in a range of time: the last hour by default." });
export type Recent = z.infer<typeof Recent>;
