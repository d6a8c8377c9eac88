/** Databases in memory with the tables of an app. */
import { createSchema, type Layout, type TableKey, tableKeys, tableName } from "../../../src/demo/writer/schema.ts";
import type { Row } from "../../../src/demo/writer/table-writer.ts";
import { COMPONENTS, type ComponentName } from "../../../src/stores/ports/common.ts";
import { onePath } from "../../../src/stores/sqlite/file/component-paths.ts";
import type { Connection, Statement } from "../../../src/stores/sqlite/file/connection.ts";
import { openDatabase } from "../../../src/stores/sqlite/file/driver.ts";
import { SqliteSession } from "../../../src/stores/sqlite/session.ts";
import { readSchema } from "../../../src/stores/sqlite/tables/schema.ts";

const IN_MEMORY = ":memory:";

/** Which tables an app has. Beside those that are named here, they are those of 0.3.1. */
export interface Shape {
  app_id: string;
  components: Readonly<Record<ComponentName, boolean>>;
  /** Events and trigger runs are recorded. */
  events: boolean;
  /** Runs of the atomic service are recorded. */
  executions: boolean;
  /** Heartbeats have the times of the latest run of the atomic service, as until 0.2.3. */
  service_times: boolean;
  /** Heartbeats have queues, as since 0.4.0. */
  consumed_queues: boolean;
  /** Messages have queues, as since 0.4.0. */
  named: boolean;
}

const NAME_PARTS: Record<ComponentName, RegExp> = {
  broker: /^broker_/,
  orchestrator: /^orchestrator_/,
  state_backend: /^state_backend_/,
  client_data_store: /^client_data/,
  trigger: /^trg_/,
};

/** Other stores keep less than SQLite, or more than one of a kind: what services do then is tested too. */
const LENIENT = /(?<=(?:created_at|linked_at) REAL|(?:pid|thread_id) INTEGER) NOT NULL/g;
const TOO_STRICT = /single_running/;

/** An app that writes a database. */
export interface Owner {
  /** A snapshot is open. */
  readonly busy: boolean;
  /** The database goes to another app: reads what is in it alone. */
  leave(): void;
}

/** By shape, the latest used at the end. */
const databases = new Map<string, MemoryDatabase[]>();

/** Enough for tests with several apps. Apps share them because tables and statements take longer to prepare than a small test, and much memory. */
const MOST = 8;

/**
 * A database of this shape, with the rows of another app unless it is the current one.
 *
 * @param current the owner's; taken again if it has the shape and was not given to another.
 */
export function takeDatabase(owner: Owner, current: MemoryDatabase | null, shape: Shape): MemoryDatabase {
  const place = JSON.stringify(shape);
  const alike = databases.get(place) ?? [];
  databases.set(place, alike);
  const found =
    current?.owner === owner && alike.includes(current)
      ? current
      : alike.length < MOST
        ? undefined
        : alike.find((one) => !one.owner.busy);
  const database = found ?? new MemoryDatabase(shape, owner);
  if (database.owner !== owner) database.owner.leave();
  database.owner = owner;
  if (found !== undefined) alike.splice(alike.indexOf(found), 1);
  alike.push(database);
  return database;
}

/** One connection that is written by `insert` and read by the session. */
export class MemoryDatabase {
  owner: Owner;
  readonly db: Connection;
  readonly session: SqliteSession;
  readonly #tables: ReadonlyMap<TableKey, { name: string; columns: ReadonlySet<string> }>;
  readonly #insertions = new Map<TableKey, { columns: readonly string[]; statement: Statement }>();

  constructor(shape: Shape, owner: Owner) {
    this.owner = owner;
    this.db = openDatabase(IN_MEMORY, { mode: "create" });
    // Smaller than usual: most tables have a few rows.
    this.db.pragma("page_size = 1024");
    createTables(this.db, shape);
    const schema = readSchema(this.db);
    this.#tables = new Map(
      tableKeys().flatMap((key) => {
        const name = tableName(shape.app_id, key);
        const columns = schema.get(name);
        return columns === undefined
          ? []
          : [[key, { name, columns: new Set(["rowid", ...columns.map((one) => one.name)]) }] as const];
      }),
    );
    const file = { path: IN_MEMORY, db: this.db, reopenedIfReplaced: () => false, close: () => this.db.close() };
    this.session = new SqliteSession(onePath(IN_MEMORY), () => file);
  }

  /**
   * A row with the same key is replaced. Of a column or a table that this app does not have, nothing is written. All rows of a table have the same
   * columns.
   */
  readonly insert = (key: TableKey, row: Row): void => {
    const table = this.#tables.get(key);
    if (table === undefined) return;
    let insertion = this.#insertions.get(key);
    if (insertion === undefined) {
      const columns = Object.keys(row).filter((column) => table.columns.has(column));
      const places = columns.map(() => "?").join(", ");
      const statement = this.db.prepare(
        `INSERT OR REPLACE INTO ${table.name} (${columns.join(", ")}) VALUES (${places})`,
      );
      insertion = { columns, statement };
      this.#insertions.set(key, insertion);
    }
    insertion.statement.run(...insertion.columns.map((column) => row[column] ?? null));
  };

  /** All rows in the order of writing; none of a table that this app does not have. */
  all<Record>(key: TableKey, columns: string): Record[] {
    const table = this.#tables.get(key);
    if (table === undefined) return [];
    return this.db.prepare(`SELECT ${columns} FROM ${table.name} ORDER BY rowid`).all() as Record[];
  }

  /** Removes all rows. */
  clear(): void {
    this.db.exec([...this.#tables.values()].map(({ name }) => `DELETE FROM ${name}`).join(";"));
  }
}

function createTables(db: Connection, { app_id, components, ...shape }: Shape): void {
  const create = (layout: Layout, isWanted: (key: TableKey) => boolean) => {
    const wanted = new Set(
      tableKeys()
        .filter(isWanted)
        .map((key) => tableName(app_id, key)),
    );
    const exec = (sql: string) => {
      const name = /(?: EXISTS| ON) (\w+) ?\(/.exec(sql)?.[1] ?? "";
      if (wanted.has(name) && !TOO_STRICT.test(sql)) db.exec(sql.replace(LENIENT, ""));
    };
    const nothing = { run: () => 0 } as unknown as Statement;
    createSchema({ exec, prepare: () => nothing } as unknown as Connection, app_id, layout);
  };
  const absent = COMPONENTS.filter((component) => !components[component]).map((component) => NAME_PARTS[component]);
  if (!shape.events) absent.push(/^trg_(event|trigger_run)/);
  if (!shape.executions) absent.push(/_executions$/);
  const isPresent = (key: TableKey) => !absent.some((name) => name.test(key));
  db.exec("BEGIN");
  if (shape.named) create("0.4.0", (key) => isPresent(key) && key.startsWith("broker_"));
  if (shape.consumed_queues || shape.service_times)
    create(shape.consumed_queues ? "0.4.0" : "0.2.3", (key) => isPresent(key) && key.endsWith("_heartbeats"));
  create("0.3.1", isPresent);
  db.exec("COMMIT");
}
