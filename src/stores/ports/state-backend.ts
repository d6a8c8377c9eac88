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
import type { RowPrint } from "../../pynenc/row-prints.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { Cursor, RowLimit, Slice } from "./common.ts";

/** A workflow type and its number of started runs. */
export interface WorkflowTypeCount {
  workflow_type_key: string;
  runs: number;
}

export interface WorkflowMemberCount {
  members: number;
  /** False when there may be more. */
  exact: boolean;
}

/** An invocation id in a newest-first listing. */
export interface ListedId {
  invocation_id: string;
  cursor: Cursor;
}

/** What one step of a walk found and how far it got. */
export interface ListedScan {
  rows: ListedId[];
  /** Number of candidates read. */
  scanned: number;
  /** There are no further candidates. */
  exhausted: boolean;
  last_cursor: Cursor | null;
}

/** Which workflow runs to list: all, those of a type, or those with these ids in no particular order. */
export type WorkflowRunFilter = { workflow_type_key?: string } | { workflow_ids: readonly string[] };

/** Conditions on definitions; absent members do not restrict. */
export interface DefinitionFilter {
  workflow_id?: string;
  workflow_type_key?: string;
  parent_invocation_id?: string;
}

export type OutcomeKind = "result" | "exception";

export interface StoredOutcome extends StoredValueRecord {
  kind: OutcomeKind;
}

/** Entries by time of writing. Absent members do not restrict; both ends are inclusive. */
export interface HistoryWindow {
  from?: EpochSeconds;
  to?: EpochSeconds;
}

export interface HistoryFilter extends HistoryWindow {
  /** Only entries in which this runner has this role. */
  by?: RunnerRole;
}

/** History entries, oldest first. */
export interface PrintedHistory {
  entries: HistoryRecord[];
  /** Fingerprints of all stored rows, including those that cannot be read as entries, without rows that have no finite time. */
  prints: RowPrint[];
}

/** Consecutive history entries. */
export interface HistoryStretch extends PrintedHistory {
  /** The far end of the stretch: pass it back to continue in the same direction. */
  cursor: Cursor;
  /** There are no entries beyond `cursor`. */
  exhausted: boolean;
  /**
   * The entries before `cursor` have changed: the history was purged or the store was replaced. Then nothing is returned. Detected only when reading
   * newer entries.
   */
  lost: boolean;
  /** Entries inserted before `cursor` since it was issued, by a host whose clock is behind. They are not in `entries`. */
  late: number;
}

/** Consecutive rows of the history, oldest first, without their content. */
export type PrintStretch = Pick<HistoryStretch, "prints" | "cursor" | "exhausted">;

/** The first or last entry of a history. Without its writer, because lists read two per row. */
export type HistoryEnd = Pick<HistoryRecord, "status" | "timestamp" | "written_at">;

/** First and last entry of an invocation's history (`endsOf`), which are the same if it has only one. */
export interface HistorySpan {
  invocation_id: string;
  first: HistoryEnd;
  last: HistoryEnd;
}

