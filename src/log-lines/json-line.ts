/** Lines of pynenc's JSON formatter: one object that carries the line as text, and the whole ids that the text shortens. */
import { objectOrNull, parsedJson } from "../pynenc/plain-json.ts";
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

/** Null when the line is no JSON object with a text. */
export function readJsonLine(line: string): JsonLine | null {
  if (line.length > LONGEST) return null;
  const object = objectOrNull(parsedJson(line));
  const text = stringOf(object?.text);
  if (object === null || text === null) return null;
  const exception = stringOf(object.exception);
  return {
    text: exception === null || text.includes(exception) ? text : `${text}\n${exception}`,
    runner_ids: [stringOf(object.parent_runner_id), stringOf(object.runner_id)].filter((id) => id !== null),
    invocation_id: stringOf(object.invocation_id),
    task_id_key: stringOf(object.task_id),
  };
}

/** The context of the text with whole ids in place of parts; of a line without a bracket, what the object tells alone. */
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

function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
