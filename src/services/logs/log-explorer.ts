/** The log explorer: log lines with what the store knows about the ids in them, and their time range. */

import type { LogExploration, LogFilter, LogReference, LogTimeline, ReferenceGroup } from "../../api/logs.ts";
import { logExplorerInput } from "../../inputs/logs.ts";
import { type LogEntry, REFERENCE_KINDS } from "../../log-lines/model.ts";
import { LOG_LEVELS, type LogLevel } from "../../pynenc/log-levels.ts";
import { counted } from "../../pynenc/numbers.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { taskKeys } from "../model/task-keys.ts";
import { windowQuery } from "../model/timeline-window.ts";
import { timeline } from "../timeline/timeline.ts";
import { parseTimelineInput } from "../timeline/timeline-input.ts";
import { type KnownElsewhere, UnknownIds } from "./known-elsewhere.ts";
import { logFilter, logLine, meetsLogFilter, readLog } from "./log-entries.ts";
import { REFERENCES_RESOLVED, type ResolvedReferences, referenceKey, resolveReferences } from "./log-references.ts";
import { type LogWindow, logWindow } from "./log-window.ts";

export interface LogExplorerInput {
  log: string;
  filter: LogFilter;
  page: { number: number; size: number };
}

/** Maximum characters of an entry on a page. */
const TEXT_SHOWN = 20_000;
const REFERENCES_SHOWN = 50;
/** If the window has more status changes than this, only what the lines mention is drawn. */
const CHANGES_DRAWN = 2_000;
const INVOCATIONS_DRAWN = 300;

/**
 * Parses the form: `file` is a chosen or dropped file, `log` pasted text. A file takes precedence.
 *
 * @throws InvalidInputError
 */
export function parseLogInput(raw: RawInput): LogExplorerInput {
  const { log, file, page, limit, ...given } = parseInput(logExplorerInput, raw);
  // Browsers submit line ends as CRLF.
  const pasted = log.map((one) => one.replaceAll("\r\n", "\n"));
  const text = [...file, ...pasted].find((one) => one.trim() !== "") ?? "";
  return { log: text, filter: logFilter(given), page: { number: page, size: limit } };
}

/** What of a log this app does not know, as far as it is shown, in other apps of the store. */
export function shownElsewhere(app: OpenedApp, { references: groups }: LogExploration): Promise<KnownElsewhere[]> {
  const unknown = new UnknownIds();
  for (const { references, unknown: all } of groups) {
    unknown.add(references);
    unknown.cut ||= references.filter(({ state }) => state === "unknown").length < all;
  }
  return unknown.knownElsewhere(app);
}

export async function exploreLog(app: OpenedApp, { log, filter, page }: LogExplorerInput): Promise<LogExploration> {
  const { entries, limited } = await readLog(log);
  const keys = await taskKeys(app);
  const { resolved, window } = await app.store.read(async (reads) => {
    const found = await resolveReferences(reads, entries, keys);
    return { resolved: found, window: await logWindow(reads, entries, found) };
  });
  const matching = entries.filter(meetsLogFilter(filter, resolved));
  const { limit, offset } = sliceOf(page);
  const shown = pageOf(matching.slice(offset, offset + limit), page, matching.length);
  return {
    totals: totalsOf(log, entries),
    period: periodOf(entries),
    filter,
    entries: shown.rows.map((entry) => logLine(entry, resolved, TEXT_SHOWN)),
    page: shown.page,
    references: groupsOf(entries, resolved),
    timeline: window === null ? null : await timelineOf(app, window),
    notes: notesOf(app, entries, resolved, limited),
  };
}

function totalsOf(log: string, entries: readonly LogEntry[]): LogExploration["totals"] {
  const levels: Partial<Record<LogLevel, number>> = {};
  for (const { level } of entries) if (level !== null) levels[level] = (levels[level] ?? 0) + 1;
  return {
    characters: log.length,
    entries: entries.length,
    levels: Object.fromEntries(LOG_LEVELS.flatMap((level) => (levels[level] ? [[level, levels[level]]] : []))),
    others: entries.filter((entry) => entry.format === "other").length,
  };
}

