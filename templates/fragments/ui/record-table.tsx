import type { ComponentChildren } from "preact";
import { type Column, DataTable, type DataTableProps } from "./data-table.tsx";

/** A column with how it is filled. */
export interface RecordColumn<Row> extends Column {
  /** False leaves the column out. */
  shown: boolean;
  cell: (row: Row) => ComponentChildren;
}

export interface RecordTableProps<Row> extends Omit<DataTableProps, "columns" | "rows"> {
  columns: readonly RecordColumn<Row>[];
  records: readonly Row[];
  /** Unique in the table. */
  keyOf: (row: Row, index: number) => string;
}

/** A table of records of one kind, each column with the cell that it makes of a record. */
export function RecordTable<Row>({ columns, records, keyOf, ...table }: RecordTableProps<Row>) {
  const shown = columns.filter((column) => column.shown);
  return (
    <DataTable
      {...table}
      columns={shown}
      rows={records.map((row, index) => ({ key: keyOf(row, index), cells: shown.map((column) => column.cell(row)) }))}
    />
  );
}
