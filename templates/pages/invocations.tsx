import type {
  FilterChoices,
  GroupedBy,
  InvocationGroup,
  InvocationGroups,
  InvocationList,
} from "../../src/api/invocations.ts";
import { emptyColumns } from "../../src/presentation/facts/column.ts";
import { INVOCATION_COLUMNS } from "../../src/presentation/facts/invocation.ts";
import { searchedTexts } from "../../src/presentation/invocation-filters.ts";
import { count } from "../../src/presentation/text.ts";
import { InvocationTable, type InvocationTableProps } from "../fragments/facts/invocation-table.tsx";
import { Facets } from "../fragments/invocations/facets.tsx";
import { idsOf, invocationFilters, RareFields, SearchField } from "../fragments/invocations/invocation-filters.tsx";
import { StatusLinks } from "../fragments/invocations/status-links.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ColumnChoice } from "../fragments/ui/column-choice.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { ExportMenu } from "../fragments/ui/export-menu.tsx";
import { FilterBar, useTimeFilter } from "../fragments/ui/filter-bar.tsx";
import { HiddenField, PageSizeField } from "../fragments/ui/filter-form.tsx";
import { FIRST, GrowingPager, isFurther, NothingOlder } from "../fragments/ui/growing-pager.tsx";
import { Notes } from "../fragments/ui/notes.tsx";
import { matchesText, pageText } from "../fragments/ui/pager.tsx";
import { NoRows, ViewPager } from "../fragments/ui/view-pager.tsx";
import { PageHeader } from "../layout/page-header.tsx";
import { useLinks } from "../links.ts";
import { lastValue, type PageQuery } from "../query.ts";
import type { View } from "./view.ts";

export interface InvocationsModel extends InvocationList {
  choices: FilterChoices;
  /** The query as the form shows it. */
  form: PageQuery;
  facets: readonly InvocationGroups[];
  /** The heads of columns order the list. */
  sortable: boolean;
}

export function InvocationsHeader(view: View<InvocationsModel>) {
  const { model, query, path, readOnly, fields = [] } = view;
  const links = useLinks();
  const without = (changes: PageQuery) => links.invocations({ ...query, ...FIRST, ...changes });
  const filters = invocationFilters(model.filter, query, without, useTimeFilter(query, without));
  const { page: _page, after: _after, limit: _limit, ...exported } = query;
  const { sort: _sort, fields: _fields, ...restriction } = exported;
  const columns = fields.length === 0 ? undefined : fields.join(",");
  return (
    <>
      <PageHeader
        title="Invocations"
        actions={
          <>
            {model.timeline !== null && (
              <a class="button" href={links.timeline({ ...model.timeline })} title="The invocations of this page">
                Timeline
              </a>
            )}
            {/* Files are of the present. */}
            {links.at === null && (
              <ExportMenu
                filtered={filters.length > 0}
                hrefFor={(format) => links.invocationsExport({ ...exported, fields: columns, format })}
              />
            )}
            {model.page.total !== 0 && <CompareLink restriction={restriction} />}
            {filters.length > 0 && model.page.total !== 0 && !readOnly && (
              <a class="button" href={links.rerunMany(restriction)}>
                Rerun these …
              </a>
            )}
          </>
        }
      />
      <FilterBar
        path={path}
        filters={filters.filter(({ label, value }) => !(label === "Status" && isShortcut(view, value)))}
        clearHref={filters.length === 0 ? undefined : links.invocations()}
        columns={
          <ColumnChoice
            columns={INVOCATION_COLUMNS}
            unusual={emptyColumns(INVOCATION_COLUMNS, model.invocations)}
            view={view}
          />
        }
        more={
          <>
            <RareFields filter={model.filter} choices={model.choices} query={model.form} />
            <PageSizeField query={model.form} most={1000} />
          </>
        }
      >
        <SearchField query={model.form} />
        <HiddenField name="inv_ids" value={idsOf(model.form)} />
        <HiddenField name="sort" value={lastValue(model.form, "sort")} />
        <HiddenField name="fields" value={(model.form.fields ?? []).join(",")} />
      </FilterBar>
    </>
  );
}