function periodOf(entries: readonly LogEntry[]): LogExploration["period"] {
  let start: EpochSeconds = Number.POSITIVE_INFINITY;
  let end: EpochSeconds = Number.NEGATIVE_INFINITY;
  for (const { timestamp } of entries) {
    if (timestamp === null) continue;
    start = Math.min(start, timestamp);
    end = Math.max(end, timestamp);
  }
  return start > end ? null : { start: isoFromEpoch(start), end: isoFromEpoch(end) };
}

function groupsOf(entries: readonly LogEntry[], { byKey }: ResolvedReferences): ReferenceGroup[] {
  const counts = new Map<LogReference, number>();
  for (const { marks } of entries) {
    const named = new Set<LogReference>();
    for (const mark of marks) {
      const reference = mark.kind === "status" ? undefined : byKey.get(referenceKey(mark));
      if (reference !== undefined) named.add(reference);
    }
    for (const reference of named) counts.set(reference, (counts.get(reference) ?? 0) + 1);
  }
  return REFERENCE_KINDS.flatMap((kind) => {
    const all = [...counts].filter(([reference]) => reference.kind === kind);
    if (all.length === 0) return [];
    const most = all.sort(([, a], [, b]) => b - a).slice(0, REFERENCES_SHOWN);
    return [
      {
        kind,
        count: all.length,
        unknown: all.filter(([reference]) => reference.state === "unknown").length,
        references: most.map(([reference, number]) => ({ ...reference, entries: number })),
      },
    ];
  });
}

/** Draws everything if the window has few changes, otherwise only what the lines mention. */
async function timelineOf(app: OpenedApp, { invocation_ids, ...bounds }: LogWindow): Promise<LogTimeline | null> {
  const window = windowQuery(bounds);
  const dates = { from: [window.start_date], to: [window.end_date], limit: [String(INVOCATIONS_DRAWN)], open: ["*"] };
  const { start, end } = bounds;
  const { entries } = await app.store.read((reads) => reads.state_backend.countHistory({ from: start, to: end }));
  const all = entries <= CHANGES_DRAWN;
  const drawn = all ? [] : invocation_ids.slice(0, INVOCATIONS_DRAWN);
  if (!all && drawn.length === 0) return null;
  const raw: RawInput = all ? dates : { ...dates, inv_ids: drawn };
  return {
    timeline: await timeline(app, parseTimelineInput(raw, [], app.now())),
    window,
    scope: all ? "all" : "named",
    left_out: all ? 0 : invocation_ids.length - drawn.length,
  };
}

function notesOf(
  app: OpenedApp,
  entries: readonly LogEntry[],
  resolved: ResolvedReferences,
  limited: boolean,
): string[] {
  const zoneless = entries.filter((entry) => entry.zone_assumed).length;
  const cut = entries.filter((entry) => entry.marks_cut).length;
  const foreign = new Map<string, number>();
  for (const { logger } of entries) {
    if (logger !== null && isOfAnotherApp(logger, app)) foreign.set(logger, (foreign.get(logger) ?? 0) + 1);
  }
  return [
    ...(zoneless > 0
      ? [`${counted(zoneless, "time")} without a zone ${zoneless === 1 ? "is" : "are"} read as UTC.`]
      : []),
    ...[...foreign]
      .slice(0, 5)
      .map(
        ([logger, lines]) =>
          `${counted(lines, "entry", "entries")} of the logger ${logger} may come from another app; what they name is looked up in ${app.app_id}.`,
      ),
    ...(limited
      ? [
          `Only the first ${counted(entries.length - 1, "entry", "entries")} are split; the rest of the log is shown as the last one.`,
        ]
      : []),
    ...(cut > 0 ? [`${counted(cut, "entry", "entries")} name more ids than are looked up per entry.`] : []),
    ...(resolved.cut ? [`Only the first ${counted(REFERENCES_RESOLVED, "distinct reference")} are looked up.`] : []),
  ];
}

/** pynenc names its logger after the app (storage-format.md 5.8). */
function isOfAnotherApp(logger: string, { app_id }: OpenedApp): boolean {
  const own = `pynenc.${app_id}`;
  return logger.startsWith("pynenc.") && logger !== own && !logger.startsWith(`${own}.`);
}
