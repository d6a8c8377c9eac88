import type { Stats, StatsFigures, StatsRow } from "../../api/stats.ts";
import { EXCEPTION_COLUMNS } from "../../presentation/facts/exception.ts";
import { asFarAsRead, count, NOTHING, percentage, rate } from "../../presentation/text.ts";
import { counted } from "../../pynenc/numbers.ts";
import { stats } from "../../questions/stats.ts";
import { answering } from "../answering.ts";
import { printRows } from "../print/facts.ts";
import type { Output } from "../print/output.ts";
import { nothingThen } from "../print/stats.ts";
import type { Column } from "../print/table.ts";
import { facts, idColumn, seconds, taskColumn } from "../print/text.ts";
import { time } from "../print/zone.ts";

/** `monitor stats`: counts and durations in a time range, by task, runner, host or exception. */
export const run = answering(stats, print, ({ entries, filter }) =>
  entries > 0 ? {} : { tasks: given(filter.task_id_key), runners: given(filter.runner_id) },
);

function print(model: Stats, out: Output, { now }: { now: number }): void {
  if (model.rows.length === 0) {
    out.say(...nothingThen(model, now, nothingWords(model)), ...model.notes);
    return;
  }
  const {
    compared,
    filter: { by },
  } = model;
  // An empty range gives nothing to compare figures with.
  const before = compared === null || isNothing(compared.total) ? null : compared;
  out.lines(
    facts(
      [
        ["Range", `${time(model.from)} to ${time(model.to)}`],
        ["Compared", compared === null ? null : comparedWords(compared, before === null)],
        ["Finished", finished(model.total)],
        ["Before", before === null ? null : finished(before.total)],
        ["Wait", durations(model.total.wait)],
        ["Before", before === null ? null : durations(before.total.wait)],
        ["Run", durations(model.total.run)],
        ["Before", before === null ? null : durations(before.total.run)],
      ],
      out,
    ),
  );
  out.lines([""]);
  if (by === "exception") {
    const rows = model.rows.flatMap((row) => ("exception" in row ? [row] : []));
    printRows(EXCEPTION_COLUMNS, rows, out, { now });
  } else {
    const rows = model.rows.flatMap((row) => ("exception" in row ? [] : [row]));
    out.table(columns(by, before !== null, SORTED_COLUMNS[model.filter.sort]), rows);
  }
  if (model.rows_total > model.rows.length) {
    out.say(`The first ${count(model.rows.length)} of ${count(model.rows_total)} rows are listed; --limit lists more.`);
  }
  out.say(...model.notes);
}

function given(name: string | null): string[] {
  return name === null ? [] : [name];
}

function nothingWords({ entries, filter: { by } }: Stats): string {
  if (entries === 0) return "Nothing recorded";
  return by === "exception" ? "Nothing failed" : `No ${by} did anything`;
}

function finished(figures: StatsFigures): string {
  const share = figures.failed_share === null ? "" : ` (${percentage(figures.failed_share)})`;
  return `${count(figures.finished)}, ${rate(figures.per_minute)} per minute; ${count(figures.failed)} failed${share}, ${counted(figures.retries, "retry", "retries")}`;
}

function durations({
  p50_seconds: p50,
  p95_seconds: p95,
  p99_seconds: p99,
  max_seconds: max,
}: StatsFigures["wait"]): string {
  return `p50 ${seconds(p50)}, p95 ${seconds(p95)}, p99 ${seconds(p99)}, longest ${seconds(max)}`;
}

function isNothing({ registered, started, finished, reroutes, killed }: StatsFigures): boolean {
  return registered + started + finished + reroutes + killed === 0;
}

function comparedWords({ from, to, complete }: NonNullable<Stats["compared"]>, nothing: boolean): string {
  return `${time(from)} to ${time(to)}${nothing ? `: nothing recorded${asFarAsRead({ complete })}` : ""}`;
}

/** Columns by which rows are sorted and that a narrow terminal would leave out otherwise. */
const SORTED_COLUMNS: Partial<Record<Stats["filter"]["sort"], string>> = { busy: "RUN TOTAL" };

/** @param kept title of a column that is never left out. */
function columns(
  by: Exclude<Stats["filter"]["by"], "exception">,
  compared: boolean,
  kept: string | undefined,
): Column<StatsRow>[] {
  const was = (row: StatsRow, of: (figures: StatsFigures) => string) =>
    compared ? `${of(row)} (${row.before === null ? NOTHING : of(row.before)})` : of(row);
  const number = (title: string, of: (figures: StatsFigures) => number): Column<StatsRow> => ({
    title,
    align: "right",
    cell: (row) => was(row, (figures) => count(of(figures))),
  });
  const duration = (title: string, of: (figures: StatsFigures) => number | null): Column<StatsRow> => ({
    title,
    align: "right",
    cell: (row) => was(row, (figures) => seconds(of(figures))),
  });
  const all: Column<StatsRow>[] = [
    nameColumn(by),
    number("FINISHED", (figures) => figures.finished),
    number("FAILED", (figures) => figures.failed),
    {
      title: "SHARE",
      align: "right",
      cell: ({ failed_share }) => (failed_share === null ? NOTHING : percentage(failed_share)),
      optional: true,
    },
    { ...number("RETRIES", (figures) => figures.retries), optional: true },
    // Waits are counted by task only: a waiting invocation belongs to no runner.
    ...(by === "task" ? [duration("WAIT P95", (figures) => figures.wait.p95_seconds)] : []),
    { ...number("RUNS", (figures) => figures.started), optional: true },
    { ...duration("RUN P50", (figures) => figures.run.p50_seconds), optional: true },
    duration("RUN P95", (figures) => figures.run.p95_seconds),
    { ...duration("LONGEST", (figures) => figures.run.max_seconds), optional: true },
    { ...duration("RUN TOTAL", (figures) => figures.busy_seconds), optional: true },
  ];
  return all.map((column) => (column.title === kept ? { ...column, optional: false } : column));
}

function nameColumn(by: "task" | "runner" | "host"): Column<StatsRow> {
  if (by === "task") return { ...taskColumn((row: StatsRow) => row.task_id_key ?? "(task not stored)"), min: 16 };
  if (by === "runner") return idColumn("RUNNER", (row: StatsRow) => row.runner_id ?? "other runners");
  return { title: "HOST", cell: (row) => row.host ?? "(host not stored)" };
}
