import type { ComponentChildren } from "preact";

/**
 * Paths know no percentages: they lie in nominal coordinates that are stretched along the time, their strokes are not. Its height does not matter, but
 * must not change.
 */
export function Stretched({ width, children }: { width: number; children: ComponentChildren }) {
  return (
    <svg
      class="stretched"
      aria-hidden="true"
      width="100%"
      height="100"
      viewBox={`0 0 ${width} 100`}
      preserveAspectRatio="none"
      overflow="visible"
      data-part="stretched"
    >
      {children}
    </svg>
  );
}
