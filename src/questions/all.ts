/** Every question and action, in the order of the list of commands. */
import { apps } from "./apps.ts";
import { atomicService } from "./atomic-service.ts";
import { audit } from "./audit.ts";
import { autoPurge } from "./auto-purge.ts";
import { broker } from "./broker.ts";
import { bundle } from "./bundle.ts";
import { call } from "./call.ts";
import { check } from "./check.ts";
import { clientDataStore } from "./client-data-store.ts";
import { compare } from "./compare.ts";
import { condition } from "./condition.ts";
import { config } from "./config.ts";
import { dashboard } from "./dashboard.ts";
import { diff } from "./diff.ts";
import { doctor } from "./doctor.ts";
import { event } from "./event.ts";
import { events } from "./events.ts";
import { exportFile } from "./export.ts";
import { failures } from "./failures.ts";
import { find } from "./find.ts";
import { health } from "./health.ts";
import { invocation } from "./invocation.ts";
import { invocations } from "./invocations.ts";
import { logs } from "./logs.ts";
import { metrics } from "./metrics.ts";
import type { Question } from "./model/question.ts";
import { mute } from "./mute.ts";
import { orchestrator } from "./orchestrator.ts";
import { purge } from "./purge.ts";
import { queue } from "./queue.ts";
import { requeue } from "./requeue.ts";
import { rerun } from "./rerun.ts";
import { runner } from "./runner.ts";
import { runners } from "./runners.ts";
import { server } from "./server.ts";
import { show } from "./show.ts";
import { stateBackend } from "./state-backend.ts";
import { stats } from "./stats.ts";
import { status } from "./status.ts";
import { store } from "./store.ts";
import { task } from "./task.ts";
import { tasks } from "./tasks.ts";
import { timeline } from "./timeline.ts";
import { top } from "./top.ts";
import { trace } from "./trace.ts";
import { tree } from "./tree.ts";
import { trigger } from "./trigger.ts";
import { triggerRun } from "./trigger-run.ts";
import { triggerRuns } from "./trigger-runs.ts";
import { triggers } from "./triggers.ts";
import { unmute } from "./unmute.ts";
import { validCondition } from "./valid-condition.ts";
import { verdicts } from "./verdicts.ts";
import { wait } from "./wait.ts";
import { why } from "./why.ts";
import { workflow } from "./workflow.ts";
import { workflows } from "./workflows.ts";

const ALL = {
  status,
  top,
  check,
  why,
  find,
  show,
  wait,
  tasks,
  task,
  invocations,
  invocation,
  call,
  runners,
  runner,
  atomicService,
  workflows,
  workflow,
  events,
  event,
  triggerRuns,
  triggerRun,
  triggers,
  queue,
  timeline,
  stats,
  failures,
  compare,
  trace,
  tree,
  diff,
  logs,
  exportFile,
  bundle,
  metrics,
  purge,
  autoPurge,
  rerun,
  requeue,
  mute,
  unmute,
  audit,
  apps,
  config,
  doctor,
  // Without a command.
  dashboard,
  health,
  verdicts,
  broker,
  orchestrator,
  store,
  stateBackend,
  clientDataStore,
  trigger,
  condition,
  validCondition,
  server,
} as const;

/** By name, for the types of links. */
export type Questions = typeof ALL;

export const QUESTIONS: readonly Question[] = Object.values(ALL);
