/** A connection to SQLite, independent of the library. */

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
