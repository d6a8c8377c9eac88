import type { ComponentChildren } from "preact";

export interface Column {
  label: string;
  /** `end` for numbers. */
  align?: "start" | "end" | undefined;
  /** Explains the column, in the title of its head. */
  hint?: string | undefined;
  /** Cells of this column name their row. */
  rowHeader?: boolean | undefined;
  /** Left out where the table has less than about 1,100 pixels: the row's own page has it too. */
  roomy?: boolean | undefined;
}

export interface TableRow {
  /** Unique in the table. */
  key: string;
  /** One per column. */
  cells: readonly ComponentChildren[];
}

export interface DataTableProps {
  columns: readonly Column[];
  rows: readonly TableRow[];
  /** Says what the rows are; read out, not shown. */
  caption: string;
  /** Stands in for a table without rows. */
  empty: ComponentChildren;
}

/** Scrolls inside itself on narrow screens, so that the page never scrolls sideways. */
export function DataTable({ columns, rows, caption, empty }: DataTableProps) {
  if (rows.length === 0) return <>{empty}</>;
  return (
    <section class="table-scroll" tabindex={0} aria-label={caption}>
      <table class="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" class={classes(column)} title={column.hint}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              {columns.map((column, index) =>
                column.rowHeader === true ? (
                  <th key={column.label} scope="row" class={classes(column)}>
                    {row.cells[index]}
                  </th>
                ) : (
                  <td key={column.label} class={classes(column)}>
                    {row.cells[index]}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function classes(column: Column): string | undefined {
  return (
    [...(column.align === "end" ? ["end"] : []), ...(column.roomy === true ? ["roomy"] : [])].join(" ") || undefined
  );
}
