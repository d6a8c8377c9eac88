/**
 * What the monitor asks of a store. An app keeps its data in five components (broker, orchestrator, state backend, client data store,
 * trigger), possibly in different stores; each component is a port of its own and an opened app is a composition of five.
 *
 * Rules for every adapter: asynchronous; batch-first (a page makes a fixed number of calls whatever its row count); nothing returns
 * "all"; a missing table, key or row is an empty answer, never an error; unknown statuses are data. A store that cannot be read throws
 * StoreUnreachableError.
 */
import type { RunnerRole } from "../pynenc/history-roles.ts";
import type {
  AppInfoRecord,
  BlockingEdge,
  ClientDataRecord,
  ConditionRecord,
  CutMark,
  EventRecord,
  EventSummary,
  ExecutionRecord,
  HeartbeatRecord,
  HistoryRecord,
  InvocationRecord,
  InvocationStatusRecord,
  QueueMessage,
  RunnerContextRecord,
  StoredValueRecord,
  TriggeredInvocation,
  TriggerRecord,
  TriggerRunRecord,
  WorkflowDataRecord,
  WorkflowRunRecord,
} from "../pynenc/records.ts";
import type { KnownControl } from "../pynenc/rerun.ts";
import type { EpochSeconds } from "../pynenc/time.ts";

export type ComponentName = "broker" | "orchestrator" | "state_backend" | "client_data_store" | "trigger";

export const COMPONENTS: readonly ComponentName[] = [
  "broker",
  "orchestrator",
  "state_backend",
  "client_data_store",
  "trigger",
];

/** A slice of an ordered list. */
export interface Slice {
  limit: number;
  offset: number;
}

/**
 * A place in the order "newest first" of one listing, handed out by the adapter with each row. Opaque to callers: pass it back to go
 * on after that row.
 */
export type Cursor = string;

/**
 * How many rows an answer about several ids holds at most: all together, or of each id, so that one id with many rows does not crowd out
 * the others.
 */
export type RowLimit = number | { each: number };

/**
 * Rows and bytes of one table or key family. Bytes are null if they cannot be read cheaply, and estimated from some keys of a family
 * where the store has no sum of them.
 */
export interface StorageFigure {
  name: string;
  component: ComponentName;
  rows: number;
  /**
   * False if counting would read too much: `rows` is then estimated from the range of row numbers, exact unless single rows were deleted, or
   * from a sample of keys.
   */
  exact: boolean;
  bytes: number | null;
}

/** One file of a store that is made of files. */
export interface StoreFile {
  path: string;
  /** Components whose data it holds. */
  components: ComponentName[];
  bytes: number;
  /** Of the write-ahead log; null if there is none. */
  log_bytes: number | null;
  /** Null if not known. */
  journal_mode: "wal" | "rollback" | null;
  modified: EpochSeconds;
  /** The file or folder that this user may not write to; null when writing is possible. */
  unwritable: string | null;
}

/** One queue that has messages. */
export interface QueueCount {
  /** Null for the one queue of layouts without names. */
  queue_name: string | null;
  messages: number;
  /** When its oldest message was put in; null where that is not kept. */
  oldest: EpochSeconds | null;
}

/** In what form the messages of an app lie. */
export interface QueueLayout {
  /** Messages lie in named queues and have priorities: since 0.4. */
  named: boolean;
  /** False while there may be more queues than the port has listed. */
  complete: boolean;
  /** A sentence about what is uncertain in the list of queues; null if nothing is. */
  note: string | null;
}

export interface BrokerReads {
  layout(): Promise<QueueLayout>;
  /** With a name, those of that queue. */
  countMessages(queueName?: string): Promise<number>;
  /** Queues with messages, by name. */
  queues(): Promise<QueueCount[]>;
  /**
   * Queue after queue by name, the messages of each in the order in which they are taken: the greatest priority first, then the oldest. There
   * is no order over several queues. With a name, those of that queue. Never consumes.
   */
  peekMessages(slice: Slice, queueName?: string): Promise<QueueMessage[]>;
  /** All messages of these invocations, in the order in which they were put in where the store keeps that. */
  messagesOf(invocationIds: readonly string[]): Promise<QueueMessage[]>;
  /** Which of these invocations are in the queue now. */
  queuedAmong(invocationIds: readonly string[]): Promise<string[]>;
}

