/** Tables of workflow runs. */
import type { WorkflowRunRow } from "../../api/workflows.ts";
import { count, rowDuration } from "../../presentation/text.ts";
import type { Output } from "./output.ts";
import type { Column } from "./table.ts";
import { idColumn, statusColumn, taskColumn, timeColumn } from "./text.ts";

export function runColumns(now: number, out: Output): Column<WorkflowRunRow>[] {
  return [
    idColumn("RUN", (row) => row.workflow_id),
    taskColumn((row) => row.workflow_type_key, "TYPE"),
    statusColumn((row) => row.invocation.status, out),
    timeColumn("REGISTERED", (row) => row.invocation.registered_at, now),
    { title: "DURATION", align: "right", cell: (row) => rowDuration(row.invocation) },
    {
      title: "MEMBERS",
      align: "right",
      cell: (row) => `${count(row.members_count)}${row.members_capped ? "+" : ""}`,
      optional: true,
    },
    {
      title: "DATA",
      align: "right",
      cell: (row) => (row.data_rows === null ? "—" : count(row.data_rows)),
      optional: true,
    },
    idColumn("PARENT RUN", (row) => row.parent_workflow_id, { optional: true }),
  ];
}
