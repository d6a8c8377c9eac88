/** `--format ids` and `--fields`: the rows of an answer, instead of what the command prints of it. */
import { NOTHING, visibleLine } from "../../presentation/text.ts";
import type { Rows } from "../../questions/model/question.ts";
import type { Column } from "./table.ts";

/** Members of JSON. */
type Row = Readonly<Record<string, unknown>>;

/** What is printed of an answer. */
export type ChosenRows =
  | { print: "ids"; rows: readonly Rows[] }
  | { print: "fields"; rows: readonly Rows[]; fields: readonly string[] };

/** The ids of the rows of an answer. */
export function idsIn(answer: object, rows: readonly Rows[]): string[] {
  const found = placeOf(answer, rows);
  return (found?.rows ?? []).flatMap((row) => {
    const values = found?.id.map((name) => row[name]).filter((value) => value !== undefined && value !== null) ?? [];
    return values.slice(0, 1).flat().map(String);
  });
}

function placeOf(answer: object, rows: readonly Rows[]) {
  for (const { in: place, id } of rows) {
    const path = stepsTo(place);
    const found = rowsAt(answer, path);
    if (found !== null) return { path, id, rows: found };
  }
  return null;
}

/** The members that lead to rows; none if each answer is a row. */
export function stepsTo(place: string): string[] {
  return place === "" ? [] : place.split(".");
}

/** A row with these members alone. */
export function withOnly(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, row[field] ?? null]));
}

/** The answer, with rows that have only these members, and these rows. */
export function withFields(
  answer: object,
  rows: readonly Rows[],
  fields: readonly string[],
): { answer: object; rows: Row[] } {
  const found = placeOf(answer, rows);
  if (found === null) return { answer, rows: [] };
  const all: Row[] = [];
  const reduced = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => reduced(one, path));
    const [name, ...rest] = path;
    if (name !== undefined) return { ...(value as Row), [name]: reduced((value as Row)[name], rest) };
    const row = withOnly(value as Row, fields);
    all.push(row);
    return row;
  };
  return { answer: reduced(answer, found.path) as object, rows: all };
}

function rowsAt(value: unknown, path: readonly string[]): Row[] | null {
  if (Array.isArray(value)) return value.flatMap((one) => rowsAt(one, path) ?? []);
  if (value === null || typeof value !== "object") return null;
  const [name, ...rest] = path;
  return name === undefined ? [value as Row] : rowsAt((value as Row)[name], rest);
}

/** Columns of these members. */
export function fieldColumns(fields: readonly string[]): Column<Row>[] {
  return fields.map((field) => ({
    title: field.toUpperCase(),
    cell: ({ [field]: value }) =>
      visibleLine(value !== null && typeof value === "object" ? JSON.stringify(value) : String(value ?? NOTHING)),
    cut: cutOf(field),
  }));
}

/** Which end of a field distinguishes it least. */
function cutOf(field: string): "start" | "middle" | "end" {
  if (field.endsWith("_id")) return "middle";
  return field === "task_id_key" ? "start" : "end";
}
