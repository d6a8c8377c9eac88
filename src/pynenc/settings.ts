/** The settings of pynenc that a monitor shows or uses, with their defaults (storage-format.md 12.2). */
import { parseCron } from "./cron.ts";
import { MAX_PRIORITY, QUEUE_NAME } from "./queue-limits.ts";
import type { PriorityRule, SettingContent, SettingKind } from "./setting-values.ts";

/** Classes that define settings. Classes for a kind of store inherit them: ConfigBrokerSQLite from ConfigBroker and ConfigSQLite. */
export type ConfigClass =
  | "ConfigPynenc"
  | "ConfigSQLite"
  | "ConfigRedis"
  | "ConfigMongo"
  | "ConfigRabbitMq"
  | "ConfigOrchestrator"
  | "ConfigBroker"
  | "ConfigTrigger"
  | "ConfigClientDataStore"
  | "ConfigTask"
  | "ConfigRunner"
  | "ConfigThreadRunner"
  | "ConfigMultiThreadRunner"
  | "ConfigPersistentProcessRunner";

export interface SettingDefinition {
  readonly field: string;
  readonly config_class: ConfigClass;
  /** Name of the section in a configuration file: the class without `Config`, lower case. */
  readonly section: string;
  readonly kind: SettingKind;
  readonly default: SettingContent;
  /** `seconds`, `minutes`, `characters` ...; null for a bare value. */
  readonly unit: string | null;
  /** One line for people. */
  readonly meaning: string;
  /** First version that has it, if not the oldest supported one; `until 0.2.4` for a removed setting. */
  readonly since: string | null;
  /** If work could never progress with this value: what would be accepted, as a sentence fragment. Otherwise null. */
  readonly check?: (value: SettingContent) => string | null;
}

type Check = (value: SettingContent) => string | null;

type Row = readonly [
  field: string,
  kind: SettingKind,
  fallback: SettingContent,
  unit: string | null,
  meaning: string,
  extra?: { readonly since?: string; readonly check?: Check },
];

const above0: Check = (value) => (Number(value) > 0 ? null : "must be greater than 0");

const atLeast0: Check = (value) => (Number(value) >= 0 ? null : "must be 0 or greater");

const atLeast1: Check = (value) => (Number(value) >= 1 ? null : "must be 1 or greater");

const fraction: Check = (value) =>
  Number(value) > 0 && Number(value) <= 1 ? null : "must be greater than 0 and at most 1";

const cron: Check = (value) =>
  parseCron(String(value)) === null ? "must be a cron expression of five fields, such as */5 * * * *" : null;

const queueNames: Check = (value) => {
  const names = value as readonly string[];
  if (new Set(names).size < names.length) return "must not name a queue twice";
  return names.every((name) => QUEUE_NAME.test(name))
    ? null
    : "must be names of letters, digits, dots, dashes and underscores, separated by commas";
};

const queueName: Check = (value) =>
  QUEUE_NAME.test(String(value)) ? null : "must be a name of letters, digits, dots, dashes and underscores";

const priority: Check = (value) =>
  Math.abs(Number(value)) <= MAX_PRIORITY ? null : `must be from -${MAX_PRIORITY} to ${MAX_PRIORITY}`;

const priorityRules: Check = (value) =>
  (value as readonly PriorityRule[]).every((rule) => priority(rule.priority) === null)
    ? null
    : `must have priorities from -${MAX_PRIORITY} to ${MAX_PRIORITY}`;

const SINCE_024 = "0.2.4";

const SINCE_03 = "0.3.0";
const SINCE_04 = "0.4.0";

export const INTERVAL = "atomic_service_interval_minutes";
export const SPREAD = "atomic_service_spread_margin_minutes";

