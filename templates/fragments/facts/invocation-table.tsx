import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import { INVOCATION_COLUMNS, type ListedInvocation } from "../../../src/presentation/facts/invocation.ts";
import { ColumnTable, type ColumnTableProps } from "./column-table.tsx";

export interface InvocationTableProps
  extends Omit<ColumnTableProps<ListedInvocation>, "columns" | "records" | "keyOf" | "cells" | "hide"> {
  invocations: readonly ListedInvocation[];
  hide?: readonly (keyof ListedInvocation)[];
  columns?: typeof INVOCATION_COLUMNS;
}

/** The one table of invocations: the same columns in the same order wherever invocations are listed. */
export function InvocationTable({ invocations, columns = INVOCATION_COLUMNS, ...table }: InvocationTableProps) {
  return (
    <ColumnTable
      {...table}
      columns={columns}
      records={invocations}
      keyOf={(_row, index) => keyOf(invocations, index)}
    />
  );
}

/** The id, but for one that the list repeats, as a queue can. */
function keyOf(rows: readonly InvocationRow[], index: number): string {
  const id = rows[index]?.invocation_id ?? "";
  const repeated = rows.findIndex((row) => row.invocation_id === id) < index;
  return repeated ? `${id} ${index}` : id;
}
