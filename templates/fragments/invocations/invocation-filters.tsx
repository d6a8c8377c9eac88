/** Filters shared by pages about selected invocations: the form fields, and the active filters as text. */
import type { InvocationFilter } from "../../../src/api/model/invocation-rows.ts";
import { SINGLE_FILTERS } from "../../../src/presentation/invocation-filters.ts";
import { count, shortId } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { lastValue, type PageQuery } from "../../query.ts";
import type { ActiveFilter } from "../ui/active-filters.tsx";
import { SelectField, TextField } from "../ui/filter-form.tsx";

/** Parameters of the rarer fields. */
export const RARER_FILTERS = [
  "status_mode",
  ...SINGLE_FILTERS.flatMap(({ parameter, field }) => (field === undefined ? [] : [parameter])),
];

/** Whether former statuses count, and fields for the workflow run, runner, parent or call of an invocation. */
export function RarerFields({ query }: { query: PageQuery }) {
  return (
    <>
      <SelectField
        name="status_mode"
        label="Match status"
        value={lastValue(query, "status_mode")}
        options={[
          { value: "", label: "current" },
          { value: "history", label: "at any time" },
        ]}
      />
      {SINGLE_FILTERS.map(
        ({ parameter, label, field }) =>
          field !== undefined && (
            <TextField
              key={parameter}
              name={parameter}
              label={field.label ?? label}
              value={lastValue(query, parameter)}
              hint={field.hint}
              code
            />
          ),
      )}
    </>
  );
}

/** Fields of invocation-query.ts. */
export const SEARCH_FIELDS = [
  "status",
  "task",
  "exception",
  "error",
  "arg",
  "runner",
  "registered_by",
  "parent",
  "workflow",
  "type",
  "call",
  "id",
  "run",
  "wait",
  "retries",
  "since",
  "until",
  "has",
  "is",
];

/** The search field, with help on its syntax. */
export function SearchField({ query }: { query: PageQuery }) {
  const links = useLinks();
  return (
    <TextField
      name="q"
      label="Search"
      value={lastValue(query, "q")}
      placeholder="status:failed task:shop.* error:Timeout arg.region=eu run>5s -task:pynenc.*"
      hint={`Words in the id, task or arguments, or fields: ${SEARCH_FIELDS.join(", ")}. A minus before a term excludes its matches.`}
      completions={links.queryCompletion()}
      wide
      code
    />
  );
}

/** Statuses chosen in the form, as read by the service. */
export function chosenStatuses({ statuses }: Pick<InvocationFilter, "statuses">, query: PageQuery): string[] {
  return query.status === undefined ? [] : statuses;
}

/** Ids in the address. */
export function idsOf(query: PageQuery): string {
  return (query.inv_ids ?? []).filter((given) => given !== "").join(",");
}

export function sameLabel(value: string) {
  return { value, label: value };
}

/** Every active filter with the address of the page without it. @param times the page's own filters on time. */
export function invocationFilters(
  filter: Pick<InvocationFilter, "statuses" | "status_mode" | "invocation_ids" | "query">,
  query: PageQuery,
  without: (changes: PageQuery) => string,
  times: readonly ActiveFilter[],
): ActiveFilter[] {
  // Statuses of the search text are among its terms.
  const statuses = chosenStatuses(filter, query);
  const filters: ActiveFilter[] = statuses.map((status) => ({
    label: filter.status_mode === "history" ? "Had status" : "Status",
    value: status,
    href: without({ status: statuses.filter((other) => other !== status) }),
  }));
  filters.push(...times);
  for (const { parameter, label, id } of SINGLE_FILTERS) {
    const value = lastValue(query, parameter);
    if (value === "") continue;
    filters.push({ label, value: id ? shortId(value) : value, href: without({ [parameter]: undefined }) });
  }
  for (const term of filter.query) {
    const rest = filter.query.filter((other) => other !== term).join(" ");
    filters.push({ label: "Search", value: term, href: without({ q: rest === "" ? undefined : [rest] }) });
  }
  const ids = idsOf(query) === "" ? 0 : filter.invocation_ids.length;
  if (ids > 0) {
    const value = ids === 1 ? "1 id" : `${count(ids)} ids`;
    filters.push({ label: "Only", value, href: without({ inv_ids: undefined }) });
  }
  return filters;
}
