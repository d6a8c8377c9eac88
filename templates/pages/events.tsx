import type { EventList, EventRow } from "../../src/api/events.ts";
import type { Links } from "../../src/presentation/links.ts";
import { EVENT_COLUMNS } from "../../src/presentation/list-columns.ts";
import { count, visible, visibleLine } from "../../src/presentation/text.ts";
import { EventsOverTime } from "../fragments/stats/events-over-time.tsx";
import { type ActiveFilter, ActiveFilters } from "../fragments/ui/active-filters.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ColumnChoice } from "../fragments/ui/column-choice.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterForm, HiddenField, PageSizeField, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
import { FIRST, GrowingPager, isFurther, NothingOlder } from "../fragments/ui/growing-pager.tsx";
import { Id } from "../fragments/ui/id.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { type RecordColumn, RecordTable } from "../fragments/ui/record-table.tsx";
import { Time } from "../fragments/ui/time.tsx";
import { NoRows } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { lastValue, type PageQuery } from "../query.ts";
import type { View } from "./view.ts";

/** Stands above the refreshed part, so that a refresh leaves half-typed filters alone. */
export function EventsHeader(view: View<EventList>) {
  const { model, query, path, readOnly } = view;
  const links = useLinks();
  if (model.unrecorded !== null) return <PageHeader title="Events" />;
  const filters = activeFilters(model, query, links);
  const { page: _page, after: _after, limit: _size, fields: _fields, ...exported } = query;
  return (
    <>
      <PageHeader
        title="Events"
        actions={
          <>
            <span class="muted">{filters.length === 0 ? "Export all" : "Export these"}</span>
            <a class="button" href={links.eventsExport({ ...exported, format: "csv" })}>
              CSV
            </a>
            <a class="button" href={links.eventsExport({ ...exported, format: "jsonl" })}>
              JSON lines
            </a>
            {!readOnly && (
              <a class="button danger" href={links.autoPurgeEvents()}>
                Auto-purge …
              </a>
            )}
          </>
        }
      />
      <FilterForm path={path} clearHref={filters.length === 0 ? undefined : links.events()}>
        <Fields model={model} query={query} />
      </FilterForm>
      <ActiveFilters filters={filters} />
      <ColumnChoice columns={EVENT_COLUMNS} view={view} />
    </>
  );
}

const ANSWERS = [
  { value: "", label: "Any" },
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" },
] as const;

function Fields({ model: { filter, codes }, query }: Pick<View<EventList>, "model" | "query">) {
  const code = { name: "event_code", label: "Event code", value: filter.event_code };
  return (
    <>
      {codes === null ? (
        <TextField {...code} hint="Full code" code />
      ) : (
        <SelectField
          {...code}
          options={[{ value: "", label: "Any" }, ...codes.map((value) => ({ value, label: value }))]}
        />
      )}
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
      <HiddenField name="fields" value={(query.fields ?? []).join(",")} />
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
    ...chip("from", "From (UTC)", lastValue(query, "from")),
    ...chip("to", "To (UTC)", lastValue(query, "to")),
  ];
}

export function EventsContent(view: View<EventList>) {
  const links = useLinks();
  const { events, page, older, unrecorded, notes, over_time } = view.model;
  if (unrecorded !== null) {
    return (
      <Card title="Events">
        <Empty title="This store records no events">
          <p>{visible(unrecorded)}</p>
        </Empty>
      </Card>
    );
  }
  const { page: _page, after: _after, limit: _limit, range: _range, ...kept } = view.query;
  return (
    <>
      <Notes notes={notes} />
      {over_time !== null && (
        <EventsOverTime label="Events" events={over_time} href={(range) => links.events({ ...kept, ...range })} />
      )}
      <Card title={title(view)} flush>
        <RecordTable
          caption="Events, newest first"
          growing
          columns={COLUMNS}
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
    </>
  );
}

const COLUMNS: readonly RecordColumn<EventRow>[] = [
  {
    label: "Event",
    of: ["event_id"],
    rowHeader: true,
    shown: true,
    cell: (event) => <EventLink event={event} />,
  },
  { label: "Event code", of: ["event_code"], shown: true, cell: (event) => <Code event={event} /> },
  { label: "Time", of: ["timestamp"], shown: true, cell: (event) => <Time iso={event.timestamp} relative /> },
  {
    label: "Conditions",
    of: ["matched_conditions"],
    hint: "Conditions that the event met",
    shown: true,
    cell: (event) => <Conditions event={event} />,
  },
  {
    label: "Triggered invocations",
    of: ["triggered_invocation_ids"],
    hint: "Invocations that it helped to start",
    shown: true,
    cell: (event) => <Triggered event={event} />,
  },
  {
    label: "Emitter invocation",
    of: ["emitted_by_invocation_id"],
    hint: "The invocation that emitted the event",
    shown: true,
    cell: (event) => <Emitter event={event} />,
  },
];

function Code({ event: { event_code: code } }: { event: EventRow }) {
  return (
    <bdi class="event-code" title={visibleLine(code)}>
      {visibleLine(code) || "(empty)"}
    </bdi>
  );
}

function EventLink({ event }: { event: EventRow }) {
  const links = useLinks();
  return <Id value={event.event_id} href={links.event(event.event_id)} />;
}

function Conditions({ event: { matched_conditions: met } }: { event: EventRow }) {
  if (met === 0) return <span class="muted">none</span>;
  return <>{count(met)} matched</>;
}

/** The first few by id, and how many more there are. */
function Triggered({ event }: { event: EventRow }) {
  const links = useLinks();
  const { triggered_invocation_ids: ids, triggered_invocations_count: all } = event;
  if (!event.triggered) return <span class="muted">none</span>;
  return (
    <span class="inline-list">
      {ids.map((id) => (
        <Id key={id} value={id} href={links.invocation(id)} copy={false} />
      ))}
      {all > ids.length && <a href={links.event(event.event_id)}>+{count(all - ids.length)}</a>}
      {ids.length === 0 && <a href={links.event(event.event_id)}>some</a>}
    </span>
  );
}

function Emitter({ event: { emitted_by_invocation_id: id } }: { event: EventRow }) {
  const links = useLinks();
  if (id === null) return <span class="muted">external</span>;
  return <Id value={id} href={links.invocation(id)} full copy={false} />;
}

function title({ model: { page }, query }: View<EventList>): string {
  if (page.total === null) return isFurther(query) ? "Older events" : "Events";
  const number = `${page.total_capped ? "More than " : ""}${count(page.total)}`;
  const noun = page.total === 1 ? "event" : "events";
  return `${number} ${noun}${isFiltered(query) ? (page.total === 1 ? " matches" : " match") : ""}`;
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
        <p>
          No event was emitted, or events were removed. An event appears here as soon as it is emitted, even if no
          trigger listens for it.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No events match">
      <p>
        Remove a filter above, or <a href={links.events()}>clear all filters</a>.
      </p>
    </Empty>
  );
}
