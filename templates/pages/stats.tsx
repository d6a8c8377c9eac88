import type { ExceptionStatsRow, Stats, StatsFigures, StatsRow } from "../../src/api/stats.ts";
import { changeOfSize } from "../../src/presentation/comparison.ts";
import { EXCEPTION_COLUMNS } from "../../src/presentation/facts/exception.ts";
import {
  asFarAsRead,
  count,
  duration,
  instant,
  NOTHING,
  percentage,
  rate,
  visibleLine,
} from "../../src/presentation/text.ts";
import { counted } from "../../src/pynenc/numbers.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { TaskName } from "../fragments/invocations/task-name.tsx";
import { type Figure, FigureHead } from "../fragments/stats/figures.tsx";
import { NothingRecorded } from "../fragments/stats/nothing-recorded.tsx";
import { type StripChart, StripCharts } from "../fragments/stats/stats-strip.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { DataTable } from "../fragments/ui/data-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterBar } from "../fragments/ui/filter-bar.tsx";
import { HiddenField, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Info } from "../fragments/ui/info.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Switcher } from "../fragments/ui/switcher.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { figuresRange, useRangeOf } from "../layout/time-menu.tsx";
import { useLinks } from "../links.ts";
import { DurationMapSvg } from "../svg/duration-map.tsx";
import type { Page, View } from "./view.ts";

const GROUPS = [
  { value: "task", label: "Task" },
  { value: "runner", label: "Runner" },
  { value: "host", label: "Host" },
  { value: "exception", label: "Exception" },
];

const COMPARISONS = [
  { value: "", label: "Nothing" },
  { value: "previous", label: "The range before" },
  { value: "yesterday", label: "The same time yesterday" },
  { value: "last-week", label: "The same time last week" },
];

/** Placed above the refreshed part, so that a refresh leaves a half-typed field alone. */
export function StatsHeader({ model: { filter, ...range }, path }: View<Stats>) {
  const links = useLinks();
  return (
    <>
      <PageHeader
        title="Statistics"
        actions={
          <a
            class="button"
            href={links.compare({ task_id: filter.task_id_key, ...useRangeOf(range), with: "before" })}
            title="Compares the invocations of this range with those of the range before"
          >
            What differs from the range before
          </a>
        }
      >
        <Info about="these figures">
          <p>
            Status changes in the range are counted: an invocation that ended twice counts twice. Finished means
            succeeded, failed, or dropped by concurrency control. The Tasks page counts each invocation once, by its
            latest status. Percentiles are accurate to within 1 %.
          </p>
        </Info>
      </PageHeader>
      <FilterBar
        path={path}
        clearHref={filter.task_id_key === null && filter.compare === null ? undefined : links.stats(links.timeRange)}
      >
        <TextField name="task_id" label="Task" value={filter.task_id_key} code />
        <SelectField name="compare" label="Compare with" value={filter.compare} options={COMPARISONS} />
        <HiddenField name="by" value={filter.by} />
        <HiddenField name="runner" value={filter.runner_id} />
      </FilterBar>
    </>
  );
}

/** Counts and durations of a range of time. */
export function StatsContent({ model, query, path }: View<Stats>) {
  const links = useLinks();
  const { range: _range, from: _from, to: _to, page: _page, ...kept } = query;
  return (
    <>
      <Notes notes={model.notes} />
      {model.entries === 0 && model.rows.length === 0 ? (
        <NothingRecorded model={model} href={(range) => links.current(path, { ...kept, ...range })} />
      ) : (
        <>
          <RangeFigures model={model} query={query} path={path} />
          <Card
            title={`By ${model.filter.by}`}
            id="card-rows"
            flush
            actions={
              <>
                {model.compared !== null && (
                  <span class="muted">
                    compared with <Time iso={model.compared.from} /> to <Time iso={model.compared.to} />
                  </span>
                )}
                <Switcher
                  label="Rows"
                  current={model.filter.by}
                  choices={GROUPS.map((group) => ({
                    ...group,
                    href: links.current(path, { ...query, by: group.value, sort: undefined }),
                  }))}
                />
              </>
            }
          >
            <StatsTable model={model} query={query} path={path} />
          </Card>
          {model.rows_total > model.rows.length && (
            <p class="muted">{`The first ${count(model.rows.length)} of ${count(model.rows_total)} are listed.`}</p>
          )}
          {model.durations !== null && model.durations.bounds_seconds.length > 0 && (
            <Card title="Runs by duration">
              <DurationMapSvg
                map={model.durations}
                from={model.from}
                to={model.to}
                title={(slice) => instant(model.slices[slice]?.from ?? "")}
              />
            </Card>
          )}
        </>
      )}
    </>
  );
}

