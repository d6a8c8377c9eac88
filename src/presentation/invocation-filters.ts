/**
 * The filters of invocations that take one value, in words: fields and chips of pages, flags and help of commands are made from this list. What
 * they mean is in src/services/model/invocation-filter.ts.
 */
export interface FilterWords {
  /** In addresses and JSON: `task_id`. */
  parameter: string;
  /** With the name of its value: `--task <key>`. */
  flag: `--${string} <${string}>`;
  /** In help, behind "invocations". */
  help: string;
  /** Of the chip, and of the field where that has no label of its own. */
  label: string;
  /** An id, which a chip shortens. */
  id?: boolean;
  /** Its field is among "More filters"; pages place the others by themselves. */
  field?: { label?: string; hint: string };
}

export const SINGLE_FILTERS: readonly FilterWords[] = [
  { parameter: "task_id", flag: "--task <key>", help: "of this task: module.function", label: "Task" },
  {
    parameter: "call_id",
    flag: "--call <key>",
    help: "of this call: module.function:arguments_id",
    label: "Call",
    id: true,
    field: { hint: "Whole id" },
  },
  {
    parameter: "workflow_id",
    flag: "--workflow-id <id>",
    help: "inside this workflow run",
    label: "Workflow run",
    id: true,
    field: { hint: "Whole id" },
  },
  {
    parameter: "workflow_type",
    flag: "--workflow-type <key>",
    help: "inside runs of this workflow type",
    label: "Workflow type",
  },
  {
    parameter: "runner",
    flag: "--runner <id>",
    help: "that this runner worked on",
    label: "Runner",
    id: true,
    field: { hint: "Worked on the invocation" },
  },
  {
    parameter: "registered_by",
    flag: "--registered-by <id>",
    help: "that this runner or process registered",
    label: "Registered by",
    id: true,
    field: { hint: "A runner or process" },
  },
  {
    parameter: "parent",
    flag: "--parent <id>",
    help: "called by this invocation",
    label: "Parent",
    id: true,
    field: { label: "Parent invocation", hint: "Whole id" },
  },
  { parameter: "id_prefix", flag: "--id-prefix <text>", help: "whose id starts with this", label: "Id starts with" },
];

/** `task`, without the dashes and the value. */
export function flagName({ flag }: FilterWords): string {
  return flag.slice("--".length, flag.indexOf(" "));
}
