/** What has a name like a file and is none: named pipes, which keep whoever opens them waiting for the other end, and devices. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Windows has none of this kind. */
export const HAS_PIPES = process.platform !== "win32";

export function makePipe(path: string): string {
  execFileSync("mkfifo", [path]);
  return path;
}

const MINOR = { null: 3, full: 7 } as const;

/**
 * A device to write to: one that takes everything, or one that has no room. Null if there is none.
 *
 * A program under test that replaces what it should write to must not reach the machine's own devices. Only root could replace them, and gets
 * devices of the test's own instead.
 */
export function deviceIn(folder: string, kind: keyof typeof MINOR): string | null {
  const path = join(folder, kind);
  const own = `/dev/${kind}`;
  if (!existsSync(own)) return null;
  if (process.getuid?.() !== 0) {
    symlinkSync(own, path);
    return path;
  }
  if (spawnSync("mknod", [path, "c", "1", String(MINOR[kind])]).status !== 0) return null;
  try {
    // Not where devices are forbidden.
    writeFileSync(path, "");
    return path;
  } catch {
    return null;
  }
}