/** Restrictions that the orchestrator can answer alone. Absent members do not restrict; members combine with "and". */
export interface StatusFilter {
  /** Stored spelling, lower case; any of them. An empty list is met by nothing. */
  statuses?: readonly string[] | undefined;
  task_id_key?: string | undefined;
  call_id_key?: string | undefined;
  /** Beginning of an invocation id. */
  id_prefix?: string | undefined;
}

export interface StatusRow extends InvocationStatusRecord {
  cursor: Cursor;
}

/** Restrictions on a list of atomic-service executions; absent members do not restrict. */
export interface ExecutionFilter {
  /** It ran at some moment of [from, to]; one that runs still has no end. */
  from?: EpochSeconds;
  to?: EpochSeconds;
  runner_id?: string;
  status?: string;
  /** Beginning of a service run id. */
  id_prefix?: string;
  min_seconds?: number;
}

/** A runner's id with the part of it that was asked for. */
export interface RunnerIdMatch {
  part: string;
  runner_id: string;
}

export interface OrchestratorReads {
  /** Only statuses that occur; words as stored. */
  countByStatus(): Promise<Record<string, number>>;
  /** One entry for each pair that occurs. */
  countByTaskAndStatus(): Promise<{ task_id_key: string; status: string; count: number }[]>;
  /** Tasks of invocations with a status, in alphabetical order. */
  taskKeys(): Promise<string[]>;
  /** Latest status change of each task, among its newest invocations. */
  lastActivityOfTasks(taskIdKeys: readonly string[]): Promise<Record<string, EpochSeconds>>;
  /** In no particular order; unknown ids are left out. */
  statusesByIds(invocationIds: readonly string[]): Promise<InvocationStatusRecord[]>;
  /** Newest registration first. `after` continues after a row of an earlier answer to the same filter. */
  listInvocations(filter: StatusFilter, slice: Slice, after?: Cursor): Promise<StatusRow[]>;
  /** Matching rows, counted up to `cap`. */
  countInvocations(filter: StatusFilter, cap: number): Promise<number>;
  /** Heartbeats not older than `activeSince` when it is given; latest heartbeat first. */
  heartbeats(slice: Slice, activeSince?: EpochSeconds): Promise<HeartbeatRecord[]>;
  countHeartbeats(activeSince?: EpochSeconds): Promise<number>;
  /** Runners with a heartbeat since then by the queues that they take from, as in HeartbeatRecord; null where no heartbeats are kept. */
  consumers(activeSince: EpochSeconds): Promise<{ queues: readonly string[] | null; runners: number }[] | null>;
  heartbeatsByIds(runnerIds: readonly string[]): Promise<HeartbeatRecord[]>;
  /** Ids of heartbeats by their parts, at most `limit` for each: logs shorten ids. `anywhere` looks at every id for each part. */
  runnerIdsLike(parts: readonly string[], place: "beginning" | "anywhere", limit: number): Promise<RunnerIdMatch[]>;
  /** Who waits for whom, the latest wait first. */
  blockingEdges(slice: Slice): Promise<BlockingEdge[]>;
  countBlockingEdges(): Promise<number>;
  /** Edges in which the invocation takes part on either side. */
  blockingEdgesOf(invocationId: string, limit: number): Promise<BlockingEdge[]>;
  /** Pending since before `before`: due for recovery (storage-format.md 8). Oldest first. */
  pendingSince(before: EpochSeconds, limit: number): Promise<InvocationStatusRecord[]>;
  /**
   * In this status, with an owner whose heartbeat is missing or older than `deadBefore`. Those `running` are due for recovery; nothing
   * recovers those `paused` (storage-format.md 8). Longest in the status first.
   */
  ownedByDeadRunner(
    status: "running" | "paused",
    deadBefore: EpochSeconds,
    limit: number,
  ): Promise<InvocationStatusRecord[]>;
  /** Statuses of atomic-service executions with their counts; empty before 0.2.4. */
  countExecutionsByStatus(): Promise<Record<string, number>>;
  /** Newest first. */
  executions(slice: Slice, filter?: ExecutionFilter): Promise<ExecutionRecord[]>;
  /** Matching executions, counted up to `cap` when it is given. */
  countExecutions(filter?: ExecutionFilter, cap?: number): Promise<number>;
  executionsByIds(atomicServiceRunIds: readonly string[]): Promise<ExecutionRecord[]>;
}

