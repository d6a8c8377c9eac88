/** One read-only connection to one file, with the precautions of storage-format.md 3.8. */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { StoreUnreachableError } from "../../../errors.ts";
import type { Connection } from "./connection.ts";
import { openDatabase } from "./driver.ts";
import { storeError } from "./failures.ts";
import { type FileState, FileWatch, fileState } from "./file-watch.ts";

/** How long a read waits for a lock. Short, because it blocks the thread. */
const READ_BUSY_TIMEOUT_MS = 250;

/**
 * Page cache of a connection. The operating system caches the file too: with 16 MB no page was faster with 1 million invocations, and the server used
 * 30 MB more.
 */
const CACHE_KIB = 8_000;

/** A database that stays readable whatever is done to its file. */
export interface OpenedFile {
  readonly path: string;
  readonly db: Connection;
  /**
   * Reopens the file if another one is in its place; `db` is another connection then. Outside of transactions.
   *
   * @param versionOf `PRAGMA data_version` and `PRAGMA schema_version` of the connection.
   */
  reopenedIfReplaced(versionOf: (of: "data" | "schema") => unknown): boolean;
  close(): void;
}

/** @throws StoreUnreachableError if the file cannot be read; so does `reopenedIfReplaced`. */
export function openFile(path: string): OpenedFile {
  return new WatchedFile(path);
}

class WatchedFile implements OpenedFile {
  readonly path: string;
  readonly #watch: FileWatch;
  #db: Connection;
  /** Set if the file is in a folder where SQLite cannot create its `-shm` file: then a private copy is read. */
  #copy: PrivateCopy | null;

  constructor(path: string) {
    this.path = path;
    this.#watch = new FileWatch(path);
    const { db, copy, state } = this.#open();
    this.#db = db;
    this.#copy = copy;
    this.#watch.opened(state);
  }

  get db(): Connection {
    return this.#db;
  }

  reopenedIfReplaced(versionOf: (of: "data" | "schema") => unknown): boolean {
    // A connection to a replaced file would read outdated data.
    if (!(this.#copy?.outdated() ?? this.#watch.replaced(versionOf))) return false;
    // Keep the old connection until the new one is open: if that fails, the file may be replaced again, even by the old one.
    const { db, copy, state } = this.#open();
    this.close();
    this.#watch.opened(state);
    this.#db = db;
    this.#copy = copy;
    return true;
  }

  close(): void {
    this.#db.close();
    this.#copy?.remove();
  }

  #open(): Opened {
    try {
      const state = fileState(this.path);
      try {
        return { db: openReadOnly(this.path), state, copy: null };
      } catch (error) {
        if (!isMissingSharedMemory(error, this.path)) throw error;
        return { ...openCopy(this.path), state };
      }
    } catch (error) {
      throw storeError(error, this.path);
    }
  }
}

interface Opened {
  db: Connection;
  /** State of the file before it was opened. */
  state: FileState;
  copy: PrivateCopy | null;
}

function openCopy(path: string): Omit<Opened, "state"> {
  const copy = copyOf(path);
  try {
    return { db: openReadOnly(copy.path), copy };
  } catch (error) {
    copy.remove();
    throw error;
  }
}

/** @throws StoreUnreachableError if there is no room for it */
function copyOf(path: string): PrivateCopy {
  try {
    return new PrivateCopy(path);
  } catch (error) {
    const { code, syscall } = error as { code?: string; syscall?: string };
    // Whatever else fails is the file's fault, not that of the place for its copy.
    if (syscall !== "mkdtemp" && code !== "ENOSPC") throw error;
    throw new StoreUnreachableError(
      "failed",
      `${path} is in a folder that cannot be written, and there is no room for a copy of it in ${tmpdir()} (${code}).`,
      "Set TMPDIR to a folder that can be written.",
      { cause: error },
    );
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
