/** All that an app keeps, as arrays of records in the order in which they were written. */
import type {
  AppInfoRecord,
  BlockingEdge,
  ConditionRecord,
  CutMark,
  EventRecord,
  ExecutionRecord,
  HeartbeatRecord,
  HistoryRecord,
  InvocationRecord,
  InvocationStatusRecord,
  QueueMessage,
  RunnerContextRecord,
  TriggeredInvocation,
  TriggerRecord,
  TriggerRunRecord,
  WorkflowDataRecord,
  WorkflowRunRecord,
} from "../../../src/pynenc/records.ts";
import type { EpochSeconds } from "../../../src/pynenc/time.ts";
import type { QueueLayout } from "../../../src/stores/ports/broker.ts";
import type { RowLimit, Slice } from "../../../src/stores/ports/common.ts";
import type { Capabilities, LayoutReport, StoreFile } from "../../../src/stores/ports/layout.ts";

export interface MemoryRows {
  messages: QueueMessage[];

  /** In the order of registration. */
  statuses: InvocationStatusRecord[];
  /** Of calls whose task uses concurrency control. */
  indexed_arguments: { invocation_id: string; arg_key: string; arg_value: string }[];
  heartbeats: HeartbeatRecord[];
  edges: BlockingEdge[];
  executions: ExecutionRecord[];

  /** In the order of registration. */
  definitions: InvocationRecord[];
  history: HistoryRecord[];
  results: { invocation_id: string; stored: string }[];
  exceptions: { invocation_id: string; stored: string }[];
  contexts: RunnerContextRecord[];
  /** In the order of their latest start. */
  workflows: WorkflowRunRecord[];
  members: { workflow_id: string; invocation_id: string }[];
  workflow_data: (WorkflowDataRecord & { workflow_id: string })[];
  app_info: AppInfoRecord | null;

  values: { data_key: string; text: string; created_at: EpochSeconds | null }[];

  conditions: ConditionRecord[];
  triggers: TriggerRecord[];
  valid_conditions: { valid_condition_id: string; valid_condition_json: string }[];
  /** Tasks whose invocations are watched by a condition. */
  watched_tasks: string[];
  events: EventRecord[];
  links: TriggeredInvocation[];
  runs: TriggerRunRecord[];

  capabilities: Capabilities;
  queue_layout: QueueLayout;
  layout: LayoutReport;
  files: StoreFile[];
  /** The layout gives every invocation a workflow (until 0.2.4). */
  workflow_required: boolean;
  /** Ids of invocations are found by their beginning, as in files. */
  ids_indexed: boolean;
}

export function emptyRows(): MemoryRows {
  return {
    messages: [],
    statuses: [],
    indexed_arguments: [],
    heartbeats: [],
    edges: [],
    executions: [],
    definitions: [],
    history: [],
    results: [],
    exceptions: [],
    contexts: [],
    workflows: [],
    members: [],
    workflow_data: [],
    app_info: null,
    values: [],
    conditions: [],
    triggers: [],
    valid_conditions: [],
    watched_tasks: [],
    events: [],
    links: [],
    runs: [],
    capabilities: {
      events: true,
      executions: true,
      components: { broker: true, orchestrator: true, state_backend: true, client_data_store: true, trigger: true },
      queue_peek: true,
      consumed_queues: false,
      queue_shared: false,
      purge_is_atomic: true,
      writes_refused: null,
    },
    queue_layout: { named: false, complete: true, note: null },
    layout: { label: "0.3.0 to 0.3.1", evidence: [], trigger_schema: 3, unknown_tables: [], gaps: [] },
    files: [],
    workflow_required: false,
    ids_indexed: true,
  };
}

/** Stays as it is when rows come and go. */
export function snapshotOf(rows: MemoryRows): MemoryRows {
  const copied = Object.entries(rows).map(([name, kept]) => [name, Array.isArray(kept) ? [...kept] : kept]);
  return Object.fromEntries(copied) as MemoryRows;
}

export function sliceOf<T>(rows: readonly T[], { limit, offset }: Slice): T[] {
  return rows.slice(offset, offset + limit);
}

/** A stored text as far as stores hand it out. */
export function boundedText(text: string, bytes: number): { text: string } & CutMark {
  const size = Buffer.byteLength(text);
  if (size <= bytes) return { text };
  return {
    text: Buffer.from(text)
      .subarray(0, bytes)
      .toString("utf8")
      .replace(/\uFFFD$/, ""),
    whole_size: size,
  };
}

/** Sorted by the first key that differs; equal rows stay in their order. For the largest first, negate the number. */
export function sortedBy<T>(rows: readonly T[], ...keys: ((row: T) => number | string)[]): T[] {
  const order = (a: T, b: T) => {
    for (const key of keys) {
      const x = key(a);
      const y = key(b);
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  };
  return [...rows].sort(order);
}

/** The first place of sorted rows from which on they are so. */
export function placeOf<T>(sorted: readonly T[], isSo: (row: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(sorted[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** In order; the first `limit` of them, or of those with one `id`. */
export function limited<T>(rows: readonly T[], id: (row: T) => string, limit: RowLimit): T[] {
  if (typeof limit === "number") return rows.slice(0, limit);
  const met = new Map<string, number>();
  return rows.filter((row) => {
    const n = (met.get(id(row)) ?? 0) + 1;
    met.set(id(row), n);
    return n <= limit.each;
  });
}

/** The rows behind the one with this cursor. A cursor is handed out with a row, and no test removes rows while it walks. */
export function behind<T>(rows: readonly T[], cursorOf: (row: T) => string, after: string | undefined): readonly T[] {
  if (after === undefined) return rows;
  const at = rows.findIndex((row) => cursorOf(row) === after);
  if (at === -1) throw new Error(`no row has the cursor ${after}`);
  return rows.slice(at + 1);
}

/** How many rows have each key. */
export function counted<T>(rows: readonly T[], key: (row: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[key(row)] = (counts[key(row)] ?? 0) + 1;
  return counts;
}

/** Selects rows of these invocations. Services ask for hundreds at once, in tests of thousands. */
export function ofAny(ids: readonly string[]): (row: { invocation_id: string }) => boolean {
  const all = new Set(ids);
  return ({ invocation_id }) => all.has(invocation_id);
}

/** Rows by invocation, in their order. */
export function byInvocation<Row extends { invocation_id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const known = found.get(row.invocation_id);
    if (known === undefined) found.set(row.invocation_id, [row]);
    else known.push(row);
  }
  return found;
}

export function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
