import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import type { ComponentName } from "../../ports/common.ts";
import type { StoreFile } from "../../ports/layout.ts";

/**
 * What the file system tells of a database. The file is not opened: to close it again would take SQLite's own locks on it away from this whole
 * process, and the app would remove the log under its readers.
 *
 * @param journalMode as SQLite names it.
 */
export function describeFile(path: string, components: ComponentName[], journalMode: string): StoreFile {
  const { size, mtimeMs } = statSync(path);
  return {
    path,
    components,
    bytes: size,
    log_bytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? null,
    journal_mode: journalMode === "wal" ? "wal" : ROLLBACK.includes(journalMode) ? "rollback" : null,
    modified: mtimeMs / 1000,
    // SQLite writes its log next to the file, so the folder matters too.
    unwritable: [path, dirname(path)].find((place) => !isWritable(place)) ?? null,
  };
}

/** Names of SQLite's other journals that are files. */
const ROLLBACK = ["delete", "truncate", "persist"];

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
