/** Conditions and the contexts that met them, for display. */

import type { ConditionItem, ConditionView, ContextView } from "../../api/conditions.ts";
import type { ShownArgument, ShownValue } from "../../api/model/values.ts";
import { describeCondition } from "../../pynenc/conditions.ts";
import { type SummaryWords, summaryWords } from "../../pynenc/context-summary.ts";
import { parseContext, type StoredMap } from "../../pynenc/json-records.ts";
import { objectOrNull, parsedJson } from "../../pynenc/plain-json.ts";
import type { ConditionRecord, EventRecord, ParticipantRecord } from "../../pynenc/records.ts";
import { isoOrNull } from "../../pynenc/time.ts";
import { displayValue } from "../../pynenc/values.ts";
import { SHOWN_CHARACTERS } from "../model/stored-values.ts";

/** @param json the condition in a retained valid condition, used if the registry has none; may be null */
export function conditionView(
  condition_id: string,
  record: ConditionRecord | undefined,
  json: string | null = null,
): ConditionView {
  const text = record?.condition_json ?? json;
  const registered = record !== undefined;
  if (text === null) return { condition_id, registered, type: null, sentence: null, items: [] };
  const { type, sentence } = describeCondition(text);
  return { condition_id, registered, type, sentence, items: conditionItems(text) };
}

/** Limit of members shown per record; pynenc's conditions have at most six. */
const MAX_ITEMS = 50;

function conditionItems(json: string): ConditionItem[] {
  const data = objectOrNull(objectOrNull(parsedJson(json))?.data) ?? {};
  return Object.entries(data)
    .slice(0, MAX_ITEMS)
    .map(([key, value]): ConditionItem => {
      if (key === "statuses" && Array.isArray(value)) {
        const statuses = value.slice(0, MAX_ITEMS).map(String);
        return { key: "statuses", label: labelOf(key), render: "status_badges", statuses };
      }
      return item(key, typeof value === "string" ? stringValue(value) : shownText(JSON.stringify(value)));
    });
}

/** Filters are JSON inside a string; other strings are returned unchanged. */
function stringValue(text: string): string {
  return text.startsWith("{") ? shownText(text) : text.slice(0, SHOWN_CHARACTERS);
}

function shownText(stored: string): string {
  return displayValue(stored, SHOWN_CHARACTERS).text;
}

export function item(key: string, value: string): ConditionItem {
  return { key, label: labelOf(key), render: "value", value, multiline: value.includes("\n") };
}

/** `Event Code`. */
function labelOf(key: string): string {
  return key
    .split("_")
    .filter((word) => word !== "")
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join(" ");
}

/** A context with its stored strings, before references in them are resolved. */
export interface StoredContext {
  view: Omit<ContextView, "payload" | "arguments" | "result">;
  payload: StoredMap | null;
  arguments: StoredMap | null;
  result: string | null;
}

const NOTHING_KNOWN = {
  timestamp: null,
  timestamp_is_local: false,
  event_id: null,
  event_code: null,
  emitted_by_invocation_id: null,
  invocation_id: null,
  task_id_key: null,
  call_id_key: null,
  status: null,
  exception_type: null,
  exception_message: null,
  last_execution: null,
} as const;

/** The condition's JSON and the context inside the JSON of a valid condition; null if unreadable. */
export function readValidCondition(json: string): { condition_json: string | null; context: StoredContext | null } {
  const { condition, context } = objectOrNull(parsedJson(json)) ?? {};
  return {
    condition_json: typeof condition === "string" ? condition : null,
    context: typeof context === "string" ? liveContext(context) : null,
  };
}

function liveContext(json: string): StoredContext | null {
  const context = parseContext(json);
  if (context === null) return null;
  const { data } = context;
  const isEvent = context.context_type === "EventContext";
  return {
    view: {
      ...NOTHING_KNOWN,
      type: context.context_type,
      source: "live",
      timestamp: isoOrNull(context.timestamp),
      timestamp_is_local: context.timestamp_is_local,
      event_id: data.event_id ?? null,
      event_code: data.event_code ?? null,
      invocation_id: data.invocation_id ?? null,
      call_id_key: data.call_id_key ?? null,
      status: data.status_value ?? null,
      exception_type: data.exception_type ?? null,
      exception_message: data.exception_message?.slice(0, SHOWN_CHARACTERS) ?? null,
      last_execution: isoOrNull(data.last_execution),
    },
    payload: isEvent ? (data.payload ?? {}) : null,
    arguments: data.invocation_id ? (data.arguments_json ?? {}) : null,
    result: data.result ?? null,
  };
}

/** Rebuilds a context after the valid condition was deleted, from the event and the participant's summary. */
export function snapshotContext(participant: ParticipantRecord, event: EventRecord | undefined): StoredContext {
  const words: SummaryWords = summaryWords(participant.context_summary);
  return {
    view: {
      ...NOTHING_KNOWN,
      type: participant.context_type,
      source: "snapshot",
      timestamp: isoOrNull(participant.context_timestamp),
      event_id: participant.event_id,
      event_code: event?.event_code ?? words.event_code,
      emitted_by_invocation_id: event?.emitted_by_invocation_id ?? null,
      invocation_id: participant.source_invocation_id,
      task_id_key: words.task_id_key,
      status: words.status,
      exception_type: words.exception_type,
    },
    payload: event?.payload ?? null,
    arguments: null,
    result: null,
  };
}

/** Limit of names shown per payload; tasks and events have a handful. */
const MAX_NAMES = 100;

export function storedStrings({ payload, arguments: given, result }: StoredContext): string[] {
  return [...entriesOf(payload), ...entriesOf(given)].map(([, stored]) => stored).concat(result ?? []);
}

/** @param show from `valueReader` over `storedStrings` */
export function contextView(context: StoredContext, show: (stored: string) => ShownValue): ContextView {
  const shown = (map: StoredMap | null) =>
    map === null ? null : entriesOf(map).map(([name, stored]) => ({ name, value: show(stored) }));
  return {
    ...context.view,
    payload: shown(context.payload),
    arguments: shown(context.arguments),
    result: context.result === null ? null : show(context.result),
  };
}

function entriesOf(map: StoredMap | null): [string, string][] {
  return Object.entries(map ?? {}).slice(0, MAX_NAMES);
}

/** The known members of a context, under pynenc's names. */
export function contextItems(context: ContextView): ConditionItem[] {
  const members: [string, string | null][] = [
    ["event_id", context.event_id],
    ["event_code", context.event_code],
    ["payload", context.payload === null ? null : namesAndValues(context.payload)],
    ["emitted_by_invocation_id", context.emitted_by_invocation_id],
    ["invocation_id", context.invocation_id],
    ["task_id", context.task_id_key],
    ["call_id_key", context.call_id_key],
    ["status_value", context.status],
    ["arguments_json", context.arguments === null ? null : namesAndValues(context.arguments)],
    ["result", context.result === null ? null : textOf(context.result)],
    ["exception_type", context.exception_type],
    ["exception_message", context.exception_message],
    ["last_execution", context.last_execution],
  ];
  return members.flatMap(([key, value]) => (value === null ? [] : [item(key, value)]));
}

function namesAndValues(values: readonly ShownArgument[]): string {
  return JSON.stringify(Object.fromEntries(values.map(({ name, value }) => [name, textOf(value)])), null, 2);
}

function textOf({ stored, resolved }: ShownValue): string {
  return (resolved ?? stored).text;
}
