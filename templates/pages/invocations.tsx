import type {
  FilterChoices,
  GroupedBy,
  InvocationGroup,
  InvocationGroups,
  InvocationList,
} from "../../src/api/invocations.ts";
import { INVOCATION_COLUMNS } from "../../src/presentation/facts/invocation.ts";
import type { Links } from "../../src/presentation/links.ts";
import { count } from "../../src/presentation/text.ts";
import { presetWords } from "../../src/presentation/time-range.ts";
import { InvocationTable, type InvocationTableProps } from "../fragments/facts/invocation-table.tsx";
import { Facets } from "../fragments/invocations/facets.tsx";
import {
  chosenStatuses,
  idsOf,
  invocationFilters,
  RARER_FILTERS,
  RarerFields,
  SearchField,
  sameLabel,
} from "../fragments/invocations/invocation-filters.tsx";
import { StatusField } from "../fragments/invocations/status-field.tsx";
import { StatusLinks } from "../fragments/invocations/status-links.tsx";
import { type ActiveFilter, ActiveFilters } from "../fragments/ui/active-filters.tsx";
import { Card } from "../fragments/ui/card.tsx";
import { ColumnChoice } from "../fragments/ui/column-choice.tsx";
import { Empty } from "../fragments/ui/empty.tsx";
import { FilterForm, HiddenField, NumberField, SelectField, TextField } from "../fragments/ui/filter-form.tsx";
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

/** Filters that are hidden behind "More filters". */
const MORE = ["id_prefix", ...RARER_FILTERS];

/** Placed above the refreshed part, so that a refresh leaves half-typed filters alone. */
export function InvocationsHeader(view: View<InvocationsModel>) {
  const { model, query, path, readOnly, fields = [] } = view;
  const links = useLinks();
  const filters = activeFilters(model, query, links);
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
            <span class="muted">{filters.length === 0 ? "Export all" : "Export these"}</span>
            <a class="button" href={links.invocationsExport({ ...exported, fields: columns, format: "csv" })}>
              CSV
            </a>
            <a class="button" href={links.invocationsExport({ ...exported, fields: columns, format: "jsonl" })}>
              JSON lines
            </a>
            {model.page.total !== 0 && <CompareLink restriction={restriction} />}
            {filters.length > 0 && model.page.total !== 0 && !readOnly && (
              <a class="button" href={links.rerunMany(restriction)}>
                Rerun these …
              </a>
            )}
          </>
        }
      />
      <FilterForm path={path} clearHref={filters.length === 0 ? undefined : links.invocations()}>
        <Fields model={model} query={model.form} />
      </FilterForm>
      <ActiveFilters filters={filters} />
      <ColumnChoice columns={INVOCATION_COLUMNS} unusual={["workflow_id"]} view={view} />
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

function Fields({ model: { filter, choices }, query }: Pick<View<InvocationsModel>, "model" | "query">) {
  const unknown = choices.statuses.filter((status) => !status.known).map((status) => status.status);
  return (
    <>
      <SearchField query={query} />
      <StatusField name="status" chosen={chosenStatuses(filter, query)} others={unknown} />
      <SelectField
        name="task_id"
        label="Task"
        value={lastValue(query, "task_id")}
        options={[{ value: "", label: "Any" }, ...choices.task_id_keys.map(sameLabel)]}
      />
      <SelectField
        name="workflow_type"
        label="Workflow type"
        value={lastValue(query, "workflow_type")}
        options={[{ value: "", label: "Any" }, ...choices.workflow_type_keys.map(sameLabel)]}
      />
      <details class="filter-more" open={MORE.some((name) => lastValue(query, name) !== "")}>
        <summary>More filters</summary>
        <div class="filter-more-fields">
          <RarerFields query={query} />
          <TextField name="id_prefix" label="Id starts with" value={lastValue(query, "id_prefix")} code />
          <NumberField
            name="limit"
            label="Rows per page"
            value={limitOf(query)}
            min={1}
            max={1000}
            hint="Up to 1,000"
          />
        </div>
      </details>
      <HiddenField name="inv_ids" value={idsOf(query)} />
      <HiddenField name="sort" value={lastValue(query, "sort")} />
      <HiddenField name="fields" value={(query.fields ?? []).join(",")} />
    </>
  );
}

function preset(query: PageQuery): string {
  return lastValue(query, "range").toLowerCase();
}

function limitOf(query: PageQuery): number | null {
  const given = lastValue(query, "limit");
  return given === "" ? null : Number(given);
}

