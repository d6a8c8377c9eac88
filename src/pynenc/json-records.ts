/**
 * Parses the JSON columns of the stores (storage-format.md 3.4, 5.1 to 5.5). Layouts differ by version, so members may be missing, extra ones are
 * ignored, and a member of an unexpected type counts as missing. Any other text gives null, never an error.
 */
import * as z from "zod";
import { objectOrNull, parsedJson } from "./plain-json.ts";
import type { AppInfoRecord, TriggerRecord } from "./records.ts";
import { type EpochSeconds, epochFromIso } from "./time.ts";
import { argumentsMap } from "./values.ts";

/** Name to stored string. */
export type StoredMap = Readonly<Record<string, string>>;

/** Any value or none: a missing member reaches its transformation as undefined. */
const maybe = z.unknown().optional();
const text = z.string().nullable().catch(null);
const number = z.number().nullable().catch(null);
const flag = z.boolean().nullable().catch(null);
const texts = z.array(z.string()).catch([]);
/** Text without an offset is UTC (storage-format.md 5.5), except in contexts of 0.2.3. */
const instant = z
  .string()
  .transform((iso): EpochSeconds | null => epochFromIso(iso))
  .nullable()
  .catch(null);
/** A map is stored as an object or as JSON text of one. */
const storedMap = maybe.transform(storedMapOf);

const parseCallable = parserOf(() => z.object({ module: z.string(), function: z.string() }));

const parseFilter = parserOf(() =>
  z.object({
    /** StaticArgumentFilter, CallableArgumentFilter, NoResultFilter, StaticResultFilter, CallableResultFilter. */
    filter_type: z.string(),
    data: z
      .object({
        /** Stored strings that must be equal; a static result filter uses the name `result`. */
        arguments: storedMap,
        callable_filter: maybe.transform((value) => parseCallable(value)),
      })
      .transform(({ arguments: fixed, callable_filter }) => ({ arguments: fixed, callable: callable_filter })),
  }),
);
/** What a condition requires of arguments, payload or result. */
export type ConditionFilter = NonNullable<ReturnType<typeof parseFilter>>;

/** Filters are stored as text inside the condition's JSON. */
const filter = maybe.transform(parseFilter);

const taskCondition = { task_id: text, statuses: texts, arguments_filter: filter };

const ConditionSchema = lazily(() =>
  z.discriminatedUnion("condition_type", [
    z.object({
      condition_type: z.literal("CronCondition"),
      data: z.object({
        cron_expression: text,
        check_window_seconds: number,
        min_interval_seconds: number,
        precision_tolerance_seconds: number,
        strict_timing: flag,
      }),
    }),
    z.object({
      condition_type: z.literal("EventCondition"),
      data: z.object({ event_code: text, payload_filter: filter }),
    }),
    z.object({ condition_type: z.literal("StatusCondition"), data: z.object(taskCondition) }),
    z.object({
      condition_type: z.literal("ResultCondition"),
      data: z.object({ ...taskCondition, result_filter: filter }),
    }),
    z.object({
      condition_type: z.literal("ExceptionCondition"),
      data: z.object({
        ...taskCondition,
        /** An empty list means any. */
        exception_types: texts,
      }),
    }),
    z.object({
      condition_type: z.literal("CompositeCondition"),
      data: z.object({
        /** `AND` or `OR`. */
        logic: text,
        /** Parse each with `compositeMember`. */
        conditions: z.array(z.unknown()).catch([]),
      }),
    }),
  ]),
);
export type KnownCondition = z.infer<ReturnType<typeof ConditionSchema>>;

/** A condition of an unknown class; `original_type` is its name. */
export interface UnknownCondition {
  condition_type: "unknown";
  original_type: string;
}
export type ConditionJson = KnownCondition | UnknownCondition;

const AnyConditionSchema = lazily(() => z.object({ condition_type: z.string() }));

/** A member of a composite condition keeps its data under another name (storage-format.md 5.1). */
const CompositeMemberSchema = lazily(() => z.object({ condition_type: z.string(), condition_data: z.unknown() }));

