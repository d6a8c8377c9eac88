/** One action in one transaction on its own connection (docs/decisions/0004-read-only-and-one-writer.md): all or nothing. */
import { RefusedError } from "../../../errors.ts";
import { tablePrefix } from "../../../pynenc/identifiers.ts";
import type { ComponentName } from "../../ports/common.ts";
import type { ComponentPaths } from "../file/component-paths.ts";
import type { Bind, Connection, Row, Statement } from "../file/connection.ts";
import { inImmediateTransaction, openDatabase } from "../file/driver.ts";
import { writeError } from "../file/failures.ts";
import { fileState } from "../file/file-watch.ts";
import { readSchema } from "../tables/schema.ts";
import { AppTables, capabilitiesOf } from "../tables/tables.ts";
import type { Access, Changes, ComponentAccess } from "./changes.ts";

/**
 * Page cache of an action in KiB, used as needed. Keys are random, so removing a million invocations visits all pages of their indexes repeatedly,
 * while others wait for the lock. Compared with 14 s with SQLite's default of 16 MB, this saves four seconds.
 */
const CACHE_KIB = 65_536;

export interface TransactionInput {
  paths: ComponentPaths;
  app_id: string;
  /** Seconds to wait for other writers. pynenc itself waits 30 (storage-format.md 3.8). */
  lock_wait: number;
}

/**
 * Runs `act` and commits. Components in several files share the transaction: the other files are attached, and BEGIN IMMEDIATE locks all of them
 * before anything is changed. (Each file commits separately, so a crash during the commit can leave one file unchanged; a single file is always
 * consistent.)
 *
 * @throws RefusedError for a layout with unknown columns or a file that is not writable; StoreUnreachableError if another writer holds the lock.
 */
export function inTransaction<T>(input: TransactionInput, act: (access: Access) => T): T {
  const fileOf = filesByPath(input);
  const files = [...new Set(fileOf.values())];
  const db = opened(files, input.lock_wait);
  try {
    return changed(db, files, (component) => fileOf.get(input.paths[component]), input.app_id, act);
  } catch (error) {
    throw writeError(error, files.join(", "), input.lock_wait);
  } finally {
    db.close();
  }
}

/**
 * Runs `act` in a transaction of an open connection.
 *
 * @param files the connection's own, then the attached ones.
 * @throws RefusedError for a layout with unknown columns.
 */
export function changed<T>(
  db: Connection,
  files: readonly string[],
  fileOf: (component: ComponentName) => string | undefined,
  appId: string,
  act: (access: Access) => T,
): T {
  return inImmediateTransaction(db, () => {
    const access = accessTo(db, files, fileOf, appId);
    const { writes_refused } = capabilitiesOf((component) => access(component).tables);
    if (writes_refused !== null) {
      throw new RefusedError(
        `Nothing was changed: ${writes_refused}.`,
        "Reading is safe; changing needs a newer monitor.",
        409,
      );
    }
    return act(access);
  });
}

/**
 * Maps each path to the one under which its file is opened: a file opened twice, through a link, would wait for its own lock.
 *
 * @throws StoreUnreachableError if one does not exist.
 */
function filesByPath({ paths, lock_wait }: TransactionInput): ReadonlyMap<string, string> {
  const pathByIdentity = new Map<string, string>();
  const files = new Map<string, string>();
  for (const path of Object.values(paths)) {
    const identity = identityOf(path, lock_wait);
    if (!pathByIdentity.has(identity)) pathByIdentity.set(identity, path);
    files.set(path, pathByIdentity.get(identity) ?? path);
  }
  return files;
}

function identityOf(path: string, lockWait: number): string {
  try {
    return fileState(path).identity;
  } catch (error) {
    throw writeError(error, path, lockWait);
  }
}

function opened(files: readonly string[], lockWait: number): Connection {
  const [first = "", ...others] = files;
  let db: Connection | null = null;
  try {
    db = openDatabase(first, { mode: "write", busyTimeoutMs: Math.round(lockWait * 1000) });
    // A reported action must survive a power failure.
    db.pragma("synchronous = FULL");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    for (const [i, file] of others.entries()) {
      db.prepare(`ATTACH ? AS ${attachedName(i + 1)}`).run(file);
    }
    return db;
  } catch (error) {
    db?.close();
    throw writeError(error, files.join(", "), lockWait);
  }
}

function attachedName(index: number): string {
  return index === 0 ? "main" : `file${index}`;
}

function accessTo(
  db: Connection,
  files: readonly string[],
  fileOf: (component: ComponentName) => string | undefined,
  appId: string,
): Access {
  const changes = changesOf(db);
  const prefix = tablePrefix(appId);
  const byFile = files.map((_, i): ComponentAccess => {
    const database = attachedName(i);
    return { changes, tables: new AppTables(prefix, readSchema(db, database), database) };
  });
  return (component) => {
    const access = byFile[files.indexOf(fileOf(component) ?? "")];
    if (access === undefined) throw new Error(`no file for ${component}`);
    return access;
  };
}

function changesOf(db: Connection): Changes {
  const prepared = new Map<string, Statement>();
  const statement = (sql: string): Statement => {
    const known = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  const erase = (from: string, ...values: Bind[]) => statement(`DELETE FROM ${from}`).run(...values);
  return {
    all: <T extends Row>(sql: string, ...values: Bind[]) => statement(sql).all(...values) as T[],
    get: <T extends Row>(sql: string, ...values: Bind[]) => statement(sql).get(...values) as T | undefined,
    number: (sql, ...values) => Number(statement(sql).value(...values) ?? 0),
    scratch: (sql, ...values) => void db.prepare(sql).run(...values),
    erase,
    empty: (table) => ({ rows: erase(table), exact: true }),
    insert(table, row, onConflict = "ABORT") {
      const columns = Object.keys(row);
      const placeholders = columns.map(() => "?").join(", ");
      statement(`INSERT OR ${onConflict} INTO ${table} (${columns.join(", ")}) VALUES (${placeholders})`).run(
        ...Object.values(row),
      );
    },
  };
}
