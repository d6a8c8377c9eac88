/**
 * Maps a row of each table to Redis (storage-format.md 9.2 with the newer keys, as pynenc's plugin writes them): the commands that write it.
 * In addition to its columns, a row has values that only a key needs, such as the time of registration.
 */
import { pythonFloat, pythonJson, pythonString } from "../../pynenc/python-dump.ts";
import type { InvocationRecord, InvocationStatusRecord, RunnerContextRecord } from "../../pynenc/records.ts";
import { epochFromIso, isoFromEpoch } from "../../pynenc/time.ts";
import { type AppKeys, REGISTRY, type Section } from "../../stores/redis/keys/keys.ts";
import {
  contextJson,
  definitionCommands,
  historyCommands,
  registeredCommands,
} from "../../stores/redis/keys/registration.ts";
import type { Command } from "../../stores/redis/server/connection.ts";
import type { TableKey } from "./schema.ts";
import type { Row } from "./table-writer.ts";

/** Queries on other rows. */
export interface OtherRows {
  taskOf(invocationId: string): string | null;
  contextOf(runnerId: string): RunnerContextRecord | null;
  /** Whether it waits for another invocation. */
  waits(invocationId: string): boolean;
}

type Commands = (keys: AppKeys, row: Row, others: OtherRows) => Command[];

/** A table without an entry has no own keys: its data are in the keys of another. */
type Mapping = Readonly<Partial<Record<TableKey, Commands>>>;

const CLAIM_SECONDS = 60;

