/** The coordinates of what is placed along the time. */
import type { ComponentChildren } from "preact";
import { percent } from "./numbers.ts";

interface ScrolledProps {
  /** `left` is where the window begins, `width` its nominal width. */
  geometry: { left: number; width: number };
  children: ComponentChildren;
}

/** What is placed along the time. */
export function Scrolled({ geometry: { left, width }, children }: ScrolledProps) {
  return (
    // Scripts move the group (client/drawing-parts.ts).
    <g data-part="scrolled">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the drawing around it has a label */}
      <svg x={percent(-left, width)} width="100%" height="100%" overflow="visible" data-part="places">
        {children}
      </svg>
    </g>
  );
}

/**
 * Paths know no percentages: they lie in nominal coordinates that are stretched along the time, their strokes are not. Its height does not matter, but
 * must not change.
 */
export function Stretched({ geometry: { width }, children }: ScrolledProps) {
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
