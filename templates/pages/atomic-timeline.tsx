import type { AtomicTimeline, ExecutionRow } from "../../src/api/runners.ts";
import { stuckWords } from "../../src/presentation/facts/service-run.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count, duration, instant, shortId } from "../../src/presentation/text.ts";
import type { TimelineGeometry } from "../../src/timeline/geometry.ts";
import type { WindowBar as Bar } from "../../src/timeline/window-bar.ts";
import { NamedRunner } from "../fragments/facts/runner-name.tsx";
import { AtomicViews } from "../fragments/runners/atomic-views.tsx";
import { RunRunner, RunStatus, ServiceReason } from "../fragments/runners/service-run.tsx";
import { type ActiveFilter, ActiveFilters } from "../fragments/ui/active-filters.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Count } from "../fragments/ui/count.tsx";
import { type Column, DataTable } from "../fragments/ui/data-table.tsx";
import { Duration } from "../fragments/ui/duration.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterForm, PageSizeField, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { SettingsTable } from "../fragments/ui/settings-table.tsx";
import { Tile, Tiles } from "../fragments/ui/tile.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { WindowBar } from "../fragments/ui/window-bar.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { lastValue, type PageQuery } from "../query.ts";
import { naive } from "../svg/numbers.ts";
import { TimelineSvg } from "../svg/timeline.tsx";
import type { View } from "./view.ts";

export interface AtomicTimelineModel extends AtomicTimeline {
  /** Null when no run is listed. */
  lanes: TimelineGeometry | null;
  /** One for each of the executions. */
  bars: Bar[];
}

const STATUSES = ["running", "completed", "abandoned", "blocked"];
const DURATIONS = ["0.01", "0.1", "1", "5"];

/** Stands above the refreshed part, so that a refresh leaves half-typed filters alone. */
export function AtomicTimelineHeader({ model, query, path }: View<AtomicTimelineModel>) {
  const links = useLinks();
  const filters = activeFilters(query, links);
  return (
    <>
      <PageHeader
        title="Atomic service"
        summary="Runners take turns running triggers and recovery. These are their runs, newest first."
        actions={<AtomicViews current="timeline" />}
      />
      {model.recorded && (
        <FilterForm path={path} clearHref={filters.length === 0 ? undefined : links.atomicTimeline()}>
          <TextField
            name="atomic_service_run_id"
            label="Run id starts with"
            value={lastValue(query, "atomic_service_run_id")}
            code
          />
          <SelectField
            name="status"
            label="Status"
            value={lastValue(query, "status").toLowerCase()}
            options={[{ value: "", label: "Any" }, ...STATUSES.map((value) => ({ value, label: value }))]}
          />
          <SelectField
            name="min_duration_seconds"
            label="Took at least"
            value={lastValue(query, "min_duration_seconds")}
            options={[
              { value: "", label: "Any" },
              ...DURATIONS.map((value) => ({ value, label: duration(Number(value)) })),
            ]}
          />
          <TextField name="runner_id" label="Runner" value={lastValue(query, "runner_id")} hint="Full id" code />
          <PageSizeField query={query} most={1000} />
        </FilterForm>
      )}
      <ActiveFilters filters={filters} />
    </>
  );
}

function activeFilters(query: PageQuery, links: Links): ActiveFilter[] {
  const names: readonly [name: string, label: string, shown: (value: string) => string][] = [
    ["atomic_service_run_id", "Run id starts with", (value) => value],
    ["status", "Status", (value) => value],
    ["min_duration_seconds", "Took at least", (value) => duration(Number(value))],
    ["runner_id", "Runner", shortId],
  ];
  return names.flatMap(([name, label, shown]) => {
    const value = lastValue(query, name);
    if (value === "") return [];
    return [
      { label, value: shown(value), href: links.atomicTimeline({ ...query, page: undefined, [name]: undefined }) },
    ];
  });
}

