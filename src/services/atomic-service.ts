/** The atomic service: its recorded runs, one run, and whose turn it is now (storage.md 6). */
import { NotFoundError } from "../errors.ts";
import { mostRunners, type SlotReason, type SlotRules, slotPlan } from "../pynenc/atomic-slots.ts";
import type { ExecutionRecord, HeartbeatRecord } from "../pynenc/records.ts";
import { isoFromEpoch, isoOrNull } from "../pynenc/time.ts";
import type { AppReads, ExecutionFilter } from "../stores/ports.ts";
import { executionCounts } from "./counts.ts";
import { choice, integer, optionalNumber, pageNumber, parseInput, type RawInput, text } from "./input.ts";
import { type InvocationRow, invocationRows } from "./invocation-rows.ts";
import { deadBefore, numberSetting, type OpenedApp } from "./opened-app.ts";
import { type PageInfo, pageOf, sliceOf } from "./paging.ts";
import { type RunnerName, runnerNames } from "./runner-names.ts";
import { type SettingRow, settingRows } from "./setting-rows.ts";
import { serviceRunTimeline, type TimelineQuery } from "./timeline-links.ts";

/** Statuses that pynenc writes; a store may hold others. */
const EXECUTION_STATUSES = ["running", "completed", "abandoned", "blocked"] as const;

/** A run normally takes milliseconds; one that runs this long has lost its runner (storage.md 6.3). */
const STUCK_SERVICE_SECONDS = 300;

/** Why a run that is recorded as running will not end by itself; null for one that is fine. */
export type StuckReason = "runner_dead" | "too_long";

export interface ExecutionRow {
  atomic_service_run_id: string;
  runner_id: string;
  runner: RunnerName;
  /** Its runner's heartbeat is young enough. */
  runner_active: boolean;
  start_time: string;
  /** Null while it runs. */
  end_time: string | null;
  /** Null while it runs. */
  seconds: number | null;
  status: string;
  reason: string;
  /** The run that a blocked one gave way to, as its reason names it. */
  prior_run: { atomic_service_run_id: string; runner_id: string } | null;
  stuck: StuckReason | null;
}

/** Where a run lies in the time that its page covers: shares from 0 to 1. */
export interface WindowBar {
  start: number;
  /** 0 for a run without any width: a blocked one. */
  width: number;
}

export interface TimelineRow extends ExecutionRow {
  bar: WindowBar;
  selected: boolean;
}

export interface TimelineFilter {
  runner_id: string | null;
  /** Beginning of a run id. */
  atomic_service_run_id: string | null;
  status: string | null;
  min_duration_seconds: number | null;
}

export interface AtomicTimeline {
  /** False before 0.2.4, which keeps only the last run of each runner. */
  recorded: boolean;
  executions: TimelineRow[];
  page: PageInfo;
  filter: TimelineFilter;
  /** All recorded runs by status, whatever the filter. */
  statuses: Record<string, number>;
  /** Earliest start and latest end on this page; null without rows. */
  window: { start: string; end: string; seconds: number } | null;
  /** Of the runs on this page that ended after doing something: neither running nor blocked ones. */
  durations: { runs: number; average_seconds: number | null; longest_seconds: number | null };
  running: ExecutionRow[];
  selected: { atomic_service_run_id: string; on_page: boolean } | null;
  settings: SettingRow[];
}

/** Running runs that are told apart from the list: normally there is at most one. */
const RUNNING_SHOWN = 5;

/** How far the page with the selected run is searched: all of what pynenc keeps by default. */
const SELECTION_SEARCHED = 1000;

const secondsAtLeast = optionalNumber(0, 999_999_999, "a number of seconds from 0 on, such as 0.01");

/**
 * Recorded runs of the atomic service, newest first. With `selected_atomic_service_run_id` and without `page`, the page that holds it.
 *
 * @throws InvalidInputError
 */
