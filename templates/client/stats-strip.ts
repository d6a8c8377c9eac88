/**
 * Charts over a common time range: the slice under the pointer is marked in all of them with its values, and dragging across slices selects
 * their range. Without scripts groups of slices are links; here the link under the pointer is aimed at its slice.
 */
const STRIP = ".stats-strip";
const PLOT = ".time-chart-plot";

interface Brush {
  strip: HTMLElement;
  plot: SVGSVGElement;
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
    const link = event.target instanceof Element ? event.target.closest(`${PLOT} > a`) : null;
    if (link !== null && plot.contains(link)) aim(link, plot, slice);
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
    const link = done.strip.querySelector(`${PLOT} > a`);
    if (link === null) return;
    location.assign(rangeOf(link, done.plot, Math.min(done.first, done.last), Math.max(done.first, done.last)));
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

function plotOf({ target }: Event): SVGSVGElement | null {
  return target instanceof Element ? target.closest<SVGSVGElement>(`${STRIP} ${PLOT}`) : null;
}

/** The values of its slices in words; none where nothing is known. */
function valuesOf(plot: SVGSVGElement | null): string[] {
  return plot?.dataset.words?.split("\n") ?? [];
}

/** When a slice begins, as addresses have it. The one after the last begins at the end of the range. */
function startOf(plot: SVGSVGElement, slice: number): string {
  const { from = "", to = "", step } = plot.dataset;
  if (slice >= valuesOf(plot).length) return to;
  return new Date(Date.parse(from) + slice * Number(step) * 1000).toISOString().replace(".000Z", "Z");
}

function timeOf(plot: SVGSVGElement, slice: number): string {
  const from = plot.dataset.days === undefined ? 11 : 0;
  return `${startOf(plot, slice).slice(from, 16).replace("T", " ")} UTC`;
}

function sliceAt(plot: SVGSVGElement, x: number): number {
  const { left, width } = plot.getBoundingClientRect();
  const last = Math.max(0, valuesOf(plot).length - 1);
  return Math.min(last, Math.max(0, Math.floor(((x - left) / width) * (last + 1))));
}

function point(strip: HTMLElement, plot: SVGSVGElement, slice: number): void {
  const slices = valuesOf(plot).length;
  if (slices === 0) return;
  strip.dataset.pointed = "";
  strip.style.setProperty("--at", String((slice + 0.5) / slices));
  for (const chart of strip.querySelectorAll(".time-chart")) {
    const value = chart.querySelector(".time-chart-at");
    const own = chart.querySelector<SVGSVGElement>(PLOT);
    const words = valuesOf(own)[slice];
    const time = own?.dataset.ends === undefined ? `, ${timeOf(plot, slice)}` : ` at ${timeOf(plot, slice + 1)}`;
    if (value !== null) value.textContent = words === undefined ? "" : words + time;
  }
}

function aim(link: Element, plot: SVGSVGElement, slice: number): void {
  const href = rangeOf(link, plot, slice, slice);
  // A native tooltip would say less than what is below the chart.
  link.querySelector("title")?.remove();
  if (link.getAttribute("href") !== href) link.setAttribute("href", href);
}

function unpoint(): void {
  for (const strip of document.querySelectorAll<HTMLElement>(`${STRIP}[data-pointed]`)) delete strip.dataset.pointed;
}

function showBrush({ strip, plot, first, last }: Brush): void {
  const slices = valuesOf(plot).length;
  strip.dataset.brushed = "";
  strip.style.setProperty("--brush-from", String(Math.min(first, last) / slices));
  strip.style.setProperty("--brush-to", String((Math.max(first, last) + 1) / slices));
}

function endBrush(): void {
  if (brush !== null) delete brush.strip.dataset.brushed;
  brush = null;
}

/** Where a link of the same charts leads, from the start of one slice to the end of another. */
function rangeOf(link: Element, plot: SVGSVGElement, first: number, last: number): string {
  const url = new URL(link.getAttribute("href") ?? "", location.href);
  url.searchParams.set("from", startOf(plot, first));
  url.searchParams.set("to", startOf(plot, last + 1));
  return url.pathname + url.search;
}
