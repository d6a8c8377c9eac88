/** What is said of a run of the atomic service. */
import type {
  AtomicRun,
  ExecutionRow,
  RunnerDetail,
  ServiceRunRow,
  ServiceTriggerRun,
  StuckReason,
} from "../../api/runners.ts";
import { type Column, idColumn, type Part, secondsColumn, taskColumn, timeColumn } from "./column.ts";
import { type FactGroup, type FactValue, fact, group, idOf, type Tone, unknown } from "./fact.ts";
import { runnerState } from "./runner.ts";

export function serviceRunFacts({
  execution,
  runner,
  runner_active: active,
  runner_last_heartbeat: heard,
}: AtomicRun): FactGroup[] {
  const state = runnerState({ active, last_heartbeat: heard });
  return [
    group(
      "Execution",
      ...(execution === null ? [fact("start_time", "Start", unknown("not known"))] : executionFacts(execution)),
    ),
    group(
      "Runner",
      fact("runner", "Runner", runner === null ? unknown("not known") : { parts: [{ runner }, state] }),
      runner !== null && fact("last_heartbeat", "Last heartbeat", { time: heard }),
    ),
  ];
}

function executionFacts(execution: ExecutionRow) {
  const { start_time: start, end_time: end, prior_run: prior, duration_seconds: seconds } = execution;
  return [
    fact("start_time", "Start", { time: start }),
    fact("end_time", "End", end === null ? "not ended" : { time: end }),
    end !== null && fact("duration_seconds", "Took", { seconds }),
    fact("status", "Status", { parts: serviceStatus(execution) }),
    fact("reason", "Reason", execution.reason || null),
    prior !== null &&
      fact("prior_run", "Blocked by", {
        parts: [idOf("atomic_service_run", prior.atomic_service_run_id), "of runner", idOf("runner", prior.runner_id)],
      }),
  ];
}

const TONES: ReadonlyMap<string, Tone> = new Map([
  ["running", "info"],
  ["blocked", "warn"],
  ["abandoned", "bad"],
]);

/** Statuses of the atomic service, which are not statuses of invocations, and whether a run will ever end. */
export function serviceStatus({ status, stuck }: { status: string; stuck?: StuckReason | null }): FactValue[] {
  const tone = TONES.get(status);
  const word: FactValue = status === "completed" ? status : { mark: status, ...(tone === undefined ? {} : { tone }) };
  return stuck == null ? [word] : [word, { mark: "stuck", tone: "bad", hint: stuckWords(stuck) }];
}

/** Why a run counts as stuck, as a sentence. */
export function stuckWords(stuck: StuckReason): string {
  return stuck === "runner_dead"
    ? "Its runner is silent, and no other runner ends its run."
    : "It has been running for more than 5 min; a run usually takes milliseconds.";
}

export function triggerRunsOfServicePart({
  trigger_runs: rows,
  trigger_runs_truncated: cut,
}: AtomicRun): Part<ServiceTriggerRun> {
  return {
    title: "Trigger runs it executed",
    total: { count: rows.length, capped: cut },
    caption: "Trigger runs executed in this service run, newest first",
    columns: TRIGGER_RUN_COLUMNS,
    rows,
    keyOf: (run) => run.trigger_run_id,
    empty: "No trigger runs: most service runs have nothing to start, and old trigger runs are removed.",
  };
}

const TRIGGER_RUN_COLUMNS: readonly Column<ServiceTriggerRun>[] = [
  idColumn("trigger_run_id", "Trigger run", "trigger_run"),
  taskColumn("task_id_key", "Task"),
  {
    of: ["triggered_invocation"],
    label: "Invocation",
    value: ({ triggered_invocation: row }) =>
      row === null ? null : { parts: [idOf("invocation", row.invocation_id), { status_of: row }] },
  },
  { of: ["executed_at"], label: "Executed", value: (run) => ({ time: run.executed_at ?? run.claimed_at }) },
  timeColumn("claimed_at", "Claimed", { page: true, roomy: true }),
  idColumn("trigger_id", "Trigger", "trigger", { page: true, roomy: true }),
];

/** The newest runs of one runner; null if this layout does not record them. */
export function serviceRunsPart({ runner, service_runs: rows }: RunnerDetail): Part<ServiceRunRow> {
  return {
    title: "Atomic service",
    caption: "Newest runs of the atomic service by this runner",
    columns: SERVICE_RUN_COLUMNS,
    rows: rows ?? [],
    keyOf: (run) => run.atomic_service_run_id,
    all: { label: "All service runs", to: { service_runs: { runner_id: runner.runner_id } } },
    empty:
      rows === null
        ? "pynenc records all service runs since 0.2.4; this store is older and has only the last of each runner."
        : "No service runs recorded.",
  };
}

const RUN_COLUMNS: readonly Column<ServiceRunRow>[] = [
  idColumn("atomic_service_run_id", "Service run", "atomic_service_run"),
  { of: ["status"], label: "Status", value: (run) => ({ parts: serviceStatus(run) }) },
  timeColumn("start_time", "Start"),
  {
    of: ["end_time"],
    label: "End",
    page: true,
    value: ({ end_time: time }) => (time === null ? "not ended" : { time }),
  },
  secondsColumn("duration_seconds", "Took"),
];

const SERVICE_RUN_COLUMNS: readonly Column<ServiceRunRow>[] = [
  ...RUN_COLUMNS,
  { of: ["reason"], label: "Reason", sparse: true, value: (run) => run.reason || null },
];

/** A list of runs by any runner. */
export const EXECUTION_COLUMNS: readonly Column<ExecutionRow>[] = [
  ...RUN_COLUMNS,
  {
    of: ["runner", "runner_active"],
    label: "Runner",
    value: ({ runner, runner_active: active }) => ({
      parts: [{ runner, short: true }, ...(active ? [] : [{ mark: "silent", hint: SILENT }])],
    }),
  },
  {
    of: ["reason", "prior_run"],
    label: "Reason",
    last: true,
    min: 12,
    value: ({ reason, prior_run: prior }) =>
      prior === null
        ? beginning(reason) || null
        : { parts: ["blocked by", idOf("atomic_service_run", prior.atomic_service_run_id)] },
  },
];

const SILENT = "Its last heartbeat is older than the app allows, or there is none";

/** A stored text may have any length; the run's own page shows all of it. */
function beginning(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200).replace(/[\ud800-\udbff]$/, "")}…`;
}