export const SETTINGS: readonly SettingDefinition[] = [
  ...define("ConfigPynenc", [
    ["app_id", "string", "pynenc", null, "name of the app; decides where a store keeps its data"],
    ["orchestrator_cls", "string", "MemOrchestrator", null, "class that keeps statuses and heartbeats"],
    ["broker_cls", "string", "MemBroker", null, "class that keeps the queue"],
    ["state_backend_cls", "string", "MemStateBackend", null, "class that keeps invocations, history and results"],
    ["trigger_cls", "string", "MemTrigger", null, "class that keeps events, conditions and triggers"],
    ["client_data_store_cls", "string", "MemClientDataStore", null, "class that keeps large values"],
    ["serializer_cls", "string", "JsonPickleSerializer", null, "class that writes arguments, results and exceptions"],
    ["runner_cls", "string", "DummyRunner", null, "class that executes invocations"],
    ["trigger_task_modules", "list", [], null, "modules that a runner imports to register their triggers"],
    [
      "dev_mode_force_sync_tasks",
      "boolean",
      false,
      null,
      "run tasks immediately in the calling process, without a runner",
    ],
    ["logging_level", "string", "info", null, "least severe level that is logged"],
    ["log_stream", "string", "stderr", null, "where log lines go"],
    ["log_format", "string", "text", null, "form of log lines: text or json"],
    ["log_use_colors", "boolean", true, null, "colour the log lines"],
    ["compact_log_context", "boolean", true, null, "shorten ids in the brackets of log lines"],
    ["print_arguments", "boolean", true, null, "show arguments in log lines"],
    ["truncate_arguments_length", "integer", 32, "characters", "length to which logged arguments are cut"],
    ["argument_print_mode", "string", "truncated", null, "how logged arguments are shown"],
    ["cached_status_time", "number", 0.1, "seconds", "how long a process caches a status"],
    [INTERVAL, "number", 5, "minutes", "length of a cycle in which each runner gets a turn", { check: above0 }],
    [SPREAD, "number", 1, "minutes", "pause kept free at the end of each runner's turn", { check: atLeast0 }],
    [
      "atomic_service_check_interval_minutes",
      "number",
      0.5,
      "minutes",
      "how often a runner checks whether it is its turn",
      { check: above0 },
    ],
    [
      "atomic_service_execution_retention_minutes",
      "number",
      60,
      "minutes",
      "how long executions are kept; 0 keeps them regardless of age",
      { since: SINCE_024, check: atLeast0 },
    ],
    [
      "atomic_service_execution_max_records",
      "integer",
      1000,
      "records",
      "how many executions are kept",
      { since: SINCE_024, check: atLeast0 },
    ],
    [
      "atomic_service_max_start_slot_fraction",
      "number",
      0.5,
      "of the turn",
      "part of a runner's turn in which it may still start",
      { since: SINCE_024, check: fraction },
    ],
    [
      "atomic_service_membership_stabilization_minutes",
      "number",
      0,
      "minutes",
      "age a runner must reach before it takes its turn",
      { since: SINCE_024, check: atLeast0 },
    ],
    [
      "atomic_service_min_run_margin_seconds",
      "number",
      0.05,
      "seconds",
      "time that must be left in a turn to start in it",
      { since: SINCE_024, check: atLeast0 },
    ],
    [
      "recover_pending_invocations_cron",
      "string",
      "*/5 * * * *",
      null,
      "when stuck pending invocations are recovered",
      { check: cron },
    ],
    [
      "max_pending_seconds",
      "number",
      5,
      "seconds",
      "time after which a pending invocation counts as stuck",
      { check: atLeast0 },
    ],
    [
      "recover_running_invocations_cron",
      "string",
      "*/15 * * * *",
      null,
      "when invocations of silent runners are recovered",
      { check: cron },
    ],
    [
      "runner_considered_dead_after_minutes",
      "number",
      10,
      "minutes",
      "time without a heartbeat after which a runner counts as silent",
      { check: above0 },
    ],
  ]),
  ...define("ConfigSQLite", [
    ["sqlite_db_path", "string", "", null, "database file, relative to the working directory of each process"],
  ]),
  ...define("ConfigRedis", [
    ["redis_url", "string", "", null, "address of the server; overrides host, port, database and user"],
    ["redis_host", "string", "localhost", null, "host of the server"],
    ["redis_port", "integer", 6379, null, "port of the server"],
    ["redis_db", "integer", 0, null, "number of the database in the server"],
    ["redis_username", "string", "", null, "user name for the server"],
    ["redis_password", "string", "", null, "password for the server"],
    ["socket_timeout", "number", 5, "seconds", "how long a process waits for an answer"],
    ["socket_connect_timeout", "number", 5, "seconds", "how long a process waits for a connection"],
  ]),
  ...define("ConfigMongo", [
    ["mongo_url", "string", "", null, "address of the server; overrides host, port and user, not the database"],
    ["mongo_host", "string", "localhost", null, "host of the server"],
    ["mongo_port", "integer", 27017, null, "port of the server"],
    ["mongo_db", "string", "pynenc", null, "database of the apps in the server"],
    ["mongo_username", "string", "", null, "user name for the server"],
    ["mongo_password", "string", "", null, "password for the server"],
    ["mongo_auth_source", "string", "", null, "database that knows the user"],
    ["socket_timeout", "number", 10, "seconds", "how long a process waits for an answer"],
    ["socket_connect_timeout", "number", 10, "seconds", "how long a process waits for a connection"],
  ]),
  ...define("ConfigRabbitMq", [
    ["rabbitmq_host", "string", "localhost", null, "RabbitMQ server that keeps the queue"],
    ["rabbitmq_port", "integer", 5672, null, "port of the RabbitMQ server"],
    ["rabbitmq_username", "string", "guest", null, "user of the RabbitMQ server"],
    ["rabbitmq_password", "string", "guest", null, "password of that user"],
    ["rabbitmq_virtual_host", "string", "/", null, "virtual host that the queue is in"],
    [
      "rabbitmq_queue_prefix",
      "string",
      "pynenc",
      null,
      "start of the queue's name; apps with the same prefix share a queue",
    ],
  ]),
  ...define("ConfigOrchestrator", [
    ["blocking_control", "boolean", true, null, "record which invocation waits for which"],
    [
      "auto_final_invocation_purge_hours",
      "number",
      24,
      "hours",
      "how long the orchestrator keeps a final invocation",
      { check: atLeast0 },
    ],
  ]),
  ...define("ConfigBroker", [
    ["queue_timeout_sec", "number", 0.1, "seconds", "how long a runner waits for a message"],
    ["queues", "queues", ["default"], null, "queues that are declared", { since: SINCE_04, check: queueNames }],
    [
      "priority_rules",
      "rules",
      [],
      null,
      "priorities by task; the highest matching rule applies",
      { since: SINCE_04, check: priorityRules },
    ],
    ["warn_on_queue_mismatch", "boolean", true, null, "warn of a call to an undeclared queue", { since: SINCE_04 }],
    ["raise_on_queue_mismatch", "boolean", false, null, "refuse a call to an undeclared queue", { since: SINCE_04 }],
  ]),
  ...define("ConfigTrigger", [
    ["scheduler_interval_seconds", "integer", 60, "seconds", "time between checks of the schedules", { check: above0 }],
    ["enable_scheduler", "boolean", true, null, "check cron conditions"],
    ["max_events_batch_size", "integer", 100, "events", "most events that one pass handles", { check: atLeast1 }],
    ["event_retention_days", "integer", 7, "days", "how long events and trigger runs are kept", { check: atLeast1 }],
    ["event_auto_purge_enabled", "boolean", true, null, "delete old events and trigger runs", { since: SINCE_024 }],
    [
      "event_max_records",
      "integer",
      0,
      "records",
      "how many events are kept; 0 is no limit",
      { since: SINCE_024, check: atLeast0 },
    ],
    [
      "trigger_run_max_records",
      "integer",
      0,
      "records",
      "how many trigger runs are kept; 0 is no limit",
      { since: SINCE_024, check: atLeast0 },
    ],
  ]),
  ...define("ConfigClientDataStore", [
    ["disable_client_data_store", "boolean", false, null, "store every value inline"],
    ["min_size_to_cache", "integer", 1024, "characters", "length from which a value is stored as client data"],
    [
      "max_size_to_cache",
      "integer",
      0,
      "characters",
      "length up to which a value is stored as client data; 0 is no limit",
    ],
    ["local_cache_size", "integer", 1024, "values", "how many values a process caches"],
    ["warn_threshold", "integer", 10_485_760, "characters", "length above which a warning is logged"],
    ["compression_enabled", "boolean", false, null, "has no effect in known versions"],
  ]),
  ...define("ConfigTask", [
    ["parallel_batch_size", "integer", 100, "calls", "how many calls are routed at a time by a parallel call"],
    ["retry_for", "list", ["RetryError"], null, "exceptions after which a task is retried"],
    ["max_retries", "integer", 0, "retries", "how often a task is retried"],
    [
      "running_concurrency",
      "string",
      "disabled",
      null,
      "what may not run concurrently: disabled, task, arguments or keys",
    ],
    [
      "registration_concurrency",
      "string",
      "disabled",
      null,
      "what may not be registered twice: disabled, task, arguments or keys",
    ],
    ["key_arguments", "list", [], null, "arguments that concurrency control by keys compares"],
    [
      "on_diff_non_key_args_raise",
      "boolean",
      false,
      null,
      "refuse a registration that differs only in other arguments",
    ],
    ["call_result_cache", "boolean", false, null, "reuse the result of an earlier equal call"],
    ["disable_cache_args", "list", [], null, "arguments that are never stored as client data; * is all"],
    ["force_new_workflow", "boolean", false, null, "start a workflow of its own", { since: "until 0.2.4" }],
    ["is_workflow_task", "boolean", false, null, "start a workflow of its own", { since: SINCE_03 }],
    ["queue", "string", "default", null, "queue that its messages go to", { since: SINCE_04, check: queueName }],
    [
      "priority",
      "number",
      0,
      null,
      "priority of its messages; higher is taken first",
      { since: SINCE_04, check: priority },
    ],
    ["reroute_on_concurrency_control", "boolean", false, null, "put a stopped invocation back into the queue"],
  ]),
  ...define("ConfigRunner", [
    ["invocation_wait_results_sleep_time_sec", "number", 0.1, "seconds", "time between checks for an awaited result"],
    ["runner_loop_sleep_time_sec", "number", 0.1, "seconds", "time between passes of the runner's loop"],
    ["min_parallel_slots", "integer", 1, "invocations", "least number of invocations that run in parallel"],
    [
      "queues",
      "names",
      [],
      null,
      "queues that the runner takes from; empty is every declared one",
      { since: SINCE_04, check: queueNames },
    ],
    [
      "queue_selection_strategy",
      "string",
      "round_robin",
      null,
      "which of its queues is next: round_robin, random or ordered",
      { since: SINCE_04 },
    ],
  ]),
  ...define("ConfigThreadRunner", [
    ["min_threads", "integer", 1, "threads", "least number of threads of a runner"],
    ["max_threads", "integer", 0, "threads", "most threads of a runner; 0 lets the runner choose"],
  ]),
  ...define("ConfigMultiThreadRunner", [
    ["min_threads", "integer", 1, "threads", "least number of threads of a process"],
    ["max_threads", "integer", 1, "threads", "most threads of a process"],
    ["min_processes", "integer", 1, "processes", "least number of processes"],
    ["max_processes", "integer", 0, "processes", "most processes; 0 lets the runner choose"],
    ["idle_timeout_process_sec", "integer", 4, "seconds", "idle time after which a process is ended"],
    ["enforce_max_processes", "boolean", true, null, "keep as many processes as allowed"],
  ]),
  ...define("ConfigPersistentProcessRunner", [
    ["num_processes", "integer", 0, "processes", "worker processes; 0 lets the runner choose"],
  ]),
];

function define(configClass: ConfigClass, rows: readonly Row[]): SettingDefinition[] {
  const section = configClass.replace(/^Config/, "").toLowerCase();
  return rows.map(([field, kind, fallback, unit, meaning, { since = null, check } = {}]) => ({
    field,
    config_class: configClass,
    section,
    kind,
    default: fallback,
    unit,
    meaning,
    since,
    ...(check && { check }),
  }));
}
