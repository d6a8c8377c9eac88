/**
 * The geometry of a family picture: one row per member, time from left to right. Horizontal numbers refer to a nominal width that the drawing
 * stretches, vertical ones are pixels.
 */

import type { FamilyPicture, FamilyRow, LifeStretch, NodeKind } from "../api/causes.ts";
import type { PathPhase } from "../api/model/critical-path.ts";
import { addTo, rowsBy } from "../pynenc/groups.ts";
import { type EpochSeconds, epochFromIso } from "../pynenc/time.ts";
import { type BrokenScale, brokenScale, type ScaleBreak } from "./broken-scale.ts";
import { isFailure } from "./cells.ts";
import { pathPieces } from "./path.ts";
import type { Tick } from "./time-scale.ts";

const WIDTH = 1000;
const AXIS = 36;
const ROW = 26;
const BAR = 16;
/** Labels go into bars of at least this width, otherwise next to the bar. */
const WORDS_INSIDE = 220;
/** Beyond this position there is no room for a label after the bar. */
const WORDS_BEHIND = 700;
/** Before this position there is no room for a label before the bar. */
const WORDS_BEFORE = 300;

export interface FamilyBar {
  x: number;
  width: number;
  phase: PathPhase;
  /** Status whose colour the bar has: the outcome of a run, otherwise the current status. */
  status: string;
  ongoing: boolean;
  stretch: LifeStretch;
}

export interface PlacedMark {
  x: number;
  kind: NodeKind;
  id: string;
  label: string;
  at: string;
  focus: boolean;
}

/** Where the label of a row goes: in a bar, over one that is thinner than it, or after or before the bars. */
export interface WordsPlace {
  mode: "in" | "over" | "after" | "before";
  from: number;
  to: number;
}

export interface FamilyRowShape {
  row: FamilyRow;
  /** The members that share this row, `row` first; null for a row of one. */
  folded: FamilyRow[] | null;
  /** It stands for effects of `row` that are left out, below all others of them, and is empty. */
  more: boolean;
  /** Vertical middle. */
  y: number;
  bars: FamilyBar[];
  marks: PlacedMark[];
  words: WordsPlace | null;
  /** Pieces of the critical path in this row. */
  path: { x: number; width: number }[];
  /** Belongs to the same family, but is neither a cause nor an effect of the focus. */
  aside: boolean;
}

