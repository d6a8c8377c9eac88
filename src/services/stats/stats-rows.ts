/** Rows of statistics: figures by task, runner, host or failure, each with those of the time before. */
import type { ExceptionStatsRow, Stats, StatsFigures, StatsRow } from "../../api/stats.ts";
import { rowsBy } from "../../pynenc/groups.ts";
import { FINAL_STATUSES } from "../../pynenc/statuses.ts";
import type { EpochSeconds } from "../../pynenc/time.ts";
import type { TimeSpan } from "../../rollups/buckets.ts";
import type { DurationSummary, FailureRow, FiguresRow, RollupReads, RowsFilter } from "../../rollups/reads.ts";
import type { OpenedApp } from "../app/opened-app.ts";

const NO_DURATIONS: DurationSummary = {
  count: 0,
  p50_seconds: null,
  p95_seconds: null,
  p99_seconds: null,
  max_seconds: null,
};

/** A row and its name, which is used to sort and compare. */
interface NamedRow {
  name: string | null;
  row: StatsRow | ExceptionStatsRow;
  /** Its latest failure in the range; not known of runners and hosts. */
  failed_at?: EpochSeconds;
}

export async function rowsOf(
  app: OpenedApp,
  rollups: RollupReads,
  span: TimeSpan,
  by: Stats["filter"]["by"],
  filter: RowsFilter,
): Promise<NamedRow[]> {
  if (by === "exception") return exceptionRows((await rollups.failures(span, 1, filter)).groups);
  if (by === "host") return hostRows(app, rollups, span, filter);
  const { rows, span: answered } = await rollups.rows(span, by, filter);
  if (by === "runner") return rows.map((row) => named(row, answered, "runner_id", app.now()));
  const groups = rowsBy((await rollups.failures(span, 1, filter)).groups, (group) => group.task_id_key);
  return rows.map((row) => ({
    ...named(row, answered, "task_id_key", app.now()),
    failed_at: lastFailure(groups.get(row.name) ?? []),
  }));
}

function lastFailure(groups: readonly FailureRow[]): EpochSeconds {
  return Math.max(...groups.map(({ failed, last_seen }) => (failed > 0 ? (last_seen ?? 0) : 0)), 0);
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
    failed_at: lastFailure(some),
  }));
}

/** Rows that exist in either range. */
export function withBefore(rows: readonly NamedRow[], before: readonly NamedRow[]): NamedRow[] {
  const names = new Set(rows.map(({ name }) => name));
  const gone = before
    .filter(({ name }) => !names.has(name))
    .map(({ name, row }) => ({ name, row: withoutFigures(row) }));
  const earlier = new Map(before.map(({ name, row }) => [name, row]));
  return [...rows, ...gone].map((one) => ({ ...one, row: withEarlier(one.row, earlier.get(one.name)) }));
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

export function sorted(rows: readonly NamedRow[], by: Stats["filter"]["sort"]): NamedRow[] {
  const figure = ({ row }: NamedRow): number => {
    if ("exception" in row) return row.failed;
    const values: Record<typeof by, number | null> = {
      failed: row.failed,
      finished: row.finished,
      p95: row.run.p95_seconds,
      wait: row.wait.p95_seconds,
      busy: row.busy_seconds,
      name: null,
    };
    return values[by] ?? -1;
  };
  const second = ({ row }: NamedRow) => ("exception" in row ? row.retries : row.finished);
  const latest = ({ failed_at = 0 }: NamedRow) => (by === "failed" ? failed_at : 0);
  const byName = (a: NamedRow, b: NamedRow) => ((a.name ?? "") < (b.name ?? "") ? -1 : 1);
  return rows.toSorted((a, b) =>
    by === "name"
      ? byName(a, b)
      : figure(b) - figure(a) || latest(b) - latest(a) || second(b) - second(a) || byName(a, b),
  );
}

export function figuresOf(row: FiguresRow | undefined, { from, to }: TimeSpan, now: number): StatsFigures {
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

export function finishedOf(entered: Readonly<Record<string, number>>): number {
  return sumOf(entered, FINAL_STATUSES);
}

export function sumOf(counts: Readonly<Record<string, number>>, statuses: readonly string[]): number {
  return statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}
