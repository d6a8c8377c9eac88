/**
 * Parses a log of any size into entries, piece by piece. An entry is a line that starts like a log line, plus its continuation lines. Nothing is
 * lost: the raw parts of all entries, joined, are the log. Takes linear time and memory.
 */

import type { LogLevel } from "../pynenc/log-levels.ts";
import { withoutAnsi } from "./ansi.ts";
import { endOfTime, type LineHead, levelAt, readHead, timeOf } from "./head.ts";
import { contextOf, type JsonLine, readJsonLine } from "./json-line.ts";
import type { LogEntry, LogFormat } from "./model.ts";
import { readMarks } from "./references.ts";
import { isBlank, skipBlanks } from "./scan.ts";

/** Maximum number of entries per log. The rest becomes one last entry, and `limited` says so. */
const MAX_ENTRIES = 100_000;

/** Lines being collected for an entry. */
interface Pending extends Beginning {
  line: number;
  raw: string;
}

/** How the first line of an entry starts. */
interface Beginning {
  format: LogFormat;
  json: JsonLine | null;
}

export class LogReader {
  /** Text after the last line end, in the pieces received. Joined only once, when the line ends, so that a line of many pieces takes linear time. */
  #rest: string[] = [];
  #pending: Pending | null = null;
  #lines = 0;
  #entries = 0;
  #limited = false;
  readonly #maxEntries: number;

  constructor(maxEntries: number = MAX_ENTRIES) {
    this.#maxEntries = maxEntries;
  }

  /** The limit was reached: the last entry holds the rest of the log. */
  get limited(): boolean {
    return this.#limited;
  }

  /** Parses the next piece and returns completed entries: those followed by the start of another one. */
  read(piece: string): LogEntry[] {
    this.#rest.push(piece);
    if (!piece.includes("\n")) return [];
    const text = this.#rest.join("");
    const searched = text.length - piece.length;
    const done: LogEntry[] = [];
    let from = 0;
    // Lines of one entry are cut out of the text together: handling millions of short lines separately would be too slow.
    let begun = 0;
    for (let end = text.indexOf("\n", searched); end >= 0 && !this.#limited; end = text.indexOf("\n", from)) {
      const beginning = this.#beginning(text.slice(from, end + 1));
      if (beginning !== null) {
        this.#finish(text.slice(begun, from), done);
        this.#begin(beginning);
        begun = from;
      }
      this.#lines++;
      from = end + 1;
    }
    const last = this.#limited ? text.length : from;
    if (this.#pending !== null) this.#pending.raw += text.slice(begun, last);
    this.#rest = last === text.length ? [] : [text.slice(last)];
    return done;
  }

  /** Called after a quiet period: returns the last entry, unless one of its lines is still incomplete. */
  pause(): LogEntry[] {
    const done: LogEntry[] = [];
    if (this.#rest.length === 0) this.#finish("", done);
    return done;
  }

  /** Returns the rest: the last entry, and a final line without a line end. */
  end(): LogEntry[] {
    const done: LogEntry[] = [];
    const line = this.#rest.join("");
    this.#rest = [];
    const beginning = line === "" ? null : this.#beginning(line);
    if (beginning === null) this.#finish(line, done);
    else {
      this.#finish("", done);
      this.#begin(beginning);
      this.#lines++;
      this.#finish(line, done);
    }
    return done;
  }

  /** Null if the line belongs to the previous entry. */
  #beginning(raw: string): Beginning | null {
    const beginning = beginningOf(textOf(raw)) ?? (this.#pending === null ? OTHER : null);
    if (beginning === null || this.#entries < this.#maxEntries) return beginning;
    this.#limited = true;
    return null;
  }

  #begin(beginning: Beginning): void {
    this.#entries++;
    this.#pending = { ...beginning, line: this.#lines + 1, raw: "" };
  }

  #finish(more: string, done: LogEntry[]): void {
    if (this.#pending !== null) done.push(entryOf({ ...this.#pending, raw: this.#pending.raw + more }));
    this.#pending = null;
  }
}

/** Text for display: without byte order mark, colours and the final line end. */
function textOf(raw: string): string {
  let end = raw.length;
  if (raw[end - 1] === "\n") end -= raw[end - 2] === "\r" ? 2 : 1;
  return withoutAnsi(raw.slice(raw.startsWith("\ufeff") ? 1 : 0, end).replaceAll("\r\n", "\n"));
}

const OTHER: Beginning = { format: "other", json: null };
const PYNENC: Beginning = { format: "pynenc", json: null };

/** How an entry starts; null for continuation lines: of a stack trace or a message of several lines. */
function beginningOf(text: string): Beginning | null {
  const timeEnd = endOfTime(text);
  if (timeEnd >= 0) {
    const level = isBlank(text.charCodeAt(timeEnd)) ? levelAt(text, skipBlanks(text, timeEnd)) : null;
    return level === null ? OTHER : PYNENC;
  }
  if (text.startsWith("{") && text.trimEnd().endsWith("}")) {
    const json = readJsonLine(text);
    return json === null ? OTHER : { format: "json", json };
  }
  return beginsOtherLine(text) ? OTHER : null;
}

/** Lines of other programs that start a new entry: Python warnings, other log formats, separators between files. */
function beginsOtherLine(text: string): boolean {
  const head = text.slice(0, 300);
  return (
    head.startsWith("# ") ||
    head.startsWith("==> ") ||
    head.startsWith("[20") ||
    levelOfOther(head) !== null ||
    SYSLOG.test(head)
  );
}

/** `Nov 21 00:34:39 host program: …`, as printed by syslog and journalctl. */
const SYSLOG = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ 0-9]\d \d\d:\d\d:\d\d /;

/** Level of a line without a time: `WARNING:root:…` in Python's default format, `file.py:12: UserWarning: …` for its warnings. */
function levelOfOther(head: string): LogLevel | null {
  const word = /^(DEBUG|INFO|WARNING|ERROR|CRITICAL)[: ]/.exec(head)?.[1];
  if (word !== undefined) return word.toLowerCase() as LogLevel;
  return /^[^\s:]{1,200}:\d{1,7}: [A-Za-z]{0,60}Warning: /.test(head) ? "warning" : null;
}

function entryOf({ line, raw, format, json }: Pending): LogEntry {
  const text = json === null ? textOf(raw) : jsonText(json, raw);
  const head = readHead(text) ?? otherHead(text);
  const { timestamp, zone_assumed, level, logger, message_start } = head;
  const { marks, cut: marks_cut } = readMarks(text, message_start, head.marks);
  const context = json === null ? head.context : contextOf(json, head.context);
  return {
    line,
    raw,
    text,
    format,
    timestamp,
    zone_assumed,
    level,
    logger,
    context,
    message_start,
    marks,
    marks_cut,
  };
}

/** The text in the object, followed by the continuation lines. */
function jsonText(json: JsonLine, raw: string): string {
  const more = raw.indexOf("\n") + 1;
  const rest = more === 0 || more === raw.length ? "" : `\n${textOf(raw.slice(more))}`;
  return withoutAnsi(json.text) + rest;
}

function otherHead(text: string): LineHead {
  const timeEnd = endOfTime(text);
  const { timestamp, zone_assumed } = timeOf(text.slice(0, Math.max(0, timeEnd)));
  const level = levelOfOther(text.slice(0, 300));
  return { timestamp, zone_assumed, level, logger: null, context: null, marks: [], message_start: 0 };
}
