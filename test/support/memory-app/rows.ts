/** All that an app keeps, as lists of records in the order in which they were written. */
import type {
  AppInfoRecord,
  BlockingEdge,
  ConditionRecord,
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
import type { Capabilities, LayoutReport, StoreFile } from "../../../src/stores/ports/layout.ts";

export interface Lists {
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

  values: { data_key: string; text: string; created_at: EpochSeconds | null }[];

  conditions: ConditionRecord[];
  triggers: TriggerRecord[];
  valid_conditions: { valid_condition_id: string; valid_condition_json: string }[];
  /** Tasks whose invocations are watched by a condition. */
  watched_tasks: string[];
  events: EventRecord[];
  links: TriggeredInvocation[];
  runs: TriggerRunRecord[];
}

/** The lists, and what is said of the store itself: other stores than SQLite say other things. */
export interface MemoryRows extends Lists {
  app_info: AppInfoRecord | null;
  capabilities: Capabilities;
  queue_layout: QueueLayout;
  layout: LayoutReport;
  files: StoreFile[];
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
  };
}
