import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { ComponentName, StoreFile } from "../ports.ts";

/** What can be told of a database file without a connection. */
export function describeFile(path: string, components: ComponentName[]): StoreFile {
  const { size, mtimeMs } = statSync(path);
  return {
    path,
    components,
    bytes: size,
    log_bytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? null,
    journal_mode: journalMode(path),
    modified: mtimeMs / 1000,
    // SQLite writes its log beside the file, so the folder counts too.
    unwritable: [path, dirname(path)].find((place) => !isWritable(place)) ?? null,
  };
}

/** Byte 18 of an SQLite header, the write version: 1 for a rollback journal, 2 for WAL. */
function journalMode(path: string): StoreFile["journal_mode"] {
  const descriptor = openSync(path, "r");
  try {
    const header = Buffer.alloc(20);
    if (readSync(descriptor, header, 0, header.length, 0) < header.length) return null;
    return header[18] === 2 ? "wal" : header[18] === 1 ? "rollback" : null;
  } finally {
    closeSync(descriptor);
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
