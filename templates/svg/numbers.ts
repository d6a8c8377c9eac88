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
