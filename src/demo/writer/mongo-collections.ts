/** The collections of an app as pynenc's plugin for MongoDB makes them (storage-format.md 11.3). */
import { createHash } from "node:crypto";
import type { Db, IndexDescription } from "mongodb";

/** Indexes of each collection as the plugin makes them; `!` behind those that are unique. Some are of fields that no document has. */
const INDEXES: Readonly<Record<string, readonly string[]>> = {
  broker_message_queue: ["created_at"],
  orchestrator_invocations: [
    "invocation_id!",
    "task_id",
    "call_id",
    "status",
    "auto_purge_timestamp",
    "status_runner_id",
  ],
  orchestrator_invocation_args: ["invocation_id arg_key!", "arg_key arg_value"],
  orchestrator_blocking_edges: ["waiter_id waited_id!", "waited_id", "waiter_id"],
  orchestrator_runner_heartbeats: ["runner_id!", "last_heartbeat", "creation_timestamp runner_id"],
  orchestrator_atomic_service_executions: ["atomic_service_run_id!", "start_time", "end_time", "runner_id"],
  orchestrator_atomic_service_active_execution: ["atomic_service_run_id"],
  state_backend_invocations: [
    "invocation_id!",
    "parent_invocation_id",
    "parent_event_id",
    "workflow_id",
    "workflow_type_key",
  ],
  state_backend_results: ["invocation_id!"],
  state_backend_exceptions: ["invocation_id!"],
  state_backend_history: ["invocation_id history_timestamp history_status!", "history_timestamp"],
  state_backend_workflows: ["workflow_id!", "workflow_type"],
  state_backend_workflow_data: ["workflow_id data_key!"],
  state_backend_workflow_sub_invocations: ["parent_workflow_id sub_invocation_id!"],
  state_backend_runner_contexts: ["runner_id!"],
  state_backend_app_info: ["app_id!"],
  state_backend_chunks: ["chunk_key seq!", "chunk_key"],
  arg_cache: ["cache_key!", "created_at"],
  arg_cache_chunks: ["chunk_key seq!", "chunk_key"],
  trg_conditions: ["condition_id!"],
  trg_triggers: ["trigger_id!"],
  trg_condition_triggers: ["condition_id trigger_id!", "condition_id", "trigger_id"],
  trg_valid_conditions: ["valid_condition_id!"],
  trg_source_task_conditions: ["task_id_key condition_id!", "task_id_key"],
  trg_execution_claims: ["claim_key!", "expiration"],
  trg_trigger_run_claims: ["trigger_run_id!", "expiration"],
  trg_events: [
    "event_id!",
    "-timestamp",
    "event_code -timestamp",
    "matched",
    "triggered",
    "emitted_by_invocation_id",
    "emitted_by_task_id",
    "triggered_invocation_ids",
  ],
  trg_trigger_runs: [
    "trigger_run_id!",
    "-sort_time",
    "event_ids",
    "event_codes -sort_time",
    "source_invocation_ids",
    "triggered_invocation_id",
    "valid_condition_ids",
    "task_id_key -sort_time",
  ],
};

export interface CollectionIndex {
  /** Members in their order, `-` before one that descends. */
  fields: readonly string[];
  unique: boolean;
}

/** @param name of a collection, without the prefix of the app. @param more as in INDEXES. */
export function indexesOf(name: string, more: readonly string[] = []): CollectionIndex[] {
  return [...(INDEXES[name] ?? []), ...more].map((index) => ({
    fields: index.replace("!", "").split(" "),
    unique: index.endsWith("!"),
  }));
}

/** Most bytes of an index's name behind those of its database and collection, up to MongoDB 4.0. */
const MAX_NAME_BYTES = 127;

/** @param name in full. */
export async function createIndexes(db: Db, name: string, indexes: readonly CollectionIndex[]): Promise<void> {
  if (indexes.length === 0) return;
  await db.collection(name).createIndexes(
    indexes.map(({ fields, unique }): IndexDescription => {
      const key = Object.fromEntries(
        fields.map((field) => (field.startsWith("-") ? [field.slice(1), -1] : [field, 1])),
      );
      const usual = Object.entries(key).flat().join("_");
      const fits = Buffer.byteLength(`${db.databaseName}.${name}.$${usual}`) <= MAX_NAME_BYTES;
      // The plugin, too, shortens those that are longer, and no others.
      const short = `idx_${createHash("sha256").update(usual).digest("hex").slice(0, 8)}`;
      return { key, name: fits ? usual : short, ...(unique && { unique }) };
    }),
  );
}

/** Names of all collections, without the prefix of the app. */
export const COLLECTION_NAMES = Object.keys(INDEXES);