export async function atomicTimeline(app: OpenedApp, raw: RawInput): Promise<AtomicTimeline> {
  const input = parseInput(
    {
      runner_id: text,
      atomic_service_run_id: text,
      status: choice(["", ...EXECUTION_STATUSES], ""),
      min_duration_seconds: secondsAtLeast,
      selected_atomic_service_run_id: text,
      page: pageNumber,
      page_size: integer(1, 1000, 100),
    },
    raw,
  );
  const { runner_id, atomic_service_run_id: id_prefix, min_duration_seconds: min_seconds } = input;
  const status = input.status === "" ? undefined : input.status;
  const filter: ExecutionFilter = {
    ...(runner_id !== undefined && { runner_id }),
    ...(id_prefix !== undefined && { id_prefix }),
    ...(status !== undefined && { status }),
    // Asking for 0 seconds asks for nothing; it must not drop the runs that have no duration yet.
    ...(min_seconds !== undefined && min_seconds > 0 && { min_seconds }),
  };
  const selectedId = input.selected_atomic_service_run_id;
  const dead = deadBefore(app);
  const statuses = await executionCounts(app);
  const filtered = Object.keys(filter).length > 0;
  return app.store.read(async (reads) => {
    const [{ executions: recorded }, total, running] = await Promise.all([
      reads.layout.capabilities(),
      filtered ? reads.orchestrator.countExecutions(filter) : Object.values(statuses).reduce((sum, n) => sum + n, 0),
      reads.orchestrator.executions({ limit: RUNNING_SHOWN, offset: 0 }, { status: "running" }),
    ]);
    const wanted = { number: input.page, size: input.page_size };
    if (selectedId !== undefined && raw.page === undefined) {
      wanted.number = await pageWith(reads, selectedId, filter, wanted.size);
    }
    const answered = await reads.orchestrator.executions(sliceOf(wanted), filter);
    const { rows, page } = pageOf(answered, wanted, total);
    const shown = await executionRows(reads, [...rows, ...running], dead, app.now());
    const span = spanOf(rows);
    const executions = shown.slice(0, rows.length).map((row, index) => ({
      ...row,
      bar: barOf(rows[index], span),
      selected: row.atomic_service_run_id === selectedId,
    }));
    return {
      recorded,
      executions,
      page,
      filter: {
        runner_id: runner_id ?? null,
        atomic_service_run_id: id_prefix ?? null,
        status: status ?? null,
        min_duration_seconds: min_seconds ?? null,
      },
      statuses,
      window:
        span === null
          ? null
          : { start: isoFromEpoch(span.start), end: isoFromEpoch(span.end), seconds: span.end - span.start },
      durations: durationsOf(rows),
      running: shown.slice(rows.length),
      selected:
        selectedId === undefined
          ? null
          : { atomic_service_run_id: selectedId, on_page: executions.some((row) => row.selected) },
      settings: settingRows(app.settings, [
        "atomic_service_interval_minutes",
        ...(recorded ? ["atomic_service_execution_retention_minutes", "atomic_service_execution_max_records"] : []),
      ]),
    };
  });
}

/** Number of the page with this run, 1 when it is not among the newest. */
async function pageWith(reads: AppReads, id: string, filter: ExecutionFilter, size: number): Promise<number> {
  const newest = await reads.orchestrator.executions({ limit: SELECTION_SEARCHED, offset: 0 }, filter);
  const index = newest.findIndex((run) => run.atomic_service_run_id === id);
  return index < 0 ? 1 : Math.floor(index / size) + 1;
}

interface Span {
  start: number;
  end: number;
}

function spanOf(runs: readonly ExecutionRecord[]): Span | null {
  if (runs.length === 0) return null;
  const ends = runs.map((run) => run.end_time ?? run.start_time);
  return {
    start: least(runs.map((run) => run.start_time)),
    end: most([...ends, ...runs.map((run) => run.start_time)]),
  };
}

/** A running one reaches to the end of what the page covers: where it will end nobody knows. */
function barOf(run: ExecutionRecord | undefined, span: Span | null): WindowBar {
  if (run === undefined || span === null) return { start: 0, width: 0 };
  const length = span.end - span.start;
  if (length <= 0) return { start: 0, width: 1 };
  const start = (run.start_time - span.start) / length;
  const end = ((run.end_time ?? span.end) - span.start) / length;
  return { start, width: Math.max(0, end - start) };
}

function durationsOf(runs: readonly ExecutionRecord[]): AtomicTimeline["durations"] {
  const seconds = runs.flatMap((run) =>
    run.end_time === null || run.status === "blocked" ? [] : [run.end_time - run.start_time],
  );
  if (seconds.length === 0) return { runs: 0, average_seconds: null, longest_seconds: null };
  const sum = seconds.reduce((total, one) => total + one, 0);
  return { runs: seconds.length, average_seconds: sum / seconds.length, longest_seconds: most(seconds) };
}

function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