/** A workflow type with the number of runs that started. */
export interface WorkflowTypeCount {
  workflow_type_key: string;
  runs: number;
}

export interface WorkflowMemberCount {
  members: number;
  /** False when there may be more. */
  exact: boolean;
}

/** An invocation id met while walking a listing newest first. */
export interface ListedId {
  invocation_id: string;
  cursor: Cursor;
}

/** What one step of a walk found, and how far it came. */
export interface ListedScan {
  rows: ListedId[];
  /** Number of candidates read. */
  scanned: number;
  /** Nothing is left behind them. */
  exhausted: boolean;
  last_cursor: Cursor | null;
}

/** What definitions say; absent members do not restrict. */
export interface DefinitionFilter {
  workflow_id?: string;
  workflow_type_key?: string;
  parent_invocation_id?: string;
}

/** Entries by when they were written. Absent members do not restrict; both ends belong to it. */
export interface HistoryWindow {
  from?: EpochSeconds;
  to?: EpochSeconds;
}

export interface HistoryFilter extends HistoryWindow {
  /** Only entries in which this runner has this role. */
  by?: RunnerRole;
}

/** Consecutive history entries, oldest first. */
export interface HistoryStretch {
  entries: HistoryRecord[];
  /** The far end of the stretch: pass it back to read on in the same direction. */
  place: Cursor;
  /** There are no entries beyond `place`. */
  exhausted: boolean;
  /**
   * The entries before `place` have changed: the history was purged, or the store was replaced. Nothing is read then. Detected only when reading
   * newer entries.
   */
  lost: boolean;
  /** Entries inserted before `place` since it was issued, by a host whose clock is behind. They are not in `entries`. */
  late: number;
}

/** The first or last entry of a history. Without its writer, because lists read two per row. */
export type HistoryEnd = Pick<HistoryRecord, "status" | "timestamp" | "written_at">;

/** Both ends of an invocation's history, which are one entry when there is only one. Of entries written at one instant, by status time. */
export interface HistorySpan {
  invocation_id: string;
  first: HistoryEnd;
  last: HistoryEnd;
}

/** History entries of one slice of a window, counted by sample. */
export interface SurveyedSlice {
  /** Entries in the slice. */
  entries: number;
  /** The sampled entries, by writer and status. */
  shares: { runner_context_id: string | null; status: string; met: number }[];
}

export interface HistorySurvey {
  /** Of equal length, in order of time. */
  slices: SurveyedSlice[];
  /** False where also the entries of a slice are an estimate. */
  exact: boolean;
}

