import { noEventsRecorded } from "../../no-events.ts";
import type { EventPurge, EventRetention } from "../../ports/actions.ts";
import { capabilitiesOf, type TableOf } from "../tables/tables.ts";
import { type Access, freshTable } from "./changes.ts";

/**
 * Removes events and trigger runs that are too old or too many, and with an event every run it took part in (storage-format.md 5.7). First decides
 * what to remove, in pynenc's order of rules, then removes it from every table.
 *
 * @throws RefusedError for a layout that records no events.
 */
export function autoPurgeEvents(access: Access, { before, max_events, max_trigger_runs }: EventRetention): EventPurge {
  const { changes, tables } = access("trigger");
  if (!capabilitiesOf((component) => access(component).tables).events) throw noEventsRecorded();
  const events = tables.sql("trigger", "events");
  const runs = tables.sql("trigger", "trigger_runs");
  const participants = tables.sql("trigger", "trigger_run_conditions");
  for (const kind of ["events", "runs"]) freshTable(changes, `due_${kind}`, "id TEXT PRIMARY KEY, rule TEXT NOT NULL");
  changes.scratch(
    `INSERT INTO temp.due_events SELECT event_id, 'age' FROM ${events} WHERE event_timestamp < ?`,
    before,
  );
  changes.scratch(`INSERT INTO temp.due_runs SELECT trigger_run_id, 'age' FROM ${runs} WHERE executed_at < ?`, before);
  if (max_events > 0) {
    changes.scratch(
      `INSERT INTO temp.due_events SELECT event_id, 'capacity' FROM ${events}
       WHERE event_id NOT IN (SELECT id FROM temp.due_events)
       ORDER BY event_timestamp DESC, rowid DESC LIMIT -1 OFFSET ?`,
      max_events,
    );
  }
  if (tables.has("trigger", "trigger_run_conditions")) {
    changes.scratch(
      `INSERT OR IGNORE INTO temp.due_runs SELECT trigger_run_id, 'event' FROM ${participants}
       WHERE event_id IN (SELECT id FROM temp.due_events)`,
    );
  }
  if (max_trigger_runs > 0) {
    changes.scratch(
      `INSERT INTO temp.due_runs SELECT trigger_run_id, 'capacity' FROM ${runs}
       WHERE trigger_run_id NOT IN (SELECT id FROM temp.due_runs)
       ORDER BY coalesce(executed_at, claimed_at, 0) DESC, rowid DESC LIMIT -1 OFFSET ?`,
      max_trigger_runs,
    );
  }
  const eraseOf = (table: TableOf<"trigger">, column: string, due: "events" | "runs", rule?: string) =>
    tables.has("trigger", table)
      ? changes.erase(
          `${tables.sql("trigger", table)} WHERE ${column} IN (SELECT id FROM temp.due_${due} WHERE rule = coalesce(?, rule))`,
          rule ?? null,
        )
      : 0;
  const indexed = {
    event_conditions: eraseOf("event_conditions", "event_id", "events"),
    event_triggered_invocations: eraseOf("event_triggered_invocations", "event_id", "events"),
    trigger_run_conditions: eraseOf("trigger_run_conditions", "trigger_run_id", "runs"),
  };
  const counts = {
    events_by_age: eraseOf("events", "event_id", "events", "age"),
    events_by_capacity: eraseOf("events", "event_id", "events", "capacity"),
    trigger_runs_by_age: eraseOf("trigger_runs", "trigger_run_id", "runs", "age"),
    trigger_runs_of_events: eraseOf("trigger_runs", "trigger_run_id", "runs", "event"),
    trigger_runs_by_capacity: eraseOf("trigger_runs", "trigger_run_id", "runs", "capacity"),
  };
  for (const kind of ["events", "runs"]) changes.scratch(`DROP TABLE temp.due_${kind}`);
  return { ...counts, ...indexed };
}