export const parseContext = parserOf(() =>
  z
    .object({
      /** CronContext, EventContext, StatusContext, ResultContext, ExceptionContext. */
      context_type: z.string(),
      timestamp: text,
      data: z
        .object({
          last_execution: instant,
          event_id: text,
          event_code: text,
          payload: storedMap,
          call_id_key: text,
          invocation_id: text,
          status_value: text,
          arguments_json: storedMap,
          disable_cache_args: texts,
          /** Stored string. */
          result: text,
          exception_type: text,
          exception_message: text,
        })
        .partial()
        .catch({}),
    })
    .transform(({ timestamp, ...context }) => ({
      ...context,
      /** Epoch seconds, treating the text as UTC; see `timestamp_is_local`. */
      timestamp: timestamp === null ? null : epochFromIso(timestamp),
      /** Before 0.2.4 the text has no offset and is the writer's local time (storage-format.md 5.2). */
      timestamp_is_local: timestamp !== null && !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(timestamp),
    })),
);
export type ContextJson = NonNullable<ReturnType<typeof parseContext>>;

export const parseEvent = parserOf(() =>
  z.object({
    event_id: text,
    event_code: text,
    timestamp: instant,
    payload: storedMap,
    /** Parallel to `valid_condition_ids`. */
    matched_condition_ids: texts,
    valid_condition_ids: texts,
    emitted_by_invocation_id: text,
    emitted_by_task_id: text,
    /** Trigger schema 3 only. */
    emitted_by_runner_context_id: text,
  }),
);
/** Without `triggered_invocation_ids`: the stored list is always empty (storage-format.md 5.3). */
export type EventJson = NonNullable<ReturnType<typeof parseEvent>>;

const ParticipantSchema = lazily(() =>
  z.object({
    context_type: text,
    condition_id: text,
    valid_condition_id: text,
    event_id: text,
    source_invocation_id: text,
    context_timestamp: instant,
    /** Tokens like `code:order.created` or `status:SUCCESS task:tasks.add`. */
    context_summary: text,
  }),
);
export const parseTriggerRun = parserOf(() =>
  z.object({
    trigger_run_id: text,
    trigger_id: text,
    task_id_key: text,
    /** `and` or `or`. */
    logic_value: text,
    valid_condition_ids: texts,
    condition_ids: texts,
    event_ids: texts,
    source_invocation_ids: texts,
    triggered_invocation_id: text,
    claimed_at: instant,
    executed_at: instant,
    participants: z.array(ParticipantSchema()).catch([]),
    atomic_service_run_id: text,
    atomic_service_runner_id: text,
  }),
);
export type TriggerRunJson = NonNullable<ReturnType<typeof parseTriggerRun>>;

export const parseTrigger = parserOf(
  () =>
    z.object({
      trigger_id: z.string(),
      task_id_key: z.string(),
      condition_ids: texts,
      /** `and` or `or`. */
      logic_value: z.string(),
      /** Null or empty if the task is called without arguments. */
      argument_provider_json: text.transform((json) => (json === "" ? null : json)),
    }) satisfies z.ZodType<TriggerRecord>,
);

export const parseAppInfo = parserOf(
  () =>
    z.object({
      app_id: z.string(),
      module: text,
      module_filepath: text,
      app_variable: text,
      config_filepath: text,
      /** May hold credentials. */
      config_values: z.record(z.string(), z.unknown()).nullable().catch(null),
    }) satisfies z.ZodType<AppInfoRecord>,
);

/** Data of `history_json` that the columns of its row do not have. */
export interface HistoryJson {
  /** When the status was entered; null if missing or not a time. */
  timestamp: EpochSeconds | null;
  /** Owner after the change. */
  status_runner_id: string | null;
  /** Runner that made the change. */
  runner_context_id: string | null;
  /** Only on `registered` entries of children. */
  registered_by_inv_id: string | null;
}

/** A status record: the complete value in Redis (storage-format.md 9.2), a part of every history entry. */
export interface StatusJson {
  /** Any text; see `statusInfo`. */
  status: string;
  /** Owner after the change. */
  runner_id: string | null;
  timestamp: EpochSeconds;
}

