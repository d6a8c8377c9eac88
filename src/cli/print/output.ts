/** Where a command prints: data to stdout, talk to stderr. */

import { versioned } from "../../api/version.ts";
import type { ResolvedOptions } from "../../config/options.ts";
import { visible } from "../../presentation/text.ts";
import { createPaint, type Paint } from "./colour.ts";
import { jsonDocument } from "./json.ts";
import { isLong, type Piece, pagerCommand, throughPager } from "./pager.ts";
import { type Column, printTable } from "./table.ts";

export class Output {
  /** `--json`: print one document and nothing else. */
  readonly json: boolean;
  readonly paint: Paint;
  /** Somebody looks at it. */
  readonly terminal: boolean;
  /** Columns of the terminal; null when the stream is none, and with `--full`: then nothing is cut. */
  readonly width: number | null;
  readonly #quiet: boolean;
  readonly #stream: NodeJS.WriteStream;
  /** Rows of the terminal for which a longer output goes through a pager; null where it does not. */
  readonly #rows: number | null;
  /** What is printed, until it is known whether it is long. */
  #held: Piece[] | null = null;
  /** It becomes part of a screen that something else paints. */
  #framed = false;
  /** Length of the progress line on the terminal. */
  #progress = 0;

  /**
   * @param stream stderr for what is a table and talk all the same: the preview of an action.
   * @param full cuts nothing.
   */
  constructor(
    options: Pick<ResolvedOptions, "json" | "quiet" | "color" | "noPager">,
    stream: NodeJS.WriteStream = process.stdout,
    full = false,
  ) {
    const terminal = stream.isTTY === true;
    this.terminal = terminal;
    this.#stream = stream;
    this.json = options.json.value;
    this.#quiet = options.quiet.value;
    this.width = terminal && !full ? stream.columns || 80 : null;
    this.#rows = terminal && !this.json && !options.noPager.value ? stream.rows || null : null;
    const use = options.color.value;
    this.paint = createPaint(use === "always" || (use === "auto" && terminal && process.env.TERM !== "dumb"));
  }

  /** Runs `fn`; where it prints more than the terminal has rows, its output goes through the pager of the user, and what it says stands behind that. */
  async paged(fn: () => Promise<void>): Promise<void> {
    const pager = this.#rows === null ? null : pagerCommand(process.env);
    if (pager === null || this.#rows === null) return fn();
    this.#held = [];
    let ended = false;
    try {
      await fn();
      ended = true;
    } finally {
      const pieces = this.#held;
      this.#held = null;
      const text = pieces.map((piece) => (piece.to === "stdout" ? piece.text : "")).join("");
      const shown = ended && isLong(pieces, this.#rows) && (await throughPager(pager, text));
      for (const piece of pieces) {
        if (piece.to === "stderr") process.stderr.write(piece.text);
        else if (!shown) this.#stream.write(piece.text);
      }
    }
  }

  /** Runs `fn`; nothing is printed, and its output is returned by lines, with what it says among them. */
  async framed(fn: (out: Output) => Promise<void>): Promise<string[]> {
    const pieces: Piece[] = [];
    this.#held = pieces;
    this.#framed = true;
    try {
      await fn(this);
    } finally {
      this.#held = null;
    }
    return pieces
      .map((piece) => piece.text)
      .join("")
      .replace(/\n$/, "")
      .split("\n");
  }

  #write(text: string): void {
    if (this.#held === null) this.#stream.write(text);
    else this.#held.push({ to: "stdout", text });
  }

  /** An answer, with the version of the schemas. */
  document(value: object): void {
    this.#write(jsonDocument(versioned(value)));
  }

  /** Lines that are ready to be shown: stored text in them has gone through `visible`. */
  lines(lines: readonly string[]): void {
    if (lines.length > 0) this.#write(`${lines.join("\n")}\n`);
  }

  /** A table, with a word on stderr about columns for which there was no room. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], indent = ""): void {
    if (rows.length === 0) return;
    const room = this.width === null ? null : this.width - indent.length;
    const { lines, left_out } = printTable(columns, rows, room, this.paint.dim);
    this.lines(lines.map((line) => indent + line));
    if (left_out.length > 0) this.say(`Columns not shown: ${left_out.join(", ")}.`);
  }

  /** Notes and hints for people. */
  say(...sentences: readonly string[]): void {
    if (this.#quiet) return;
    for (const sentence of sentences) {
      const text = `${visible(sentence)}\n`;
      if (this.#held === null) process.stderr.write(text);
      else this.#held.push({ to: "stderr", text });
    }
  }

  /** How far a long action is: a line on stderr that the next one replaces, and "" removes; only where somebody can see it. */
  progress(text: string): void {
    if (this.#quiet || this.#framed || process.stderr.isTTY !== true || text.length + this.#progress === 0) return;
    process.stderr.write(`\r${text.padEnd(this.#progress)}${text === "" ? "\r" : ""}`);
    this.#progress = text.length;
  }
}
