/** Describes conditions and schedules in words. */
import cronstrue from "cronstrue";
import { LONGEST_EXPRESSION, parseCron } from "./cron.ts";
import {
  type ConditionFilter,
  type ConditionJson,
  compositeMember,
  type KnownCondition,
  parseCondition,
} from "./json-records.ts";
import type { EpochSeconds } from "./time.ts";
import { displayValue } from "./values.ts";

/** What a condition watches, with a descriptive sentence. Members that do not apply to its type are null or empty. */
export interface ConditionDescription {
  /** Class name as stored, such as `EventCondition`; `unreadable` if the text is not a condition. */
  type: string;
  cron_expression: string | null;
  event_code: string | null;
  /** The task whose invocations are watched. */
  task_id_key: string | null;
  statuses: readonly string[];
  exception_types: readonly string[];
  /** Lower case and without a full stop, for use inside other text. */
  sentence: string;
}

const MAX_CRON_TIMES = 1000;
/** Limit of characters of one value inside a sentence. */
const VALUE_LIMIT = 60;
/** Maximum nesting of composite conditions; pynenc's trigger builder nests none (storage-format.md 1.4). */
const DEEPEST_COMPOSITE = 5;

/** Words for a five-field cron expression, `Every 5 minutes` or `At 02:30 UTC`, or the expression itself if it cannot be described. */
export function describeCron(expression: string): string {
  return cronWords(expression) ?? expression.slice(0, LONGEST_EXPRESSION);
}

/** The next times after `from`, at most 1000; none if the expression is invalid or never matches. */
export function nextCronTimes(expression: string, from: EpochSeconds, count: number): EpochSeconds[] {
  const wanted = Math.min(Math.floor(count), MAX_CRON_TIMES);
  const cron = parseCron(expression);
  if (cron === null || !(wanted > 0) || Number.isNaN(new Date(from * 1000).getTime())) return [];
  return cron.nextRuns(wanted, new Date(from * 1000)).map((time) => time.getTime() / 1000);
}

/** Whether an expression is valid and matches no date: day 31 of February. */
export function neverComes(expression: string, from: EpochSeconds): boolean {
  return parseCron(expression) !== null && nextCronTimes(expression, from, 1).length === 0;
}

/** pynenc's defaults of a cron condition, in seconds (storage-format.md 5.1). */
const CHECK_WINDOW = 60;
const MIN_INTERVAL = 50;
const PRECISION_TOLERANCE = 30;

/**
 * The first instant at which a cron condition that was last met at `last` may be met again: in the window of a scheduled time, and not before its
 * shortest interval is over (storage-format.md 5.6). Null if the condition is not a schedule, or never comes.
 */
export function nextCronDue(conditionJson: string, last: EpochSeconds): EpochSeconds | null {
  const rules = cronRules(conditionJson);
  if (rules === null) return null;
  const earliest = last + rules.interval;
  const [scheduled] = nextCronTimes(rules.expression, Math.max(last, earliest - rules.window), 1);
  return scheduled === undefined ? null : Math.max(scheduled, earliest);
}

/**
 * Whether a cron condition was met although no scheduled time was in its window: it had no last execution (storage-format.md 5.6). False if the
 * condition is not a schedule that can be read.
 */
export function isOffSchedule(conditionJson: string, met: EpochSeconds): boolean {
  const rules = cronRules(conditionJson);
  if (rules === null || parseCron(rules.expression) === null) return false;
  const [scheduled = Number.POSITIVE_INFINITY] = nextCronTimes(rules.expression, met - rules.window - 1, 1);
  return scheduled > met;
}

/** The expression of a cron condition, and for how many seconds a scheduled time can be met; null if it is not a schedule. */
function cronRules(conditionJson: string): { expression: string; window: number; interval: number } | null {
  const condition = parseCondition(conditionJson);
  if (condition?.condition_type !== "CronCondition") return null;
  const { cron_expression, check_window_seconds, min_interval_seconds, precision_tolerance_seconds, strict_timing } =
    condition.data;
  const checked = check_window_seconds ?? CHECK_WINDOW;
  return {
    expression: cron_expression ?? "",
    window: strict_timing ? Math.min(checked, precision_tolerance_seconds ?? PRECISION_TOLERANCE) : checked,
    interval: min_interval_seconds ?? MIN_INTERVAL,
  };
}

/** What the logic of a trigger (`and`, `or`) means for this number of conditions: `both conditions are met`. */
export function logicWords(logic: string, conditions: number): string {
  if (conditions === 1) return "its condition is met";
  return logic.toLowerCase() === "or"
    ? `any of ${conditions} conditions is met`
    : `${conditions === 2 ? "both" : `all ${conditions}`} conditions are met`;
}

/** Reads `condition_json` (storage-format.md 5.1). Never throws. */
export function describeCondition(conditionJson: string): ConditionDescription {
  const condition = parseCondition(conditionJson);
  if (condition === null) return { ...NOTHING, type: "unreadable", sentence: "unreadable condition" };
  if (condition.condition_type === "unknown") {
    return { ...NOTHING, type: condition.original_type, sentence: sentenceOf(condition, 0) };
  }
  return { ...NOTHING, ...watched(condition), type: condition.condition_type, sentence: sentenceOf(condition, 0) };
}

