/**
 * Where everything of a family picture goes. A row for each member, the time from left to right. Horizontal numbers are in a nominal width
 * that the drawing stretches; vertical ones are pixels.
 */
import type { FamilyPicture, FamilyRow, LifeStretch, NodeKind } from "../api/causes.ts";
import type { PathPhase } from "../api/model/critical-path.ts";
import { type EpochSeconds, epochFromIso } from "../pynenc/time.ts";
import { type BrokenScale, brokenScale, type ScaleBreak } from "./broken-scale.ts";
import type { Tick } from "./time-scale.ts";

const WIDTH = 1000;
const AXIS = 36;
const ROW = 26;
const BAR = 16;
/** Words go into a bar of at least this width, else beside it. */
const WORDS_INSIDE = 220;
/** Right of this there is no room for words behind a bar. */
const WORDS_BEHIND = 700;

export interface FamilyBar {
  x: number;
  width: number;
  phase: PathPhase;
  /** Word whose colour it takes: how a run ended, what it is otherwise. */
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

/** Where words about a bar stand. */
export interface WordsPlace {
  x: number;
  anchor: "start" | "end";
  /** Over the bar from `x` to `until`. */
  inside: boolean;
  until: number;
}

export interface FamilyRowShape {
  row: FamilyRow;
  /** Middle. */
  y: number;
  bars: FamilyBar[];
  marks: PlacedMark[];
  words: WordsPlace | null;
  /** Pieces of the critical path. */
  path: { x: number; width: number }[];
  /** It neither led to the focus nor followed from it: it is of the same family alone. */
  aside: boolean;
}

/** How one thing led to another: along the row of the first, then to the row of the second. */
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
  /** Times in which nothing of the family happened, drawn narrow. */
  breaks: ScaleBreak[];
  rows: FamilyRowShape[];
  links: FamilyLink[];
  /** The present, where something goes on. */
  now: number | null;
}

/** Null where nothing of the family has a time. */
export function familyGeometry(picture: FamilyPicture): FamilyGeometry | null {
  const [start, end] = [epochOf(picture.from), epochOf(picture.to)];
  if (start === null || end === null) return null;
  const scale = brokenScale({ start, end, width: WIDTH }, busyTimes(picture));
  const path = piecesOf(picture, scale);
  const line = lineOf(picture);
  const rows = picture.rows.map((row, index): FamilyRowShape => {
    const bars = barsOf(row, scale);
    const marks = row.marks.flatMap(({ at, ...mark }) => {
      const time = epochOf(at);
      return at === null || time === null ? [] : [{ ...mark, at, x: scale.position(time) }];
    });
    return {
      row,
      y: AXIS + index * ROW + ROW / 2,
      bars,
      marks,
      words: wordsPlace(bars, marks),
      path: path.get(row.id) ?? [],
      aside: !line.has(keyOf(row.kind, row.id)),
    };
  });
  return {
    width: WIDTH,
    height: AXIS + rows.length * ROW + 4,
    axis: AXIS,
    row: ROW,
    bar: BAR,
    ticks: scale.ticks,
    breaks: scale.breaks,
    rows,
    links: linksOf(picture, rows),
    now: picture.ongoing ? scale.position(end) : null,
  };
}

function epochOf(iso: string | null): EpochSeconds | null {
  return iso === null ? null : epochFromIso(iso);
}

