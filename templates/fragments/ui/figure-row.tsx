import type { ComponentChildren } from "preact";

export interface Figure {
  label: string;
  /** A `Count` or a short text. */
  value: ComponentChildren;
  href: string;
  tone?: "plain" | "bad";
  /** What the figure covers. */
  hint: string;
}

/** Small figures in a wrapping line, each linked to what it counts. For a few large ones use `Tiles`. */
export function FigureRow({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <div class="glance-row">
      <h2 class="glance-label">{label}</h2>
      <ul class="figure-row">
        {figures.map((figure) => (
          <li key={figure.label}>
            <a href={figure.href} class={`figure figure-${figure.tone ?? "plain"}`}>
              <span class="figure-label">{figure.label}</span> <span class="figure-value">{figure.value}</span>{" "}
              <span class="figure-hint">{figure.hint}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
