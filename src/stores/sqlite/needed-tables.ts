import { RefusedError } from "../../errors.ts";
import type { ComponentName } from "../ports.ts";
import type { Access } from "./changes.ts";
import type { TableOf } from "./tables.ts";

export interface NeededTable {
  component: ComponentName;
  table: TableOf<ComponentName>;
}

/**
 * For an action that writes rows of several components.
 *
 * @param unchanged what did not happen: `Nothing was registered`.
 * @throws RefusedError when one of them is kept elsewhere.
 */
export function assertTables(access: Access, needed: readonly NeededTable[], unchanged: string): void {
  const missing = needed.find(({ component, table }) => !access(component).tables.has(component, table));
  if (missing === undefined) return;
  const component = missing.component.replaceAll("_", " ");
  throw new RefusedError(`${unchanged}: the ${component} of this app is not in this store.`, null, 409);
}
