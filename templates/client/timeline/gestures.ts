/**
 * Pointer and wheel: drag on the plot or the chart above it to zoom; drag on the axis, or on the plot with Shift, Space or the middle button, to
 * pan; wheel to pan and zoom. One finger pans, two zoom; up and down they scroll the page.
 */
import { crosshair, hideCrosshair } from "./crosshair.ts";
import { endPreview, jump, plot, preview, shownWindow, step, wantedWindow } from "./stage.ts";
import { instantOf, panned, part, pinched, type TimeWindow, zoomed } from "./window.ts";

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
  /** Fingers pan, two of them zoom. */
  kind: "zoom" | "pan" | "touch";
  drawing: SVGSVGElement;
  /** Where it went down and is now, as shares of the width. The drawing is moved with it: places count in the frame, which stays. */
  from: number;
  to: number;
  /** Pixels: where it went down, and the width of the drawing then. */
  x: number;
  width: number;
  /** It went far enough to be a drag. */
  begun: boolean;
}

/** By their ids: one of a mouse, or fingers. */
const held = new Map<number, Held>();
let spaceHeld = false;
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
  document.addEventListener("keydown", (event) => holdSpace(event, true));
  document.addEventListener("keyup", (event) => holdSpace(event, false));
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
  const touches = event.pointerType === "touch";
  // A finger that was lifted elsewhere sends no event here.
  if (touches && event.isPrimary) held.clear();
  if (drawing === null || (!touches && held.size > 0)) return;
  const pans =
    event.button === 1 || (event.button === 0 && (event.shiftKey || spaceHeld || drawing.matches(".axis-plot")));
  if (!touches && !pans && (event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey)) return;
  // A second finger counts from the drawing as it was, and so does the first from now on.
  if (touches) endPreview();
  for (const other of held.values()) {
    other.x += (other.to - other.from) * other.width;
    other.from = other.to;
  }
  const from = shareAt(drawing, event.clientX);
  const width = Math.max(1, drawing.getBoundingClientRect().width);
  const kind = touches ? "touch" : pans ? "pan" : "zoom";
  held.set(event.pointerId, { kind, drawing, from, to: from, x: event.clientX, width, begun: false });
}

/** What the pointers that are down make of the window. */
function moved(window: TimeWindow): TimeWindow | null {
  const [one, other] = [...held.values()];
  if (one === undefined) return window;
  if (one.kind === "zoom") return partOf(one.drawing, one.from, one.to);
  if (other === undefined) return panned(window, one.from - one.to);
  return pinched(window, [one.from, other.from], [one.to, other.to]);
}

function move(event: PointerEvent): void {
  const pointer = held.get(event.pointerId);
  if (pointer === undefined) {
    // What is held elsewhere, the slider, shows a time of its own.
    if (event.buttons > 0) return;
    const drawing = event.target instanceof Element ? event.target.closest<SVGSVGElement>(".timeline-plot") : null;
    if (drawing === null || event.pointerType === "touch") hideCrosshair();
    else crosshair(drawing, event.clientX, event.clientY);
    return;
  }
  const { kind, drawing, from, x, width } = pointer;
  pointer.to = from + (event.clientX - x) / width;
  if (!pointer.begun && Math.abs(event.clientX - x) < LEAST_DRAG) return;
  if (!pointer.begun && kind !== "touch") {
    drawing.setPointerCapture(event.pointerId);
    drawing.dataset.held = kind;
  }
  pointer.begun = true;
  const window = shownWindow();
  if (kind === "zoom") {
    drawArea(drawing, from, pointer.to);
    if (!drawing.matches(OVERVIEW)) crosshair(plot() ?? drawing, event.clientX, event.clientY, from);
  } else if (window !== null) {
    preview(moved(window) ?? window);
    hideCrosshair();
  }
}

/** The last finger that goes up moves the window; a pointer that only tapped selects. */
function end(event: PointerEvent): void {
  const pointer = held.get(event.pointerId);
  const window = shownWindow();
  if (pointer === undefined || window === null) return;
  const wanted = moved(window);
  const begun = [...held.values()].some((one) => one.begun);
  if (!begun) {
    cancelDrag();
    return;
  }
  release();
  if (pointer.kind !== "touch") {
    swallowClick = true;
    // The click comes at once, or not at all.
    setTimeout(() => {
      swallowClick = false;
    });
  }
  if (wanted !== null) jump(wanted);
}

function release(): void {
  for (const { drawing } of held.values()) {
    delete drawing.dataset.held;
    drawing.querySelector(".zoom-area")?.remove();
  }
  held.clear();
}

/** Cancels what is dragged. */
export function cancelDrag(): boolean {
  if (held.size === 0) return false;
  const begun = [...held.values()].some((one) => one.begun);
  const mouse = [...held.values()].some(({ kind }) => kind !== "touch");
  release();
  endPreview();
  swallowClick = begun && mouse;
  return begun;
}

function swallow(event: MouseEvent): void {
  if (!swallowClick) return;
  swallowClick = false;
  event.preventDefault();
  event.stopPropagation();
}

function holdSpace(event: KeyboardEvent, down: boolean): void {
  if (event.key !== " ") return;
  spaceHeld = down;
  // The page would scroll beneath the pointer that is about to drag it.
  if (down && plot()?.matches(":hover") && event.target === document.body) event.preventDefault();
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
