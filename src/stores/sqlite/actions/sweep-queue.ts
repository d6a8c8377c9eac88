import type { Access } from "./changes.ts";
import type { NeededTable } from "./needed-tables.ts";

const NEEDED: readonly NeededTable[] = [
  { component: "broker", table: "message_queue" },
  { component: "orchestrator", table: "invocations" },
  { component: "state_backend", table: "invocations" },
];

/** Removes messages whose invocation has no status or no definition. Does nothing if another store keeps one of them, because then it is not known. */
export function sweepQueue(access: Access): number {
  if (NEEDED.some(({ component, table }) => !access(component).tables.has(component, table))) return 0;
  const [queue, statuses, definitions] = NEEDED.map(({ component, table }) =>
    access(component).tables.sql(component, table),
  );
  const missing = (table: string | undefined) =>
    `NOT EXISTS (SELECT 1 FROM ${table} r WHERE r.invocation_id = m.invocation_id)`;
  return access("broker").changes.erase(`${queue} AS m WHERE ${missing(statuses)} OR ${missing(definitions)}`);
}
