/** `/invocations/{id}/history` with the keys that clients of pynenc's own monitor read (behaviour.md 3.5). */
import type { OpenedApp } from "../../services/app/opened-app.ts";
import { type HistoryEntry, invocationHistory } from "../../services/invocations/invocation-detail.ts";
import type { RunnerName } from "../../services/model/runner-names.ts";

/** One entry. Process and thread ids are text. */
export interface HistoryJson {
  timestamp: string;
  written_at: string;
  status: string;
  status_runner_id: string | null;
  runner_context_summary: string;
  runner_cls: string | null;
  runner_id: string | null;
  hostname: string | null;
  pid: string | null;
  thread_id: string | null;
  parent_runner_cls: string | null;
  parent_runner_id: string | null;
  parent_hostname: string | null;
  parent_pid: string | null;
  parent_thread_id: string | null;
  seconds_since_previous: number | null;
  possible: boolean;
  registered_by_inv_id: string | null;
}

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
    seconds_since_previous: entry.seconds_since_previous,
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
