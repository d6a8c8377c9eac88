/** One read-only connection to one file, with the precautions of storage-format.md 3.8. */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { tablePrefix } from "../../../pynenc/identifiers.ts";
import type { Bind, Connection, Row, Statement } from "../file/connection.ts";
import { openDatabase } from "../file/driver.ts";
import { storeError } from "../file/failures.ts";
import { type FileState, FileWatch, fileState } from "../file/file-watch.ts";
import type { Queries } from "./queries.ts";
import { readSchema } from "./schema.ts";
import { APP_INFO_SUFFIX, AppTables, type FileSchema } from "./tables.ts";

/** How long a read waits for a lock. Short, because it blocks the thread. */
const READ_BUSY_TIMEOUT_MS = 250;

/**
 * Page cache of a connection. The operating system caches the file too: with 16 MB no page was faster with 1 million invocations, and the server used
 * 30 MB more.
 */
const CACHE_KIB = 8_000;

/** Limit of prepared statements: a limit or a size given in an address is a part of their text. */
const MAX_STATEMENTS = 500;

/** Limit of apps whose tables are cached, because requests may name unregistered ids. */
const MAX_CACHED_APPS = 100;

/** Reads of one file. Statements are prepared once per schema. Every method throws StoreUnreachableError if, and only if, the file cannot be read. */
export class SqliteHandle implements Queries {
  readonly path: string;
  readonly #watch: FileWatch;
  #db: Connection;
  /** Set if the file is in a folder where SQLite cannot create its `-shm` file: then a private copy is read. */
  #copy: PrivateCopy | null;
  #schemaVersion: number | null = null;
  #schema: FileSchema = new Map();
  #statements = new Map<string, Statement>();
  /** By app id, for the current schema. Cached because the prefix of an app contains a hash of its id. */
  #tables = new Map<string, AppTables>();
  #inSnapshot = false;

  constructor(path: string) {
    this.path = path;
    this.#watch = new FileWatch(path);
    const { db, copy, state } = this.#open();
    this.#db = db;
    this.#copy = copy;
    this.#watch.opened(state);
  }

