/** Tables of invocations. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { count, exceptionText, NOTHING, rowDuration, visibleLine } from "../../presentation/text.ts";
import type { Output } from "./output.ts";
import type { Column } from "./table.ts";
import { heading, idColumn, statusColumn, taskColumn, timeColumn } from "./text.ts";

export function invocationColumns(now: number, out: Output): Column<InvocationRow>[] {
  return [
    idColumn("INVOCATION", (row) => row.invocation_id),
    taskColumn((row) => row.task_id_key),
    statusColumn((row) => row.status, out),
    timeColumn("REGISTERED", (row) => row.registered_at, now),
    { title: "DURATION", align: "right", cell: rowDuration, optional: true },
    {
      title: "RETRIES",
      align: "right",
      cell: (row) => (row.retry_count === null || row.retry_count === 0 ? NOTHING : count(row.retry_count)),
      optional: true,
    },
    { title: "DETAILS", cell: rowDetails, cut: "end", min: 16, optional: true },
  ];
}

/** The exception of a failed invocation, else its arguments. */
export function rowDetails({ exception, arguments: line }: InvocationRow): string {
  if (exception === null) return visibleLine(line ?? "") || NOTHING;
  return visibleLine(exceptionText(exception));
}

/** A table of invocations under a heading; prints nothing if there are none. */
export function printInvocations(title: string, rows: readonly InvocationRow[], now: number, out: Output): void {
  if (rows.length === 0) return;
  out.lines(heading(title, out));
  out.table(invocationColumns(now, out), rows, "  ");
}
