/** Tables of two versions of pynenc in one store. */
import { DEFAULT_ORIGIN } from "../../config/pynenc-sources.ts";
import type { Capabilities } from "../../stores/ports.ts";
import type { OpenedApp } from "../app/opened-app.ts";

/** Settings of pynenc 0.4 alone. */
const QUEUE_SETTINGS = ["broker.queues", "priority_rules", "runner.queues", "task.queue", "task.priority"];

/**
 * pynenc 0.4 makes tables that are not there and changes none that are. A table of another version than the program fails as soon as the
 * program uses it, so neither runners nor callers start. Each sentence says what is mixed, what will fail and what helps.
 */
export function mixedLayouts(
  { store, settings }: OpenedApp,
  { components, named_queues, consumed_queues }: Capabilities,
): string[] {
  if (store.kind !== "sqlite") return [];
  const named = QUEUE_SETTINGS.flatMap((field) => {
    const setting = settings.get(field);
    return setting === undefined || setting.origin === DEFAULT_ORIGIN ? [] : [`${field} (${setting.origin})`];
  });
  const anew = (table: string) =>
    `pynenc 0.4 makes a table anew if it is not there: with runners and callers stopped, the table ${table} can be removed.`;
  if (components.broker && !named_queues && (consumed_queues || named.length > 0)) {
    const sign = consumed_queues ? "the heartbeats are in the layout of 0.4" : `the settings name ${named.join(", ")}`;
    return [
      `The table of messages is that of pynenc up to 0.3, and ${sign}. pynenc 0.4 fails on that table as soon as it opens it (no such column: queue_name): no runner and no caller starts. ${anew("message_queue")} Messages in it are lost with it; requeue puts them back.`,
    ];
  }
  if (named_queues && consumed_queues === false) {
    return [
      `The table of messages is that of pynenc 0.4, and that of heartbeats is older. A runner of 0.4 fails at its first heartbeat (no column named consumed_queues), and a program of 0.3 fails when it adds a message (queue_name must not be empty). ${anew("runner_heartbeats")}`,
    ];
  }
  return [];
}