/** What is restricted by time alone is compared with the time before. */
function CompareLink({ restriction }: { restriction: PageQuery }) {
  const links = useLinks();
  const searched = isFiltered(restriction, ["range", "from", "to"]);
  const begins = lastValue(restriction, "from") !== "" || lastValue(restriction, "range") !== "";
  if (!searched && !begins) return null;
  return (
    <a class="button" href={links.compare(restriction)} title="What sets these apart from other invocations">
      {searched ? "Compare with the rest" : "Compare with the time before"}
    </a>
  );
}

export function InvocationsContent(view: View<InvocationsModel>) {
  const { query, model } = view;
  const { invocations, page, notes, filter } = model;
  const byTime = filter.from !== null || filter.to !== null;
  const sorted = lastValue(query, "sort");
  const sorts = useSorts(view);
  return (
    <>
      <Notes notes={notes} />
      <Card
        title={title(view)}
        flush
        actions={
          <>
            <StatusShortcuts {...view} />
            <Counts {...view} />
          </>
        }
      >
        <InvocationTable
          invocations={invocations}
          caption={sorted === "" ? caption(filter, byTime) : "Invocations, ordered by a column"}
          // Narrow screens keep the column by which the list is ordered.
          hide={byTime ? ["registered_at"] : []}
          extra={[...(byTime ? ["status_at"] : []), sorted.replace(/^-/, "")]}
          searched={searchedTexts(filter.query)}
          fields={view.fields}
          growing={sorted === ""}
          sorts={sorts}
          empty={
            <NoRows page={page} view={view}>
              {isFurther(query) ? (
                <NothingOlder older={model.older} view={view} thing="invocation" />
              ) : (
                <NoInvocations {...view} />
              )}
            </NoRows>
          }
        />
        <ListPager {...view} />
      </Card>
    </>
  );
}

function ListPager(view: View<InvocationsModel>) {
  const { page, older, invocations } = view.model;
  // In another order nothing says where a page begins but its number.
  if (lastValue(view.query, "sort") === "") {
    return <GrowingPager page={page} older={older} rows={invocations.length} view={view} />;
  }
  return invocations.length > 0 ? <ViewPager page={page} view={view} /> : null;
}

/** Column headings that sort the list: greatest or latest first, then the other way round, then the order of the list again. */
function useSorts({ model: { sortable }, query }: View<InvocationsModel>): InvocationTableProps["sorts"] {
  const links = useLinks();
  const given = lastValue(query, "sort").toLowerCase();
  if (!sortable) return undefined;
  return (field) => {
    const to = (sort: string | undefined) => links.invocations({ ...query, ...FIRST, sort });
    if (given === `-${field}`) return { href: to(field), now: "descending" };
    if (given === field) return { href: to(undefined), now: "ascending" };
    return { href: to(`-${field}`), now: null };
  };
}

/** What the list contains, and its size: a count is misleading without what it covers. */
function title({ model: { page, invocations }, query }: View<InvocationsModel>): string {
  const filtered = isFiltered(query);
  if (isFurther(query)) return "Older invocations";
  if (page.total === null || (page.total === 0 && page.total_capped))
    return invocations.length === 0 ? "Invocations" : `Invocations ${pageText(page)}`;
  return matchesText(page.total, page.total_capped, "invocation", filtered);
}

const NOT_FILTERS: readonly string[] = ["page", "after", "limit", "sort", "fields"];

function isFiltered(query: PageQuery, except: readonly string[] = []): boolean {
  return Object.keys(query).some(
    (name) => !NOT_FILTERS.includes(name) && !except.includes(name) && lastValue(query, name) !== "",
  );
}

