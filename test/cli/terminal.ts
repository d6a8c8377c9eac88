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

/** What is typed, and what has to stand there before. A function is done instead. */
export interface TypedKeys {
  when: RegExp;
  keys: string | (() => void);
}

export interface ScreenRun extends TerminalRun {
  /** With all codes. */
  written: string;
  /** What the screen showed when each of the keys was typed. */
  frames: string[];
}

/** A program that paints the whole terminal. @param signal is sent when all keys have been typed. */
export function onScreen(
  args: readonly string[],
  typed: readonly TypedKeys[],
  signal: NodeJS.Signals | null = null,
): Promise<ScreenRun> {
  // The program replaces the shell, so that it can be sent a signal by the number that the shell prints.
  const command = [process.execPath, BIN, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  return new Promise((resolve, reject) => {
    const child = spawn("script", ["-qec", `stty rows 30 cols 100; echo pid=$$; exec ${command}`, "/dev/null"], {
      cwd: tmpdir(),
      env: cleanEnvironment({ TERM: "xterm", SHELL: "/bin/sh" }),
    });
    let written = "";
    const frames: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      written += piece;
      const next = typed[frames.length];
      const frame = plain(written.slice(written.lastIndexOf("\u001b[H")));
      if (next === undefined || !next.when.test(frame)) return;
      frames.push(frame);
      if (typeof next.keys === "function") next.keys();
      else if (next.keys !== "") child.stdin.write(next.keys);
      if (signal !== null && frames.length === typed.length)
        process.kill(Number(/pid=(\d+)/.exec(written)?.[1]), signal);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, shown: plain(written), written, frames }));
  });
}

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of terminals begin with one
  return text.replace(/\u001b\[[?0-9;]*[A-Za-z]/g, "").replaceAll("\r", "");
}
