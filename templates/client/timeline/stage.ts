/** What the page of the timeline shows: its window, its drawing, and the way to another one without a new page. */
import { announce } from "../announce.ts";
import { loadLazyParts } from "../lazy-parts.ts";
import { dropRefreshes } from "../live.ts";
import { morphInto } from "../morph.ts";
import { showTimes } from "../times.ts";
import { instantOf, naiveOf, type TimeWindow } from "./window.ts";

/** Rows of small steps take one request and one entry of the browser's history. */
const SETTLE_MILLISECONDS = 160;

/** The element that is there on the page of the timeline alone, also when nothing is drawn. */
export function stage(): HTMLElement | null {
  return document.querySelector<HTMLElement>(".timeline-moves[data-start]");
}

/** The drawing of the page; null when its window is empty. */
export function plot(): SVGSVGElement | null {
  return document.querySelector<SVGSVGElement>("#card-timeline .timeline-plot");
}

/** The drawings of the page that share the axis of the plot. */
const ON_AXIS = "#card-timeline :is(.timeline-plot, .axis-plot, .occupancy:not(#timeline-overview) .occupancy-plot)";

export function shownWindow(): TimeWindow | null {
  const { start, end } = stage()?.dataset ?? {};
  if (start === undefined || end === undefined) return null;
  const window = { start: instantOf(start), end: instantOf(end) };
  return window.end > window.start ? window : null;
}

/** All parameters of the shown window. Zooming writes `start_date` and `end_date`, which is what the HTTP contract calls `from` and `to`. */
const WINDOW_PARAMETERS = ["from", "to", "range", "start_date", "end_date", "time_range"];

/** This page with another window; other parameters are kept. */
export function addressOf(window: TimeWindow): URL {
  const url = new URL(location.href);
  for (const name of WINDOW_PARAMETERS) url.searchParams.delete(name);
  url.searchParams.set("start_date", naiveOf(window.start));
  url.searchParams.set("end_date", naiveOf(window.end));
  url.hash = "";
  return url;
}

let pending: AbortController | undefined;
let shown = location.pathname + location.search;
/** Kind of the steps that the newest entry of the history came from; null for a jump. */
let row: string | null = null;
let wanted: TimeWindow | null = null;
let settling: ReturnType<typeof setTimeout> | undefined;

/** Calls back after the content was exchanged. */
export function onArrival(arrived: () => void): void {
  document.addEventListener("timeline-arrived", arrived);
}

/** The window reached by the current series of small steps. */
export function wantedWindow(): TimeWindow | null {
  return wanted ?? shownWindow();
}

/**
 * One small step; the content follows when no other comes for a moment. Steps of one kind in a row are one entry of the history, so that
 * Back leads to where the row began.
 */
export function step(window: TimeWindow, kind: string): void {
  // A pending response would arrive in the middle of the series.
  pending?.abort();
  wanted = window;
  preview(window);
  clearTimeout(settling);
  settling = setTimeout(async () => {
    if (await go(addressOf(window), row === kind ? "replace" : "push")) row = kind;
  }, SETTLE_MILLISECONDS);
}

/** Navigates to another window or address of this page at once. */
export function jump(to: TimeWindow | URL): void {
  row = null;
  void go(to instanceof URL ? to : addressOf(to), "push");
}

/** Renews the content for a changed selection: the critical path is drawn by the server. */
export function renew(): void {
  void go(new URL(location.href), "none");
}

/** Stretches what lies on the axis until its next version arrives. */
export function preview(window: TimeWindow): void {
  const from = shownWindow();
  if (from === null) return;
  const scale = (from.end - from.start) / (window.end - window.start);
  const shift = (from.start - window.start) / (window.end - window.start);
  transformed((width) => `translateX(${shift * width}px) scaleX(${scale})`);
}

export function endPreview(): void {
  wanted = null;
  transformed(null);
}

/** @param of the width of a drawing; null takes it back */
function transformed(transform: ((of: number) => string) | null): void {
  for (const drawing of document.querySelectorAll<SVGSVGElement>(ON_AXIS)) {
    drawing.style.transform = transform?.(drawing.clientWidth) ?? "";
    drawing.closest(".timeline")?.classList.toggle("moving", transform !== null);
  }
}

