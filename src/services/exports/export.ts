/** Exports invocations that match a filter to a file for other programs. Streams, so that memory does not grow with their number. */

import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import type { FILE_FORMATS } from "../../api/words.ts";
import { outgoing } from "../../config/masking.ts";
import { MAX_DRAWN } from "../../inputs/timeline.ts";
import { counted } from "../../pynenc/numbers.ts";
import { type TraceFile, traceFile } from "../../timeline/trace-events.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { exportRows, mapped, rowsAsText } from "../invocations/exports.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { geometryOf, timeline } from "../timeline/timeline.ts";
import { parseTimelineInput } from "../timeline/timeline-input.ts";
import { type OtlpLeftOut, otlpLines } from "./otlp.ts";

export type FileFormat = (typeof FILE_FORMATS)[number];

export interface FileChoice {
  /** Limit of invocations; null for all. */
  limit: number | null;
  /** Leaves out arguments and messages of exceptions. */
  noValues: boolean;
  /** Version of the monitor. */
  version: string;
}

/** Summary of an export, complete when the export has ended. */
export interface ExportReport {
  /** Invocations in the file. */
  invocations: number;
  /** Sentences about what is not in the file. */
  notes: string[];
}

/** The file in chunks; Parquet is binary, the others are text. @param report is filled in during the export. */
export async function* exportFile(
  app: OpenedApp,
  filter: InvocationFilter,
  format: FileFormat,
  { limit, noValues, version }: FileChoice,
  report: ExportReport,
): AsyncGenerator<string | Uint8Array> {
  const rows = withCount(
    exportRows(app, filter, { limit, wholeMessages: format === "csv" || format === "parquet" }),
    report,
  );
  const masked = mapped(rows, (row) => outgoing(noValues ? withoutTexts(row) : row));
  if (format === "otlp") {
    const leftOut: OtlpLeftOut = { unfinished: 0, unknown_times: 0, cut: 0 };
    yield* otlpLines(app, rows, { noValues, version }, leftOut);
    report.invocations -= leftOut.unfinished + leftOut.unknown_times;
    report.notes.push(...leftOutNotes(leftOut));
  } else if (format === "perfetto") {
    yield* perfettoFile(app, rows, report);
  } else if (format === "parquet") {
    const { parquetPieces } = await import("./parquet.ts");
    yield* parquetPieces(masked);
  } else {
    yield* rowsAsText(masked, format);
  }
}

function withoutTexts(row: InvocationRow): InvocationRow {
  return { ...row, arguments: null, exception: row.exception && { ...row.exception, message: null } };
}

async function* withCount(
  batches: AsyncIterable<InvocationRow[]>,
  report: ExportReport,
): AsyncGenerator<InvocationRow[]> {
  for await (const rows of batches) {
    report.invocations += rows.length;
    yield rows;
  }
}

function leftOutNotes({ unfinished, unknown_times, cut }: OtlpLeftOut): string[] {
  const notes: string[] = [];
  if (unfinished > 0) {
    notes.push(`${counted(unfinished, "invocation")} left out: not finished yet.`);
  }
  if (unknown_times > 0) {
    notes.push(`${counted(unknown_times, "invocation")} left out: start not known.`);
  }
  if (cut > 0) notes.push(`${counted(cut, "invocation")} without phases: the history is too long.`);
  return notes;
}

/** The timeline of these invocations, which has a limited size. */
async function* perfettoFile(
  app: OpenedApp,
  batches: AsyncIterable<readonly InvocationRow[]>,
  report: ExportReport,
): AsyncGenerator<string> {
  const ids: string[] = [];
  for await (const rows of batches) {
    ids.push(...rows.map((row) => row.invocation_id));
    if (ids.length > MAX_DRAWN) break;
  }
  if (ids.length > MAX_DRAWN) report.notes.push(`Only the first ${MAX_DRAWN} invocations are in the file.`);
  if (ids.length === 0) {
    yield `${JSON.stringify({ displayTimeUnit: "ms", traceEvents: [], otherData: {} } satisfies TraceFile)}\n`;
    return;
  }
  const input = parseTimelineInput({}, [], app.now());
  const filter = { ...input.filter, invocation_ids: ids.slice(0, MAX_DRAWN) };
  const options = { ...input.options, limit: MAX_DRAWN };
  const drawn = await timeline(app, { ...input, filtered: true, filter, options });
  report.invocations = drawn.invocations.length;
  report.notes.push(...drawn.notes);
  yield `${JSON.stringify(outgoing(traceFile(geometryOf(drawn))))}\n`;
}
