import type { AtomicScheduling, AtomicTimeline } from "../../src/api/runners.ts";
import { EXECUTION_COLUMNS } from "../../src/presentation/facts/service-run.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count, duration, instant, shortId } from "../../src/presentation/text.ts";
import type { TimelineGeometry } from "../../src/timeline/geometry.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { RunnerViews } from "../fragments/runners/runner-views.tsx";
import { ServiceTurns } from "../fragments/runners/service-turns.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { type ActiveFilter, FilterBar } from "../fragments/ui/filter-bar.tsx";
import { PageSizeField, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { TermInfo } from "../fragments/ui/info.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { Notice } from "../fragments/ui/notice.tsx";
import { Settings } from "../fragments/ui/settings-table.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { lastValue, type PageQuery } from "../query.ts";
import { naive } from "../svg/numbers.ts";
import { TimelineSvg } from "../svg/timeline.tsx";
import type { View } from "./view.ts";

/** The section of Runners about the atomic service: whose turn it is, and the recorded runs. */
export interface AtomicServiceModel {
  turns: AtomicScheduling;
  runs: AtomicTimeline;
  /** Null when no run is listed. */
  lanes: TimelineGeometry | null;
}

const STATUSES = ["running", "completed", "abandoned", "blocked"];
const DURATIONS = ["0.01", "0.1", "1", "5"];

export function AtomicServiceHeader({ model: { runs }, query, path }: View<AtomicServiceModel>) {
  const links = useLinks();
  const filters = activeFilters(query, links);
  return (
    <>
      <PageHeader title="Atomic service" actions={<RunnerViews current="service" />}>
        <TermInfo term="Atomic service" />
      </PageHeader>
      {runs.recorded && (
        <FilterBar
          path={path}
          filters={filters}
          clearHref={filters.length === 0 ? undefined : links.atomicTimeline()}
          more={
            <>
              <TextField
                name="atomic_service_run_id"
                label="Run id starts with"
                value={lastValue(query, "atomic_service_run_id")}
                code
              />
              <TextField name="runner_id" label="Runner" value={lastValue(query, "runner_id")} hint="Full id" code />
              <PageSizeField query={query} most={1000} />
            </>
          }
        >
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
        </FilterBar>
      )}
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

export function AtomicServiceContent(view: View<AtomicServiceModel>) {
  const { turns, runs } = view.model;
  const own = runs.settings.filter(({ field }) => !turns.settings.some((other) => other.field === field));
  return (
    <>
      <ServiceTurns model={turns} />
      {runs.recorded && <Runs view={view} />}
      <Settings settings={[...turns.settings, ...own]} caption="Settings of the atomic service" />
    </>
  );
}

function Runs({ view }: { view: View<AtomicServiceModel> }) {
  const links = useLinks();
  const { runs: model, lanes } = view.model;
  const { page } = model;
  const recorded = Object.values(model.statuses).reduce((sum, n) => sum + n, 0);
  // The first page must be reachable although the selection leads to its own.
  const { selected_atomic_service_run_id: _selected, ...query } = view.query;
  return (
    <>
      {model.selected !== null && !model.selected.on_page && (
        <Notice tone="info">
          The selected run is not among these rows.{" "}
          <a href={links.atomicRun(model.selected.atomic_service_run_id)}>Open its own page</a>
        </Notice>
      )}
      {lanes !== null && (
        <Card
          title="When they ran"
          flush
          actions={
            <a href={links.timeline({ start_date: naive(lanes.start), end_date: naive(lanes.end) })}>
              Open in the timeline
            </a>
          }
        >
          <TimelineSvg
            geometry={lanes}
            label={`Runs of the atomic service from ${instant(lanes.start)} to ${instant(lanes.end)} UTC`}
            selected={[model.selected?.atomic_service_run_id ?? null]}
          />
        </Card>
      )}
      <Card
        id="card-runs"
        title={`${count(page.total ?? 0)} ${page.total === 1 ? "run" : "runs"}${isFiltered(model) ? " match" : ""}`}
        flush
        actions={(["blocked", "abandoned"] as const)
          .filter((status) => (model.statuses[status] ?? 0) > 0)
          .map((status) => (
            <a key={status} href={links.atomicTimeline({ status })}>
              {count(model.statuses[status] ?? 0)} {status}
            </a>
          ))}
      >
        <ColumnTable
          caption="Runs of the atomic service, newest first"
          columns={EXECUTION_COLUMNS}
          records={model.executions}
          keyOf={(run) => run.atomic_service_run_id}
          hide={["end_time"]}
          cells={{
            atomic_service_run_id: ({ atomic_service_run_id: id }) => (
              <span class="with-mark">
                <Id value={id} href={links.atomicRun(id)} />
                {id === model.selected?.atomic_service_run_id && <span class="mark mark-info">selected</span>}
              </span>
            ),
          }}
          empty={
            <NoRows page={page} view={view}>
              <Notes notes={model.notes} />
              <Empty title={recorded === 0 ? "No run is recorded" : "No runs match"}>
                {recorded === 0 ? (
                  "No runner has had a turn yet, none could start, or the records were removed."
                ) : (
                  <>
                    None of the {count(recorded)} recorded runs matches all filters.{" "}
                    <a href={links.atomicTimeline()}>Clear all filters</a>
                  </>
                )}
              </Empty>
            </NoRows>
          }
        />
        {model.executions.length > 0 && <ViewPager page={page} view={{ ...view, query }} />}
      </Card>
    </>
  );
}

function isFiltered({ filter }: AtomicTimeline): boolean {
  return Object.values(filter).some((value) => value !== null);
}
