import type {
  ConditionRecord,
  CutMark,
  EventRecord,
  EventSummary,
  TriggeredInvocation,
  TriggerRecord,
  TriggerRunRecord,
} from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { RowLimit, Slice } from "./common.ts";

/** Counters of the trigger component (behaviour.md 3.1). */
export interface EventCounters {
  recorded: number;
  /** Events that satisfied at least one condition. */
  matched: number;
  /** Events with a row in the triggered-invocations index: the stored counter undercounts (storage-format.md 5.6). */
  triggered: number;
  /** Distinct event codes. */
  codes: number;
  trigger_runs: number;
}

/** Restrictions on a list of events; absent members do not restrict. */
export interface EventFilter {
  event_code?: string;
  from?: EpochSeconds;
  to?: EpochSeconds;
  /** Whether it satisfied a condition. */
  matched?: boolean;
  /** Whether it started an invocation. */
  triggered?: boolean;
}

/** Position of an event in the list. */
export type EventPosition = Pick<EventSummary, "event_id" | "timestamp">;

/** Restrictions on a list of trigger runs; absent members do not restrict. Times are execution times, or claim times of runs that were not executed. */
export interface TriggerRunFilter {
  task_id_key?: string;
  trigger_id?: string;
  from?: EpochSeconds;
  to?: EpochSeconds;
  /** Runs with a participant of this context type, such as `EventContext`. */
  context_type?: string;
  atomic_service_run_id?: string;
  /** Only runs after this one in the list. If it is no longer stored, there are none. */
  after?: string;
}

/** Matches among the newest trigger runs. */
export interface TriggerRunSearch {
  /** The requested slice, newest first. */
  runs: TriggerRunRecord[];
  /** Number of matches among the runs read; at most the scan limit. */
  matching: number;
  /** Number of runs read. With an index, only the matches are read. */
  scanned: number;
  /** All runs were searched. If false, older ones may match too. */
  complete: boolean;
  /** The oldest run that was read, to continue after it; null if an index gave all matches. */
  last_scanned: string | null;
}

/** Which triggers to list: all, or those with these ids, that start these tasks, or that have any of these conditions. */
export type TriggerFilter =
  | { by?: never }
  | { by: "trigger_id" | "task_id_key" | "condition_id"; ids: readonly string[] };

/** A trigger run and the id it was found by. */
export interface TriggerRunLink {
  trigger_run_id: string;
  /** The requested event, source invocation, triggered invocation or valid condition. */
  of: string;
}

/** A stored valid condition (a condition that was met); in lists cut to `LIST_BYTES`. */
export interface ValidConditionRow extends CutMark {
  valid_condition_id: string;
  valid_condition_json: string;
}

/** A valid condition and the requested condition it belongs to. */
export interface ValidConditionOf extends ValidConditionRow {
  condition_id: string;
}

export interface TriggerReads {
  /** Null if the layout records no events. */
  eventCounters(): Promise<EventCounters | null>;
  /** Tasks that a trigger starts or that a condition watches, with the number of triggers that start them. */
  triggeredTasks(): Promise<{ task_id_key: string; triggers: number }[]>;
  /** Conditions that were met and not handled yet: a backlog (storage-format.md 5.6). */
  countValidConditions(): Promise<number>;
  /**
   * @param order which come first; by default the newest.
   * @param after continues after an event of an earlier result for the same filter, newest first.
   */
  listEvents(
    filter: EventFilter,
    slice: Slice,
    order?: "newest" | "oldest",
    after?: EventPosition,
  ): Promise<EventSummary[]>;
  /** For each filter the matching events, counted up to `cap`. */
  countEvents(filters: readonly EventFilter[], cap: number): Promise<number[]>;
  /** Distinct codes in alphabetical order. */
  eventCodes(limit: number): Promise<string[]>;
  /** The payload is omitted from events whose record exceeds `payloadBytes` (default `VALUE_BYTES`). */
  eventsByIds(eventIds: readonly string[], payloadBytes?: number): Promise<EventRecord[]>;
  /** Events emitted by these invocations, oldest first. A store that does not index emitters searches a limited number of events. */
  eventsEmittedBy(invocationIds: readonly string[], limit: RowLimit): Promise<EventSummary[]>;
  /** Invocations that these events helped to start, in the order they were linked. */
  triggeredBy(eventIds: readonly string[], limit: RowLimit): Promise<TriggeredInvocation[]>;
  /** @param bytes a record whose document is larger has no lists, such as its participants; by default `LIST_BYTES`. */
  triggerRunsByIds(triggerRunIds: readonly string[], bytes?: number): Promise<TriggerRunRecord[]>;
  /** Runs in which these ids took part, or which started these invocations. */
  triggerRunsOf(
    kind: "event" | "source_invocation" | "triggered_invocation" | "valid_condition",
    ids: readonly string[],
    limit: RowLimit,
  ): Promise<TriggerRunLink[]>;
  /** Newest first. */
  listTriggerRuns(filter: TriggerRunFilter, slice: Slice): Promise<TriggerRunRecord[]>;
  countTriggerRuns(filter: TriggerRunFilter, cap: number): Promise<number>;
  /** Combines the two above, but examines at most the newest `scanLimit` of the runs that the best index gives. */
  searchTriggerRuns(filter: TriggerRunFilter, slice: Slice, scanLimit: number): Promise<TriggerRunSearch>;
  /** By task, then id. Those of tasks are found fast even right after the store was opened. */
  triggers(filter: TriggerFilter, slice: Slice): Promise<TriggerRecord[]>;
  conditionsByIds(conditionIds: readonly string[]): Promise<ConditionRecord[]>;
  /** @param bytes at most of each; by default `VALUE_BYTES`. */
  validConditionsByIds(ids: readonly string[], bytes?: number): Promise<ValidConditionRow[]>;
  /**
   * Conditions that were met but not handled yet: newest first if the store keeps that order, else by id. Null while a store that was just opened is
   * still searching.
   */
  listValidConditions(slice: Slice): Promise<ValidConditionRow[] | null>;
  /**
   * Valid conditions of these conditions, by id, at most `each` per condition. Null as in `listValidConditions`, or if there are more than the store
   * can list.
   */
  validConditionsOf(conditionIds: readonly string[], each: number): Promise<ValidConditionOf[] | null>;
  /** Number of valid conditions per condition, counted up to `cap`; a missing key means none. Null as in `validConditionsOf`. */
  countValidConditionsOf(conditionIds: readonly string[], cap: number): Promise<Record<string, number> | null>;
  /** Registered conditions and triggers. */
  countDefinitions(): Promise<{ triggers: number; conditions: number }>;
}

// Parts of the port; each store implements them in separate files.

export type EventReads = Pick<
  TriggerReads,
  "eventCounters" | "listEvents" | "countEvents" | "eventCodes" | "eventsByIds" | "eventsEmittedBy" | "triggeredBy"
>;
export type TriggerRunReads = Pick<
  TriggerReads,
  "triggerRunsByIds" | "triggerRunsOf" | "listTriggerRuns" | "countTriggerRuns" | "searchTriggerRuns"
>;
export type TriggerDefinitionReads = Pick<
  TriggerReads,
  | "triggeredTasks"
  | "countValidConditions"
  | "countDefinitions"
  | "triggers"
  | "conditionsByIds"
  | "validConditionsByIds"
  | "listValidConditions"
  | "validConditionsOf"
  | "countValidConditionsOf"
>;
