import { statSync } from "node:fs";
import { StoreUnreachableError } from "../../../errors.ts";

/**
 * Which file lies at a path: one that was replaced (deleted and written again) has another identity, two paths to one file have the same.
 *
 * @throws StoreUnreachableError for what is no file: opening a pipe would wait for its other end, without end. An error of the file system when
 *   there is nothing.
 */
export function fileIdentity(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile()) {
    throw new StoreUnreachableError("not-a-database", `${path} is not a file.`, "Give the path of the database file.");
  }
  return `${stat.dev}:${stat.ino}`;
}