export function AtomicTimelineContent(view: View<AtomicTimelineModel>) {
  const links = useLinks();
  const { model } = view;
  if (!model.recorded) return <NotRecorded model={model} />;
  const { page, durations, statuses } = model;
  const recorded = Object.values(statuses).reduce((sum, n) => sum + n, 0);
  // The first page must be reachable although the selection leads to its own.
  const { selected_atomic_service_run_id: _selected, ...query } = view.query;
  return (
    <>
      <Running model={model} />
      {model.selected !== null && !model.selected.on_page && (
        <Notice tone="info">
          The selected run is not among these rows.{" "}
          <a href={links.atomicRun(model.selected.atomic_service_run_id)}>Open its own page</a>
        </Notice>
      )}
      <Tiles>
        <Tile
          label="Runs"
          value={<Count value={page.total} />}
          hint={isFiltered(model) ? `match, of ${count(recorded)}` : "recorded"}
        />
        <Tile
          label="Average"
          value={<Duration seconds={durations.average_seconds} />}
          hint="of the ended runs on this page"
        />
        <Tile label="Longest" value={<Duration seconds={durations.longest_seconds} />} hint="on this page" />
        <Tile
          label="Blocked"
          value={<Count value={statuses.blocked ?? 0} />}
          href={links.atomicTimeline({ status: "blocked" })}
          hint="blocked by another run"
        />
        <Tile
          label="Abandoned"
          value={<Count value={statuses.abandoned ?? 0} />}
          href={links.atomicTimeline({ status: "abandoned" })}
          tone={(statuses.abandoned ?? 0) > 0 ? "warn" : "plain"}
          hint="ended by an exception"
        />
      </Tiles>
      {model.lanes !== null && (
        <Card
          title="When they ran"
          flush
          actions={
            <a href={links.timeline({ start_date: naive(model.lanes.start), end_date: naive(model.lanes.end) })}>
              Open in the timeline
            </a>
          }
        >
          <TimelineSvg
            geometry={model.lanes}
            label={`Runs of the atomic service from ${instant(model.lanes.start)} to ${instant(model.lanes.end)} UTC`}
            selected={[model.selected?.atomic_service_run_id ?? null]}
          />
        </Card>
      )}
      <Card
        id="card-runs"
        title={`${count(page.total ?? 0)} ${page.total === 1 ? "run" : "runs"}${isFiltered(model) ? " match" : ""}`}
        flush
        actions={
          model.window !== null && (
            <span class="muted">
              bars cover {duration(model.window.seconds)} up to <Time iso={model.window.end} />
            </span>
          )
        }
      >
        <DataTable
          caption="Runs of the atomic service, newest first"
          columns={COLUMNS}
          rows={model.executions.map((run, index) => ({
            key: run.atomic_service_run_id,
            cells: cells(
              run,
              model.bars[index],
              run.atomic_service_run_id === model.selected?.atomic_service_run_id,
              links,
            ),
          }))}
          empty={
            <NoRows page={page} view={view}>
              <Notes notes={model.notes} />
              <Empty title={recorded === 0 ? "No run is recorded" : "No runs match"}>
                <p>
                  {recorded === 0 ? (
                    <>
                      No runner has had a turn yet, none could start, or the records were removed.{" "}
                      <a href={links.atomicScheduling()}>See whose turn it is</a>
                    </>
                  ) : (
                    <>
                      None of the {count(recorded)} recorded runs matches all filters.{" "}
                      <a href={links.atomicTimeline()}>Clear all filters</a>
                    </>
                  )}
                </p>
              </Empty>
            </NoRows>
          }
        />
        {model.executions.length > 0 && <ViewPager page={page} view={{ ...view, query }} />}
      </Card>
      <Settings model={model} />
    </>
  );
}

const COLUMNS: readonly Column[] = [
  { label: "Service run", rowHeader: true },
  { label: "Status" },
  { label: "Start" },
  { label: "Duration", align: "end" },
  { label: "Window", hint: "When it ran, within the time span of this page" },
  { label: "Runner" },
  { label: "Reason" },
  { label: "End", roomy: true },
];

function cells(run: ExecutionRow, bar: Bar | undefined, selected: boolean, links: Links) {
  return [
    <span key="id" class="with-mark">
      <Id value={run.atomic_service_run_id} href={links.atomicRun(run.atomic_service_run_id)} />
      {selected && <span class="mark mark-info">selected</span>}
    </span>,
    <RunStatus key="status" run={run} />,
    <Time key="start" iso={run.start_time} />,
    <Duration key="seconds" seconds={run.seconds} />,
    bar && <WindowBar key="bar" bar={bar} status={run.status} />,
    <RunRunner key="runner" run={run} />,
    <ServiceReason key="reason" run={run} narrow />,
    run.end_time === null ? (
      <span key="end" class="muted">
        not ended
      </span>
    ) : (
      <Time key="end" iso={run.end_time} clock />
    ),
  ];
}

function isFiltered({ filter }: AtomicTimeline): boolean {
  return Object.values(filter).some((value) => value !== null);
}

function Running({ model }: { model: AtomicTimeline }) {
  const links = useLinks();
  return (
    <>
      {model.running.map((run) => (
        <Notice key={run.atomic_service_run_id} tone={run.stuck === null ? "info" : "error"}>
          {run.stuck === null ? "A run is in progress: " : "The atomic service is stuck in "}
          <Id value={run.atomic_service_run_id} href={links.atomicRun(run.atomic_service_run_id)} copy={false} /> on{" "}
          <NamedRunner name={run.runner} />, since <Time iso={run.start_time} relative />.
          {run.stuck !== null &&
            ` ${stuckWords(run.stuck)} While it is recorded as running, every other run is blocked: no triggers, no recovery.`}
        </Notice>
      ))}
    </>
  );
}

function NotRecorded({ model }: { model: AtomicTimeline }) {
  const links = useLinks();
  return (
    <>
      <Card title="Runs of the atomic service">
        <Empty title="This layout does not record them">
          <p>
            pynenc records each run since 0.2.4; older layouts keep only the last run of each runner.{" "}
            <a href={links.atomicScheduling()}>See those, and whose turn it is</a>
          </p>
        </Empty>
      </Card>
      <Settings model={model} />
    </>
  );
}

function Settings({ model: { settings } }: { model: AtomicTimeline }) {
  return (
    <Card title="Settings" flush>
      <SettingsTable settings={settings} caption="Settings of the atomic service" />
    </Card>
  );
}
