/** Tables of two versions of pynenc in one store. */
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import type { Capabilities } from "../../stores/ports/layout.ts";
import type { OpenedApp } from "../app/opened-app.ts";

/** Settings that only pynenc 0.4 has. */
const QUEUE_SETTINGS = ["broker.queues", "priority_rules", "runner.queues", "task.queue", "task.priority"];

/**
 * pynenc 0.4 creates missing tables but does not alter existing ones. A program fails as soon as it uses a table of another version, so neither runners
 * nor callers start. Each sentence says what is mixed, what will fail and how to fix it.
 */
export function mixedLayouts(
  { store, settings }: OpenedApp,
  { components, consumed_queues }: Capabilities,
  namedQueues: boolean,
): string[] {
  if (store.kind !== "sqlite") return [];
  const named = QUEUE_SETTINGS.flatMap((field) => {
    const setting = settings.get(field);
    return setting === undefined || setting.origin === DEFAULT_ORIGIN ? [] : [`${field} (${setting.origin})`];
  });
  const anew = (table: string) =>
    `pynenc 0.4 creates the table if it does not exist: stop runners and callers, then drop the table ${table}.`;
  if (components.broker && !namedQueues && (consumed_queues || named.length > 0)) {
    const sign = consumed_queues ? "the heartbeats have the layout of 0.4" : `the settings name ${named.join(", ")}`;
    return [
      `The message table has the layout of pynenc up to 0.3, but ${sign}. pynenc 0.4 fails as soon as it opens that table (no such column: queue_name): no runner and no caller starts. ${anew("message_queue")} Dropping it loses its messages; requeue puts them back.`,
    ];
  }
  if (namedQueues && consumed_queues === false) {
    return [
      `The message table has the layout of pynenc 0.4, but the heartbeat table is older. A 0.4 runner fails at its first heartbeat (no column named consumed_queues), and a 0.3 program fails when it adds a message (queue_name must not be empty). ${anew("runner_heartbeats")}`,
    ];
  }
  return [];
}
