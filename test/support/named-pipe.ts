/** Named pipes, which keep whoever opens them waiting for the other end. */
import { execFileSync } from "node:child_process";

/** Windows has none of this kind. */
export const HAS_PIPES = process.platform !== "win32";

export function makePipe(path: string): string {
  execFileSync("mkfifo", [path]);
  return path;
}
