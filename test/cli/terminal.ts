/** Runs the real program on a terminal, which `script` of util-linux provides, and answers its question. */
import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { BIN, cleanEnvironment } from "./monitor.ts";

/** `script` of other systems takes other arguments. */
export const HAS_TERMINAL = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");

/** What the keys of a terminal send. */
export const KEYS = { enter: "\r", endOfInput: "\u0004", interrupt: "\u0003" } as const;

export interface TerminalRun {
  code: number | null;
  /** Everything that was shown, without the codes that colour and place it. */
  shown: string;
}

/** @param keys sent when the question stands there. */
export function onTerminal(args: readonly string[], keys: string): Promise<TerminalRun> {
  const command = [process.execPath, BIN, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return new Promise((resolve, reject) => {
    const child = spawn("script", ["-qec", `stty cols 80; ${command}`, "/dev/null"], {
      cwd: tmpdir(),
      env: cleanEnvironment({ TERM: "xterm", SHELL: "/bin/sh", PAGER: "" }),
    });
    let text = "";
    let asked = false;
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      if (asked || !/\[y\/N\]|to confirm: /.test(text)) return;
      asked = true;
      child.stdin.write(keys);
    });
    child.on("error", reject);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of terminals begin with one
    child.on("close", (code) => resolve({ code, shown: text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "") }));
  });
}
