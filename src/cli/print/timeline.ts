/** Prints a timeline: one line of cells for each row of a lane. */
import stringWidth from "fast-string-width";
import type { RunnerName } from "../../api/model/runner-names.ts";
import type { Timeline } from "../../api/timeline.ts";
import { PATH_PHASE_WORDS } from "../../presentation/critical-path.ts";
import { count, shortId, visibleLine } from "../../presentation/text.ts";
import type { LaneShape, TimelineGeometry } from "../../timeline/geometry.ts";
import { sharedLaneName } from "../../timeline/lanes.ts";
import type { StrandShape } from "../../timeline/strand-shapes.ts";
import type { Output } from "./output.ts";
import { time, zonedTime } from "./zone.ts";

/** Cells of the plot if stdout is not a terminal. */
const DEFAULT_CELLS = 100;
const LABEL = 28;
/** Rows printed of a lane; the rest is counted. */
const ROWS = 8;

const BARS: Readonly<Record<string, string>> = { running: "█", resumed: "█", pending: "▒", paused: "░" };
/** On a runner that had died. */
const DEAD = "╌";
const POINT = "·";
/** Marks of statuses where no colour tells them apart: of changes, and at the end of bars. */
const ENDS: Readonly<Record<string, string>> = { success: "✓", failed: "×", retry: "↻" };
/** Characters for counted changes, by height. */
const LEVELS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

interface Cell {
  character: string;
  status: string | null;
}

/** Lanes of runners; of a single one that was asked for its own lane, and not those of others that worked on the same invocations. */
function lanesOf({ filter: { runner_id: wanted } }: Timeline, { lanes }: TimelineGeometry): LaneShape[] {
  const own = lanes.filter(({ runner_ids }) => wanted !== null && runner_ids.includes(wanted));
  return own.length === 0 ? lanes : own.map((lane) => ({ ...lane, depth: 0 }));
}

export function timelineLines(data: Timeline, whole: TimelineGeometry, out: Output): string[] {
  const lanes = lanesOf(data, whole);
  const isShown = ({ lane_key }: { lane_key: string }) => lanes.some(({ key }) => key === lane_key);
  const geometry = { ...whole, lanes, strands: whole.strands.filter(isShown), cells: whole.cells.filter(isShown) };
  const cells = Math.max(20, out.width === null ? DEFAULT_CELLS : out.width - LABEL - 1);
  const lines = [
    `${time(data.start)} to ${zonedTime(data.end)}${time(data.end) === zonedTime(data.end) ? ", axis in UTC" : ""}`,
  ];
  if (geometry.lanes.length === 0) return lines;
  return [
    ...lines,
    `${" ".repeat(LABEL)} ${out.paint.dim(axisLine(geometry, cells))}`,
    ...geometry.lanes.flatMap((lane) => laneLines(lane, geometry, cells, out)),
    ...legendLines(geometry, out),
  ];
}

/** Legend: the marks that were drawn, and the colours of statuses, or without colours their marks. */
function legendLines({ strands, cells }: TimelineGeometry, out: Output): string[] {
  const drawn = strands.flatMap((strand) => strand.bars);
  const points = strands.flatMap((strand) => strand.points);
  const phases = Object.entries(BARS).filter(([phase]) => drawn.some((bar) => bar.status === phase && !bar.dead));
  const plain = !out.paint.coloured;
  const statuses = [
    ...new Set([...drawn.map((bar) => bar.outcome ?? bar.status), ...points.map(({ status }) => status)]),
  ].sort();
  const marks = [
    ...phases.map(([phase, mark]) => `${mark} ${phase}`),
    ...(drawn.some((bar) => bar.dead) ? [`${DEAD} ${PATH_PHASE_WORDS.dead_runner}`] : []),
    ...(points.length > 0 ? [`${POINT} ${plain ? "other " : ""}status change`] : []),
    ...[true, false].flatMap((busy) =>
      cells.some((lane) => lane.busy === busy)
        ? [
            `${LEVELS.slice(1).join("")} ${busy ? "how many ran at a time" : "changes that are only counted"}, few to many`,
          ]
        : [],
    ),
  ];
  const colours = statuses.flatMap((status) => {
    if (!plain) return [{ text: status, painted: out.paint.status(status, status) }];
    return ENDS[status] === undefined ? [] : [{ text: `${ENDS[status]} ${status}` }];
  });
  const lines = [marks.map((text) => ({ text })), colours].flatMap((words) => legendRows(words, out.width));
  return lines.length === 0 ? [] : ["", ...lines];
}

/** As many words beside each other as there is room for. */
function legendRows(words: readonly { text: string; painted?: string }[], width: number | null): string[] {
  const rows: string[] = [];
  let room = 0;
  for (const { text, painted = text } of words) {
    const needs = stringWidth(text) + 3;
    if (rows.length > 0 && (width === null || room >= needs)) rows[rows.length - 1] += `   ${painted}`;
    else {
      rows.push(painted);
      room = (width ?? 0) + 3;
    }
    room -= needs;
  }
  return rows;
}

function axisLine({ ticks, width }: TimelineGeometry, cells: number): string {
  let line = "";
  for (const { x, label } of ticks) {
    const at = Math.min(cells - 1, Math.floor((x / width) * cells));
    // Leave out a label that would touch the previous one or exceed the line.
    if (at < line.length + (line === "" ? 0 : 1) || at + label.length > cells) continue;
    line = line.padEnd(at) + label;
  }
  return line.trimEnd();
}

