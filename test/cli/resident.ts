/** The program of test/cli/resident.mjs, from outside. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { defectsIn } from "../support/defects.ts";
import type { Run } from "./monitor.ts";

const SCRIPT = fileURLToPath(new URL("./resident.mjs", import.meta.url));
/** By far longer than a busy machine needs to end a process that has nothing left to do. */
const END_MS = 60_000;

export interface CommandLine {
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Of the terminal that it prints on; none for files. */
  columns?: number | undefined;
}

interface Loaded {
  child: ChildProcess;
  /** How it ended, and what did not go through the streams of a command: warnings of Node, a crash. Nothing where all is well. */
  ended: Promise<string>;
}

export class Resident {
  #loaded: Loaded | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** One after the other, in the order in which they are asked for; each ends when it has left nothing open, as a process would. */
  run(line: CommandLine): Promise<Run> {
    const run = this.#last.then(() => this.#ask(line));
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** @throws when a command did not end or said something beside its streams. */
  async close(): Promise<void> {
    if (this.#loaded === null) return;
    const { child, ended } = this.#loaded;
    this.#loaded = null;
    const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
    if (child.connected) child.disconnect();
    const words = await ended;
    clearTimeout(timer);
    if (words !== "") throw new Error(`The program ${words}`);
  }

  #ask(line: CommandLine): Promise<Run> {
    this.#loaded ??= load(line);
    const { child, ended } = this.#loaded;
    return new Promise((resolve, reject) => {
      const onRun = (run: Run) => {
        defectsIn(run.stderr);
        resolve(run);
      };
      child.once("message", onRun);
      ended.then((words) => reject(new Error(`In the middle of ${line.args.join(" ")} the program ${words}`)));
      child.send(line, (error) => error && child.off("message", onRun));
    });
  }
}

function load({ cwd, env }: CommandLine): Loaded {
  const child = fork(SCRIPT, { cwd, env, execArgv: [], stdio: ["ignore", "pipe", "pipe", "ipc"] });
  let said = "";
  const streams = [child.stdout, child.stderr].map((stream) => {
    if (stream === null) throw new Error("a stream that was asked for is missing");
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    return finished(stream);
  });
  const how = async () => {
    // "close" is not told of a child whose channel this side has closed.
    const [[code, signal]] = await Promise.all([once(child, "exit"), ...streams]);
    if (signal === "SIGKILL") return `did not end.\n${said}`;
    return code === 0 ? said : `ended with ${code ?? signal}.\n${said}`;
  };
  return { child, ended: how() };
}
