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

  constructor(db: Connection, appId: string, layout: Layout = NEWEST_LAYOUT) {
    this.db = db;
    this.appId = appId;
    this.layout = layout;
    createSchema(db, appId, layout);
    this.#tables = perTable((key) => tableName(appId, key));
    this.columns = perTable((key) => tableColumns(key, layout));
    this.namedQueues = this.columns.broker_message_queue.includes("queue_name");
  }

  table(key: TableKey): string {
    return this.#tables[key];
  }

  /** A statement for this app, prepared once. */
  statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  protected run(sql: string, ...values: (string | number | null)[]): void {
    this.statement(sql).run(...values);
  }

  /** Deletes the rows with this value. */
  remove(key: TableKey, column: string, value: string | number): void {
    this.run(`DELETE FROM ${this.table(key)} WHERE ${column} = ?`, value);
  }

  /** Inserts the columns that the layout has. Returns the number of rows inserted. */
  protected insert(key: TableKey, conflict: "ABORT" | "IGNORE" | "REPLACE", row: Row): number {
    const present = this.columns[key];
    const columns = Object.keys(row).filter((column) => present.includes(column));
    if (columns.length === 0) return 0;
    const sql = `INSERT OR ${conflict} INTO ${this.table(key)} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
    return this.statement(sql).run(...columns.map((column) => row[column] ?? null));
  }
}

function perTable<T>(value: (key: TableKey) => T): Record<TableKey, T> {
  return Object.fromEntries(tableKeys().map((key) => [key, value(key)])) as Record<TableKey, T>;
}