function laneLines(lane: LaneShape, geometry: TimelineGeometry, cells: number, out: Output): string[] {
  const rows: Cell[][] = [];
  const cell = (x: number) => Math.min(cells - 1, Math.max(0, Math.floor((x / geometry.width) * cells)));
  const put = (row: number, from: number, to: number, character: string, status: string | null) => {
    const line = rows[row] ?? [];
    rows[row] = line;
    for (let at = from; at <= to; at++) line[at] = { character, status };
  };
  const own = geometry.strands.filter(({ lane_key }) => lane_key === lane.key);
  for (const { row, bars, points } of own) {
    const mark = (status: string, other: string) => (out.paint.coloured ? other : (ENDS[status] ?? other));
    for (const { status, x } of points) put(row, cell(x), cell(x), mark(status, POINT), status);
    for (const { status, outcome, dead, x, width } of bars) {
      const [end, phase] = [cell(x + width), dead ? DEAD : (BARS[status] ?? "█")];
      put(row, cell(x), end, phase, outcome ?? status);
      if (outcome !== null) put(row, end, end, mark(outcome, phase), outcome);
    }
  }
  for (const strand of own) putName(rows[strand.row] ?? [], strand, cell);
  // Where there is no room for all, rows of nothing but points are left out first.
  const withBars = new Set(own.flatMap(({ row, bars }) => (bars.length > 0 ? [row] : [])));
  const ofBars = rows.filter((_, row) => withBars.has(row));
  const ofPoints = rows.filter((_, row) => !withBars.has(row));
  const shown = [...ofBars, ...ofPoints].slice(0, ROWS);
  const strip = stripOf(lane, geometry, cells);
  if (strip !== null) shown.push(strip);
  const left = rows.length - ROWS;
  const body = (shown.length === 0 ? [[]] : shown).map((row, index) => {
    const label = index === 0 ? labelOf(lane) : "";
    return `${label}${" ".repeat(Math.max(1, LABEL + 1 - stringWidth(label)))}${painted(row, out)}`.trimEnd();
  });
  return left > 0 ? [...body, out.paint.dim(`${" ".repeat(LABEL)} and ${count(left)} more rows`)] : body;
}

/** Puts the function's name where the drawing has words, between two cells of what is there; nowhere if there is no room. */
function putName(row: (Cell | undefined)[], { task_id_key, label }: StrandShape, cell: (x: number) => number): void {
  const name = visibleLine(task_id_key?.split(".").at(-1) ?? "");
  if (label === null || stringWidth(name) !== name.length) return;
  const from = cell(label.from) + 1;
  // Beside a bar one more is left free: its last cell may be the one in which the place begins.
  const at = row[from] === undefined ? from + 1 : from;
  if (at + name.length > cell(label.to)) return;
  for (const [i, character] of [...name].entries()) row[at + i] = { character, status: row[at + i]?.status ?? null };
}

/** How high its columns are in each cell: how busy it was, also by what is still running, or how much changed; red if something failed; null if every change is drawn. */
function stripOf(lane: LaneShape, { cells: lanes, width }: TimelineGeometry, cells: number): Cell[] | null {
  const own = lanes.find(({ lane_key }) => lane_key === lane.key);
  if (own === undefined) return null;
  const strip = Array.from({ length: cells }, () => ({ level: 0, failed: false }));
  for (const { x, width: length, height, failedHeight } of own.runs) {
    const level = Math.max(1, Math.round((height / own.height) * (LEVELS.length - 1)));
    const last = Math.min(cells - 1, Math.ceil(((x + length) / width) * cells) - 1);
    for (const cell of strip.slice(Math.floor((x / width) * cells), last + 1)) {
      cell.level = Math.max(cell.level, level);
      cell.failed ||= failedHeight > 0;
    }
  }
  return strip.map(({ level, failed }) => ({ character: LEVELS[level] ?? "█", status: failed ? "failed" : null }));
}

function painted(row: readonly (Cell | undefined)[], out: Output): string {
  let line = "";
  for (let at = 0; at < row.length; ) {
    const status = row[at]?.status ?? null;
    let run = "";
    for (; at < row.length && (row[at]?.status ?? null) === status; at++) run += row[at]?.character ?? " ";
    line += status === null ? run : out.paint.status(status, run);
  }
  return line;
}

function labelOf(lane: LaneShape): string {
  const { runner, task_id_key, depth } = lane;
  const name = runner === null ? (task_id_key ?? sharedLaneName(lane)?.[0] ?? "") : runnerWords(runner);
  const text = "  ".repeat(depth) + visibleLine(name);
  if (stringWidth(text) <= LABEL) return text;
  const characters = Array.from(text);
  return `${characters.slice(0, LABEL - 9).join("")}…${characters.slice(-8).join("")}`;
}

function runnerWords({ runner_id, runner_cls }: Pick<RunnerName, "runner_id" | "runner_cls">): string {
  return /^\w+@/.test(runner_id) ? runner_id : `${runner_cls ?? "unknown"} ${shortId(runner_id).slice(0, 8)}`;
}
