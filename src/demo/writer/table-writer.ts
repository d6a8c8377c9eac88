import type { Bind, Connection, Statement } from "../../stores/sqlite/file/connection.ts";
import {
  createSchema,
  type Layout,
  NEWEST_LAYOUT,
  type TableKey,
  tableColumns,
  tableKeys,
  tableName,
} from "./schema.ts";

/** Columns of one table and their values. Values without a column in the layout are ignored. */
export type Row = Readonly<Record<string, Bind>>;

/** The latest insertion into a table: rows of a table nearly always have the same columns, and to put together and look up the SQL takes longer than to insert. */
interface Insertion {
  /** Columns of the row, in its order. */
  given: readonly string[];
  /** Those that the layout has. */
  columns: readonly string[];
  statement: Statement;
}

/** Writes the tables of one app in a layout, creating them like pynenc's components. Columns and tables missing in the layout are ignored. */
export class TableWriter {
  readonly db: Connection;
  readonly appId: string;
  readonly layout: Layout;
  /** Whether queues have names and messages have priorities. */
  readonly namedQueues: boolean;
  readonly #tables: Readonly<Record<TableKey, string>>;
  protected readonly columns: Readonly<Record<TableKey, readonly string[]>>;
  readonly #statements = new Map<string, Statement>();
  readonly #insertions = new Map<string, Insertion>();

  constructor(db: Connection, appId: string, layout: Layout = NEWEST_LAYOUT) {
    this.db = db;
    this.appId = appId;
    this.layout = layout;
    createSchema(db, appId, layout);
    this.#tables = perTable((key) => tableName(appId, key));
    this.columns = perTable((key) => tableColumns(key, layout));
    this.namedQueues = this.columns.broker_message_queue.includes("queue_name");
  }

  /** Sends what was written, as one transaction, where that is not done on the way. */
  async send(): Promise<void> {}

  /** Takes over what others changed, where the data are not read from their place. */
  async readBack(): Promise<void> {}

  async close(): Promise<void> {
    this.db.close();
  }

  table(key: TableKey): string {
    return this.#tables[key];
  }

  /** A statement for this app, prepared once. `$client_data` is the app's table of that key. */
  statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql.replace(/\$(\w+)/g, (_, key: TableKey) => this.table(key)));
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Rows with the columns that the caller expects. */
  all<T>(sql: string, ...values: Bind[]): T[] {
    return this.statement(sql).all(...values) as T[];
  }

  /** The first row, or null. */
  one<T>(sql: string, ...values: Bind[]): T | null {
    return (this.statement(sql).get(...values) as T | undefined) ?? null;
  }

  run(sql: string, ...values: Bind[]): void {
    this.statement(sql).run(...values);
  }

  /** Changes the columns that the layout has, in the rows with this value; false if it has none of them. */
  protected update(key: TableKey, column: string, value: string, changes: Row): boolean {
    const names = Object.keys(changes).filter((name) => this.columns[key].includes(name));
    if (names.length === 0) return false;
    const sql = `UPDATE $${key} SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE ${column} = ?`;
    this.run(sql, ...names.map((name) => changes[name] ?? null), value);
    return true;
  }

  /** Deletes the rows with this value. */
  remove(key: TableKey, column: string, value: string | number): void {
    this.run(`DELETE FROM $${key} WHERE ${column} = ?`, value);
  }

  /** Adds a row that the writer itself never reads again. */
  add(key: TableKey, row: Row): void {
    this.insert(key, "ABORT", row);
  }

  /** Inserts the columns that the layout has. Returns the number of rows inserted. */
  protected insert(key: TableKey, conflict: "ABORT" | "IGNORE" | "REPLACE", row: Row): number {
    const given = Object.keys(row);
    const place = `${conflict} ${key}`;
    let insertion = this.#insertions.get(place);
    if (insertion === undefined || !sameWords(insertion.given, given)) {
      const columns = given.filter((column) => this.columns[key].includes(column));
      if (columns.length === 0) return 0;
      const sql = `INSERT OR ${conflict} INTO $${key} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
      insertion = { given, columns, statement: this.statement(sql) };
      this.#insertions.set(place, insertion);
    }
    return insertion.statement.run(...insertion.columns.map((column) => row[column] ?? null));
  }
}

function sameWords(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((word, i) => word === others[i]);
}

function perTable<T>(value: (key: TableKey) => T): Record<TableKey, T> {
  return Object.fromEntries(tableKeys().map((key) => [key, value(key)])) as Record<TableKey, T>;
}