const NOTHING = {
  cron_expression: null,
  event_code: null,
  task_id_key: null,
  statuses: [],
  exception_types: [],
} as const;

function watched(condition: KnownCondition): Partial<ConditionDescription> {
  switch (condition.condition_type) {
    case "CronCondition":
      return { cron_expression: condition.data.cron_expression };
    case "EventCondition":
      return { event_code: condition.data.event_code };
    case "StatusCondition":
    case "ResultCondition":
      return { task_id_key: condition.data.task_id, statuses: condition.data.statuses };
    case "ExceptionCondition": {
      const { task_id, statuses, exception_types } = condition.data;
      return { task_id_key: task_id, statuses, exception_types };
    }
    case "CompositeCondition":
      return {};
  }
}

function sentenceOf(condition: ConditionJson, depth: number): string {
  switch (condition.condition_type) {
    case "CronCondition":
      return cronSentence(condition.data.cron_expression ?? "");
    case "EventCondition":
      return `event ${condition.data.event_code ?? UNNAMED}${withFilter(condition.data.payload_filter)}`;
    case "StatusCondition":
      return `${taskWords(condition.data)} ${statusWords(condition.data.statuses)}`;
    case "ResultCondition":
      return resultSentence(condition.data);
    case "ExceptionCondition":
      return `${taskWords(condition.data)} failed with ${condition.data.exception_types.join(" or ") || "any exception"}`;
    case "CompositeCondition":
      return compositeSentence(condition.data, depth);
    case "unknown":
      return `condition of the unknown type ${condition.original_type}`;
  }
}

const UNNAMED = "(unnamed)";

function cronSentence(expression: string): string {
  const words = cronWords(expression);
  if (words === null) return `cron ${expression.slice(0, LONGEST_EXPRESSION)}`;
  return `${words.charAt(0).toLowerCase()}${words.slice(1)} (${expression})`;
}

interface WatchedTask {
  task_id: string | null;
  arguments_filter: ConditionFilter | null;
}

function taskWords({ task_id, arguments_filter }: WatchedTask): string {
  return `${task_id ?? UNNAMED}${withFilter(arguments_filter)}`;
}

function statusWords(statuses: readonly string[]): string {
  const [only] = statuses;
  if (only === undefined) return "reached any status";
  if (statuses.length === 1 && only === "success") return "succeeded";
  if (statuses.length === 1 && only === "failed") return "failed";
  return `became ${statuses.join(" or ")}`;
}

function resultSentence(data: WatchedTask & { result_filter: ConditionFilter | null }): string {
  const task = taskWords(data);
  const wanted = data.result_filter?.data;
  if (wanted?.callable) return `result of ${task} accepted by ${callableName(wanted.callable)}`;
  const fixed = wanted?.arguments.result;
  return fixed === undefined ? `any result of ${task}` : `result of ${task} equals ${inlineValue(fixed)}`;
}

function compositeSentence(data: { logic: string | null; conditions: unknown[] }, depth: number): string {
  if (depth >= DEEPEST_COMPOSITE) return "(…)";
  const parts = data.conditions.map((member) => {
    const condition = compositeMember(member);
    return condition === null ? "unreadable condition" : sentenceOf(condition, depth + 1);
  });
  return `(${parts.join(data.logic?.toUpperCase() === "OR" ? " or " : " and ")})`;
}

/** ` with vip = true`, ` accepted by tasks._is_big`, or nothing for a filter that accepts everything. */
function withFilter(filter: ConditionFilter | null): string {
  if (filter?.data.callable) return ` accepted by ${callableName(filter.data.callable)}`;
  const demands = Object.entries(filter?.data.arguments ?? {}).map(
    ([name, stored]) => `${name} = ${inlineValue(stored)}`,
  );
  return demands.length === 0 ? "" : ` with ${demands.join(" and ")}`;
}

function callableName(callable: { module: string; function: string }): string {
  return `${callable.module}.${callable.function}`;
}

function inlineValue(stored: string): string {
  const { text, truncated } = displayValue(stored, VALUE_LIMIT);
  return `${text.replace(/\s*\n\s*/g, " ")}${truncated ? "…" : ""}`;
}

/** cronstrue alone would also describe expressions that never match, such as `5-1 * * * *`. */
function cronWords(expression: string): string | null {
  if (parseCron(expression) === null) return null;
  try {
    return withZone(cronstrue.toString(expression, { use24HourTimeFormat: true }));
  } catch {
    return null;
  }
}

/** The zone after the last time of day; at the end of words that are about hours and days; not needed by `Every 5 minutes`. */
function withZone(words: string): string {
  if (/\d\d:\d\d/.test(words)) return words.replace(/(.*\d\d:\d\d)/s, "$1 UTC");
  return /^Every (minute|hour|\d+ minutes)$/.test(words) ? words : `${words}, UTC`;
}
