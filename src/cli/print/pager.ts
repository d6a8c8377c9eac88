/** Sends output that is longer than the terminal through the user's pager, as git does. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Options of less: exit if everything fits on one screen, keep colours, leave the text on the screen. */
const DEFAULT_PAGER = "less -FRX";

/** Exit code of a shell if the program does not exist. */
const NOT_FOUND = 127;

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

/** Waits until the pager ends. False if there is no such program; nothing was shown then. */
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
    return code !== NOT_FOUND;
  } catch {
    return false;
  } finally {
    process.off("SIGINT", ignore);
  }
}
