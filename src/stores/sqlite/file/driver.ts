/**
 * Access to SQLite independent of the library. Node 22.13 and newer include `node:sqlite`; on Node 20 it is better-sqlite3, an optional peer
 * dependency. Only the two driver files in this folder import a library.
 *
 * The drivers hide the differences (`test/stores/sqlite/file/driver.test.ts` runs on both): rows are plain objects, integers beyond 2^53 are the
 * nearest double, blobs are read as text, values are bound by position (`?`), errors are `SqliteError` with SQLite's own names. Iteration, named or
 * numbered values and user functions are not supported: nothing needs them and the libraries differ there.
 */
import type { Connection, OpenOptions, SqliteDriver } from "./connection.ts";
import { betterSqlite3 } from "./driver-better-sqlite3.ts";
import { nodeSqlite } from "./driver-node.ts";

const BUSY_TIMEOUT_MS = 5_000;

let loaded: SqliteDriver | null = null;

/**
 * The library of this process: the one built into Node, else better-sqlite3.
 *
 * @throws StoreUnreachableError if there is neither.
 */
export function sqliteDriver(): SqliteDriver {
  loaded ??= nodeSqlite() ?? betterSqlite3();
  return loaded;
}

/**
 * Opens a database.
 *
 * @throws SqliteError if SQLite cannot open it; StoreUnreachableError if there is no library.
 */
export function openDatabase(path: string, { mode, busyTimeoutMs = BUSY_TIMEOUT_MS }: OpenOptions): Connection {
  return sqliteDriver().open(path, { mode, busyTimeoutMs });
}

/** Runs `work` between BEGIN IMMEDIATE and COMMIT; rolls back if it throws. */
export function inImmediateTransaction<T>(connection: Connection, work: () => T): T {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite itself ends a transaction if the disk is full or a page cannot be read.
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}
