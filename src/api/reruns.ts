/** Answers of reruns, of one invocation and of many. */
import { z } from "zod";
import { ActionOutcome, AliveRunners, RouteGroup, ShownRoute } from "./actions.ts";
import { PageInfo, taskIdKey } from "./model/common.ts";
import { InvocationFilter, InvocationRow } from "./model/invocation-rows.ts";

export const ControlTold = z.enum(["some", "none_at_registration", "unknown"]).meta({
  id: "ControlTold",
  description:
    "What earlier calls of a task reveal about its concurrency control, which is set in code and stored nowhere. - `some`: pynenc indexed the arguments of the newest call, so the task has control at registration, while running, or both. - `none_at_registration`: pynenc left them unindexed. Waiting calls are then not checked, but running ones may be: calls made in a batch (`parallelize`) are never indexed, and only control at registration forbids batches. - `unknown`: no stored call shows it. Calls without arguments never do.",
});

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
  rerun_as: z.string().nullable().describe("What it was last registered again as, according to the record of actions."),
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
  invocation_ids: z
    .array(z.string())
    .describe("Those that were registered again, in the order of `new_invocation_ids`."),
  new_invocation_ids: z.array(z.string()),
  routes: z.array(RouteGroup).describe("Where their messages went; empty if the only queue has no name."),
  unqueued_invocation_ids: z
    .array(z.string())
    .describe("New invocations without a message in the queue, so no runner executes them."),
  stopped: z.string().nullable().describe("Why it ended before all were processed, or null."),
}).meta({ id: "RerunManyOutcome", description: "Which calls were registered again." });
export type RerunManyOutcome = z.infer<typeof RerunManyOutcome>;
