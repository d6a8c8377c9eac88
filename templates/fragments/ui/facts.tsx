import type { ComponentChildren } from "preact";
import { TERMS } from "../../../src/presentation/terms.ts";

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
          <dt title={TERMS[row.label]}>{row.label}</dt>
          <dd>{row.value}</dd>
        </div>
      ))}
    </dl>
  );
}