export interface StateBackendReads {
  appInfo(): Promise<AppInfoRecord | null>;
  /** @param argumentBytes of more, `serialized_arguments` is the beginning. `PREVIEW_BYTES` unless given. */
  invocationsByIds(invocationIds: readonly string[], argumentBytes?: number): Promise<InvocationRecord[]>;
  /** All entries of these invocations in the order they were written, at most `limit` per call, oldest first. */
  historyOf(invocationIds: readonly string[], limit: number): Promise<HistoryRecord[]>;
  /** The last entries of this invocation in the order they were written, at most `limit`. */
  historyEndOf(invocationId: string, limit: number): Promise<HistoryRecord[]>;
  countHistoryOf(invocationId: string): Promise<number>;
  /** The first and the last entry of each invocation that has a history. */
  historySpanOf(invocationIds: readonly string[]): Promise<HistorySpan[]>;
  /**
   * Invocations with a history entry that meets the filter, the one with the latest such entry first. Looks at no more than `scanLimit`
   * entries; unless `exhausted`, call again with `last_cursor` to continue.
   */
  listActive(filter: HistoryFilter, limit: number, scanLimit: number, after?: Cursor): Promise<ListedScan>;
  /** Invocations by definition, newest registration first. Walks the whole store where no index leads to them (`scanDefined`). */
  listDefined(filter: DefinitionFilter, slice: Slice): Promise<ListedId[]>;
  /**
   * As `listDefined`, in pieces: where no index leads to the matches, looks at no more than `scanLimit` definitions. Unless `exhausted`, call
   * again with `last_cursor` to continue.
   */
  scanDefined(filter: DefinitionFilter, limit: number, scanLimit: number, after?: Cursor): Promise<ListedScan>;
  countDefined(): Promise<number>;
  /** Oldest registration first. */
  childrenOf(
    invocationIds: readonly string[],
    limit: RowLimit,
  ): Promise<{ invocation_id: string; parent_invocation_id: string }[]>;
  countChildren(invocationId: string): Promise<number>;
  /** Invocations whose definition names one of these events as their parent, oldest registration first. */
  invocationsOfEvents(
    eventIds: readonly string[],
    limit: RowLimit,
  ): Promise<{ invocation_id: string; parent_event_id: string }[]>;
  /** @param bytes at most of each; by default `VALUE_BYTES`. */
  resultsOf(invocationIds: readonly string[], bytes?: number): Promise<StoredValueRecord[]>;
  /** @param bytes at most of each; by default `VALUE_BYTES`. */
  exceptionsOf(invocationIds: readonly string[], bytes?: number): Promise<StoredValueRecord[]>;
  runnerContexts(runnerIds: readonly string[]): Promise<RunnerContextRecord[]>;
  /** As that of the orchestrator, of contexts. */
  runnerIdsLike(parts: readonly string[], place: "beginning" | "anywhere", limit: number): Promise<RunnerIdMatch[]>;
  /** Contexts newest first; with `parent` only its children. */
  listRunnerContexts(slice: Slice, parent?: string): Promise<RunnerContextRecord[]>;
  /** With `runnerIds`, how many of these runners have a context. */
  countRunnerContexts(runnerIds?: readonly string[]): Promise<number>;
  workflowTypes(): Promise<WorkflowTypeCount[]>;
  /**
   * Latest start first; a run that is recovered starts again. A store that does not keep when a run was written goes by the registration
   * of its root.
   */
  workflowRuns(slice: Slice, workflowTypeKey?: string): Promise<WorkflowRunRecord[]>;
  workflowRunsByIds(workflowIds: readonly string[]): Promise<WorkflowRunRecord[]>;
  /** Runs whose parent workflow is this one. */
  subWorkflows(workflowId: string, limit: number): Promise<WorkflowRunRecord[]>;
  /**
   * Invocations of the run, without the one that defines it: those that started inside it, roots of sub-workflows among them, in the order of
   * their start or, where that is not kept, of their registration; then those that only their definition gives to the run, because they have
   * not started or are recursive calls of its own task. Of the latter a bounded number is found.
   */
  workflowMembers(workflowId: string, slice: Slice): Promise<string[]>;
  /** Only runs with members. */
  countWorkflowMembers(workflowIds: readonly string[]): Promise<Record<string, WorkflowMemberCount>>;
  /** At most `VALUE_BYTES` of each. */
  workflowData(workflowId: string, slice: Slice): Promise<WorkflowDataRecord[]>;
  /** Null while a store that has just been opened is still counting. */
  countWorkflowData(workflowIds: readonly string[]): Promise<Record<string, number> | null>;
  /** At most `limit` entries of the window, the earliest or the latest of them; always answered in the order they were written. */
  historyBetween(window: HistoryWindow, limit: number, end: "earliest" | "latest"): Promise<HistoryRecord[]>;
  /** The position after the newest entry. */
  historyEnd(): Promise<Cursor>;
  /** At most `limit` entries before or after a position, those closest to it. */
  historyFrom(place: Cursor, direction: "older" | "newer", limit: number): Promise<HistoryStretch>;
  /** Entries of the window; not `exact` if estimated from row numbers, which may be off by a few because neighbouring rows are not in strict order. */
  countHistory(window: HistoryWindow): Promise<{ entries: number; exact: boolean }>;
  /** The last entry of each of these invocations that was written before an instant. */
  lastEntriesBefore(invocationIds: readonly string[], before: EpochSeconds): Promise<HistoryRecord[]>;
  /** What a window of any size holds, from about `sample` entries that lie evenly spread in it. */
  surveyHistory(window: Required<HistoryWindow>, slices: number, sample: number): Promise<HistorySurvey>;
  /** When the first and the last history entry were written. */
  historySpan(): Promise<{ first: EpochSeconds; last: EpochSeconds } | null>;
}

