import type { ExceptionStatsRow, Stats, StatsFigures, StatsRow, StatsSlice } from "../../api/stats.ts";
import { InvalidInputError } from "../../errors.ts";
import { statsInput } from "../../inputs/stats.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { FINAL_STATUSES, WAITING_STATUSES } from "../../pynenc/statuses.ts";
import { type EpochSeconds, isoFromEpoch, isoOrNull, utcText } from "../../pynenc/time.ts";
import type { TimeSpan } from "../../rollups/buckets.ts";
import type {
  Answered,
  DurationSummary,
  FailureRow,
  FiguresRow,
  RollupReads,
  RowsFilter,
} from "../../rollups/reads.ts";
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

/** Number of slices in charts. */
const SLICES = 120;

const NO_DURATIONS: DurationSummary = { count: 0, p50: null, p95: null, p99: null, max: null };

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
    ...rangeOf(total.answered),
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
    durations: durations === null ? null : { bounds: durations.bounds, counts: durations.counts },
    rows: listed.slice(0, input.limit).map(({ row }) => row),
    rows_total: listed.length,
    newest: isoOrNull(stored?.last),
    notes: [
      ...rangeNotes(total.answered),
      ...laterNotes(input, now, stored?.last ?? null),
      ...(stored !== null && total.answered.reach.purged_at === null && isMostlyBefore(span, stored.first)
        ? [
            `The stored history begins at ${utcText(stored.first)}, after most of this range: rates per minute are averages over all of the range.`,
          ]
        : []),
      ...(earlier !== null &&
      stored !== null &&
      earlier.from < stored.first &&
      compared?.answered.reach.purged_at === null
        ? [
            `The stored history begins at ${utcText(stored.first)}: of the range compared with, nothing before that is known.`,
          ]
        : []),
      ...(compared?.answered.complete === false ? ["Of the range compared with, a part has not been read yet."] : []),
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

async function totalOf(
  rollups: RollupReads,
  span: TimeSpan,
  filter: RowsFilter,
  now: number,
): Promise<{ answered: Answered; entries: number; figures: StatsFigures }> {
  const { rows, ...answered } = await rollups.rows(span, "total", filter);
  const entries = sumOf(rows[0]?.entered ?? {}, Object.keys(rows[0]?.entered ?? {}));
  return { answered, entries, figures: figuresOf(rows[0], answered.span, now) };
}

/** A row and its name, which is used to sort and compare. */
interface NamedRow {
  name: string | null;
  row: StatsRow | ExceptionStatsRow;
}

async function rowsOf(
  app: OpenedApp,
  rollups: RollupReads,
  span: TimeSpan,
  by: Stats["filter"]["by"],
  filter: RowsFilter,
): Promise<NamedRow[]> {
  if (by === "exception") return exceptionRows((await rollups.failures(span, 1, filter)).groups);
  if (by === "host") return hostRows(app, rollups, span, filter);
  const { rows, span: answered } = await rollups.rows(span, by, filter);
  const key = by === "task" ? "task_id_key" : "runner_id";
  return rows.map((row) => named(row, answered, key, app.now()));
}

async function hostRows(app: OpenedApp, rollups: RollupReads, span: TimeSpan, filter: RowsFilter): Promise<NamedRow[]> {
  const { rows } = await rollups.rows(span, "runner", filter);
  const ids = rows.flatMap(({ name }) => name ?? []);
  const contexts = await app.store.read((reads) => reads.state_backend.runnerContexts(ids));
  const hosts = Object.fromEntries(contexts.map((context) => [context.runner_id, context.hostname]));
  const grouped = await rollups.rows(span, "runner", filter, hosts);
  return grouped.rows.map((row) => named(row, grouped.span, "host", app.now()));
}

function named(row: FiguresRow, span: TimeSpan, key: "task_id_key" | "runner_id" | "host", now: number): NamedRow {
  return { name: row.name, row: { [key]: row.name, ...figuresOf(row, span, now), before: null } };
}

function exceptionRows(groups: readonly FailureRow[]): NamedRow[] {
  return [...rowsBy(groups, (group) => group.type)].map(([exception, some]) => ({
    name: exception,
    row: {
      exception,
      failed: some.reduce((sum, { failed }) => sum + failed, 0),
      retries: some.reduce((sum, { retries }) => sum + retries, 0),
      tasks: new Set(some.map(({ task_id_key }) => task_id_key)).size,
      before: null,
    },
  }));
}

/** Rows that exist in either range. */
function withBefore(rows: readonly NamedRow[], before: readonly NamedRow[]): NamedRow[] {
  const names = new Set(rows.map(({ name }) => name));
  const gone = before
    .filter(({ name }) => !names.has(name))
    .map(({ name, row }) => ({ name, row: withoutFigures(row) }));
  const earlier = new Map(before.map(({ name, row }) => [name, row]));
  return [...rows, ...gone].map(({ name, row }) => ({ name, row: withEarlier(row, earlier.get(name)) }));
}

/** The row of something that was idle. */
function withoutFigures(row: NamedRow["row"]): NamedRow["row"] {
  if ("exception" in row) return { ...row, failed: 0, retries: 0, tasks: 0 };
  return { ...row, ...figuresOf(undefined, { from: 0, to: 0 }, 0) };
}

/** A row combined with the row of the same name in the compared range. */
function withEarlier(row: NamedRow["row"], earlier: NamedRow["row"] | undefined): NamedRow["row"] {
  if ("exception" in row) {
    const { failed, retries } = (earlier ?? {}) as Partial<ExceptionStatsRow>;
    return { ...row, before: failed === undefined || retries === undefined ? null : { failed, retries } };
  }
  if (earlier === undefined || "exception" in earlier) return row;
  const { before: _before, task_id_key: _task, runner_id: _runner, host: _host, ...figures } = earlier;
  return { ...row, before: figures };
}

function sorted(rows: readonly NamedRow[], by: Stats["filter"]["sort"]): NamedRow[] {
  const figure = ({ row }: NamedRow): number => {
    if ("exception" in row) return row.failed;
    const values: Record<typeof by, number | null> = {
      failed: row.failed,
      finished: row.finished,
      p95: row.run.p95,
      wait: row.wait.p95,
      busy: row.busy_seconds,
      name: null,
    };
    return values[by] ?? -1;
  };
  const second = ({ row }: NamedRow) => ("exception" in row ? row.retries : row.finished);
  const byName = (a: NamedRow, b: NamedRow) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1);
  return rows.toSorted((a, b) =>
    by === "name" ? byName(a, b) : figure(b) - figure(a) || second(b) - second(a) || byName(a, b),
  );
}

