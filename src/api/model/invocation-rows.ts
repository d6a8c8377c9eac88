/** Invocations as rows of lists. */
import { z } from "zod";
import { callIdKey, instant, seconds, statusWord, taskIdKey } from "./common.ts";

export const StatusSource = z.enum(["orchestrator", "history", "none"]).meta({
  id: "StatusSource",
  description:
    "Where a status is from. `history`: the orchestrator has no status of it, and the last history entry speaks; `none`: nothing is known.",
});
export type StatusSource = z.infer<typeof StatusSource>;

export const DurationMeaning = z.enum(["took", "took_at_least", "never_ran", "waiting", "so_far"]).meta({
  id: "DurationMeaning",
  description:
    "What the duration is the time of. `so_far` and `waiting` count until now. `took_at_least`: the clocks of its hosts disagree, so only what was measured by one clock is counted.",
});
export type DurationMeaning = z.infer<typeof DurationMeaning>;

export const ExceptionLine = z
  .object({
    type: z.string().describe("Class name."),
    message: z.string().nullable().describe("First line of its message, cut; null where it cannot be read."),
    cut: z
      .literal(true)
      .optional()
      .describe(
        "Only the beginning of the stored exception was read. If its message lies beyond that, this is the first of its arguments.",
      ),
  })
  .meta({ id: "ExceptionLine", description: "A stored exception on one line." });
export type ExceptionLine = z.infer<typeof ExceptionLine>;

export const InvocationRow = z
  .object({
    invocation_id: z.string(),
    task_id_key: taskIdKey
      .nullable()
      .describe(
        "Null when neither orchestrator nor state backend knows the invocation: only a reference to it is left.",
      ),
    call_id_key: callIdKey.nullable(),
    status: statusWord,
    status_source: StatusSource,
    final: z.boolean(),
    retry_count: z
      .int()
      .nullable()
      .describe("Null where the orchestrator does not know the invocation, or this layout does not store it."),
    registered_at: instant.nullable(),
    status_at: instant.nullable().describe("Latest status change."),
    duration_seconds: seconds
      .nullable()
      .describe("Registration to the final status; null while it has none, and where the registration is not known."),
    duration_at_least: z
      .literal(true)
      .optional()
      .describe(
        "It took at least `duration_seconds`: the clocks of its hosts disagree, so only what was measured by one clock is counted.",
      ),
    owner_runner_id: z.string().nullable().describe("Runner that owns it now: pending, running or paused."),
    parent_invocation_id: z.string().nullable(),
    workflow_id: z.string().nullable(),
    arguments: z
      .string()
      .nullable()
      .describe(
        "Its arguments on one line, shortened, external values not loaded; null if its definition is not stored.",
      ),
    exception: ExceptionLine.nullable().describe("Of a failed one; null where none is stored."),
  })
  .meta({ id: "InvocationRow", description: "One line of any list of invocations." });
export type InvocationRow = z.infer<typeof InvocationRow>;

export const InvocationSummary = z
  .object({
    invocation_id: z.string(),
    task_id_key: taskIdKey.nullable(),
    func_name: z.string().nullable(),
    status: statusWord,
    status_source: StatusSource,
    duration_seconds: seconds.nullable(),
    duration_at_least: z.literal(true).optional(),
  })
  .meta({
    id: "InvocationSummary",
    description: "A reference to an invocation, with the keys of pynenc's own monitor.",
  });
export type InvocationSummary = z.infer<typeof InvocationSummary>;

export const InvocationCondition = z
  .object({
    field: z.enum([
      "id",
      "task",
      "status",
      "call",
      "workflow",
      "type",
      "parent",
      "exception",
      "error",
      "arg",
      "text",
      "run",
      "wait",
      "retries",
      "has",
      "is",
    ]),
    path: z.string().nullable().describe("Name of an argument, with the names of members below it behind dots."),
    comparison: z.enum([":", ">", ">=", "<", "<="]),
    values: z
      .array(z.union([z.string(), z.number()]))
      .describe("Any of them does. Numbers, seconds where they are times, where sizes are compared; else texts."),
    negated: z.boolean(),
    as_of: instant.describe("Time of the answer; anything still running is measured up to it."),
    text: z.string().describe("The term as it was written."),
  })
  .meta({ id: "InvocationCondition", description: "One term of a query that no index of a store answers." });
export type InvocationCondition = z.infer<typeof InvocationCondition>;

export const InvocationFilter = z
  .object({
    statuses: z.array(statusWord).describe("Stored spelling; any of them."),
    status_mode: z
      .enum(["current", "history"])
      .describe(
        "Whether the status meant is that of now, or one of the history: with a window of time, an entry in it.",
      ),
    task_id_key: taskIdKey.nullable(),
    call_id_key: callIdKey.nullable(),
    workflow_id: z.string().nullable(),
    workflow_type_key: z.string().nullable(),
    runner_id: z
      .string()
      .nullable()
      .describe("Runner that worked on it: owned it while it was pending, running or paused."),
    registered_by: z.string().nullable().describe("Runner, or process outside of any, that registered it."),
    parent_invocation_id: z.string().nullable(),
    id_prefix: z.string().nullable(),
    from: instant
      .nullable()
      .describe(
        "Invocations with a history entry that was written in this window; with a runner, with one that says what it did.",
      ),
    to: instant.nullable(),
    invocation_ids: z.array(z.string()).describe("Exactly these invocations."),
    conditions: z
      .array(InvocationCondition)
      .describe("All of these too: what a query asks for beyond the members above."),
    query: z.array(z.string()).describe("Terms of the query as written; the other members hold what they mean."),
  })
  .meta({
    id: "InvocationFilter",
    description: "What a list is restricted to; null and empty members do not restrict.",
  });
export type InvocationFilter = z.infer<typeof InvocationFilter>;
