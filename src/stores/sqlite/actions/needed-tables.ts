import { RefusedError } from "../../../errors.ts";
import type { ComponentName } from "../../ports/common.ts";
import type { TableOf } from "../tables/tables.ts";
import type { Access } from "./changes.ts";

export interface NeededTable {
  component: ComponentName;
  table: TableOf<ComponentName>;
}

/**
 * Checks the tables of an action that writes to several components.
 *
 * @param unchanged start of the refusal message: `Nothing was registered`.
 * @throws RefusedError if one of them is in another store or cannot be read.
 */
export function assertTables(access: Access, needed: readonly NeededTable[], unchanged: string): void {
  const missing = needed.find(({ component, table }) => !access(component).tables.has(component, table));
  if (missing === undefined) return;
  const { component, table } = missing;
  const there = access(component).tables.columns(component, table).length > 0;
  const why = there ? "lacks columns that are needed" : "is not in this store";
  throw new RefusedError(`${unchanged}: the ${component.replaceAll("_", " ")} of this app ${why}.`, null, 409);
}
