/** Streams lists of invocations as CSV and JSON lines. */

import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { INVOCATION_FIELDS } from "../../api/words.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { chosenNames } from "../input/chosen-names.ts";
import type { ExportFormat } from "../model/export-lines.ts";
import { exportLines } from "../model/export-lines.ts";
import type { InvocationFilter } from "../model/filter-type.ts";
import { wholeExceptions } from "../model/invocation-rows.ts";
import { exportInvocations } from "./invocations.ts";
import { type InvocationSort, sortedInvocations } from "./sorted.ts";

/** A row of the table, without nested objects. */
export type TableRow = Omit<InvocationRow, "exception" | "duration_at_least"> & {
  exception_type: string | null;
  exception_message: string | null;
};

export type InvocationField = (typeof INVOCATION_FIELDS)[number];

/** The selected fields; see `chosenNames`. @throws InvalidInputError */
export function readFields(values: readonly string[], parameter = "fields"): InvocationField[] {
  return chosenNames(values, INVOCATION_FIELDS, parameter);
}

/** Which rows to export. */
export interface RowChoice {
  /** Null for the default order, newest first. */
  sort?: InvocationSort | null;
  /** Limit of rows; null for all. */
  limit?: number | null;
  /** Exceptions with their whole message, as tables have it, instead of its first line. One more read for each batch with failures. */
  wholeMessages?: boolean;
}

export interface ExportChoice extends RowChoice {
  /** Empty for all. */
  fields?: readonly InvocationField[];
}

/** All invocations that match a filter, or the first of them, in batches. @throws InvalidInputError if they cannot be sorted as requested */
export function exportRows(
  app: OpenedApp,
  filter: InvocationFilter,
  { sort = null, limit = null, wholeMessages = false }: RowChoice = {},
): AsyncGenerator<InvocationRow[]> {
  const rows = firstOf(sort === null ? exportInvocations(app, filter) : sortedBatch(app, filter, sort), limit);
  return wholeMessages ? withWholeMessages(app, rows) : rows;
}

async function* withWholeMessages(
  app: OpenedApp,
  batches: AsyncIterable<InvocationRow[]>,
): AsyncGenerator<InvocationRow[]> {
  for await (const rows of batches) {
    const ids = rows.flatMap(({ invocation_id, exception }) => (exception === null ? [] : [invocation_id]));
    const whole = ids.length === 0 ? null : await app.store.read((reads) => wholeExceptions(reads, ids));
    yield rows.map((row) => ({ ...row, exception: whole?.get(row.invocation_id) ?? row.exception }));
  }
}

/** The exported invocations as text. */
export function exportText(
  app: OpenedApp,
  filter: InvocationFilter,
  format: ExportFormat,
  { fields = [], ...choice }: ExportChoice = {},
): AsyncGenerator<string> {
  const wholeMessages = format === "csv" || fields.includes("exception_message");
  return rowsAsText(exportRows(app, filter, { ...choice, wholeMessages }), format, fields);
}

/** Batches of invocations as text. @param fields empty for all. */
export function rowsAsText(
  batches: AsyncIterable<InvocationRow[]>,
  format: ExportFormat,
  fields: readonly InvocationField[] = [],
): AsyncGenerator<string> {
  const columns = fields.length > 0 ? fields : INVOCATION_FIELDS;
  if (format === "csv") return exportLines(mapped(batches, tableRow), columns, format);
  if (fields.length === 0) return exportLines(batches, [], format);
  return exportLines(
    mapped(batches, (row) => chosenFields(row, fields)),
    [],
    format,
  );
}

/** Some fields of a row, in the given order. */
export function chosenFields(row: InvocationRow, fields: readonly InvocationField[]): Partial<TableRow> {
  const cells = tableRow(row);
  return Object.fromEntries(fields.map((field) => [field, cells[field]]));
}

export function tableRow({ exception, duration_at_least, ...row }: InvocationRow): TableRow {
  return {
    ...row,
    // A table has no place for the mark.
    duration_seconds: duration_at_least ? null : row.duration_seconds,
    exception_type: exception?.type ?? null,
    exception_message: exception?.message ?? null,
  };
}

/** Maps each row of each batch. */
export async function* mapped<From, To>(
  batches: AsyncIterable<readonly From[]>,
  make: (row: From) => To,
): AsyncGenerator<To[]> {
  for await (const rows of batches) yield rows.map(make);
}

async function* sortedBatch(
  app: OpenedApp,
  filter: InvocationFilter,
  sort: InvocationSort,
): AsyncGenerator<InvocationRow[]> {
  yield (await sortedInvocations(app, await app.completeInventory(), filter, sort)).rows;
}

async function* firstOf(
  batches: AsyncIterable<InvocationRow[]>,
  limit: number | null,
): AsyncGenerator<InvocationRow[]> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  for await (const rows of batches) {
    yield rows.slice(0, left);
    left -= rows.length;
    if (left <= 0) return;
  }
}
