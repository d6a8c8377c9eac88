/** Padded columns. On a terminal they are fitted to its width; elsewhere nothing is ever cut. */
import stringWidth from "fast-string-width";
import { visibleLine } from "../../presentation/text.ts";

/** Text with a function that colours it; padding and cutting happen before. */
export interface Cell {
  text: string;
  paint?: (text: string) => string;
}

/** Where the ellipsis goes: ids keep both ends, dotted names and paths their end, prose its beginning. */
export type Cut = "middle" | "start" | "end";

export interface Column<Row> {
  title: string;
  cell(row: Row): string | Cell;
  /** A shorter form, used for the whole column if the full one does not fit. */
  narrow?: (row: Row) => string | Cell;
  align?: "right";
  /** The column may be cut, but not below this width. */
  cut?: Cut;
  min?: number;
  /** Left out if the rest does not fit otherwise; the last such column goes first, but `first` ones go before all others. */
  optional?: boolean | "first";
}

export interface PrintedTable {
  lines: string[];
  /** Titles of columns that were left out. */
  left_out: string[];
}

const GAP = 2;
const MIN_CUT = 8;
/** Where even the minimum widths do not fit. */
const LEAST_CUT = 6;

/** Limits padding, so that one very long cell does not make every other row as long. */
const MAX_PADDED = 100;

/**
 * @param width of the terminal, or null if lines may have any length.
 * @param head formats titles.
 */
export function printTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | null,
  head: (text: string) => string = (text) => text,
): PrintedTable {
  const all = columns.map((column) => new PrintedColumn(column, rows)).filter((column) => !column.blank);
  const shown = width === null ? all : fitted(all, width);
  const lines = [line(shown.map((column) => padded({ text: column.title, paint: head }, column)))];
  rows.forEach((_, index) => {
    lines.push(line(shown.map((column) => padded(column.cells[index] ?? { text: "" }, column))));
  });
  return { lines, left_out: all.flatMap((column) => (shown.includes(column) ? [] : [column.title.toLowerCase()])) };
}

class PrintedColumn {
  readonly title: string;
  readonly right: boolean;
  readonly cut: Cut | null;
  readonly min: number;
  readonly optional: boolean | "first";
  cells: readonly Cell[];
  width: number;
  readonly #full: readonly Cell[];
  readonly #narrow: readonly Cell[] | null;
  #alike: Map<string, string[]> | null = null;

  constructor(column: Column<never>, rows: readonly unknown[]) {
    const { narrow } = column;
    this.title = column.title;
    this.right = column.align === "right";
    this.cut = column.cut ?? null;
    this.min = column.min ?? MIN_CUT;
    this.optional = column.optional ?? false;
    this.#full = rows.map((row) => shownCell(column.cell(row as never)));
    this.#narrow = narrow === undefined ? null : rows.map((row) => shownCell(narrow(row as never)));
    this.cells = this.#full;
    this.width = this.#natural();
  }

  /** A text cut to the width of the column; where others look the same after that, the part in which it differs from them is kept. */
  shown(text: string): string {
    const { cut, width } = this;
    if (cut === null || stringWidth(text) <= width) return text;
    const short = cutText(text, width, cut);
    this.#alike ??= this.#byShortForm(cut);
    const alike = this.#alike.get(short) ?? [];
    return alike.length < 2 || cut === "end" ? short : aroundDifference(text, alike, width);
  }

  /** The different texts that are cut, by what they become. */
  #byShortForm(cut: Cut): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const text of new Set(this.cells.map((cell) => cell.text))) {
      if (stringWidth(text) <= this.width) continue;
      const short = cutText(text, this.width, cut);
      found.set(short, [...(found.get(short) ?? []), text]);
    }
    return found;
  }

  /** Empty in every row, such as remarks that apply to none. */
  get blank(): boolean {
    return this.#full.every((cell) => cell.text === "");
  }

  get canNarrow(): boolean {
    return this.#narrow !== null && this.cells === this.#full;
  }

  narrow(): void {
    this.cells = this.#narrow ?? this.#full;
    this.width = this.#natural();
  }

  /** Resets columns to their full form, for another attempt with fewer columns. */
  reset(): void {
    this.cells = this.#full;
    this.width = this.#natural();
  }

  #natural(): number {
    return this.cells.reduce((most, cell) => Math.max(most, stringWidth(cell.text)), stringWidth(this.title));
  }
}

