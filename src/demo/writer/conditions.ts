/** Trigger conditions, the contexts that satisfy them, and their stored JSON (storage-format.md 1.4, 1.5, 5.1, 5.2). */
import {
  callableFilterId,
  cronConditionId,
  cronContextId,
  eventConditionId,
  eventContextId,
  exceptionConditionId,
  exceptionContextId,
  NO_RESULT_FILTER,
  resultConditionId,
  resultContextId,
  staticFilterId,
  statusConditionId,
  statusContextId,
  validConditionId,
} from "../../pynenc/identifiers.ts";
import { type PythonValue, pythonJson } from "../../pynenc/python-dump.ts";
import type { InvocationRecord } from "../../pynenc/records.ts";
import { type EpochSeconds, isoFromEpoch } from "../../pynenc/time.ts";

/** Argument name, payload key or `result` to stored string. */
export type StoredValues = Readonly<Record<string, string>>;
export type Values = Readonly<Record<string, PythonValue>>;

/** A filter over stored values: its id and JSON as stored by pynenc, and its test. */
export interface Filter {
  readonly id: string;
  readonly json: string;
  readonly accepts: (values: StoredValues) => boolean;
}

/** What a condition watches, and whether a happening there satisfies it. */
export interface Condition {
  readonly kind: "cron" | "event" | "status" | "result" | "exception";
  readonly condition_id: string;
  readonly condition_json: string;
  /** Code of the event, key of the task, or cron expression. */
  readonly source: string;
  /** Of a cron: the demo uses only expressions that fire at multiples of a period, so it needs no cron library. */
  readonly periodSeconds?: number;
  /** @param values payload of the event, or `status`, `result` or `exception` of the task */
  readonly accepts: (values: StoredValues) => boolean;
}

/** A context that satisfied a condition. Exactly one of `event_id` and `source_invocation_id` is set, none for cron. */
export interface Context {
  readonly context_type: string;
  readonly context_id: string;
  readonly context_json: string;
  readonly context_summary: string;
  readonly timestamp: EpochSeconds;
  readonly event_id: string | null;
  readonly source_invocation_id: string | null;
  /** Event payload, or nothing. */
  readonly payload: StoredValues;
}

/** A condition that was met and waits for the next trigger loop. */
export interface ValidCondition {
  readonly valid_condition_id: string;
  readonly valid_condition_json: string;
  readonly condition: Condition;
  readonly context: Context;
}

/** Accepts values equal to all of these; without values, everything. */
export function staticFilter(values: Readonly<Record<string, PythonValue>> = {}): Filter {
  const stored = storedValues(values);
  return {
    id: staticFilterId(values),
    json: pythonJson({ filter_type: "StaticArgumentFilter", data: { arguments: stored } }),
    accepts: (candidate) => Object.entries(stored).every(([key, text]) => candidate[key] === text),
  };
}

export function callableFilter(
  module: string,
  func: string,
  accepts: (values: StoredValues) => boolean,
  kind: "Argument" | "Result" = "Argument",
): Filter {
  const callable = pythonJson({ module, function: func });
  return {
    id: callableFilterId(module, func),
    json: pythonJson({ filter_type: `Callable${kind}Filter`, data: { callable_filter: callable } }),
    accepts,
  };
}

const ANY_RESULT: Filter = {
  id: NO_RESULT_FILTER,
  json: pythonJson({ filter_type: "NoResultFilter", data: {} }),
  accepts: () => true,
};

const ANY_ARGUMENTS = staticFilter();

export function onCron(expression: string, periodSeconds: number): Condition {
  const data = {
    cron_expression: expression,
    check_window_seconds: 60,
    min_interval_seconds: 50,
    precision_tolerance_seconds: 30,
    strict_timing: false,
  };
  const condition_json = conditionJson("CronCondition", data);
  const condition_id = cronConditionId(expression);
  return { kind: "cron", condition_id, condition_json, source: expression, periodSeconds, accepts: () => true };
}

export function onEvent(code: string, { id, json, accepts }: Filter = ANY_ARGUMENTS): Condition {
  const condition_json = conditionJson("EventCondition", { event_code: code, payload_filter: json });
  return { kind: "event", condition_id: eventConditionId(code, id), condition_json, source: code, accepts };
}

