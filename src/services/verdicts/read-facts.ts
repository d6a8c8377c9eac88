/** Reads the input of the detectors in one snapshot, in a number of steps that does not depend on the size of the store. */
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { RECOVERY_TASKS } from "../../pynenc/identifiers.ts";
import { invocationIdOf, runnerIdOf, taskKeyOf } from "../../pynenc/keys.ts";
import type { InvocationStatusRecord } from "../../pynenc/records.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";
import { takenInvocations } from "../app/taken.ts";
import { stuckServiceRuns } from "../model/execution-rows.ts";
import { layoutTrouble } from "../model/layout-trouble.ts";
import { queuesOf } from "../model/queue-health.ts";
import { livenessOf, recoveryRuns } from "../model/runner-liveness.ts";
import { serviceStarved, serviceTurns, turnsEvidence } from "../model/service-turns.ts";
import { idleTakers, oldestMessage } from "../model/waiting-place.ts";
import { type Clocks, lagsOfRunners, readClocks } from "./clock-skew.ts";
import { heldBack } from "./concurrency.ts";
import type { AppFacts, EndedFacts, InvocationFacts, RecoveredStatus, Waits } from "./facts.ts";
import { NAMED, upTo } from "./finding.ts";
import { neverTaken } from "./left-behind.ts";
import { poolFacts } from "./pool-deadlock.ts";
import { expiring } from "./purge-before-read.ts";
import { longWaiting } from "./queues.ts";
import { schedules } from "./schedules.ts";
import type { TrendFacts } from "./trend-facts.ts";
import { metConditions } from "./unclaimed-conditions.ts";

/** Maximum waits read. If there are more, nothing is reported that depends on all of them. */
const MAX_WAITS = 1_000;

/** Maximum running invocations checked for their run time. */
const MAX_RUNNING = 1_000;

// Each read starts as soon as what it needs is known, because on a distant server it is their sequence that takes time.

/** @param trends read before the snapshot (read-trends.ts); null skips what depends on them. As in the other functions. */
export function endedFacts(app: OpenedApp, reads: AppReads, trends: TrendFacts | null): Promise<EndedFacts> {
  return endedFrom(app, reads, trends, readClocks(app, reads), readWaits(reads));
}

async function endedFrom(
  app: OpenedApp,
  reads: AppReads,
  trends: TrendFacts | null,
  clocks$: Promise<Clocks>,
  waits$: Promise<Waits>,
): Promise<EndedFacts> {
  const now = app.now();
  const [{ handovers, ahead, set_back }, held, soon, retried] = await Promise.all([
    clocks$,
    heldBack(reads, now),
    waits$.then((waits) => expiring(app, reads, waits)),
    retriedAmong(reads, trends),
  ]);
  return { now, handovers, ahead, set_back, held, expiring: soon, trends, retried };
}

