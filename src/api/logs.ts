/** The log explorer. */
import { z } from "zod";
import { REFERENCE_KINDS } from "../log-lines/model.ts";
import { LOG_LEVELS } from "../pynenc/log-levels.ts";
import { instant, PageInfo, statusWord, taskIdKey, WindowQuery } from "./model/common.ts";
import { Timeline } from "./timeline.ts";

export const ReferenceKind = z.enum(REFERENCE_KINDS).meta({ id: "ReferenceKind" });
export type ReferenceKind = z.infer<typeof ReferenceKind>;

export const ContextRunner = z
  .object({
    cls: z.string().describe("The abbreviated class."),
    id: z.string().describe("Full id if the line has it (JSON lines do), else the shortened id in brackets."),
    partial: z.boolean(),
  })
  .meta({
    id: "ContextRunner",
    description: "A runner of a context bracket, outermost first: `PPR(42362e34).PPRW(2f7f2f74)`.",
  });

export const LogContext = z
  .object({
    runners: z.array(ContextRunner),
    atomic_service_run_id: z.string().nullable(),
    invocation_id: z.string().nullable(),
    task_id_key: taskIdKey.nullable(),
  })
  .meta({ id: "LogContext", description: "Who wrote the line." });
export type LogContext = z.infer<typeof LogContext>;

export const LogFormat = z.enum(["pynenc", "json", "other"]).meta({
  id: "LogFormat",
  description:
    "`pynenc`: a line with time and level. `json`: one of pynenc's JSON formatter. `other`: a line of another program, unchanged.",
});
export type LogFormat = z.infer<typeof LogFormat>;

export const LogLevel = z.enum(LOG_LEVELS).meta({ id: "LogLevel" });
export type LogLevel = z.infer<typeof LogLevel>;

export const LogReference = z
  .object({
    kind: ReferenceKind,
    id: z.string().describe("The full id if it could be resolved, else as written."),
    part: z.string().nullable().describe("The part of the id that lines show, if it is not the full id."),
    state: z
      .enum(["known", "unknown", "ambiguous", "unchecked"])
      .describe(
        "`ambiguous`: a shortened id that several runners have. `unchecked`: there are too many to look up, or only a search could tell.",
      ),
    candidates: z.array(z.string()).describe("The first few runners that an ambiguous id may mean."),
    status: statusWord.nullable().describe("Of invocations, workflow runs and runs of the atomic service."),
    task_id_key: taskIdKey.nullable(),
    detail: z
      .string()
      .nullable()
      .describe("A few words: class and host of a runner, code of an event, what a condition waits for."),
  })
  .meta({ id: "LogReference" });
export type LogReference = z.infer<typeof LogReference>;

export const LogLineReference = LogReference.extend({
  start: z.int(),
  end: z.int(),
  role: z.string().describe("As written: `parent-invocation`; empty if nothing precedes the id."),
}).meta({ id: "LogLineReference", description: "A position in the text that names something." });
export type LogLineReference = z.infer<typeof LogLineReference>;

export const LogLineStatus = z
  .object({ start: z.int(), end: z.int(), status: statusWord })
  .meta({ id: "LogLineStatus", description: "A position in the text that names a status." });
export type LogLineStatus = z.infer<typeof LogLineStatus>;

export const LogLine = z
  .object({
    line: z.int().describe("Number of its first line in the log, from 1; `lines` of them belong to it."),
    lines: z.int(),
    format: LogFormat,
    timestamp: instant.nullable(),
    zone_assumed: z.boolean().describe("The line names no zone: its time was read as UTC."),
    level: LogLevel.nullable(),
    logger: z.string().nullable(),
    context: LogContext.nullable(),
    text: z.string(),
    characters_left_out: z.int().describe("Characters of the text that are left out here."),
    message_start: z.int().describe("Where the message begins in the text."),
    references: z.array(LogLineReference).describe("Places in the text, in order; none overlap."),
    statuses: z.array(LogLineStatus),
    marks_cut: z.boolean().describe("The text names more than was examined."),
    raw: z.string().nullable().describe("The original line if `text` is not all of it, as for a JSON line."),
  })
  .meta({ id: "LogLine", description: "One entry of a log with what it names." });
export type LogLine = z.infer<typeof LogLine>;

export const LogLines = z
  .object({
    lines: z.array(LogLine).describe("The last entries that match, in the order of the log."),
    matching: z.int().describe("Matching entries in the whole log."),
  })
  .meta({ id: "LogLines", description: "The end of a log with what it names." });
export type LogLines = z.infer<typeof LogLines>;

export const LogFilter = z
  .object({
    level: LogLevel.nullable().describe("The lowest level shown."),
    text: z.string().nullable().describe("Text that entries must contain, ignoring case."),
    reference: z.string().nullable().describe("An id, its beginning, or `kind:id`."),
  })
  .meta({ id: "LogFilter" });
export type LogFilter = z.infer<typeof LogFilter>;

export const CountedReference = LogReference.extend({ entries: z.int() }).meta({
  id: "CountedReference",
  description: "One thing that the lines name, with the number of entries that do.",
});
export type CountedReference = z.infer<typeof CountedReference>;

export const ReferenceGroup = z
  .object({
    kind: ReferenceKind,
    count: z.int().describe("Distinct ones."),
    unknown: z.int(),
    references: z.array(CountedReference).describe("The most frequently mentioned."),
  })
  .meta({ id: "ReferenceGroup" });
export type ReferenceGroup = z.infer<typeof ReferenceGroup>;

export const LogTimeline = z
  .object({
    timeline: Timeline,
    window: WindowQuery.describe("The same window on the page of the timeline."),
    scope: z
      .enum(["all", "named"])
      .describe(
        "`all`: everything in the window is drawn. `named`: there was too much, so only what the lines mention is drawn.",
      ),
    left_out: z.int().describe("Mentioned invocations that are not drawn."),
  })
  .meta({ id: "LogTimeline" });
export type LogTimeline = z.infer<typeof LogTimeline>;

export const LogExploration = z
  .object({
    totals: z
      .object({
        characters: z.int(),
        entries: z.int(),
        levels: z.partialRecord(LogLevel, z.int()),
        others: z.int().describe("Lines of other programs."),
      })
      .describe("Counts for the whole log, ignoring the filter."),
    period: z.object({ start: instant, end: instant }).nullable().describe("First and last time in the log."),
    filter: LogFilter,
    entries: z.array(LogLine).describe("Entries that match the filter."),
    page: PageInfo,
    references: z.array(ReferenceGroup),
    timeline: LogTimeline.nullable(),
    notes: z.array(z.string()).describe("What was assumed or left out."),
  })
  .meta({ id: "LogExploration", description: "The lines of a log with what they name." });
export type LogExploration = z.infer<typeof LogExploration>;
