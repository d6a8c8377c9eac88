/** The driver for Node 22.13 and newer: the built-in `node:sqlite`. */
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Bind, Connection, OpenMode, Row, SqliteDriver, Statement } from "./connection.ts";
import { type ArrayRow, readable, rowFrom } from "./driver-rows.ts";
import { resultCodeName, SqliteError } from "./sqlite-error.ts";

/**
 * The part of `node:sqlite` that is used. Declared here because the types of the oldest supported Node lack it, and because versions differ: members
 * added after 22.13 are optional.
 */
interface NativeStatement {
  all(...values: Bind[]): unknown[];
  get(...values: Bind[]): unknown;
  run(...values: Bind[]): { changes: number | bigint };
  setReadBigInts(on: boolean): void;
  /** Since 22.16 and 24.0. */
  setReturnArrays?(on: boolean): void;
  /** Since 22.16 and 23.11. */
  columns?(): { name: string }[];
}

interface NativeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NativeStatement;
  close(): void;
  /** Since 22.16 and 24.0. */
  readonly isTransaction?: boolean;
}

interface NativeModule {
  DatabaseSync: new (path: string | URL, options?: { readOnly?: boolean; timeout?: number }) => NativeDatabase;
}

/** Null if Node has no SQLite, or only behind a flag. */
export function nodeSqlite(): SqliteDriver | null {
  const native = loadQuietly();
  if (native === null) return null;
  return {
    name: "node:sqlite",
    open(path, { mode, busyTimeoutMs }) {
      const connection = new NodeConnection(openNative(native, path, mode));
      // Set by pragma, because the option `timeout` exists only since 22.16. It does not read the file.
      connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
      return connection;
    },
  };
}

/** Suppresses the ExperimentalWarning of Node 22 and early 24 on first use, which users would take for a bug. */
function loadQuietly(): NativeModule | null {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    // Older versions of Node and their types do not know the name.
    return (process.getBuiltinModule("node:sqlite" as "node:fs") as unknown as NativeModule | undefined) ?? null;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function openNative(native: NativeModule, path: string, mode: OpenMode): NativeDatabase {
  return translated(() => {
    if (mode === "read") return new native.DatabaseSync(path, { readOnly: true });
    if (mode === "create") return new native.DatabaseSync(path);
    return openExisting(native, path);
  });
}

/** Opens without creating a missing file. Only a URI can request that, and Node accepts URIs since 22.15. */
function openExisting(native: NativeModule, path: string): NativeDatabase {
  const address = pathToFileURL(path);
  address.search = "?mode=rw";
  try {
    return new native.DatabaseSync(address);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_INVALID_ARG_TYPE") throw error;
    if (!statSync(path, { throwIfNoEntry: false })) {
      throw new SqliteError("SQLITE_CANTOPEN", "unable to open database file");
    }
    return new native.DatabaseSync(path);
  }
}

class NodeConnection implements Connection {
  #native: NativeDatabase | null;

  constructor(native: NativeDatabase) {
    this.#native = native;
  }

  get open(): boolean {
    return this.#native !== null;
  }

  get inTransaction(): boolean {
    if (this.#native === null) return false;
    const { isTransaction } = this.#native;
    if (isTransaction !== undefined) return isTransaction;
    // Up to 22.15 it cannot be queried. Try BEGIN: it fails inside a transaction, and otherwise takes no lock.
    try {
      this.#native.exec("BEGIN");
    } catch {
      return true;
    }
    this.#native.exec("ROLLBACK");
    return false;
  }

  exec(sql: string): void {
    translated(() => this.#database().exec(sql));
  }

  prepare(sql: string): Statement {
    return translated(() => new NodeStatement(this.#database().prepare(sql)));
  }

  pragma(text: string): unknown {
    return this.prepare(`PRAGMA ${text}`).value();
  }

  close(): void {
    this.#native?.close();
    this.#native = null;
  }

  #database(): NativeDatabase {
    if (this.#native === null) throw new Error("the database connection is closed");
    return this.#native;
  }
}

/**
 * Reads rows as arrays, where Node can, and converts them to objects here: for 500 rows of six columns this took 560 us, Node's own objects 670 us
 * (Node 22.23 and 24.21). The objects are ordinary and share one shape.
 */
class NodeStatement implements Statement {
  readonly #native: NativeStatement;
  /** Up to 22.15 rows are objects, without a prototype. */
  readonly #arrays: boolean;
  #names: string[] = [];

  constructor(native: NativeStatement) {
    this.#native = native;
    this.#arrays = native.setReturnArrays !== undefined && native.columns !== undefined;
    if (this.#arrays) native.setReturnArrays?.(true);
  }

  all<T extends object = Row>(...values: Bind[]): T[] {
    const rows = this.#rows(values);
    const names = this.#namesFor(rows[0]);
    return rows.map((row) => rowFrom(names, this.#valuesOf(row)) as T);
  }

  get<T extends object = Row>(...values: Bind[]): T | undefined {
    const row = this.#first(values);
    return row === undefined ? undefined : (rowFrom(this.#namesFor(row), this.#valuesOf(row)) as T);
  }

  column(...values: Bind[]): unknown[] {
    return this.#rows(values).map((row) => readable(this.#valuesOf(row)[0]));
  }

  value(...values: Bind[]): unknown {
    const row = this.#first(values);
    return row === undefined ? undefined : readable(this.#valuesOf(row)[0]);
  }

  run(...values: Bind[]): number {
    return translated(() => Number(this.#native.run(...values).changes));
  }

  #rows(values: readonly Bind[]): object[] {
    return read(this.#native, () => this.#native.all(...values) as object[]);
  }

  #first(values: readonly Bind[]): object | undefined {
    return read(this.#native, () => this.#native.get(...values) as object | undefined);
  }

  #valuesOf(row: object): ArrayRow {
    return this.#arrays ? (row as ArrayRow) : Object.values(row);
  }

  /** Column names are read once, and again if the table of a `SELECT *` has a different number of columns since. */
  #namesFor(row: object | undefined): string[] {
    if (row !== undefined && !this.#arrays) return Object.keys(row);
    if (row !== undefined && (row as ArrayRow).length !== this.#names.length) {
      this.#names = this.#native.columns?.().map(({ name }) => name) ?? [];
    }
    return this.#names;
  }
}

/** Node throws for integers beyond 2^53 unless all integers are read as bigint. Then the rows are read again that way and rounded. */
function read<T>(statement: NativeStatement, rows: () => T): T {
  try {
    return rows();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_OUT_OF_RANGE") throw sqliteError(error);
  }
  statement.setReadBigInts(true);
  try {
    return withoutBigInts(rows()) as T;
  } catch (error) {
    throw sqliteError(error);
  } finally {
    statement.setReadBigInts(false);
  }
}

function withoutBigInts(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(withoutBigInts);
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutBigInts(one)]));
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw sqliteError(error);
  }
}

/** Node's errors contain the number of SQLite's result code. Any other error (a closed connection, a value of a wrong type) is a defect. */
function sqliteError(error: unknown): unknown {
  const { code, errcode, message } = error as { code?: unknown; errcode?: unknown; message?: string };
  if (code !== "ERR_SQLITE_ERROR" || typeof errcode !== "number") return error;
  return new SqliteError(resultCodeName(errcode), message ?? "", { cause: error });
}
