/** Whether the file at a path is still the one that was opened: SQLite does not notice if another program empties or overwrites a file. */
import { accessSync, constants, statSync } from "node:fs";
import { StoreUnreachableError } from "../../../errors.ts";
import { openDatabase } from "./driver.ts";
import { storeError } from "./failures.ts";

export interface FileState {
  /** A file that was deleted and written again has a different one; two paths to one file have the same. */
  identity: string;
  size: bigint;
  /** Changes when the file is written: by a checkpoint, or by another program. */
  written: string;
}

/**
 * Looks at a file without opening it: closing it again would drop the locks of SQLite's connections in this process.
 *
 * @throws StoreUnreachableError if it does not exist, cannot be read, is empty, or is not a regular file: opening a pipe could block forever.
 */
export function fileState(path: string): FileState {
  try {
    const stat = statSync(path, { bigint: true });
    if (!stat.isFile()) throw notADatabase(`${path} is not a file.`, "Give the path of the database file.");
    if (stat.size === 0n) throw notADatabase(`${path} is empty.`, "The app creates its tables when it starts.");
    // An open connection can still read it, a new one could not.
    accessSync(path, constants.R_OK);
    return { identity: `${stat.dev}:${stat.ino}`, size: stat.size, written: `${stat.mtimeNs}:${stat.ctimeNs}` };
  } catch (error) {
    throw storeError(error, path);
  }
}

/** The state of a file as one connection sees it. */
export class FileWatch {
  readonly #path: string;
  #seen: (FileState & { data: unknown }) | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Whether the connection must be opened again, because another file is in its place or this one was overwritten.
   *
   * @param versionOf `PRAGMA data_version` and `PRAGMA schema_version` of the connection.
   * @throws StoreUnreachableError as `fileState`, and if it stopped being a database.
   */
  replaced(versionOf: (of: "data" | "schema") => unknown): boolean {
    const before = this.#seen;
    // As of before the versions are read: a commit in between is noticed the next time.
    const now = fileState(this.#path);
    if (before !== null && (now.identity !== before.identity || now.size < before.size)) return true;
    const data = versionOf("data");
    // A write that no commit explains is that of a checkpoint, or of another program.
    const unexplained = before !== null && now.written !== before.written && data === before.data;
    if (unexplained && this.#schemaVersion() !== versionOf("schema")) return true;
    this.#seen = { ...now, data };
    return false;
  }

  /** After a connection was opened. @param state of the file before that */
  opened(state: FileState): void {
    this.#seen = { ...state, data: undefined };
  }

  /** As a new connection reads it, whose cache has no page. */
  #schemaVersion(): unknown {
    try {
      const db = openDatabase(this.#path, { mode: "read", busyTimeoutMs: 0 });
      try {
        return db.pragma("schema_version");
      } finally {
        db.close();
      }
    } catch (error) {
      throw storeError(error, this.#path);
    }
  }
}

function notADatabase(message: string, hint: string): StoreUnreachableError {
  return new StoreUnreachableError("not-a-database", message, hint);
}
