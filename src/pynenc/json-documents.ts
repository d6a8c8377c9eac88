/**
 * Parses records that Redis keeps as one JSON document each, where SQLite has columns (storage-format.md 9.2, 9.3). Members may be missing, and extra
 * ones are ignored. A text without the required members gives null, never an error.
 */
import { objectOrNull, parsedJson } from "./plain-json.ts";
import { pythonJson } from "./python-dump.ts";
import { ROOT, scanPythonJson } from "./python-json.ts";
import type { InvocationRecord, RunnerContextRecord, WorkflowRunRecord } from "./records.ts";

type Members = Record<string, unknown>;

/** @param invocation_id from the key; the document repeats it. */
export function parseInvocation(invocation_id: string, json: string): InvocationRecord | null {
  const document = objectOrNull(parsedJson(json));
  if (document === null) return null;
  const call_id_key = textOf(document, "call_id_key");
  const task_id_key = textOf(document, "task_id_key");
  const arguments_id = textOf(document, "arguments_id");
  if (call_id_key === null || task_id_key === null || arguments_id === null) return null;
  return {
    invocation_id,
    call_id_key,
    task_id_key,
    arguments_id,
    serialized_arguments: argumentsText(document.serialized_arguments, json),
    parent_invocation_id: textOf(document, "parent_invocation_id"),
    parent_event_id: textOf(document, "parent_event_id"),
    workflow_id: textOf(document, "workflow_id"),
    workflow_type_key: textOf(document, "workflow_type_key"),
    parent_workflow_id: textOf(document, "parent_workflow_id"),
  };
}

/** @param workflow_id from the key. */
export function parseWorkflowRun(workflow_id: string, json: string): WorkflowRunRecord | null {
  const document = objectOrNull(parsedJson(json)) ?? {};
  const workflow_type_key = textOf(document, "workflow_type_key");
  if (workflow_type_key === null) return null;
  return { workflow_id, workflow_type_key, parent_workflow_id: textOf(document, "parent_workflow_id") };
}

/** @param runner_id from the key. The complete parent context is nested. */
export function parseRunnerContext(runner_id: string, json: string): RunnerContextRecord | null {
  const document = objectOrNull(parsedJson(json)) ?? {};
  const runner_cls = textOf(document, "runner_cls");
  const hostname = textOf(document, "hostname");
  const { pid, thread_id } = document;
  if (runner_cls === null || hostname === null || typeof pid !== "number" || typeof thread_id !== "number") return null;
  const parent = objectOrNull(document.parent_ctx);
  const parent_ctx_id = parent === null ? null : textOf(parent, "runner_id");
  return { runner_id, runner_cls, parent_ctx_id, pid, hostname, thread_id };
}

/** `''` means "none", as in columns (storage-format.md 3.4). */
function textOf(members: Members, name: string): string | null {
  const value = members[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** The arguments as text as in SQLite's column: the output of `json.dumps`. */
function argumentsText(value: unknown, json: string): string {
  if (typeof value === "string") return value;
  const members = objectOrNull(value);
  return members !== null && keepsOrder(members) ? pythonJson(members) : argumentsAsWritten(json);
}

/** False if a value is not a string, or if parsing may have changed the order: JavaScript objects put names like `1` first. */
function keepsOrder(members: Members): members is Record<string, string> {
  return Object.entries(members).every(([name, value]) => typeof value === "string" && !/^\d+$/.test(name));
}

function argumentsAsWritten(json: string): string {
  const document = scanPythonJson(json);
  const node = document?.member(ROOT, "serialized_arguments") ?? null;
  if (document === null || node === null) return "";
  if (document.kind(node) !== "object") return document.raw(node);
  const members = [...document.members(node)].map(([key, value]) => `${document.raw(key)}: ${document.raw(value)}`);
  return `{${members.join(", ")}}`;
}
