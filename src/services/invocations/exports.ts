/** Lists as CSV and JSON lines, piece by piece. */
import type { InvocationFilter, InvocationRow } from "../../api/model/invocation-rows.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { ExportFormat } from "../model/export-lines.ts";
import { exportLines } from "../model/export-lines.ts";
import { exportInvocations } from "./invocations.ts";

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
] as const satisfies readonly (keyof InvocationRow)[];

/** All invocations that meet a filter, newest first. */
export function exportText(app: OpenedApp, filter: InvocationFilter, format: ExportFormat): AsyncGenerator<string> {
  return exportLines(exportInvocations(app, filter), COLUMNS, format);
}