/** Whatever a member does, waiting included, and each event and trigger run. */
function busyTimes({ rows }: FamilyPicture): { from: EpochSeconds; to: EpochSeconds }[] {
  const spans = rows.flatMap(({ stretches, marks, invocation }) => [
    ...stretches,
    ...[...marks.map((mark) => mark.at), invocation?.registered_at ?? null].map((at) => ({ from: at, to: at })),
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
  clock_skew: "",
  not_known: "",
};

/** A run takes the colour of what ended it, as on the timeline. */
function colourOf({ phase, next_status: next }: LifeStretch): string {
  return phase === "running" && next !== null && next !== "paused" ? next : PHASE_STATUS[phase];
}

/** In the widest run, else behind the last bar, else before the first. */
function wordsPlace(bars: readonly FamilyBar[], marks: readonly PlacedMark[]): WordsPlace | null {
  const runs = bars.filter(({ phase }) => phase === "running");
  const widest = runs.reduce<FamilyBar | null>((best, bar) => (best && best.width >= bar.width ? best : bar), null);
  if (widest !== null && widest.width >= WORDS_INSIDE) {
    return { x: widest.x, anchor: "start", inside: true, until: widest.x + widest.width };
  }
  const ends = [...bars.map(({ x, width }) => x + width), ...marks.map(({ x }) => x)];
  if (ends.length === 0) return null;
  const [first, last] = [Math.min(...bars.map(({ x }) => x), ...marks.map(({ x }) => x)), Math.max(...ends)];
  return last <= WORDS_BEHIND
    ? { x: last, anchor: "start", inside: false, until: WIDTH }
    : { x: first, anchor: "end", inside: false, until: first };
}

/** Pieces of the critical path by the row that they lie on. */
function piecesOf({ critical_path }: FamilyPicture, scale: BrokenScale): Map<string, { x: number; width: number }[]> {
  const found = new Map<string, { x: number; width: number }[]>();
  for (const segment of critical_path?.segments ?? []) {
    const own = found.get(segment.invocation_id) ?? [];
    found.set(segment.invocation_id, own);
    const piece = span(scale, segment);
    const last = own.at(-1);
    // Phases of one member without a break between them are one line.
    if (last !== undefined && Math.abs(last.x + last.width - piece.x) < 1e-6) last.width += piece.width;
    else own.push(piece);
  }
  return found;
}

function keyOf(kind: NodeKind, id: string): string {
  return `${kind}:${id}`;
}

function pushTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** The focus, what led to it, and what followed from it. */
function lineOf({ focus_kind, focus_id, edges }: FamilyPicture): ReadonlySet<string> {
  const [causes, effects] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const { from, from_kind, to, to_kind } of edges) {
    const [cause, effect] = [keyOf(from_kind, from), keyOf(to_kind, to)];
    pushTo(causes, effect, cause);
    pushTo(effects, cause, effect);
  }
  const found = new Set<string>();
  for (const next of [causes, effects]) {
    const reached = new Set([keyOf(focus_kind, focus_id)]);
    for (const key of reached) for (const other of next.get(key) ?? []) reached.add(other);
    for (const key of reached) found.add(key);
  }
  return found;
}

interface Place {
  y: number;
  /** Where it begins, and where what it led to may leave from. */
  x: number;
  until: number;
}

function linksOf({ edges }: FamilyPicture, rows: readonly FamilyRowShape[]): FamilyLink[] {
  const places = new Map<string, Place>();
  for (const { row, y, bars, marks } of rows) {
    const [first, last] = [bars[0], bars.at(-1)];
    if (first !== undefined && last !== undefined) {
      places.set(keyOf(row.kind, row.id), { y, x: first.x, until: last.x + last.width });
    }
    for (const mark of marks) places.set(keyOf(mark.kind, mark.id), { y, x: mark.x, until: mark.x });
  }
  return edges.flatMap(({ from, from_kind, to, to_kind, kind }) => {
    const [cause, effect] = [places.get(keyOf(from_kind, from)), places.get(keyOf(to_kind, to))];
    if (cause === undefined || effect === undefined) return [];
    // A call leaves its caller when it is made; so does an event. What met a condition had its status for a while.
    const leaves = Math.min(Math.max(cause.x, effect.x), cause.until);
    return cause.y === effect.y && leaves === effect.x
      ? []
      : [{ kind, x1: leaves, y1: cause.y, x2: effect.x, y2: effect.y }];
  });
}