const WRITTEN: Mapping = {
  broker_message_queue: (keys, row) => [["RPUSH", keys.key("broker", "default_queue"), text(row.invocation_id)]],

  orchestrator_invocations: (keys, row) =>
    registeredCommands(keys, statusRecord(row), Number(row.registered_at ?? row.status_timestamp)),

  orchestrator_invocation_args(keys, row, others) {
    const id = text(row.invocation_id);
    const task = others.taskOf(id);
    if (task === null) return [];
    const { arg_key, arg_value } = row;
    return [["SADD", keys.key("orchestrator", "task", task, "arg", text(arg_key), "val", text(arg_value)), id]];
  },

  orchestrator_runner_heartbeats(keys, row) {
    const id = text(row.runner_id);
    const creation = Number(row.creation_timestamp);
    const hash = [
      ["creation_timestamp", pythonFloat(creation).text],
      ["last_heartbeat", pythonFloat(Number(row.last_heartbeat)).text],
      ["can_run_atomic_service", text(row.allow_to_run_atomic_service)],
    ];
    const key = within(keys, "orchestrator");
    return [
      ["HSET", key("runner_heartbeat", id), ...hash.flat()],
      ["ZADD", key("runner_heartbeats"), score(creation), id],
    ];
  },

  orchestrator_atomic_service_executions(keys, row) {
    const id = text(row.atomic_service_run_id);
    const { start_time, status } = row;
    const record = members(row, "runner_id", "start_time", "end_time", "atomic_service_run_id", "status", "reason");
    const key = within(keys, "orchestrator");
    const active = key("atomic_service_active_execution");
    const ended = status === "blocked" ? [] : [["DEL", active]];
    return [
      ["SET", key("atomic_service_execution", id), pythonJson(record)],
      ["ZADD", key("atomic_service_executions"), score(epochFromIso(text(start_time))), id],
      ...(status === "running" ? [["SET", active, id]] : ended),
    ];
  },

  orchestrator_blocking_edges(keys, row, others) {
    const waiter = text(row.waiter_id);
    const waited = text(row.waited_id);
    const since = score(row.since);
    const key = within(keys, "blocking_control");
    return [
      ["SET", key("invocation", waited), waited],
      ["SADD", key("waited_by", waited), waiter],
      ["ZADD", key("all_waited"), since, waited],
      ...(others.waits(waited) ? [] : [["ZADD", key("not_waiting"), since, waited]]),
      ["ZREM", key("not_waiting"), waiter],
      ["SADD", key("waiting_for", waiter), waited],
    ];
  },

  state_backend_results: (keys, row) => [
    ["SET", keys.key("state_backend", "result", text(row.invocation_id)), text(row.result_data)],
  ],

  state_backend_exceptions: (keys, row) => [
    ["SET", keys.key("state_backend", "exception", text(row.invocation_id)), text(row.exception_data)],
  ],

  state_backend_invocations: (keys, row) => definitionCommands(keys, row as unknown as InvocationRecord, true),

  state_backend_runner_contexts: (keys, row, others) => [
    [
      "SET",
      keys.key("state_backend", "runner_context", text(row.runner_id)),
      pythonJson(contextWithParents(row, others)),
    ],
  ],

  state_backend_history: (keys, row) =>
    historyCommands(keys, text(row.invocation_id), {
      timestamp: Number(row.history_timestamp),
      json: text(row.history_json),
    }),

  state_backend_workflows(keys, row) {
    const { workflow_id, workflow_type_key } = row;
    const key = within(keys, "state_backend");
    // Here "no parent" is null; in the table it is an empty string.
    const parent_workflow_id = row.parent_workflow_id || null;
    const record = members({ ...row, parent_workflow_id }, "workflow_id", "workflow_type_key", "parent_workflow_id");
    return [
      ["SET", key("workflow", "run", text(workflow_id)), pythonJson(record)],
      ["SADD", key("workflow", "types"), text(workflow_type_key)],
      ["SADD", key("workflow", "type_index", text(workflow_type_key)), text(workflow_id)],
    ];
  },

  state_backend_app_info: (_, row) => [["SET", `${REGISTRY}${text(row.app_id)}`, text(row.app_info_json)]],

  state_backend_workflow_data(keys, row) {
    const key = keys.key("state_backend", "workflow", text(row.workflow_id), "data", text(row.data_key));
    return [["SET", key, text(row.data_value)]];
  },

  state_backend_workflow_sub_invocations(keys, row) {
    const key = keys.key("state_backend", "workflow", text(row.parent_workflow_id), "sub_invocations");
    return [["SADD", key, text(row.sub_invocation_id)]];
  },

  client_data: (keys, row) => [
    ["SET", keys.key("client_data_store", "client_data_store", text(row.data_key)), text(row.data_value)],
  ],

  trg_conditions(keys, row) {
    const key = within(keys, "trigger");
    const { condition_id, condition_json, last_cron_execution: last } = row;
    return [
      ["SET", key("condition", text(condition_id)), text(condition_json)],
      ...(last ? [["SET", key("cron_last_execution", text(condition_id)), text(last)]] : []),
    ];
  },

  trg_triggers(keys, row) {
    const id = text(row.trigger_id);
    const provider = row.argument_provider_json;
    const record =
      `{"trigger_id": ${pythonString(id)}, "task_id_key": ${pythonString(text(row.task_id_key))}, "condition_ids": ${text(row.condition_ids)}, ` +
      `"logic_value": ${pythonString(text(row.logic_value))}, "argument_provider_json": ${provider === null ? "null" : pythonString(text(provider))}}`;
    return [
      ["SET", keys.key("trigger", "trigger", id), record],
      ["SADD", keys.key("trigger", "task_triggers", text(row.task_id_key)), id],
    ];
  },

  trg_condition_triggers: (keys, row) => [
    ["SADD", keys.key("trigger", "condition_triggers", text(row.condition_id)), text(row.trigger_id)],
  ],

  trg_valid_conditions: (keys, row) => [
    ["SET", keys.key("trigger", "valid_condition", text(row.valid_condition_id)), text(row.valid_condition_json)],
  ],

  trg_source_task_conditions: (keys, row) => [
    ["SADD", keys.key("trigger", "source_task_conditions", text(row.task_id_key)), text(row.condition_id)],
  ],

  trg_trigger_run_claims(keys, row) {
    // pynenc writes a double colon.
    const key = keys.key("trigger", "", "trigger", "run_claim", text(row.trigger_run_id));
    const claimed = Number(row.claimed_at);
    return [
      ["SET", key, isoFromEpoch(claimed)],
      ["PEXPIREAT", key, String(Math.round((claimed + CLAIM_SECONDS) * 1000))],
    ];
  },

  trg_events(keys, row) {
    const id = text(row.event_id);
    const at = milliseconds(row.event_timestamp);
    const key = within(keys, "trigger");
    return [
      ["SET", key("evts_hash", id), text(row.event_json)],
      ["ZADD", key("evts_by_time"), at, id],
      ["ZADD", key("evts_by_code", text(row.event_code)), at, id],
      ["SADD", key("evts_codes"), text(row.event_code)],
      ...(row.matched_condition_count === 0 ? [] : [["ZADD", key("evts_matched"), at, id]]),
    ];
  },

  trg_event_triggered_invocations(keys, row) {
    const id = text(row.event_id);
    const key = within(keys, "trigger");
    return [
      ["RPUSH", key("evts_triggered_invocations", id), text(row.invocation_id)],
      ["ZADD", key("evts_triggered"), milliseconds(row.event_timestamp), id],
    ];
  },

  trg_trigger_runs(keys, row) {
    const id = text(row.trigger_run_id);
    const key = within(keys, "trigger");
    return [
      ["SET", key("trun_hash", id), text(row.trigger_run_json)],
      ["ZADD", key("truns_by_time"), milliseconds(row.executed_at), id],
      ["SADD", key("truns_for_invocation", text(row.triggered_invocation_id)), id],
    ];
  },

  trg_trigger_run_conditions(keys, row) {
    const sets: [string, Row[string] | undefined][] = [
      ["truns_for_event", row.event_id],
      ["truns_sourced_by_invocation", row.source_invocation_id],
      ["truns_for_valid_condition", row.valid_condition_id],
    ];
    return sets.flatMap(([family, of]): Command[] =>
      of ? [["SADD", keys.key("trigger", family, text(of)), text(row.trigger_run_id)]] : [],
    );
  },
};

