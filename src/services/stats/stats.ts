import type { Stats, StatsFigures, StatsSlice } from "../../api/stats.ts";
import { InvalidInputError } from "../../errors.ts";
import { statsInput } from "../../inputs/stats.ts";
import { waitingAmong } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull, utcText } from "../../pynenc/time.ts";
import type { TimeSpan } from "../../rollups/buckets.ts";
import type { Answered, RequestedSpan, RollupReads, RowsFilter } from "../../rollups/reads.ts";
import type { OpenedApp } from "../app/opened-app.ts";
import { parseInput, type RawInput } from "../input/input.ts";
import { type AskedNames, unknownAmong } from "../model/known-names.ts";
import { withFullIds } from "../model/resolve-ids.ts";
import { withTaskKey } from "../model/task-keys.ts";
import {
  COMPARED_WORDS,
  comparedShift,
  isPassed,
  laterNotes,
  rangeNotes,
  rangeOf,
  requestedSpan,
  rollupsOf,
  storedHistory,
} from "./stats-range.ts";
import { figuresOf, finishedOf, rowsOf, sorted, sumOf, withBefore } from "./stats-rows.ts";

/** Number of slices in charts. */
const SLICES = 120;

/**
 * Counts and durations in a time range; by default the last hour.
 *
 * @param newest when the newest entry is stamped, if that is later than now.
 * @throws InvalidInputError, RefusedError if figures over time are switched off.
 */
export async function stats(app: OpenedApp, raw: RawInput, newest: EpochSeconds | null = null): Promise<Stats> {
  const input = parseInput(
    statsInput,
    await withTaskKey(app, await withFullIds(app, raw, { runner: ["runner"] }), "task_id"),
  );
  const now = app.now();
  const rollups = rollupsOf(app);
  const span = requestedSpan(input, raw, now, newest);
  const { sort, task_id, runner, compare } = input;
  const by = input.by ?? (runner === undefined ? "task" : "runner");
  const filter: RowsFilter = { task_id_key: task_id, runner_id: runner };
  assertAnswerable({ by, sort, runner, task_id });
  const shift = compare === undefined ? null : comparedShift(compare, span);
  if (compare !== undefined && shift === null) {
    const accepted = `one of ${COMPARED_WORDS.join(", ")}, or a length of time such as 1d`;
    throw new InvalidInputError([{ parameter: "compare", value: compare, accepted }]);
  }
  const earlier = shift === null ? null : { from: span.from - shift, to: span.to - shift };
  const single = task_id !== undefined || runner !== undefined;
  const [total, rows, series, durations, stored, compared, before] = await Promise.all([
    totalOf(rollups, span, filter, now),
    rowsOf(app, rollups, span, by, filter),
    seriesOf(rollups, span, filter),
    single ? rollups.durations(span, SLICES, filter) : null,
    storedHistory(app),
    earlier && totalOf(rollups, earlier, filter, now),
    earlier && rowsOf(app, rollups, earlier, by, filter),
  ]);
  if (newest === null && isPassed(span, requestedSpan(input, raw, now, stored?.last))) {
    return stats(app, raw, stored?.last ?? null);
  }
  const listed = sorted(before === null ? rows : withBefore(rows, before), sort);
  return {
    ...rangeOf(total.answered, span, now),
    filter: { by, sort, task_id_key: task_id ?? null, runner_id: runner ?? null, compare: compare ?? null },
    entries: total.entries,
    total: total.figures,
    compared:
      compared === null
        ? null
        : {
            from: isoFromEpoch(compared.answered.span.from),
            to: isoFromEpoch(compared.answered.span.to),
            complete: compared.answered.complete,
            total: compared.figures,
          },
    slice_seconds: series.slice,
    slices: series.slices,
    durations:
      durations === null
        ? null
        : { bounds_seconds: durations.bounds, end_seconds: durations.end, counts: durations.counts },
    rows: listed.slice(0, input.limit).map(({ row }) => row),
    rows_total: listed.length,
    newest: isoOrNull(stored?.last),
    notes: [
      ...rangeNotes(total.answered),
      ...laterNotes(input, now, stored?.last ?? null),
      ...(stored !== null && total.answered.reach.purged_at === null && isMostlyBefore(span, stored.first)
        ? [`The history begins at ${utcText(stored.first)}; rates per minute are averages over the whole range.`]
        : []),
      ...(earlier !== null &&
      stored !== null &&
      earlier.from < stored.first &&
      compared?.answered.reach.purged_at === null
        ? [`The history begins at ${utcText(stored.first)}: nothing earlier can be compared.`]
        : []),
      ...(compared?.answered.complete === false ? ["Part of the range to compare with has not been read yet."] : []),
      ...(total.entries === 0 ? await unknownAmong(app, namesIn(input)) : []).map(({ sentence }) => sentence),
    ],
  };
}

function namesIn({ task_id, runner }: { task_id?: string | undefined; runner?: string | undefined }): AskedNames {
  return { tasks: task_id === undefined ? [] : [task_id], runners: runner === undefined ? [] : [runner] };
}

function isMostlyBefore({ from, to }: TimeSpan, instant: EpochSeconds): boolean {
  return instant - from > (to - from) / 2;
}

/** Refuses combinations that are not counted: tasks of a runner, and exceptions of a runner. */
function assertAnswerable({
  by,
  sort,
  runner,
  task_id,
}: {
  by: string;
  sort: string;
  runner?: string | undefined;
  task_id?: string | undefined;
}): void {
  const refuse = (parameter: string, value: string, accepted: string) => {
    throw new InvalidInputError([{ parameter, value, accepted }]);
  };
  if (runner !== undefined && by !== "runner") refuse("by", by, "`runner` if one runner is given");
  if (by === "exception" && sort !== "failed" && sort !== "name") {
    refuse("sort", sort, "`failed` or `name`, where rows are exceptions");
  }
  if (task_id !== undefined && (by === "runner" || by === "host")) {
    refuse("by", by, "`task` or `exception` if one task is given");
  }
}

/** The figures of all rows together. */
export async function totalOf(
  rollups: RollupReads,
  span: RequestedSpan,
  filter: RowsFilter,
  now: number,
): Promise<{ answered: Answered; entries: number; figures: StatsFigures }> {
  const { rows, ...answered } = await rollups.rows(span, "total", filter);
  const entries = sumOf(rows[0]?.entered ?? {}, Object.keys(rows[0]?.entered ?? {}));
  return { answered, entries, figures: figuresOf(rows[0], answered.span, now) };
}

async function seriesOf(
  rollups: RollupReads,
  span: TimeSpan,
  filter: RowsFilter,
): Promise<{ slice: number; slices: StatsSlice[] }> {
  const { slice, slices, span: whole } = await rollups.series(span, SLICES, filter);
  return {
    slice,
    slices: slices.map(({ entered, at_end, wait_p95_seconds, run_p50_seconds, run_p95_seconds }, i) => ({
      from: isoFromEpoch(whole.from + i * slice),
      registered: entered.registered ?? 0,
      finished: finishedOf(entered),
      failed: entered.failed ?? 0,
      retries: entered.retry ?? 0,
      wait_p95_seconds,
      run_p50_seconds,
      run_p95_seconds,
      queued: at_end === null ? null : waitingAmong(at_end),
      running: at_end === null ? null : sumOf(at_end, ["running", "resumed"]),
    })),
  };
}
