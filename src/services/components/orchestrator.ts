import type { OrchestratorOverview } from "../../api/components.ts";
import { DEFAULT_ORIGIN } from "../../config/setting-sources.ts";
import { describeCron } from "../../pynenc/conditions.ts";
import type { BlockingEdge } from "../../pynenc/records.ts";
import { executionCounts, invocationTotals, statusCounts } from "../app/counts.ts";
import { numberSetting, type OpenedApp } from "../app/opened-app.ts";
import { invocationRows } from "../model/invocation-rows.ts";
import { runnerCounts } from "../model/runner-counts.ts";
import { limitWords, livenessOf, silenceWords } from "../model/runner-liveness.ts";
import { settingRows } from "../model/setting-rows.ts";
import { checkedEdges } from "../model/waiting-edges.ts";
import { NAMED } from "../verdicts/finding.ts";

/** In the style of `silenceWords`. */
function pendingWords(app: OpenedApp): string {
  const setting = "max_pending_seconds";
  return limitWords(numberSetting(app, setting), app.settings.get(setting)?.origin === DEFAULT_ORIGIN ? null : setting);
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
      checkedEdges(reads),
      reads.orchestrator.pendingSince(pendingBefore, NAMED),
      reads.orchestrator.ownedByDeadRunner(["running"], dead, NAMED),
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
      settings: settingRows(app.settings, SHOWN_SETTINGS, capabilities.components),
      crons: { pending: cron("recover_pending_invocations_cron"), running: cron("recover_running_invocations_cron") },
    };
  });
}