/** Line from a cause to an effect: along the row of the cause, then to the row of the effect. */
export interface FamilyLink {
  kind: string;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

export interface FamilyGeometry {
  width: number;
  height: number;
  axis: number;
  row: number;
  bar: number;
  ticks: Tick[];
  /** Times in which nothing happened in the family, drawn narrow. */
  breaks: ScaleBreak[];
  rows: FamilyRowShape[];
  links: FamilyLink[];
  /** The current time, if something is still in progress. */
  now: number | null;
}

export function familyGeometry(picture: FamilyPicture): FamilyGeometry {
  // Without any time there are only names.
  const [start, end] = [picture.from, picture.to].map((at) => epochOf(at ?? picture.as_of) ?? 0) as [number, number];
  const scale = brokenScale({ start, end, width: WIDTH }, busyTimes(picture));
  const path = rowsBy(
    pathPieces(picture.critical_path, scale.position, (id) => id),
    ({ row }) => row,
  );
  const line = lineOf(picture);
  const rows = withMore(foldedRows(picture, path)).map(({ row, folded, more }, index): FamilyRowShape => {
    const y = AXIS + index * ROW + ROW / 2;
    if (more) return { row, folded, more, y, bars: [], marks: [], words: null, path: [], aside: false };
    // Failures are drawn over the others.
    const members = (folded ?? [row]).toSorted((a, b) => Number(isFailed(a)) - Number(isFailed(b)));
    const bars = members.flatMap((member) => barsOf(member, scale));
    const marks = members.flatMap((member) =>
      member.marks.flatMap(({ at, ...mark }) => {
        const time = epochOf(at);
        return at === null || time === null ? [] : [{ ...mark, at, x: scale.position(time) }];
      }),
    );
    return {
      row,
      folded,
      more,
      y,
      bars,
      marks,
      words: wordsPlace(bars, marks),
      path: path.get(row.id) ?? [],
      aside: members.every((member) => !member.awaited && !line.has(keyOf(member.kind, member.id))),
    };
  });
  return {
    width: WIDTH,
    height: AXIS + rows.length * ROW + 4,
    axis: AXIS,
    row: ROW,
    bar: BAR,
    ticks: picture.from === null ? [] : scale.ticks,
    breaks: scale.breaks,
    rows,
    links: linksOf(picture, rows),
    now: picture.ongoing ? scale.position(end) : null,
  };
}

function isFailed({ invocation }: FamilyRow): boolean {
  return isFailure(invocation?.status ?? "");
}

/** Of more children of one task below one row, the others share a row: those that led to nothing, are not in focus and not on the critical path. */
const CHILDREN_APART = 10;

function foldedRows(
  { rows }: FamilyPicture,
  path: ReadonlyMap<string, unknown>,
): { row: FamilyRow; folded: FamilyRow[] | null }[] {
  const leads = new Set(rows.map(({ above_id }) => above_id));
  const alike = rowsBy(rows, (row) => {
    const { kind, id, above_id, focus, awaited, marks, invocation, effects_left_out } = row;
    const apart =
      focus || awaited || effects_left_out > 0 || leads.has(id) || path.has(id) || marks.some((mark) => mark.focus);
    return kind !== "invocation" || apart ? undefined : JSON.stringify([above_id, invocation?.task_id_key]);
  });
  const foldOf = new Map<FamilyRow, FamilyRow[]>();
  for (const some of alike.values()) {
    const folded = some.slice(CHILDREN_APART);
    if (folded.length > 1) for (const row of folded) foldOf.set(row, folded);
  }
  return rows.flatMap((row): { row: FamilyRow; folded: FamilyRow[] | null }[] => {
    const folded = foldOf.get(row);
    if (folded === undefined) return [{ row, folded: null }];
    return folded[0] === row ? [{ row, folded }] : [];
  });
}

type Placed = Pick<FamilyRowShape, "row" | "folded" | "more">;

/** After all that a row led to, one for what is left out of it. */
function withMore(rows: readonly Omit<Placed, "more">[]): Placed[] {
  const found: Placed[] = [];
  const open: FamilyRow[] = [];
  const close = (depth: number) => {
    while ((open.at(-1)?.depth ?? -1) >= depth) {
      const row = open.pop();
      if (row !== undefined && row.effects_left_out > 0) found.push({ row, folded: null, more: true });
    }
  };
  for (const { row, folded } of rows) {
    close(row.depth);
    found.push({ row, folded, more: false });
    open.push(row);
  }
  close(0);
  return found;
}

function epochOf(iso: string | null): EpochSeconds | null {
  return iso === null ? null : epochFromIso(iso);
}

/** Everything a member does, including waiting, and each event and trigger run. */
function busyTimes({ rows }: FamilyPicture): { from: EpochSeconds; to: EpochSeconds }[] {
  const spans = rows.flatMap(({ stretches, marks, invocation, awaited }) => [
    ...stretches,
    ...[...marks.map((mark) => mark.at), awaited ? null : (invocation?.registered_at ?? null)].map((at) => ({
      from: at,
      to: at,
    })),
  ]);
  return spans.flatMap((one) => {
    const [from, to] = [epochOf(one.from), epochOf(one.to)];
    return from === null || to === null ? [] : [{ from, to }];
  });
}

function span(scale: BrokenScale, { from, to }: { from: string; to: string }): { x: number; width: number } {
  const x = scale.position(epochOf(from) ?? 0);
  return { x, width: scale.position(epochOf(to) ?? 0) - x };
}

function barsOf({ stretches }: FamilyRow, scale: BrokenScale): FamilyBar[] {
  return stretches.map((stretch) => ({
    ...span(scale, stretch),
    phase: stretch.phase,
    status: colourOf(stretch),
    ongoing: stretch.ongoing,
    stretch,
  }));
}

const PHASE_STATUS: Readonly<Record<PathPhase, string>> = {
  queued: "registered",
  pending: "pending",
  running: "running",
  paused: "paused",
  waiting: "rerouted",
  dead_runner: "running_recovery",
  clock_skew: "",
  not_known: "",
};

/** A run has the colour of its outcome, as on the timeline. */
function colourOf({ phase, next_status: next }: LifeStretch): string {
  return phase === "running" && next !== null && next !== "paused" ? next : PHASE_STATUS[phase];
}

/** In the widest run, otherwise after the last bar, otherwise before the first; where there is no room on either side, on the widest bar. */
function wordsPlace(bars: readonly FamilyBar[], marks: readonly PlacedMark[]): WordsPlace | null {
  const widest = widestOf(bars.filter(({ phase }) => phase === "running"));
  if (widest !== null && widest.width >= WORDS_INSIDE) return wordsIn(widest);
  const ends = [...bars.map(({ x, width }) => x + width), ...marks.map(({ x }) => x)];
  if (ends.length === 0) return null;
  const [first, last] = [Math.min(...bars.map(({ x }) => x), ...marks.map(({ x }) => x)), Math.max(...ends)];
  if (last <= WORDS_BEHIND) return { mode: "after", from: last, to: WIDTH };
  const wide = widestOf(bars);
  return wide === null || first >= WORDS_BEFORE ? { mode: "before", from: 0, to: first } : wordsIn(wide);
}

function widestOf(bars: readonly FamilyBar[]): FamilyBar | null {
  return bars.reduce<FamilyBar | null>((best, bar) => (best && best.width >= bar.width ? best : bar), null);
}

function wordsIn({ x, width, phase }: FamilyBar): WordsPlace {
  return { mode: phase === "running" ? "in" : "over", from: x, to: x + width };
}

function keyOf(kind: NodeKind, id: string): string {
  return `${kind}:${id}`;
}

/** The focus with its causes and effects. */
function lineOf(picture: FamilyPicture): ReadonlySet<string> {
  return new Set([...reachedFrom(picture, "causes"), ...reachedFrom(picture, "effects")]);
}

/** The invocations that the focus caused, directly or through others, in the order of the rows. */
export function effectsOf(picture: FamilyPicture): FamilyRow[] {
  const reached = reachedFrom(picture, "effects");
  return picture.rows.filter((row) => row.kind === "invocation" && !row.focus && reached.has(keyOf(row.kind, row.id)));
}

/** The focus with all its causes, or with all its effects. */
function reachedFrom(
  { focus_kind, focus_id, edges }: FamilyPicture,
  towards: "causes" | "effects",
): ReadonlySet<string> {
  const next = new Map<string, string[]>();
  for (const { from, from_kind, to, to_kind } of edges) {
    const [cause, effect] = [keyOf(from_kind, from), keyOf(to_kind, to)];
    if (towards === "causes") addTo(next, effect, cause);
    else addTo(next, cause, effect);
  }
  const reached = new Set([keyOf(focus_kind, focus_id)]);
  for (const key of reached) for (const other of next.get(key) ?? []) reached.add(other);
  return reached;
}

interface LinkEnd {
  y: number;
  /** Where it begins, and until when effects may start from it. */
  x: number;
  until: number;
}

function linksOf({ edges }: FamilyPicture, rows: readonly FamilyRowShape[]): FamilyLink[] {
  const places = new Map<string, LinkEnd>();
  for (const { row, folded, more, y, bars, marks } of rows) {
    if (more) continue;
    for (const { kind, id, stretches } of folded ?? [row]) {
      const own = bars.filter(({ stretch }) => stretches.includes(stretch));
      const [first, last] = [own[0], own.at(-1)];
      if (first !== undefined && last !== undefined) {
        places.set(keyOf(kind, id), { y, x: first.x, until: last.x + last.width });
      }
    }
    for (const mark of marks) places.set(keyOf(mark.kind, mark.id), { y, x: mark.x, until: mark.x });
  }
  return edges.flatMap(({ from, from_kind, to, to_kind, kind }) => {
    const [cause, effect] = [places.get(keyOf(from_kind, from)), places.get(keyOf(to_kind, to))];
    if (cause === undefined || effect === undefined) return [];
    // A call and an event leave when they are made. Something that met a condition had been in its status for a while.
    const leaves = Math.min(Math.max(cause.x, effect.x), cause.until);
    return cause.y === effect.y && leaves === effect.x
      ? []
      : [{ kind, x1: leaves, y1: cause.y, x2: effect.x, y2: effect.y }];
  });
}
