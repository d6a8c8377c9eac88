/** Lists as CSV and JSON lines, piece by piece. */
import type { InvocationFilter, InvocationRow } from "../../api/model/invocation-rows.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { ExportFormat } from "../model/export-lines.ts";
import { exportLines } from "../model/export-lines.ts";
import { exportInvocations } from "./invocations.ts";

/** A row of the table: cells hold no objects. */
type TableRow = Omit<InvocationRow, "exception"> & {
  exception_type: string | null;
  exception_message: string | null;
};

const COLUMNS = [
  "invocation_id",
  "task_id_key",
  "call_id_key",
  "status",
  "status_source",
  "retry_count",
  "registered_at",
  "status_at",
  "duration_seconds",
  "owner_runner_id",
  "parent_invocation_id",
  "workflow_id",
  "arguments",
  "exception_type",
  "exception_message",
] as const satisfies readonly (keyof TableRow)[];

/** All invocations that meet a filter, newest first. */
export function exportText(app: OpenedApp, filter: InvocationFilter, format: ExportFormat): AsyncGenerator<string> {
  const batches = exportInvocations(app, filter);
  return format === "csv" ? exportLines(tableRows(batches), COLUMNS, format) : exportLines(batches, [], format);
}

async function* tableRows(batches: AsyncIterable<readonly InvocationRow[]>): AsyncGenerator<TableRow[]> {
  for await (const rows of batches) {
    yield rows.map(({ exception, ...row }) => ({
      ...row,
      exception_type: exception?.type ?? null,
      exception_message: exception?.message ?? null,
    }));
  }
}
