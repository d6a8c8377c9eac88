import type { Dashboard } from "../../api/health.ts";
import { COMPONENTS, type ComponentName } from "../../stores/ports/common.ts";
import { eventCounters, invocationTotals, statusCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { queueLength } from "../model/queue-length.ts";
import { runnerCounts } from "../model/runner-counts.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { settingRows } from "../model/setting-rows.ts";
import { taskKeys } from "../model/task-keys.ts";
import { recent } from "../stats/recent.ts";
import { findProblems } from "./problems.ts";
import { listedQueues, queuesOf } from "./queue-health.ts";

const COMPONENT_CLASS_SETTING: Record<ComponentName, string> = {
  broker: "broker_cls",
  orchestrator: "orchestrator_cls",
  state_backend: "state_backend_cls",
  client_data_store: "client_data_store_cls",
  trigger: "trigger_cls",
};

/** Settings that explain what one sees: recovery, retention, the atomic service. */
const SHOWN_SETTINGS = [
  "serializer_cls",
  "runner_cls",
  "dev_mode_force_sync_tasks",
  "logging_level",
  "blocking_control",
  "auto_final_invocation_purge_hours",
  "atomic_service_interval_minutes",
  "runner_considered_dead_after_minutes",
  "max_pending_seconds",
  "event_retention_days",
];

/**
 * @param raw may have the range of what happened recently: `from`, `to`, `range`.
 * @throws InvalidInputError
 */
export async function dashboard(app: OpenedApp, raw: RawInput = {}): Promise<Dashboard> {
  const [happened, statuses, totals, events, tasks] = await Promise.all([
    recent(app, raw),
    statusCounts(app),
    invocationTotals(app),
    eventCounters(app),
    taskKeys(app),
  ]);
  const [capabilities, layout, queue, { queues, named, note }, runners, problems] = await app.store.read((reads) =>
    Promise.all([
      reads.layout.capabilities(),
      reads.layout.report(),
      queueLength(reads),
      queuesOf(app, reads),
      deadBefore(app, reads).then((dead) => runnerCounts(reads, dead)),
      findProblems(app, reads),
    ]),
  );
  return {
    app_id: app.app_id,
    location: app.store.location,
    layout,
    writes_refused: capabilities.writes_refused,
    overview: {
      queued_messages: queue.messages,
      active_runners: runners.active,
      known_runners: runners.known,
      known_runners_capped: runners.known_capped,
      registered_tasks: tasks.length,
      ...listedQueues(queues),
      named_queues: named,
      queue_note: note,
      invocations: totals.invocations,
      forgotten: totals.forgotten,
      complete: totals.complete,
    },
    statuses,
    events,
    components: COMPONENTS.map((component) => {
      const [row] = settingRows(app.settings, [COMPONENT_CLASS_SETTING[component]]);
      return {
        component,
        configured_class: row?.value ?? "unknown",
        origin: row?.origin ?? "default",
        present: capabilities.components[component],
      };
    }),
    settings: settingRows(app.settings, SHOWN_SETTINGS),
    problems,
    ...happened,
  };
}
