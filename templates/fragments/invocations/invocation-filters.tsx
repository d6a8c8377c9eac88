/** Filters shared by pages about selected invocations: the form fields, and the active filters as text. */
import type { FilterChoices } from "../../../src/api/invocations.ts";
import type { InvocationFilter } from "../../../src/api/model/invocation-rows.ts";
import { SINGLE_FILTERS } from "../../../src/presentation/invocation-filters.ts";
import { count, shortId } from "../../../src/presentation/text.ts";
import { useLinks } from "../../links.ts";
import { lastValue, type PageQuery } from "../../query.ts";
import type { ActiveFilter } from "../ui/filter-bar.tsx";
import { SelectField, TextField } from "../ui/filter-form.tsx";
import { StatusField } from "./status-field.tsx";

/** Every filter that can be a term of a search too, as a field: statuses, task, workflow and so on. */
export function RareFields({
  filter,
  choices,
  query,
}: {
  filter: Pick<InvocationFilter, "statuses">;
  choices: Pick<FilterChoices, "statuses" | "task_id_keys" | "workflow_type_keys">;
  query: PageQuery;
}) {
  const unknown = choices.statuses.filter((status) => !status.known).map((status) => status.status);
  const any = (values: readonly string[]) => [
    { value: "", label: "Any" },
    ...values.map((value) => ({ value, label: value })),
  ];
  return (
    <>
      <StatusField name="status" chosen={chosenStatuses(filter, query)} others={unknown} />
      <SelectField
        name="status_mode"
        label="Match status"
        value={lastValue(query, "status_mode")}
        options={[
          { value: "", label: "current" },
          { value: "history", label: "at any time" },
        ]}
      />
      <SelectField
        name="task_id"
        label="Task"
        value={lastValue(query, "task_id")}
        options={any(choices.task_id_keys)}
      />
      <SelectField
        name="workflow_type"
        label="Workflow type"
        value={lastValue(query, "workflow_type")}
        options={any(choices.workflow_type_keys)}
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
      <TextField name="id_prefix" label="Id starts with" value={lastValue(query, "id_prefix")} code />
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

const EXAMPLES = ["status:failed", "task:shop.*", "error:Timeout", "arg.region=eu", "run>5s", "-task:pynenc.*"];

/** The search field, with help on its syntax. */
export function SearchField({ query }: { query: PageQuery }) {
  const links = useLinks();
  return (
    <TextField
      name="q"
      label="Search"
      value={lastValue(query, "q")}
      placeholder="Search ids, tasks, arguments"
      help={
        <>
          <p>Words are searched in ids, tasks and arguments; a minus before a term excludes what it matches.</p>
          <p>
            Fields: <code>{SEARCH_FIELDS.join(", ")}</code>.
          </p>
          <p>
            Examples: <code>{EXAMPLES.join(" ")}</code>
          </p>
        </>
      }
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
