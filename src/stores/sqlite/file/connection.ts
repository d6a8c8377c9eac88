/** A connection to SQLite, independent of the library. */

/** A bound value. Numbers are bound as doubles; a column with INTEGER affinity stores whole numbers as integers. */
export type Bind = string | number | bigint | Uint8Array | null;

/** A row: text, number or null by column name. If columns have the same name, the last one wins. */
export type Row = Record<string, unknown>;

/** A prepared statement, usable until its connection is closed. `T` is the caller's assertion about the columns; it is not checked. */
export interface Statement {
  all<T extends object = Row>(...values: Bind[]): T[];
  get<T extends object = Row>(...values: Bind[]): T | undefined;
  /** First column of every row. */
  column(...values: Bind[]): unknown[];
  /** First column of the first row; undefined if there is none. */
  value(...values: Bind[]): unknown;
  /** Returns the number of rows inserted, updated or deleted. */
  run(...values: Bind[]): number;
}

/** One connection. Every method throws `SqliteError` for errors of SQLite. */
export interface Connection {
  readonly open: boolean;
  readonly inTransaction: boolean;
  /** Runs statements without results. */
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** `PRAGMA <text>`: the first column of its first row; undefined if it returns none. */
  pragma(text: string): unknown;
  /** Closes the connection and its statements; may be called repeatedly. */
  close(): void;
}

/**
 * `read`: an existing file that is never written, not even by SQLite's own housekeeping. `write`: an existing file. `create`: a file that is created
 * if missing; `:memory:` is a private database of this connection.
 */
export type OpenMode = "read" | "write" | "create";

export interface OpenOptions {
  mode: OpenMode;
  /** How long a statement waits for another connection's lock. 5 s unless said otherwise; 0 fails at once. */
  busyTimeoutMs?: number;
}

/** A SQLite library. */
export interface SqliteDriver {
  readonly name: "node:sqlite" | "better-sqlite3";
  open(path: string, options: Required<OpenOptions>): Connection;
}
