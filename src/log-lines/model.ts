/** What a log is read into. Places are offsets in the `text` of their entry. */
import type { LogLevel } from "../pynenc/log-levels.ts";
import type { EpochSeconds } from "../pynenc/time.ts";

/** Things that a log line can name and a store can know. */
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

/** A place in the text that names something. */
export interface ReferenceMark {
  kind: ReferenceKind;
  start: number;
  end: number;
  /** As it is written: `parent-invocation`, `worker`; in a context bracket the kind itself. */
  role: string;
  /** As it is written, without quotes. */
  id: string;
  /**
   * Only a part of a runner's id, usually its first eight digits. pynenc also writes `worker:` before the beginning of the id of the invocation
   * that a thread runs.
   */
  partial: boolean;
}

/** A place in the text that names a status of invocations. */
export interface StatusMark {
  kind: "status";
  start: number;
  end: number;
  /** Stored spelling: lower case. */
  status: string;
}

/** A UUID with no word in front that says what it names: only a store knows. */
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
  /** Its whole id if the line has it (JSON lines do), else the part in the bracket. */
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

/** `pynenc`: a line with time and level. `json`: one of pynenc's JSON formatter. `other`: a line of another program, kept as it is. */
export type LogFormat = "pynenc" | "json" | "other";

/** A log line with the lines that belong to it: a stack trace, the rest of its message. */
export interface LogEntry {
  /** Number of its first line in the log, from 1. */
  line: number;
  /** Exactly as it was read, line ends included: joined in order these are the log. */
  raw: string;
  /** What a reader sees: without colour codes and without the last line end; of a JSON line the text that it carries. */
  text: string;
  format: LogFormat;
  timestamp: EpochSeconds | null;
  /** The line names no zone: its time was read as UTC. */
  zone_assumed: boolean;
  level: LogLevel | null;
  logger: string | null;
  context: LogContext | null;
  /** Where the message begins in `text`: behind time, level, logger and context. */
  message_start: number;
  /** In the order of the text; they never overlap. */
  marks: LogMark[];
  /** The text names more than was examined. */
  marks_cut: boolean;
}
