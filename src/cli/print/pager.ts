/** Output that is longer than the terminal goes through the user's pager, as git does it. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Ends by itself where all fits after all, keeps colours, and leaves what was read on the screen. */
const DEFAULT_PAGER = "less -FRX";

/** What a shell answers where there is no such program. */
const NOT_FOUND = 127;

export interface Piece {
  to: "stdout" | "stderr";
  text: string;
}

/** Whether that many pieces scroll out of a terminal with so many rows. Wrapped lines count once: nothing is cut by that. */
export function isLong(pieces: readonly Piece[], rows: number): boolean {
  const lines = pieces.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
  return lines >= rows;
}

/** The command of the pager, or null where the user wants none. */
export function pagerCommand(env: NodeJS.ProcessEnv): string | null {
  const named = env.PAGER?.trim();
  if (named === undefined) return DEFAULT_PAGER;
  return named === "" || named === "cat" ? null : named;
}

/** Waits until the reader has seen enough. False where there is no such program: then nothing was shown. */
export async function throughPager(command: string, text: string): Promise<boolean> {
  const child = spawn(command, { shell: true, stdio: ["pipe", "inherit", "inherit"] });
  // Ctrl-C is for the pager.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  // Who leaves early has not read all of it.
  child.stdin.on("error", ignore);
  child.stdin.end(text);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code !== NOT_FOUND;
  } catch {
    return false;
  } finally {
    process.off("SIGINT", ignore);
  }
}
