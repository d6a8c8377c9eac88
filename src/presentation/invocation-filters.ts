/**
 * Labels of the invocation filters that take one value. Fields and chips of pages, flags and help of commands are generated from this list. What
 * each filter does is in src/services/model/invocation-filter.ts.
 */
export interface FilterWords {
  /** Name in addresses and JSON: `task_id`. */
  parameter: string;
  /** The flag with its value: `--task <key>`. */
  flag: `--${string} <${string}>`;
  /** Completes "invocations ..." in the help. */
  help: string;
  /** Label of the chip, and of the field unless it has its own. */
  label: string;
  /** The value is an id, which a chip shortens. */
  id?: boolean;
  /** The field is shown under "More filters"; pages place the other fields themselves. */
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
    field: { hint: "Full id" },
  },
  {
    parameter: "workflow_id",
    flag: "--workflow-id <id>",
    help: "inside this workflow run",
    label: "Workflow run",
    id: true,
    field: { hint: "Full id" },
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
    field: { label: "Parent invocation", hint: "Full id" },
  },
  { parameter: "id_prefix", flag: "--id-prefix <text>", help: "whose id starts with this", label: "Id starts with" },
];

/** `task`, without the dashes and the value. */
export function flagName({ flag }: FilterWords): string {
  return flag.slice("--".length, flag.indexOf(" "));
}
