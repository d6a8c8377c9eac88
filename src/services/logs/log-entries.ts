/** Log lines parsed, filtered, and annotated with what the store knows about the ids in them. */

import { setImmediate } from "node:timers/promises";
import type { LogFilter, LogLine, LogLineReference, LogLineStatus } from "../../api/logs.ts";
import type { logFilterInput } from "../../inputs/logs.ts";
import type { LogContext, LogEntry } from "../../log-lines/model.ts";
import { LogReader } from "../../log-lines/reader.ts";
import { folded } from "../../pynenc/folded.ts";
import { LOG_LEVELS } from "../../pynenc/log-levels.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import type { Read } from "../input/input.ts";
import { type ResolvedReferences, referenceKey, uncheckedReference } from "./log-references.ts";

export function logFilter({ level, text, reference }: Read<typeof logFilterInput>): LogFilter {
  return { level: level ?? null, text: text ?? null, reference: reference ?? null };
}

/** Characters parsed before yielding: about ten milliseconds. */
const PIECE = 1 << 16;

/** A complete log. */
export interface ParsedLog {
  entries: LogEntry[];
  /** The last entry holds the text beyond the limit, unparsed. */
  limited: boolean;
}

/** Parses a log of any size without blocking the event loop. */
export async function readLog(log: string): Promise<ParsedLog> {
  const reader = new LogReader();
  const entries: LogEntry[] = [];
  for (let at = 0; at < log.length; at += PIECE) {
    for (const entry of reader.read(log.slice(at, at + PIECE))) entries.push(entry);
    await setImmediate();
  }
  return { entries: [...entries, ...reader.end()], limited: reader.limited };
}

/** Whether an entry matches the filter. Lines without a level match no filter by level. */
export function meetsLogFilter(filter: LogFilter, resolved: ResolvedReferences): (entry: LogEntry) => boolean {
  const minimum = filter.level === null ? -1 : LOG_LEVELS.indexOf(filter.level);
  const part = filter.text === null ? null : folded(filter.text);
  const names = filter.reference === null ? null : namesOf(filter.reference, resolved);
  return (entry) =>
    (minimum < 0 || (entry.level !== null && LOG_LEVELS.indexOf(entry.level) >= minimum)) &&
    (part === null || folded(entry.text).includes(part)) &&
    (names === null ||
      entry.marks.some(
        (mark) => mark.kind !== "status" && names(referenceKey(mark), mark.kind === "id" ? "" : mark.role),
      ));
}

/** `kind:id` with a kind or role as in logs, or any id that starts with this text. */
function namesOf(wanted: string, { byKey }: ResolvedReferences): (key: string, role: string) => boolean {
  const colon = wanted.indexOf(":");
  const kind = colon < 0 ? "" : wanted.slice(0, colon).toLowerCase().replaceAll("-", "_");
  const keysOf = (id: string, ofKind: string | null) =>
    new Set(
      [...byKey].flatMap(([key, one]) =>
        (ofKind === null || one.kind === ofKind) && (one.id.startsWith(id) || one.part?.startsWith(id)) ? [key] : [],
      ),
    );
  const withColon = keysOf(wanted, null);
  if (withColon.size > 0 || colon < 0) return (key) => withColon.has(key);
  const ofKind = keysOf(wanted.slice(colon + 1), kind);
  if (ofKind.size > 0) return (key) => ofKind.has(key);
  const any = keysOf(wanted.slice(colon + 1), null);
  return (key, role) => any.has(key) && role.toLowerCase().replaceAll("-", "_") === kind;
}

/** @param maxCharacters longer texts are cut and marked as cut. */
export function logLine(
  entry: LogEntry,
  resolved: ResolvedReferences,
  maxCharacters = Number.POSITIVE_INFINITY,
): LogLine {
  const { line, raw, format, timestamp, zone_assumed, level, logger, message_start, marks_cut } = entry;
  const shown = entry.text.slice(0, maxCharacters);
  const references: LogLineReference[] = [];
  const statuses: LogLineStatus[] = [];
  for (const mark of entry.marks) {
    const { start, end } = mark;
    if (end > shown.length) break;
    if (mark.kind === "status") {
      statuses.push({ start, end, status: mark.status });
      continue;
    }
    const found = resolved.byKey.get(referenceKey(mark));
    if (mark.kind !== "id") references.push({ ...(found ?? uncheckedReference(mark)), start, end, role: mark.role });
    else if (found !== undefined) references.push({ ...found, start, end, role: "" });
  }
  return {
    line,
    lines: linesOf(raw),
    format,
    timestamp: isoOrNull(timestamp),
    zone_assumed,
    level,
    logger,
    context: resolvedContext(entry, resolved),
    text: shown,
    characters_left_out: entry.text.length - shown.length,
    message_start,
    references,
    statuses,
    marks_cut,
    raw: format === "json" ? raw.trimEnd().slice(0, maxCharacters) : null,
  };
}

/** The context with full runner ids where they could be resolved. */
function resolvedContext({ context }: LogEntry, { byKey }: ResolvedReferences): LogContext | null {
  if (context === null) return null;
  const runners = context.runners.map((runner) => {
    const found = byKey.get(referenceKey({ kind: "runner", id: runner.id }));
    const isResolved = runner.partial && found?.kind === "runner" && found.id !== runner.id;
    return isResolved ? { ...runner, id: found.id, partial: false } : runner;
  });
  return { ...context, runners };
}

function linesOf(raw: string): number {
  let count = 0;
  for (let at = raw.indexOf("\n"); at >= 0; at = raw.indexOf("\n", at + 1)) count++;
  return raw.endsWith("\n") ? count : count + 1;
}
