/**
 * Pointer and wheel: drag on the plot or the chart above it to zoom; drag on the axis, or on the plot with Shift or the middle button, to
 * pan; wheel to pan and zoom. Fingers scroll the page: for them there are the buttons above.
 */
import { crosshair, hideCrosshair } from "./crosshair.ts";
import { endPreview, jump, plot, preview, shownWindow, step, wantedWindow } from "./stage.ts";
import { instantOf, panned, part, type TimeWindow, zoomed } from "./window.ts";

const SVG = "http://www.w3.org/2000/svg";

/** A shorter drag is a click. */
const LEAST_DRAG = 8;
/** Pixels per wheel notch, for browsers that report lines or pages. */
const NOTCH = 40;
/** Zoom factor per wheel pixel. */
const WHEEL_ZOOM = 0.0025;

/** What can be dragged; all of it has the width of the plot. */
const HELD = "#card-timeline :is(.timeline-plot, .axis-plot, .occupancy-plot)";

const OVERVIEW = "#timeline-overview *";

/** A pointer that went down on a drawing. */
interface Held {
  kind: "zoom" | "pan";
  drawing: SVGSVGElement;
  pointer: number;
  /** Where it went down and is now, as shares of the width. The drawing is moved with it: places count in the frame, which stays. */
  from: number;
  to: number;
  /** Pixels: where it went down, and the width of the drawing then. */
  x: number;
  width: number;
  /** It went far enough to be a drag. */
  begun: boolean;
}

let held: Held | null = null;
/** Ignore the click that ends a drag. */
let swallowClick = false;
const wheeled = new WeakSet<Element>();

export function startGestures(): void {
  document.addEventListener("pointerdown", begin);
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", () => {
    cancelDrag();
  });
  document.addEventListener("pointerleave", hideCrosshair);
  document.addEventListener("mousedown", (event) => {
    // The middle button would scroll the page.
    if (event.button === 1 && inPlot(event.target)) event.preventDefault();
  });
  document.addEventListener("dragstart", (event) => {
    // A mark is a link, and the browser would drag that.
    if (inPlot(event.target)) event.preventDefault();
  });
  document.addEventListener("click", swallow, { capture: true });
  document.addEventListener("auxclick", swallow, { capture: true });
  attachWheel();
}

/** Wheels are listened to on the drawing alone: everywhere else the page scrolls without waiting for us. */
export function attachWheel(): void {
  const drawing = plot();
  if (drawing === null || wheeled.has(drawing)) return;
  wheeled.add(drawing);
  drawing.addEventListener("wheel", turn, { passive: false });
}

function inPlot(target: EventTarget | null): SVGSVGElement | null {
  return target instanceof Element && plot() !== null ? target.closest<SVGSVGElement>(HELD) : null;
}

function shareAt(drawing: SVGSVGElement, x: number): number {
  const { left, width } = drawing.getBoundingClientRect();
  return width === 0 ? 0 : (x - left) / width;
}

/** The part of a drawing between two shares of its width: an overview has a window of its own. */
function partOf(drawing: SVGSVGElement, one: number, other: number): TimeWindow | null {
  if (drawing.matches(OVERVIEW)) {
    const { start = "", end = "" } = drawing.dataset;
    return part({ start: instantOf(start), end: instantOf(end) }, one, other);
  }
  const window = shownWindow();
  return window === null ? null : part(window, one, other);
}

function begin(event: PointerEvent): void {
  swallowClick = false;
  const drawing = inPlot(event.target);
  // A finger scrolls the page.
  if (drawing === null || held !== null || event.pointerType === "touch") return;
  const pans = event.button === 1 || (event.button === 0 && (event.shiftKey || drawing.matches(".axis-plot")));
  if (!pans && (event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey)) return;
  const from = shareAt(drawing, event.clientX);
  const width = Math.max(1, drawing.getBoundingClientRect().width);
  const shared = { drawing, pointer: event.pointerId, from, to: from, x: event.clientX, width, begun: false };
  held = { kind: pans ? "pan" : "zoom", ...shared };
}

