/** The parsed form of a log. Positions are offsets into the `text` of their entry. */
import type { LogLevel } from "../pynenc/log-levels.ts";
import type { EpochSeconds } from "../pynenc/time.ts";

/** Kinds of things that a log line can refer to and a store can contain. */
export const REFERENCE_KINDS = [
  "invocation",
  "runner",
  "task",
  "call",
  "workflow",
  "event",
  "trigger_run",
  "trigger",
  "condition",
  "valid_condition",
  "atomic_service_run",
] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

/** A reference in the text. */
export interface ReferenceMark {
  kind: ReferenceKind;
  start: number;
  end: number;
  /** As written: `parent-invocation`, `worker`; in a context bracket, the kind itself. */
  role: string;
  /** As written, without quotes. */
  id: string;
  /**
   * The id is abbreviated, usually to the first eight digits of a runner id. pynenc also writes `worker:` before the start of the id of the
   * invocation that a thread runs.
   */
  partial: boolean;
}

/** A status of invocations in the text. */
export interface StatusMark {
  kind: "status";
  start: number;
  end: number;
  /** Spelled as stored: lower case. */
  status: string;
}

/** A UUID without a word that says what it is: only a store can tell. */
export interface IdMark {
  kind: "id";
  start: number;
  end: number;
  id: string;
}

export type LogMark = ReferenceMark | StatusMark | IdMark;

/** A runner of a context bracket, outermost first: `PPR(42362e34).PPRW(2f7f2f74)`. */
export interface ContextRunner {
  /** The abbreviated class. */
  cls: string;
  /** Its full id if the line has it (JSON lines do), otherwise the part in the bracket. */
  id: string;
  partial: boolean;
}

/** Who wrote the line. */
export interface LogContext {
  runners: ContextRunner[];
  atomic_service_run_id: string | null;
  invocation_id: string | null;
  task_id_key: string | null;
}

/** `pynenc`: a line with time and level. `json`: a line of pynenc's JSON formatter. `other`: a line of another program, kept as is. */
export type LogFormat = "pynenc" | "json" | "other";

/** A log line with its continuation lines: a stack trace, the rest of its message. */
export interface LogEntry {
  /** Number of its first line in the log, from 1. */
  line: number;
  /** Exactly as read, including line ends: all entries joined are the log. */
  raw: string;
  /** Text for display: without colour codes and the final line end. For a JSON line, the text it carries. */
  text: string;
  format: LogFormat;
  timestamp: EpochSeconds | null;
  /** The line has no time zone: its time was read as UTC. */
  zone_assumed: boolean;
  level: LogLevel | null;
  logger: string | null;
  context: LogContext | null;
  /** Offset of the message in `text`: after time, level, logger and context. */
  message_start: number;
  /** In text order, without overlaps. */
  marks: LogMark[];
  /** The text contains more references than were read. */
  marks_cut: boolean;
}
