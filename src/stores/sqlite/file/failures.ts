import { MonitorError, RefusedError, StoreUnreachableError } from "../../../errors.ts";

/** Turns errors of the driver or the file system into the error shown to users; anything else is rethrown as a defect. */
export function storeError(error: unknown, path: string): unknown {
  if (error instanceof StoreUnreachableError) return error;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string") return error;
  const options = { cause: error };
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new StoreUnreachableError(
      "missing",
      `${path} does not exist.`,
      "Check the path, or start the app that writes it.",
      options,
    );
  }
  if (code === "EACCES" || code === "EPERM" || code === "SQLITE_PERM" || code === "SQLITE_AUTH") {
    return new StoreUnreachableError("no-permission", `${path} cannot be read by this user.`, null, options);
  }
  if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT" || code.startsWith("SQLITE_CORRUPT_")) {
    const what = code === "SQLITE_NOTADB" ? "is not an SQLite database" : "is damaged";
    return new StoreUnreachableError("not-a-database", `${path} ${what}.`, null, options);
  }
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new StoreUnreachableError("busy", `${path} is locked by a writer.`, "Try again in a moment.", options);
  }
  if (code === "SQLITE_READONLY_ROLLBACK") {
    return new StoreUnreachableError(
      "failed",
      `${path} has an unfinished change of an interrupted writer. Only a writer can roll it back.`,
      "Start the app, or run any action of this monitor: the next writer restores the data first.",
      options,
    );
  }
  if (code === "SQLITE_ERROR") {
    const message = (error as Error).message;
    const hint = "Its tables differ from those that pynenc creates.";
    return new StoreUnreachableError("failed", `${path} has a layout that cannot be read: ${message}.`, hint, options);
  }
  // Errors of the file system have a `syscall`.
  if (code.startsWith("SQLITE_") || typeof (error as { syscall?: unknown }).syscall === "string") {
    return new StoreUnreachableError("failed", `${path} cannot be read (${code}).`, null, options);
  }
  return error;
}

/** Like `storeError`, for an action: adds that nothing was changed. @param lockWait seconds waited for other writers. */
export function writeError(error: unknown, path: string, lockWait: number): unknown {
  if (error instanceof MonitorError) return error;
  const code = String((error as { code?: unknown }).code);
  const options = { cause: error };
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new StoreUnreachableError(
      "busy",
      `${path} is still locked by another writer after ${lockWait} s; nothing was changed.`,
      "Try again in a moment.",
      options,
    );
  }
  // The file existed when the action started, so failing to open it means that its folder, where SQLite writes its log, is not writable.
  if (/^(SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EACCES|EPERM)/.test(code)) {
    return new RefusedError(`Nothing was changed: ${path} cannot be written by this user.`);
  }
  const known = storeError(error, path);
  if (!(known instanceof StoreUnreachableError) || known.reason !== "failed") return known;
  return new StoreUnreachableError(
    "failed",
    `Nothing was changed: ${path} could not be written (${code}).`,
    null,
    options,
  );
}
