/** The output of a command: data on stdout, notes on stderr. */

import { versioned } from "../../api/version.ts";
import type { ResolvedOptions } from "../../config/options.ts";
import { visible, visibleLine } from "../../presentation/text.ts";
import { createPaint, type Paint } from "./colour.ts";
import { jsonDocument } from "./json.ts";
import { messageLines, messageWidth } from "./message.ts";
import { isLong, type Piece, pagerCommand, throughPager } from "./pager.ts";
import { type ChosenRows, fieldColumns, idsIn, withFields } from "./rows.ts";
import { type Column, printTable } from "./table.ts";

export class Output {
  /** `--json`, or rows were chosen: print one document and nothing else. */
  readonly json: boolean;
  readonly paint: Paint;
  /** The stream is a terminal. */
  readonly terminal: boolean;
  /** Columns of the terminal; null if the stream is not a terminal or with `--full`: nothing is cut then. */
  readonly width: number | null;
  readonly #asJson: boolean;
  readonly #chosen: ChosenRows | null;
  readonly #quiet: boolean;
  readonly #stream: NodeJS.WriteStream;
  /** Output with more rows than this, the height of the terminal, goes through a pager; null if no pager is used. */
  readonly #rows: number | null;
  /** Output held back until it is known whether it needs a pager. */
  #held: Piece[] | null = null;
  /** The output becomes part of a screen that another module paints. */
  #framed = false;
  /** Length of the progress line on the terminal. */
  #progress = 0;

  /**
   * @param stream stderr for tables that are not data, such as the preview of an action.
   * @param full do not cut anything.
   * @param chosen rows that are printed instead of the documents that have them.
   */
  constructor(
    options: Pick<ResolvedOptions, "json" | "quiet" | "color" | "noPager">,
    stream: NodeJS.WriteStream = process.stdout,
    full = false,
    chosen: ChosenRows | null = null,
  ) {
    this.#chosen = chosen;
    this.#asJson = options.json.value;
    const terminal = stream.isTTY === true;
    this.terminal = terminal;
    this.#stream = stream;
    this.json = options.json.value || chosen !== null;
    this.#quiet = options.quiet.value;
    this.width = terminal && !full ? stream.columns || 80 : null;
    this.#rows = terminal && !this.json && !options.noPager.value ? stream.rows || null : null;
    const use = options.color.value;
    this.paint = createPaint(use === "always" || (use === "auto" && terminal && process.env.TERM !== "dumb"));
  }

  /** Runs `fn`. If it prints more rows than the terminal has, the output goes through the user's pager, and notes are printed after it. */
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

  /** Runs `fn` without printing, and returns its output as lines, notes included. */
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
    const chosen = this.#chosen;
    if (chosen === null) this.#write(jsonDocument(versioned(value)));
    else if (chosen.print === "ids") this.lines(idsIn(value, chosen.rows).map(visibleLine));
    else {
      const { answer, rows } = withFields(value, chosen.rows, chosen.fields);
      if (this.#asJson) this.#write(jsonDocument(versioned(answer)));
      else this.table(fieldColumns(chosen.fields), rows);
    }
  }

  /** Lines that are ready to print: stored text in them has gone through `visible`. */
  lines(lines: readonly string[]): void {
    if (lines.length > 0) this.#write(`${lines.join("\n")}\n`);
  }

  /** A table, with a note on stderr about columns that did not fit. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], indent = ""): void {
    if (rows.length === 0) return;
    const room = this.width === null ? null : this.width - indent.length;
    const { lines, left_out } = printTable(columns, rows, room, this.paint.dim);
    this.lines(lines.map((line) => indent + line));
    if (left_out.length > 0) this.say(`Columns not shown: ${left_out.join(", ")} (--full shows them).`);
  }

  /** Notes and hints for people. */
  say(...sentences: readonly string[]): void {
    if (this.#quiet) return;
    for (const sentence of sentences) {
      const width = this.#framed ? this.width : messageWidth();
      const text = `${messageLines(visible(sentence), width).join("\n")}\n`;
      if (this.#held === null) process.stderr.write(text);
      else this.#held.push({ to: "stderr", text });
    }
  }

  /** Progress of a long action: a line on stderr that the next one replaces and "" removes. Only on terminals. */
  progress(text: string): void {
    if (this.#quiet || this.#framed || process.stderr.isTTY !== true || text.length + this.#progress === 0) return;
    process.stderr.write(`\r${text.padEnd(this.#progress)}${text === "" ? "\r" : ""}`);
    this.#progress = text.length;
  }
}
