/** Runs the command of `--on-verdict`, one run at a time, with a JSON document on standard input. */
import { type ChildProcess, spawn } from "node:child_process";
import { visibleLine } from "../presentation/text.ts";

/** Maximum milliseconds of one run. */
const LONGEST = 60_000;

/** Maximum number of queued verdicts; further ones are only logged. */
const WAITING = 100;

/** How many of the last characters on standard error are logged if a run fails. */
const OUTPUT_SHOWN = 500;

/** Milliseconds to wait for remaining output after the program has exited. */
const LAST_WORDS = 500;

export interface VerdictCommandOptions {
  warn(words: string): void;
  longest?: number;
  waiting?: number;
}

export class VerdictCommand {
  readonly #words: readonly string[];
  readonly #options: VerdictCommandOptions;
  readonly #waiting: string[] = [];
  #running: ChildProcess | null = null;
  #closed = false;

  /** @param words program and arguments. */
  constructor(words: readonly string[], options: VerdictCommandOptions) {
    this.#words = words;
    this.#options = options;
  }

  /** @param document one JSON document. */
  notify(document: string): void {
    if (this.#closed) return;
    if (this.#waiting.length >= (this.#options.waiting ?? WAITING)) {
      this.#options.warn("--on-verdict: too many verdicts are waiting for the command; one was skipped");
      return;
    }
    this.#waiting.push(document);
    if (this.#running === null) this.#next();
  }

  /** Kills the current run and starts no further ones. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#running?.kill();
  }

  #next(): void {
    const document = this.#waiting.shift();
    if (document === undefined || this.#closed) {
      this.#running = null;
      return;
    }
    const [program = "", ...args] = this.#words;
    const { longest = LONGEST, warn } = this.#options;
    // Keep the token from the command.
    const { PYNENC_MONITOR_TOKEN: _token, ...env } = process.env;
    let output = "";
    let ended = false;
    let timer: NodeJS.Timeout | undefined;
    const end = (problem: string | null) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      const words = output.trim();
      if (problem !== null && !this.#closed) {
        warn(`--on-verdict: ${program} ${problem}${words === "" ? "" : `: ${visibleLine(words)}`}`);
      }
      this.#next();
    };
    let child: ChildProcess;
    try {
      child = spawn(program, args, { env, stdio: ["pipe", "ignore", "pipe"], windowsHide: true });
    } catch (error) {
      // Arguments that the system rejects.
      end(`could not be started: ${(error as Error).message}`);
      return;
    }
    this.#running = child;
    timer = setTimeout(() => {
      child.kill("SIGKILL");
      end(`took longer than ${longest / 1_000} s and was ended`);
    }, longest);
    child.on("error", (error: NodeJS.ErrnoException) => end(`could not be started: ${error.code ?? error.message}`));
    child.on("exit", (code, signal) => {
      const failure = signal === null ? `exited with ${code}` : `was ended by ${signal}`;
      const ending = () => end(code === 0 ? null : failure);
      child.on("close", ending);
      // Processes that it left running may keep its standard error open.
      clearTimeout(timer);
      timer = setTimeout(ending, LAST_WORDS);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-OUTPUT_SHOWN);
    });
    child.stderr?.on("error", () => undefined);
    // The command need not read its input.
    child.stdin?.on("error", () => undefined).end(document);
  }
}
