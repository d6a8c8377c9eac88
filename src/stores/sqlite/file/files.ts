import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import type { ComponentName } from "../../ports/common.ts";
import type { StoreFile } from "../../ports/layout.ts";

/**
 * File system data of a database. The file is not opened, because closing it would release SQLite's locks on it for the entire process, and the app
 * could then remove the log while it is being read.
 *
 * @param journalMode in SQLite's terms.
 */
export function describeFile(path: string, components: ComponentName[], journalMode: string): StoreFile {
  const { size, mtimeMs } = statSync(path);
  const rollback = ROLLBACK.includes(journalMode) ? "rollback" : null;
  return {
    path,
    components,
    bytes: size,
    log_bytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? null,
    journal_mode: journalMode === "wal" ? "wal" : rollback,
    modified: mtimeMs / 1000,
    // SQLite writes its log next to the file, so the folder matters too.
    unwritable: [path, dirname(path)].find((target) => !isWritable(target)) ?? null,
  };
}

/** SQLite's other journal modes that use files. */
const ROLLBACK = ["delete", "truncate", "persist"];

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
