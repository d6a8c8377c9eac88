/**
 * The apps of a SQLite fixture as the keys that pynenc's Redis plugin would hold for them (storage-format.md 9.2, 9.3). Tables are read and keys are
 * spelled here without a line of the adapter, so that a key that is wrong there cannot hide.
 */

import { type PythonValue, pythonJson } from "../../src/pynenc/python-dump.ts";
import { epochFromIso, isoFromEpoch } from "../../src/pynenc/time.ts";
import { eachAppIn, nestedContexts, registrationsOf, type Tables, text } from "./fixture-tables.ts";
import { RedisContent } from "./redis-content.ts";
import type { QueueNames } from "./redis-queue-names.ts";

/** Claims live for a minute, which would be over before a test is. */
const CLAIM_SECONDS = 3_600;

/** More than a double can count. */
const MANY_MESSAGES = 2n ** 53n;

/**
 * @param path of a private copy: opening a database in WAL mode writes beside it.
 * @param queueNames of keys of 0.4, where the queues are to be as that is expected to write them; else they are one list.
 */
export function redisContentOf(path: string, queueNames: QueueNames | null = null): RedisContent {
  const content = new RedisContent();
  eachAppIn(path, (tables) => {
    const [info] = tables.rows("state_backend_app_info");
    content.set(`__pynenc__:__pynenc__:apps_info:${tables.appId}`, text(info?.app_info_json));
    for (const write of [writeOrchestrator, writeBlocking, writeState, writeWorkflows, writeValues])
      write(content, tables);
    if (queueNames === null) writeBroker(content, tables);
    else writeNamedQueues(content, tables, queueNames);
    writeTriggers(content, tables);
    if (tables.has("trg_events")) writeEvents(content, tables);
  });
  return content;
}

function writeBroker(content: RedisContent, { appId, rows }: Tables): void {
  for (const row of rows("broker_message_queue"))
    content.push(`__pynenc__:${appId}:broker:default_queue`, text(row.invocation_id));
}

/** Each message has a number, which falls, so that among equal priorities the oldest has the greatest member. */
function writeNamedQueues(content: RedisContent, { appId, rows }: Tables, { head, counter }: QueueNames): void {
  const key = (rest: string) => `__pynenc__:${appId}:broker:${rest}`;
  let number = MANY_MESSAGES;
  for (const row of rows("broker_message_queue")) {
    number++;
    const left = String(2n ** 63n - 1n - number).padStart(19, "0");
    content.score(key(head + text(row.queue_name)), `${left}:${text(row.invocation_id)}`, Number(row.priority));
  }
  content.set(key(counter), String(number));
  for (const row of rows("orchestrator_runner_heartbeats"))
    content.field(
      `__pynenc__:${appId}:orchestrator:runner_heartbeat:${row.runner_id}`,
      "consumed_queues",
      text(row.consumed_queues),
    );
}

function writeOrchestrator(content: RedisContent, tables: Tables): void {
  const { appId, rows } = tables;
  const key = (rest: string) => `__pynenc__:${appId}:orchestrator:${rest}`;
  const registered = registrationsOf(tables);
  const taskOf = new Map<string, string>();
  let last = 0;
  for (const row of rows("orchestrator_invocations")) {
    const [id, task, call, status] = [row.invocation_id, row.task_id_key, row.call_id_key, row.status].map(text) as [
      string,
      string,
      string,
      string,
    ];
    taskOf.set(id, task);
    content.add(key(`task:${task}`), id);
    content.add(key(`status:${status}`), id);
    content.add(key(`call_to_invocation:${call}`), id);
    content.set(key(`invocation_to_call:${id}`), call);
    content.set(
      key(`invocation_status:${id}`),
      json({ status, runner_id: row.status_runner_id, timestamp: isoFromEpoch(Number(row.status_timestamp)) }),
    );
    content.set(key(`invocation_retries:${id}`), String(row.retry_count));
    // In the order of the rows, also where processes wrote them a moment out of order.
    last = Math.max(registered.get(id) ?? 0, last + 1e-5);
    const at = Number(last.toFixed(6));
    content.score(key("all_invocations_by_time"), id, at);
    content.score(key(`task_invocations_by_time:${task}`), id, at);
    if (row.auto_purge_timestamp !== null)
      content.score(key("invocation_auto_purge"), id, Number(row.auto_purge_timestamp));
  }
  for (const row of rows("orchestrator_invocation_args")) {
    const id = text(row.invocation_id);
    content.add(key(`task:${taskOf.get(id)}:arg:${row.arg_key}:val:${row.arg_value}`), id);
  }
  for (const row of rows("orchestrator_runner_heartbeats")) {
    content.score(key("runner_heartbeats"), text(row.runner_id), Number(row.creation_timestamp));
    const service = ["last_service_start", "last_service_end"]
      .map((name) => [name, row[name]] as const)
      .filter(([, at]) => typeof at === "string")
      .map(([name, at]) => [name, String(epochFromIso(text(at)))]);
    content.hash(key(`runner_heartbeat:${row.runner_id}`), {
      creation_timestamp: String(row.creation_timestamp),
      last_heartbeat: String(row.last_heartbeat),
      can_run_atomic_service: String(row.allow_to_run_atomic_service),
      ...Object.fromEntries(service),
    });
  }
  for (const row of rows("orchestrator_atomic_service_executions")) {
    const id = text(row.atomic_service_run_id);
    content.score(key("atomic_service_executions"), id, epochFromIso(text(row.start_time)) ?? 0);
    content.set(key(`atomic_service_execution:${id}`), json(row));
    if (row.status === "running") content.set(key("atomic_service_active_execution"), id);
  }
}