type StatsView = Pick<View<Stats>, "model" | "query" | "path">;

/** What the columns of runs tell of. */
const ENDED = "Of runs that ended by themselves, also with a retry";

/** Orders the rows by a figure. */
function useSort({ model, query, path }: StatsView) {
  const links = useLinks();
  return (word: Stats["filter"]["sort"]) => ({
    href: links.current(path, { ...query, sort: word }),
    now: model.filter.sort === word ? ("descending" as const) : null,
  });
}

/** The figures of the range, each above its course. The number in a status is not known for part of the invocations. */
function RangeFigures({ model, query, path }: StatsView) {
  const links = useLinks();
  const sort = useSort({ model, query, path });
  const { total, slices, compared } = model;
  const { range: _range, from: _from, to: _to, page: _page, ...kept } = query;
  const range = useRangeOf(model);
  const before = compared?.total ?? null;
  const trend = (of: (figures: StatsFigures) => number | null, words: (value: number) => string): Figure["trend"] => {
    const [now, was] = [of(total), before === null ? null : of(before)];
    if (now === null || was === null) return null;
    return {
      text: was === 0 || now === 0 ? `was ${words(was)}` : changeOfSize(now / was),
      before: `Before: ${words(was)}`,
    };
  };
  const seconds = (value: number | null) => (value === null ? NOTHING : duration(value));
  const { queued = null, running = null } = slices.at(-1) ?? {};
  const figures: [StripChart, Figure][] = [
    [
      "finished",
      {
        label: "Finished",
        value: count(total.finished),
        hint: `${rate(total.per_minute)} per minute${queued !== null && running !== null ? `; ${count(total.registered)} registered` : ""}`,
        href: sort("finished").href,
        trend: trend((one) => one.finished, count),
      },
    ],
    [
      "failed",
      {
        label: "Failed",
        value: count(total.failed),
        hint: `${total.failed_share === null ? "none finished" : percentage(total.failed_share)}, ${counted(total.retries, "retry", "retries")}`,
        href: links.failures({ ...links.timeRange, task_id: model.filter.task_id_key }),
        trend: trend((one) => one.failed, count),
      },
    ],
    [
      "wait",
      {
        label: "Wait p95",
        value: seconds(total.wait.p95_seconds),
        hint: `median ${seconds(total.wait.p50_seconds)}`,
        href: sort("wait").href,
        trend: trend((one) => one.wait.p95_seconds, duration),
      },
    ],
    [
      "run",
      {
        label: "Run p95",
        value: seconds(total.run.p95_seconds),
        hint: `median ${seconds(total.run.p50_seconds)}`,
        href: sort("p95").href,
        trend: trend((one) => one.run.p95_seconds, duration),
      },
    ],
    ...(queued === null || running === null
      ? ([
          [
            "registered",
            {
              label: "Registered",
              value: count(total.registered),
              hint: "new invocations",
              href: links.invocations({ ...range, task_id: model.filter.task_id_key }),
            },
          ],
        ] satisfies [StripChart, Figure][])
      : ([
          ["queued", { label: "Waiting", value: count(queued), hint: "at the end of the range", href: links.queue() }],
          [
            "running",
            {
              label: "Running",
              value: count(running),
              hint: "at the end of the range",
              title: "Invocations left on silent runners still count as running",
              href: links.invocations({ status: ["running"] }),
            },
          ],
        ] satisfies [StripChart, Figure][])),
  ];
  return (
    <section class="card stats-strip figures" aria-label="Figures over time">
      <StripCharts
        stats={model}
        href={(slice) => links.current(path, { ...kept, ...slice })}
        charts={figures.map(([chart, figure]) => ({ chart, head: <FigureHead {...figure} /> }))}
      />
    </section>
  );
}

