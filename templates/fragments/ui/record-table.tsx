import type { ComponentChildren } from "preact";
import { type Column, DataTable, type DataTableProps } from "./data-table.tsx";

/** A column with a function for its cells. */
export interface RecordColumn<Row> extends Column {
  /** False leaves the column out, unless a viewer chose it. */
  shown: boolean;
  /** Members of a row that it shows; choosing one of them shows the column. */
  of?: readonly string[];
  cell: (row: Row) => ComponentChildren;
}

export interface RecordTableProps<Row> extends Omit<DataTableProps, "columns" | "rows"> {
  columns: readonly RecordColumn<Row>[];
  records: readonly Row[];
  /** Unique in the table. */
  keyOf: (row: Row, index: number) => string;
  /** Members of a row that a viewer chose to see; none for the usual columns. */
  fields?: readonly string[] | undefined;
}

/** A table of records; each column renders a cell from a record. */
export function RecordTable<Row>({ columns, records, keyOf, fields = [], ...table }: RecordTableProps<Row>) {
  const shown = fields.length === 0 ? columns.filter((column) => column.shown) : chosen(columns, fields);
  return (
    <DataTable
      {...table}
      columns={shown}
      rows={records.map((row, index) => ({ key: keyOf(row, index), cells: shown.map((column) => column.cell(row)) }))}
    />
  );
}

/** Chosen columns are shown however narrow the table is. */
function chosen<Row>(columns: readonly RecordColumn<Row>[], fields: readonly string[]): RecordColumn<Row>[] {
  return columns
    .filter(({ rowHeader, of = [] }) => rowHeader === true || of.some((field) => fields.includes(field)))
    .map((column) => ({ ...column, roomy: false }));
}