function most(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

/** Rows for these runs in the order given: three batched reads. */
async function executionRows(
  reads: AppReads,
  runs: readonly ExecutionRecord[],
  dead: number,
  now: number,
): Promise<ExecutionRow[]> {
  const ids = [...new Set(runs.map((run) => run.runner_id))];
  const [names, heartbeats] = await Promise.all([runnerNames(reads, ids), reads.orchestrator.heartbeatsByIds(ids)]);
  const active = activeAmong(heartbeats, dead);
  return runs.flatMap((run) => {
    const runner = names.get(run.runner_id);
    if (runner === undefined) return [];
    return [
      {
        atomic_service_run_id: run.atomic_service_run_id,
        runner_id: run.runner_id,
        runner,
        runner_active: active.has(run.runner_id),
        start_time: isoFromEpoch(run.start_time),
        end_time: isoOrNull(run.end_time),
        seconds: run.end_time === null ? null : run.end_time - run.start_time,
        status: run.status,
        reason: run.reason,
        prior_run: priorRun(run.reason),
        stuck: stuckReason(run, active, now),
      },
    ];
  });
}

function activeAmong(heartbeats: readonly HeartbeatRecord[], dead: number): ReadonlySet<string> {
  return new Set(heartbeats.flatMap((one) => (one.last_heartbeat >= dead ? [one.runner_id] : [])));
}

/** `prior_running:<run id> runner:<runner id>` (storage.md 6.1). */
function priorRun(reason: string): ExecutionRow["prior_run"] {
  const match = /^prior_running:(\S+) runner:(\S+)$/.exec(reason);
  return match === null ? null : { atomic_service_run_id: match[1] ?? "", runner_id: match[2] ?? "" };
}

function stuckReason(run: ExecutionRecord, active: ReadonlySet<string>, now: number): StuckReason | null {
  if (run.status !== "running") return null;
  if (!active.has(run.runner_id)) return "runner_dead";
  return now - run.start_time > STUCK_SERVICE_SECONDS ? "too_long" : null;
}

/** Runs that block every later one: recorded as running on a dead runner, or for too long. At most five. */
export async function stuckServiceRuns(reads: AppReads, dead: number, now: number): Promise<ExecutionRecord[]> {
  const running = await reads.orchestrator.executions({ limit: RUNNING_SHOWN, offset: 0 }, { status: "running" });
  if (running.length === 0) return [];
  const heartbeats = await reads.orchestrator.heartbeatsByIds(running.map((run) => run.runner_id));
  const active = activeAmong(heartbeats, dead);
  return running.filter((run) => stuckReason(run, active, now) !== null);
}

/** A trigger run that names the service run in which it was executed. */
export interface ServiceTriggerRun {
  trigger_run_id: string;
  trigger_id: string;
  /** The task that was started. */
  task_id_key: string;
  claimed_at: string | null;
  executed_at: string | null;
  /** Null when nothing was started. */
  triggered_invocation: InvocationRow | null;
}

export interface AtomicRun {
  atomic_service_run_id: string;
  /** Null when it was removed and only trigger runs remember it. */
  execution: ExecutionRow | null;
  /** As the execution says, else as its trigger runs do. */
  runner: RunnerName | null;
  runner_active: boolean;
  runner_last_heartbeat: string | null;
  /** Newest first. */
  trigger_runs: ServiceTriggerRun[];
  trigger_runs_truncated: boolean;
  /** What happened around it, on a time line; null when its record is gone. */
  timeline: TimelineQuery | null;
  /** How long executions are kept. */
  settings: SettingRow[];
}

const TRIGGER_RUNS_SHOWN = 200;

/** @throws NotFoundError when neither an execution nor a trigger run knows the id. */
export async function atomicRun(app: OpenedApp, id: string): Promise<AtomicRun> {
  const dead = deadBefore(app);
  return app.store.read(async (reads) => {
    const [{ executions: recorded }, [execution], triggerRuns] = await Promise.all([
      reads.layout.capabilities(),
      reads.orchestrator.executionsByIds([id]),
      // An empty id is in no trigger run, but every text contains it.
      id === ""
        ? Promise.resolve([])
        : reads.trigger.listTriggerRuns({ atomic_service_run_id: id }, { limit: TRIGGER_RUNS_SHOWN + 1, offset: 0 }),
    ]);
    if (execution === undefined && triggerRuns.length === 0) {
      throw new NotFoundError(
        "atomic service run",
        id,
        recorded
          ? "Runs are removed after atomic_service_execution_retention_minutes unless a trigger run refers to them."
          : "This layout keeps no record of each run; pynenc does since 0.2.4.",
      );
    }
    const shown = triggerRuns.slice(0, TRIGGER_RUNS_SHOWN);
    const runnerId =
      execution?.runner_id ?? shown.find((run) => run.atomic_service_runner_id !== null)?.atomic_service_runner_id;
    const invocationIds = shown.flatMap((run) => run.triggered_invocation_id ?? []);
    const [rows, names, heartbeats, invocations] = await Promise.all([
      executionRows(reads, execution === undefined ? [] : [execution], dead, app.now()),
      runnerNames(reads, runnerId ? [runnerId] : []),
      reads.orchestrator.heartbeatsByIds(runnerId ? [runnerId] : []),
      invocationRows(reads, [...new Set(invocationIds)]),
    ]);
    const invocationById = new Map(invocations.map((row) => [row.invocation_id, row]));
    return {
      atomic_service_run_id: id,
      execution: rows[0] ?? null,
      timeline: rows[0] === undefined ? null : serviceRunTimeline(rows[0].start_time, rows[0].end_time),
      runner: runnerId ? (names.get(runnerId) ?? null) : null,
      runner_active: activeAmong(heartbeats, dead).size > 0,
      runner_last_heartbeat: isoOrNull(heartbeats[0]?.last_heartbeat),
      trigger_runs: shown.map((run) => ({
        trigger_run_id: run.trigger_run_id,
        trigger_id: run.trigger_id,
        task_id_key: run.task_id_key,
        claimed_at: isoOrNull(run.claimed_at),
        executed_at: isoOrNull(run.executed_at),
        triggered_invocation: invocationById.get(run.triggered_invocation_id ?? "") ?? null,
      })),
      trigger_runs_truncated: triggerRuns.length > TRIGGER_RUNS_SHOWN,
      settings: settingRows(app.settings, [
        "atomic_service_execution_retention_minutes",
        "atomic_service_execution_max_records",
      ]),
    };
  });
}

/** A runner with its place in the cycle and what it would be told if it asked now. */
export interface SlotRow {
  /** From 1. */
  position: number;
  runner_id: string;
  runner: RunnerName;
  created_at: string;
  last_heartbeat: string;
  slot_start: string;
  slot_end: string;
  /** Part of the slot in which it may start; null when the margin leaves nothing. */
  window_start: string | null;
  window_end: string | null;
  /** The present lies in its slot. */
  owns_slot: boolean;
  in_grace: boolean;
  may_start: boolean;
  reason: SlotReason;
  /** The reason in words, as a sentence. */
  explanation: string;
  /** Its latest run among the newest that are recorded; up to 0.2.3 what its heartbeat says. */
  last_service_start: string | null;
  last_service_end: string | null;
  /** Null where runs are not recorded. */
  last_atomic_service_run_id: string | null;
}

export interface AtomicScheduling {
  /** False before 0.2.4. */
  recorded: boolean;
  now: string;
  cycle_start: string;
  cycle_end: string;
  interval_seconds: number;
  spread_seconds: number;
  slot_seconds: number | null;
  /** Runners that take turns now. */
  eligible: number;
  /** Runners with a young heartbeat, those that take no turns included. */
  active: number;
  /** More runners are active than were read, so the slots are not those that the runners compute. */
  incomplete: boolean;
  /** With more runners than this nobody can start; null when any number is fine. */
  most_runners: number | null;
  every_window_invalid: boolean;
  owner: RunnerName | null;
  /** In the order of their slots. */
  runners: SlotRow[];
  running: ExecutionRow[];
  stuck: ExecutionRow[];
  /** The newest first. */
  blocked: ExecutionRow[];
  settings: SettingRow[];
}

/** Active runners that are taken into account: many more than can ever take turns. */
const RUNNERS_READ = 5000;

const BLOCKED_SHOWN = 50;

/** Newest runs among which each runner's last one is looked for: all that pynenc keeps by default. */
const LAST_RUNS_READ = 1000;

/** Whose turn it is at this moment and why, as the runners compute it themselves. */
export async function atomicScheduling(app: OpenedApp): Promise<AtomicScheduling> {
  const now = app.now();
  const dead = deadBefore(app);
  return app.store.read(async (reads) => {
    const [{ executions: recorded }, heartbeats, active, newest, blocked, running] = await Promise.all([
      reads.layout.capabilities(),
      reads.orchestrator.heartbeats({ limit: RUNNERS_READ, offset: 0 }, dead),
      reads.orchestrator.countHeartbeats(dead),
      reads.orchestrator.executions({ limit: LAST_RUNS_READ, offset: 0 }),
      reads.orchestrator.executions({ limit: BLOCKED_SHOWN, offset: 0 }, { status: "blocked" }),
      reads.orchestrator.executions({ limit: RUNNING_SHOWN, offset: 0 }, { status: "running" }),
    ]);
    const rules = slotRules(app, recorded);
    const eligible = heartbeats.filter((one) => one.allow_to_run_atomic_service);
    const plan = slotPlan(now, rules, eligible);
    const names = await runnerNames(
      reads,
      eligible.map((one) => one.runner_id),
    );
    const rows = await executionRows(reads, [...running, ...blocked], dead, now);
    const runningRows = rows.slice(0, running.length);
    const heartbeatById = new Map(eligible.map((one) => [one.runner_id, one]));
    const lastRun = new Map(newest.toReversed().map((run) => [run.runner_id, run]));
    return {
      recorded,
      now: isoFromEpoch(now),
      cycle_start: isoFromEpoch(plan.cycle.start),
      cycle_end: isoFromEpoch(plan.cycle.end),
      interval_seconds: rules.interval_seconds,
      spread_seconds: rules.spread_seconds,
      slot_seconds: plan.slot_seconds,
      eligible: eligible.length,
      active,
      incomplete: active > heartbeats.length,
      most_runners: mostRunners(rules),
      every_window_invalid: plan.every_window_invalid,
      owner: plan.owner === null ? null : (names.get(plan.owner.runner_id) ?? null),
      runners: plan.runners.flatMap((slot): SlotRow[] => {
        const runner = names.get(slot.runner_id);
        const heartbeat = heartbeatById.get(slot.runner_id);
        if (runner === undefined || heartbeat === undefined) return [];
        const last = lastRun.get(slot.runner_id);
        return [
          {
            position: slot.position + 1,
            runner_id: slot.runner_id,
            runner,
            created_at: isoFromEpoch(heartbeat.creation_timestamp),
            last_heartbeat: isoFromEpoch(heartbeat.last_heartbeat),
            slot_start: isoFromEpoch(slot.slot.start),
            slot_end: isoFromEpoch(slot.slot.end),
            window_start: isoOrNull(slot.window?.start),
            window_end: isoOrNull(slot.window?.end),
            owns_slot: slot.assigned,
            in_grace: slot.in_grace,
            may_start: slot.reason === "assigned",
            reason: slot.reason,
            explanation: explained(slot, now),
            last_service_start: isoOrNull(last?.start_time ?? heartbeat.last_service_start),
            last_service_end: isoOrNull(last === undefined ? heartbeat.last_service_end : last.end_time),
            last_atomic_service_run_id: last?.atomic_service_run_id ?? null,
          },
        ];
      }),
      running: runningRows,
      stuck: runningRows.filter((row) => row.stuck !== null),
      blocked: rows.slice(running.length),
      settings: settingRows(app.settings, [
        "atomic_service_interval_minutes",
        "atomic_service_spread_margin_minutes",
        "atomic_service_check_interval_minutes",
        ...(recorded
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

/** @param recorded whether the layout records executions: those before follow the older rules. */
export function slotRules(app: OpenedApp, recorded: boolean): SlotRules {
  return {
    interval_seconds: numberSetting(app, "atomic_service_interval_minutes") * 60,
    spread_seconds: numberSetting(app, "atomic_service_spread_margin_minutes") * 60,
    stabilization_seconds: numberSetting(app, "atomic_service_membership_stabilization_minutes") * 60,
    max_start_fraction: numberSetting(app, "atomic_service_max_start_slot_fraction"),
    version: recorded ? "0.2.4" : "0.2.3",
  };
}

function explained(slot: ReturnType<typeof slotPlan>["runners"][number], now: number): string {
  switch (slot.reason) {
    case "assigned":
      return "Its turn: it may start at its next check.";
    case "late_start":
      return "Its turn, but too much of it has passed.";
    case "slot_window_invalid":
      return "The margin takes all of its turn.";
    case "scheduled_runner_in_grace":
      return slot.assigned ? "Its turn, but it is still too young." : "The slot's owner is still too young.";
    case "not_assigned_slot":
      if (slot.assigned) return "What is left of its turn is the margin.";
      return now < slot.slot.start ? "Its turn comes later in this cycle." : "Its turn in this cycle is over.";
    case "no_stable_runners":
      return "No runner takes turns.";
  }
}
