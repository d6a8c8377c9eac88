import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { visibleLine } from "../../../src/presentation/text.ts";
import { presetWords, rangeWords } from "../../../src/presentation/time-range.ts";
import { TodayContext } from "../../links.ts";
import { lastValue, NO_WINDOW, type PageQuery } from "../../query.ts";
import { FilterForm, type FilterFormProps } from "./filter-form.tsx";

export interface ActiveFilter {
  label: string;
  value: string;
  /** The same list without this filter. */
  href: string;
}

export interface FilterBarProps extends FilterFormProps {
  /** What restricts the list now, each with a way to drop it. */
  filters?: readonly ActiveFilter[];
  /** The menu of columns, for a list that lets a viewer choose them. */
  columns?: ComponentChildren;
}

/** Above a list: its filters in one row, and the chosen ones as chips. Placed above the refreshed part, so that a refresh leaves half-typed filters alone. */
export function FilterBar({ filters = [], columns, ...form }: FilterBarProps) {
  return (
    <div class="filter-bar">
      <FilterForm {...form} />
      {columns}
      <Chips filters={filters} />
    </div>
  );
}

/** The time range of the address as a filter of a list. @param without the same list with other parameters */
export function useTimeFilter(query: PageQuery, without: (changes: PageQuery) => string): ActiveFilter[] {
  const today = useContext(TodayContext);
  const [range, from, to] = ["range", "from", "to"].map((name) => lastValue(query, name)) as [string, string, string];
  // A beginning given as an instant wins over the preset, which then restricts nothing.
  const preset = from === "" ? presetWords(range.toLowerCase()) : "";
  const bounds = from + to === "" ? "" : rangeWords(from || null, to || null, today);
  const value = [preset, bounds].filter((words) => words !== "").join(", ");
  return value === "" ? [] : [{ label: "Time", value, href: without(NO_WINDOW) }];
}

/** The chosen filters, each with a way to drop it. */
export function Chips({ filters }: { filters: readonly ActiveFilter[] }) {
  if (filters.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {filters.map(({ label, value, href }) => (
        <li key={`${label}=${value}`} class="chip">
          <span class="status muted">{label}</span>
          <bdi>{visibleLine(value)}</bdi>
          <a href={href} aria-label={`Remove filter ${label} ${visibleLine(value)}`}>
            ×
          </a>
        </li>
      ))}
    </ul>
  );
}