/** What the pointer that is down makes of the window. */
function moved(window: TimeWindow, { kind, drawing, from, to }: Held): TimeWindow | null {
  return kind === "zoom" ? partOf(drawing, from, to) : panned(window, from - to);
}

function move(event: PointerEvent): void {
  if (held === null) {
    // What is held elsewhere, the slider, shows a time of its own.
    if (event.buttons > 0) return;
    const drawing = event.target instanceof Element ? event.target.closest<SVGSVGElement>(".timeline-plot") : null;
    if (drawing === null || event.pointerType === "touch") hideCrosshair();
    else crosshair(drawing, event.clientX, event.clientY);
    return;
  }
  if (event.pointerId !== held.pointer) return;
  const { kind, drawing, from, x, width } = held;
  held.to = from + (event.clientX - x) / width;
  if (!held.begun && Math.abs(event.clientX - x) < LEAST_DRAG) return;
  if (!held.begun) {
    drawing.setPointerCapture(event.pointerId);
    drawing.dataset.held = kind;
  }
  held.begun = true;
  const window = shownWindow();
  if (kind === "zoom") {
    drawArea(drawing, from, held.to);
    if (!drawing.matches(OVERVIEW)) crosshair(plot() ?? drawing, event.clientX, event.clientY, from);
  } else if (window !== null) {
    preview(moved(window, held) ?? window);
    hideCrosshair();
  }
}

/** A pointer that hardly moved selects. */
function end(event: PointerEvent): void {
  const window = shownWindow();
  if (held?.pointer !== event.pointerId || window === null) return;
  if (!held.begun) {
    cancelDrag();
    return;
  }
  const wanted = moved(window, held);
  release();
  swallowClick = true;
  // The click comes at once, or not at all.
  setTimeout(() => {
    swallowClick = false;
  });
  if (wanted !== null) jump(wanted);
}

function release(): void {
  if (held === null) return;
  delete held.drawing.dataset.held;
  held.drawing.querySelector(".zoom-area")?.remove();
  held = null;
}

/** Cancels what is dragged. */
export function cancelDrag(): boolean {
  if (held === null) return false;
  const { begun } = held;
  release();
  endPreview();
  swallowClick = begun;
  return begun;
}

function swallow(event: MouseEvent): void {
  if (!swallowClick) return;
  swallowClick = false;
  event.preventDefault();
  event.stopPropagation();
}

function drawArea(drawing: SVGSVGElement, one: number, other: number): void {
  let area = drawing.querySelector<SVGRectElement>(":scope > .zoom-area");
  if (area === null) {
    area = document.createElementNS(SVG, "rect");
    area.setAttribute("class", "zoom-area");
    drawing.append(area);
  }
  const [left, right] = [one, other].map((share) => Math.min(1, Math.max(0, share))).sort((a, b) => a - b);
  area.setAttribute("x", `${(left ?? 0) * 100}%`);
  area.setAttribute("width", `${((right ?? 0) - (left ?? 0)) * 100}%`);
  area.setAttribute("y", drawing.dataset.axisHeight ?? "0");
  area.setAttribute("height", "100%");
}

function turn(event: WheelEvent): void {
  const drawing = plot();
  const window = wantedWindow();
  if (drawing === null || window === null) return;
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : NOTCH;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    // The drawing may be stretched already: the place in its frame counts.
    const frame = drawing.closest(".timeline")?.getBoundingClientRect();
    const left = (frame?.right ?? 0) - drawing.clientWidth;
    const around = Math.min(1, Math.max(0, (event.clientX - left) / drawing.clientWidth));
    step(zoomed(window, Math.exp(event.deltaY * unit * WHEEL_ZOOM), around), "wheel zoom");
    return;
  }
  // With Shift some systems turn the one wheel there is sideways themselves.
  const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
  const across = Math.abs(sideways) > Math.abs(event.deltaY) || (event.shiftKey && sideways !== 0);
  const scroller = drawing.closest(".timeline");
  // On a narrow screen the plot itself scrolls.
  if (!across || (scroller !== null && scroller.scrollWidth > scroller.clientWidth)) return;
  event.preventDefault();
  step(panned(window, (sideways * unit) / drawing.clientWidth), "wheel pan");
}
