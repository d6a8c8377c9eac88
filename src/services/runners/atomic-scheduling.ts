/** Which runner's turn it is to run the atomic service, computed as runners do, with a warning if recorded runs contradict the settings. */
import type { RunnerName } from "../../api/model/runner-names.ts";
import type { AtomicScheduling, CycleView, SettingsFit, SlotRow, TurnRow } from "../../api/runners.ts";
import { maxRunners, type RunnerSlot } from "../../pynenc/atomic-slots.ts";
import { runnerIdOf } from "../../pynenc/keys.ts";
import { counted, lasting } from "../../pynenc/numbers.ts";
import { isoFromEpoch, isoOrNull, utcText } from "../../pynenc/time.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { executionRows, RUNNING_SHOWN } from "../model/execution-rows.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { runnerNames } from "../model/runner-names.ts";
import { type ServiceTurns, serviceTurns, type TurnsEvidence, turnsEvidence } from "../model/service-turns.ts";
import { settingRows } from "../model/setting-rows.ts";

const BLOCKED_SHOWN = 50;

export async function atomicScheduling(app: OpenedApp): Promise<AtomicScheduling> {
  const now = app.now();
  return app.store.read(async (reads) => {
    const [turns, dead, blocked, running] = await Promise.all([
      serviceTurns(app, reads),
      deadBefore(app, reads),
      reads.orchestrator.executions({ limit: BLOCKED_SHOWN, offset: 0 }, { status: "blocked" }),
      reads.orchestrator.executions({ limit: RUNNING_SHOWN, offset: 0 }, { status: "running" }),
    ]);
    const [evidence, names, rows] = await Promise.all([
      turnsEvidence(app, reads, turns),
      runnerNames(reads, turns.members.map(runnerIdOf)),
      executionRows(reads, [...running, ...blocked], dead, now),
    ]);
    const runningRows = rows.slice(0, running.length);
    return {
      recorded: turns.recorded,
      now: isoFromEpoch(now),
      cycle: evidence.contradicted ? null : cycleView(turns, names),
      fit: settingsFit(turns, evidence),
      eligible: turns.members.length,
      active: turns.active,
      incomplete: turns.incomplete,
      runners: turnRows(turns, evidence, names, now),
      running: runningRows,
      stuck: runningRows.filter((row) => row.stuck !== null),
      blocked: rows.slice(running.length),
      settings: settingRows(app.settings, [
        "atomic_service_interval_minutes",
        "atomic_service_spread_margin_minutes",
        "atomic_service_check_interval_minutes",
        ...(turns.recorded
          ? [
              "atomic_service_membership_stabilization_minutes",
              "atomic_service_max_start_slot_fraction",
              "atomic_service_min_run_margin_seconds",
            ]
          : []),
        "runner_considered_dead_after_minutes",
      ]),
    };
  });
}

function settingsFit(turns: ServiceTurns, evidence: TurnsEvidence): SettingsFit {
  const { contradicted, compared, outside, shortest_repeat_seconds, too_often, since } = evidence;
  const { check_interval_seconds, recorded, assumed } = turns;
  const runs = recorded
    ? `the ${counted(compared, "run")} recorded`
    : `the last runs of ${counted(compared, "runner")}`;
  const from = since === null ? "" : ` since ${utcText(since)}`;
  const fits = compared > 0 ? "fits" : "untested";
  return {
    verdict: contradicted ? "contradicted" : fits,
    assumed,
    since: isoOrNull(since),
    compared,
    outside,
    check_interval_seconds,
    shortest_repeat_seconds,
    too_often,
    contradictions: [
      ...(contradicted && outside > 0
        ? [`${outside} of ${runs}${from} began outside the slot that these settings give their runner.`]
        : []),
      ...(too_often
        ? [
            `Two runs of one runner began ${lasting(shortest_repeat_seconds ?? 0)} apart, but by these settings a runner checks every ${lasting(check_interval_seconds)}.`,
          ]
        : []),
    ],
  };
}

function cycleView({ plan, rules }: ServiceTurns, names: ReadonlyMap<string, RunnerName>): CycleView {
  return {
    cycle_start: isoFromEpoch(plan.cycle.start),
    cycle_end: isoFromEpoch(plan.cycle.end),
    interval_seconds: rules.interval_seconds,
    spread_seconds: rules.spread_seconds,
    slot_seconds: plan.slot_seconds,
    most_runners: maxRunners(rules),
    every_window_invalid: plan.every_window_invalid,
    owner: plan.owner === null ? null : (names.get(plan.owner.runner_id) ?? null),
  };
}

function turnRows(
  { plan, members, recorded }: ServiceTurns,
  { contradicted, newest }: TurnsEvidence,
  names: ReadonlyMap<string, RunnerName>,
  now: number,
): TurnRow[] {
  const heartbeats = new Map(members.map((one) => [one.runner_id, one]));
  const lastRun = new Map(newest.toReversed().map((run) => [run.runner_id, run]));
  const runs = new Map<string, number>();
  for (const { runner_id } of newest) runs.set(runner_id, (runs.get(runner_id) ?? 0) + 1);
  return plan.runners.flatMap((slot) => {
    const runner = names.get(slot.runner_id);
    const heartbeat = heartbeats.get(slot.runner_id);
    if (runner === undefined || heartbeat === undefined) return [];
    const last = lastRun.get(slot.runner_id);
    return [
      {
        position: slot.position + 1,
        runner_id: slot.runner_id,
        runner,
        created_at: isoFromEpoch(heartbeat.creation_timestamp),
        last_heartbeat: isoFromEpoch(heartbeat.last_heartbeat),
        slot: contradicted ? null : slotRow(slot, now),
        recorded_runs: recorded ? (runs.get(slot.runner_id) ?? 0) : null,
        last_service_start: isoOrNull(last?.start_time ?? heartbeat.last_service_start),
        last_service_end: isoOrNull(last === undefined ? heartbeat.last_service_end : last.end_time),
        last_atomic_service_run_id: last?.atomic_service_run_id ?? null,
      },
    ];
  });
}

function slotRow(slot: RunnerSlot, now: number): SlotRow {
  return {
    slot_start: isoFromEpoch(slot.slot.start),
    slot_end: isoFromEpoch(slot.slot.end),
    window_start: isoOrNull(slot.window?.start),
    window_end: isoOrNull(slot.window?.end),
    owns_slot: slot.assigned,
    in_grace: slot.in_grace,
    may_start: slot.reason === "assigned",
    reason: slot.reason,
    explanation: explained(slot, now),
  };
}

function explained(slot: RunnerSlot, now: number): string {
  switch (slot.reason) {
    case "assigned":
      return "Its turn: it may start at its next check.";
    case "late_start":
      return "Its turn, but too late in the slot to start.";
    case "slot_window_invalid":
      return "The margin takes up its whole slot.";
    case "scheduled_runner_in_grace":
      return slot.assigned ? "Its turn, but it started too recently." : "The slot's owner started too recently.";
    case "not_assigned_slot":
      if (slot.assigned) return "Only the margin is left of its slot.";
      return now < slot.slot.start ? "Its turn comes later in this cycle." : "Its turn in this cycle is over.";
    case "no_stable_runners":
      return "No runner takes turns.";
  }
}
