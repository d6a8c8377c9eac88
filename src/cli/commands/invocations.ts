import { count, NOTHING, visible } from "../../../templates/text.ts";
import { InvalidInputError } from "../../errors.ts";
import { EXPORT_FORMATS, type ExportFormat, exportText } from "../../services/exports.ts";
import type { InvocationFilter } from "../../services/invocation-filter.ts";
import type { InvocationRow } from "../../services/invocation-rows.ts";
import { listInvocations, readInvocationInput } from "../../services/invocations.ts";
import type { OpenedApp } from "../../services/opened-app.ts";
import { type FlagNames, inFlagWords, rawInput } from "../flags.ts";
import { terminalSafeJson } from "../print/json.ts";
import type { Output } from "../print/output.ts";
import { streamed } from "../print/stream.ts";
import type { Column } from "../print/table.ts";
import { idColumn, pageNotes, seconds, statusColumn, taskColumn, timeColumn } from "../print/text.ts";
import type { Flags } from "../program.ts";
import { withApp } from "../session.ts";

/** Parameters of the page's filter with the flags that stand for them. */
const FLAGS: FlagNames = {
  status: "status",
  task_id: "task",
  call_id: "call",
  workflow_id: "workflow-id",
  workflow_type: "workflow-type",
  runner: "runner",
  parent: "parent",
  id_prefix: "id-prefix",
  time_range: "time-range",
  start_date: "since",
  end_date: "until",
  limit: "limit",
  page: "page",
};

/** `monitor invocations`: a page of the filtered list, or with `--format` all of it. */
export async function invocations(flags: Flags): Promise<void> {
  const format = readFormat(flags);
  const raw = rawInput(flags, FLAGS);
  await withApp(flags, async (app, out) => {
    if (out.json && format !== null)
      throw conflict("--format", format, "--json prints one document; leave one of the two out");
    const input = await inFlagWords(FLAGS, () => readInvocationInput(app, raw));
    if (format !== null) return printAll(app, input.filter, format, out);
    const list = await listInvocations(app, input);
    if (out.json) return out.document(list);
    out.table(invocationColumns(app.now(), out), list.invocations);
    if (list.invocations.length === 0 && list.page.number === 1) {
      out.say(Object.keys(raw).length > 0 ? "No invocation meets the filter." : `${app.app_id} has no invocation yet.`);
    }
    out.say(...pageNotes(list.page, "invocation"), ...list.notes);
  });
}

export function invocationColumns(now: number, out: Output): Column<InvocationRow>[] {
  return [
    idColumn("INVOCATION", (row) => row.invocation_id),
    taskColumn((row) => row.task_id_key),
    statusColumn((row) => row.status, out),
    timeColumn("REGISTERED", (row) => row.registered_at, now),
    { title: "DURATION", align: "right", cell: (row) => seconds(row.duration_seconds), optional: true },
    {
      title: "RETRIES",
      align: "right",
      cell: (row) => (row.retry_count === 0 ? NOTHING : count(row.retry_count)),
      optional: true,
    },
  ];
}

/** Null stands for the table. */
function readFormat(flags: Flags): ExportFormat | null {
  const given = String(flags.format ?? "table").toLowerCase();
  if (given === "table") return null;
  const format = EXPORT_FORMATS.find((known) => known === given);
  if (format === undefined) throw conflict("--format", given, `expected one of table, ${EXPORT_FORMATS.join(", ")}`);
  for (const name of ["limit", "page"]) {
    const value = flags[name];
    if (value !== undefined)
      throw conflict(`--${name}`, String(value), `--format ${format} prints every row that meets the filter`);
  }
  return format;
}

function conflict(parameter: string, value: string, accepted: string): InvalidInputError {
  return new InvalidInputError([{ parameter, value, accepted }]);
}

/** Every matching row, as it is read. Another program gets CSV fields as they are stored; a terminal gets them made visible. */
async function printAll(app: OpenedApp, filter: InvocationFilter, format: ExportFormat, out: Output): Promise<void> {
  const shown = (text: string) => {
    if (format === "jsonl") return terminalSafeJson(text);
    return out.terminal ? text.split("\r\n").map(visible).join("\n") : text;
  };
  await streamed(exportText(app, filter, format), shown);
}
