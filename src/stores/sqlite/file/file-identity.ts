import { statSync } from "node:fs";
import { StoreUnreachableError } from "../../../errors.ts";

/**
 * Identity of the file at a path: a replaced file (deleted and written again) has a different one; two paths to one file have the same.
 *
 * @throws StoreUnreachableError if it is not a regular file, because opening a pipe could block forever; an error of the file system if nothing
 *   exists.
 */
export function fileIdentity(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile()) {
    throw new StoreUnreachableError("not-a-database", `${path} is not a file.`, "Give the path of the database file.");
  }
  return `${stat.dev}:${stat.ino}`;
}
