import type { Connection, Statement } from "./connection.ts";
import { openDatabase } from "./driver.ts";
import { FileWatch, fileState } from "./file-watch.ts";

/**
 * Checks within microseconds whether a file may have changed: `PRAGMA data_version` of one connection changes when any other connection commits.
 * Tokens are comparable only within one probe; a busy or missing file gives a token that equals no other.
 */
export class VersionProbe {
  readonly #path: string;
  readonly #watch: FileWatch;
  #db: Connection | null = null;
  /** Prepared once, because preparing takes several times as long as running it. */
  #dataVersion: Statement | null = null;
  /** Counts connections: each starts its own numbering of data versions. */
  #opened = 0;
  #unknown = 0;

  constructor(path: string) {
    this.#path = path;
    this.#watch = new FileWatch(path);
  }

  /** `place` changes when another file is in the place of this one, or none; `version` when the data may have changed. */
  token(): { place: string; version: string } {
    try {
      const db = this.#current();
      if (this.#watch.replaced((of) => (of === "data" ? this.#version(db) : db.pragma("schema_version")))) {
        this.close();
        return this.token();
      }
      return { place: `${this.#opened}`, version: `${this.#version(db)}` };
    } catch {
      this.close();
      return { place: `unknown${this.#unknown++}`, version: "" };
    }
  }

  close(): void {
    this.#db?.close();
    this.#db = null;
    this.#dataVersion = null;
  }

  #current(): Connection {
    if (this.#db !== null) return this.#db;
    const state = fileState(this.#path);
    // No busy timeout: this runs on the thread that answers requests.
    this.#db = openDatabase(this.#path, { mode: "read", busyTimeoutMs: 0 });
    this.#watch.opened(state);
    this.#opened++;
    return this.#db;
  }

  #version(db: Connection): unknown {
    this.#dataVersion ??= db.prepare("PRAGMA data_version");
    return this.#dataVersion.value();
  }
}
