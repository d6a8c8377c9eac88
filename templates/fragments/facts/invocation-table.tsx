import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import { detailsOf, INVOCATION_COLUMNS, type ListedInvocation } from "../../../src/presentation/facts/invocation.ts";
import { ColumnTable, type ColumnTableProps } from "./column-table.tsx";
import { FactValueView } from "./fact-value.tsx";

export interface InvocationTableProps
  extends Omit<ColumnTableProps<ListedInvocation>, "columns" | "records" | "keyOf" | "cells" | "hide"> {
  invocations: readonly ListedInvocation[];
  hide?: readonly (keyof ListedInvocation)[];
  columns?: typeof INVOCATION_COLUMNS;
  /** Texts that a search looked for, marked in the details. */
  searched?: readonly string[];
}

/** The one table of invocations: the same columns in the same order wherever invocations are listed. */
export function InvocationTable({
  invocations,
  columns = INVOCATION_COLUMNS,
  searched = [],
  ...table
}: InvocationTableProps) {
  const marks = searched.length > 0 && {
    arguments: (row: ListedInvocation) => <Details row={row} searched={searched} />,
  };
  return (
    <ColumnTable
      {...table}
      columns={columns}
      cells={marks || undefined}
      records={invocations}
      keyOf={(_row, index) => keyOf(invocations, index)}
    />
  );
}

function Details({ row, searched }: { row: ListedInvocation; searched: readonly string[] }) {
  const value = detailsOf(row);
  const marked =
    value !== null && typeof value === "object" && "text" in value ? { ...value, marked: searched } : value;
  return <FactValueView value={marked} cell />;
}

/** The id, but for one that the list repeats, as a queue can. */
function keyOf(rows: readonly InvocationRow[], index: number): string {
  const id = rows[index]?.invocation_id ?? "";
  const repeated = rows.findIndex((row) => row.invocation_id === id) < index;
  return repeated ? `${id} ${index}` : id;
}
