/**
 * Records that Redis keeps as one JSON document each, where SQLite has columns (storage.md 9.2, 9.3). Members may be absent and extra
 * ones are ignored. A text that lacks what a record cannot be without gives null, never an error.
 */
import { type JsonDocument, type JsonNode, ROOT, scanPythonJson } from "./python-json.ts";
import type { InvocationRecord, RunnerContextRecord, WorkflowRunRecord } from "./records.ts";

/** @param invocation_id as the key says; the document repeats it. */
export function parseInvocation(invocation_id: string, json: string): InvocationRecord | null {
  const document = scanPythonJson(json);
  const [call_id_key, task_id_key, arguments_id] = [
    textOf(document, "call_id_key"),
    textOf(document, "task_id_key"),
    textOf(document, "arguments_id"),
  ];
  if (document === null || call_id_key === null || task_id_key === null || arguments_id === null) return null;
  return {
    invocation_id,
    call_id_key,
    task_id_key,
    arguments_id,
    serialized_arguments: argumentsText(document),
    parent_invocation_id: textOf(document, "parent_invocation_id"),
    parent_event_id: textOf(document, "parent_event_id"),
    workflow_id: textOf(document, "workflow_id"),
    workflow_type_key: textOf(document, "workflow_type_key"),
    parent_workflow_id: textOf(document, "parent_workflow_id"),
  };
}

/** @param workflow_id as the key says. */
export function parseWorkflowRun(workflow_id: string, json: string): WorkflowRunRecord | null {
  const document = scanPythonJson(json);
  const workflow_type_key = textOf(document, "workflow_type_key");
  if (workflow_type_key === null) return null;
  return { workflow_id, workflow_type_key, parent_workflow_id: textOf(document, "parent_workflow_id") };
}

/** @param runner_id as the key says. The parent is nested as a whole. */
export function parseRunnerContext(runner_id: string, json: string): RunnerContextRecord | null {
  const document = scanPythonJson(json);
  const [runner_cls, hostname] = [textOf(document, "runner_cls"), textOf(document, "hostname")];
  const [pid, thread_id] = [numberOf(document, "pid"), numberOf(document, "thread_id")];
  if (document === null || runner_cls === null || hostname === null || pid === null || thread_id === null) return null;
  const parent = document.member(ROOT, "parent_ctx");
  const parent_ctx_id = parent === null ? null : textOf(document, "runner_id", parent);
  return { runner_id, runner_cls, parent_ctx_id, pid, hostname, thread_id };
}

/** `''` means "none", as in columns (storage.md 13.2). */
function textOf(document: JsonDocument | null, name: string, node: JsonNode = ROOT): string | null {
  return document?.memberString(node, name) || null;
}

function numberOf(document: JsonDocument | null, name: string): number | null {
  const node = document?.member(ROOT, name) ?? null;
  return document !== null && node !== null && document.kind(node) === "number" ? Number(document.raw(node)) : null;
}

/**
 * The arguments as the text that SQLite's column holds: what `json.dumps` writes of them. Names keep their order, which a JavaScript
 * object would not keep for names like `1`.
 */
function argumentsText(document: JsonDocument): string {
  const node = document.member(ROOT, "serialized_arguments");
  if (node === null) return "";
  if (document.kind(node) === "string") return document.string(node);
  if (document.kind(node) !== "object") return document.raw(node);
  const members = [...document.members(node)].map(([key, value]) => `${document.raw(key)}: ${document.raw(value)}`);
  return `{${members.join(", ")}}`;
}
