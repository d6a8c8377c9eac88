/** Numbers as attributes of SVG. */

/** A horizontal place or length as a share of the plot: the drawing stretches with the page, its text and circles do not. */
export function percent(x: number, width: number): string {
  return `${trimmed((x / width) * 100, 3)}%`;
}

/** At most this many decimals, without trailing zeros. */
export function trimmed(value: number, digits = 1): string {
  return String(Number(value.toFixed(digits)));
}

/** An instant as our own addresses carry it: UTC without an offset. */
export function naive(iso: string): string {
  return iso.replace(/(?:\+00:00|Z)$/, "");
}

/** A rectangle of a path: left and right are whole units of the nominal width, which is finer than a pixel needs. */
export function box(x: number, y: number, width: number, height: number): string {
  const left = Math.round(x);
  const wide = Math.max(1, Math.round(x + width) - left);
  return `M${left} ${trimmed(y)}h${wide}v${trimmed(height)}h-${wide}z`;
}