export interface ClientDataReads {
  /** Values by full reference; `text` is cut to `maxCharacters`. */
  valuesByKeys(references: readonly string[], maxCharacters: number): Promise<ClientDataRecord[]>;
  /** Newest first, or by reference where the store keeps no times; without the values. */
  listValues(slice: Slice): Promise<Omit<ClientDataRecord, "text">[]>;
  figures(): Promise<{ values: number; bytes: number; oldest: EpochSeconds | null; newest: EpochSeconds | null }>;
}

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

/** Restrictions on a list of trigger runs; absent members do not restrict. Times are those of execution, else of the claim. */
export interface TriggerRunFilter {
  task_id_key?: string;
  trigger_id?: string;
  from?: EpochSeconds;
  to?: EpochSeconds;
  /** Runs with a participant of this context type: `EventContext` ... */
  context_type?: string;
  atomic_service_run_id?: string;
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
  listEvents(filter: EventFilter, slice: Slice, after?: EventSummary): Promise<EventSummary[]>;
  /** Oldest first: markers of a time line. */
  listEventsForward(filter: EventFilter, slice: Slice): Promise<EventSummary[]>;
  /** Matching events, counted up to `cap`. */
  countEvents(filter: EventFilter, cap: number): Promise<number>;
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

/**
 * An invocation whose definition is stored and that the orchestrator has no status of: an auto-purge took it (storage-format.md 7.3) or a purge of
 * the orchestrator, or a process was killed while it registered the invocation.
 */
export interface ForgottenInvocation {
  invocation_id: string;
  task_id_key: string;
  call_id_key: string;
  /** Of its last history entry; null when it has no history. */
  last_status: string | null;
  /** Its position among definitions, as returned by `orderOf`. */
  order: number;
}

/** One step of a walk over the definitions. */
export interface ForgottenStep {
  rows: ForgottenInvocation[];
  /** Number of definitions read. */
  looked: number;
  /** Where to continue; null at the end. */
  next: Cursor | null;
  /** Position of the last definition read. */
  reached: number;
}

/** What lies between the orchestrator and the state backend: definitions without a status. */
export interface ForgottenReads {
  /** Reads about `lookLimit` definitions, newest registration first, and returns those without a status. */
  scan(lookLimit: number, after?: Cursor): Promise<ForgottenStep>;
  /**
   * Places of these invocations in the order of registration: greater is later. Comparable within one store only. Those without a
   * definition are left out.
   */
  orderOf(invocationIds: readonly string[]): Promise<Record<string, number>>;
}

/** Things with an id of their own. A workflow run has the id of the invocation that defines it. */
export const ID_KINDS = [
  "invocation",
  "workflow",
  "event",
  "trigger_run",
  "trigger",
  "condition",
  "valid_condition",
  "runner",
  "atomic_service_run",
  "call",
  "client_data",
] as const;
export type IdKind = (typeof ID_KINDS)[number];

export interface KnownId {
  kind: IdKind;
  id: string;
}

/** An id of which the middle or the end is missing. */
export interface PartOfId {
  kind: IdKind;
  /** Not empty. */
  beginning: string;
  /** Behind the beginning; empty where only that is known. */
  ending: string;
}

export interface IdMatches {
  /** In the order of their bytes. */
  ids: string[];
  /** False if there are more, or not everything was checked. */
  complete: boolean;
}

/** Ids of all components, whole and in part. */
export interface IdReads {
  /** Which of these are stored. */
  known(ids: readonly KnownId[]): Promise<KnownId[]>;
  /**
   * Ids with these parts, at most `limit` for each part: one answer for each, in their order. An index leads to them, or else no more is looked at
   * than a page can wait for.
   */
  matching(parts: readonly PartOfId[], limit: number): Promise<IdMatches[]>;
}

/** Rows of one table, or keys of one family. */
export interface RowCount {
  component: ComponentName;
  name: string;
  rows: number;
  /** As in StorageFigure; what an action reports is always exact. */
  exact: boolean;
}

/** Which finished invocations and executions are old enough to go (storage-format.md 6.4, 7.3). */
export interface OrchestratorRetention {
  /** Final invocations that became so until this instant. */
  final_until: EpochSeconds;
  /** Executions that ended before this instant; null keeps them regardless of age. */
  executions_before: EpochSeconds | null;
  /** So many executions may stay; 0 is no limit. */
  max_executions: number;
  /** Also invocations whose parent is not known to be final: one that asks for their result afterwards fails. */
  with_open_parents: boolean;
}

export interface OrchestratorPurge {
  invocations: number;
  /** Rows of their argument index. */
  invocation_args: number;
  /** Edges that wait for them. */
  blocking_edges: number;
  /** Due, but a message waits for them, and a runner that takes one without a status stops working. */
  invocations_kept: number;
  /**
   * Due, but their parent is not known to be final (`knownStatus`) and may still ask for their result, which pynenc cannot give without their
   * status. They stay; `with_open_parents` takes them, and then these are among `invocations`.
   */
  invocations_of_open_parents: number;
  /** Entries of the index by time, as old, whose invocation went earlier: with them goes what else names it. */
  leaked_index_entries: number;
  executions_by_age: number;
  executions_by_capacity: number;
  /** Due, but a trigger run still refers to them. */
  executions_kept: number;
  /** False in a preview estimated from a sample; what an action reports is always exact. */
  exact: boolean;
}

/** Which events and trigger runs are too old or too many (storage-format.md 5.7). */
export interface EventRetention {
  before: EpochSeconds;
  /** 0 is no limit. */
  max_events: number;
  /** 0 is no limit. */
  max_trigger_runs: number;
}

/** Each event and each run counts under the rule that met it first. */
export interface EventPurge {
  events_by_age: number;
  events_by_capacity: number;
  trigger_runs_by_age: number;
  /** An event that took part in them goes. */
  trigger_runs_of_events: number;
  trigger_runs_by_capacity: number;
  /** Rows of the tables that index them. */
  event_conditions: number;
  event_triggered_invocations: number;
  trigger_run_conditions: number;
}

/** Why a call cannot be registered again. */
export type RerunRefusal =
  /** No definition is stored. */
  | { kind: "unknown" }
  /** The stored arguments cannot be read as a map. */
  | { kind: "unreadable" }
  /** Externalised arguments whose values are missing. */
  | { kind: "dangling"; references: readonly string[] }
  /** The same call waits already, and the task has or may have control at registration. Can be overridden. */
  | { kind: "duplicate"; invocation_id: string };

export interface Rerun {
  /** The invocation whose call is registered again. */
  invocation_id: string;
  task_id_key: string | null;
  /** Null when refused, and in a preview. */
  new_invocation_id: string | null;
  refusal: RerunRefusal | null;
  /** The new invocation starts a new workflow run. */
  own_workflow: boolean;
  /** Arguments to write into the index for concurrency control: all of them, because the task may use it. */
  indexed_arguments: number;
  /** `unknown` also for an invocation without a definition. */
  control: KnownControl;
  /**
   * The newest invocation of the task that waits as registered, whatever its arguments; null where none does, and where the task has no
   * control at registration. Those of the list itself do not count.
   */
  waiting_of_task: string | null;
  /** Where its message goes; null when refused, and where the one queue has no name. */
  route: MessageRoute | null;
}

/** Where a message goes, where queues have names. */
export interface MessageRoute {
  queue_name: string;
  /** Higher is taken first. */
  priority: number;
}

/** Where new messages go. Without effect where the one queue has no name. */
export interface Routing {
  /** By task. */
  tasks: Readonly<Record<string, MessageRoute>>;
  /** Of tasks that are not named. */
  fallback: MessageRoute;
}

/** What pynenc does where nothing is set. */
export const DEFAULT_ROUTING: Routing = { tasks: {}, fallback: { queue_name: "default", priority: 0 } };

/** In whose name calls are registered. The instant is that of the transaction. */
export interface RerunRequest {
  caller: RunnerContextRecord;
  /** Register although the same call waits already. */
  force: boolean;
  /** False if the queue is in another store: the caller adds the messages there after this is committed. Default true. */
  enqueue?: boolean;
  /** DEFAULT_ROUTING unless given. */
  routing?: Routing;
  /** Tasks that start workflows by their settings, in addition to those whose rows show it. */
  workflow_tasks?: readonly string[];
}

/** Why no message is put into the queue for an invocation. */
export type RequeueRefusal =
  /** Neither a status nor a definition is stored. */
  | { kind: "unknown" }
  /** One of them is missing, and a runner that takes a message of such an invocation may stop working. */
  | { kind: "without_records"; missing: "status" | "definition" }
  /** Invocations of this status wait for no message. */
  | { kind: "not_waiting"; status: string }
  /** Its status changed only just now: the message may be on its way. */
  | { kind: "unsettled"; since: EpochSeconds }
  /** The queue has a message for it. */
  | { kind: "queued" }
  /** The queue can only be counted, and what is known does not prove that it has no message for it. Can be overridden. */
  | { kind: "unlisted"; messages: number; runners: number }
  /** A queue that is kept elsewhere did not take the message. */
  | { kind: "undelivered"; reason: string };

export interface Requeue {
  invocation_id: string;
  /** Null when its message was put into the queue or, in a preview, would be. */
  refusal: RequeueRefusal | null;
  /** As in `Rerun`. */
  route: MessageRoute | null;
}

/** When an invocation may get a message again. */
export interface RequeueRequest {
  /** Its status has not changed since this instant. */
  settled_until: EpochSeconds;
  /** Where the queue can only be counted: runners with a heartbeat since this instant may hold a message that they have just taken. */
  active_since: EpochSeconds;
  /** Where the queue can only be counted: also when a message for it may be there. */
  force: boolean;
  /** As in `RerunRequest`; then the queue is not checked. */
  enqueue?: boolean;
  /** As in `RerunRequest`. */
  routing?: Routing;
}

/**
 * What can be changed. The same methods serve as preview (`AppReads.preview`, in the snapshot of the page) and as action
 * (`AppStore.actions`): the preview counts with the conditions that the action deletes by. Each call is one transaction; a store that is
 * a server and would stand still for that long does it in steps, each of them atomic and none of them leaving a record half deleted.
 * Actions throw RefusedError where the store or its layout does not allow writing, and StoreUnreachableError when somebody else holds the
 * lock; then nothing was changed.
 */
export interface Actions {
  /** Empties components. The app's registration and the schema version stay (storage-format.md 7.1, 7.2). */
  purge(components: readonly ComponentName[]): Promise<RowCount[]>;
  /** Deletes the messages of one named queue; nothing where queues have no names. The invocations stay as they are. */
  purgeQueue(queueName: string): Promise<RowCount>;
  autoPurgeOrchestrator(retention: OrchestratorRetention): Promise<OrchestratorPurge>;
  autoPurgeEvents(retention: EventRetention): Promise<EventPurge>;
  /** One answer for each id, in their order. */
  rerun(invocationIds: readonly string[], request: RerunRequest): Promise<Rerun[]>;
  /**
   * Puts a message for each invocation that waits for one and has none at the end of the queue, and changes nothing else. That it waits and
   * has none is found out in the same step. One answer for each id, in their order.
   */
  requeue(invocationIds: readonly string[], request: RequeueRequest): Promise<Requeue[]>;
  /**
   * Removes messages whose invocation has no status or no definition and answers how many: pynenc writes both before the message, so no runner
   * can do anything with them. To be used right after a purge, when the queue is short. 0 where the queue can only be counted.
   */
  sweepQueue(): Promise<number>;
}

/** What a component's store can answer. Pages explain what is missing instead of showing zeros. */
export interface Capabilities {
  /** Events and trigger runs are recorded: since 0.2.4. */
  events: boolean;
  /** Atomic-service executions are recorded: since 0.2.4. */
  executions: boolean;
  /** The component's own tables exist at all; false for a component kept in memory or elsewhere. */
  components: Record<ComponentName, boolean>;
  /** Messages of the queue can be listed, not only counted. */
  queue_peek: boolean;
  /** Heartbeats record which queues a runner takes from: since 0.4. Null if no heartbeats are stored. */
  consumed_queues: boolean | null;
  /** Other apps may put their messages into the same queue: counts and purges are about theirs too. */
  queue_shared: boolean;
  /** A purge happens whole or not at all; otherwise one that is interrupted has done a part. */
  purge_is_atomic: boolean;
  /** Why actions that change state are refused, or null when they are possible. */
  writes_refused: string | null;
}

/** The layout, detected from tables and columns (storage-format.md 0.3). */
export interface LayoutReport {
  /** `0.2.0 to 0.2.3`, `0.2.4`, `0.3.0 to 0.3.1`, `0.4.0 or newer`, or `incomplete`. */
  label: string;
  /** The evidence, one sentence each. */
  evidence: string[];
  trigger_schema: number | null;
  /** Tables of the app's prefix that no known layout has. */
  unknown_tables: string[];
  /** What cannot be shown because columns that pynenc writes are missing: one sentence for each table. */
  gaps: string[];
}

/** The five components of one app, read in one consistent snapshot where they share a store that has snapshots. */
export interface AppReads {
  broker: BrokerReads;
  orchestrator: OrchestratorReads;
  state_backend: StateBackendReads;
  client_data_store: ClientDataReads;
  trigger: TriggerReads;
  forgotten: ForgottenReads;
  ids: IdReads;
  layout: LayoutReads;
  preview: Actions;
}

/** Facts about the store itself, in the same snapshot as the data. */
export interface LayoutReads {
  report(): Promise<LayoutReport>;
  capabilities(): Promise<Capabilities>;
  /** Rows and bytes per table. Walks an index of each: remember the answer. */
  figures(): Promise<StorageFigure[]>;
  /** Empty for a store that is a server. */
  files(): Promise<StoreFile[]>;
}

/** What this process asks of a server: means of a second over the last minute, and the most that it may ask. */
export interface ServerLoad {
  /** With secrets masked. */
  location: string;
  commands: number;
  /** Of answers. */
  bytes: number;
  most_commands: number;
  most_bytes: number;
}

/** An app in an opened store. */
export interface AppStore {
  readonly app_id: string;
  /** Where each component is kept, for people: an absolute path or a masked URL. */
  readonly location: string;
  readonly kind: string;
  /**
   * Runs `fn` against one consistent snapshot that ends when `fn` settles. Keep it short: it holds back WAL checkpoints. Not inside
   * another `read`: that is an error. A server without snapshots answers each call as of its own moment, so that rows of one page may
   * differ by what happened meanwhile; links dangle then, which they may anywhere.
   *
   * @param signal of whoever asked: once they have gone, what waits is not begun, and what is being read ends with its next step.
   * @throws AbandonedError then.
   */
  read<T>(fn: (reads: AppReads) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** `LayoutReport.gaps` as of the latest read; shown on every page. */
  readonly gaps: readonly string[];
  /** Of each server that keeps a part of the app and that the store asks no more than it may; empty for files. */
  readonly loads: readonly ServerLoad[];
  /** Every action is refused. */
  readonly readOnly: boolean;
  readonly actions: Actions;
  /** Cheap token that changes when data may have changed; comparable only with tokens of the same process. Never fails. */
  version(): Promise<string>;
}

/** An app found in a store, before it is opened (storage-format.md 12.4). */
export interface DiscoveredApp {
  app_id: string;
  info: AppInfoRecord | null;
  /** Registered but without invocations: usually left by a process that only read (storage-format.md 12.4). */
  phantom: boolean;
}

/** An opened store: a file or a server that may hold several apps. */
export interface Store {
  readonly kind: string;
  readonly location: string;
  /**
   * Real apps first, by id; then phantoms. With `soon`, a store that takes long to tell them all for the first time answers with those that
   * it found so far.
   */
  apps(soon?: boolean): Promise<DiscoveredApp[]>;
  /** As `AppStore.version`. */
  version(): Promise<string>;
  app(appId: string): AppStore;
  close(): Promise<void>;
}