/** Commands that write a new row. */
export function writtenRow(keys: AppKeys, table: TableKey, row: Row, others: OtherRows): Command[] {
  return WRITTEN[table]?.(keys, row, others) ?? [];
}

/** Commands that remove a row: the opposites of those that write it. What rows share, such as the set of all event codes, stays. */
export function removedRow(keys: AppKeys, table: TableKey, row: Row, others: OtherRows): Command[] {
  const shared = [keys.key("trigger", "evts_codes"), keys.key("state_backend", "workflow", "types")];
  return writtenRow(keys, table, row, others).flatMap(([verb = "", key = "", ...values]): Command[] => {
    if (shared.includes(key)) return [];
    switch (verb) {
      case "SET":
        return [["DEL", key]];
      case "SADD":
        return [["SREM", key, ...values]];
      case "ZADD":
        return [["ZREM", key, ...values.slice(1)]];
      case "RPUSH":
        return [["LREM", key, "1", ...values]];
      default:
        return [];
    }
  });
}

/** The status record of a row of the orchestrator. */
export function statusRecord(row: Row): InvocationStatusRecord {
  return row as unknown as InvocationStatusRecord;
}

/** Commands for when an awaited invocation becomes final: they remove all records of its waiters. */
export function releaseCommands(keys: AppKeys, waited: string, waiters: readonly string[], at: number): Command[] {
  const key = within(keys, "blocking_control");
  return [
    // For every waiter, even if it also waits for others: the plugin does not check that (storage-format.md 9.2).
    ...waiters.map((waiter): Command => ["ZADD", key("not_waiting"), score(at), waiter]),
    ["DEL", key("invocation", waited), key("waiting_for", waited), key("waited_by", waited)],
    ["ZREM", key("all_waited"), waited],
    ["ZREM", key("not_waiting"), waited],
  ];
}

function within(keys: AppKeys, section: Section): (...parts: string[]) => string {
  return (...parts) => keys.key(section, ...parts);
}

/** The context of a runner with those of its parents inside. */
export function contextWithParents(
  row: RunnerContextRecord | Row,
  others: Pick<OtherRows, "contextOf">,
): ReturnType<typeof contextJson> {
  const context = row as RunnerContextRecord;
  const parent = context.parent_ctx_id === null ? null : others.contextOf(context.parent_ctx_id);
  return contextJson(context, parent === null ? null : contextWithParents(parent, others));
}

function text(value: Row[string] | undefined): string {
  return String(value ?? "");
}

/** Some columns as members of a JSON object, in this order. */
function members(row: Row, ...names: string[]): Record<string, string | number | null> {
  return Object.fromEntries(names.map((name) => [name, (row[name] ?? null) as string | number | null]));
}

function score(seconds: Row[string] | undefined): string {
  return String(Number(seconds));
}

/** Scores of events and trigger runs are milliseconds. */
function milliseconds(seconds: Row[string] | undefined): string {
  return String(Number(seconds) * 1000);
}
