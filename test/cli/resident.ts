/** The program of test/cli/resident.mjs, from outside. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { defectsIn } from "../support/defects.ts";
import { atEndOfFile } from "../support/file-end.ts";
import type { Run } from "./monitor.ts";

const SCRIPT = fileURLToPath(new URL("./resident.mjs", import.meta.url));
export interface CommandLine {
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Of the terminal that it prints on; none for files. */
  columns?: number | undefined;
}

interface Loaded {
  child: ChildProcess;
  /** Takes what did not go through the streams of a command: warnings of Node, a crash. Nothing where all is well. */
  said(): string;
  /** How it ended, which it does only by a mistake, or with the worker whose tests use it. */
  ended: Promise<string>;
}

/** Loaded once for all files of a worker. */
export class Resident {
  #loaded: Loaded | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    atEndOfFile(async () => {
      await this.#last;
      const words = this.#loaded?.said() ?? "";
      if (words !== "") throw new Error(`The program said beside what its commands print:\n${words}`);
    });
  }

  /** One after the other, in the order in which they are asked for; each ends when it has left nothing open, as a process would. */
  run(line: CommandLine): Promise<Run> {
    const run = this.#last.then(() => this.#ask(line));
    this.#last = run.catch(() => undefined);
    return run;
  }

  #ask(line: CommandLine): Promise<Run> {
    this.#loaded ??= load(line);
    const { child, ended } = this.#loaded;
    return new Promise((resolve, reject) => {
      ended.then((words) => {
        this.#loaded = null;
        reject(new Error(`In the middle of ${line.args.join(" ")} the program ${words}`));
      });
      const onRun = (run: Run) => {
        defectsIn(run.stderr);
        resolve(run);
      };
      child.once("message", onRun);
      child.send(line, (error) => error && child.off("message", onRun));
    });
  }
}

function load({ cwd, env }: CommandLine): Loaded {
  const child = fork(SCRIPT, { cwd, env, execArgv: [], stdio: ["ignore", "pipe", "pipe", "ipc"] });
  let told = "";
  const said = () => {
    const words = told;
    told = "";
    return words;
  };
  const streams = [child.stdout, child.stderr].map((stream) => {
    if (stream === null) throw new Error("a stream that was asked for is missing");
    stream.setEncoding("utf8").on("data", (text: string) => (told += text));
    return finished(stream);
  });
  const how = async () => {
    const [[code, signal]] = await Promise.all([once(child, "exit"), ...streams]);
    return `ended with ${code ?? signal}.\n${said()}`;
  };
  return { child, said, ended: how() };
}
