import type { EventList } from "../../src/api/events.ts";
import { EVENT_COLUMNS } from "../../src/presentation/facts/event.ts";
import type { Links } from "../../src/presentation/links.ts";
import { visible } from "../../src/presentation/text.ts";
import { ColumnTable } from "../fragments/facts/column-table.tsx";
import { EventsOverTime } from "../fragments/stats/events-over-time.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ColumnChoice } from "../fragments/ui/column-choice.tsx";
import { DangerLink } from "../fragments/ui/danger-link.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { ExportMenu } from "../fragments/ui/export-menu.tsx";
import { type ActiveFilter, FilterBar, useTimeFilter } from "../fragments/ui/filter-bar.tsx";
import { HiddenField, PageSizeField, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { FIRST, GrowingPager, isFurther, NothingOlder } from "../fragments/ui/growing-pager.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { matchesText } from "../fragments/ui/pager.tsx";
import { NoRows } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { lastValue, type PageQuery } from "../query.ts";
import type { View } from "./view.ts";

export function EventsHeader(view: View<EventList>) {
  const { model, query, path, readOnly } = view;
  const links = useLinks();
  const filters = [
    ...activeFilters(model, query, links),
    ...useTimeFilter(query, (changes) => links.events({ ...query, ...FIRST, ...changes })),
  ];
  if (model.unrecorded !== null) return <PageHeader title="Events" />;
  const { page: _page, after: _after, limit: _size, fields: _fields, ...exported } = query;
  return (
    <>
      <PageHeader
        title="Events"
        actions={
          <>
            <ExportMenu
              filtered={filters.length > 0}
              hrefFor={(format) => links.eventsExport({ ...exported, format })}
            />
            <DangerLink
              href={links.autoPurgeEvents()}
              label="Auto-purge"
              effect="Removes events and trigger runs that are too old or too many."
              readOnly={readOnly}
            />
          </>
        }
      />
      <FilterBar
        path={path}
        filters={filters}
        clearHref={filters.length === 0 ? undefined : links.events()}
        columns={<ColumnChoice columns={EVENT_COLUMNS} view={view} />}
        more={<RareFields model={model} query={query} />}
      >
        <CodeField {...model} />
        <HiddenField name="fields" value={(query.fields ?? []).join(",")} />
      </FilterBar>
    </>
  );
}

const ANSWERS = [
  { value: "", label: "Any" },
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" },
] as const;

function CodeField({ filter, codes }: EventList) {
  const code = { name: "event_code", label: "Event code", value: filter.event_code };
  if (codes === null) return <TextField {...code} placeholder="Full code" code />;
  return (
    <SelectField
      {...code}
      options={[{ value: "", label: "Any" }, ...codes.map((value) => ({ value, label: value }))]}
    />
  );
}

function RareFields({ model: { filter }, query }: Pick<View<EventList>, "model" | "query">) {
  return (
    <>
      <SelectField
        name="matched"
        label="Met a condition"
        value={filter.matched === "all" ? "" : filter.matched}
        options={ANSWERS}
      />
      <SelectField
        name="triggered"
        label="Started an invocation"
        value={filter.triggered === "all" ? "" : filter.triggered}
        options={ANSWERS}
      />
      <PageSizeField query={query} most={200} />
    </>
  );
}

/** Every active filter with the address of the list without it. */
function activeFilters({ filter }: EventList, query: PageQuery, links: Links): ActiveFilter[] {
  const chip = (name: string, label: string, value: string | null): ActiveFilter[] =>
    value === null || value === ""
      ? []
      : [{ label, value, href: links.events({ ...query, ...FIRST, [name]: undefined }) }];
  return [
    ...chip("event_code", "Event code", filter.event_code),
    ...chip("matched", "Met a condition", filter.matched === "all" ? null : filter.matched),
    ...chip("triggered", "Started an invocation", filter.triggered === "all" ? null : filter.triggered),
  ];
}

export function EventsContent(view: View<EventList>) {
  const links = useLinks();
  const { events, page, older, unrecorded, notes, over_time } = view.model;
  if (unrecorded !== null) {
    return (
      <Card title="Events">
        <Empty title="This store records no events">{visible(unrecorded)}</Empty>
      </Card>
    );
  }
  const { page: _page, after: _after, limit: _limit, range: _range, ...kept } = view.query;
  return (
    <>
      <Notes notes={notes} />
      <Card title={title(view)} flush>
        <ColumnTable
          caption="Events, newest first"
          growing
          columns={EVENT_COLUMNS}
          fields={view.fields}
          records={events}
          keyOf={(event) => event.event_id}
          empty={
            <NoRows page={page} view={view}>
              {isFurther(view.query) ? (
                <NothingOlder older={older} view={view} thing="event" />
              ) : (
                <NoEvents {...view} />
              )}
            </NoRows>
          }
        />
        <GrowingPager page={page} older={older} rows={events.length} view={view} />
      </Card>
      {over_time !== null && (
        <EventsOverTime label="Events" events={over_time} href={(range) => links.events({ ...kept, ...range })} />
      )}
    </>
  );
}

function title({ model: { page }, query }: View<EventList>): string {
  if (page.total === null) return isFurther(query) ? "Older events" : "Events";
  return matchesText(page.total, page.total_capped, "event", isFiltered(query));
}

const NOT_FILTERS: readonly string[] = ["page", "after", "limit", "fields"];

function isFiltered(query: PageQuery): boolean {
  return Object.keys(query).some((name) => {
    const value = lastValue(query, name);
    return !NOT_FILTERS.includes(name) && value !== "" && value.toLowerCase() !== "all";
  });
}

function NoEvents({ query }: View<EventList>) {
  const links = useLinks();
  if (!isFiltered(query)) {
    return (
      <Empty title="No event is stored">
        No event was emitted, or events were removed. An event appears here as soon as it is emitted, even if no trigger
        listens for it.
      </Empty>
    );
  }
  return (
    <Empty title="No events match">
      Remove a filter above, or <a href={links.events()}>clear all filters</a>.
    </Empty>
  );
}
