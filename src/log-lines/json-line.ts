/** Lines of pynenc's JSON formatter: an object with the log line as text, and the full ids that the text abbreviates. */
import { parsedJson } from "../pynenc/plain-json.ts";
import { stringMembers } from "./json-members.ts";
import type { LogContext } from "./model.ts";

export interface JsonLine {
  /** The log line as text, including its stack trace. */
  text: string;
  /** Full ids, outermost runner first. */
  runner_ids: string[];
  invocation_id: string | null;
  task_id_key: string | null;
}

/** Longer lines are not parsed. */
const LONGEST = 2_000_000;

const MEMBERS = ["text", "exception", "parent_runner_id", "runner_id", "invocation_id", "task_id"] as const;

/** Null if the line is not a JSON object with a text. */
export function readJsonLine(line: string): JsonLine | null {
  if (line.length > LONGEST) return null;
  const literals = stringMembers(line, MEMBERS);
  if (literals === null) return null;
  const [text, exception, parentRunner, runner, invocation, task] = MEMBERS.map((name) => unquoted(literals.get(name)));
  if (text === null || text === undefined) return null;
  return {
    text: withException(text, exception ?? ""),
    runner_ids: [parentRunner, runner].filter((id) => typeof id === "string"),
    invocation_id: invocation ?? null,
    task_id_key: task ?? null,
  };
}

/** Other formatters already end the text with the exception. Only the end is checked: searching elsewhere could take very long. */
function withException(text: string, exception: string): string {
  return text.trimEnd().endsWith(exception.trimEnd()) ? text : `${text}\n${exception}`;
}

/** The context in the text, with abbreviated ids replaced by full ones. For a line without a bracket, only what the object contains. */
export function contextOf(
  { runner_ids, invocation_id, task_id_key }: JsonLine,
  shown: LogContext | null,
): LogContext | null {
  const runners = (shown?.runners ?? []).map((runner) => {
    const full = runner_ids.find((id) => id.startsWith(runner.id));
    return full === undefined ? runner : { ...runner, id: full, partial: false };
  });
  const context = {
    runners,
    atomic_service_run_id: shown?.atomic_service_run_id ?? null,
    invocation_id: shown?.invocation_id ?? invocation_id,
    task_id_key: shown?.task_id_key ?? task_id_key,
  };
  return shown === null && invocation_id === null && task_id_key === null ? null : context;
}

/** Null if it is not a valid JSON string, for example with control characters or unknown escapes. */
function unquoted(literal: string | undefined): string | null {
  const value = literal === undefined ? null : parsedJson(literal);
  return typeof value === "string" ? value : null;
}