export function onStatus(task: string, statuses: readonly string[]): Condition {
  return {
    kind: "status",
    condition_id: statusConditionId(task, statuses, ANY_ARGUMENTS.id),
    condition_json: conditionJson("StatusCondition", sourceData(task, statuses)),
    source: task,
    accepts: ({ status = "" }) => statuses.includes(status),
  };
}

export function onResult(task: string, { id, json, accepts }: Filter = ANY_RESULT): Condition {
  return {
    kind: "result",
    condition_id: resultConditionId(task, ANY_ARGUMENTS.id, id),
    condition_json: conditionJson("ResultCondition", { ...sourceData(task, ["success"]), result_filter: json }),
    source: task,
    accepts,
  };
}

/** @param types empty means any */
export function onException(task: string, types: readonly string[]): Condition {
  return {
    kind: "exception",
    condition_id: exceptionConditionId(task, ANY_ARGUMENTS.id, types),
    condition_json: conditionJson("ExceptionCondition", { ...sourceData(task, ["failed"]), exception_types: types }),
    source: task,
    accepts: ({ exception = "" }) => types.length === 0 || types.includes(exception),
  };
}

function sourceData(task: string, statuses: readonly string[]): Values {
  return { task_id: task, statuses, arguments_filter: ANY_ARGUMENTS.json };
}

function conditionJson(type: string, data: Values): string {
  return pythonJson({ condition_type: type, data });
}

export function cronContext(at: EpochSeconds, lastExecution: EpochSeconds | null): Context {
  const iso = isoFromEpoch(at);
  const data: Values = lastExecution === null ? {} : { last_execution: isoFromEpoch(lastExecution) };
  return context("CronContext", cronContextId(iso), `timestamp:${iso}`, at, data);
}

export function eventContext(event_id: string, code: string, payload: StoredValues, at: EpochSeconds): Context {
  const data = { event_id, event_code: code, payload };
  const about = { event_id, payload };
  return context("EventContext", eventContextId(code, event_id), `code:${code}`, at, data, about);
}

export function statusContext(source: InvocationRecord, status: string, at: EpochSeconds): Context {
  return sourceContext("StatusContext", statusContextId(source.invocation_id, status), source, status, at);
}

export function resultContext(source: InvocationRecord, result: string, at: EpochSeconds): Context {
  return sourceContext("ResultContext", resultContextId(source.invocation_id), source, "success", at, { result });
}

/** All failures of a type share one context id, so these valid conditions and their runs overwrite each other (storage-format.md 1.6). */
export function exceptionContext(source: InvocationRecord, type: string, message: string, at: EpochSeconds): Context {
  const extra = { exception_type: type, exception_message: message };
  return sourceContext("ExceptionContext", exceptionContextId(type), source, "failed", at, extra);
}

function sourceContext(
  type: string,
  id: string,
  source: InvocationRecord,
  status: string,
  at: EpochSeconds,
  extra: Readonly<{ result?: string; exception_type?: string; exception_message?: string }> = {},
): Context {
  const { call_id_key, invocation_id, serialized_arguments, task_id_key } = source;
  const exception = extra.exception_type === undefined ? "" : ` exception:${extra.exception_type}`;
  const data = {
    call_id_key,
    invocation_id,
    status_value: status,
    arguments_json: JSON.parse(serialized_arguments) as StoredValues,
    disable_cache_args: [],
    ...extra,
  };
  const summary = `status:${status.toUpperCase()}${exception} task:${task_id_key}`;
  return context(type, id, summary, at, data, { source_invocation_id: invocation_id });
}

function context(
  context_type: string,
  context_id: string,
  context_summary: string,
  timestamp: EpochSeconds,
  data: Values,
  about: Partial<Pick<Context, "event_id" | "source_invocation_id" | "payload">> = {},
): Context {
  const context_json = pythonJson({ context_type, data, timestamp: isoFromEpoch(timestamp) });
  const nothing = { event_id: null, source_invocation_id: null, payload: {} };
  return { context_type, context_id, context_json, context_summary, timestamp, ...nothing, ...about };
}

export function validCondition(condition: Condition, met: Context): ValidCondition {
  return {
    valid_condition_id: validConditionId(condition.condition_id, met.context_id),
    valid_condition_json: pythonJson({ condition: condition.condition_json, context: met.context_json }),
    condition,
    context: met,
  };
}

/** Serialized texts of values, never externalised, for filters and static providers. */
export function storedValues(values: Values): StoredValues {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, pythonJson(value)]));
}