function shownCell(cell: string | Cell): Cell {
  return typeof cell === "string" ? { text: visibleLine(cell) } : { ...cell, text: visibleLine(cell.text) };
}

/** Columns that fit the width if possible: tries short forms first, then cuts, then leaves out optional columns. */
function fitted(all: readonly PrintedColumn[], width: number): PrintedColumn[] {
  let columns = [...all];
  for (;;) {
    for (const column of columns) column.reset();
    for (const column of columns) {
      if (totalWidth(columns) <= width) return columns;
      if (column.canNarrow) column.narrow();
    }
    shrink(columns, totalWidth(columns) - width);
    if (totalWidth(columns) <= width) return columns;
    const dispensable =
      columns.findLast(({ optional }) => optional === "first") ?? columns.findLast(({ optional }) => optional);
    if (dispensable === undefined) {
      shrink(columns, totalWidth(columns) - width, LEAST_CUT);
      // The first column names the row.
      if (totalWidth(columns) <= width || columns.length === 1) return columns;
    }
    columns = columns.filter((column) => column !== (dispensable ?? columns.at(-1)));
  }
}

function totalWidth(columns: readonly PrintedColumn[]): number {
  return columns.reduce((sum, column) => sum + column.width, GAP * (columns.length - 1));
}

/** Takes `excess` cells of width from the columns that may be cut, always from the widest. @param least instead of their own minimum */
function shrink(columns: readonly PrintedColumn[], excess: number, least?: number): void {
  for (let left = excess; left > 0; left--) {
    const widest = columns
      .filter((column) => column.cut !== null && column.width > (least ?? column.min))
      .reduce<PrintedColumn | null>(
        (most, column) => (most === null || column.width > most.width ? column : most),
        null,
      );
    if (widest === null) return;
    // One very long cell among short ones: skip to the width at which single steps matter.
    if (widest.width > left + 1000) {
      widest.width -= left;
      return;
    }
    widest.width--;
  }
}

function padded(cell: Cell, column: PrintedColumn): string {
  const text = column.shown(cell.text);
  const space = " ".repeat(Math.max(0, Math.min(column.width, MAX_PADDED) - stringWidth(text)));
  const painted = cell.paint === undefined || text === "" ? text : cell.paint(text);
  return column.right ? space + painted : painted + space;
}

function line(cells: readonly string[]): string {
  return cells.join(" ".repeat(GAP)).trimEnd();
}

/** A text from where it begins to differ from others like it. */
function aroundDifference(text: string, others: readonly string[], width: number): string {
  const begins = Math.min(
    ...others.map((other) => {
      const at = Array.from(text).findIndex((character, index) => character !== Array.from(other)[index]);
      return at < 0 ? Number.POSITIVE_INFINITY : at;
    }),
  );
  const from = Math.max(0, Math.min(begins, text.length) - 1);
  return from === 0
    ? cutText(text, width, "end")
    : `…${cutText(Array.from(text).slice(from).join(""), width - 1, "end")}`;
}

/** Text that takes at most `width` columns of a terminal, with an ellipsis where it was cut. */
export function cutText(text: string, width: number, cut: Cut): string {
  if (stringWidth(text) <= width) return text;
  const room = width - 1;
  if (room <= 0) return "…";
  const characters = Array.from(text);
  if (cut === "end") return `${taken(characters, room)}…`;
  if (cut === "start") return `…${takenFromEnd(characters, room)}`;
  // The beginning of an id is what people type again, so it gets the larger half: 8 and 4 of 13.
  const tail = Math.min(Math.floor(room / 3), 14);
  return `${taken(characters, room - tail)}…${takenFromEnd(characters, tail)}`;
}

function taken(characters: readonly string[], width: number): string {
  let text = "";
  let left = width;
  for (const character of characters) {
    left -= stringWidth(character);
    if (left < 0) break;
    text += character;
  }
  return text;
}

function takenFromEnd(characters: readonly string[], width: number): string {
  let text = "";
  let left = width;
  for (const character of characters.toReversed()) {
    left -= stringWidth(character);
    if (left < 0) break;
    text = character + text;
  }
  return text;
}
