/** The lines of `monitor top`. */
import { stripVTControlCharacters } from "node:util";
import stringWidth from "fast-string-width";
import type { Top } from "../../api/health.ts";
import { asFarAsRead, count, NOTHING, visible, visibleLine } from "../../presentation/text.ts";
import { folded } from "../../pynenc/folded.ts";
import { nothingWrong } from "../../pynenc/nothing-wrong.ts";
import { counted } from "../../pynenc/numbers.ts";
import { epochFromIso } from "../../pynenc/time.ts";
import { type Paint, severityColour } from "../print/colour.ts";
import { type Column, cutText, printTable } from "../print/table.ts";
import { seconds } from "../print/text.ts";
import { timeToSeconds } from "../print/zone.ts";
import { failureColumns, newestFirst, taskColumns, workerColumns } from "./columns.ts";
import { sparkline } from "./sparkline.ts";
import { type Target, type TopState, textRows } from "./state.ts";

export interface Size {
  /** Null if lines may have any length. */
  columns: number | null;
  /** Null if all rows are printed. */
  rows: number | null;
}

/** Minimum number of rows shown of each table. */
const FEWEST = 2;

/** How many verdicts are listed; the rest is counted. */
const VERDICTS = 4;

/** Columns of a chart if lines may have any length. */
const WIDE = 120;
/** Marks the selected row. */
/** Charts beside each other, by the least width of the terminal. */
const CHARTS_PER_LINE = [
  [2 * WIDE, 6],
  [72, 3],
  [52, 2],
] as const;

const MARK = "> ";

/** Width reserved after the column titles for the number of hidden rows. */
const MORE = 6;

const GAP = "  ";
const ROWS_PER_WORD_LINE = 12;
const NAME = 9;
const VALUE = 9;

const KEYS = "up/down select   Enter open   s sort   r range   / filter   p pause   q quit";
const OPENED_KEYS = "up/down, PageUp/PageDown scroll   Esc back   Ctrl-C quit";

/** A table of the frame. */
interface Section {
  /** The line of column titles, then one line per row. */
  lines: string[];
  keys: string[];
  targets: (Target | null)[];
  /** Shown instead of rows. */
  nothing: string | null;
}

/** Keys of the rows from top to bottom, and what they open. */
export function rowTargets(top: Top, state: TopState): Map<string, Target> {
  const all = sections(top, state, null, null);
  return new Map(
    all.flatMap(({ keys, targets }) => keys.flatMap((key, row) => (targets[row] == null ? [] : [[key, targets[row]]]))),
  );
}

/** @param note why the data shown is old; null if it is current. */
export function topFrame(top: Top, state: TopState, size: Size, paint: Paint, note: string | null): string[] {
  if (state.opened !== null) return openedFrame(state.opened, size, paint);
  const head = [
    titleLine(top, state, paint),
    ...(note === null ? [] : [paint.error(cut(visibleLine(note), size.columns))]),
    // What looks wrong is on the screen, however few rows it has.
    ...verdictLines(top, size, paint),
    ...countLines(top, size, paint),
    ...stripLines(top, size),
  ];
  const tables = sections(top, state, size.columns, paint);
  const foot = state.typing ? `/${visibleLine(state.filter)}_` : paint.dim(KEYS);
  if (size.rows === null)
    return [...head, ...tables.flatMap((table) => ["", ...shown(table, state, null, size, paint)])];
  const room = size.rows - head.length - 1 - 2 * tables.length;
  const wanted = tables.map(({ keys }) => Math.max(1, keys.length));
  const shares = shared(Math.max(FEWEST * tables.length, room), wanted);
  const body = tables.flatMap((table, at) => ["", ...shown(table, state, shares[at] ?? FEWEST, size, paint)]);
  const lines = [...head, ...body].slice(0, size.rows - 1);
  return [...lines, ...new Array<string>(size.rows - 1 - lines.length).fill(""), foot];
}

function openedFrame(
  { lines, offset }: NonNullable<TopState["opened"]>,
  { rows, columns }: Size,
  paint: Paint,
): string[] {
  const room = textRows(rows ?? lines.length + 1);
  const text = lines.slice(offset, offset + room);
  const place = lines.length > room ? `   ${offset + 1} to ${offset + text.length} of ${lines.length}` : "";
  const foot = paint.dim(cut(`${OPENED_KEYS}${place}`, columns));
  return [...text, ...new Array<string>(room - text.length).fill(""), foot];
}

