/** Sends output that is longer than the terminal through the user's pager, as git does. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Options of less: exit if everything fits on one screen, keep colours, leave the text on the screen. */
const DEFAULT_PAGER = "less -FRX";

/** Exit codes of a shell if the program cannot be run or does not exist. */
const NOT_RUN = [126, 127];

export interface Piece {
  to: "stdout" | "stderr";
  text: string;
}

/** Whether the pieces have more lines than the terminal has rows. Wrapped lines count once, which is harmless: nothing is lost. */
export function isLong(pieces: readonly Piece[], rows: number): boolean {
  const lines = pieces.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
  return lines >= rows;
}

/** The pager command, or null if the user wants none. */
export function pagerCommand(env: NodeJS.ProcessEnv): string | null {
  const named = env.PAGER?.trim();
  if (named === undefined) return DEFAULT_PAGER;
  return named === "" || named === "cat" ? null : named;
}

/** Waits until the pager ends. False if it could not be run; nothing was shown then. If it failed, it has said so, and the command fails too. */
export async function throughPager(command: string, text: string): Promise<boolean> {
  const child = spawn(command, { shell: true, stdio: ["pipe", "inherit", "inherit"] });
  // Ctrl-C belongs to the pager.
  const ignore = () => {};
  process.on("SIGINT", ignore);
  // The pipe breaks if the user quits before reading everything.
  child.stdin.on("error", ignore);
  child.stdin.end(text);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== null && NOT_RUN.includes(code)) return false;
    if (code !== 0 && code !== null) process.exitCode = 1;
    return true;
  } catch {
    return false;
  } finally {
    process.off("SIGINT", ignore);
  }
}
