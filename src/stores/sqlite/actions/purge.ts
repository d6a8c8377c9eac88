import type { RowCount } from "../../ports/actions.ts";
import type { ComponentName } from "../../ports/common.ts";
import { hasNamedQueues, type TableOf } from "../tables/tables.ts";
import type { Access } from "./changes.ts";

/**
 * Tables that a purge keeps: without its registration an app is not found until one of its processes starts again (storage-format.md 7.2), and pynenc
 * rewrites the schema version immediately (storage-format.md 7.1).
 */
const KEPT: readonly TableOf<ComponentName>[] = ["app_info", "schema_version"];

/** Empties the tables of components (storage-format.md 7.1). */
export function purge(access: Access, components: readonly ComponentName[]): RowCount[] {
  return components.flatMap((component) => {
    const { changes, tables } = access(component);
    return tables
      .present(component)
      .filter(({ table }) => !KEPT.includes(table))
      .map(({ table }) => ({ component, name: table, ...changes.empty(tables.name(component, table)) }));
  });
}

/** Empties one named queue. */
export function purgeQueue(access: Access, queueName: string): RowCount {
  const { changes, tables } = access("broker");
  const rows = hasNamedQueues(tables)
    ? changes.erase(`${tables.name("broker", "message_queue")} WHERE queue_name = ?`, queueName)
    : 0;
  return { component: "broker", name: "message_queue", rows, exact: true };
}
