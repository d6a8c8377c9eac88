/** Small charts of characters. */

const BLOCKS = "▁▂▃▄▅▆▇█";

/**
 * Values over time as so many characters, from the least block for zero or nearly so to the full one for the greatest. A blank stands for what is not
 * known.
 *
 * @param merge what stands for several neighbours: their sum or the greatest.
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
      // Whatever is not zero is seen to be more than nothing.
      const level = value <= 0 ? 0 : Math.max(1, Math.ceil((value / most) * (BLOCKS.length - 1)));
      return BLOCKS[level];
    })
    .join("");
}
