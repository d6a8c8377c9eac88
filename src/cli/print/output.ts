/** Where a command prints: data to stdout, talk to stderr. */

import { versioned } from "../../api/version.ts";
import type { ResolvedOptions } from "../../config/options.ts";
import { visible } from "../../presentation/text.ts";
import { createPaint, type Paint } from "./colour.ts";
import { jsonDocument } from "./json.ts";
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
  /** Length of the line that stands there. */
  #progress = 0;

  /**
   * @param stream stderr for what is a table and talk all the same: the preview of an action.
   * @param full cuts nothing.
   */
  constructor(
    options: Pick<ResolvedOptions, "json" | "quiet" | "color">,
    stream: NodeJS.WriteStream = process.stdout,
    full = false,
  ) {
    const terminal = stream.isTTY === true;
    this.terminal = terminal;
    this.#stream = stream;
    this.json = options.json.value;
    this.#quiet = options.quiet.value;
    this.width = terminal && !full ? stream.columns || 80 : null;
    const use = options.color.value;
    this.paint = createPaint(use === "always" || (use === "auto" && terminal && process.env.TERM !== "dumb"));
  }

  /** An answer, with the version of the schemas. */
  document(value: object): void {
    this.#stream.write(jsonDocument(versioned(value)));
  }

  /** Lines that are ready to be shown: stored text in them has gone through `visible`. */
  lines(lines: readonly string[]): void {
    if (lines.length > 0) this.#stream.write(`${lines.join("\n")}\n`);
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
    for (const sentence of sentences) process.stderr.write(`${visible(sentence)}\n`);
  }

  /** How far a long action is: a line on stderr that the next one replaces, and "" removes; only where somebody can see it. */
  progress(text: string): void {
    if (this.#quiet || process.stderr.isTTY !== true) return;
    process.stderr.write(`\r${text.padEnd(this.#progress)}${text === "" ? "\r" : ""}`);
    this.#progress = text.length;
  }
}