export interface StateBackendReads {
  appInfo(): Promise<AppInfoRecord | null>;
  /** @param argumentBytes longer `serialized_arguments` are cut to this size. Default: `PREVIEW_BYTES`. */
  invocationsByIds(invocationIds: readonly string[], argumentBytes?: number): Promise<InvocationRecord[]>;
  /** Those of these invocations that have a definition, much faster than `invocationsByIds`. A store may include some without one. */
  tasksOf(invocationIds: readonly string[]): Promise<Pick<InvocationRecord, "invocation_id" | "task_id_key">[]>;
  /** Entries of these invocations, each history in the order of insertion; at most `limit` in total, by default of all the oldest. */
  historyOf(invocationIds: readonly string[], limit: number, end?: "earliest" | "latest"): Promise<HistoryRecord[]>;
  countHistoryOf(invocationId: string): Promise<number>;
  /** The first and the last entry of each invocation that has a history. */
  historySpanOf(invocationIds: readonly string[]): Promise<HistorySpan[]>;
  /**
   * Invocations with a history entry that matches the filter, by their latest matching entry, newest first. Examines at most `scanLimit` entries;
   * unless `exhausted`, call again with `last_cursor` to continue.
   */
  listActive(filter: HistoryFilter, limit: number, scanLimit: number, after?: Cursor): Promise<ListedScan>;
  /** Invocations by definition, newest registration first. Walks the whole store if no index serves the filter; see `scanDefined`. */
  listDefined(filter: DefinitionFilter, slice: Slice): Promise<ListedId[]>;
  /**
   * Like `listDefined`, in steps: without an index, examines at most `scanLimit` definitions. Unless `exhausted`, call again with `last_cursor` to
   * continue.
   */
  scanDefined(filter: DefinitionFilter, limit: number, scanLimit: number, after?: Cursor): Promise<ListedScan>;
  /** With `parentId`, the invocations that this one called. */
  countDefined(parentId?: string): Promise<number>;
  /** Invocations whose definition names one of these as their parent, oldest registration first. @param kind of the parents, by default invocations. */
  childrenOf(
    parentIds: readonly string[],
    limit: RowLimit,
    kind?: "invocation" | "event",
  ): Promise<{ invocation_id: string; parent_id: string }[]>;
  /** @param bytes at most of each; by default `VALUE_BYTES`. */
  outcomesOf(kinds: readonly OutcomeKind[], invocationIds: readonly string[], bytes?: number): Promise<StoredOutcome[]>;
  runnerContexts(runnerIds: readonly string[]): Promise<RunnerContextRecord[]>;
  /** Contexts newest first; with `parent` only its children. */
  listRunnerContexts(slice: Slice, parent?: string): Promise<RunnerContextRecord[]>;
  /** All, those of these runners, or those of code outside of any runner: programs that call tasks, and monitors. */
  countRunnerContexts(of: "all" | "callers" | readonly string[]): Promise<number>;
  workflowTypes(): Promise<WorkflowTypeCount[]>;
  /** Latest start first; a recovered run starts again. A store that does not keep the start time orders by the registration of the run's root. */
  workflowRuns(slice: Slice, filter?: WorkflowRunFilter): Promise<WorkflowRunRecord[]>;
  /** Runs whose parent workflow is this one. */
  subWorkflows(workflowId: string, limit: number): Promise<WorkflowRunRecord[]>;
  /**
   * Invocations of the run, without the one that defines it. First those that started inside it, including roots of sub-workflows, in order of start
   * or, if that is not stored, of registration. Then those that only their definition assigns to the run, because they have not started or are
   * recursive calls of its own task; a limited number of these is found.
   */
  workflowMembers(workflowId: string, slice: Slice): Promise<string[]>;
  /** Only runs with members. */
  countWorkflowMembers(workflowIds: readonly string[]): Promise<Record<string, WorkflowMemberCount>>;
  /** At most `LIST_BYTES` of each. */
  workflowData(workflowId: string, slice: Slice): Promise<WorkflowDataRecord[]>;
  /** Null while a store that has just been opened is still counting. */
  countWorkflowData(workflowIds: readonly string[]): Promise<Record<string, number> | null>;
  /** The earliest or latest `limit` entries of the window, always in the order they were written. */
  historyBetween(window: HistoryWindow, limit: number, end: "earliest" | "latest"): Promise<HistoryRecord[]>;
  /** For each window its earliest entries, at most `each`, in the order they were written. At most 100 windows. */
  historyWithin(windows: readonly HistoryWindow[], each: number): Promise<HistoryRecord[][]>;
  /** Like `historyBetween`, for those who check later whether rows have changed. */
  printedBetween(window: HistoryWindow, limit: number): Promise<PrintedHistory>;
  /** The rows of `printedBetween` without their content; as `printsBefore`. */
  printsBetween(window: HistoryWindow, limit: number): Promise<RowPrint[]>;
  /** The position after the newest entry. */
  historyEnd(): Promise<Cursor>;
  /** The `limit` entries closest to a position, before or after it. */
  historyFrom(cursor: Cursor, direction: "older" | "newer", limit: number): Promise<HistoryStretch>;
  /** The rows that `historyFrom` reads before a position; takes far less time, because nothing is parsed. */
  printsBefore(cursor: Cursor, limit: number): Promise<PrintStretch>;
  /**
   * Number of entries in the window. Not `exact` if estimated from row numbers, which may be off by a few because neighbouring rows are not in strict
   * order.
   */
  countHistory(window: HistoryWindow): Promise<{ entries: number; exact: boolean }>;
  /** The last entry of each invocation written before an instant. */
  lastEntriesBefore(invocationIds: readonly string[], before: EpochSeconds): Promise<HistoryRecord[]>;
  /** When the first and the last history entry were written. */
  historySpan(): Promise<{ first: EpochSeconds; last: EpochSeconds } | null>;
}

// Parts of the port; each store implements them in separate files.

export type DefinitionReads = Pick<
  StateBackendReads,
  "invocationsByIds" | "tasksOf" | "listDefined" | "scanDefined" | "countDefined" | "childrenOf" | "outcomesOf"
>;
export type HistoryReads = Pick<
  StateBackendReads,
  "historyOf" | "countHistoryOf" | "historySpanOf" | "lastEntriesBefore"
>;
export type HistoryWindowReads = Pick<
  StateBackendReads,
  | "listActive"
  | "historyBetween"
  | "historyWithin"
  | "printedBetween"
  | "printsBetween"
  | "countHistory"
  | "historySpan"
>;
export type RunnerContextReads = Pick<
  StateBackendReads,
  "runnerContexts" | "listRunnerContexts" | "countRunnerContexts"
>;
export type WorkflowReads = Pick<
  StateBackendReads,
  "workflowTypes" | "workflowRuns" | "subWorkflows" | "workflowMembers" | "countWorkflowMembers"
>;
