/** The words that parameters accept, said once for questions, services and answers. Without schemas: `--help` and completion read them. */
export const TASK_ORDERS = ["failing", "name"] as const;
export const STATS_GROUPS = ["task", "runner", "host", "exception"] as const;
export const STATS_ORDERS = ["failed", "finished", "p95", "wait", "busy", "name"] as const;
/** How far back figures over time reach where no range is given. */
export const STATS_LENGTH = "1h";
/** How far back `monitor top` counts. */
export const TOP_RANGES = ["15m", "1h", "6h", "24h"] as const;
export const FAILURE_GROUPS = ["type", "group", "exception", "task"] as const;

export const STATUS_MODES = ["current", "history"] as const;
/** What invocations that match are counted by. */
export const GROUPED_BY = ["status", "task", "exception"] as const;
export const SORT_FIELDS = [
  "registered_at",
  "status_at",
  "duration_seconds",
  "retry_count",
  "task_id_key",
  "status",
] as const;
/** Columns of tables of invocations, on pages and in files. */
export const INVOCATION_FIELDS = [
  "invocation_id",
  "task_id_key",
  "call_id_key",
  "status",
  "status_source",
  "retry_count",
  "registered_at",
  "status_at",
  "duration_seconds",
  "owner_runner_id",
  "parent_invocation_id",
  "workflow_id",
  "arguments",
  "exception_type",
  "exception_message",
] as const;
export const WAIT_GOALS = ["final", "success", "running"] as const;

/** Files of a list, and of invocations for other programs. */
export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export const FILE_FORMATS = ["otlp", "perfetto", "jsonl", "csv", "parquet"] as const;
export const TIMELINE_FORMATS = ["svg", "trace", "json"] as const;
export const TRACE_FORMATS = ["json", "tree", "mermaid", "dot"] as const;

export const TRACE_DIRECTIONS = ["down", "up", "both"] as const;
export const LANES = ["runner", "task", "cause"] as const;

export const PURGE_TARGETS = [
  "broker",
  "orchestrator",
  "state-backend",
  "client-data-store",
  "triggers",
  "all",
] as const;
export const RUNNER_SCOPES = ["active", "all"] as const;
export const EXECUTION_STATUSES = ["running", "completed", "abandoned", "blocked"] as const;
/** Filters of events: whether one met a condition, or helped to start an invocation. */
export const EVENT_ANSWERS = ["all", "yes", "no"] as const;
export const EVENT_STATES = ["all", "matched", "unmatched", "triggered", "untriggered"] as const;
/** Which verdicts make a check fail. */
export const SEVERITIES = ["error", "warning"] as const;
