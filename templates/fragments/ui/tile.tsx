import type { ComponentChildren } from "preact";

export interface TileProps {
  label: string;
  /** A `Count`, a `Duration` or a short text. */
  value: ComponentChildren;
  href?: string | undefined;
  tone?: "plain" | "warn" | "bad" | undefined;
  /** What the figure covers. */
  hint?: string | undefined;
}

/** One figure. Put several into a `Tiles`. */
export function Tile({ label, value, href, tone = "plain", hint }: TileProps) {
  return (
    <div class={`figure figure-${tone}`}>
      <dt class="figure-label">{href === undefined ? label : <a href={href}>{label}</a>}</dt>
      <dd class="figure-value">{value}</dd>
      {hint !== undefined && <dd>{hint}</dd>}
    </div>
  );
}

export function Tiles({ children }: { children: ComponentChildren }) {
  return <dl class="card tiles">{children}</dl>;
}
