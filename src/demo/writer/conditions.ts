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

interface ConditionBase {
  readonly condition_id: string;
  readonly condition_json: string;
}

export interface CronCondition extends ConditionBase {
  readonly kind: "cron";
  /** The demo uses only expressions that fire at multiples of a period, so it needs no cron library. */
  readonly periodSeconds: number;
}

export interface EventCondition extends ConditionBase {
  readonly kind: "event";
  readonly event_code: string;
  readonly filter: Filter;
}

export interface StatusCondition extends ConditionBase {
  readonly kind: "status";
  readonly source_task: string;
  readonly statuses: readonly string[];
}

export interface ResultCondition extends ConditionBase {
  readonly kind: "result";
  readonly source_task: string;
  readonly filter: Filter;
}

export interface ExceptionCondition extends ConditionBase {
  readonly kind: "exception";
  readonly source_task: string;
  /** Empty means any. */
  readonly exception_types: readonly string[];
}

export type Condition = CronCondition | EventCondition | StatusCondition | ResultCondition | ExceptionCondition;

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

export function onCron(expression: string, periodSeconds: number): CronCondition {
  return {
    kind: "cron",
    condition_id: cronConditionId(expression),
    condition_json: conditionJson("CronCondition", {
      cron_expression: expression,
      check_window_seconds: 60,
      min_interval_seconds: 50,
      precision_tolerance_seconds: 30,
      strict_timing: false,
    }),
    periodSeconds,
  };
}

export function onEvent(code: string, filter: Filter = ANY_ARGUMENTS): EventCondition {
  return {
    kind: "event",
    condition_id: eventConditionId(code, filter.id),
    condition_json: conditionJson("EventCondition", { event_code: code, payload_filter: filter.json }),
    event_code: code,
    filter,
  };
}

export function onStatus(task: string, statuses: readonly string[]): StatusCondition {
  return {
    kind: "status",
    condition_id: statusConditionId(task, statuses, ANY_ARGUMENTS.id),
    condition_json: conditionJson("StatusCondition", sourceData(task, statuses)),
    source_task: task,
    statuses,
  };
}

export function onResult(task: string, filter: Filter = ANY_RESULT): ResultCondition {
  return {
    kind: "result",
    condition_id: resultConditionId(task, ANY_ARGUMENTS.id, filter.id),
    condition_json: conditionJson("ResultCondition", { ...sourceData(task, ["success"]), result_filter: filter.json }),
    source_task: task,
    filter,
  };
}

export function onException(task: string, types: readonly string[]): ExceptionCondition {
  return {
    kind: "exception",
    condition_id: exceptionConditionId(task, ANY_ARGUMENTS.id, types),
    condition_json: conditionJson("ExceptionCondition", { ...sourceData(task, ["failed"]), exception_types: types }),
    source_task: task,
    exception_types: types,
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
  return context("CronContext", cronContextId(iso), `timestamp:${iso}`, at, {
    data: lastExecution === null ? {} : { last_execution: isoFromEpoch(lastExecution) },
  });
}

export function eventContext(eventId: string, code: string, payload: StoredValues, at: EpochSeconds): Context {
  return context("EventContext", eventContextId(code, eventId), `code:${code}`, at, {
    data: { event_id: eventId, event_code: code, payload },
    event_id: eventId,
    payload,
  });
}

export function statusContext(source: InvocationRecord, status: string, at: EpochSeconds): Context {
  return sourceContext("StatusContext", statusContextId(source.invocation_id, status), source, status, at);
}

export function resultContext(source: InvocationRecord, result: string, at: EpochSeconds): Context {
  return sourceContext("ResultContext", resultContextId(source.invocation_id), source, "success", at, { result });
}

/** All failures of a type share one context id, so these valid conditions and their runs overwrite each other (storage-format.md 1.6). */
export function exceptionContext(source: InvocationRecord, type: string, message: string, at: EpochSeconds): Context {
  return sourceContext("ExceptionContext", exceptionContextId(type), source, "failed", at, {
    exception_type: type,
    exception_message: message,
  });
}

function sourceContext(
  type: string,
  id: string,
  source: InvocationRecord,
  status: string,
  at: EpochSeconds,
  extra: Readonly<{ result?: string; exception_type?: string; exception_message?: string }> = {},
): Context {
  const exception = extra.exception_type === undefined ? "" : ` exception:${extra.exception_type}`;
  return context(type, id, `status:${status.toUpperCase()}${exception} task:${source.task_id_key}`, at, {
    data: {
      call_id_key: source.call_id_key,
      invocation_id: source.invocation_id,
      status_value: status,
      arguments_json: JSON.parse(source.serialized_arguments) as StoredValues,
      disable_cache_args: [],
      ...extra,
    },
    source_invocation_id: source.invocation_id,
  });
}

function context(
  type: string,
  id: string,
  summary: string,
  at: EpochSeconds,
  {
    data,
    event_id,
    source_invocation_id,
    payload = {},
  }: { data: Values; event_id?: string; source_invocation_id?: string; payload?: StoredValues },
): Context {
  return {
    context_type: type,
    context_id: id,
    context_json: pythonJson({ context_type: type, data, timestamp: isoFromEpoch(at) }),
    context_summary: summary,
    timestamp: at,
    event_id: event_id ?? null,
    source_invocation_id: source_invocation_id ?? null,
    payload,
  };
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
