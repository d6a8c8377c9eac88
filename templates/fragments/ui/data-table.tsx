import type { ComponentChildren } from "preact";
import { TERMS } from "../../../src/presentation/terms.ts";
import { useParts } from "../../parts.ts";
import { TimeZone } from "./time.tsx";

export interface Column {
  label: string;
  /** It has times of the day: the head names their zone. */
  zoned?: boolean | undefined;
  /** `end` for numbers. */
  align?: "start" | "end" | undefined;
  /** Explains the column, in the title of its head, if its label is no term. */
  hint?: string | undefined;
  /** Cells of this column name their row. */
  rowHeader?: boolean | undefined;
  /** Hidden if the table is narrower than about 1,200 pixels; the row's own page has it too. */
  roomy?: boolean | undefined;
  /** What people read: it takes the width that other columns leave. */
  reading?: boolean | undefined;
  /** Links to actions, which paper has no use for. */
  acts?: boolean | undefined;
  /** On cards the cell has no label, because its content explains itself. */
  speaking?: boolean | undefined;
  /** The order of the rows by this column; the head is a link that sorts by it, reverses the order, or removes it. */
  sort?: { href?: string; now: "ascending" | "descending" | null } | undefined;
}

export interface TableRow {
  /** Unique in the table: a refresh finds its rows again by it (client/live-rows.ts). */
  key: string;
  /** One per column. */
  cells: readonly ComponentChildren[];
}

export interface DataTableProps {
  columns: readonly Column[];
  rows: readonly TableRow[];
  /** What the rows are, for screen readers. */
  caption: string;
  /** Shown instead of an empty table. */
  empty: ComponentChildren;
  /** Newest first, so new rows come at the top: they are held back also while the page is scrolled. */
  growing?: boolean | undefined;
}

/** Rows that are rendered at once. */
const ROWS = 10;

/** How many columns fit on a phone. Tables with more columns show each row as a card below about 960 pixels. */
const NARROW_COLUMNS = 3;

/**
 * Scrolls within its own box if a viewer chose more columns than fit, so that the page never scrolls sideways. The roles repeat the semantics of the markup, which
 * tables lose when styled as cards.
 */
export function DataTable({ columns, rows, caption, empty, growing = false }: DataTableProps) {
  const cards = columns.length > NARROW_COLUMNS;
  const role = (name: "table" | "rowgroup" | "row" | "columnheader" | "rowheader" | "cell") =>
    cards ? name : undefined;
  const all = rows.map((row) => (
    <tr key={row.key} role={role("row")} data-row={row.key}>
      {columns.map((column, index) =>
        column.rowHeader === true ? (
          <th key={column.label} role={role("rowheader")} scope="row" class={classes(column)}>
            {row.cells[index]}
          </th>
        ) : (
          <td
            key={column.label}
            role={role("cell")}
            class={classes(column)}
            data-label={cards && column.speaking !== true ? column.label : undefined}
          >
            {row.cells[index]}
          </td>
        ),
      )}
    </tr>
  ));
  const content = useParts(all, ROWS);
  if (rows.length === 0) return <>{empty}</>;
  return (
    <section class="table-scroll" tabindex={0} aria-label={caption}>
      <table class={cards ? "table cards" : "table"} role={role("table")}>
        <caption class="visually-hidden">{caption}</caption>
        <thead role={role("rowgroup")}>
          <tr role={role("row")}>
            {columns.map((column) => (
              <th
                key={column.label}
                role={role("columnheader")}
                scope="col"
                class={classes(column)}
                title={column.hint ?? TERMS[column.label]}
                aria-sort={column.sort?.now ?? undefined}
              >
                {column.sort?.href === undefined ? column.label : <a href={column.sort.href}>{column.label}</a>}
                {column.zoned && (
                  <>
                    {" "}
                    <TimeZone text="(UTC)" />
                  </>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role={role("rowgroup")} data-growing={growing ? "" : undefined}>
          {content}
        </tbody>
      </table>
    </section>
  );
}

function classes({ align, roomy, reading, acts }: Column): string | undefined {
  return (
    [align === "end" && "end", roomy && "roomy", reading && "reading", acts && "acts"].filter(Boolean).join(" ") ||
    undefined
  );
}
