/** Builds and parses the identifiers that pynenc stores (storage-format.md 1.1 to 1.6, 3.1, 4.6). */
import { createHash } from "node:crypto";
import { type PythonValue, pythonJson } from "./python-dump.ts";

/** Parts of `module.function`. */
export interface TaskKeyParts {
  /** May contain dots. */
  module: string;
  func: string;
}

/** Parts of `task id key:arguments id`. */
export interface CallKeyParts {
  task_id_key: string;
  /** `no_args` or 64 hex digits. */
  arguments_id: string;
}

export type TriggerLogic = "and" | "or";

/** Tasks of pynenc itself: the two recovery tasks (storage-format.md 1.1). */
const CORE_TASK_PREFIX = "pynenc.core_tasks.";

/** pynenc's own tasks that recover stuck invocations, by the status in which these are stuck. Started by schedules. */
export const RECOVERY_TASKS = {
  pending: `${CORE_TASK_PREFIX}recover_pending_invocations`,
  running: `${CORE_TASK_PREFIX}recover_running_invocations`,
} as const;

/** Beginning of every reference into the client data store (storage-format.md 4.6). */
export const CLIENT_DATA_PREFIX = "__pynenc__client_data__:";

/** Arguments id of a call without arguments. */
const NO_ARGUMENTS = "no_args";

/** Id of the filter that accepts every result (storage-format.md 1.4). */
export const NO_RESULT_FILTER = "no_result_filter";

/** Prefix of an app's SQLite tables: a readable part and a hash of the unmodified app id (storage-format.md 3.1). */
export function tablePrefix(appId: string): string {
  return `${readableId(appId)}_${sha256(appId).slice(0, 8)}`;
}

/** Characters of an app id in names of collections: the servers that pynenc's plugin was made for allow few in the name of an index. */
const READABLE_IN_COLLECTIONS = 31;

/** Prefix of an app's MongoDB collections (storage-format.md 11.2): that of tables, with less of the readable part. */
export function collectionPrefix(appId: string): string {
  return `${readableId(appId).slice(0, READABLE_IN_COLLECTIONS)}_${sha256(appId).slice(0, 8)}`;
}

function readableId(appId: string): string {
  // With the u flag a code point above U+FFFF gives one underscore, as in Python.
  return appId.replace(/[^A-Za-z0-9_]/gu, "_").replace(/^(?=[0-9])/, "_") || "_default";
}

/**
 * The app id of a prefix, as far as it can be put together: the hash in the prefix proves it. Null for an id with other characters than a few.
 *
 * @param prefixOf how the prefix was made.
 */
export function appIdOfPrefix(prefix: string, prefixOf: (appId: string) => string = tablePrefix): string | null {
  const readable = prefix.replace(/_[0-9a-f]{8}$/, "");
  const likely = [readable, readable.replaceAll("_", "-"), readable.replace(/^_/, "")];
  return likely.find((id) => prefixOf(id) === prefix) ?? null;
}

/** Splits at the last dot. Null if there is none or a part would be empty. */
export function parseTaskKey(key: string): TaskKeyParts | null {
  const parts = splitAtLast(key, ".");
  return parts && { module: parts[0], func: parts[1] };
}

/** Splits at the last colon, which cannot occur in an arguments id. Null if there is none or a part would be empty. */
export function parseCallKey(key: string): CallKeyParts | null {
  const parts = splitAtLast(key, ":");
  return parts && { task_id_key: parts[0], arguments_id: parts[1] };
}

export function callKey(taskKey: string, argumentsId: string): string {
  return `${taskKey}:${argumentsId}`;
}

/** Whether the call was made with arguments. */
export function hasArguments(callKey: string): boolean {
  return !callKey.endsWith(`:${NO_ARGUMENTS}`);
}

/**
 * Id of an argument map, name to stored string (storage-format.md 1.2). The same value has a different id if it is externalised or written by another
 * serializer. Lone surrogates cannot be hashed by Python, so no stored id covers them.
 */
export function argumentsId(stored: Readonly<Record<string, string>>): string {
  const entries = Object.entries(stored);
  if (entries.length === 0) return NO_ARGUMENTS;
  const ordered = entries.sort(([a], [b]) => compareCodePoints(a, b));
  return sha256(ordered.map(([name, value]) => `${JSON.stringify(name)}=${JSON.stringify(value)};`).join(""));
}