function StatsTable({ model, query, path }: StatsView) {
  const sort = useSort({ model, query, path });
  const { filter } = model;
  const exceptions = model.rows.flatMap((row) => ("exception" in row ? [row] : []));
  if (filter.by === "exception") return <ExceptionTable rows={exceptions} model={model} />;
  const rows = model.rows.flatMap((row) => ("exception" in row ? [] : [row]));
  const compared = model.compared !== null;
  // Beside another range, only what is compared has room.
  const alone = <T,>(...some: T[]): T[] => (compared ? [] : some);
  // Waits are counted by task alone: no runner has an invocation while it waits.
  const waits = filter.by === "task";
  return (
    <DataTable
      caption={`Figures by ${filter.by}`}
      columns={[
        { label: { task: "Task", runner: "Runner", host: "Host" }[filter.by], rowHeader: true },
        { label: "Finished", align: "end", sort: sort("finished") },
        { label: "Failed", align: "end", sort: sort("failed") },
        { label: "Share failed", align: "end", hint: "Failed among those that finished" },
        { label: "Retries", align: "end" },
        ...(waits
          ? [
              ...alone({ label: "Wait p50", align: "end" as const, roomy: true }),
              { label: "Wait p95", align: "end" as const, sort: sort("wait") },
            ]
          : []),
        { label: "Runs", align: "end", roomy: true, hint: "Runs that began: each attempt of an invocation is one" },
        ...alone({ label: "Run p50", align: "end" as const, roomy: true, hint: ENDED }),
        { label: "Run p95", align: "end", hint: ENDED, sort: sort("p95") },
        ...alone(
          { label: "Longest run", align: "end" as const, roomy: true, hint: ENDED },
          {
            label: "Run total",
            align: "end" as const,
            sort: sort("busy"),
            hint: "Time in running that ended in the range, also of runs cut short by a kill or a recovery; two at once count twice; without time on a silent runner",
          },
        ),
      ]}
      rows={rows.map((row) => ({
        key: JSON.stringify([row.task_id_key, row.runner_id, row.host]),
        cells: [
          <RowName key="name" row={row} />,
          <CountCell key="finished" row={row} of={(one) => one.finished} compared={compared} />,
          <CountCell key="failed" row={row} of={(one) => one.failed} compared={compared} />,
          <span key="share" class={row.failed === 0 ? "muted" : undefined}>
            {row.failed_share === null ? NOTHING : percentage(row.failed_share)}
          </span>,
          <CountCell key="retries" row={row} of={(one) => one.retries} compared={compared} />,
          ...(waits
            ? [
                ...alone(<Duration key="wait50" seconds={row.wait.p50_seconds} />),
                <SecondsCell key="wait95" row={row} of={(one) => one.wait.p95_seconds} compared={compared} />,
              ]
            : []),
          <CountCell key="runs" row={row} of={(one) => one.started} compared={compared} />,
          ...alone(<Duration key="run50" seconds={row.run.p50_seconds} />),
          <SecondsCell key="run95" row={row} of={(one) => one.run.p95_seconds} compared={compared} />,
          ...alone(
            <Duration key="longest" seconds={row.run.max_seconds} />,
            <Duration key="busy" seconds={row.busy_seconds} />,
          ),
        ],
      }))}
      empty={<Empty title={`No ${filter.by} was at work in this range${asFarAsRead(model)}`} />}
    />
  );
}

function RowName({ row }: { row: StatsRow }) {
  const links = useLinks();
  if (row.task_id_key !== undefined) {
    const href = links.stats({ ...links.timeRange, task_id: row.task_id_key });
    return <TaskName task_id_key={row.task_id_key} href={href} />;
  }
  if (row.runner_id !== undefined) {
    return row.runner_id === null ? (
      <span class="muted">other runners</span>
    ) : (
      <Id value={row.runner_id} copy={false} href={links.runner(row.runner_id)} />
    );
  }
  return row.host == null ? <span class="muted">host not stored</span> : <bdi>{visibleLine(row.host)}</bdi>;
}

function CountCell({ row, of, compared }: { row: StatsRow; of: (figures: StatsFigures) => number; compared: boolean }) {
  return (
    <>
      <Count value={of(row)} />
      {compared && <span class="small">{` was ${row.before === null ? 0 : count(of(row.before))}`}</span>}
    </>
  );
}

function SecondsCell({
  row,
  of,
  compared,
}: {
  row: StatsRow;
  of: (figures: StatsFigures) => number | null;
  compared: boolean;
}) {
  const before = row.before === null ? null : of(row.before);
  return (
    <>
      <Duration seconds={of(row)} />
      {compared && <span class="small">{before === null ? " was none" : ` was ${duration(before)}`}</span>}
    </>
  );
}

function ExceptionTable({ rows, model }: { rows: readonly ExceptionStatsRow[]; model: Stats }) {
  return (
    <ColumnTable
      caption="Failures by exception"
      columns={EXCEPTION_COLUMNS}
      records={rows}
      keyOf={({ exception }) => exception ?? ""}
      empty={<Empty title={`Nothing failed in this range${asFarAsRead(model)}`} />}
    />
  );
}

export const page: Page<Stats> = {
  region: "stats",
  nav: "stats",
  timed: figuresRange,
  follows: "range",
  title: () => "Statistics",
  header: StatsHeader,
  content: StatsContent,
};
