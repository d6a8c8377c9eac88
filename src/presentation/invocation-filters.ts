/**
 * Labels of the invocation filters that take one value. Fields and chips of pages are made from this list. What each filter does is in
 * src/services/model/invocation-filter.ts, what it means in src/inputs/common.ts.
 */
export interface FilterWords {
  /** Name in addresses and JSON: `task_id`. */
  parameter: string;
  /** Label of the chip, and of the field unless it has its own. */
  label: string;
  /** The value is an id, which a chip shortens. */
  id?: boolean;
  /** The field is shown under "More filters"; pages place the other fields themselves. */
  field?: { label?: string; hint: string };
}

export const SINGLE_FILTERS: readonly FilterWords[] = [
  { parameter: "task_id", label: "Task" },
  {
    parameter: "call_id",
    label: "Call",
    id: true,
    field: { hint: "Full id" },
  },
  {
    parameter: "workflow_id",
    label: "Workflow run",
    id: true,
    field: { hint: "Full id" },
  },
  {
    parameter: "workflow_type",
    label: "Workflow type",
  },
  {
    parameter: "runner",
    label: "Runner",
    id: true,
    field: { hint: "Worked on the invocation" },
  },
  {
    parameter: "registered_by",
    label: "Registered by",
    id: true,
    field: { hint: "A runner or process" },
  },
  {
    parameter: "parent",
    label: "Parent",
    id: true,
    field: { label: "Parent invocation", hint: "Full id" },
  },
  { parameter: "id_prefix", label: "Id starts with" },
];
