/**
 * The changes an action can make to a file. There are two implementations: in a transaction (transaction.ts) rows are deleted and inserted; in a
 * preview they are only counted, in the page's snapshot. Each action is written once against this interface, so a preview cannot differ from the
 * action.
 */
import type { ComponentName } from "../../ports/common.ts";
import type { Bind } from "../file/connection.ts";
import { rowsOf } from "../tables/figures.ts";
import type { SqliteHandle } from "../tables/handle.ts";
import type { Queries } from "../tables/queries.ts";
import type { AppTables } from "../tables/tables.ts";

export interface Changes extends Queries {
  /** A statement that changes temporary tables only. */
  scratch(sql: string, ...values: Bind[]): void;
  /** Deletes the rows selected by the FROM clause `from`. Returns how many. */
  erase(from: string, ...values: Bind[]): number;
  /** Deletes all rows of a table. */
  empty(table: string): { rows: number; exact: boolean };
  insert(table: string, row: Readonly<Record<string, Bind>>, onConflict?: "ABORT" | "IGNORE"): void;
}

/** The file and the tables of one component of the app. */
export interface ComponentAccess {
  changes: Changes;
  tables: AppTables;
}

export type Access = (component: ComponentName) => ComponentAccess;

/** Counts what would be deleted. */
export function previewChanges(handle: SqliteHandle): Changes {
  return {
    all: (sql, ...values) => handle.all(sql, ...values),
    get: (sql, ...values) => handle.get(sql, ...values),
    number: (sql, ...values) => handle.number(sql, ...values),
    scratch: (sql, ...values) => handle.scratch(sql, ...values),
    erase: (from, ...values) => handle.number(`SELECT count(*) FROM ${from}`, ...values),
    empty: (table) => rowsOf(handle, table),
    insert: () => undefined,
  };
}

/** Creates an empty temporary table, replacing one left by a failed preview. */
export function freshTable(changes: Changes, name: string, columns: string): void {
  changes.scratch(`DROP TABLE IF EXISTS temp.${name}`);
  changes.scratch(`CREATE TEMP TABLE ${name} (${columns}) WITHOUT ROWID`);
}
