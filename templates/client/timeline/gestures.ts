/**
 * Pointer and wheel: drag on the plot or the chart above it to zoom; drag on the axis, or on the plot with Shift, Space or the middle button, to
 * pan; wheel to pan and zoom. One finger pans, two zoom; up and down they scroll the page.
 */
import { crosshair, hideCrosshair } from "./crosshair.ts";
import { timeShare } from "./shares.ts";
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

interface Drag {
  kind: "zoom" | "pan";
  drawing: SVGSVGElement;
  pointer: number;
  /** Where it began, as a share of the width. */
  from: number;
  x: number;
  /** Long enough to count as a drag. */
  begun: boolean;
}

let drag: Drag | null = null;
let spaceHeld = false;
/** Ignore the click that ends a drag. */
let swallowClick = false;
const wheeled = new WeakSet<Element>();

export function startGestures(): void {
  document.addEventListener("pointerdown", begin);
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", () => {
    if (fingers.size > 0) endPreview();
    fingers.clear();
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

/** The share of the window at a share of the width. */
function timeAt(share: number): number {
  return timeShare(share, plot()?.dataset.breaks);
}

/** The part of a drawing between two shares of its width: an overview has a window of its own. */
function partOf(drawing: SVGSVGElement, one: number, other: number): TimeWindow | null {
  if (drawing.matches(OVERVIEW)) {
    const { start = "", end = "" } = drawing.dataset;
    return part({ start: instantOf(start), end: instantOf(end) }, one, other);
  }
  const window = shownWindow();
  return window === null ? null : part(window, timeAt(one), timeAt(other));
}

function begin(event: PointerEvent): void {
  swallowClick = false;
  const drawing = inPlot(event.target);
  if (drawing !== null && event.pointerType === "touch") {
    touch(drawing, event);
    return;
  }
  if (drawing === null || drag !== null) return;
  const pans =
    event.button === 1 || (event.button === 0 && (event.shiftKey || spaceHeld || drawing.matches(".axis-plot")));
  if (!pans && (event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey)) return;
  const kind = pans ? "pan" : "zoom";
  drag = {
    kind,
    drawing,
    pointer: event.pointerId,
    from: shareAt(drawing, event.clientX),
    x: event.clientX,
    begun: false,
  };
}

/** Where each finger went down and is now, as shares of the width. */
const fingers = new Map<number, Finger>();

interface Finger {
  drawing: SVGSVGElement;
  from: number;
  to: number;
  /** Pixels: where it went down, and the width of the drawing then. */
  x: number;
  width: number;
}

function touch(drawing: SVGSVGElement, event: PointerEvent): void {
  // A finger that was lifted elsewhere sends no event here.
  if (event.isPrimary) fingers.clear();
  // A second one counts from the drawing as it was, and so does the first from now on.
  endPreview();
  for (const other of fingers.values()) {
    other.x += (other.to - other.from) * other.width;
    other.from = other.to;
  }
  const from = shareAt(drawing, event.clientX);
  const { width } = drawing.getBoundingClientRect();
  fingers.set(event.pointerId, { drawing, from, to: from, x: event.clientX, width: Math.max(1, width) });
}

/** What the fingers that are down make of the window. */
function touched(window: TimeWindow): TimeWindow {
  const [one, other] = [...fingers.values()];
  if (one === undefined) return window;
  if (other === undefined) return panned(window, one.from - one.to);
  return pinched(window, [one.from, other.from], [one.to, other.to]);
}

/** The last finger that goes up moves the window; one that only tapped selects. */
function lift(event: PointerEvent): void {
  const finger = fingers.get(event.pointerId);
  const window = shownWindow();
  if (finger === undefined || window === null) return;
  const wanted = touched(window);
  const moved = [...fingers.values()].some(
    ({ drawing, from, to }) => Math.abs(to - from) * drawing.clientWidth >= LEAST_DRAG,
  );
  fingers.clear();
  if (moved) jump(wanted);
  else endPreview();
}

function move(event: PointerEvent): void {
  const finger = fingers.get(event.pointerId);
  if (finger !== undefined) {
    // The drawing is moved with the fingers: places count in its frame, which stays.
    finger.to = finger.from + (event.clientX - finger.x) / finger.width;
    const window = shownWindow();
    if (window !== null) preview(touched(window));
    return;
  }
  if (drag === null) {
    const drawing = event.target instanceof Element ? event.target.closest<SVGSVGElement>(".timeline-plot") : null;
    if (drawing === null || event.pointerType === "touch") hideCrosshair();
    else crosshair(drawing, event.clientX, event.clientY);
    return;
  }
  if (event.pointerId !== drag.pointer) return;
  if (!drag.begun) {
    if (Math.abs(event.clientX - drag.x) < LEAST_DRAG) return;
    drag.begun = true;
    drag.drawing.setPointerCapture(drag.pointer);
    drag.drawing.dataset.held = drag.kind;
  }
  const share = shareAt(drag.drawing, event.clientX);
  if (drag.kind === "zoom") {
    drawArea(drag.drawing, drag.from, share);
    if (!drag.drawing.matches(OVERVIEW)) crosshair(plot() ?? drag.drawing, event.clientX, event.clientY, drag.from);
  } else {
    drag.drawing.style.transform = `translateX(${event.clientX - drag.x}px)`;
    drag.drawing.closest(".timeline")?.classList.add("moving");
    hideCrosshair();
  }
}

function end(event: PointerEvent): void {
  lift(event);
  if (drag === null || event.pointerId !== drag.pointer) return;
  const { kind, begun, drawing, from, x } = drag;
  const { width } = drawing.getBoundingClientRect();
  const to = shareAt(drawing, event.clientX);
  const window = shownWindow();
  drag = null;
  delete drawing.dataset.held;
  drawing.querySelector(".zoom-area")?.remove();
  if (!begun) return;
  swallowClick = true;
  // The click comes at once, or not at all.
  setTimeout(() => {
    swallowClick = false;
  });
  const wanted = kind === "zoom" ? partOf(drawing, from, to) : window && panned(window, (x - event.clientX) / width);
  if (wanted !== null) jump(wanted);
}

/** Cancels the drag. */
export function cancelDrag(): boolean {
  if (drag === null) return false;
  const { drawing, begun, kind } = drag;
  drag = null;
  delete drawing.dataset.held;
  drawing.querySelector(".zoom-area")?.remove();
  if (kind === "pan") {
    drawing.style.transform = "";
    drawing.closest(".timeline")?.classList.remove("moving");
  }
  swallowClick = begun;
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
    step(zoomed(window, Math.exp(event.deltaY * unit * WHEEL_ZOOM), timeAt(around)), "wheel zoom");
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