  /** Starts a snapshot: all reads until `endSnapshot` see the same state of the file. */
  beginSnapshot(): void {
    this.#guard(() => {
      this.#reopenIfReplaced();
      this.#db.exec("BEGIN");
      this.#inSnapshot = true;
      // Reading the schema version takes the snapshot (BEGIN alone does not) and shows whether cached statements are still valid: pynenc may migrate the file
      // while the monitor runs (storage-format.md 3.8).
      const version = this.#db.pragma("schema_version") as number;
      if (version !== this.#schemaVersion) {
        this.#schema = readSchema(this.#db);
        this.#statements.clear();
        this.#tables.clear();
        this.#schemaVersion = version;
      }
    });
  }

  endSnapshot(): void {
    if (!this.#inSnapshot) return;
    this.#inSnapshot = false;
    if (!this.#db.open || !this.#db.inTransaction) return;
    try {
      this.#db.exec("COMMIT");
    } catch {
      // The file is damaged, which the failing read has reported. Ends the transaction if SQLite has not.
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
    }
  }

  all<T extends Row = Row>(sql: string, ...values: Bind[]): T[] {
    return this.#guard(() => this.#statement(sql).all(...values) as T[]);
  }

  get<T extends Row = Row>(sql: string, ...values: Bind[]): T | undefined {
    return this.#guard(() => this.#statement(sql).get(...values) as T | undefined);
  }

  number(sql: string, ...values: Bind[]): number {
    const value = this.#guard(() => this.#statement(sql).value(...values));
    return typeof value === "number" ? value : 0;
  }

  /** A statement that only changes temporary tables, which a read-only connection can have too. */
  scratch(sql: string, ...values: Bind[]): void {
    this.#guard(() => this.#db.prepare(sql).run(...values));
  }

  /** In SQLite's terms: `wal`, `delete`, ... */
  journalMode(): string {
    return this.#guard(() => String(this.#db.pragma("journal_mode")));
  }

  tables(appId: string): AppTables {
    let tables = this.#tables.get(appId);
    if (tables === undefined) {
      if (this.#tables.size >= MAX_CACHED_APPS) this.#tables.clear();
      tables = this.#tablesWith(tablePrefix(appId));
      this.#tables.set(appId, tables);
    }
    return tables;
  }

  /** Tables of every app registered in this file. */
  registeredTables(): AppTables[] {
    return [...this.#schema.keys()]
      .filter((name) => name.endsWith(APP_INFO_SUFFIX))
      .map((name) => this.#tablesWith(name.slice(0, -APP_INFO_SUFFIX.length)));
  }

  /** The file has tables of these names, which no app of pynenc has: those begin with its prefix. */
  hasTables(names: readonly string[]): boolean {
    return names.every((name) => this.#schema.has(name));
  }

  #tablesWith(prefix: string): AppTables {
    return new AppTables(prefix, this.#schema);
  }

  close(): void {
    this.#db.close();
    this.#copy?.remove();
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw storeError(error, this.path);
    }
  }

  #reopenIfReplaced(): void {
    // A handle of a replaced file would read outdated data.
    const replaced =
      this.#copy?.outdated() ?? this.#watch.replaced((of) => this.#statement(`PRAGMA ${of}_version`).value());
    if (!replaced) return;
    // Keep the old handle until the new one is open: if that fails, the file may be replaced again, even by the old one.
    const { db, copy, state } = this.#open();
    this.close();
    this.#watch.opened(state);
    this.#db = db;
    this.#copy = copy;
    this.#schemaVersion = null;
    this.#statements.clear();
  }

  #open(): OpenedFile {
    return this.#guard(() => {
      const state = fileState(this.path);
      try {
        return { db: openReadOnly(this.path), state, copy: null };
      } catch (error) {
        if (!isMissingSharedMemory(error, this.path)) throw error;
        return { ...openCopy(this.path), state };
      }
    });
  }
}

interface OpenedFile {
  db: Connection;
  /** Of the file before it was opened. */
  state: FileState;
  copy: PrivateCopy | null;
}

function openCopy(path: string): Omit<OpenedFile, "state"> {
  const copy = new PrivateCopy(path);
  try {
    return { db: openReadOnly(copy.path), copy };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

function openReadOnly(path: string): Connection {
  const db = openDatabase(path, { mode: "read", busyTimeoutMs: READ_BUSY_TIMEOUT_MS });
  try {
    // The first statement that reads pages: a file that is not a database, or an unreadable WAL, fails here and not later.
    db.pragma("schema_version");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma("temp_store = MEMORY");
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** SQLite reports "unable to open" if a WAL database has no `-shm` file and none can be created in its folder (storage-format.md 3.8). */
function isMissingSharedMemory(error: unknown, path: string): boolean {
  const code = (error as { code?: string }).code ?? "";
  return (code.startsWith("SQLITE_CANTOPEN") || code === "SQLITE_READONLY_DIRECTORY") && existsSync(path);
}

/** Copy of a database and its WAL in a private folder, for files in read-only places. */
class PrivateCopy {
  readonly path: string;
  readonly #folder: string;
  readonly #source: string;
  readonly #stamp: string;

  constructor(source: string) {
    this.#source = source;
    this.#stamp = stampOf(source);
    this.#folder = mkdtempSync(join(tmpdir(), "pynenc-monitor-"));
    this.path = join(this.#folder, basename(source));
    try {
      for (const end of ["", "-wal"]) {
        if (end !== "" && !existsSync(source + end)) continue;
        copyFileSync(source + end, this.path + end);
        // Private like its folder, whatever the mode of the original.
        chmodSync(this.path + end, 0o600);
      }
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** @throws StoreUnreachableError as `fileState` */
  outdated(): boolean {
    fileState(this.#source);
    return stampOf(this.#source) !== this.#stamp;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function stampOf(path: string): string {
  return [path, `${path}-wal`]
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : "-";
    })
    .join("|");
}
