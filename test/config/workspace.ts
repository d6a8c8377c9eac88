import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export const SQLITE_MAGIC = "SQLite format 3\0";

/** A temporary directory with these files, gone when the test ends. */
export function workspace(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), "monitor-config-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
}

/** What `fn` throws; fails the test when it returns. */
export function thrownBy(fn: () => unknown): unknown {
  try {
    fn();
  } catch (error) {
    return error;
  }
  throw new Error("expected an exception");
}
