/**
 * Parses the JSON columns of the stores (storage-format.md 3.4, 5.1 to 5.5). Layouts differ by version, so members may be missing, extra ones are
 * ignored, and a member of an unexpected type counts as missing. Any other text gives null, never an error.
 */
import * as z from "zod";
import { lazily } from "./lazily.ts";
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

const CallableSchema = lazily(() => z.object({ module: z.string(), function: z.string() }));

const FilterSchema = lazily(() =>
  z.object({
    /** StaticArgumentFilter, CallableArgumentFilter, NoResultFilter, StaticResultFilter, CallableResultFilter. */
    filter_type: z.string(),
    data: z
      .object({
        /** Stored strings that must be equal; a static result filter uses the name `result`. */
        arguments: storedMap,
        callable_filter: maybe.transform((value) => parseNested(CallableSchema(), value)),
      })
      .transform(({ arguments: fixed, callable_filter }) => ({ arguments: fixed, callable: callable_filter })),
  }),
);
/** What a condition requires of arguments, payload or result. */
export type ConditionFilter = z.infer<ReturnType<typeof FilterSchema>>;

/** Filters are stored as text inside the condition's JSON. */
const filter = maybe.transform((value) => parseNested(FilterSchema(), value));

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

const ContextSchema = lazily(() =>
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
export type ContextJson = z.infer<ReturnType<typeof ContextSchema>>;

const EventSchema = lazily(() =>
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
export type EventJson = z.infer<ReturnType<typeof EventSchema>>;

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
/** One valid condition that took part in a trigger run. */

const TriggerRunSchema = lazily(() =>
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
export type TriggerRunJson = z.infer<ReturnType<typeof TriggerRunSchema>>;

const TriggerSchema = lazily(
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

const AppInfoSchema = lazily(
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
export type AppInfoJson = z.infer<ReturnType<typeof AppInfoSchema>>;

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
  const entered = parseJson(json);
  if (!isRecord(entered) || typeof entered.status !== "string" || typeof entered.timestamp !== "string") return null;
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
  const entry = parseJson(json);
  return isRecord(entry) ? historyOf(entry, statusOf(entry)) : null;
}

/** When the status of a history entry was entered, as in `parseHistory`; lists need nothing else. */
export function parseStatusTime(json: string): EpochSeconds | null {
  const entry = parseJson(json);
  return isRecord(entry) ? instantOrNull(statusOf(entry).timestamp) : null;
}

/** Like `parseHistory`, with the data that SQLite has in columns. */
export function parseHistoryEntry(json: string): HistoryEntryJson | null {
  const entry = parseJson(json);
  if (!isRecord(entry)) return null;
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
  return isRecord(entry.status_record) ? entry.status_record : {};
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
const ExecutionSchema = lazily(() =>
  z.object({
    runner_id: z.string(),
    start_time: instant,
    end_time: instant,
    status: z.string(),
    reason: text,
  }),
);
export type ExecutionJson = z.infer<ReturnType<typeof ExecutionSchema>>;

export function parseExecution(json: string): ExecutionJson | null {
  return parseNested(ExecutionSchema(), json);
}

/** Queues named in a heartbeat; null (not known) if it is not a JSON list of names. */
export function parseQueueNames(stored: unknown): string[] | null {
  const names = typeof stored === "string" ? parseJson(stored) : null;
  return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : null;
}

export function parseAppInfo(json: string): AppInfoJson | null {
  return parseNested(AppInfoSchema(), json);
}

export function parseEvent(json: string): EventJson | null {
  return parseNested(EventSchema(), json);
}

export function parseTriggerRun(json: string): TriggerRunJson | null {
  return parseNested(TriggerRunSchema(), json);
}

/** Parses a trigger definition stored as JSON (storage-format.md 9.2). */
export function parseTrigger(json: string): TriggerRecord | null {
  return parseNested(TriggerSchema(), json);
}

export function parseContext(json: string): ContextJson | null {
  return parseNested(ContextSchema(), json);
}

export function parseCondition(json: string): ConditionJson | null {
  return conditionOf(parseJson(json));
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

/** Parses the record in `json`, from a column or a member of another record. */
function parseNested<Output>(schema: z.ZodType<Output>, json: unknown): Output | null {
  if (typeof json !== "string") return null;
  const read = schema.safeParse(parseJson(json));
  return read.success ? read.data : null;
}

/** Undefined, which no JSON text can produce, if the text is malformed. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function storedMapOf(value: unknown): StoredMap {
  if (typeof value === "string") return Object.fromEntries(argumentsMap(value) ?? []);
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function instantOrNull(value: unknown): EpochSeconds | null {
  return typeof value === "string" ? epochFromIso(value) : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
