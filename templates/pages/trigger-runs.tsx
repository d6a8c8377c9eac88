import type { TriggerRunList } from "../../src/api/trigger-runs.ts";
import { columnNames } from "../../src/presentation/facts/column.ts";
import { TRIGGER_RUN_COLUMNS } from "../../src/presentation/facts/trigger-run.ts";
import type { Links } from "../../src/presentation/links.ts";
import { shortId } from "../../src/presentation/text.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ColumnChoice } from "../fragments/ui/column-choice.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { type ActiveFilter, FilterBar, useTimeFilter } from "../fragments/ui/filter-bar.tsx";
import { HiddenField, PageSizeField, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { FIRST, GrowingPager, isFurther, NothingOlder } from "../fragments/ui/growing-pager.tsx";
import { Info } from "../fragments/ui/info.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { matchesText, pageText } from "../fragments/ui/pager.tsx";
import { Unrecorded } from "../fragments/ui/unrecorded.tsx";
import { NoRows } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { lastValue, type PageQuery } from "../query.ts";
import type { Page, View } from "./view.ts";

const KIND_WORDS: readonly { value: string; label: string }[] = [
  { value: "", label: "Any" },
  { value: "event", label: "An event" },
  { value: "status", label: "A status" },
  { value: "result", label: "A result" },
  { value: "exception", label: "An exception" },
  { value: "cron", label: "A schedule" },
];

const FILTERS: readonly { name: string; label: string; id?: boolean }[] = [
  { name: "task", label: "Task" },
  { name: "trigger", label: "Trigger", id: true },
  { name: "kind", label: "Cause" },
];

export function TriggerRunsHeader(view: View<TriggerRunList>) {
  const { model, query, path } = view;
  const links = useLinks();
  const filters = [
    ...activeFilters(query, links),
    ...useTimeFilter(query, (changes) => links.triggerRuns({ ...query, ...FIRST, ...changes })),
  ];
  const header = (
    <PageHeader title="Trigger runs">
      <Info about="trigger runs">
        <p>Each time a trigger's conditions were met and it started its task.</p>
      </Info>
    </PageHeader>
  );
  if (!model.events_recorded) return header;
  return (
    <>
      {header}
      <FilterBar
        path={path}
        filters={filters}
        clearHref={filters.length === 0 ? undefined : links.triggerRuns()}
        columns={<ColumnChoice columns={TRIGGER_RUN_COLUMNS} view={view} />}
        more={
          <>
            <TextField name="trigger" label="Trigger" value={lastValue(query, "trigger")} hint="Whole id" code />
            <PageSizeField query={query} most={200} />
          </>
        }
      >
        <SelectField
          name="task"
          label="Task"
          value={lastValue(query, "task")}
          options={[{ value: "", label: "Any" }, ...model.task_id_keys.map((key) => ({ value: key, label: key }))]}
        />
        <SelectField name="kind" label="Cause" value={lastValue(query, "kind").toLowerCase()} options={KIND_WORDS} />
        <HiddenField name="fields" value={(query.fields ?? []).join(",")} />
      </FilterBar>
    </>
  );
}

function activeFilters(query: PageQuery, links: Links): ActiveFilter[] {
  return FILTERS.flatMap(({ name, label, id }) => {
    const value = lastValue(query, name);
    if (value === "") return [];
    const href = links.triggerRuns({ ...query, ...FIRST, [name]: undefined });
    return [{ label, value: id ? shortId(value) : value, href }];
  });
}

export function TriggerRunsContent(view: View<TriggerRunList>) {
  const { trigger_runs: runs, page, older, events_recorded, notes } = view.model;
  return (
    <>
      <Notes notes={notes} />
      <Card title={title(view)} id="card-trigger-runs" flush>
        <ColumnTable
          columns={TRIGGER_RUN_COLUMNS}
          records={runs}
          keyOf={(run) => run.trigger_run_id}
          growing
          fields={view.fields}
          caption="Trigger runs, newest first"
          empty={
            events_recorded ? (
              <NoRows page={page} view={view}>
                {isFurther(view.query) ? (
                  <NothingOlder older={older} view={view} thing="trigger run" />
                ) : (
                  <NoRuns {...view} />
                )}
              </NoRows>
            ) : (
              <Unrecorded what="Trigger runs" />
            )
          }
        />
        <GrowingPager page={page} older={older} rows={runs.length} view={view} />
      </Card>
    </>
  );
}

function isFiltered(query: PageQuery): boolean {
  return FILTERS.some(({ name }) => lastValue(query, name) !== "");
}

function title({ model: { page, events_recorded, trigger_runs }, query }: View<TriggerRunList>): string {
  if (!events_recorded) return "Trigger runs";
  if (isFurther(query)) return "Older trigger runs";
  if (page.total === null) return trigger_runs.length === 0 ? "Trigger runs" : `Trigger runs ${pageText(page)}`;
  return matchesText(page.total, page.total_capped, "trigger run", isFiltered(query));
}

function NoRuns({ query, model: { notes } }: View<TriggerRunList>) {
  const links = useLinks();
  if (notes.length > 0) return <Empty title="No match among the trigger runs searched" />;
  if (isFiltered(query)) {
    return (
      <Empty title="No trigger run matches">
        Runs are kept for a limited time. <a href={links.triggerRuns()}>Show all of them</a>
      </Empty>
    );
  }
  return (
    <Empty title="No trigger run is stored">
      Runners check the conditions of triggers inside the atomic service. <a href={links.triggers()}>Triggers</a> lists
      what is registered.
    </Empty>
  );
}

export const page: Page<TriggerRunList> = {
  region: "trigger-runs-table",
  nav: "trigger_runs",
  timed: true,
  columns: columnNames(TRIGGER_RUN_COLUMNS),
  follows: "range",
  present: "Trigger runs until then; what they started later is shown too.",
  title: () => "Trigger runs",
  header: TriggerRunsHeader,
  content: TriggerRunsContent,
};
