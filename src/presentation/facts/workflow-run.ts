/** What is said of a run of a workflow. Its id is that of the invocation that defines it. */
import type { WorkflowRunDetail, WorkflowRunRow, WorkflowTypeRow } from "../../api/workflows.ts";
import { TERMS } from "../terms.ts";
import { count } from "../text.ts";
import { type Column, idColumn, type Part } from "./column.ts";
import { absent, type Fact, type FactGroup, type FactValue, fact, group, idOf, idOrNothing } from "./fact.ts";
import { detailsOf, type ListedInvocation, STEP_COLUMNS } from "./invocation.ts";

export function workflowRunFacts(model: WorkflowRunDetail): FactGroup[] {
  const { run } = model;
  const { invocation, workflow_type_key: type } = run;
  const { final, status_at, retry_count: retries, duration_seconds, duration_at_least } = invocation;
  return [
    group(
      "Run",
      fact("workflow_type", "Type", { task: type, to: { kind: "workflow_type", id: type } }),
      fact("invocation", "Defined by", { invocation }),
      fact("parent_run", "Parent run", parentRun(run) ?? absent("none")),
      ...failedStep(model),
    ),
    group(
      "Times",
      fact("registered_at", "Registered", { time: invocation.registered_at }),
      fact("status_at", final ? "Ended" : "In this status since", { time: status_at }),
      fact("duration_seconds", "Duration", { seconds: duration_seconds, at_least: duration_at_least }),
      fact("retry_count", "Retries", retries === 0 ? absent("0") : { count: retries }),
    ),
  ];
}

/** The first step that failed, and how many others did; of a run that failed by itself, that none did, if all of them are known to have ended otherwise. */
function failedStep({ run, steps, steps_more }: WorkflowRunDetail): Fact[] {
  const [first, ...others] = steps.filter(({ status }) => status === "failed");
  if (first === undefined) {
    const ended = steps.length > 0 && !steps_more && steps.every(({ final }) => final);
    const byItself = run.invocation.status === "failed" && ended;
    return byItself ? [fact("failed_step", "Failed step", "none")] : [];
  }
  const { invocation_id: id, task_id_key: task } = first;
  const named: FactValue[] = task === null ? [] : [{ task, to: null }];
  const more: FactValue[] = others.length === 0 ? [] : [`and ${count(others.length)} more`];
  return [fact("failed_step", "Failed step", { parts: [...named, idOf("invocation", id), ...more] })];
}

/** What the run called, in that order: what it did, and where it failed. */
export function stepsPart({ run, steps, steps_more }: WorkflowRunDetail): Part<ListedInvocation> {
  return {
    title: "Steps",
    total: { count: steps.length, capped: steps_more },
    caption: "What this run called, in the order of the calls",
    columns: STEP_COLUMNS,
    rows: steps,
    keyOf: (step) => step.invocation_id,
    hide: ["retry_count"],
    all: { label: "As a filtered list", to: { invocations: { parent: run.workflow_id } } },
    note: steps_more ? `Only the first ${steps.length} are shown.` : null,
  };
}

/** Whether the steps are all of its members: then a list of the members would say the same again. */
export function stepsAreMembers({ run, steps, steps_more, members, members_page }: WorkflowRunDetail): boolean {
  const ids = new Set(steps.map((step) => step.invocation_id));
  return (
    !steps_more &&
    !run.members_capped &&
    !members_page.has_next &&
    members_page.number === 1 &&
    members.every((member) => ids.has(member.invocation_id))
  );
}

/** The run that a sub-workflow was started from. */
function parentRun({ parent_workflow_id: id, parent_workflow_type_key: type }: WorkflowRunRow): FactValue {
  if (id === null) return null;
  const named: FactValue[] = type === null ? [] : [{ task: type, to: { kind: "workflow_type", id: type } }];
  return { parts: [idOf("workflow", id), ...named] };
}

export const WORKFLOW_RUN_COLUMNS: readonly Column<WorkflowRunRow>[] = [
  idColumn("workflow_id", "Run", "workflow", { id: true }),
  {
    of: ["workflow_type_key"],
    label: "Type",
    value: ({ workflow_type_key: task }) => ({ task, to: { kind: "workflow_type", id: task } }),
  },
  { of: ["status"], label: "Status", value: (run) => ({ status_of: run.invocation }) },
  {
    of: ["arguments", "exception"],
    label: "Details",
    hint: "The exception if it failed, otherwise the arguments",
    last: true,
    min: 16,
    optional: true,
    value: (run) => detailsOf(run.invocation),
  },
  { of: ["registered_at"], label: "Registered", value: (run) => ({ time: run.invocation.registered_at }) },
  {
    of: ["duration_seconds"],
    label: "Duration",
    align: "end",
    hint: "From registration to the final status",
    value: ({ invocation: { duration_seconds: seconds, duration_at_least: at_least } }) => ({ seconds, at_least }),
  },
  {
    of: ["members_count"],
    label: "Members",
    align: "end",
    optional: true,
    value: (run) => ({ count: run.members_count, capped: run.members_capped }),
  },
  {
    of: ["parent_workflow_id"],
    label: "Parent run",
    optional: true,
    roomy: true,
    sparse: true,
    value: (run) => idOrNothing("workflow", run.parent_workflow_id),
  },
];

export function subWorkflowsPart({ sub_workflows: rows }: WorkflowRunDetail): Part<WorkflowRunRow> {
  return {
    title: "Sub-workflows",
    caption: "Runs that were started from this one",
    columns: WORKFLOW_RUN_COLUMNS,
    rows,
    keyOf: (run) => run.workflow_id,
    hide: ["parent_workflow_id"],
  };
}

export const WORKFLOW_TYPE_COLUMNS: readonly Column<WorkflowTypeRow>[] = [
  {
    of: ["workflow_type_key"],
    label: "Type",
    value: ({ workflow_type_key: task }) => ({ task, to: { kind: "workflow_type", id: task } }),
  },
  {
    of: ["runs"],
    label: "Runs",
    align: "end",
    value: ({ runs, workflow_type_key: id }) => ({ count: runs, to: { kind: "workflow_type", id } }),
  },
  {
    of: ["statuses"],
    label: "By status",
    page: true,
    speaking: true,
    hint: "All invocations of the task: those that define runs and those called inside runs",
    value: () => null,
  },
  {
    of: ["latest"],
    label: "Latest run",
    value: ({ latest }) => (latest === null ? null : idOf("workflow", latest.workflow_id)),
  },
  {
    of: ["status"],
    label: "Status",
    hint: "Of the latest run's defining invocation",
    value: ({ latest }) => (latest === null ? null : { status_of: latest.invocation }),
  },
  {
    of: ["registered_at"],
    label: "Registered",
    hint: "When the latest run was registered",
    value: ({ latest }) => ({ time: latest?.invocation.registered_at ?? null }),
  },
  {
    of: ["duration_seconds"],
    label: "Duration",
    align: "end",
    hint: "Of the latest run, from registration to the final status",
    optional: true,
    value: ({ latest }) => ({
      seconds: latest?.invocation.duration_seconds ?? null,
      at_least: latest?.invocation.duration_at_least,
    }),
  },
  {
    of: ["members_count"],
    label: "Members",
    align: "end",
    hint: `Of the latest run. ${TERMS.Members}`,
    optional: true,
    value: ({ latest }) => ({ count: latest?.members_count ?? null, capped: latest?.members_capped ?? false }),
  },
];
