/**
 * Computes what an invocation spent its time on, including the invocations it waited for. Pure functions: stretches of time in, pieces of a path out.
 * All times are integer microseconds, so the pieces add up exactly.
 */
import type { PathLink, PathPhase } from "../../api/model/critical-path.ts";
import type { Micros, Stretch } from "../../pynenc/life.ts";

/** An invocation that another may have waited for. */
export interface Candidate {
  id: string;
  registered: Micros | null;
  /** When it became final; null if it has not. */
  ended: Micros | null;
  /** A recorded edge says that it was waited for. */
  edge: boolean;
  /** It is a child of the waiting invocation. */
  called: boolean;
}

export interface Member {
  stretches: readonly Stretch[];
  candidates: readonly Candidate[];
}

/** A piece of the path. While it is `open`, its contents have not been determined yet. */
export interface Piece {
  from: Micros;
  to: Micros;
  id: string;
  /** Its ancestors on the path, starting with the subject. */
  above: readonly string[];
  link: PathLink | null;
  open: boolean;
  phase: PathPhase;
  attempt: number;
  runner: string | null;
  waits_for: string | null;
}

/** Time between two clocks that disagree does not belong to the phase. */
export function pathPhaseOf({ phase, across_clocks }: Stretch): PathPhase {
  return across_clocks && phase !== "not_known" ? "clock_skew" : phase;
}

/** One open piece for the full time of an invocation; null if nothing is known about it. */
export function fullPath(id: string, { stretches }: Member): Piece | null {
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { ...unknown(first.from, last.to, id, [], null), open: true };
}

function unknown(from: Micros, to: Micros, id: string, above: readonly string[], link: PathLink | null): Piece {
  return { from, to, id, above, link, open: false, phase: "not_known", attempt: 1, runner: null, waits_for: null };
}

/**
 * Replaces an open piece by what its invocation did in that time, in order: its own phases, and open pieces for the invocations it waited for. They
 * cover the piece exactly. Time outside of the invocation's stretches is `not_known`.
 */
export function opened(piece: Piece, member: Member): Piece[] {
  const { id, above, link } = piece;
  /** From the end backwards. */
  const found: Piece[] = [];
  let until = piece.to;
  for (const stretch of [...member.stretches].reverse()) {
    const [from, to] = [Math.max(stretch.from, piece.from), Math.min(stretch.to, piece.to)];
    if (from >= to) continue;
    if (to < until) found.push(unknown(to, until, id, above, link));
    found.push(...backwards(piece, member, stretch, from, to));
    until = from;
  }
  if (piece.from < until) found.push(unknown(piece.from, until, id, above, link));
  return found.reverse();
}

interface Wait {
  id: string;
  from: Micros;
  to: Micros;
  link: PathLink;
}

/** Divides part of a stretch, from its end backwards: takes the wait that ended last, then the last one that ended before that one began, and so on. */
function backwards(piece: Piece, member: Member, stretch: Stretch, from: Micros, to: Micros): Piece[] {
  const { id, above, link } = piece;
  const { attempt, runner } = stretch;
  const phase = pathPhaseOf(stretch);
  const own = (start: Micros, end: Micros, waits_for: string | null): Piece => {
    return { from: start, to: end, id, above, link, open: false, phase, attempt, runner, waits_for };
  };
  const found: Piece[] = [];
  let until = to;
  for (const wait of waitsIn(piece, member, stretch)) {
    if (wait.to > until || wait.to <= from) continue;
    if (wait.to < until) found.push(own(wait.to, until, phase === "paused" ? wait.id : null));
    const start = Math.max(wait.from, from);
    found.push({ ...unknown(start, wait.to, wait.id, [...above, id], wait.link), open: true });
    until = start;
  }
  if (until > from) found.push(own(from, until, null));
  return found;
}

/** Sorted by end, latest first; the longest first if they ended together. */
function waitsIn({ id, above }: Piece, member: Member, stretch: Stretch): Wait[] {
  const { phase } = stretch;
  if (phase !== "paused" && phase !== "running") return [];
  // If its runner pauses an invocation during waits, it did not wait while it was running.
  const pauses = member.stretches.some((one) => one.phase === "paused");
  return member.candidates
    .filter((other) => other.id !== id && !above.includes(other.id))
    .flatMap((other) => waitFor(other, stretch, pauses) ?? [])
    .filter((wait) => wait.from < wait.to)
    .sort((a, b) => b.to - a.to || a.from - b.from || (a.id < b.id ? -1 : 1));
}

/** @param pauses the invocation is paused while it waits. */
function waitFor({ id, registered, ended, edge, called }: Candidate, stretch: Stretch, pauses: boolean): Wait | null {
  const from = Math.max(registered ?? stretch.from, stretch.from);
  if (ended === null) return edge && stretch.ongoing ? { id, from, to: stretch.to, link: "edge" } : null;
  if (stretch.phase === "paused") {
    return ended > stretch.from && ended <= stretch.to ? { id, from, to: ended, link: "pause" } : null;
  }
  const inside = registered !== null && registered >= stretch.from && ended <= stretch.to;
  return called && inside && !pauses ? { id, from, to: ended, link: "run" } : null;
}

/** Merges adjacent pieces that are otherwise equal. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last !== undefined && isSame(last, piece)) found[found.length - 1] = { ...last, to: piece.to };
    else found.push(piece);
  }
  return found;
}

function isSame(a: Piece, b: Piece): boolean {
  return (
    a.id === b.id &&
    a.phase === b.phase &&
    a.attempt === b.attempt &&
    a.runner === b.runner &&
    a.waits_for === b.waits_for &&
    a.link === b.link &&
    a.above.length === b.above.length
  );
}
