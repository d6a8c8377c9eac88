/** Changes in the store behind a page's back, as the app itself would make them. */
import { existsSync, renameSync } from "node:fs";
import { tablePrefix } from "../../src/pynenc/identifiers.ts";
import { openDatabase } from "../../src/stores/sqlite/file/driver.ts";
import type { Monitor } from "../support/monitor.ts";

export const APP = "kitchen_sink";
const PREFIX = tablePrefix(APP);

type Row = Readonly<Record<string, string | number | null>>;

/** @param statement with `$` for the prefix of the app's tables */
export function write(path: string, statement: string, ...values: (string | number | null)[]): void {
  const db = openDatabase(path, { mode: "write" });
  db.prepare(statement.replaceAll("$", `${PREFIX}__`)).run(...values);
  db.close();
}

export function insert(path: string, table: string, row: Row): void {
  const names = Object.keys(row);
  const marks = names.map(() => "?").join(", ");
  write(path, `INSERT INTO $${table} (${names.join(", ")}) VALUES (${marks})`, ...Object.values(row));
}

/** Moves an invocation into a status, with an entry in its history. @param at epoch seconds */
export function moveTo(path: string, id: string, status: string, at: number): void {
  write(
    path,
    "UPDATE $orchestrator_invocations SET status = ?, status_timestamp = ?, status_runner_id = NULL WHERE invocation_id = ?",
    status,
    at,
    id,
  );
  insert(path, "state_backend_history", {
    invocation_id: id,
    history_timestamp: at,
    history_status: status,
    history_json: JSON.stringify({ runner_context_id: "runner-of-the-test", status_record: { runner_id: null } }),
  });
}

export function takeAway({ path }: Monitor): void {
  for (const end of ["", "-wal", "-shm"]) if (existsSync(path + end)) renameSync(path + end, `${path}${end}.away`);
}

export function bringBack({ path }: Monitor): void {
  for (const end of ["", "-wal", "-shm"]) {
    if (existsSync(`${path}${end}.away`)) renameSync(`${path}${end}.away`, path + end);
  }
}
