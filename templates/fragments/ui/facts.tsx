import type { ComponentChildren } from "preact";

export interface Fact {
  label: string;
  value: ComponentChildren;
}

/** Names and values of one thing. */
export function Facts({ rows }: { rows: readonly Fact[] }) {
  return (
    <dl class="facts">
      {rows.map((row) => (
        <div key={row.label}>
          <dt>{row.label}</dt>
          <dd>{row.value}</dd>
        </div>
      ))}
    </dl>
  );
}
