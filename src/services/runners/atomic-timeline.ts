/** The recorded runs of the atomic service, newest first (storage-format.md 6.1). */

import type { AtomicTimeline } from "../../api/runners.ts";
import { atomicServiceInput } from "../../inputs/runners.ts";
import { totalOf } from "../../pynenc/groups.ts";
import type { ExecutionRecord } from "../../pynenc/records.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { ExecutionFilter } from "../../stores/ports/orchestrator.ts";
import type { AppReads } from "../../stores/ports/store.ts";
import { executionCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { pageOf, sliceOf } from "../input/paging.ts";
import { executionRows, RUNNING_SHOWN } from "../model/execution-rows.ts";
import { type UnknownName, unknownAmong } from "../model/known-names.ts";
import { type IdParameters, withFullIds } from "../model/resolve-ids.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { settingRows } from "../model/setting-rows.ts";

/** Statuses that pynenc writes; a store may hold others. */

/** How many runs are searched for the selected one: everything pynenc keeps by default. */
const SELECTION_SEARCHED = 1000;

/** Parameters that take full or partial ids. */
const TIMELINE_IDS: IdParameters = { runner_id: ["runner"], selected_atomic_service_run_id: ["atomic_service_run"] };

/**
 * Recorded runs of the atomic service, newest first. With `selected_atomic_service_run_id` and without `page`, the page that contains that run.
 *
 * @throws InvalidInputError
 */
export async function atomicTimeline(app: OpenedApp, raw: RawInput): Promise<AtomicTimeline> {
  const input = parseInput(atomicServiceInput, await withFullIds(app, raw, TIMELINE_IDS));
  const shownFilter = {
    runner_id: input.runner_id ?? null,
    atomic_service_run_id: input.atomic_service_run_id ?? null,
    status: input.status ?? null,
    min_duration_seconds: input.min_duration_seconds ?? null,
  };
  const filter = executionFilter(shownFilter);
  const selectedId = input.selected_atomic_service_run_id;
  const statuses = await executionCounts(app);
  const filtered = Object.keys(filter).length > 0;
  const list = await app.store.read(async (reads) => {
    const [{ executions: recorded }, counts, running] = await Promise.all([
      reads.layout.capabilities(),
      filtered ? reads.orchestrator.countExecutions(filter) : statuses,
      reads.orchestrator.executions({ limit: RUNNING_SHOWN, offset: 0 }, { status: "running" }),
    ]);
    const wanted = { number: input.page, size: input.limit };
    if (selectedId !== undefined && raw.page === undefined) {
      wanted.number = await pageWith(reads, selectedId, filter, wanted.size);
    }
    const { rows, page } = pageOf(
      await reads.orchestrator.executions(sliceOf(wanted), filter),
      wanted,
      totalOf(counts),
    );
    const shown = await executionRows(reads, [...rows, ...running], await deadBefore(app, reads), app.now());
    return {
      recorded,
      executions: shown.slice(0, rows.length),
      page,
      filter: shownFilter,
      statuses,
      window: windowOf(rows),
      durations: durationsOf(rows),
      running: shown.slice(rows.length),
      selected: selectedId === undefined ? null : selection(selectedId, rows),
      settings: settingRows(app.settings, [
        "atomic_service_interval_minutes",
        ...(recorded ? ["atomic_service_execution_retention_minutes", "atomic_service_execution_max_records"] : []),
      ]),
    };
  });
  const unknown = list.executions.length > 0 ? [] : await unknownRunner(app, list.filter);
  return { ...list, notes: unknown.map(({ sentence }) => sentence) };
}

function executionFilter(shown: AtomicTimeline["filter"]): ExecutionFilter {
  const { runner_id, atomic_service_run_id: id_prefix, status, min_duration_seconds: min_seconds } = shown;
  return {
    ...(runner_id !== null && { runner_id }),
    ...(id_prefix !== null && { id_prefix }),
    ...(status !== null && { status }),
    // A minimum of 0 does not restrict: it must not drop runs that have no duration yet.
    ...(min_seconds !== null && min_seconds > 0 && { min_seconds }),
  };
}

function selection(id: string, rows: readonly ExecutionRecord[]): AtomicTimeline["selected"] {
  return { atomic_service_run_id: id, on_page: rows.some((row) => row.atomic_service_run_id === id) };
}

/** The runner of a filter, if nothing names it, not even a run. */
export async function unknownRunner(
  app: OpenedApp,
  { runner_id }: Pick<AtomicTimeline["filter"], "runner_id">,
): Promise<UnknownName[]> {
  if (runner_id === null) return [];
  const runs = await app.store.read((reads) => reads.orchestrator.countExecutions({ runner_id }));
  return totalOf(runs) > 0 ? [] : unknownAmong(app, { runners: [runner_id] });
}

/** The page with this run; 1 if it is not among the newest. */
async function pageWith(reads: AppReads, id: string, filter: ExecutionFilter, size: number): Promise<number> {
  const newest = await reads.orchestrator.executions({ limit: SELECTION_SEARCHED, offset: 0 }, filter);
  const index = newest.findIndex((run) => run.atomic_service_run_id === id);
  return index < 0 ? 1 : Math.floor(index / size) + 1;
}

/** From the valid times; null if there are none. */
function windowOf(runs: readonly ExecutionRecord[]): AtomicTimeline["window"] {
  const starts = runs.map((run) => run.start_time).filter(Number.isFinite);
  if (starts.length === 0) return null;
  const ends = runs.flatMap((run) => run.end_time ?? []).filter(Number.isFinite);
  const [start, end] = [Math.min(...starts), Math.max(...starts, ...ends)];
  return { start: isoFromEpoch(start), end: isoFromEpoch(end), duration_seconds: end - start };
}

function durationsOf(runs: readonly ExecutionRecord[]): AtomicTimeline["durations"] {
  const seconds = runs.flatMap((run) =>
    run.end_time === null || run.status === "blocked" ? [] : [run.end_time - run.start_time],
  );
  if (seconds.length === 0) return { runs: 0, average_seconds: null, longest_seconds: null };
  const sum = seconds.reduce((total, one) => total + one, 0);
  return { runs: seconds.length, average_seconds: sum / seconds.length, longest_seconds: Math.max(...seconds) };
}
