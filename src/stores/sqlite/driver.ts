/**
 * The seam to SQLite: what a connection can do, whichever library does it. Node 22.13 and newer bring `node:sqlite`; on Node 20 it is
 * better-sqlite3, an optional peer. Only the two driver files beside this one name a library.
 *
 * What the libraries differ in ends here (`test/stores/sqlite/driver.test.ts` runs on both): rows are plain objects, integers beyond 2^53
 * are the nearest double, blobs are read as text, values are bound by position (`?`), errors are `SqliteError` with SQLite's own names. Iteration, named
 * or numbered values and user functions are not offered: nothing needs them and the libraries disagree about them.
 */
import { betterSqlite3 } from "./driver-better-sqlite3.ts";
import { nodeSqlite } from "./driver-node.ts";

/** A value as it is bound. Numbers are bound as doubles; a column with INTEGER affinity stores a whole one as an integer. */
export type Bind = string | number | bigint | Uint8Array | null;

/** A row: text, number or null by column name. Of columns with the same name the last one wins. */
export type Row = Record<string, unknown>;

/** A prepared statement. It may be used until its connection is closed. `T` is what the caller knows of the columns; nothing checks it. */
export interface Statement {
  all<T extends object = Row>(...values: Bind[]): T[];
  get<T extends object = Row>(...values: Bind[]): T | undefined;
  /** First column of every row. */
  column(...values: Bind[]): unknown[];
  /** First column of the first row; undefined when there is none. */
  value(...values: Bind[]): unknown;
  /** Number of rows that were inserted, updated or deleted. */
  run(...values: Bind[]): number;
}

/** One connection. Every method throws `SqliteError` when SQLite does. */
export interface Connection {
  readonly open: boolean;
  readonly inTransaction: boolean;
  /** Runs statements that answer nothing. */
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** `PRAGMA <text>`: the first column of its first row, undefined when it answers none. */
  pragma(text: string): unknown;
  /** Ends the connection and its statements; may be called again. */
  close(): void;
}

/**
 * `read`: an existing file that is never written, not by SQLite's own housekeeping either. `write`: an existing file. `create`: a file that
 * is made when it is missing; `:memory:` is a database of this connection alone.
 */
export type OpenMode = "read" | "write" | "create";

export interface OpenOptions {
  mode: OpenMode;
  /** How long a statement waits for another connection's lock. 5 s unless said otherwise; 0 fails at once. */
  busyTimeoutMs?: number;
}

/** A library behind the seam. */
export interface SqliteDriver {
  readonly name: "node:sqlite" | "better-sqlite3";
  open(path: string, options: Required<OpenOptions>): Connection;
}

const BUSY_TIMEOUT_MS = 5_000;

let loaded: SqliteDriver | null = null;

/**
 * The library of this process: the one that Node brings, else better-sqlite3.
 *
 * @throws StoreUnreachableError when there is neither.
 */
export function sqliteDriver(): SqliteDriver {
  loaded ??= nodeSqlite() ?? betterSqlite3();
  return loaded;
}

/**
 * Opens a database.
 *
 * @throws SqliteError when SQLite cannot; StoreUnreachableError when there is no library.
 */
export function openDatabase(path: string, { mode, busyTimeoutMs = BUSY_TIMEOUT_MS }: OpenOptions): Connection {
  return sqliteDriver().open(path, { mode, busyTimeoutMs });
}

/** Runs `work` between BEGIN IMMEDIATE and COMMIT; what it throws takes everything back. */
export function inImmediateTransaction<T>(connection: Connection, work: () => T): T {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite ends a transaction by itself when the disk is full or a page cannot be read.
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}
