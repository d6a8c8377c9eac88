/** The time under the pointer: a line down through the lanes with its instant, and with how long it is what is being dragged over. */
import { lasting } from "../../../src/pynenc/numbers.ts";
import { clockOf, instantOf } from "./window.ts";

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 16;
/** Widths of a character and of what is around them, in pixels. */
const CHARACTER = 6;
const AROUND = 8;

let frame = 0;
/** The only crosshair; it is removed when the drawing is replaced. */
let shown: SVGGElement | null = null;

/** @param from where the drag over the drawing began, as a share of its width; null where there is none. */
export function crosshair(drawing: SVGSVGElement, x: number, y: number, from: number | null = null): void {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => show(drawing, x, y, from));
}

export function hideCrosshair(): void {
  cancelAnimationFrame(frame);
  shown?.remove();
  shown = null;
}

function show(drawing: SVGSVGElement, pointerX: number, pointerY: number, dragged: number | null): void {
  const { start, end, axisHeight } = drawing.dataset;
  const [from, to] = [instantOf(start ?? ""), instantOf(end ?? "")];
  const { left, top, width, height } = drawing.getBoundingClientRect();
  const x = pointerX - left;
  if (!(to > from) || x < 0 || x > width) {
    hideCrosshair();
    return;
  }
  const mark = shown?.parentNode === drawing ? shown : made(drawing);
  const [line, ground, label] = mark.children;
  const axis = Number(axisHeight ?? 0);
  const instant = (share: number) => from + (to - from) * share;
  const at = instant(x / width);
  const long = dragged === null ? "" : `, ${lasting(Math.abs(at - instant(dragged)) / 1_000)}`;
  const words = `${clockOf(at)}${long}`;
  const wide = words.length * CHARACTER + AROUND;
  // In long drawings the axis may have been scrolled away: then the time is shown beside the pointer.
  const visible = top + axis > 0 ? axis - 1 - HEIGHT : pointerY - top - HEIGHT - 10;
  const place = Math.min(Math.max(0, x - wide / 2), width - wide);
  set(line, { x1: x, x2: x, y1: axis, y2: height });
  set(ground, { x: place, y: visible, width: wide, height: HEIGHT });
  set(label, { x: place + wide / 2, y: visible + 12 });
  if (label !== undefined) label.textContent = words;
}

function made(drawing: SVGSVGElement): SVGGElement {
  hideCrosshair();
  const mark = document.createElementNS(SVG, "g");
  mark.setAttribute("class", "crosshair");
  mark.setAttribute("aria-hidden", "true");
  for (const name of ["line", "rect", "text"]) mark.append(document.createElementNS(SVG, name));
  drawing.append(mark);
  shown = mark;
  return mark;
}

function set(element: Element | undefined, attributes: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(attributes)) element?.setAttribute(name, String(value));
}
