import { FAMILY_COLOURS, STATUSES, type StatusGlyph, type StatusInfo, statusInfo } from "../../src/pynenc/statuses.ts";

/** The 13 statuses and `resumed`, which old histories still hold. */
const STYLED: readonly string[] = [...STATUSES.map((status) => status.name), "resumed"];

/** Class that sets the colour of a status. Words found in data only become class names if they are known. */
export function statusClass(status: string): string {
  return STYLED.includes(status) ? `status-${status}` : "status-unknown";
}

/** How each shape is drawn, in HTML and SVG: corner radius, rotation, fill and stroke. */
const GLYPHS: Readonly<Record<StatusGlyph, readonly [radius: string, turn: string, inside: string, line: string]>> = {
  disc: ["50%", "0deg", "var(--status)", "var(--surface, #ffffff)"],
  ring: ["50%", "0deg", "var(--surface, #ffffff)", "var(--status)"],
  square: ["0", "0deg", "var(--status)", "var(--surface, #ffffff)"],
  diamond: ["0", "45deg", "var(--status)", "var(--surface, #ffffff)"],
};

/**
 * Rules that set the custom property `--status` to the colour of a status, and `--glyph-*` to its shape; badges, bars and SVG are drawn with
 * them. The same for `--task`, the colour of a task.
 *
 * @param file for saved drawings, which are light: programs that render files do not support `light-dark()`.
 */
export function statusStylesheet(file = false): string {
  const families = Object.entries(FAMILY_COLOURS).map(
    ([family, { light, dark }]) =>
      `${selector((status) => status.family === family)}{--status:${file ? light : `light-dark(${light},${dark})`}}`,
  );
  const glyphs = Object.entries(GLYPHS).map(
    ([glyph, [radius, turn, inside, line]]) =>
      `${selector((status) => status.glyph === glyph)}{--glyph-radius:${radius};--glyph-turn:${turn};--glyph-inside:${inside};--glyph-line:${line}}`,
  );
  return `${[...families, ...glyphs].join("\n")}\n`;
}

function selector(chosen: (status: StatusInfo) => boolean): string {
  return [...STYLED, "unknown"]
    .filter((name) => chosen(statusInfo(name)))
    .map((name) => `.status-${name}`)
    .join(",");
}
