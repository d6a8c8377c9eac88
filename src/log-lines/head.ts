/** The beginning of a log line: time, level, logger, and the bracket with its author (behaviour.md 7.1, 7.2). */

import { LOG_LEVELS, type LogLevel } from "../pynenc/log-levels.ts";
import { type EpochSeconds, epochFromIso } from "../pynenc/time.ts";
import type { LogContext, ReferenceMark } from "./model.ts";
import { namesSomething } from "./references.ts";
import { endOfWord, isBlank, isDigit, isLetter, isUuidAt, skipBlanks, uuidEnd } from "./scan.ts";

export interface LineHead {
  timestamp: EpochSeconds | null;
  zone_assumed: boolean;
  level: LogLevel | null;
  logger: string | null;
  context: LogContext | null;
  /** References in the bracket. */
  marks: ReferenceMark[];
  message_start: number;
}

/** Longest time accepted: `2026-08-01 09:15:02.345678901 +02:00`. */
const LONGEST_TIME = 40;
const LONGEST_LOGGER = 300;
const LONGEST_BRACKET = 2_000;

/** `YYYY-MM-DD HH:MM:SS`, the minimum at the start of a pynenc line. */
const SECONDS_SHAPE = "dddd-dd-dd dd:dd:dd";

/** Where the time at the beginning of the line ends, or -1 if there is none. */
export function endOfTime(text: string): number {
  for (let at = 0; at < SECONDS_SHAPE.length; at++) {
    const code = text.charCodeAt(at);
    const wanted = SECONDS_SHAPE[at];
    if (wanted === "d" && isDigit(code)) continue;
    if (wanted === " " && (code === 0x20 || code === 0x54)) continue;
    if (wanted === "d" || wanted === " " || text[at] !== wanted) return -1;
  }
  let end = SECONDS_SHAPE.length;
  const mark = text[end];
  if ((mark === "." || mark === ",") && isDigit(text.charCodeAt(end + 1))) {
    end++;
    while (end < LONGEST_TIME && isDigit(text.charCodeAt(end))) end++;
  }
  return endOfOffset(text, end);
}

/** `Z`, `+02`, `+0200`, `+02:00`; without an offset the time ends here. */
function endOfOffset(text: string, at: number): number {
  const sign = text[at];
  if (sign === "Z") return at + 1;
  const digits = (from: number) => isDigit(text.charCodeAt(from)) && isDigit(text.charCodeAt(from + 1));
  if ((sign !== "+" && sign !== "-") || !digits(at + 1)) return at;
  if (digits(at + 3)) return at + 5;
  return text[at + 3] === ":" && digits(at + 4) ? at + 6 : at + 3;
}

/** The level at this position, if it is a complete word, and where it ends. */
export function levelAt(text: string, at: number): { level: LogLevel; end: number } | null {
  for (const level of LOG_LEVELS) {
    const end = at + level.length;
    if (text.charCodeAt(end) > 0x20 || !text.startsWith(level.toUpperCase(), at)) continue;
    return { level, end };
  }
  return null;
}

/** Null if the text does not start like a pynenc line, with a time and a level. */
export function readHead(text: string): LineHead | null {
  const timeEnd = endOfTime(text);
  if (timeEnd < 0) return null;
  const found = isBlank(text.charCodeAt(timeEnd)) ? levelAt(text, skipBlanks(text, timeEnd)) : null;
  if (found === null) return null;
  const loggerStart = skipBlanks(text, found.end);
  const { logger, bracket, end } = readLogger(text, loggerStart);
  const { timestamp, zone_assumed } = timeOf(text.slice(0, timeEnd));
  return {
    timestamp,
    zone_assumed,
    level: found.level,
    logger,
    context: bracket?.context ?? null,
    marks: bracket?.marks ?? [],
    message_start: skipBlanks(text, bracket?.end ?? end),
  };
}

/** A time without a zone is read as UTC, like everything pynenc stores; the result says that this was assumed. */
export function timeOf(written: string): Pick<LineHead, "timestamp" | "zone_assumed"> {
  const timestamp = epochFromIso(written);
  const last = written.at(-1) ?? "";
  const zoned = last === "Z" || /[+-]\d{2}(?::?\d{2})?$/.test(written.slice(SECONDS_SHAPE.length));
  return { timestamp, zone_assumed: timestamp !== null && !zoned };
}

/** The logger is one word, unless the app id contains blanks: then it extends to the bracket. */
function readLogger(text: string, at: number): { logger: string | null; bracket: Bracket | null; end: number } {
  const first = endOfWord(text, at, LONGEST_LOGGER);
  if (first === at) return { logger: null, bracket: null, end: at };
  const next = skipBlanks(text, first);
  const behind = readBracket(text, next);
  if (behind !== null) return { logger: text.slice(at, first), bracket: behind, end: first };
  if (text.startsWith("pynenc.", at)) {
    const open = text.slice(first, at + LONGEST_LOGGER).indexOf(" [");
    const far = open < 0 ? null : readBracket(text, first + open + 1);
    if (far !== null) return { logger: text.slice(at, first + open), bracket: far, end: first + open };
  }
  // Other programs omit the logger: then the message starts here.
  if (namesSomething(text.slice(at, first))) return { logger: null, bracket: null, end: at };
  return { logger: text.slice(at, first), bracket: null, end: first };
}

interface Bracket {
  context: LogContext;
  marks: ReferenceMark[];
  end: number;
}

/**
 * `[PPR(1a2b3c4d).PPRW(5e6f7a8b)AS(<run>)<invocation>:<task>]`: all parts are optional, but at least one is present. Null if the bracket contains
 * anything else: then it belongs to the message.
 */
function readBracket(text: string, start: number): Bracket | null {
  if (text[start] !== "[") return null;
  const close = text.slice(start, start + LONGEST_BRACKET).indexOf("]");
  if (close < 0) return null;
  const last = start + close;
  const context: LogContext = { runners: [], atomic_service_run_id: null, invocation_id: null, task_id_key: null };
  const marks: ReferenceMark[] = [];
  const mark = (kind: ReferenceMark["kind"], from: number, to: number, partial = false): string => {
    const id = text.slice(from, to);
    marks.push({ kind, start: from, end: to, role: kind, id, partial });
    return id;
  };
  let at = start + 1;
  for (let open = openingOf(text, at, last); open >= 0; open = openingOf(text, at, last)) {
    const end = text.indexOf(")", open);
    if (end < 0 || end > last || end === open + 1) return null;
    const cls = text.slice(at, open);
    if (cls === "AS") context.atomic_service_run_id = mark("atomic_service_run", open + 1, end);
    else context.runners.push({ cls, id: mark("runner", open + 1, end, true), partial: true });
    at = text[end + 1] === "." ? end + 2 : end + 1;
  }
  if (isUuidAt(text, at) && uuidEnd(at) <= last) {
    context.invocation_id = mark("invocation", at, uuidEnd(at));
    at = uuidEnd(at);
  }
  if (text[at] === ":" && at + 1 < last) {
    context.task_id_key = mark("task", at + 1, last);
    at = last;
  }
  return at === last && marks.length > 0 ? { context, marks, end: last + 1 } : null;
}

/** Position of the parenthesis after the letters at this position, or -1. */
function openingOf(text: string, start: number, last: number): number {
  let at = start;
  while (at < last && (isLetter(text.charCodeAt(at)) || text[at] === "_")) at++;
  return at > start && text[at] === "(" ? at : -1;
}
