import { DEFAULT_ORIGIN } from "../../config/pynenc-sources.ts";
import { describeCron } from "../../pynenc/conditions.ts";
import { lasting } from "../../pynenc/numbers.ts";
import type { BlockingEdge } from "../../pynenc/records.ts";
import {
  executionCounts,
  type InvocationTotals,
  invocationTotals,
  type StatusCount,
  statusCounts,
} from "../app/counts.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";
import { LISTED } from "../health/problems.ts";
import { type InvocationRow, invocationRows } from "../model/invocation-rows.ts";
import { type RunnerCounts, runnerCounts } from "../model/runner-counts.ts";
import { livenessOf, silenceWords } from "../model/runner-liveness.ts";
import { type SettingRow, settingRows } from "../model/setting-rows.ts";
import { judgedEdges } from "../model/waiting-edges.ts";

/** `waiter` waits for the result of `waited`. */
export interface BlockingPair {
  waiter: InvocationRow;
  waited: InvocationRow;
}

export interface OrchestratorOverview {
  present: boolean;
  /** Of all invocations, also of those that the orchestrator no longer keeps. */
  statuses: StatusCount[];
  totals: InvocationTotals;
  runners: RunnerCounts & { eligible_for_atomic_service: number };
  /** Waits that hold now, the latest first; the first 50. */
  blocking: BlockingPair[];
  blocking_count: number;
  /** Recorded waits that hold no more: one side is final, or the orchestrator has no status of it; the first 50. */
  stale_blocking: BlockingPair[];
  stale_blocking_count: number;
  /** False where more waits are recorded than are looked at (1,000): both counts are then of the latest. */
  blocking_complete: boolean;
  /** Invocations that recovery will reroute at its next turn (storage-format.md 8); at most 100 of each. */
  recovery: { pending: InvocationRow[]; running: InvocationRow[] };
  /** From when on an invocation counts as stuck, and how that is known: settings that were not found are pynenc's defaults. */
  stuck_after: { pending: string; running: string };
  /** Null where executions are not recorded. */
  atomic_service_executions: Record<string, number> | null;
  settings: SettingRow[];
  /** The recovery crons in words. */
  crons: { pending: string; running: string };
}

/** In the form of `silenceWords`. */
function pendingWords(app: OpenedApp): string {
  const length = lasting(numberSetting(app, "max_pending_seconds"));
  return app.settings.get("max_pending_seconds")?.origin === DEFAULT_ORIGIN
    ? `${length} (the default of max_pending_seconds; no other value was found)`
    : `${length} (max_pending_seconds)`;
}

const BLOCKING_SHOWN = 50;

const SHOWN_SETTINGS = [
  "orchestrator_cls",
  "blocking_control",
  "auto_final_invocation_purge_hours",
  "recover_pending_invocations_cron",
  "max_pending_seconds",
  "recover_running_invocations_cron",
  "runner_considered_dead_after_minutes",
  "atomic_service_interval_minutes",
  "atomic_service_spread_margin_minutes",
  "atomic_service_check_interval_minutes",
];

export async function orchestratorOverview(app: OpenedApp): Promise<OrchestratorOverview> {
  const [statuses, totals, executions] = await Promise.all([
    statusCounts(app),
    invocationTotals(app),
    executionCounts(app),
  ]);
  const pendingBefore = app.now() - numberSetting(app, "max_pending_seconds");
  const cron = (field: string) => describeCron(String(app.settings.get(field)?.value ?? ""));
  return app.store.read(async (reads) => {
    const { dead_before: dead, silence } = await livenessOf(app, reads);
    const [capabilities, { waiting, stale, recorded }, pending, running, heartbeats, runners] = await Promise.all([
      reads.layout.capabilities(),
      judgedEdges(reads),
      reads.orchestrator.pendingSince(pendingBefore, LISTED),
      reads.orchestrator.ownedByDeadRunner("running", dead, LISTED),
      reads.orchestrator.heartbeats({ limit: 1000, offset: 0 }, dead),
      runnerCounts(reads, dead),
    ]);
    const [shown, shownStale] = [waiting.slice(0, BLOCKING_SHOWN), stale.slice(0, BLOCKING_SHOWN)];
    const ids = new Set([
      ...[...shown, ...shownStale].flatMap((e) => [e.waiter_id, e.waited_id]),
      ...pending.map((row) => row.invocation_id),
      ...running.map((row) => row.invocation_id),
    ]);
    const rowById = new Map((await invocationRows(reads, [...ids])).map((row) => [row.invocation_id, row]));
    const rows = (wanted: readonly string[]) => wanted.flatMap((id) => rowById.get(id) ?? []);
    const pairs = (edges: readonly BlockingEdge[]) =>
      edges.flatMap((edge) => {
        const [waiter, waited] = rows([edge.waiter_id, edge.waited_id]);
        return waiter && waited ? [{ waiter, waited }] : [];
      });
    return {
      present: capabilities.components.orchestrator,
      statuses,
      totals,
      runners: {
        ...runners,
        eligible_for_atomic_service: heartbeats.filter((h) => h.allow_to_run_atomic_service).length,
      },
      blocking: pairs(shown),
      blocking_count: waiting.length,
      stale_blocking: pairs(shownStale),
      stale_blocking_count: stale.length,
      blocking_complete: recorded <= waiting.length + stale.length,
      recovery: {
        pending: rows(pending.map((row) => row.invocation_id)),
        running: rows(running.map((row) => row.invocation_id)),
      },
      stuck_after: {
        pending: pendingWords(app),
        running: silenceWords(silence),
      },
      atomic_service_executions: capabilities.executions ? executions : null,
      settings: settingRows(app.settings, SHOWN_SETTINGS),
      crons: { pending: cron("recover_pending_invocations_cron"), running: cron("recover_running_invocations_cron") },
    };
  });
}
