/** Rows of the real databases in test/fixtures, per app. Read from copies: opening a file in WAL mode writes beside it. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import { type AppFacts, factsOf, sum } from "../support/fixtures.ts";

export const FIXTURES = ["kitchen_sink.db", "kitchen_sink_023.db", "pending_triggers.db", "queues_040.db"] as const;

const APP_INFO_SUFFIX = "__state_backend_app_info";

export interface FixtureApp {
  app_id: string;
  prefix: string;
  app_info_json: string;
  invocations: { call_id_key: string; task_id_key: string; arguments_id: string; serialized_arguments: string }[];
  /** In the order of their time. */
  history: { invocation_id: string; history_status: string; history_json: string }[];
  results: string[];
  exceptions: string[];
  client_data: { data_key: string; text: string }[];
  conditions: { condition_id: string; condition_json: string }[];
  triggers: { trigger_id: string; task_id_key: string; logic_value: "and" | "or"; condition_ids: string[] }[];
  valid_conditions: { valid_condition_id: string; valid_condition_json: string }[];
  /** Empty before 0.2.4. */
  events: { event_id: string; event_json: string }[];
  trigger_runs: { trigger_run_id: string; trigger_run_json: string }[];
}

/** All apps of a fixture, with as many rows as the facts say, so that a loop over them is not over nothing. */
export function openFixture(file: (typeof FIXTURES)[number]): FixtureApp[] {
  const directory = mkdtempSync(join(tmpdir(), "pynenc-fixture-"));
  copyFileSync(new URL(`../fixtures/${file}`, import.meta.url), join(directory, file));
  const database = openDatabase(join(directory, file), { mode: "write" });
  try {
    return appTables(database).map((table) => {
      const app = readApp(database, table.slice(0, -APP_INFO_SUFFIX.length));
      checkCounts(app, factsOf(file, app.app_id));
      return app;
    });
  } finally {
    database.close();
    rmSync(directory, { recursive: true });
  }
}

function checkCounts(app: FixtureApp, facts: AppFacts): void {
  const pairs: [part: string, rows: number, told: number][] = [
    ["invocations", app.invocations.length, sum(facts.statuses)],
    ["history", app.history.length, facts.history_rows],
    ["client_data", app.client_data.length, facts.client_data],
    ["events", app.events.length, facts.events ?? 0],
    ["trigger_runs", app.trigger_runs.length, facts.trigger_runs ?? 0],
  ];
  for (const [part, rows, told] of pairs)
    if (rows !== told) throw new Error(`${app.app_id} has ${rows} rows of ${part}; the facts say ${told}`);
}

function appTables(database: Connection): string[] {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").column() as string[];
  return tables.filter((table) => table.endsWith(APP_INFO_SUFFIX));
}

function readApp(database: Connection, prefix: string): FixtureApp {
  const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?");
  const rows = <Row>(columns: string, table: string, rest = ""): Row[] =>
    exists.get(`${prefix}__${table}`) === undefined
      ? []
      : (database.prepare(`SELECT ${columns} FROM "${prefix}__${table}" ${rest}`).all() as Row[]);
  const [info] = rows<{ app_id: string; app_info_json: string }>("app_id, app_info_json", "state_backend_app_info");
  if (!info) throw new Error(`${prefix} has no app info`);
  const links = rows<{ condition_id: string; trigger_id: string }>("*", "trg_condition_triggers");
  return {
    ...info,
    prefix,
    invocations: rows("*", "state_backend_invocations"),
    history: rows("*", "state_backend_history", "ORDER BY history_timestamp"),
    results: rows<{ result_data: string }>("*", "state_backend_results").map((row) => row.result_data),
    exceptions: rows<{ exception_data: string }>("*", "state_backend_exceptions").map((row) => row.exception_data),
    client_data: rows("data_key, CAST(data_value AS TEXT) AS text", "client_data"),
    conditions: rows("*", "trg_conditions"),
    triggers: rows<Omit<FixtureApp["triggers"][number], "condition_ids">>("*", "trg_triggers").map((trigger) => ({
      ...trigger,
      condition_ids: links.filter((link) => link.trigger_id === trigger.trigger_id).map((link) => link.condition_id),
    })),
    valid_conditions: rows("*", "trg_valid_conditions"),
    events: rows("*", "trg_events"),
    trigger_runs: rows("*", "trg_trigger_runs"),
  };
}
