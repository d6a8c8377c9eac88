/** Errors of SQLite, with SQLite's own names. */

/** Thrown by every driver. `code` is the extended result code, such as `SQLITE_BUSY` or `SQLITE_READONLY_ROLLBACK`. */
export class SqliteError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SqliteError";
    this.code = code;
  }
}

/** Primary result codes (sqlite.org/rescode.html), the low byte of every code. */
const PRIMARY: Readonly<Record<number, string>> = {
  1: "SQLITE_ERROR",
  2: "SQLITE_INTERNAL",
  3: "SQLITE_PERM",
  4: "SQLITE_ABORT",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  9: "SQLITE_INTERRUPT",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  12: "SQLITE_NOTFOUND",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  17: "SQLITE_SCHEMA",
  18: "SQLITE_TOOBIG",
  19: "SQLITE_CONSTRAINT",
  20: "SQLITE_MISMATCH",
  21: "SQLITE_MISUSE",
  22: "SQLITE_NOLFS",
  23: "SQLITE_AUTH",
  25: "SQLITE_RANGE",
  26: "SQLITE_NOTADB",
};

/** Extended codes with their own handling or message. Others are mapped to their primary code. */
const EXTENDED: Readonly<Record<number, string>> = {
  261: "SQLITE_BUSY_RECOVERY",
  517: "SQLITE_BUSY_SNAPSHOT",
  773: "SQLITE_BUSY_TIMEOUT",
  262: "SQLITE_LOCKED_SHAREDCACHE",
  264: "SQLITE_READONLY_RECOVERY",
  520: "SQLITE_READONLY_CANTLOCK",
  776: "SQLITE_READONLY_ROLLBACK",
  1032: "SQLITE_READONLY_DBMOVED",
  1288: "SQLITE_READONLY_CANTINIT",
  1544: "SQLITE_READONLY_DIRECTORY",
  266: "SQLITE_IOERR_READ",
  522: "SQLITE_IOERR_SHORT_READ",
  778: "SQLITE_IOERR_WRITE",
  1034: "SQLITE_IOERR_FSYNC",
  3850: "SQLITE_IOERR_LOCK",
  4618: "SQLITE_IOERR_SHMOPEN",
  4874: "SQLITE_IOERR_SHMSIZE",
  5386: "SQLITE_IOERR_SHMMAP",
  267: "SQLITE_CORRUPT_VTAB",
  523: "SQLITE_CORRUPT_SEQUENCE",
  779: "SQLITE_CORRUPT_INDEX",
  270: "SQLITE_CANTOPEN_NOTEMPDIR",
  526: "SQLITE_CANTOPEN_ISDIR",
  782: "SQLITE_CANTOPEN_FULLPATH",
  1038: "SQLITE_CANTOPEN_CONVPATH",
  1550: "SQLITE_CANTOPEN_SYMLINK",
  275: "SQLITE_CONSTRAINT_CHECK",
  1299: "SQLITE_CONSTRAINT_NOTNULL",
  1555: "SQLITE_CONSTRAINT_PRIMARYKEY",
  2067: "SQLITE_CONSTRAINT_UNIQUE",
};

/** The name of a result code, extended or not. */
export function resultCodeName(code: number): string {
  return EXTENDED[code] ?? PRIMARY[code & 0xff] ?? "SQLITE_ERROR";
}
