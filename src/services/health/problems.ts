/** What looks wrong now: conditions that keep an app from making progress. Shown on the dashboard, by `monitor status` and `monitor doctor`. */
import type { Problem } from "../../api/health.ts";
import { DEFAULT_ORIGIN } from "../../config/pynenc-sources.ts";
import { RECOVERY_TASKS } from "../../pynenc/identifiers.ts";
import { counted, lasting } from "../../pynenc/numbers.ts";
import type { InvocationStatusRecord } from "../../pynenc/records.ts";
import { WAITING_STATUSES } from "../../pynenc/statuses.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { REQUEUE_GRACE_SECONDS } from "../../stores/requeue-rule.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";
import { stuckServiceRuns } from "../model/execution-rows.ts";
import { livenessOf, silenceWords } from "../model/runner-liveness.ts";
import { type ServiceTurns, serviceTurns, turnsEvidence } from "../model/service-turns.ts";
import { poolDeadlock } from "./pool-deadlock.ts";
import { type Queues, queuesOf, SHORT_QUEUE } from "./queue-health.ts";
import { queueProblems } from "./queue-problems.ts";

/** Limit of stuck invocations listed; beyond it the count is "or more". */
export const LISTED = 100;

export async function findProblems(app: OpenedApp, reads: AppReads): Promise<Problem[]> {
  const now = app.now();
  const { dead_before: dead, silence } = await livenessOf(app, reads);
  const maxPending = numberSetting(app, "max_pending_seconds");
  const [pending, orphans, abandoned, active, queues, stuck, lost, turns, unregistered] = await Promise.all([
    reads.orchestrator.pendingSince(now - maxPending, LISTED),
    reads.orchestrator.ownedByDeadRunner("running", dead, LISTED),
    reads.orchestrator.ownedByDeadRunner("paused", dead, LISTED),
    reads.orchestrator.countHeartbeats(dead),
    queuesOf(app, reads),
    stuckServiceRuns(reads, dead, now),
    queuesOf(app, reads).then((queues) => waitingInNoQueue(reads, queues, now)),
    serviceTurns(app, reads),
    recoveryWithoutTrigger(reads),
  ]);
  const problems: Problem[] = [];
  const recovery = (status: RecoveredStatus) => {
    if (active === 0) return "Recovery would reroute them, but no runner is active to run it.";
    if (turns.members.length === 0) return "Recovery would reroute them, but no active runner takes turns running it.";
    if (unregistered.includes(status)) return "Recovery would reroute them, but its schedule is not registered.";
    return `Recovery reroutes them at its next turn (recover_${status}_invocations_cron).`;
  };
  if (pending.length > 0) {
    problems.push({
      kind: "stuck_pending",
      severity: "warning",
      title: `${atLeast(pending.length)} pending for more than ${maxPending} s`,
      detail: `Taken by a runner but not started. ${recovery("pending")}`,
      ids: pending.map((row) => row.invocation_id),
      count: pending.length,
    });
  }
  if (orphans.length > 0) {
    problems.push({
      kind: "running_on_dead_runner",
      severity: "error",
      title: `${atLeast(orphans.length)} running on a runner without a recent heartbeat`,
      detail: `No heartbeat of their runner is stored for the last ${silenceWords(silence)}. ${recovery("running")}`,
      ids: orphans.map((row) => row.invocation_id),
      count: orphans.length,
    });
  }
  if (abandoned.length > 0) {
    problems.push({
      kind: "paused_on_dead_runner",
      severity: "error",
      title: `${atLeast(abandoned.length)} paused on a runner without a recent heartbeat`,
      detail: `No heartbeat of their runner is stored for the last ${silenceWords(silence)}. Recovery only looks at pending and running invocations: if the runner is dead, nothing continues these. Rerun their calls.`,
      ids: abandoned.map((row) => row.invocation_id),
      count: abandoned.length,
    });
  }
  if (lost.length > 0) {
    problems.push({
      kind: "waiting_in_no_queue",
      severity: "error",
      title: `${atLeast(lost.length)} waiting, but not in any queue`,
      detail:
        "They are waiting for a runner, but have no message in the queue: the process that sends it may have been interrupted, the queue may have been purged, or a runner may have died after taking it. Without a message no runner takes them. Requeue puts their messages back (monitor requeue <id>); a rerun would register the calls a second time.",
      ids: lost.map((row) => row.invocation_id),
      count: lost.length,
    });
  }
  if (stuck.length > 0) {
    problems.push({
      kind: "stuck_atomic_service",
      severity: "error",
      title: "The atomic service is stuck",
      detail:
        "A service run has no recorded end. While it counts as running, every other run is blocked: no triggers, no recovery.",
      ids: stuck.map((run) => run.atomic_service_run_id),
      count: stuck.length,
    });
  }
  const gone = [...orphans, ...abandoned].map((row) => row.invocation_id);
  // Beside so many that hold no worker, it cannot be told who holds one.
  const deadlock =
    Math.max(orphans.length, abandoned.length) >= LISTED ? null : await poolDeadlock(reads, queues, gone, dead, now);
  if (deadlock !== null) problems.push(deadlock);
  problems.push(...queueProblems(queues, active));
  const slots = await invalidSlots(app, reads, turns);
  if (slots !== null) problems.push(slots);
  const unattended = await unattendedService(app, reads, turns, unregistered);
  if (unattended !== null) problems.push(unattended);
  return problems;
}

/** Kinds of problems whose ids are invocations. */
const OF_INVOCATIONS: readonly Problem["kind"][] = [
  "stuck_pending",
  "running_on_dead_runner",
  "paused_on_dead_runner",
  "waiting_in_no_queue",
  "deadlocked_pool",
];

