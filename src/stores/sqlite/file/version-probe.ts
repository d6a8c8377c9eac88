import type { Connection, Statement } from "./connection.ts";
import { openDatabase } from "./driver.ts";
import { fileIdentity } from "./file-identity.ts";

/**
 * Checks within microseconds whether a file may have changed: `PRAGMA data_version` of one connection changes when any other connection commits.
 * Tokens are comparable only within one probe; a busy or missing file gives a token that equals no other.
 */
export class VersionProbe {
  readonly #path: string;
  #db: Connection | null = null;
  #dataVersion: Statement | null = null;
  #identity = "";
  #unknown = 0;

  constructor(path: string) {
    this.#path = path;
  }

  token(): string {
    try {
      const identity = fileIdentity(this.#path);
      if (identity !== this.#identity) this.close();
      // No busy timeout: this runs on the thread that answers requests.
      this.#db ??= openDatabase(this.#path, { mode: "read", busyTimeoutMs: 0 });
      this.#identity = identity;
      // Prepared once, because preparing takes several times as long as running it.
      this.#dataVersion ??= this.#db.prepare("PRAGMA data_version");
      return `${identity}.${this.#dataVersion.value()}`;
    } catch {
      this.close();
      return `unknown.${this.#unknown++}`;
    }
  }

  close(): void {
    this.#db?.close();
    this.#db = null;
    this.#dataVersion = null;
  }
}
