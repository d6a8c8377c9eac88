import { count, NOTHING } from "../text.ts";

export interface CountProps {
  value: number | null;
  /** Counting stopped at `value`. */
  capped?: boolean | undefined;
}

export function Count({ value, capped = false }: CountProps) {
  if (value === null) return <span class="muted">{NOTHING}</span>;
  return (
    <span class={value === 0 ? "number muted" : "number"}>
      {count(value)}
      {capped && "+"}
    </span>
  );
}
