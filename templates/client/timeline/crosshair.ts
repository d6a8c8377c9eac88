/** The time under the pointer: a line down through the lanes with its instant. */
import { timeShare } from "./shares.ts";
import { clockOf, instantOf } from "./window.ts";

const SVG = "http://www.w3.org/2000/svg";
const LABEL = { width: 78, height: 16 };

let frame = 0;
/** The only crosshair; it is removed when the drawing is replaced. */
let shown: SVGGElement | null = null;

export function crosshair(drawing: SVGSVGElement, x: number, y: number): void {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => show(drawing, x, y));
}

export function hideCrosshair(): void {
  cancelAnimationFrame(frame);
  shown?.remove();
  shown = null;
}

function show(drawing: SVGSVGElement, pointerX: number, pointerY: number): void {
  const { start, end, axisHeight, breaks } = drawing.dataset;
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
  // In long drawings the axis may have been scrolled away: then the time is shown beside the pointer.
  const visible = top + axis > 0 ? axis - 1 - LABEL.height : pointerY - top - LABEL.height - 10;
  const place = Math.min(Math.max(0, x - LABEL.width / 2), width - LABEL.width);
  set(line, { x1: x, x2: x, y1: axis, y2: height });
  set(ground, { x: place, y: visible, ...LABEL });
  set(label, { x: place + LABEL.width / 2, y: visible + 12 });
  if (label !== undefined) label.textContent = clockOf(from + (to - from) * timeShare(x / width, breaks));
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