function titleLine({ app_id, as_of }: Top, state: TopState, paint: Paint): string {
  const chosen = [
    timeToSeconds(as_of),
    `last ${state.range}`,
    ...(state.filter === "" ? [] : [`only ${JSON.stringify(visibleLine(state.filter))}`]),
    ...(state.paused ? ["paused"] : []),
  ];
  return `${paint.bold(visibleLine(app_id))}  ${chosen.join("  ")}`;
}

function countLines({ overview, statuses }: Top, size: Size, paint: Paint): string[] {
  const queued = overview.queued_messages;
  const words: [plain: string, painted?: string][] = [
    [queued === null ? "queue unreachable" : `${counted(queued, "message")} queued`],
    [
      `${count(overview.active_runners)} of ${count(overview.known_runners)}${overview.known_runners_capped ? "+" : ""} runners active`,
    ],
    ...(overview.complete ? [] : [["at least:"] as [string]]),
    ...[...statuses]
      .sort(failedFirst)
      .flatMap(({ status, count: n }): [string, string][] =>
        n === 0
          ? []
          : [[`${visibleLine(status)} ${count(n)}`, `${paint.status(status, visibleLine(status))} ${count(n)}`]],
      ),
  ];
  return packed(words, size);
}

function failedFirst(a: { status: string }, b: { status: string }): number {
  return Number(b.status === "failed") - Number(a.status === "failed");
}

/** Fills lines with words; if the terminal has few rows, the last words are left out. */
function packed(words: readonly (readonly [plain: string, painted?: string])[], { columns, rows }: Size): string[] {
  const lines: string[] = [];
  let room = 0;
  for (const [plain, painted = plain] of words) {
    const width = stringWidth(plain) + GAP.length;
    if (lines.length > 0 && (columns === null || room >= width)) lines[lines.length - 1] += GAP + painted;
    else {
      lines.push(painted);
      room = columns ?? 0;
    }
    room -= width;
  }
  const most = rows === null ? lines.length : Math.max(2, Math.floor(rows / ROWS_PER_WORD_LINE));
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), `${lines[most - 1]}${GAP}...`];
}

function verdictLines({ verdicts, not_looked_at }: Top, { columns }: Size, paint: Paint): string[] {
  const open = verdicts.filter(({ muted_until }) => muted_until === null);
  const lines = open.slice(0, VERDICTS).map(({ severity, sentence, since }) => {
    const when = since === null ? "" : ` (since ${timeToSeconds(since)})`;
    const text = cut(`${severity}: ${visible(sentence)}${when}`, columns);
    return severityColour(severity, paint)(text);
  });
  if (open.length > VERDICTS) lines.push(`${counted(open.length - VERDICTS, "more verdict")}: monitor why`);
  if (lines.length > 0) return lines;
  const apart = verdicts.length === 0 ? "" : ` apart from ${counted(verdicts.length, "muted verdict")}`;
  const missed = not_looked_at.length === 0 ? "" : ` Not checked: ${visibleLine(not_looked_at.join("; "))}.`;
  return [cut(`${nothingWrong(not_looked_at)}${apart}.${missed}`, columns)];
}

function stripLines({ recent, recent_note }: Top, { columns }: Size): string[] {
  if (recent === null) return [recent_note ?? "Figures over time are switched off."];
  const { slices, total } = recent;
  const last = slices.at(-1);
  const known = (value: number | null | undefined) => (value == null ? NOTHING : count(value));
  const charts: [name: string, values: (number | null)[], merge: "sum" | "max", value: string][] = [
    ["finished", slices.map((one) => one.finished), "sum", count(total.finished)],
    ["failed", slices.map((one) => one.failed), "sum", count(total.failed)],
    ["wait p95", slices.map((one) => one.wait_p95_seconds), "max", seconds(total.wait.p95_seconds)],
    ["run p95", slices.map((one) => one.run_p95_seconds), "max", seconds(total.run.p95_seconds)],
    ["waiting", slices.map((one) => one.queued), "max", known(last?.queued)],
    ["running", slices.map((one) => one.running), "max", known(last?.running)],
  ];
  const width = columns ?? WIDE;
  const each = CHARTS_PER_LINE.find(([least]) => width >= least)?.[1] ?? 1;
  const room = Math.max(4, Math.floor(width / each) - NAME - VALUE - 3);
  const drawn = charts.map(
    ([name, values, merge, value]) =>
      `${name.padEnd(NAME)}${sparkline(values, room, merge).padEnd(room)} ${value.padEnd(VALUE)}`,
  );
  const lines: string[] = [];
  for (let at = 0; at < drawn.length; at += each)
    lines.push(
      drawn
        .slice(at, at + each)
        .join("  ")
        .trimEnd(),
    );
  if (!recent.complete) lines.push("The history is still being read: figures so far.");
  return lines;
}

