import type { InvocationRow } from "../../../src/api/model/invocation-rows.ts";
import type { FactValue } from "../../../src/presentation/facts/fact.ts";
import { detailsOf, INVOCATION_COLUMNS, type ListedInvocation } from "../../../src/presentation/facts/invocation.ts";
import { markedParts } from "../../../src/presentation/invocation-filters.ts";
import { visibleLine } from "../../../src/presentation/text.ts";
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

/** The details with what a search looked for; of a failed one whose exception does not have it, the arguments that do. */
function Details({ row, searched }: { row: ListedInvocation; searched: readonly string[] }) {
  const value = detailsOf(row);
  if (value === null || typeof value !== "object" || !("text" in value)) return <FactValueView value={value} cell />;
  const line = row.arguments ?? "";
  const matches = (text: string) => markedParts(text, searched).some(({ match }) => match);
  const shown: FactValue =
    !matches(value.text) && matches(line)
      ? { text: line, look: "details", hint: visibleLine(`${value.text}\n${line}`), marked: searched }
      : { ...value, marked: searched };
  return <FactValueView value={shown} cell />;
}

/** The id, but for one that the list repeats, as a queue can. */
function keyOf(rows: readonly InvocationRow[], index: number): string {
  const id = rows[index]?.invocation_id ?? "";
  const repeated = rows.findIndex((row) => row.invocation_id === id) < index;
  return repeated ? `${id} ${index}` : id;
}
