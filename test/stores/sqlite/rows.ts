/** A file as it is stored, to compare it before and after an action. */

import { afterAll } from "vitest";
import { connectStore } from "../../../src/stores/connect.ts";
import type { ComponentName } from "../../../src/stores/ports/common.ts";
import type { Store } from "../../../src/stores/ports/store.ts";
import type { Bind, Connection } from "../../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../../src/stores/sqlite/file/driver.ts";
import { copyFixture, type FixtureName, temporaryFolder } from "../../support/fixtures.ts";

/** Rows by table; each row is the quoted text of all its columns, so that 1, 1.0, '1' and x'31' differ. */
export type RowSets = Record<string, string[]>;

/** Every table of the file, `sqlite_sequence` and the schema included. Rows are sorted. */
export function rowSets(path: string): RowSets {
  return inspect(path, (db) => {
    const names = ["sqlite_schema", ...tablesOf(db)];
    return Object.fromEntries(names.map((name) => [name, quotedRows(db, name)]));
  });
}

/** Rows of one table that meet a condition, in the form of `rowSets`. @param where may say `@` for the prefix of the tables. */
export function rowsWhere(path: string, table: string, where: string, ...values: Bind[]): string[] {
  return inspect(path, (db) => quotedRows(db, table, where, values));
}

export function inspect<T>(path: string, look: (db: Connection) => T): T {
  const db = openDatabase(path, { mode: "read" });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

/** Changes a file as somebody else. A statement may come with values. */
export function change(path: string, ...statements: (string | [sql: string, ...values: Bind[]])[]): void {
  const db = openDatabase(path, { mode: "write" });
  try {
    for (const statement of statements) {
      const [sql, ...values] = typeof statement === "string" ? [statement] : statement;
      db.prepare(sql).run(...values);
    }
  } finally {
    db.close();
  }
}

/** Switches a file to another journal; pynenc's own files are in WAL mode. */
export function setJournal(path: string, mode: "WAL" | "DELETE"): void {
  const db = openDatabase(path, { mode: "write" });
  try {
    if (db.pragma(`journal_mode = ${mode}`) !== mode.toLowerCase()) throw new Error("it stays");
  } finally {
    db.close();
  }
}

export function integrity(path: string): unknown {
  return inspect(path, (db) => db.pragma("integrity_check"));
}

/** A folder for the copies of one test file. */
export function copies(): (fixture: FixtureName) => string {
  const folder = temporaryFolder();
  afterAll(folder.remove);
  let made = 0;
  return (fixture) => copyFixture(fixture, folder.path, `${made++}-${fixture}`);
}

export interface OpenOptions {
  threads?: number;
  lockWait?: number;
  readOnly?: boolean;
  components?: Partial<Record<ComponentName, string>>;
}

/** Opens a store for the time of `work`. */
export async function withStore<T>(
  path: string,
  work: (store: Store) => Promise<T>,
  { threads = 0, lockWait = 5, readOnly = false, components = {} }: OpenOptions = {},
): Promise<T> {
  const files = new Map(Object.entries(components) as [ComponentName, string][]);
  const store = await connectStore({ kind: "sqlite", path, components: files }, { threads, lockWait, readOnly });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** What went, by table; only tables that lost rows. */
export function lostRows(before: RowSets, after: RowSets): RowSets {
  return differences(before, after);
}

/** What came, by table; only tables that gained rows. */
export function gainedRows(before: RowSets, after: RowSets): RowSets {
  return differences(after, before);
}

function differences(from: RowSets, without: RowSets): RowSets {
  const found = Object.entries(from).map(([name, rows]): [string, string[]] => {
    const left = [...(without[name] ?? [])];
    return [
      name,
      rows.filter((row) => {
        const at = left.indexOf(row);
        if (at >= 0) left.splice(at, 1);
        return at < 0;
      }),
    ];
  });
  return Object.fromEntries(found.filter(([, rows]) => rows.length > 0));
}

function tablesOf(db: Connection): string[] {
  return db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").column() as string[];
}

function quotedRows(db: Connection, table: string, where = "1", values: Bind[] = []): string[] {
  const columns = db.prepare("SELECT name FROM pragma_table_info(?)").column(table) as string[];
  const all = columns.map((column) => `quote("${column}")`).join(" || ',' || ");
  const rows = db.prepare(`SELECT ${all} FROM "${table}" WHERE ${where}`).column(...values) as string[];
  return rows.sort();
}