/**
 * Exchanges the content of the page. Where that fails the browser goes there itself and shows what is wrong.
 *
 * @returns whether the content is there; not when a newer step took its place
 */
async function go(url: URL, entry: "push" | "replace" | "none"): Promise<boolean> {
  pending?.abort();
  clearTimeout(settling);
  const request = new AbortController();
  pending = request;
  const main = document.querySelector<HTMLElement>("#main");
  if (main !== null) main.ariaBusy = "true";
  const page = await pageAt(url, request.signal);
  if (request.signal.aborted) return false;
  const content = page?.querySelector("#main") ?? null;
  if (page === null || main === null || content === null) {
    location.assign(url);
    return false;
  }
  endPreview();
  dropRefreshes(main);
  morphInto(main, content);
  loadLazyParts(main);
  showTimes(main);
  carryRange(page);
  main.ariaBusy = null;
  document.title = page.title;
  if (entry === "push") history.pushState(null, "", url);
  if (entry === "replace") history.replaceState(null, "", url);
  shown = location.pathname + location.search;
  document.dispatchEvent(new CustomEvent("timeline-arrived"));
  announce(stage()?.querySelector(".timeline-window")?.textContent ?? "");
  return true;
}

/** The header and the navigation keep the window which is shown, and the instant of the past. */
function carryRange(page: Document): void {
  const [control, fresh] = [document, page].map((one) => one.querySelector("#time-range"));
  if (control && fresh) control.replaceChildren(...fresh.childNodes);
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a.nav-link")) {
    const href = page.querySelector(`a.nav-link[data-letter="${link.dataset.letter}"]`)?.getAttribute("href");
    if (href) link.setAttribute("href", href);
  }
  document.querySelector(".brand")?.setAttribute("href", page.querySelector(".brand")?.getAttribute("href") ?? "");
  const [finding, kept] = [document, page].map((one) => one.querySelectorAll(".go-to input[type=hidden]"));
  for (const field of finding ?? []) field.remove();
  document.querySelector(".go-to")?.append(...(kept ?? []));
  const renewed = page.querySelector(".copy-link");
  for (const link of document.querySelectorAll(".copy-link")) if (renewed) link.replaceWith(renewed.cloneNode(true));
}

/** Null if the request failed. */
async function pageAt(url: URL, signal: AbortSignal): Promise<Document | null> {
  try {
    const response = await fetch(url, { signal, headers: { accept: "text/html" } });
    return response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
  } catch {
    return null;
  }
}

/** Notes a changed selection in the address. The window that is shown stays: without one the address would mean another. */
export function noteSelection(selection: Readonly<Record<"selected" | "focus_event", string | null>>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(selection)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  const window = shownWindow();
  const dated = WINDOW_PARAMETERS.some((name) => url.searchParams.get(name));
  const preset = stage()?.dataset.preset;
  if (!dated && preset !== undefined) url.searchParams.set("range", preset);
  else if (!dated && window !== null) {
    url.searchParams.set("start_date", stage()?.dataset.start ?? "");
    url.searchParams.set("end_date", stage()?.dataset.end ?? "");
  }
  history.replaceState(null, "", url);
  shown = location.pathname + location.search;
}

/** Back and Forward, and the links of the page that lead to another window of it. */
export function startStage(): void {
  addEventListener("popstate", () => {
    row = null;
    // Also fired by links within the page.
    if (stage() !== null && location.pathname + location.search !== shown) void go(new URL(location.href), "none");
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || hasModifier(event)) return;
    const link =
      event.target instanceof Element
        ? event.target.closest(".timeline-moves a, .timeline-plot :is(.slice, [data-count])")
        : null;
    const href = link?.getAttribute("href");
    if (href === null || href === undefined || stage() === null) return;
    event.preventDefault();
    jump(withSelection(new URL(href, location.href)));
  });
}

/** The server made its links before anything was selected here. */
function withSelection(url: URL): URL {
  const here = new URL(location.href).searchParams;
  for (const name of ["selected", "focus_event"]) {
    const value = here.get(name);
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url;
}

export function hasModifier(event: MouseEvent | KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
}