/** Every restriction with the address of the same list without it. */
function activeFilters({ filter }: InvocationsModel, query: PageQuery, links: Links): ActiveFilter[] {
  const without = (changes: PageQuery) => links.invocations({ ...query, ...FIRST, ...changes });
  const range = presetWords(preset(query));
  const times: readonly [name: string, label: string, value: string][] = [
    // A beginning given as an instant wins over the preset, which then restricts nothing.
    ["range", "Time", lastValue(query, "from") === "" ? range : ""],
    ["from", "From (UTC)", lastValue(query, "from")],
    ["to", "To (UTC)", lastValue(query, "to")],
  ];
  const shown = times.flatMap(([name, label, value]) =>
    value === "" ? [] : [{ label, value, href: without({ [name]: undefined }) }],
  );
  return invocationFilters(filter, query, without, shown);
}

export function InvocationsContent(view: View<InvocationsModel>) {
  const { query, model } = view;
  const { invocations, page, notes, filter } = model;
  const byTime = filter.from !== null || filter.to !== null;
  const sorted = lastValue(query, "sort");
  const sorts = useSorts(view);
  return (
    <>
      <StatusShortcuts {...view} />
      <Counts {...view} />
      <Notes notes={notes} />
      <Card title={title(view)} flush>
        <InvocationTable
          invocations={invocations}
          caption={sorted === "" ? caption(filter, byTime) : "Invocations, ordered by a column"}
          // Narrow screens keep the column by which the list is ordered.
          hide={byTime ? ["registered_at"] : []}
          extra={["parent_invocation_id", "call_id_key"]}
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

/** Statuses with their counts. The counts cover the whole app, so they are only shown without another filter. */
function StatusShortcuts({ model: { choices, filter }, query }: View<InvocationsModel>) {
  const links = useLinks();
  const present = choices.statuses.filter((status) => status.count > 0);
  if (isFiltered(query, ["status"]) || present.length === 0) return null;
  return (
    <StatusLinks
      label="All invocations by status"
      counts={present.map(({ status, count }) => ({
        status,
        count,
        href: links.invocations({ limit: lastValue(query, "limit"), status }),
        current: filter.statuses.length === 1 && filter.statuses[0] === status,
      }))}
    />
  );
}

/** What the list contains beyond this page. Without another filter, the counts of statuses are already shown above. */
function Counts({ model: { facets }, query }: View<InvocationsModel>) {
  const links = useLinks();
  const shown = facets.filter(({ by }) => by !== "status" || isFiltered(query, ["status"]));
  const narrowed = (by: GroupedBy, group: InvocationGroup) => {
    const narrowing = narrowingTo(by, group, query);
    return narrowing === null ? null : links.invocations({ ...query, ...FIRST, ...narrowing });
  };
  return <Facets facets={shown} narrowed={narrowed} />;
}

/** The parameters that restrict the list to one group; null if no parameter does, or if the list is restricted to it already. */
function narrowingTo(by: GroupedBy, { value, query: term }: InvocationGroup, query: PageQuery): PageQuery | null {
  if (value === null || term === null) return null;
  const q = lastValue(query, "q");
  if (q.split(/\s+/).includes(term)) return null;
  if (by === "exception") return { q: [`${q} ${term}`.trim()] };
  const parameter = by === "status" ? "status" : "task_id";
  return lastValue(query, parameter) === value && query[parameter]?.length === 1 ? null : { [parameter]: [value] };
}

function NoInvocations({ query, model: { choices, page } }: View<InvocationsModel>) {
  const links = useLinks();
  const stored = choices.statuses.reduce((sum, status) => sum + status.count, 0);
  if (!isFiltered(query)) {
    return (
      <Empty title="No invocation is stored">
        <p>
          The store has no invocation of this app. One appears as soon as a task is called; earlier ones may have been
          purged, or the app writes to another store.
        </p>
      </Empty>
    );
  }
  // The note above says how much was searched.
  if (page.total === null || page.total_capped) {
    return (
      <Empty title="No match among those searched">
        <p>
          Others were not searched. Go on to older ones below, change a filter above, or{" "}
          <a href={links.invocations()}>clear all filters</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No invocations match">
      <p>
        {stored === 0
          ? "No invocation with a status was found."
          : `None of the ${count(stored)} invocations matches all filters.`}{" "}
        Remove a filter above, or <a href={links.invocations()}>clear all filters</a>.
      </p>
    </Empty>
  );
}
