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

/** Counters of the trigger component (behaviour.md 3.1). `null` as a whole where the layout records no events. */
export interface EventCounters {
  recorded: number;
  /** Events that met at least one condition. */
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
  /** It met a condition, or did not. */
  matched?: boolean;
  /** It started an invocation, or did not. */
  triggered?: boolean;
}

/** Where an event stands in the list. */
export type EventPosition = Pick<EventSummary, "event_id" | "timestamp">;

/** Restrictions on a list of trigger runs; absent members do not restrict. Times are those of execution, else of the claim. */
export interface TriggerRunFilter {
  task_id_key?: string;
  trigger_id?: string;
  from?: EpochSeconds;
  to?: EpochSeconds;
  /** Runs with a participant of this context type: `EventContext` ... */
  context_type?: string;
  atomic_service_run_id?: string;
  /** Runs behind this one, in the order of the list. Behind one that is not stored any more there is none. */
  after?: string;
}

/** Matches among the newest runs. */
export interface TriggerRunSearch {
  /** The slice asked for, newest first. */
  runs: TriggerRunRecord[];
  /** Matches among the runs read; at most the limit of runs read. */
  matching: number;
  /** Number of runs read. If an index leads to the matches, only those are read. */
  looked: number;
  /** No run was left out: without it, older ones may match too. */
  whole: boolean;
  /** The oldest run that was read, to go on behind it, where the search did not end with the matches of an index; else null. */
  last_looked: string | null;
}

/** A trigger run with the id it was found by. */
export interface TriggerRunLink {
  trigger_run_id: string;
  /** The event, source invocation, triggered invocation or valid condition asked for. */
  of: string;
}

/** A condition that was met, as it is stored: at most `VALUE_BYTES` of it. */
export interface ValidConditionRow extends CutMark {
  valid_condition_id: string;
  valid_condition_json: string;
}

/** A valid condition with the condition asked for. */
export interface ValidConditionOf extends ValidConditionRow {
  condition_id: string;
}

export interface TriggerReads {
  eventCounters(): Promise<EventCounters | null>;
  /** Tasks that a trigger starts or whose conditions are watched, with the number of triggers that start them. */
  triggeredTasks(): Promise<{ task_id_key: string; triggers: number }[]>;
  /** Conditions that were met and not handled yet: a backlog (storage-format.md 5.6). */
  countValidConditions(): Promise<number>;
  /** Newest first. `after` continues after an event of an earlier answer to the same filter. */
  listEvents(filter: EventFilter, slice: Slice, after?: EventPosition): Promise<EventSummary[]>;
  /** Oldest first: markers of a time line. */
  listEventsForward(filter: EventFilter, slice: Slice): Promise<EventSummary[]>;
  /** Matching events, counted up to `cap`. */
  countEvents(filter: EventFilter, cap: number): Promise<number>;
  /** Matching events between each of these ascending instants and the next one, which does not belong to it; of each counted up to `cap`. */
  countEventsBetween(
    filter: Omit<EventFilter, "from" | "to">,
    instants: readonly EpochSeconds[],
    cap: number,
  ): Promise<number[]>;
  /** Distinct codes in alphabetical order. */
  eventCodes(limit: number): Promise<string[]>;
  /** Events whose record is larger than `payloadBytes`, `VALUE_BYTES` unless given, come without their payload. */
  eventsByIds(eventIds: readonly string[], payloadBytes?: number): Promise<EventRecord[]>;
  /** Events that these invocations emitted, oldest first. A store that does not index emitters looks at a bounded number of events. */
  eventsEmittedBy(invocationIds: readonly string[], limit: RowLimit): Promise<EventSummary[]>;
  /** Invocations that these events helped to start, in the order they were linked. */
  triggeredBy(eventIds: readonly string[], limit: RowLimit): Promise<TriggeredInvocation[]>;
  triggerRunsByIds(triggerRunIds: readonly string[]): Promise<TriggerRunRecord[]>;
  /** Runs in which these took part, or which started these. */
  triggerRunsOf(
    kind: "event" | "source_invocation" | "triggered_invocation" | "valid_condition",
    ids: readonly string[],
    limit: RowLimit,
  ): Promise<TriggerRunLink[]>;
  /** Newest first. */
  listTriggerRuns(filter: TriggerRunFilter, slice: Slice): Promise<TriggerRunRecord[]>;
  countTriggerRuns(filter: TriggerRunFilter, cap: number): Promise<number>;
  /** As these two, but looks at no more than the newest `lookLimit` of the runs to which an index leads. */
  searchTriggerRuns(filter: TriggerRunFilter, slice: Slice, lookLimit: number): Promise<TriggerRunSearch>;
  triggersByIds(triggerIds: readonly string[]): Promise<TriggerRecord[]>;
  /** By task, then id. */
  listTriggers(slice: Slice): Promise<TriggerRecord[]>;
  conditionsByIds(conditionIds: readonly string[]): Promise<ConditionRecord[]>;
  /** Triggers that start any of these tasks; answers at once, even right after the store was opened. */
  triggersOfTasks(taskIdKeys: readonly string[], limit: number): Promise<TriggerRecord[]>;
  /** Triggers that have any of these conditions. */
  triggersOfConditions(conditionIds: readonly string[], limit: number): Promise<TriggerRecord[]>;
  validConditionsByIds(ids: readonly string[]): Promise<ValidConditionRow[]>;
  /**
   * Conditions that were met and not handled yet, the latest written first where the store keeps that order, else by id. Null while a store that
   * has just been opened still looks for them.
   */
  listValidConditions(slice: Slice): Promise<ValidConditionRow[] | null>;
  /**
   * Those of these conditions, at most `each` of each, by id. Null as `listValidConditions`, and where there are more than the store can tell
   * apart.
   */
  validConditionsOf(conditionIds: readonly string[], each: number): Promise<ValidConditionOf[] | null>;
  /** How many there are of each, counted up to `cap`; absent is none. Null as `validConditionsOf`. */
  countValidConditionsOf(conditionIds: readonly string[], cap: number): Promise<Record<string, number> | null>;
  /** Registered conditions and triggers. */
  countDefinitions(): Promise<{ triggers: number; conditions: number }>;
}

// Its parts: each store has them in files of their own.

export type EventReads = Pick<
  TriggerReads,
  | "eventCounters"
  | "listEvents"
  | "listEventsForward"
  | "countEvents"
  | "countEventsBetween"
  | "eventCodes"
  | "eventsByIds"
  | "eventsEmittedBy"
  | "triggeredBy"
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
  | "triggersByIds"
  | "listTriggers"
  | "conditionsByIds"
  | "triggersOfTasks"
  | "triggersOfConditions"
  | "validConditionsByIds"
  | "listValidConditions"
  | "validConditionsOf"
  | "countValidConditionsOf"
>;