function writeBlocking(content: RedisContent, { appId, rows }: Tables): void {
  const key = (rest: string) => `__pynenc__:${appId}:blocking_control:${rest}`;
  const since = new Map(
    rows("orchestrator_invocations").map((row) => [text(row.invocation_id), Number(row.status_timestamp)]),
  );
  const edges = rows("orchestrator_blocking_edges");
  for (const { waiter_id, waited_id } of edges) {
    const at = since.get(text(waiter_id)) ?? 0;
    content.set(key(`invocation:${waited_id}`), text(waited_id));
    content.add(key(`waited_by:${waited_id}`), text(waiter_id));
    content.add(key(`waiting_for:${waiter_id}`), text(waited_id));
    content.score(key("all_waited"), text(waited_id), at);
    if (edges.every((edge) => edge.waiter_id !== waited_id)) content.score(key("not_waiting"), text(waited_id), at);
  }
}

function writeState(content: RedisContent, tables: Tables): void {
  const { appId, rows, has } = tables;
  const key = (rest: string) => `__pynenc__:${appId}:state_backend:${rest}`;
  const recordsEvents = has("state_backend_invocations", "parent_event_id");
  for (const row of rows("state_backend_invocations")) {
    const id = text(row.invocation_id);
    content.set(
      key(`invocation:${id}`),
      json({
        invocation_id: id,
        call_id_key: row.call_id_key,
        task_id_key: row.task_id_key,
        arguments_id: row.arguments_id,
        serialized_arguments: JSON.parse(text(row.serialized_arguments)),
        parent_invocation_id: row.parent_invocation_id,
        ...(recordsEvents && { parent_event_id: row.parent_event_id }),
        workflow_id: row.workflow_id,
        workflow_type_key: row.workflow_type_key,
        parent_workflow_id: row.parent_workflow_id,
      }),
    );
    if (row.parent_invocation_id !== null)
      content.add(key(`parent_invocation_children:${row.parent_invocation_id}`), id);
    if (recordsEvents && row.parent_event_id !== null)
      content.add(key(`parent_event_children:${row.parent_event_id}`), id);
    if (row.workflow_id === null) continue;
    content.add(key(`workflow:invocations:${row.workflow_id}`), id);
    content.add(key(`workflow:type_invocations:${row.workflow_type_key}`), id);
  }
  for (const row of rows("state_backend_history")) {
    const [id, at, json] = [text(row.invocation_id), Number(row.history_timestamp), text(row.history_json)];
    content.push(key(`history:${id}`), json);
    content.score(key("history_by_timestamp"), `${id}:${at}:${json}`, at);
  }
  for (const row of rows("state_backend_results"))
    content.set(key(`result:${row.invocation_id}`), text(row.result_data));
  for (const row of rows("state_backend_exceptions"))
    content.set(key(`exception:${row.invocation_id}`), text(row.exception_data));
  for (const [id, context] of nestedContexts(tables)) content.set(key(`runner_context:${id}`), json(context));
}

