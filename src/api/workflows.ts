/** Workflow types and runs. */
import { z } from "zod";
import { instant, PageInfo, TimelineQuery } from "./model/common.ts";
import { InvocationRow } from "./model/invocation-rows.ts";
import { ShownArguments, ShownException, ShownValue } from "./model/values.ts";
import { TaskStatusCount } from "./tasks.ts";

export const WorkflowTypeCount = z
  .object({ workflow_type_key: z.string(), runs: z.int() })
  .meta({ id: "WorkflowTypeCount", description: "A workflow type with the number of runs that started." });
export type WorkflowTypeCount = z.infer<typeof WorkflowTypeCount>;

export const WorkflowRunRow = z
  .object({
    workflow_id: z.string(),
    workflow_type_key: z.string(),
    invocation: InvocationRow.describe("The defining invocation: its id is the workflow's."),
    parent_workflow_id: z.string().nullable(),
    parent_workflow_type_key: z.string().nullable(),
    members_count: z.int().describe("Invocations of the run, without the defining one."),
    members_capped: z.boolean().describe("There may be more members."),
    data_rows: z.int().nullable().describe("Null while a store that has just been opened is still counting."),
  })
  .meta({ id: "WorkflowRunRow" });
export type WorkflowRunRow = z.infer<typeof WorkflowRunRow>;

export const WorkflowStep = InvocationRow.extend({
  result: z
    .string()
    .nullable()
    .describe(
      "The beginning of its result on one line, `(client data)` where it is kept there; null where none is stored.",
    ),
  starts_run: z.boolean().describe("It is the defining invocation of a run inside this one."),
}).meta({ id: "WorkflowStep", description: "An invocation of a workflow run." });
export type WorkflowStep = z.infer<typeof WorkflowStep>;

export const WorkflowCall = WorkflowStep.extend({
  began_at: instant.nullable().describe("When its code first ran; null if it has not, or if that is not stored."),
}).meta({ id: "WorkflowCall", description: "A step of a workflow run: an invocation that the run itself called." });
export type WorkflowCall = z.infer<typeof WorkflowCall>;

export const WorkflowTypeRow = z
  .object({
    workflow_type_key: z.string(),
    module: z.string().nullable(),
    function: z.string().nullable(),
    runs: z.int(),
    statuses: z
      .array(TaskStatusCount)
      .nullable()
      .describe(
        "Invocations of the task that defines it, by status: those that define runs and the calls of the task inside runs. Null while a store that has just been opened is still counting.",
      ),
    latest: WorkflowRunRow.nullable(),
  })
  .meta({ id: "WorkflowTypeRow" });
export type WorkflowTypeRow = z.infer<typeof WorkflowTypeRow>;

export const WorkflowTypeList = z
  .object({ types: z.array(WorkflowTypeRow) })
  .meta({ id: "WorkflowTypeList", description: "Workflow types with the number of their runs." });
export type WorkflowTypeList = z.infer<typeof WorkflowTypeList>;

export const WorkflowRunList = z
  .object({ workflow_type_key: z.string().nullable(), runs: z.array(WorkflowRunRow), page: PageInfo })
  .meta({ id: "WorkflowRunList", description: "Workflow runs, newest first." });
export type WorkflowRunList = z.infer<typeof WorkflowRunList>;

export const WorkflowDataRow = z
  .object({
    data_key: z.string(),
    purpose: z.string().nullable().describe("What pynenc uses the key for; null for the user's own keys."),
    value: ShownValue,
    invocation_id: z.string().nullable().describe("The invocation that a `task_invocation:` key points to."),
  })
  .meta({ id: "WorkflowDataRow" });
export type WorkflowDataRow = z.infer<typeof WorkflowDataRow>;

export const WorkflowRunDetail = z
  .object({
    run: WorkflowRunRow,
    ...ShownArguments.shape,
    result: ShownValue.nullable().describe("Of the defining invocation, and so of the run."),
    result_raw: z.string().nullable(),
    exception: ShownException.nullable(),
    exception_raw: z.string().nullable(),
    steps: z
      .array(WorkflowCall)
      .describe("What the defining invocation called, in that order; at most 50. Sub-workflows are included."),
    steps_more: z.boolean().describe("It called more than these."),
    members: z.array(WorkflowStep),
    members_page: PageInfo,
    sub_workflows: z.array(WorkflowRunRow),
    data: z.array(WorkflowDataRow),
    data_page: PageInfo,
    timeline: TimelineQuery.nullable().describe(
      "The run and the members of this page on a time line; null when none of them has a time.",
    ),
  })
  .meta({ id: "WorkflowRunDetail", description: "One workflow run with its members and data." });
export type WorkflowRunDetail = z.infer<typeof WorkflowRunDetail>;

export const WorkflowDebug = z
  .object({ app_id: z.string(), tasks: z.array(z.string()), types: z.array(WorkflowTypeCount), runs: z.int() })
  .meta({ id: "WorkflowDebug", description: "What workflows are made from, for development." });
export type WorkflowDebug = z.infer<typeof WorkflowDebug>;
