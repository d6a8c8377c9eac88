/** A full-screen terminal that a command repaints, and that is restored however the command ends. */
import { emitKeypressEvents, type Key } from "node:readline";
import { InvalidInputError } from "../../errors.ts";

const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const REST_OF_LINE = "\u001b[K";
const REST_OF_SCREEN = "\u001b[J";

/** Signals that end a command, with the exit code that tells the shell which one it was. */
const ENDING_SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Rows to assume if the terminal does not report its size. */
const ROWS = 24;
const COLUMNS = 80;

export class Screen {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #restore = () => this.close();
  readonly #signals = new Map<NodeJS.Signals, () => void>();
  #open = true;
  #ended: () => void = () => {};
  /** Resolves when the user or a signal asks the command to end. */
  readonly ended = new Promise<void>((resolve) => {
    this.#ended = resolve;
  });

  /** @throws InvalidInputError without a terminal. @param what the flag or command that needs one. */
  static open(what: string, hint: string, input = process.stdin, output = process.stdout): Screen {
    if (output.isTTY !== true) throw new InvalidInputError([], hint, `${what} needs a terminal.`);
    return new Screen(input, output);
  }

  private constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#input = input;
    this.#output = output;
    output.write(ENTER);
    // Also runs after an uncaught defect.
    process.on("exit", this.#restore);
    for (const [signal, code] of Object.entries(ENDING_SIGNALS)) {
      const end = () => {
        process.exitCode = code;
        this.end();
      };
      this.#signals.set(signal as NodeJS.Signals, end);
      process.on(signal, end);
    }
    // After Ctrl-Z and fg, the terminal may be in another mode.
    const again = () => {
      if (input.isTTY) input.setRawMode(true);
      output.write(ENTER);
      output.emit("resize");
    };
    this.#signals.set("SIGCONT", again);
    process.on("SIGCONT", again);
  }

  get rows(): number {
    return this.#output.rows || ROWS;
  }

  get columns(): number {
    return this.#output.columns || COLUMNS;
  }

  /** Runs `fn` for each key; Ctrl-C ends the command. If stdin is not a terminal, there are no keys. */
  onKey(fn: (key: Key) => void): void {
    if (this.#input.isTTY !== true) return;
    emitKeypressEvents(this.#input);
    this.#input.setRawMode(true);
    this.#input.on("keypress", (_: string | undefined, key: Key) => {
      if (key.ctrl && key.name === "c") this.end();
      else fn(key);
    });
    this.#input.resume();
  }

  onResize(fn: () => void): void {
    this.#output.on("resize", fn);
  }

  /** Replaces the content. Lines beyond the last row are dropped; long lines are cut by the terminal. */
  paint(lines: readonly string[]): void {
    if (!this.#open) return;
    const shown = lines.slice(0, this.rows).map((line) => `${line}\u001b[0m${REST_OF_LINE}`);
    this.#output.write(`${HOME}${shown.join("\r\n")}${shown.length < this.rows ? `\r\n${REST_OF_SCREEN}` : ""}`);
  }

  /** Asks the command to end. */
  end(): void {
    this.#ended();
  }

  /** Restores the terminal. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    process.off("exit", this.#restore);
    for (const [signal, fn] of this.#signals) process.off(signal, fn);
    this.#output.removeAllListeners("resize");
    if (this.#input.isTTY === true) {
      this.#input.removeAllListeners("keypress");
      this.#input.setRawMode(false);
      this.#input.pause();
    }
    this.#output.write(LEAVE);
  }
}

/** Waits for this many milliseconds, or until the screen ends or `wake` settles. @returns whether to continue. */
export async function pause(
  screen: Pick<Screen, "ended">,
  milliseconds: number,
  wake?: Promise<void>,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), milliseconds);
  });
  const ways: Promise<boolean>[] = [over, screen.ended.then(() => false)];
  if (wake !== undefined) ways.push(wake.then(() => true));
  return Promise.race(ways).finally(() => clearTimeout(timer));
}
