/** `/invocations/{id}/history` with the keys that clients of pynenc's own monitor read (behaviour.md 3.5). */
import type { HistoryEntry } from "../../api/invocations.ts";
import type { HistoryJson } from "../../api/legacy.ts";
import type { RunnerName } from "../../api/model/runner-names.ts";
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { invocationHistory } from "../../services/invocations/invocation-detail.ts";

/** @throws NotFoundError */
export async function invocationHistoryApi(app: OpenedApp, id: string): Promise<HistoryJson[]> {
  return (await invocationHistory(app, id)).map(historyJson);
}

function historyJson(entry: HistoryEntry): HistoryJson {
  const { runner } = entry;
  const known = runner !== null && !runner.context_missing;
  const textOf = (value: number | null | undefined) => (value === null || value === undefined ? null : String(value));
  return {
    timestamp: entry.timestamp,
    written_at: entry.written_at,
    status: entry.status,
    status_runner_id: entry.status_runner_id,
    runner_context_summary: known ? runnerSummary(runner) : "N/A",
    runner_cls: runner?.runner_cls ?? null,
    runner_id: runner?.runner_id ?? null,
    hostname: runner?.hostname ?? null,
    pid: textOf(runner?.pid),
    thread_id: textOf(runner?.thread_id),
    parent_runner_cls: runner?.parent?.runner_cls ?? null,
    parent_runner_id: runner?.parent?.runner_id ?? null,
    parent_hostname: runner?.parent?.hostname ?? null,
    parent_pid: textOf(runner?.parent?.pid),
    parent_thread_id: textOf(runner?.parent?.thread_id),
    since_previous_seconds: entry.since_previous_seconds,
    possible: entry.possible,
    registered_by_inv_id: entry.registered_by_inv_id,
  };
}

/** `Class(id7)` or `ParentClass(id7).Class[id7]` (behaviour.md 3.5). */
function runnerSummary(runner: RunnerName): string {
  const own = `${runner.runner_cls}`;
  const short = runner.runner_id.slice(0, 7);
  if (runner.parent === null) return `${own}(${short})`;
  return `${runner.parent.runner_cls ?? "unknown"}(${runner.parent.runner_id.slice(0, 7)}).${own}[${short}]`;
}
