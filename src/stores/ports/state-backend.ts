import type { RunnerRole } from "../../pynenc/history-roles.ts";
import type {
  AppInfoRecord,
  HistoryRecord,
  InvocationRecord,
  RunnerContextRecord,
  StoredValueRecord,
  WorkflowDataRecord,
  WorkflowRunRecord,
} from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Cursor, RowLimit, RunnerIdMatch, Slice } from "./common.ts";

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
  cursor: Cursor;
  /** There are no entries beyond `cursor`. */
  exhausted: boolean;
  /**
   * The entries before `cursor` have changed: the history was purged, or the store was replaced. Nothing is read then. Detected only when reading
   * newer entries.
   */
  lost: boolean;
  /** Entries inserted before `cursor` since it was issued, by a host whose clock is behind. They are not in `entries`. */
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
  /** Of these invocations, those with a definition, in a fraction of the time of `invocationsByIds`; a store may add some that have none. */
  tasksOf(invocationIds: readonly string[]): Promise<Pick<InvocationRecord, "invocation_id" | "task_id_key">[]>;
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
  runnerIdsLike(parts: readonly string[], where: "beginning" | "anywhere", limit: number): Promise<RunnerIdMatch[]>;
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
  historyFrom(cursor: Cursor, direction: "older" | "newer", limit: number): Promise<HistoryStretch>;
  /** Entries of the window; not `exact` if estimated from row numbers, which may be off by a few because neighbouring rows are not in strict order. */
  countHistory(window: HistoryWindow): Promise<{ entries: number; exact: boolean }>;
  /** The last entry of each of these invocations that was written before an instant. */
  lastEntriesBefore(invocationIds: readonly string[], before: EpochSeconds): Promise<HistoryRecord[]>;
  /** What a window of any size holds, from about `sample` entries that lie evenly spread in it. */
  surveyHistory(window: Required<HistoryWindow>, slices: number, sample: number): Promise<HistorySurvey>;
  /** When the first and the last history entry were written. */
  historySpan(): Promise<{ first: EpochSeconds; last: EpochSeconds } | null>;
}

// Its parts: each store has them in files of their own.

export type DefinitionReads = Pick<
  StateBackendReads,
  | "invocationsByIds"
  | "tasksOf"
  | "listDefined"
  | "scanDefined"
  | "countDefined"
  | "childrenOf"
  | "countChildren"
  | "invocationsOfEvents"
  | "resultsOf"
  | "exceptionsOf"
>;
export type HistoryReads = Pick<
  StateBackendReads,
  "historyOf" | "historyEndOf" | "countHistoryOf" | "historySpanOf" | "lastEntriesBefore"
>;
export type HistoryWindowReads = Pick<
  StateBackendReads,
  "listActive" | "historyBetween" | "countHistory" | "surveyHistory" | "historySpan"
>;
export type RunnerContextReads = Pick<
  StateBackendReads,
  "runnerContexts" | "runnerIdsLike" | "listRunnerContexts" | "countRunnerContexts"
>;
export type WorkflowReads = Pick<
  StateBackendReads,
  "workflowTypes" | "workflowRuns" | "workflowRunsByIds" | "subWorkflows" | "workflowMembers" | "countWorkflowMembers"
>;
