import type { ComponentChildren } from "preact";
import {
  type Column,
  type ColumnChoice,
  chosenColumns,
  emptyColumns,
  isNaming,
} from "../../../src/presentation/facts/column.ts";
import { DataTable, type DataTableProps, type Column as Head } from "../ui/data-table.tsx";
import { FactValueView } from "./fact-value.tsx";

export interface ColumnTableProps<Row> extends Omit<DataTableProps, "columns" | "rows">, ColumnChoice {
  columns: readonly Column<Row>[];
  records: readonly Row[];
  /** Unique in the table. */
  keyOf: (row: Row, index: number) => string;
  /** Cells that only a page can show, by the name of their column. */
  cells?: Readonly<Record<string, (row: Row) => ComponentChildren>> | undefined;
  /** As of a column of a `DataTable`, by the name of a column. */
  sorts?: ((name: string) => Head["sort"]) | undefined;
}

/** A table of records with columns that the terminal shows too. */
export function ColumnTable<Row>({
  columns,
  records,
  keyOf,
  hide = [],
  extra = [],
  fields,
  cells = {},
  sorts,
  ...table
}: ColumnTableProps<Row>) {
  const empty = emptyColumns(columns, records).filter((name) => !extra.includes(name));
  const chosen = chosenColumns(columns, { hide: [...hide, ...empty], extra, fields });
  const shown = [...chosen.filter(({ id }) => !id), ...chosen.filter(({ id }) => id)];
  const heads = shown.map((column): Head => {
    const { of, label, hint, align, roomy, speaking, instants, last } = column;
    const sort = column.sorts && sorts?.(of[0]);
    const rowHeader = isNaming(columns, column);
    return { label, hint, align, rowHeader, speaking, roomy, reading: last, zoned: instants, sort };
  });
  const cell = (column: Column<Row>, row: Row) => {
    const own = cells[column.of[0]];
    if (own !== undefined) return own(row);
    return (
      <FactValueView
        value={column.value(row)}
        cell={!column.instants}
        copy={isNaming(columns, column)}
        without={column.without}
      />
    );
  };
  return (
    <DataTable
      {...table}
      columns={heads}
      rows={records.map((row, index) => ({
        key: keyOf(row, index),
        cells: shown.map((column) => cell(column, row)),
      }))}
    />
  );
}