function writeWorkflows(content: RedisContent, { appId, rows }: Tables): void {
  const key = (rest: string) => `__pynenc__:${appId}:state_backend:workflow:${rest}`;
  for (const { workflow_id, workflow_type_key, parent_workflow_id } of rows("state_backend_workflows")) {
    const run = { workflow_id, workflow_type_key, parent_workflow_id: parent_workflow_id || null };
    content.set(key(`run:${workflow_id}`), json(run));
    content.add(key("types"), text(workflow_type_key));
    content.add(key(`type_index:${workflow_type_key}`), text(workflow_id));
  }
  for (const row of rows("state_backend_workflow_sub_invocations"))
    content.add(key(`${row.parent_workflow_id}:sub_invocations`), text(row.sub_invocation_id));
  for (const row of rows("state_backend_workflow_data"))
    content.set(key(`${row.workflow_id}:data:${row.data_key}`), text(row.data_value));
}

function writeValues(content: RedisContent, { appId, rows }: Tables): void {
  for (const row of rows("client_data"))
    content.set(`__pynenc__:${appId}:client_data_store:client_data_store:${row.data_key}`, text(row.data_value));
}

function writeTriggers(content: RedisContent, { appId, rows }: Tables): void {
  const key = (rest: string) => `__pynenc__:${appId}:trigger:${rest}`;
  for (const row of rows("trg_conditions")) {
    content.set(key(`condition:${row.condition_id}`), text(row.condition_json));
    if (row.last_cron_execution !== null)
      content.set(key(`cron_last_execution:${row.condition_id}`), text(row.last_cron_execution));
  }
  const pairs = rows("trg_condition_triggers");
  for (const { trigger_id, task_id_key, logic_value, argument_provider_json } of rows("trg_triggers")) {
    const condition_ids = pairs.filter((pair) => pair.trigger_id === trigger_id).map((pair) => pair.condition_id);
    content.set(
      key(`trigger:${trigger_id}`),
      json({ trigger_id, task_id_key, condition_ids, logic_value, argument_provider_json }),
    );
    content.add(key(`task_triggers:${task_id_key}`), text(trigger_id));
  }
  for (const pair of pairs) content.add(key(`condition_triggers:${pair.condition_id}`), text(pair.trigger_id));
  for (const row of rows("trg_valid_conditions"))
    content.set(key(`valid_condition:${row.valid_condition_id}`), text(row.valid_condition_json));
  for (const row of rows("trg_source_task_conditions"))
    content.add(key(`source_task_conditions:${row.task_id_key}`), text(row.condition_id));
  for (const row of rows("trg_trigger_run_claims"))
    content.expiring(key(`:trigger:run_claim:${row.trigger_run_id}`), text(row.expiration), CLAIM_SECONDS);
}

/** Written by plugins for 0.2.4 and later. Scores are milliseconds here. */
function writeEvents(content: RedisContent, { appId, rows }: Tables): void {
  const key = (rest: string) => `__pynenc__:${appId}:trigger:${rest}`;
  const links = rows("trg_event_triggered_invocations").sort((a, b) => Number(a.linked_at) - Number(b.linked_at));
  for (const row of rows("trg_events")) {
    const [id, at] = [text(row.event_id), Number(row.event_timestamp) * 1000];
    content.set(key(`evts_hash:${id}`), text(row.event_json));
    content.score(key("evts_by_time"), id, at);
    content.score(key(`evts_by_code:${row.event_code}`), id, at);
    content.add(key("evts_codes"), text(row.event_code));
    if (Number(row.matched_condition_count) > 0) content.score(key("evts_matched"), id, at);
    if (links.some((link) => link.event_id === id)) content.score(key("evts_triggered"), id, at);
  }
  for (const link of links) content.push(key(`evts_triggered_invocations:${link.event_id}`), text(link.invocation_id));
  for (const row of rows("trg_trigger_runs")) {
    const id = text(row.trigger_run_id);
    const run = JSON.parse(text(row.trigger_run_json)) as Record<string, string[]>;
    content.set(key(`trun_hash:${id}`), text(row.trigger_run_json));
    content.score(key("truns_by_time"), id, Number(row.executed_at ?? row.claimed_at) * 1000);
    for (const event of run.event_ids ?? []) content.add(key(`truns_for_event:${event}`), id);
    for (const source of run.source_invocation_ids ?? []) content.add(key(`truns_sourced_by_invocation:${source}`), id);
    for (const met of run.valid_condition_ids ?? []) content.add(key(`truns_for_valid_condition:${met}`), id);
    if (row.triggered_invocation_id !== null)
      content.add(key(`truns_for_invocation:${row.triggered_invocation_id}`), id);
  }
}

function json(value: unknown): string {
  return pythonJson(value as PythonValue);
}
