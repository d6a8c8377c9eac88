/** Tasks and their calls. */
import { z } from "zod";
import { callIdKey, instant, PageInfo, statusWord, taskIdKey } from "./model/common.ts";
import { InvocationRow } from "./model/invocation-rows.ts";
import { ShownArguments } from "./model/values.ts";
import { Lately, latelyNote, Trends } from "./stats.ts";
import { TASK_ORDERS } from "./words.ts";

export const TaskStatusCount = z.object({ status: statusWord, count: z.int() }).meta({ id: "TaskStatusCount" });
export type TaskStatusCount = z.infer<typeof TaskStatusCount>;

export const TaskRow = z
  .object({
    task_id_key: taskIdKey,
    module: z.string().nullable(),
    function: z.string().nullable(),
    core: z.boolean().describe("One of pynenc's own recovery tasks."),
    invocations_count: z.int().nullable().describe("Null while they are still being counted."),
    statuses: z
      .array(TaskStatusCount)
      .describe("Statuses that occur, in the order of an invocation's life; none while `invocations` is null."),
    triggers: z.int().describe("Triggers that start the task."),
    last_activity: instant.nullable(),
  })
  .meta({ id: "TaskRow" });
export type TaskRow = z.infer<typeof TaskRow>;

export const TaskList = z
  .object({
    filter: z.object({ name: z.string().nullable(), sort: z.enum(TASK_ORDERS) }).describe("What was asked for."),
    tasks: z.array(TaskRow),
    total: z.int().describe("All tasks of the store, ignoring the name filter."),
    trends: Trends.nullable().describe(
      "Null where figures over time are switched off, while the last hour has not been read, and in the answer of a command.",
    ),
    notes: z.array(z.string()).describe("When some tasks are known from definitions or triggers alone."),
  })
  .meta({ id: "TaskList", description: "Tasks with their invocations by status." });
export type TaskList = z.infer<typeof TaskList>;

export const CallRow = z
  .object({
    call_id_key: callIdKey,
    arguments_id: z.string(),
    invocations_count: z.int().describe("Among the newest invocations looked at."),
    latest_invocation_id: z.string(),
    arguments_preview: z
      .string()
      .nullable()
      .describe("The arguments on one line, cut; null when no definition of the call is stored."),
  })
  .meta({ id: "CallRow" });
export type CallRow = z.infer<typeof CallRow>;

export const TaskDetail = z
  .object({
    task: TaskRow,
    calls: z.array(CallRow).describe("The latest distinct calls among the newest invocations, at most 50."),
    calls_count: z.int().describe("Distinct calls found; `calls` may be fewer."),
    calls_from: z.int().describe("How many of the newest invocations the calls were collected from."),
    invocations: z.array(InvocationRow),
    page: PageInfo,
    lately: Lately.nullable().describe(
      "Null where figures over time are switched off, while the last hour has not been read, and in the answer of a command.",
    ),
    lately_note: latelyNote,
    notes: z.array(z.string()),
  })
  .meta({ id: "TaskDetail", description: "One task with its calls and invocations." });
export type TaskDetail = z.infer<typeof TaskDetail>;

export const CallDetail = ShownArguments.extend({
  call_id_key: callIdKey,
  task_id_key: taskIdKey,
  module: z.string().nullable(),
  function: z.string().nullable(),
  arguments_id: z.string(),
  arguments_stored: z.boolean().describe("False when no definition of the call is stored any more."),
  invocations: z.array(InvocationRow),
  page: PageInfo,
}).meta({ id: "CallDetail", description: "One call with its arguments and invocations." });
export type CallDetail = z.infer<typeof CallDetail>;
