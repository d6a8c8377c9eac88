/** Names of an app's collections (storage-format.md 11.2). */
import { collectionPrefix } from "../../../pynenc/identifiers.ts";
import type { ComponentName } from "../../ports/common.ts";

/** By component: the names that the adapter uses, with what follows the prefix of the app. */
export const COLLECTIONS = {
  broker: { messages: "broker_message_queue" },
  orchestrator: {
    invocations: "orchestrator_invocations",
    invocation_args: "orchestrator_invocation_args",
    blocking_edges: "orchestrator_blocking_edges",
    runner_heartbeats: "orchestrator_runner_heartbeats",
    executions: "orchestrator_atomic_service_executions",
    active_execution: "orchestrator_atomic_service_active_execution",
    service_events: "orchestrator_atomic_service_events",
  },
  state_backend: {
    invocations: "state_backend_invocations",
    history: "state_backend_history",
    results: "state_backend_results",
    exceptions: "state_backend_exceptions",
    workflows: "state_backend_workflows",
    workflow_data: "state_backend_workflow_data",
    workflow_members: "state_backend_workflow_sub_invocations",
    runner_contexts: "state_backend_runner_contexts",
    app_info: "state_backend_app_info",
    chunks: "state_backend_chunks",
  },
  client_data_store: { values: "arg_cache", chunks: "arg_cache_chunks" },
  trigger: {
    conditions: "trg_conditions",
    triggers: "trg_triggers",
    condition_triggers: "trg_condition_triggers",
    valid_conditions: "trg_valid_conditions",
    source_task_conditions: "trg_source_task_conditions",
    execution_claims: "trg_execution_claims",
    trigger_run_claims: "trg_trigger_run_claims",
    events: "trg_events",
    trigger_runs: "trg_trigger_runs",
  },
} as const satisfies Record<ComponentName, Record<string, string>>;

export type CollectionOf<Component extends ComponentName> = keyof (typeof COLLECTIONS)[Component] & string;

export type AnyCollection = { [Component in ComponentName]: CollectionOf<Component> }[ComponentName];

/** What people see: the name without the prefix of the app and without the component. */
export function shownName(name: string): string {
  return name.replace(/^(broker|orchestrator|state_backend|trg)_/, "");
}

/** What follows the prefix in the name of the collection that registers an app. */
const REGISTRY = COLLECTIONS.state_backend.app_info;

/** Collections that register apps. An app's own prefix precedes the name; the oldest plugins wrote none. */
export const REGISTRIES = new RegExp(`(^|_)${REGISTRY}$`);

/** The one of plugins before 0.1.7, whose collections have no prefix: they kept one app in a database (storage-format.md 11.1). */
export const UNPREFIXED_REGISTRY: string = REGISTRY;

/** The collections of one app. */
export class AppCollections {
  readonly prefix: string;

  constructor(appId: string) {
    this.prefix = collectionPrefix(appId);
  }

  name<Component extends ComponentName>(component: Component, collection: CollectionOf<Component>): string {
    const names: Readonly<Record<string, string>> = COLLECTIONS[component];
    return `${this.prefix}_${names[collection]}`;
  }

  /** Whether the collection is of this app, known to the adapter or not. */
  owns(name: string): boolean {
    return name.startsWith(`${this.prefix}_`);
  }
}
