/** Other processes at work on a file: an action in the built code, and a runner. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tablePrefix } from "../../../src/pynenc/identifiers.ts";
import type { Actions } from "../../../src/stores/ports/actions.ts";
import { openDatabase } from "../../../src/stores/sqlite/file/driver.ts";

export type Answer = { ok: true; value: unknown } | { ok: false; told: { reason?: string; message: string } | null };

export interface RunnerReport {
  taken: number;
  finished: number;
  beats: number;
  /** Messages whose invocation lacked a row. */
  halves: unknown[];
  errors: string[];
}

export interface ActingProcess {
  child: ChildProcess;
  /** Null when it was killed. */
  answer: Promise<Answer | null>;
}

export function act(
  path: string,
  app_id: string,
  method: keyof Actions,
  args: readonly unknown[],
  lock_wait = 30,
): ActingProcess {
  const child = start("act.mjs", JSON.stringify({ path, app_id, method, args, lock_wait }));
  const answer = output(child).then((text) => (text === "" ? null : (JSON.parse(text) as Answer)));
  return { child, answer };
}

export async function startRunner(path: string, appId: string): Promise<{ stop(): Promise<RunnerReport> }> {
  const child = start("runner.mjs", path, tablePrefix(appId));
  const text = output(child);
  if (child.stdout === null) throw new Error("no stdout");
  await once(child.stdout, "data");
  return {
    async stop() {
      child.stdin?.end();
      return JSON.parse((await text).replace("ready\n", "")) as RunnerReport;
    },
  };
}

/** Runs statements in a process of its own: `done`, or SQLite's name for what is in the way. */
export function runElsewhere(path: string, sql: string): Promise<string> {
  return output(start("statement.mjs", path, sql));
}

/** Resolves once somebody else holds the lock for writing. */
export async function lockTaken(path: string): Promise<void> {
  const db = openDatabase(path, { mode: "write", busyTimeoutMs: 0 });
  try {
    for (;;) {
      try {
        db.exec("BEGIN IMMEDIATE");
        db.exec("ROLLBACK");
      } catch {
        return;
      }
      await pause(5);
    }
  } finally {
    db.close();
  }
}

function start(program: string, ...args: string[]): ChildProcess {
  const script = fileURLToPath(new URL(program, import.meta.url));
  return spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
}

async function output(child: ChildProcess): Promise<string> {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  await once(child, "close");
  return text;
}
