import { count, NOTHING } from "../../../src/presentation/text.ts";

export interface CountProps {
  value: number | null;
  /** Counting stopped at `value`. */
  capped?: boolean | undefined;
  /** Not counted one by one. */
  about?: boolean | undefined;
}

export function Count({ value, capped = false, about = false }: CountProps) {
  if (value === null) return <span class="muted">{NOTHING}</span>;
  return (
    <span class={value === 0 ? "number muted" : "number"}>
      {about && "about "}
      {count(value)}
      {capped && "+"}
    </span>
  );
}