function caption({ status_mode, statuses }: InvocationsModel["filter"], byTime: boolean): string {
  if (byTime) return "Invocations, the latest status change first";
  // Which order it is depends on the other filters; a note above the table says so where it is not that of registration.
  if (status_mode === "history" && statuses.length > 0) return "Invocations that had the status";
  return "Invocations, the newest registration first";
}

/** Statuses with their counts in the list, as far as another filter restricts it. A second click on the chosen one drops it. */
function StatusShortcuts(view: View<InvocationsModel>) {
  const links = useLinks();
  const { query } = view;
  const { narrowed, facet, present } = shortcuts(view);
  if (present.length === 0) return null;
  const isOnly = (status: string) => isShortcut(view, status);
  return (
    <StatusLinks
      choice
      label={narrowed ? "Matches by status" : "All invocations by status"}
      counts={present.map(({ status, count }) => ({
        status,
        count,
        capped: narrowed && facet?.complete === false,
        href: links.invocations({ ...query, ...FIRST, status: isOnly(status) ? undefined : status }),
        current: isOnly(status),
      }))}
    />
  );
}

function shortcuts({ model: { choices, facets }, query }: Pick<View<InvocationsModel>, "model" | "query">) {
  const narrowed = isFiltered(query, ["status"]);
  const facet = facets.find(({ by }) => by === "status");
  const counts = narrowed
    ? (facet?.groups.map(({ value, invocations }) => ({ status: value ?? "", count: invocations })) ?? [])
    : choices.statuses;
  return { narrowed, facet, present: counts.filter(({ count }) => count > 0) };
}

/** Whether the status is the only one that is chosen, and is marked among those above the list: a chip would say it twice. */
function isShortcut(view: View<InvocationsModel>, status: string): boolean {
  const { statuses } = view.model.filter;
  return (
    statuses.length === 1 && statuses[0] === status && shortcuts(view).present.some((one) => one.status === status)
  );
}

/** What the list contains beyond this page. */
function Counts({ model: { facets }, query }: View<InvocationsModel>) {
  const links = useLinks();
  const narrowed = (by: GroupedBy, group: InvocationGroup) => {
    const narrowing = narrowingTo(by, group, query);
    return narrowing === null ? null : links.invocations({ ...query, ...FIRST, ...narrowing });
  };
  return <Facets facets={facets.filter(({ by }) => by !== "status")} narrowed={narrowed} />;
}

/** The parameters that restrict the list to one group; null if no parameter does, or if the list is restricted to it already. */
function narrowingTo(by: GroupedBy, { value, query: term }: InvocationGroup, query: PageQuery): PageQuery | null {
  if (value === null || term === null) return null;
  const q = lastValue(query, "q");
  if (q.split(/\s+/).includes(term)) return null;
  if (by === "exception") return { q: [`${q} ${term}`.trim()] };
  return lastValue(query, "task_id") === value ? null : { task_id: [value] };
}

function NoInvocations({ query, model: { choices, page } }: View<InvocationsModel>) {
  const links = useLinks();
  const stored = choices.statuses.reduce((sum, status) => sum + status.count, 0);
  if (!isFiltered(query)) {
    return (
      <Empty title="No invocation is stored">
        The store has no invocation of this app. One appears as soon as a task is called; earlier ones may have been
        purged, or the app writes to another store.
      </Empty>
    );
  }
  // The note above says how much was searched.
  if (page.total === null || page.total_capped) {
    return (
      <Empty title="No match among those searched">
        Others were not searched. Go on to older ones below, change a filter above, or{" "}
        <a href={links.invocations()}>clear all filters</a>.
      </Empty>
    );
  }
  return (
    <Empty title="No invocations match">
      {stored === 0
        ? "No invocation with a status was found."
        : `None of the ${count(stored)} invocations matches all filters.`}{" "}
      Remove a filter above, or <a href={links.invocations()}>clear all filters</a>.
    </Empty>
  );
}
