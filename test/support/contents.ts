/** Every row of a database, by table: what an action changed and what it left alone. */

import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";

export type Contents = Record<string, string[]>;

export function contentsOf(path: string): Contents {
  const db = openDatabase(path, { mode: "read" });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .column();
    return Object.fromEntries(
      (tables as string[]).map((name) => [
        name,
        db
          .prepare(`SELECT * FROM "${name}"`)
          .all()
          .map((row) => JSON.stringify(row))
          .sort(),
      ]),
    );
  } finally {
    db.close();
  }
}

/** How many rows each table lost (negative) or won; tables with the same rows are left out. */
export function changes(before: Contents, after: Contents): Record<string, number> {
  const names = Object.keys({ ...before, ...after });
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, (after[name]?.length ?? 0) - (before[name]?.length ?? 0)]),
  );
}

/** `orchestrator_invocations` for the full name; other apps' tables keep theirs. */
export function changesOf(appId: string, before: Contents, after: Contents): Record<string, number> {
  const prefix = `${tablePrefix(appId)}__`;
  return Object.fromEntries(
    Object.entries(changes(before, after)).map(([name, n]) => [
      name.startsWith(prefix) ? name.slice(prefix.length) : name,
      n,
    ]),
  );
}
