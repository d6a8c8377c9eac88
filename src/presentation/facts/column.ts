/** A column of a table, as pages and commands show it. */
import type { FoundKind } from "../../api/find.ts";
import { count } from "../text.ts";
import { type FactValue, idOrNothing, isAbsent, type Target } from "./fact.ts";

export interface Column<Row> {
  /** The members of the answer that it shows. The first names it: in addresses, cookies and lists of columns. */
  of: readonly [name: string, ...others: string[]];
  label: string;
  /** Explains the column, as the tooltip of its heading on a page. */
  hint?: string;
  value(row: Row): FactValue;
  /** `end` for numbers. */
  align?: "end";
  /** Cells name their row; by default those of the first column. */
  names?: true;
  /** Only shown if a `ColumnChoice` asks for it. */
  extra?: true;
  /** A page leaves it out if it says nothing in any row, or 0. */
  sparse?: true;
  /** An id: the last column of a page, because other columns distinguish rows for a reader. */
  id?: true;
  /** Why a cell without a value has none, as its tooltip. */
  without?: string;
  /** Shown on pages only: panels and terminals have less room. */
  page?: true;
  /** Left out of a page where the table has less than about 1,200 pixels. */
  roomy?: true;
  /** Left out on a terminal that is too narrow; the last such column goes first. */
  optional?: true;
  /** A list can be ordered by it. */
  sorts?: true;
  /** On cards of narrow pages the cell has no label, because it explains itself. */
  speaking?: true;
  /** Pages show times of day instead of ages. */
  instants?: true;
  /** The last column on a terminal, because its texts have very different lengths. */
  last?: true;
  /** Minimum width on a terminal, in characters. */
  min?: number;
}

/** Which columns a table shows, by their names. */
export interface ColumnChoice {
  /** Usual columns that are left out. */
  hide?: readonly string[] | undefined;
  /** Further columns that are shown. */
  extra?: readonly string[] | undefined;
  /** Names of the members that the viewer chose to see instead of the usual columns; empty for the usual columns. */
  fields?: readonly string[] | undefined;
}

export function chosenColumns<Row>(
  columns: readonly Column<Row>[],
  { hide = [], extra = [], fields = [] }: ColumnChoice,
): Column<Row>[] {
  if (fields.length > 0) {
    // Never left out, however narrow the table is.
    return columns
      .filter((column) => isNaming(columns, column) || column.of.some((field) => fields.includes(field)))
      .map(({ roomy: _, ...column }) => column);
  }
  return columns.filter(({ of: [name], extra: asked }) => (asked ? extra.includes(name) : !hide.includes(name)));
}

/** The names of columns that a page leaves out because they say nothing in any of the rows. */
export function emptyColumns<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  const isEmpty = (value: FactValue) =>
    isAbsent(value) || (value !== null && typeof value === "object" && "count" in value && value.count === 0);
  return columnNames(columns.filter(({ sparse, value }) => sparse && rows.every((row) => isEmpty(value(row)))));
}

/** Whether cells of a column name their row. */
export function isNaming<Row>(columns: readonly Column<Row>[], column: Column<Row>): boolean {
  return column === (columns.find(({ names }) => names) ?? columns[0]);
}

/** The names of the columns in an address. */
export function columnNames<Row>(columns: readonly Column<Row>[]): string[] {
  return columns.map(({ of: [name] }) => name);
}

/** A table about a thing, under a heading. */
export interface Part<Row extends object = object> extends Pick<ColumnChoice, "hide" | "extra"> {
  title: string;
  /** Number of all rows, shown in the heading; null if it is not known. */
  total?: { count: number | null; capped?: boolean };
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Unique in the table. */
  keyOf(row: Row, index: number): string;
  /** What the rows are, for screen readers. */
  caption: string;
  /** Said without rows; without it an empty part is not shown. */
  empty?: string;
  /** What the table leaves out. */
  note?: string | null;
  /** The whole list on a page. */
  all?: { label: string; to: Target };
}

/** `Children (12)`, or `Children (200+)` where counting stopped. */
export function partTitle({ title, total }: Pick<Part, "title" | "total">): string {
  if (total === undefined || total.count === null) return title;
  return `${title} (${count(total.count)}${total.capped ? "+" : ""})`;
}

/** What a column may have besides its member and its label. */
type Traits = Omit<Column<object>, "of" | "label" | "value">;

/** Makes columns that show one member of their rows each. */
function columnsOf<Value>(shown: (value: Value) => FactValue, usual: Traits = {}) {
  return <Name extends string>(name: Name, label: string, own: Traits = {}): Column<Readonly<Record<Name, Value>>> => {
    return { of: [name], label, value: (row) => shown(row[name]), ...usual, ...own };
  };
}

/** A column of tasks; the next ones of instants, of numbers and of lengths of time. */
export const taskColumn = columnsOf((task: string) => ({ task }));
export const timeColumn = columnsOf((time: string | null) => ({ time }));
export const countColumn = columnsOf((count: number | null) => ({ count }), { align: "end" });
export const secondsColumn = columnsOf((seconds: number | null) => ({ seconds }), { align: "end" });

/** A column of ids, linked to the things of the kind. */
export function idColumn<Name extends string>(name: Name, label: string, kind: FoundKind, own: Traits = {}) {
  return columnsOf((id: string | null) => idOrNothing(kind, id))(name, label, own);
}
