/** The recorded runs of the atomic service, newest first (storage-format.md 6.1). */
import type { ExecutionRecord } from "../../pynenc/records.ts";
import { isoFromEpoch } from "../../pynenc/time.ts";
import type { AppReads, ExecutionFilter } from "../../stores/ports.ts";
import { executionCounts } from "../app/counts.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { choice, integer, optionalNumber, pageNumber, parseInput, type RawInput, text } from "../input/input.ts";
import { type PageInfo, pageOf, sliceOf } from "../input/paging.ts";
import { type ExecutionRow, executionRows, RUNNING_SHOWN } from "../model/execution-rows.ts";
import { deadBefore } from "../model/runner-liveness.ts";
import { type SettingRow, settingRows } from "../model/setting-rows.ts";

/** Statuses that pynenc writes; a store may hold others. */
const EXECUTION_STATUSES = ["running", "completed", "abandoned", "blocked"] as const;

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
      limit: integer(1, 1000, 100),
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
  const statuses = await executionCounts(app);
  const filtered = Object.keys(filter).length > 0;
  return app.store.read(async (reads) => {
    const [{ executions: recorded }, total, running] = await Promise.all([
      reads.layout.capabilities(),
      filtered ? reads.orchestrator.countExecutions(filter) : Object.values(statuses).reduce((sum, n) => sum + n, 0),
      reads.orchestrator.executions({ limit: RUNNING_SHOWN, offset: 0 }, { status: "running" }),
    ]);
    const wanted = { number: input.page, size: input.limit };
    if (selectedId !== undefined && raw.page === undefined) {
      wanted.number = await pageWith(reads, selectedId, filter, wanted.size);
    }
    const answered = await reads.orchestrator.executions(sliceOf(wanted), filter);
    const { rows, page } = pageOf(answered, wanted, total);
    const shown = await executionRows(reads, [...rows, ...running], await deadBefore(app, reads), app.now());
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
