/** The timeline of a window in counts alone, for readers that cannot see a drawing. */
import type { Timeline, TimelineDensity, TimelineInCounts } from "../../api/timeline.ts";
import { MAX_DRAWN } from "../../inputs/timeline.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import type { RawInput } from "../input/input.ts";
import { readTimelineInput, timeline } from "./timeline.ts";

/** Slices of a window, at most. */
const SLICES = 24;

/** @throws InvalidInputError */
export async function timelineCounts(app: OpenedApp, raw: RawInput): Promise<TimelineInCounts> {
  const input = await readTimelineInput(app, raw, "counts");
  // The limit is also that of what a filter finds.
  const options = { ...input.options, limit: MAX_DRAWN };
  return inCounts(await timeline(app, { ...input, options }));
}

function inCounts(found: Timeline): TimelineInCounts {
  const { start, end, at, options, density, counts, data_span, notes } = found;
  const merged = Math.max(1, Math.ceil((density?.slices ?? 0) / SLICES));
  const sums = (values: readonly number[]) => mergedSums(values, merged);
  const lanes = density === null ? [] : lanesOf(found, density, sums);
  const zero = density === null ? [] : sums(density.totals).map(() => 0);
  const failed = (density?.rows ?? []).filter(({ status }) => status === "failed").map((row) => sums(row.counts));
  return {
    ...{ start, end, at, group: options.group },
    from: density?.from ?? start,
    slice_seconds: (density?.slice_seconds ?? 0) * merged,
    changes: byStatus(density?.rows ?? []),
    totals: density === null ? [] : sums(density.totals),
    failed: failed.reduce(added, zero),
    counted: density?.counted ?? null,
    lanes: lanes.sort((a, b) => sumOf(b.totals) - sumOf(a.totals)),
    invocations: counts.invocations.total,
    events: counts.events.total,
    trigger_runs: counts.trigger_runs.total,
    data_span,
    notes,
  };
}

type Row = TimelineDensity["rows"][number];

function lanesOf(
  { runners, options }: Timeline,
  { rows, busy }: TimelineDensity,
  sums: (values: readonly number[]) => number[],
): TimelineInCounts["lanes"] {
  const nameOf = (one: Pick<Row, "runner_id" | "task_id_key">) =>
    options.group === "runner" ? one.runner_id : one.task_id_key;
  const secondsOf = new Map(busy?.map((one) => [nameOf(one), one.busy_seconds]));
  const known = new Map(runners.map((runner) => [runner.runner_id, runner]));
  return [...rowsBy(rows, nameOf)].map(([name, own]) => {
    const runner = options.group === "runner" ? known.get(name ?? "") : undefined;
    const seconds = secondsOf.get(name);
    return {
      runner_id: options.group === "runner" ? name : null,
      task_id_key: options.group === "runner" ? null : name,
      runner_cls: runner?.runner_cls ?? null,
      hostname: runner?.hostname ?? null,
      changes: byStatus(own),
      totals: own.map((row) => sums(row.counts)).reduce(added),
      busy_seconds: seconds === undefined ? (busy === null ? null : 0) : Math.round(sumOf(seconds) * 1_000) / 1_000,
    };
  });
}

function byStatus(rows: readonly Row[]): Record<string, number> {
  const found = [...rowsBy(rows, ({ status }) => status)];
  return Object.fromEntries(found.map(([status, own]) => [status, sumOf(own.map(({ counts }) => sumOf(counts)))]));
}

function mergedSums(values: readonly number[], each: number): number[] {
  return Array.from({ length: Math.ceil(values.length / each) }, (_, slice) =>
    sumOf(values.slice(slice * each, (slice + 1) * each)),
  );
}

function added(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, index) => value + (b[index] ?? 0));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
