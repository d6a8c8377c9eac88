/**
 * Charts over a common time range: the slice under the pointer is marked in all of them with its values, and dragging across slices selects
 * their range. Without scripts each slice is a link to its own range, with its values as a tooltip.
 */
const STRIP = ".stats-strip";
const PLOT = ".time-chart-plot";

interface Brush {
  strip: HTMLElement;
  plot: Element;
  first: number;
  last: number;
}

let brush: Brush | null = null;

export function startStatsStrips(): void {
  document.addEventListener("pointermove", (event) => {
    // The button was released outside the window.
    if (event.buttons === 0) endBrush();
    const plot = brush?.plot ?? plotOf(event);
    const strip = plot?.closest<HTMLElement>(STRIP);
    if (plot == null || strip == null) {
      unpoint();
      return;
    }
    const slice = sliceAt(plot, event.clientX);
    if (brush !== null) {
      brush.last = slice;
      showBrush(brush);
    }
    point(strip, plot, slice);
  });
  document.addEventListener("pointerdown", (event) => {
    const plot = plotOf(event);
    const strip = plot?.closest<HTMLElement>(STRIP);
    // Touch scrolls the page; the range can be chosen in the header.
    if (plot == null || strip == null || event.button !== 0 || event.pointerType === "touch") return;
    const slice = sliceAt(plot, event.clientX);
    brush = { strip, plot, first: slice, last: slice };
  });
  document.addEventListener("pointerup", () => {
    const done = brush;
    endBrush();
    // A drag within one slice is a click on its link.
    if (done === null || done.first === done.last) return;
    const href = rangeOf(done);
    if (href !== null) location.assign(href);
  });
  document.addEventListener("pointercancel", endBrush);
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") endBrush();
  });
  // Slices are links, which the browser would otherwise drag.
  document.addEventListener("dragstart", (event) => {
    if (plotOf(event) !== null) event.preventDefault();
  });
}

function plotOf({ target }: Event): Element | null {
  return target instanceof Element ? target.closest(`${STRIP} ${PLOT}`) : null;
}

function slicesOf(plot: Element): Element[] {
  return [...plot.querySelectorAll(`${PLOT} > a`)];
}

function sliceAt(plot: Element, x: number): number {
  const { left, width } = plot.getBoundingClientRect();
  const last = Math.max(0, slicesOf(plot).length - 1);
  return Math.min(last, Math.max(0, Math.floor(((x - left) / width) * (last + 1))));
}

function point(strip: HTMLElement, plot: Element, slice: number): void {
  const slices = slicesOf(plot).length;
  if (slices === 0) return;
  strip.dataset.pointed = "";
  strip.style.setProperty("--at", String((slice + 0.5) / slices));
  for (const chart of strip.querySelectorAll(".time-chart")) {
    const value = chart.querySelector(".time-chart-at");
    const [time, words] = (slicesOf(chart)[slice]?.querySelector("title")?.textContent ?? "").split("\n");
    if (value !== null) value.textContent = words === undefined ? "" : `${words}, ${time}`;
  }
}

function unpoint(): void {
  for (const strip of document.querySelectorAll<HTMLElement>(`${STRIP}[data-pointed]`)) delete strip.dataset.pointed;
}

function showBrush({ strip, plot, first, last }: Brush): void {
  const slices = slicesOf(plot).length;
  strip.dataset.brushed = "";
  strip.style.setProperty("--brush-from", String(Math.min(first, last) / slices));
  strip.style.setProperty("--brush-to", String((Math.max(first, last) + 1) / slices));
}

function endBrush(): void {
  if (brush !== null) delete brush.strip.dataset.brushed;
  brush = null;
}

/** From the start of the first slice to the end of the last. */
function rangeOf({ plot, first, last }: Brush): string | null {
  const slices = slicesOf(plot);
  const [begin, end] = [Math.min(first, last), Math.max(first, last)].map((slice) =>
    slices[slice]?.getAttribute("href"),
  );
  if (begin == null || end == null) return null;
  const url = new URL(begin, location.href);
  const to = new URL(end, location.href).searchParams.get("to");
  if (to === null) return null;
  url.searchParams.set("to", to);
  return url.href;
}