/** Stuck invocations, at most `LISTED` of each kind of problem. */
export async function stuckInvocations(app: OpenedApp, reads: AppReads): Promise<string[]> {
  const problems = (await findProblems(app, reads)).filter(({ kind }) => OF_INVOCATIONS.includes(kind));
  return [...new Set(problems.flatMap(({ ids }) => ids))];
}

type RecoveredStatus = keyof typeof RECOVERY_TASKS;

/** Recovery tasks without a trigger; empty if the triggers are not in this store. */
async function recoveryWithoutTrigger(reads: AppReads): Promise<RecoveredStatus[]> {
  const { components } = await reads.layout.capabilities();
  if (!components.trigger) return [];
  const triggers = await reads.trigger.triggersOfTasks(Object.values(RECOVERY_TASKS), TRIGGERS_OF_RECOVERY);
  const started = new Set(triggers.map((trigger) => trigger.task_id_key));
  return (Object.keys(RECOVERY_TASKS) as RecoveredStatus[]).filter((status) => !started.has(RECOVERY_TASKS[status]));
}

/** pynenc registers one for each. */
const TRIGGERS_OF_RECOVERY = 100;

/** Runners are active, but nothing runs triggers or recovery: no runner takes turns, or nothing is registered (storage-format.md 7.2, 8). */
async function unattendedService(
  app: OpenedApp,
  reads: AppReads,
  { active, members }: ServiceTurns,
  unregistered: readonly RecoveredStatus[],
): Promise<Problem | null> {
  if (active === 0) return null;
  const runners = counted(active, "runner");
  if (members.length === 0) {
    return {
      kind: "no_service_runner",
      severity: "warning",
      title: `${runners} active, and none takes turns in the atomic service`,
      detail:
        "Worker runners take no turns, and the runners that started them are not active, so neither triggers nor recovery run.",
      ids: [],
      count: active,
    };
  }
  if (unregistered.length === 0) return null;
  const { triggers } = await reads.trigger.countDefinitions();
  const elsewhere =
    app.store.kind !== "sqlite" && app.settings.get("trigger_cls")?.origin === DEFAULT_ORIGIN
      ? " This does not apply if the app keeps its triggers in memory: trigger_cls was not found."
      : "";
  const remedy = "Runners register triggers only when they start: start one again.";
  if (triggers === 0) {
    return {
      kind: "no_triggers",
      severity: "warning",
      title: `${runners} active, and no trigger is registered`,
      detail: `Events and schedules start nothing, and what is stuck is not recovered. Usually the triggers were purged while runners were alive. ${remedy}${elsewhere}`,
      ids: [],
      count: active,
    };
  }
  return {
    kind: "no_recovery",
    severity: "warning",
    title: `Recovery of ${unregistered.join(" and ")} invocations is not registered`,
    detail: `No trigger starts ${unregistered.map((status) => RECOVERY_TASKS[status]).join(" or ")}, so such invocations stay stuck when their runner dies. ${remedy}${elsewhere}`,
    ids: [],
    count: unregistered.length,
  };
}

/**
 * Invocations that wait for a runner without a message, among those registered last. Looked for only where fewer messages are in the queue
 * than invocations wait for one, and in a queue of which that can be told without reading much.
 */
async function waitingInNoQueue(
  reads: AppReads,
  { queues, complete, unreachable }: Queues,
  now: number,
): Promise<InvocationStatusRecord[]> {
  const { queue_peek } = await reads.layout.capabilities();
  const messages = queues.reduce((sum, { waiting }) => sum + waiting, 0);
  if (unreachable !== null || !complete || messages > SHORT_QUEUE || !queue_peek) return [];
  const filter = { statuses: WAITING_STATUSES };
  // Messages of final invocations are included if they were not distinguished, so equal numbers prove nothing.
  const apart = queues.every(({ finished }) => finished !== null);
  if (apart && (await reads.orchestrator.countInvocations(filter, messages + 1)) <= messages) return [];
  const rows = await reads.orchestrator.listInvocations(filter, { limit: LISTED, offset: 0 });
  const settled = rows.filter((row) => row.status_timestamp <= now - REQUEUE_GRACE_SECONDS);
  const queued = new Set(await reads.broker.queuedAmong(settled.map((row) => row.invocation_id)));
  return settled.filter((row) => !queued.has(row.invocation_id));
}

/** The settings leave no runner any time to start in, and no recorded run says otherwise. */
async function invalidSlots(app: OpenedApp, reads: AppReads, turns: ServiceTurns): Promise<Problem | null> {
  const { plan, rules, members } = turns;
  if (!plan.every_window_invalid) return null;
  const { contradicted, since } = await turnsEvidence(app, reads, turns);
  if (contradicted) return null;
  return {
    kind: "invalid_slots",
    severity: "warning",
    title: `With ${counted(members.length, "runner")} no atomic-service slot is valid`,
    detail: [
      `A slot is ${lasting(plan.slot_seconds ?? 0)} long and atomic_service_spread_margin_minutes takes ${lasting(rules.spread_seconds)} of it, so no runner may start: triggers and recovery do not run.`,
      ...(since === null
        ? []
        : [`No run is recorded since ${isoFromEpoch(since).slice(0, 19).replace("T", " ")} UTC.`]),
      ...(turns.assumed
        ? ["Both settings are defaults here; the app may have others that this monitor does not see."]
        : []),
      "Raise atomic_service_interval_minutes or lower the margin.",
    ].join(" "),
    ids: [],
    count: members.length,
  };
}

function atLeast(n: number): string {
  return n >= LISTED ? `${LISTED} or more invocations` : counted(n, "invocation");
}