export async function invocationFacts(
  app: OpenedApp,
  reads: AppReads,
  trends: TrendFacts | null,
): Promise<InvocationFacts> {
  const now = app.now();
  const max_pending_seconds = numberSetting(app, "max_pending_seconds");
  const liveness$ = livenessOf(app, reads);
  const lost$ = liveness$.then(({ dead_before }) => lostInvocations(reads, dead_before));
  const queues$ = queuesOf(app, reads);
  const waits$ = readWaits(reads);
  const clocks$ = readClocks(app, reads);
  const pending$ = reads.orchestrator.pendingSince(now - max_pending_seconds, NAMED);
  const [
    ended,
    clocks,
    liveness,
    lost,
    queues,
    turns,
    waits,
    pending,
    active,
    never_taken,
    { components },
    unregistered,
    recovered,
    running,
    pool,
    [idle, oldest],
  ] = await Promise.all([
    endedFrom(app, reads, trends, clocks$, waits$),
    clocks$,
    liveness$,
    lost$,
    queues$,
    serviceTurns(app, reads),
    waits$,
    pending$,
    liveness$.then(({ dead_before }) => reads.orchestrator.countHeartbeats(dead_before)),
    neverTaken(app, reads, queues$, waits$),
    reads.layout.capabilities(),
    Promise.all([pending$, lost$]).then(([pending, { orphans }]) =>
      pending.length + orphans.length === 0 ? [] : recoveryWithoutTrigger(reads),
    ),
    Promise.all([pending$, lost$]).then(([pending, { orphans }]) =>
      latestRecoveries(reads, [
        ...(pending.length === 0 ? [] : (["pending"] as const)),
        ...(orphans.length === 0 ? [] : (["running"] as const)),
      ]),
    ),
    runningInvocations(reads, trends),
    Promise.all([queues$, waits$, lost$, liveness$]).then(([queues, waits, { gone, certain }, { dead_before }]) =>
      certain ? poolFacts(reads, { queues, waits, lost: gone, dead_before, now }) : null,
    ),
    Promise.all([queues$, liveness$]).then(([{ queues }, { dead_before }]) => {
      const late = longWaiting(queues);
      if (late === undefined) return Promise.all([null, null]);
      return Promise.all([idleTakers(app, reads, dead_before, late.queue_name), oldestMessage(reads, late)]);
    }),
  ]);
  const { heartbeats } = clocks;
  const members = turns.members.slice(0, NAMED).map(runnerIdOf);
  const owners = [...pending, ...lost.orphans, ...lost.abandoned].flatMap((row) => row.status_runner_id ?? []);
  const lagOf = await lagsOfRunners(reads, clocks, [...members, ...owners, ...heartbeats.map(runnerIdOf)]);
  /** Silent even after its heartbeats are corrected for a clock that is behind. */
  const isSilent = ({ status_runner_id: id }: InvocationStatusRecord) => {
    const heard = lost.owners_heard.get(id ?? "");
    return heard === undefined || heard + lagOf(id) < liveness.dead_before;
  };
  const alive_by_lag = heartbeats.filter(
    ({ runner_id, last_heartbeat: heard }) =>
      heard < liveness.dead_before && heard + lagOf(runner_id) >= liveness.dead_before,
  ).length;
  return {
    ...ended,
    liveness,
    max_pending_seconds,
    pending: pending.filter((row) => row.status_timestamp + lagOf(row.status_runner_id) <= now - max_pending_seconds),
    orphans: lost.orphans.filter(isSilent),
    abandoned: lost.abandoned.filter(isSilent),
    owners_heard: lost.owners_heard,
    active,
    alive_by_lag,
    last_heard: heartbeats[0]?.last_heartbeat ?? null,
    queues,
    idle,
    oldest,
    ...never_taken,
    stranded: {
      found: components.orchestrator ? queues.stranded : [],
      more: queues.messages_unread,
    },
    turns,
    unregistered,
    recovered,
    waits,
    pool,
    service_lag: Math.max(0, ...members.map(lagOf)),
    running,
  };
}

export async function appFacts(app: OpenedApp, reads: AppReads, trends: TrendFacts | null): Promise<AppFacts> {
  const turns$ = serviceTurns(app, reads);
  const unregistered$ = recoveryWithoutTrigger(reads);
  const [facts, stuck_runs, unregistered, definitions, no_slot, crons, met, layout, starved] = await Promise.all([
    invocationFacts(app, reads, trends),
    livenessOf(app, reads).then(({ dead_before }) => stuckServiceRuns(reads, dead_before, app.now())),
    unregistered$,
    unregistered$.then(({ length }) => (length === 0 ? null : reads.trigger.countDefinitions())),
    turns$.then((turns) => (turns.plan.every_window_invalid ? turnsEvidence(app, reads, turns) : null)),
    turns$.then((turns) => schedules(reads, turns)),
    turns$.then((turns) => metConditions(reads, turns)),
    queuesOf(app, reads).then(({ named }) => layoutTrouble(app, reads, named)),
    turns$.then((turns) => serviceStarved(app, reads, turns)),
  ]);
  return {
    ...facts,
    stuck_runs,
    no_slot,
    starved,
    unregistered,
    triggers: definitions?.triggers ?? null,
    layout,
    triggers_elsewhere: app.store.kind !== "sqlite" && app.settings.get("trigger_cls")?.origin === DEFAULT_ORIGIN,
    schedules: crons,
    met,
  };
}