/** Read for every row of a page, so without a schema. */
export function parseStatus(json: string): StatusJson | null {
  const entered = objectOrNull(parsedJson(json));
  if (typeof entered?.status !== "string" || typeof entered.timestamp !== "string") return null;
  const timestamp = epochFromIso(entered.timestamp);
  return timestamp === null ? null : { status: entered.status, runner_id: textOrNull(entered.runner_id), timestamp };
}

/** Data of `history_json` where there are no columns. */
interface HistoryEntryJson extends HistoryJson {
  status: string | null;
  /** When the entry was written; null if missing or not a time. */
  written_at: EpochSeconds | null;
}

/** Read for every history row of a page, so without a schema. */
export function parseHistory(json: string): HistoryJson | null {
  const entry = objectOrNull(parsedJson(json));
  return entry && historyOf(entry, statusOf(entry));
}

/** When the status of a history entry was entered, as in `parseHistory`; lists need nothing else. */
export function parseStatusTime(json: string): EpochSeconds | null {
  const entry = objectOrNull(parsedJson(json));
  return entry && instantOrNull(statusOf(entry).timestamp);
}

/** Like `parseHistory`, with the data that SQLite has in columns. */
export function parseHistoryEntry(json: string): HistoryEntryJson | null {
  const entry = objectOrNull(parsedJson(json));
  if (entry === null) return null;
  const status = statusOf(entry);
  // Without a spread, which takes longer than parsing the text.
  return {
    timestamp: instantOrNull(status.timestamp),
    status_runner_id: textOrNull(status.runner_id),
    runner_context_id: textOrNull(entry.runner_context_id),
    registered_by_inv_id: textOrNull(entry.registered_by_inv_id),
    status: textOrNull(status.status),
    written_at: instantOrNull(entry._timestamp),
  };
}

function statusOf(entry: Record<string, unknown>): Record<string, unknown> {
  return objectOrNull(entry.status_record) ?? {};
}

function historyOf(entry: Record<string, unknown>, status: Record<string, unknown>): HistoryJson {
  return {
    timestamp: instantOrNull(status.timestamp),
    status_runner_id: textOrNull(status.runner_id),
    runner_context_id: textOrNull(entry.runner_context_id),
    registered_by_inv_id: textOrNull(entry.registered_by_inv_id),
  };
}

/** A run of the atomic service; the names are those of the SQLite columns (storage-format.md 3.3, 9.2). */
export const parseExecution = parserOf(() =>
  z.object({
    runner_id: z.string(),
    start_time: instant,
    end_time: instant,
    status: z.string(),
    reason: text,
  }),
);

/** Queues named in a heartbeat; null (not known) if it is not a JSON list of names. */
export function parseQueueNames(stored: unknown): string[] | null {
  const names = typeof stored === "string" ? parsedJson(stored) : null;
  return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : null;
}

export function parseCondition(json: string): ConditionJson | null {
  return conditionOf(parsedJson(json));
}

/** Parses a member of a composite condition; null if it is not one. */
export function compositeMember(member: unknown): ConditionJson | null {
  const read = CompositeMemberSchema().safeParse(member);
  return read.success
    ? conditionOf({ condition_type: read.data.condition_type, data: read.data.condition_data })
    : null;
}

function conditionOf(value: unknown): ConditionJson | null {
  const known = ConditionSchema().safeParse(value);
  if (known.success) return known.data;
  const other = AnyConditionSchema().safeParse(value);
  return other.success ? { condition_type: "unknown", original_type: other.data.condition_type } : null;
}

/** Makes it when it is first needed, so that a command does not pay for schemas that it does not need. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Parses the records of a schema, from a column or a member of another record; null for what is none. */
function parserOf<Output>(make: () => z.ZodType<Output>): (json: unknown) => Output | null {
  const schema = lazily(make);
  return (json) => {
    if (typeof json !== "string") return null;
    const read = schema().safeParse(parsedJson(json));
    return read.success ? read.data : null;
  };
}

function storedMapOf(value: unknown): StoredMap {
  if (typeof value === "string") return Object.fromEntries(argumentsMap(value) ?? []);
  return Object.fromEntries(
    Object.entries(objectOrNull(value) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}

function instantOrNull(value: unknown): EpochSeconds | null {
  return typeof value === "string" ? epochFromIso(value) : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
