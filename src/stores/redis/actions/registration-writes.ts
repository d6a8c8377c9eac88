/** What registering an invocation writes, in the order of pynenc's plugin (storage-format.md 9.4). */
import { pythonFloat, pythonJson } from "../../../pynenc/python-dump.ts";
import type { InvocationRecord, InvocationStatusRecord, RunnerContextRecord } from "../../../pynenc/records.ts";
import type { Registration } from "../../../pynenc/rerun.ts";
import { isoFromEpoch } from "../../../pynenc/time.ts";
import type { AppKeys, Section } from "../keys/keys.ts";
import type { Write } from "./changes.ts";

/**
 * Everything but the message.
 *
 * @param stored arguments, which are put into the index for concurrency control.
 * @param newer definitions have the members of 0.2.4 and later.
 */
export function writesOf(
  keys: AppKeys,
  { invocation, status, history }: Registration,
  caller: RunnerContextRecord,
  stored: ReadonlyMap<string, string>,
  newer: boolean,
): Write[] {
  const { invocation_id: id, task_id_key: task, call_id_key: call, workflow_id, workflow_type_key } = invocation;
  const to =
    (component: "state_backend" | "orchestrator") =>
    (name: string, parts: readonly string[], ...values: string[]): Write => ({
      component,
      command: [name, keys.key(component satisfies Section, ...parts), ...values],
    });
  const [state, orchestrator] = [to("state_backend"), to("orchestrator")];
  const at = pythonFloat(history.timestamp).text;
  return [
    state("SET", ["invocation", id], definitionJson(invocation, newer)),
    ...(workflow_id === null || workflow_type_key === null
      ? []
      : [
          state("SADD", ["workflow", "invocations", workflow_id], id),
          state("SADD", ["workflow", "type_invocations", workflow_type_key], id),
        ]),
    orchestrator("SADD", ["task", task], id),
    orchestrator("SADD", ["call_to_invocation", call], id),
    orchestrator("SET", ["invocation_to_call", id], call),
    orchestrator("SADD", ["status", status.status], id),
    orchestrator("SET", ["invocation_status", id], statusJson(status)),
    orchestrator("SET", ["invocation_retries", id], String(status.retry_count)),
    orchestrator("ZADD", ["all_invocations_by_time"], at, id),
    orchestrator("ZADD", ["task_invocations_by_time", task], at, id),
    state("SET", ["runner_context", caller.runner_id], contextJson(caller), "NX"),
    state("RPUSH", ["history", id], history.json),
    state("ZADD", ["history_by_timestamp"], at, `${id}:${at}:${history.json}`),
    ...[...stored].map(([name, value]) => orchestrator("SADD", ["task", task, "arg", name, "val", value], id)),
  ];
}

export function messagesOf(keys: AppKeys, invocationIds: readonly string[]): Write {
  return { component: "broker", command: ["RPUSH", keys.key("broker", "default_queue"), ...invocationIds] };
}

/** The arguments are stored as an object, in the text that was copied (storage-format.md 9.3). */
function definitionJson(invocation: InvocationRecord, newer: boolean): string {
  const { serialized_arguments, parent_invocation_id, parent_event_id, workflow_id, workflow_type_key } = invocation;
  const { invocation_id, call_id_key, task_id_key, arguments_id, parent_workflow_id } = invocation;
  const before = pythonJson({ invocation_id, call_id_key, task_id_key, arguments_id });
  const parents = newer ? { parent_invocation_id, parent_event_id } : { parent_invocation_id };
  const behind = pythonJson({ ...parents, workflow_id, workflow_type_key, parent_workflow_id });
  return `${before.slice(0, -1)}, "serialized_arguments": ${serialized_arguments}, ${behind.slice(1)}`;
}

function statusJson({ status, status_runner_id, status_timestamp }: InvocationStatusRecord): string {
  return pythonJson({ status, runner_id: status_runner_id, timestamp: isoFromEpoch(status_timestamp) });
}

/** Members in the order of their names. A caller outside any runner has no parent. */
function contextJson({ hostname, pid, runner_cls, runner_id, thread_id }: RunnerContextRecord): string {
  return pythonJson({ hostname, pid, runner_cls, runner_id, thread_id });
}
