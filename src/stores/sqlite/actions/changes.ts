/**
 * What an action may do to a file. There are two of them: in a transaction (transaction.ts) rows go and come; in a preview they are only
 * counted, in the snapshot of the page. An action is written once, against this interface, so that a preview cannot promise anything else.
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
  /** Deletes the rows that `from`, the text behind FROM, selects. Answers how many. */
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

/** Counts what would go. */
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

/** Makes an empty temporary table; also when one of that name is left from a preview that failed. */
export function freshTable(changes: Changes, name: string, columns: string): void {
  changes.scratch(`DROP TABLE IF EXISTS temp.${name}`);
  changes.scratch(`CREATE TEMP TABLE ${name} (${columns}) WITHOUT ROWID`);
}
