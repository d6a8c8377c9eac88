/** The real databases in test/fixtures and what must be found in them. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";

export type FixtureName = "kitchen_sink.db" | "kitchen_sink_023.db" | "pending_triggers.db" | "queues_040.db";

/** Facts of one app, computed from the rows by an independent program. Instants are epoch seconds. */
export interface AppFacts {
  prefix: string;
  statuses: Record<string, number>;
  tasks: Record<string, number>;
  queue: number;
  history_rows: number;
  window: [number, number];
  calls: number;
  /** By class; that of programs that only call tasks is `ExternalRunner`. */
  runner_contexts: Record<string, number>;
  heartbeats: number;
  retries: Record<string, number>;
  workflow_types: Record<string, number>;
  blocking: [string, string][];
  client_data: number;
  executions?: Record<string, number>;
  events?: number;
  events_matched?: number;
  events_triggered?: number;
  event_codes?: Record<string, number>;
  trigger_runs?: number;
  /** Participants of trigger runs by context type. */
  participants?: Record<string, number>;
  triggers?: number;
  conditions?: number;
  valid_conditions?: number;
  with_children: number;
}

const FOLDER = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** Of a log among the fixtures: to be read, not changed. */
export function fixturePath(name: string): string {
  return join(FOLDER, name);
}

export const FACTS = JSON.parse(readFileSync(join(FOLDER, "facts.json"), "utf8")) as Record<
  FixtureName,
  Record<string, AppFacts>
>;

export const FIXTURE_NAMES = Object.keys(FACTS) as FixtureName[];

export function factsOf(fixture: FixtureName, appId: string): AppFacts {
  const facts = FACTS[fixture][appId];
  if (facts === undefined) throw new Error(`no facts for ${appId} in ${fixture}`);
  return facts;
}

/** The present of the data: heartbeats and presets are judged against the end of its window. */
export function presentOf(fixture: FixtureName): number {
  return Math.max(...Object.values(FACTS[fixture]).map((facts) => facts.window[1]));
}

/** A private folder that is removed by `remove`. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "pynenc-monitor-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Copies a fixture: opening a database in WAL mode writes beside it, and tests change their copies. */
export function copyFixture(
  fixture: FixtureName | `cases/${string}.db`,
  folder: string,
  name: string = basename(fixture),
): string {
  const path = join(folder, name);
  copyFileSync(join(FOLDER, fixture), path);
  return path;
}

/** Makes an app the only registered one of a file, so that its addresses are short. The data of the others stays. */
export function registerOnly(path: string, appId: string): void {
  const db = openDatabase(path, { mode: "write" });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE name LIKE '%app_info'").all() as { name: string }[];
    for (const { name } of tables) if (!name.startsWith(`${tablePrefix(appId)}__`)) db.exec(`DROP TABLE "${name}"`);
  } finally {
    db.close();
  }
}

/** SQL that gives a table of messages, by its full name, a required column that no known layout has. */
export function queueOfTomorrow(table: string): string {
  return `DROP TABLE IF EXISTS "${table}";
    CREATE TABLE "${table}" (id INTEGER PRIMARY KEY AUTOINCREMENT, invocation_id TEXT NOT NULL, queue_name TEXT NOT NULL,
      priority REAL NOT NULL, lease TEXT NOT NULL, created_at REAL NOT NULL DEFAULT (julianday('now')))`;
}

export function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, n) => total + n, 0);
}
