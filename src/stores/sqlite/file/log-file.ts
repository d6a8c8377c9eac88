/** Reads the `-wal` file of a database. SQLite holds no locks on that file, so it is safe to open and close it. */
import { closeSync, openSync, readSync, statSync } from "node:fs";

/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log: a header, then frames of a header and a page each. */
const HEADER_BYTES = 32;
const PAGE_SIZE_AT = 8;
const SALT_AT = 16;
const SALT_BYTES = 8;
const FRAME_HEADER_BYTES = 24;
const SALT_OF_FRAME_AT = 8;

/**
 * Used bytes of the log: a restarted log keeps its size, and new frames overwrite the old ones from the start. For a log smaller than `exactFrom`,
 * returns its file size without opening it. 0 if there is no readable log.
 */
export function usedLogBytes(database: string, exactFrom: number): number {
  const path = `${database}-wal`;
  try {
    const { size } = statSync(path);
    return size < exactFrom || size < HEADER_BYTES ? size : usedOf(path, size);
  } catch {
    // Missing or not readable; readers of the database report that.
    return 0;
  }
}

function usedOf(path: string, size: number): number {
  const file = openSync(path, "r");
  try {
    return usedBytes((at, length) => bytesAt(file, at, length), size);
  } finally {
    closeSync(file);
  }
}

/** Finds the last used frame by binary search: used frames have the salt of the header, later ones do not. */
function usedBytes(read: (at: number, length: number) => Buffer, size: number): number {
  const header = read(0, HEADER_BYTES);
  const salt = header.subarray(SALT_AT, SALT_AT + SALT_BYTES);
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE_AT);
  let used = 0;
  let unused = Math.floor((size - HEADER_BYTES) / frameBytes) + 1;
  while (unused - used > 1) {
    const middle = Math.floor((used + unused) / 2);
    const at = HEADER_BYTES + (middle - 1) * frameBytes + SALT_OF_FRAME_AT;
    if (read(at, SALT_BYTES).equals(salt)) used = middle;
    else unused = middle;
  }
  return HEADER_BYTES + used * frameBytes;
}

/** Zeros if the file has become shorter. */
function bytesAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, at);
  return bytes;
}
