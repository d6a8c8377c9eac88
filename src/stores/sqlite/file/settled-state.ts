/** Whether a database is as it was when another process looked at it. */
import { statSync } from "node:fs";

/**
 * Milliseconds after a write before which another one may leave the same time: file systems count time in steps of up to two seconds.
 */
const SETTLED = 5_000;

/**
 * Differs, also between processes, after any write to a database file or its log. Null if the file is missing, or was written too recently to tell
 * another write from that one.
 */
export function settledState(path: string): string | null {
  try {
    const file = statSync(path, { bigint: true });
    // Readers may create and remove an empty log, and SQLite sets its owner, for which `ctime` changes.
    const log = statSync(`${path}-wal`, { bigint: true, throwIfNoEntry: false });
    const logged = log === undefined || log.size === 0n ? null : log;
    const written = Math.max(...[file.ctimeMs, logged?.mtimeMs ?? 0n].map(Number));
    if (Date.now() - written < SETTLED) return null;
    return [file.dev, file.ino, file.size, file.mtimeNs, file.ctimeNs, logged?.ino, logged?.size, logged?.mtimeNs].join(
      ":",
    );
  } catch {
    return null;
  }
}
