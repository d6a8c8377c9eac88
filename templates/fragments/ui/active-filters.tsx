import { visibleLine } from "../../../src/presentation/text.ts";

export interface ActiveFilter {
  label: string;
  value: string;
  /** The same list without this filter. */
  href: string;
}

/** What restricts the list now, each with a way to drop it. */
export function ActiveFilters({ filters }: { filters: readonly ActiveFilter[] }) {
  if (filters.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {filters.map((filter) => (
        <li key={`${filter.label}=${filter.value}`} class="chip">
          <span class="muted">{filter.label}</span>
          <bdi>{visibleLine(filter.value)}</bdi>
          <a href={filter.href} aria-label={`Remove filter ${filter.label} ${visibleLine(filter.value)}`}>
            ×
          </a>
        </li>
      ))}
    </ul>
  );
}
