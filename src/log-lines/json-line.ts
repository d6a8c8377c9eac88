/** Lines of pynenc's JSON formatter: one object that carries the line as text, and the whole ids that the text shortens. */
import { parsedJson } from "../pynenc/plain-json.ts";
import { stringMembers } from "./json-members.ts";
import type { LogContext } from "./model.ts";

export interface JsonLine {
  /** The line as text, with its stack trace. */
  text: string;
  /** Whole ids, outermost runner first. */
  runner_ids: string[];
  invocation_id: string | null;
  task_id_key: string | null;
}

/** A longer line is kept as it is. */
const LONGEST = 2_000_000;

const MEMBERS = ["text", "exception", "parent_runner_id", "runner_id", "invocation_id", "task_id"] as const;

/** Null when the line is no JSON object with a text. */
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

/** Other formatters end the text with the exception already. Looked for there only: anywhere else the search could take very long. */
function withException(text: string, exception: string): string {
  return text.trimEnd().endsWith(exception.trimEnd()) ? text : `${text}\n${exception}`;
}

/** The context of the text with full ids instead of parts; for a line without a bracket, only what the object says. */
export function contextOf(
  { runner_ids, invocation_id, task_id_key }: JsonLine,
  shown: LogContext | null,
): LogContext | null {
  const runners = (shown?.runners ?? []).map((runner) => {
    const whole = runner_ids.find((id) => id.startsWith(runner.id));
    return whole === undefined ? runner : { ...runner, id: whole, partial: false };
  });
  const context = {
    runners,
    atomic_service_run_id: shown?.atomic_service_run_id ?? null,
    invocation_id: shown?.invocation_id ?? invocation_id,
    task_id_key: shown?.task_id_key ?? task_id_key,
  };
  return shown === null && invocation_id === null && task_id_key === null ? null : context;
}

/** Null for what is no text: also for one with control characters or escapes that JSON does not have. */
function unquoted(literal: string | undefined): string | null {
  const value = literal === undefined ? null : parsedJson(literal);
  return typeof value === "string" ? value : null;
}
