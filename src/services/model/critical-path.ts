/**
 * What an invocation spent its time on, through those that it waited for. Pure: stretches of lives in, pieces of a path out. All times
 * are whole microseconds, so pieces add up exactly.
 */
import type { PathLink, PathPhase } from "../../api/model/critical-path.ts";
import { statusInfo } from "../../pynenc/statuses.ts";
import { allowedInHistory, isPossibleInHistory } from "../../pynenc/transitions.ts";
import { phaseOf } from "./phases.ts";

/** Whole microseconds since 1970. */
export type Micros = number;

/** A status that was entered. */
export interface Entry {
  status: string;
  at: Micros;
  /** The owner from then on. */
  runner: string | null;
}

/** Time in one status, by the invocation's own entries. */
export interface Stretch {
  from: Micros;
  to: Micros;
  phase: PathPhase;
  attempt: number;
  runner: string | null;
  /** It has not ended: `to` is now. */
  ongoing: boolean;
  /** The status entered at its end; null where it goes on, or no entry tells. */
  next: string | null;
}

/** An invocation that another may have waited for. */
export interface Candidate {
  id: string;
  registered: Micros | null;
  /** Its final status; null while it has none. */
  ended: Micros | null;
  /** A wait for it is recorded. */
  edge: boolean;
  /** The other one called it. */
  called: boolean;
}

export interface Member {
  stretches: readonly Stretch[];
  candidates: readonly Candidate[];
}

/** A piece of the path. While `open`, it is not known yet what the invocation did in it. */
export interface Piece {
  from: Micros;
  to: Micros;
  id: string;
  /** Those above it on the path, the one asked about first. */
  above: readonly string[];
  link: PathLink | null;
  open: boolean;
  phase: PathPhase;
  attempt: number;
  runner: string | null;
  waits_for: string | null;
}

/**
 * The life of one invocation, from its first to its last instant, without gap or overlap; empty where nothing lasted. Where the order of the
 * statuses and that of their times contradict each other, neither is right: that time is `clock_skew`. Between two statuses that cannot follow
 * each other an entry is missing, so it is not known when the first of them ended.
 *
 * @param now until when the last status lasts if it is not final; null where it is not known how long it lasted.
 */
export function lifeStretches(entries: readonly Entry[], now: Micros | null): Stretch[] {
  const ordered = inOrder(entries);
  const last = ordered.at(-1);
  if (last === undefined) return [];
  const final = statusInfo(last.status).final;
  const latest = ordered.reduce((most, entry) => Math.max(most, entry.at), last.at);
  const end = final || now === null ? latest : Math.max(now, latest);
  /** Of each entry, the earliest time of those behind it. */
  const behind = ordered.map(() => end);
  for (let at = ordered.length - 2; at >= 0; at--) {
    behind[at] = Math.min(behind[at + 1] ?? end, ordered[at + 1]?.at ?? end);
  }
  const found: Stretch[] = [];
  let reached = Math.min(ordered[0]?.at ?? end, behind[0] ?? end);
  let latestYet = reached;
  let attempt = 1;
  const skewed = (to: Micros) => {
    if (to > reached) {
      found.push({ from: reached, to, phase: "clock_skew", attempt, runner: null, ongoing: false, next: null });
      reached = to;
    }
  };
  for (const [at, { status, at: entered, runner }] of ordered.entries()) {
    if (at > 0 && (status === "retry" || status === "rerouted")) attempt++;
    latestYet = Math.max(latestYet, entered);
    const to = behind[at] ?? end;
    if (latestYet >= to) continue;
    skewed(latestYet);
    const following = ordered[at + 1];
    const known = following === undefined || isPossibleInHistory(status, following.status);
    const phase = (known ? phaseOf(status) : null) ?? "not_known";
    const owner = phase === "not_known" ? null : runner;
    const next = known ? (following?.status ?? null) : null;
    const ongoing = following === undefined && !final;
    found.push({ from: latestYet, to, phase, attempt, runner: owner, ongoing, next });
    reached = to;
  }
  skewed(end);
  return found;
}

/**
 * Entries in the order in which they happened: that of their times, unless pynenc could not have written them so and there is an order, as
 * near to that of their times as possible, in which it could.
 */
function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const byTime = [...entries].sort((a, b) => a.at - b.at);
  if (isPossible(byTime)) return byTime;
  const waiting = new Map<string, Entry[]>();
  for (const entry of [...byTime].reverse()) {
    const same = waiting.get(entry.status);
    if (same === undefined) waiting.set(entry.status, [entry]);
    else same.push(entry);
  }
  const ordered: Entry[] = [];
  for (let words: readonly string[] = ["registered"]; ordered.length < byTime.length; ) {
    let next: Entry | undefined;
    for (const word of words) {
      const first = waiting.get(word)?.at(-1);
      if (first !== undefined && (next === undefined || first.at < next.at)) next = first;
    }
    if (next === undefined) return byTime;
    waiting.get(next.status)?.pop();
    ordered.push(next);
    words = allowedInHistory(next.status);
  }
  return ordered;
}

function isPossible(entries: readonly Entry[]): boolean {
  return entries.every((entry, at) => at === 0 || isPossibleInHistory(entries[at - 1]?.status ?? null, entry.status));
}

/** The whole time of an invocation, still to be opened; null where nothing is known of it. */
export function wholePath(id: string, { stretches }: Member): Piece | null {
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { ...unknown(first.from, last.to, id, [], null), open: true };
}

function unknown(from: Micros, to: Micros, id: string, above: readonly string[], link: PathLink | null): Piece {
  return { from, to, id, above, link, open: false, phase: "not_known", attempt: 1, runner: null, waits_for: null };
}

/**
 * What the invocation of an open piece did in it, in order of time: its own phases, and open pieces of those that it waited for. They
 * cover the piece exactly. Time in which the invocation has no life is `not_known`.
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

/** A part of one stretch, from its end backwards: of those that were waited for the last to end, then the last to end before that one began. */
function backwards(piece: Piece, member: Member, stretch: Stretch, from: Micros, to: Micros): Piece[] {
  const { id, above, link } = piece;
  const { phase, attempt, runner } = stretch;
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

/** The last to end first; of those that ended together the longest. */
function waitsIn({ id, above }: Piece, member: Member, stretch: Stretch): Wait[] {
  const { phase } = stretch;
  if (phase !== "paused" && phase !== "running") return [];
  // An invocation whose runner pauses it while it waits did not wait while it ran.
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

/** Neighbours that differ in nothing become one. */
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
