/** Commands that register an invocation, in the order of pynenc's plugin (storage-format.md 9.2, 9.4), without the message and the argument index. */
import { pythonFloat, pythonJson } from "../../../pynenc/python-dump.ts";
import type { InvocationRecord, InvocationStatusRecord, RunnerContextRecord } from "../../../pynenc/records.ts";
import type { Registration } from "../../../pynenc/registration.ts";
import { type EpochSeconds, isoFromEpoch } from "../../../pynenc/time.ts";
import type { Command } from "../server/connection.ts";
import type { AppKeys } from "./keys.ts";

/** @param newer the definition has the members of 0.2.4 and later. */
export function definitionCommands(keys: AppKeys, invocation: InvocationRecord, newer: boolean): Command[] {
  const { invocation_id: id } = invocation;
  return [
    ["SET", keys.key("state_backend", "invocation", id), definitionJson(invocation, newer)],
    ...definitionSets(keys, invocation).map((key): Command => ["SADD", key, id]),
  ];
}

/** Sets an invocation belongs to according to its definition. */
export function definitionSets(keys: AppKeys, invocation: InvocationRecord): string[] {
  const sets: [string[], string | null][] = [
    [["parent_invocation_children"], invocation.parent_invocation_id],
    [["parent_event_children"], invocation.parent_event_id],
    [["workflow", "invocations"], invocation.workflow_id],
    [["workflow", "type_invocations"], invocation.workflow_type_key],
  ];
  return sets.flatMap(([family, of]) => (of === null ? [] : [keys.key("state_backend", ...family, of)]));
}

/** @param registered the score in the time indexes, which have no other order. */
export function registeredCommands(
  keys: AppKeys,
  status: InvocationStatusRecord,
  registered: EpochSeconds = status.status_timestamp,
): Command[] {
  const { invocation_id: id, task_id_key: task, call_id_key: call } = status;
  const key = (...parts: string[]) => keys.key("orchestrator", ...parts);
  const score = pythonFloat(registered).text;
  return [
    ["SADD", key("task", task), id],
    ["SADD", key("call_to_invocation", call), id],
    ["SET", key("invocation_to_call", id), call],
    ...statusCommands(keys, status),
    ["ZADD", key("all_invocations_by_time"), score, id],
    ["ZADD", key("task_invocations_by_time", task), score, id],
  ];
}

/** Sets the current status. The caller removes the invocation from the set of its previous status. */
export function statusCommands(keys: AppKeys, record: InvocationStatusRecord): Command[] {
  const { invocation_id: id, status, status_runner_id, status_timestamp, retry_count, auto_purge_timestamp } = record;
  const key = (...parts: string[]) => keys.key("orchestrator", ...parts);
  const json = pythonJson({ status, runner_id: status_runner_id, timestamp: isoFromEpoch(status_timestamp) });
  return [
    ["SADD", key("status", status), id],
    ["SET", key("invocation_status", id), json],
    ["SET", key("invocation_retries", id), String(retry_count)],
    ...(auto_purge_timestamp === null
      ? []
      : [["ZADD", key("invocation_auto_purge"), pythonFloat(auto_purge_timestamp).text, id]]),
  ];
}

/** One entry of the status history. */
export function historyCommands(
  keys: AppKeys,
  id: string,
  { timestamp, json }: Pick<Registration["history"], "timestamp" | "json">,
): Command[] {
  const key = (...parts: string[]) => keys.key("state_backend", ...parts);
  return [
    ["RPUSH", key("history", id), json],
    ["ZADD", key("history_by_timestamp"), pythonFloat(timestamp).text, historyMember(id, timestamp, json)],
  ];
}

/** A history entry as a member of the time index. */
export function historyMember(id: string, timestamp: EpochSeconds, json: string): string {
  return `${id}:${pythonFloat(timestamp).text}:${json}`;
}

interface ContextJson {
  readonly [member: string]: string | number | null | ContextJson;
}

/** A runner context with sorted members and nested parent context. */
export function contextJson(
  { hostname, pid, runner_cls, runner_id, thread_id }: RunnerContextRecord,
  parent_ctx: ContextJson | null = null,
): ContextJson {
  return { hostname, ...(parent_ctx === null ? {} : { parent_ctx }), pid, runner_cls, runner_id, thread_id };
}

/** Here the arguments are an object whose text equals the one stored in SQLite (storage-format.md 9.3). */
function definitionJson(invocation: InvocationRecord, newer: boolean): string {
  const { serialized_arguments, parent_invocation_id, parent_event_id, workflow_id, workflow_type_key } = invocation;
  const { invocation_id, call_id_key, task_id_key, arguments_id, parent_workflow_id } = invocation;
  const before = pythonJson({ invocation_id, call_id_key, task_id_key, arguments_id });
  const parents = newer ? { parent_invocation_id, parent_event_id } : { parent_invocation_id };
  const after = pythonJson({ ...parents, workflow_id, workflow_type_key, parent_workflow_id });
  return `${before.slice(0, -1)}, "serialized_arguments": ${serialized_arguments}, ${after.slice(1)}`;
}