function sections(top: Top, state: TopState, columns: number | null, paint: Paint | null): Section[] {
  const now = epochFromIso(top.as_of) ?? 0;
  const { recent } = top;
  const width = columns === null ? null : Math.max(20, columns - MARK.length - MORE);
  const dim = paint?.dim ?? ((text: string) => text);
  const table = <Row>(
    name: string,
    rows: readonly Row[],
    cells: readonly Column<Row>[],
    keyOf: (row: Row) => string,
    targetOf: (row: Row) => Target | null,
    nothing: string,
  ): Section => {
    const all = printTable(cells, rows, null).lines.slice(1).map(folded);
    const meant = rows.filter((_, row) => all[row]?.includes(folded(state.filter)));
    const none = rows.length > 0 ? `No ${name} contains the filter.` : nothing;
    return {
      lines: printTable(cells, meant, width, dim).lines,
      keys: meant.map((row) => `${name} ${keyOf(row)}`),
      targets: meant.map(targetOf),
      nothing: meant.length > 0 ? null : none,
    };
  };
  return [
    table(
      "task",
      recent?.tasks ?? [],
      taskColumns(state),
      (row) => row.task_id_key ?? "",
      ({ task_id_key: id }) => (id == null ? null : { kind: "task", id }),
      recent === null ? "Tasks: not known yet." : `No task ran${asFarAsRead(recent)}.`,
    ),
    table(
      "failure",
      newestFirst(recent?.groups ?? []),
      failureColumns(now),
      ({ task_id_key, type, message }) => JSON.stringify([task_id_key, type, message]),
      ({ invocation_ids: [id] }) => (id === undefined ? null : { kind: "invocation", id }),
      recent === null ? "Failures: not known yet." : `Nothing failed${asFarAsRead(recent)}.`,
    ),
    table(
      "runner",
      top.workers,
      workerColumns(now, top.running_left_out),
      (row) => row.runner_id,
      ({ runner_id: id }) => ({ kind: "runner", id }),
      "No runner is active.",
    ),
  ];
}

/** The title line and as many rows as fit, always including the selected one. */
function shown(table: Section, state: TopState, room: number | null, { columns }: Size, paint: Paint): string[] {
  if (table.nothing !== null) return [cut(table.nothing, columns)];
  const [title = "", ...rows] = table.lines;
  const at = state.selected === null ? -1 : table.keys.indexOf(state.selected);
  const most = room ?? rows.length;
  const first = at < most ? 0 : at - most + 1;
  const lines = rows.slice(first, first + most).map((line, row) => {
    const selected = first + row === at;
    // Without colours, so that the whole row stands out.
    return selected ? paint.bold(`${MARK}${stripVTControlCharacters(line)}`) : `  ${line}`;
  });
  const more = rows.length - lines.length;
  return [`  ${title}${more > 0 ? paint.dim(`  +${count(more)}`) : ""}`, ...lines];
}

/** Divides the rows evenly among parts. No part gets more than it wants, and what it does not need goes to the others. */
export function shared(room: number, wanted: readonly number[]): number[] {
  const shares = wanted.map(() => 0);
  for (let left = room; left > 0; ) {
    const hungry = shares.flatMap((share, at) => (share < (wanted[at] ?? 0) ? [at] : []));
    if (hungry.length === 0) break;
    for (const at of hungry.slice(0, left)) shares[at] = (shares[at] ?? 0) + 1;
    left -= hungry.length;
  }
  return shares;
}

function cut(text: string, columns: number | null): string {
  return columns === null ? text : cutText(text, columns, "end");
}