/** Invocations whose runner counts as silent, and when these runners were last heard of. */
async function lostInvocations(reads: AppReads, dead: EpochSeconds) {
  const lost = await reads.orchestrator.ownedByDeadRunner(["running", "paused"], dead, NAMED);
  const orphans = lost.filter(({ status }) => status === "running");
  const abandoned = lost.filter(({ status }) => status === "paused");
  const owners = [...new Set(lost.flatMap((row) => row.status_runner_id ?? []))];
  const heartbeats = owners.length === 0 ? [] : await reads.orchestrator.heartbeatsByIds(owners);
  return {
    orphans,
    abandoned,
    owners_heard: new Map(heartbeats.map((one) => [one.runner_id, one.last_heartbeat])),
    gone: new Set(lost.map(invocationIdOf)),
    // If these lists are cut off, it is not known which invocations occupy a worker.
    certain: Math.max(orphans.length, abandoned.length) < NAMED,
  };
}

const RUNNING = ["running", "resumed"];

/** Empty if nothing is compared with them. */
async function runningInvocations(reads: AppReads, trends: TrendFacts | null): Promise<AppFacts["running"]> {
  if (trends?.hour == null) return { found: [], more: false };
  const taken = await takenInvocations(reads.orchestrator);
  if (taken !== null)
    return upTo(taken.filter(({ status }) => RUNNING.includes(status)).slice(0, MAX_RUNNING), MAX_RUNNING);
  const slice = { limit: MAX_RUNNING, offset: 0 };
  return upTo(await reads.orchestrator.listInvocations({ statuses: RUNNING }, slice), MAX_RUNNING);
}

/** Failures that had been retried, among the examples in `trends`. */
async function retriedAmong(reads: AppReads, trends: TrendFacts | null): Promise<AppFacts["retried"]> {
  const groups = [...(trends?.rises.values() ?? [])].flatMap((rise) => rise.groups);
  const ids = [...new Set(groups.flatMap((group) => group.invocation_ids))];
  const rows = ids.length === 0 ? [] : await reads.orchestrator.statusesByIds(ids);
  return new Map(
    rows.flatMap((row) =>
      row.status === "failed" && row.retry_count > 0 ? [[row.invocation_id, row.retry_count]] : [],
    ),
  );
}

async function readWaits(reads: AppReads): Promise<Waits> {
  const edges = await reads.orchestrator.blockingEdges({ limit: MAX_WAITS + 1, offset: 0 });
  const ids = [...new Set(edges.flatMap((edge) => [edge.waiter_id, edge.waited_id]))];
  const statuses = ids.length === 0 ? [] : await reads.orchestrator.statusesByIds(ids);
  return {
    edges: edges.slice(0, MAX_WAITS),
    statuses: new Map(statuses.map((row) => [row.invocation_id, row])),
    complete: edges.length <= MAX_WAITS,
  };
}

async function recoveryWithoutTrigger(reads: AppReads): Promise<RecoveredStatus[]> {
  const { components } = await reads.layout.capabilities();
  if (!components.trigger) return [];
  const triggers = await reads.trigger.triggers(
    { by: "task_id_key", ids: Object.values(RECOVERY_TASKS) },
    { limit: TRIGGERS_OF_RECOVERY, offset: 0 },
  );
  const started = new Set(triggers.map(taskKeyOf));
  return (Object.keys(RECOVERY_TASKS) as RecoveredStatus[]).filter((status) => !started.has(RECOVERY_TASKS[status]));
}

async function latestRecoveries(
  reads: AppReads,
  statuses: readonly RecoveredStatus[],
): Promise<InvocationFacts["recovered"]> {
  const latest = statuses.map(async (status) => {
    const [run] = await recoveryRuns(reads, status);
    return run === undefined ? {} : { [status]: { status: run.status, at: run.status_timestamp } };
  });
  return Object.assign({}, ...(await Promise.all(latest)));
}

/** pynenc registers one per task. */
const TRIGGERS_OF_RECOVERY = 100;