function figuresOf(row: FiguresRow | undefined, { from, to }: TimeSpan, now: number): StatsFigures {
  const {
    entered = {},
    started = 0,
    wait = NO_DURATIONS,
    run = NO_DURATIONS,
    busy_seconds = 0,
    paused_seconds = 0,
  } = row ?? {};
  const of = (status: string) => entered[status] ?? 0;
  const finished = finishedOf(entered);
  const minutes = (Math.min(to, Math.max(now, from)) - from) / 60;
  return {
    registered: of("registered"),
    started,
    finished,
    failed: of("failed"),
    retries: of("retry"),
    reroutes: of("rerouted"),
    killed: of("killed"),
    failed_share: finished === 0 ? null : of("failed") / finished,
    per_minute: minutes <= 0 ? 0 : finished / minutes,
    wait,
    run,
    busy_seconds,
    paused_seconds,
  };
}

function finishedOf(entered: Readonly<Record<string, number>>): number {
  return sumOf(entered, FINAL_STATUSES);
}

function sumOf(counts: Readonly<Record<string, number>>, statuses: readonly string[]): number {
  return statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

async function seriesOf(
  rollups: RollupReads,
  span: TimeSpan,
  filter: RowsFilter,
): Promise<{ slice: number; slices: StatsSlice[] }> {
  const { slice, slices, span: whole } = await rollups.series(span, SLICES, filter);
  return {
    slice,
    slices: slices.map(({ entered, at_end, wait_p95, run_p50, run_p95 }, i) => ({
      from: isoFromEpoch(whole.from + i * slice),
      registered: entered.registered ?? 0,
      finished: finishedOf(entered),
      failed: entered.failed ?? 0,
      retries: entered.retry ?? 0,
      wait_p95,
      run_p50,
      run_p95,
      queued: at_end === null ? null : sumOf(at_end, WAITING_STATUSES),
      running: at_end === null ? null : sumOf(at_end, ["running", "resumed"]),
    })),
  };
}
