/** The apps of a SQLite fixture as rows, for harnesses that write the same apps as another kind of store holds them. */
import { epochFromIso } from "../../src/pynenc/time.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";

export type Row = Readonly<Record<string, unknown>>;

/** One app's tables, named without the prefix of the app. */
export interface Tables {
  appId: string;
  /** Empty for a table that the layout lacks. In the order in which rows were written. */
  rows(table: string): Row[];
  has(table: string, column?: string): boolean;
}

/**
 * Calls `use` for each registered app; the rows cannot be read later.
 *
 * @param path of a private copy: opening a database in WAL mode writes beside it.
 */
export function eachAppIn(path: string, use: (tables: Tables) => void): void {
  const db = openDatabase(path, { mode: "write" });
  try {
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").column() as string[];
    for (const registry of names.filter((name) => name.endsWith("__state_backend_app_info"))) {
      const prefix = registry.slice(0, -"state_backend_app_info".length);
      const [info] = db.prepare(`SELECT * FROM "${registry}"`).all() as Row[];
      const has = (table: string, column?: string) =>
        names.includes(`${prefix}${table}`) &&
        (column === undefined ||
          db.prepare(`SELECT 1 FROM pragma_table_info(?) WHERE name = ?`).get(`${prefix}${table}`, column) !==
            undefined);
      const rows = (table: string) =>
        has(table) ? (db.prepare(`SELECT * FROM "${prefix}${table}" ORDER BY rowid`).all() as Row[]) : [];
      use({ appId: text(info?.app_id), rows, has });
    }
  } finally {
    db.close();
  }
}

/** Values of the client data store are blobs of UTF-8. */
export function text(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("utf8") : String(value ?? "");
}

/** When each invocation was registered: its first status is in no column of its own. Epoch seconds by id. */
export function registrationsOf({ rows }: Tables): Map<string, number> {
  const registered = new Map<string, number>();
  for (const row of rows("state_backend_history")) {
    const { status, timestamp } = (JSON.parse(text(row.history_json)) as { status_record: Record<string, string> })
      .status_record;
    if (status === "registered") registered.set(text(row.invocation_id), epochFromIso(timestamp ?? "") ?? 0);
  }
  return registered;
}

/** The context of a runner as one text of JSON has it, with those of its parents inside. */
export function nestedContexts({ rows }: Tables): Map<string, Row> {
  const contexts = new Map(rows("state_backend_runner_contexts").map((row) => [text(row.runner_id), row]));
  const contextOf = ({ hostname, parent_ctx_id, pid, runner_cls, runner_id, thread_id }: Row): Row => {
    const parent = contexts.get(text(parent_ctx_id));
    return { hostname, ...(parent && { parent_ctx: contextOf(parent) }), pid, runner_cls, runner_id, thread_id };
  };
  return new Map([...contexts].map(([id, row]) => [id, contextOf(row)]));
}
