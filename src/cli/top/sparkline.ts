/** Small charts made of block characters. */

const BLOCKS = "▁▂▃▄▅▆▇█";

/**
 * Values over time as one character each, from the lowest block for zero to the full block for the maximum. A blank means
 * not known.
 *
 * @param merge combines neighbouring values: their sum or their maximum.
 */
export function sparkline(values: readonly (number | null)[], width: number, merge: "sum" | "max"): string {
  const cells = Array.from(
    { length: Math.min(width, values.length) },
    (_, cell, all = Math.min(width, values.length)) => {
      const known = values
        .slice(Math.floor((cell * values.length) / all), Math.floor(((cell + 1) * values.length) / all))
        .filter((value) => value !== null);
      if (known.length === 0) return null;
      return merge === "sum" ? known.reduce((sum, value) => sum + value, 0) : Math.max(...known);
    },
  );
  const most = Math.max(0, ...cells.map((value) => value ?? 0));
  return cells
    .map((value) => {
      if (value === null) return " ";
      // Values above zero must be distinguishable from zero.
      const level = value <= 0 ? 0 : Math.max(1, Math.ceil((value / most) * (BLOCKS.length - 1)));
      return BLOCKS[level];
    })
    .join("");
}
