/** The reads of one file, and the tables that it has. */
import { tablePrefix } from "../../../pynenc/identifiers.ts";
import type { Bind, Row, Statement } from "../file/connection.ts";
import { storeError } from "../file/failures.ts";
import type { OpenedFile } from "../file/opened-file.ts";
import type { Queries } from "./queries.ts";
import { readSchema } from "./schema.ts";
import { APP_INFO_SUFFIX, AppTables, type FileSchema } from "./tables.ts";

/** Limit of prepared statements: a limit or a size given in an address is a part of their text. */
const MAX_STATEMENTS = 500;

/** Limit of apps whose tables are cached, because requests may name unregistered ids. */
const MAX_CACHED_APPS = 100;

/** Reads of one file. Statements are prepared once per schema. Every method throws StoreUnreachableError if, and only if, the file cannot be read. */
export class SqliteHandle implements Queries {
  readonly #file: OpenedFile;
  #schemaVersion: number | null = null;
  #schema: FileSchema = new Map();
  #statements = new Map<string, Statement>();
  /** By app id, for the current schema. Cached because the prefix of an app contains a hash of its id. */
  #tables = new Map<string, AppTables>();
  #inSnapshot = false;

  constructor(file: OpenedFile) {
    this.#file = file;
  }

  /** Starts a snapshot: all reads until `endSnapshot` see the same state of the file. */
  beginSnapshot(): void {
    this.#guard(() => {
      if (this.#file.reopenedIfReplaced((of) => this.#statement(`PRAGMA ${of}_version`).value())) {
        this.#schemaVersion = null;
        this.#statements.clear();
      }
      this.#file.db.exec("BEGIN");
      this.#inSnapshot = true;
      // Reading the schema version takes the snapshot (BEGIN alone does not) and shows whether cached statements are still valid: pynenc may migrate the file
      // while the monitor runs (storage-format.md 3.8).
      const version = this.#file.db.pragma("schema_version") as number;
      if (version !== this.#schemaVersion) {
        this.#schema = readSchema(this.#file.db);
        this.#statements.clear();
        this.#tables.clear();
        this.#schemaVersion = version;
      }
    });
  }

  endSnapshot(): void {
    if (!this.#inSnapshot) return;
    this.#inSnapshot = false;
    if (!this.#file.db.open || !this.#file.db.inTransaction) return;
    try {
      this.#file.db.exec("COMMIT");
    } catch {
      // The file is damaged, which the failing read has reported. Ends the transaction if SQLite has not.
      if (this.#file.db.inTransaction) this.#file.db.exec("ROLLBACK");
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
    this.#guard(() => this.#file.db.prepare(sql).run(...values));
  }

  /** In SQLite's terms: `wal`, `delete`, ... */
  journalMode(): string {
    return this.#guard(() => String(this.#file.db.pragma("journal_mode")));
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
    this.#file.close();
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      statement = this.#file.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw storeError(error, this.#file.path);
    }
  }
}