/** The reference under which a serialized text is externalised. */
export function clientDataKey(text: string): string {
  return CLIENT_DATA_PREFIX + sha256(text);
}

/** Whether a stored string is a reference. pynenc also treats a user's string with this prefix as one (storage-format.md 4.6). */
export function isClientDataReference(stored: string): boolean {
  return stored.startsWith(CLIENT_DATA_PREFIX);
}

export function isCoreTask(key: string): boolean {
  return key.startsWith(CORE_TASK_PREFIX);
}

/**
 * Id of a filter on fixed arguments, or with `{ result: value }` of a filter on a fixed result (storage-format.md 1.4). It is computed from Python
 * values, not from stored strings.
 */
export function staticFilterId(argumentsAsValues: Readonly<Record<string, PythonValue>>): string {
  if (Object.keys(argumentsAsValues).length === 0) return `static_${NO_ARGUMENTS}`;
  return `static_${sha256(pythonJson(argumentsAsValues, compareCodePoints))}`;
}

export function callableFilterId(module: string, func: string): string {
  return `callable_${module}.${func}`;
}

export function cronConditionId(expression: string): string {
  return `cron_${expression}`;
}

export function eventConditionId(code: string, filterId: string): string {
  return `event#${code}#${filterId}`;
}

export function statusConditionId(taskKey: string, statuses: readonly string[], filterId: string): string {
  return `condition#${taskKey}#${inPythonOrder(statuses).join("_")}#${filterId}`;
}

export function resultConditionId(taskKey: string, argFilterId: string, resultFilterId: string): string {
  return `${statusConditionId(taskKey, ["success"], argFilterId)}_result_${resultFilterId}`;
}

/** `types` are exception class names; none means any. */
export function exceptionConditionId(taskKey: string, argFilterId: string, types: readonly string[]): string {
  const names = types.length > 0 ? inPythonOrder(types).join("_") : "any";
  return `${failedConditionsOf(taskKey)}${argFilterId}${EXCEPTION_PART}${names}`;
}

/** In the id of a condition on exceptions, after its filter. */
export const EXCEPTION_PART = "_exception_";

/** Beginning of the ids of the conditions that wait for failures of a task. */
export function failedConditionsOf(taskKey: string): string {
  return statusConditionId(taskKey, ["failed"], "");
}

/** `iso` is the time of the check as pynenc wrote it. */
export function cronContextId(iso: string): string {
  return `cron_${iso}`;
}

export function eventContextId(code: string, eventId: string): string {
  return `event_${code}_${eventId}`;
}

export function statusContextId(invocationId: string, status: string): string {
  return `status_${invocationId}_${status}`;
}

export function resultContextId(invocationId: string): string {
  return `result_${invocationId}`;
}

/** Not unique: all failures with this exception type share it (storage-format.md 1.5). */
export function exceptionContextId(exceptionType: string): string {
  return `exception_${exceptionType}`;
}

/** Cannot be split: either part may contain `_context_` (storage-format.md 1.5). */
export function validConditionId(conditionId: string, contextId: string): string {
  return `valid_condition_${conditionId}_context_${contextId}`;
}

/** Does not include the argument provider: triggers that differ only in arguments share an id (storage-format.md 1.6). */
export function triggerId(taskKey: string, conditionIds: readonly string[], logic: TriggerLogic): string {
  return sha256(taskKey + inPythonOrder(conditionIds).join(",") + logic.toUpperCase());
}

/** For `or` triggers pass the run's single valid condition (storage-format.md 1.6). */
export function triggerRunId(ofTriggerId: string, validConditionIds: readonly string[]): string {
  return sha256(ofTriggerId + inPythonOrder(validConditionIds).join(","));
}

function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

function splitAtLast(key: string, separator: string): [string, string] | null {
  const at = key.lastIndexOf(separator);
  return at > 0 && at < key.length - 1 ? [key.slice(0, at), key.slice(at + 1)] : null;
}

function inPythonOrder(texts: readonly string[]): string[] {
  return [...texts].sort(compareCodePoints);
}

/** Python orders strings by code point, JavaScript by UTF-16 unit; the order of UTF-8 bytes is that of code points. */
function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}
