import type { TriggerReads } from "../ports.ts";
import type { SqliteHandle } from "./handle.ts";
import type { Sync } from "./sync.ts";
import type { AppTables } from "./tables.ts";

/** Trigger definitions, events and trigger runs (storage.md 3.6). */
export function triggerReads(handle: SqliteHandle, tables: AppTables): Sync<TriggerReads> {
  const table = (name: Parameters<typeof tables.sql<"trigger">>[1]) => ({
    exists: tables.has("trigger", name),
    sql: tables.sql("trigger", name),
  });
  const events = table("events");
  const links = table("event_triggered_invocations");
  const runs = table("trigger_runs");
  const triggers = table("triggers");
  const conditions = table("conditions");
  const sources = table("source_task_conditions");
  const valid = table("valid_conditions");
  const count = ({ exists, sql }: { exists: boolean; sql: string }) =>
    exists ? handle.number(`SELECT count(*) FROM ${sql}`) : 0;

  return {
    eventCounters() {
      if (!events.exists || !runs.exists) return null;
      return {
        recorded: count(events),
        matched: handle.number(`SELECT count(*) FROM ${events.sql} WHERE matched_condition_count > 0`),
        triggered: links.exists ? handle.number(`SELECT count(DISTINCT event_id) FROM ${links.sql}`) : 0,
        codes: distinctCodes(handle, events.sql),
        trigger_runs: count(runs),
      };
    },

    triggeredTasks() {
      const started = triggers.exists
        ? handle.all<{ task_id_key: string; n: number }>(
            `SELECT task_id_key, count(*) AS n FROM ${triggers.sql} GROUP BY task_id_key`,
          )
        : [];
      const watched = sources.exists
        ? handle.all<{ task_id_key: string }>(`SELECT DISTINCT task_id_key FROM ${sources.sql}`)
        : [];
      const counts = new Map(watched.map((row) => [row.task_id_key, 0]));
      for (const row of started) counts.set(row.task_id_key, row.n);
      return [...counts].map(([task_id_key, n]) => ({ task_id_key, triggers: n }));
    },

    countValidConditions: () => count(valid),

    countDefinitions: () => ({ triggers: count(triggers), conditions: count(conditions) }),
  };
}

/** Distinct codes by hopping along the index on (event_code, event_timestamp) instead of reading all of it. */
function distinctCodes(handle: SqliteHandle, events: string): number {
  return handle.number(
    `WITH RECURSIVE code(c) AS (
       SELECT min(event_code) FROM ${events}
       UNION ALL
       SELECT (SELECT min(event_code) FROM ${events} WHERE event_code > c) FROM code WHERE c IS NOT NULL
     ) SELECT count(c) FROM code`,
  );
}
