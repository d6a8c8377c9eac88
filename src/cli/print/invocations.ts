/** Tables of invocations. */
import type { InvocationRow } from "../../api/model/invocation-rows.ts";
import { detailsOf, INVOCATION_COLUMNS } from "../../presentation/facts/invocation.ts";
import { visibleLine } from "../../presentation/text.ts";
import { printRows, textOf } from "./facts.ts";
import type { Output } from "./output.ts";

/** The exception of a failed invocation, else its arguments. */
export function rowDetails(row: InvocationRow): string {
  return visibleLine(textOf(detailsOf(row)));
}

/** A table of invocations under a heading; prints nothing if there are none. */
export function printInvocations(title: string, rows: readonly InvocationRow[], now: number, out: Output): void {
  printRows(INVOCATION_COLUMNS, rows, out, { title, now });
}
